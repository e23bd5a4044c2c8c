"""Many runs of an automaton on one graph, and what they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.library import find_any_automaton
from graphfsa.automaton.states import node_states, parse_states
from graphfsa.automaton.stochastic import StochasticFSA
from graphfsa.checks import check_integer, check_seed
from graphfsa.engine._drive import Progress
from graphfsa.engine._random import RandomStepper
from graphfsa.engine.coins import MAX_REPLICATES, MAX_STEPS
from graphfsa.engine.threads import check_threads, default_threads
from graphfsa.errors import AutomatonError, LimitError, StateError
from graphfsa.graphs import Graph, GraphLike, find_graph

MAX_BYTES = 4 * 2**30
_BATCH_BYTES = 2**28
_BATCH_NODES = 2**22
"""States of the runs that move together; more runs at once are no faster."""


@dataclass(frozen=True, eq=False)
class Ensemble:
    """What became of many runs.

    Attributes:
        fsa: The automaton.
        graph: The graph.
        times: The steps that were counted, int64 [times].
        counts: The number of nodes in each state, int64 [replicates, times, num_states].
        last: The states at the last step, uint8 [replicates, num_nodes].
        rest: For each run the step from which on no node can move, int64 [replicates]; -1 if it was not seen to rest.
        seed: The seed.
        seconds: Wall time, including the compilation of kernels that were not used before.

    Example:
        >>> from graphfsa import StochasticFSA, families, simulate
        >>> rumour = StochasticFSA.from_rules('''
        ... states: new, told
        ... aggregation: counting bound=1
        ... new -> told with probability 0.5 if some neighbour is told
        ... new stays otherwise
        ... told stays
        ... ''')
        >>> found = simulate(rumour, families.complete(20), "told:0", 40, replicates=200, seed=1)
        >>> bool((found.last == 1).all()), int(found.rest.max()) < 20
        (True, True)
    """

    fsa: StochasticFSA
    graph: Graph
    times: Array
    counts: Array
    last: Array
    rest: Array
    seed: int
    seconds: float = 0.0

    @property
    def replicates(self) -> int:
        """Number of runs."""
        return len(self.counts)

    @property
    def digest(self) -> str:
        """SHA-256 of all counts and of the last states: the same for any number of threads."""
        hasher = sha256(self.counts.astype("<i8").tobytes())
        hasher.update(np.ascontiguousarray(self.last).data)
        return hasher.hexdigest()

    def share(self, state: str | int) -> Array:
        """The share of the nodes in a state, float64 [replicates, times]."""
        return self.counts[:, :, self.fsa.index(state)] / max(1, self.graph.num_nodes)

    def mean(self, state: str | int) -> Array:
        """The mean share of a state over all runs, float64 [times]."""
        return self.share(state).mean(axis=0)

    def quantiles(self, state: str | int, levels: Sequence[float] = (0.05, 0.5, 0.95)) -> Array:
        """Quantiles of the share of a state over all runs, float64 [levels, times]."""
        return np.quantile(self.share(state), levels, axis=0)


def simulate(
    fsa: Any,
    graph: GraphLike | str,
    states: ArrayLike | Sequence[str] | Mapping[Any, str | int] | str,
    steps: int,
    *,
    replicates: int = 100,
    default: str | int | None = None,
    seed: int = 0,
    every: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ensemble:
    """Run an automaton many times on one graph, and count the nodes in each state.

    Run k of a seed is the same however many runs there are, and however many threads; run 0 is what ``run`` gives.

    Args:
        fsa: An automaton that moves at random, or any other; the name of one in the library, or a file.
        graph: As for ``run``.
        states: As for ``run``; ``"random"`` and other random descriptions are drawn anew for each run.
        steps: Number of steps.
        replicates: Number of runs.
        default: As for ``run``.
        seed: Seed of the coins, and of random graphs and states that are given by name.
        every: Count at every step that is a multiple of this, and at the last.
        threads: Number of threads; by default all cores (or ``GRAPHFSA_THREADS``).
        progress: Called with the number of run steps made, of ``replicates * steps``.
    """
    began = perf_counter()
    automaton, network, starts = prepared(fsa, graph, states, default, seed)
    check_integer("steps", steps, 0, MAX_STEPS - 1, error=StateError)
    check_integer("replicates", replicates, 1, MAX_REPLICATES - 1)
    check_integer("every", every, 1)
    num_times = steps // every + 1 + (steps % every > 0)
    size = replicates * (8 * num_times * automaton.num_states + network.num_nodes)
    if size > MAX_BYTES:
        raise LimitError(
            f"{replicates:,} runs with {num_times:,} counts of {automaton.num_states} states, and their last states, "
            f"would take {size / 2**30:,.1f} GiB; the limit is {MAX_BYTES / 2**30:.0f} GiB. Count less often with "
            "every=, or make fewer runs"
        )
    times = np.append(np.arange(0, steps, every), steps)
    num_threads = default_threads() if threads is None else check_threads(threads)
    counts = np.empty((replicates, num_times, automaton.num_states), np.int64)
    last = np.empty((replicates, network.num_nodes), np.uint8)
    rest = np.empty(replicates, np.int64)
    batch = max(1, min(replicates, _BATCH_NODES // max(1, network.num_nodes)))
    for first in range(0, replicates, batch):
        runs = slice(first, min(first + batch, replicates))
        begin = np.stack([starts(run) for run in range(runs.start, runs.stop)])
        stepper = RandomStepper(automaton, network, begin, seed, first, num_threads)
        at_rest = False
        for place, time in enumerate(times.tolist()):
            while stepper.time < time and not at_rest:
                at_rest = not stepper.step()
                if progress is not None:
                    progress(first * steps + stepper.time * (runs.stop - first))
            counts[runs, place] = stepper.counts()
        last[runs] = stepper.states
        rested = stepper.rest.astype(np.int64)
        rest[runs] = np.where(at_rest | (rested < stepper.time), rested, -1)
    return Ensemble(automaton, network, times, counts, last, rest, seed, perf_counter() - began)


def prepared(fsa: Any, graph: Any, states: Any, default: Any, seed: int) -> tuple[StochasticFSA, Graph, Any]:
    """What is needed to begin: the automaton, the graph, and the start of each run by its number."""
    found = find_any_automaton(fsa)
    automaton = StochasticFSA.of(found) if isinstance(found, GraphFSA) else found
    # As ``run`` draws them, so that run 0 is what it gives.
    for_graph, for_states = np.random.SeedSequence(check_seed(seed)).spawn(2)
    if isinstance(graph, str | Path):
        graph = find_graph(graph, np.random.default_rng(for_graph))
    network = automaton.aggregation.fitting(graph)
    if not isinstance(states, str):
        fixed = node_states(automaton, network, states, default)
        return automaton, network, lambda _run: fixed

    def start(run: int) -> Array:
        source = for_states if run == 0 else np.random.SeedSequence([seed, 2, run])
        try:
            named = parse_states(states, automaton, network, np.random.default_rng(source))
        except AutomatonError as error:
            raise StateError(str(error)) from None
        return node_states(automaton, network, named, default)

    return automaton, network, start


def random_frames(
    fsa: StochasticFSA, graph: Graph, start: Array, seed: int, threads: int
) -> Iterator[tuple[int, Array, bool]]:
    """The steps of one run: number, states (changed by the next step), and whether it is at rest."""
    stepper = RandomStepper(fsa, graph, start[None], seed, 0, threads)
    yield 0, stepper.states[0], False
    while True:
        moved = stepper.step()
        yield stepper.time, stepper.states[0], not moved
