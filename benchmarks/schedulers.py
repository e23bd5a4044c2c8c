"""Runs in which few nodes move at a time: what a move costs on large and small graphs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks._report import in_turns, provenance, row, say
from graphfsa.automaton import StochasticFSA, library
from graphfsa.automaton.states import random_states
from graphfsa.engine.scheduled import Schedule, go_to
from graphfsa.graphs import Graph, families

Rows = Iterator[dict[str, Any]]


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything."""
    parts = (_sequential(quick, seed), _daemons(quick, seed), _waves(quick))
    return {
        "title": "python -m benchmarks schedulers",
        "rows": [line for part in parts for line in part],
        "provenance": provenance(seed, quick, ()),
    }


def _advancing(scheduler: str, fsa: Any, graph: Graph, steps: int, seed: int) -> tuple[Any, Callable[[], Any]]:
    """A run, and a call that makes some more steps of it."""
    schedule = Schedule.of(scheduler, (), fsa, graph)
    assert schedule is not None
    states = random_states(fsa, graph.num_nodes, np.random.default_rng(seed))
    stepper = schedule.stepper(fsa, graph, states, seed)
    return stepper, lambda: go_to(stepper, stepper.time + steps)


def _sequential(quick: bool, seed: int) -> Rows:
    """Processor time: a run has one thread."""
    n, steps = (10**4, 10**4) if quick else (10**6, 10**6)
    say(f"single moves on rings and random graphs of {n:,} nodes")
    rng = np.random.default_rng(seed)
    graphs = {
        f"a ring of {n:,}": families.cycle(n),
        f"Erdos-Renyi, n = {n:,}, mean degree 4": families.erdos_renyi(n, mean_degree=4, rng=rng),
        f"a ring of {n // 1000:,}": families.cycle(max(10, n // 1000)),
    }
    # None of these runs comes to rest while it is measured.
    noisy = StochasticFSA.of(library.majority(), noise=0.1)
    automata = {"majority, a tenth by chance": noisy, "sis": library.sis(0.3, 0.2)}
    runs = {
        (name, where): _advancing("random-sequential", fsa, graph, steps, seed)
        for name, fsa in automata.items()
        for where, graph in graphs.items()
        if name != "sis" or graph.num_nodes >= 10**4
    }
    calls = {f"{name} {where}": call for (name, where), (_, call) in runs.items()}
    seconds = in_turns(calls, 2 if quick else 9, 90, clock=time.process_time)
    for (name, where), (stepper, _) in runs.items():
        assert not stepper.at_rest()
        rate = steps / seconds[f"{name} {where}"]
        aim = ">= 5e6" if graphs[where].num_nodes == n else ""
        yield row(f"random sequential, {name}, {where}", rate, "steps/s", aim)
        yield row("  steps in which the node changed", stepper.moves / stepper.time, "of all")


def _daemons(quick: bool, seed: int) -> Rows:
    n = 10**4 if quick else 10**6
    say(f"daemons on {n:,} nodes")
    graph, fsa = families.cycle(n), StochasticFSA.of(library.majority(), noise=0.1)
    sizes = {"central": 10**5, "clocks": 10**5, "round-robin": 10**5, "distributed:p=0.5": 2, "locally-central": 2}
    for name, steps in sizes.items():
        stepper, call = _advancing(name, fsa, graph, steps, seed)
        call()
        began, first = time.process_time(), stepper.time
        for _ in range(2 if quick else 10):
            call()
        seconds = time.process_time() - began
        if steps > 2:
            rate = (stepper.time - first) / seconds
            yield row(f"{name}, majority, a tenth by chance, a ring of {n:,}", rate, "steps/s")
        else:  # Every node can move by chance, so every node is enabled.
            rate = (stepper.time - first) * n / seconds
            yield row(f"{name}, majority, a tenth by chance, a ring of {n:,}", rate, "enabled nodes/s")


def _waves(quick: bool) -> Rows:
    """One node moves at a time on a path: what a dense step for each move would cost, and what it does cost."""
    n = 2000 if quick else 20_000
    say("a wave, move by move")
    path, fsa = families.path(n), library.distance()
    states = np.full(n, fsa.index("node"))
    states[0] = fsa.index("root")
    schedule = Schedule.of("central", (), fsa, path)
    assert schedule is not None
    following = fsa.transition_table

    def dense() -> None:
        """A NumPy step of all nodes, of which one moves; 100 of the n that are needed."""
        now = states.astype(np.int64)
        weights = np.array([2**state for state in range(fsa.num_states)])
        for _ in range(100):
            seen = np.zeros((n, fsa.num_states), bool)
            seen[np.arange(1, n), now[:-1]] = True
            seen[np.arange(n - 1), now[1:]] = True
            now = following[now, seen @ weights].astype(np.int64)

    calls = {
        "moves": lambda: go_to(schedule.stepper(fsa, path, states, 0), n),
        "dense": dense,
    }
    seconds = in_turns(calls, 3 if quick else 9, 30, clock=time.process_time)
    yield row(f"a wave along {n:,} nodes, central, with preparation", n / seconds["moves"], "moves/s")
    yield row(
        "  against a NumPy step of all nodes for each move", seconds["dense"] / 100 * n / seconds["moves"], "x", "> 1"
    )
