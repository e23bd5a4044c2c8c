"""Many runs of an automaton on one graph, and what they have in common."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.library import find_any_automaton
from graphfsa.automaton.states import node_states, parse_states
from graphfsa.automaton.stochastic import StochasticFSA
from graphfsa.checks import check_integer, check_name, check_seed
from graphfsa.engine._drive import Progress
from graphfsa.engine._random import RandomStepper
from graphfsa.engine.cluster import Cluster, opened
from graphfsa.engine.coins import MAX_REPLICATES, MAX_STEPS
from graphfsa.engine.faults import Fault
from graphfsa.engine.run import most_steps
from graphfsa.engine.scheduled import Schedule
from graphfsa.engine.schedulers import Scheduler
from graphfsa.engine.threads import check_threads, default_threads, run_ranges
from graphfsa.errors import AutomatonError, LimitError, StateError
from graphfsa.graphs import Graph, GraphLike, find_graph

MAX_BYTES = 4 * 2**30
_FIRST_STEPS = 64
_BATCH_BYTES = 2**28
_BATCH_NODES = 2**22
"""States of the runs that move together; more runs at once are no faster."""
_BATCHES = 4
"""Batches for each core of a cluster."""


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
        scheduler: Who moved when; None if all nodes moved at once in every step.
        faults: What went wrong.
        moves: With a scheduler or faults: how often nodes had changed their states by the rules, int64 [replicates,
            times].
        rounds: The same for rounds, int64 [replicates, times].
        clock: The time, of schedulers with clocks, float64 [replicates, times].

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
    scheduler: Scheduler | None = None
    faults: tuple[Fault, ...] = ()
    moves: Array | None = None
    rounds: Array | None = None
    clock: Array | None = None

    def __repr__(self) -> str:
        steps, at_rest = int(self.times[-1]), int((self.rest >= 0).sum())
        return (
            f"Ensemble({self.replicates:,} runs of {steps:,} steps on {self.graph.num_nodes:,} nodes, counted "
            f"{len(self.times):,} times; {at_rest:,} at rest)"
        )

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

    def to_rest(self, unit: Literal["steps", "moves", "rounds", "clock"] = "steps") -> Array:
        """How long each run took that came to rest; runs that did not are left out.

        Args:
            unit: What is counted; moves, rounds and the clock with a scheduler or faults only.

        Example:
            >>> from graphfsa import families, simulate
            >>> found = simulate("majority", families.cycle(30), "random", 3000, replicates=50, scheduler="central")
            >>> bool((found.to_rest("moves") <= found.to_rest("steps")).all())
            True
        """
        check_name("unit", unit, ("steps", "moves", "rounds", "clock"))
        rested = self.rest >= 0
        if unit == "steps":
            return self.rest[rested]
        numbers = {"moves": self.moves, "rounds": self.rounds, "clock": self.clock}[unit]
        if numbers is None:
            what = "a clock needs the scheduler 'clocks'"
            raise StateError(what if unit == "clock" else f"{unit} are counted with a scheduler, such as 'synchronous'")
        return numbers[rested, -1]


def simulate(
    fsa: Any,
    graph: GraphLike | str,
    states: ArrayLike | Sequence[str] | Mapping[Any, str | int] | str,
    steps: int | Literal["stable"],
    *,
    replicates: int = 100,
    default: str | int | None = None,
    seed: int = 0,
    every: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    scheduler: Scheduler | str | None = None,
    faults: Fault | str | Sequence[Fault | str] = (),
    cluster: Cluster | str | None = None,
) -> Ensemble:
    """Run an automaton many times on one graph, and count the nodes in each state.

    Run k of a seed is the same however many runs there are, and however many threads; run 0 is what ``run`` gives.

    Args:
        fsa: An automaton that moves at random, or any other; the name of one in the library, or a file.
        graph: As for ``run``.
        states: As for ``run``; ``"random"`` and other random descriptions are drawn anew for each run.
        steps: Number of steps, or ``"stable"``: until all runs are at rest. As long as some are not, they are begun
            again with twice as many steps.
        replicates: Number of runs.
        default: As for ``run``.
        seed: Seed of the coins, and of random graphs and states that are given by name.
        every: Count at every step that is a multiple of this, and at the last.
        threads: Number of threads; by default all cores (or ``GRAPHFSA_THREADS``).
        progress: Called with the number of run steps made, of ``replicates * steps``; with ``"stable"`` more than once.
        scheduler: Who moves when, as for ``run``; runs differ by the coins of the scheduler, too.
        faults: What goes wrong, as for ``run``.
        cluster: Workers that share the runs: a ``Cluster``, or the address of one, such as ``"local:2"``.
    """
    began = perf_counter()
    automaton, network, starts = prepared(fsa, graph, states, default, seed)
    if isinstance(steps, str):
        most = most_steps(steps, None, automaton, network, scheduler, faults)
        given = {"replicates": replicates, "default": default, "seed": seed, "every": every, "threads": threads}
        again = partial(simulate, fsa, graph, states, **given, progress=progress, scheduler=scheduler, faults=faults)
        with opened(cluster) as crew:
            return replace(_until_rest(partial(again, cluster=crew), most), seconds=perf_counter() - began)
    check_integer("steps", steps, 0, MAX_STEPS - 1, error=StateError, or_else=" or 'stable'")
    check_integer("replicates", replicates, 1, MAX_REPLICATES - 1)
    check_integer("every", every, 1)
    schedule = Schedule.of(scheduler, faults, automaton, network)
    if schedule is not None:
        schedule.check_steps(steps)
    num_times = steps // every + 1 + (steps % every > 0)
    size = replicates * (8 * num_times * (automaton.num_states + 3 * (schedule is not None)) + network.num_nodes)
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
    blank = Ensemble(automaton, network, times, counts, last, rest, seed)
    with opened(cluster) as crew:
        if schedule is None:
            found = _all_at_once(blank, starts, num_threads, progress, crew)
        else:
            found = _with_schedule(blank, schedule, starts, num_threads, progress, crew)
    return replace(found, seconds=perf_counter() - began)


def _until_rest(again: Callable[[int], Ensemble], most: int) -> Ensemble:
    """The runs up to the step from which on none of them moves."""
    steps = min(_FIRST_STEPS, most)
    while True:
        found = again(steps)
        moving = int((found.rest < 0).sum())
        if not moving:
            break
        if steps == most:
            raise StateError(
                f"{moving} of {found.replicates} runs are not at rest after {most:,} steps; say how many to make"
            )
        steps = min(2 * steps, most)
    last = int(found.rest.max())
    kept = np.append(np.flatnonzero(found.times < last), int(np.searchsorted(found.times, last)))
    timed = {"moves": found.moves, "rounds": found.rounds, "clock": found.clock}
    columns = {name: None if column is None else column[:, kept] for name, column in timed.items()}
    times = np.append(found.times[kept[:-1]], last)
    return replace(found, times=times, counts=found.counts[:, kept], **columns)  # pyright: ignore[reportArgumentType]


def _all_at_once(
    blank: Ensemble, starts: Any, threads: int, progress: Progress | None, cluster: Cluster | None
) -> Ensemble:
    """Fill in the runs: several on one graph at once."""
    network, steps, replicates = blank.graph, int(blank.times[-1]), blank.replicates
    batch = max(1, min(replicates, _BATCH_NODES // max(1, network.num_nodes)))
    if cluster is not None:
        batch = max(1, min(batch, -(-replicates // (_BATCHES * cluster.cores))))
    firsts = range(0, replicates, batch)
    batches = ((first, [starts(run) for run in range(first, min(first + batch, replicates))]) for first in firsts)
    shared = (blank.fsa, network, blank.times, blank.seed)
    if cluster is not None:
        found = cluster.spread(_batch, batches, *shared, 1)
    else:
        found = ((each, _batch(each, *shared, threads, progress)) for each in batches)
    done = 0
    for (first, begin), columns in found:
        runs = slice(first, first + len(begin))
        blank.counts[runs], blank.last[runs], blank.rest[runs] = _given(columns)
        done += len(begin) * steps
        if progress is not None:
            progress(done)
    return blank


def _batch(
    batch: tuple[int, list[Array]],
    fsa: StochasticFSA,
    graph: Graph,
    times: Array,
    seed: int,
    threads: int,
    progress: Progress | None = None,
) -> tuple[Array, ...]:
    """Counts, last states and steps to rest of some runs that move together: the number of the first, and starts."""
    first, begin = batch
    stepper = RandomStepper(fsa, graph, np.stack(begin), seed, first, threads)
    counts = np.empty((len(begin), len(times), fsa.num_states), np.int64)
    at_rest = False
    for place, time in enumerate(times.tolist()):
        while stepper.time < time and not at_rest:
            at_rest = not stepper.step()
            if progress is not None:
                progress(first * int(times[-1]) + stepper.time * len(begin))
        counts[:, place] = stepper.counts()
    rested = stepper.rest.astype(np.int64)
    return counts, stepper.states, np.where(at_rest | (rested < stepper.time), rested, -1)


def _given(columns: Any) -> Any:
    """What a worker gave, or raise what it raised."""
    if isinstance(columns, Exception):
        raise columns
    return columns


def _with_schedule(
    blank: Ensemble,
    schedule: Schedule,
    starts: Any,
    threads: int,
    progress: Progress | None,
    cluster: Cluster | None,
) -> Ensemble:
    """Fill in the runs: each thread makes whole runs, so it does not matter which makes which."""
    shape, steps = (blank.replicates, len(blank.times)), int(blank.times[-1])
    moves, rounds, clock = np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape)
    made, stop = np.zeros(blank.replicates, np.int64), Event()
    shared = (schedule, blank.fsa, blank.graph, blank.times, blank.seed)

    def tell(run: int, time: int) -> bool:
        made[run] = time
        if progress is not None and threading.current_thread() is main:
            progress(int(made.sum()))
        return not stop.is_set()

    def keep(run: int, columns: tuple[Any, ...]) -> None:
        blank.counts[run], blank.last[run], blank.rest[run], moves[run], rounds[run], clock[run] = columns
        tell(run, steps)

    def one(run: int) -> None:
        keep(run, _scheduled_run((run, starts(run)), *shared, tell))

    def some(begin: int, end: int) -> int:
        for run in range(begin, end):
            one(run)
        return 0

    main = threading.current_thread()
    if cluster is not None:
        runs = ((run, starts(run)) for run in range(blank.replicates))
        for (run, _), columns in cluster.spread(_scheduled_run, runs, *shared):
            keep(run, _given(columns))
    else:
        one(0)  # Kernels are compiled once, before there are several threads.
        try:
            run_ranges(lambda begin, end: some(begin + 1, end + 1), blank.replicates - 1, threads)
        finally:
            stop.set()
    timed = clock if schedule.scheduler.timed else None
    about = {"scheduler": schedule.scheduler, "faults": schedule.faults}
    return replace(blank, moves=moves, rounds=rounds, clock=timed, **about)  # pyright: ignore[reportArgumentType]


def _scheduled_run(
    run: tuple[int, Array],
    schedule: Schedule,
    fsa: StochasticFSA,
    graph: Graph,
    times: Array,
    seed: int,
    tell: Callable[[int, int], bool] = lambda _run, _time: True,
) -> tuple[Any, ...]:
    """Counts, last states, steps to rest, moves, rounds and clock of a run, given by its number and its start.

    ``tell`` is called with the number of the run and the current step, and says whether to go on.
    """
    number, start = run
    stepper = schedule.stepper(fsa, graph, start, seed, number)
    counts, moves = np.empty((len(times), fsa.num_states), np.int64), np.empty(len(times), np.int64)
    rounds, clock = np.empty(len(times), np.int64), np.empty(len(times))
    going, wanted = True, True
    for place, time in enumerate(times.tolist()):
        while going and wanted and stepper.time < time:
            going = stepper.advance(time)
            wanted = tell(number, stepper.time)
        counts[place] = np.bincount(stepper.states, minlength=fsa.num_states)
        moves[place], rounds[place], clock[place] = stepper.moves, stepper.rounds, stepper.clock
    rest = stepper.time if not going or stepper.at_rest() else -1
    return counts, stepper.states, rest, moves, rounds, clock


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
