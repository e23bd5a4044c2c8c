"""The execution engine against what one would use instead, with as many threads, and against the memory's speed.

Rows for one core are processor time, so other programs on the machine disturb them little; those for all cores are
wall time. What is compared is measured in turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from benchmarks._engine_parts import guns, lattices, memory, waves
from benchmarks._peers import csr_step, packed_steps, reading
from benchmarks._report import in_turns, provenance, row, say
from graphfsa.aggregations import (
    Aggregation,
    AverageThresholdAggregation,
    CountingAggregation,
    LettersAggregation,
    PositionalAggregation,
    Sum,
    WeightedSumAggregation,
)
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.states import random_states
from graphfsa.engine import run
from graphfsa.engine.kernels import Stepper, make_stepper
from graphfsa.engine.threads import default_threads
from graphfsa.graphs import Graph, families

Rows = Iterator[dict[str, Any]]
_RULES = ((4, 1), (4, 2), (4, 3), (8, 2), (8, 3))
_NANO = 1e9


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything."""
    rng = np.random.default_rng(seed)
    graph = families.erdos_renyi(10**4 if quick else 10**6, mean_degree=10, rng=rng)
    parts = (
        _limit(quick),
        _dense(graph, 1, quick, rng),
        _dense(graph, default_threads(), quick, rng),
        _preparation(graph, quick, rng),
        _sizes(quick, rng),
        _aggregations(graph, quick, rng),
        _small(quick, rng),
        waves(quick, rng),
        lattices(quick, rng, random_automaton),
        guns(quick),
        memory(quick, rng, random_automaton),
    )
    return {
        "title": "python -m benchmarks engine",
        "rows": [line for part in parts for line in part],
        "provenance": provenance(seed, quick, ("scipy", "python-graphblas", "torch", "python-lifelib")),
    }


def random_automaton(num_states: int, bound: int, rng: np.random.Generator) -> GraphFSA:
    """A uniform random table: it keeps nearly all nodes changing."""
    return _random(CountingAggregation(bound=bound), num_states, rng)


def _random(aggregation: Aggregation, num_states: int, rng: np.random.Generator) -> GraphFSA:
    table = rng.integers(0, num_states, (num_states, aggregation.num_values(num_states)))
    return GraphFSA([f"s{m}" for m in range(num_states)], aggregation, table)


def _stepper(fsa: GraphFSA, graph: Graph, threads: int, states: Array) -> Stepper:
    stepper = make_stepper(fsa, graph, "dense", threads)
    stepper.load(states)
    return stepper


def _limit(quick: bool) -> Rows:
    say("the speed of the memory")
    size = 10**7 if quick else 2 * 10**8
    for threads in sorted({1, default_threads()}):
        clock = thread_time if threads == 1 else perf_counter
        seconds = in_turns({"read": reading(size, threads)}, 9, clock=clock)["read"]
        yield row(f"reading memory, {_cores(threads)}", size / seconds / 1e9, "GB/s")
        yield row("  so an arc of 4 bytes takes at least", seconds / size * 4 * _NANO, "ns")


def _cores(threads: int) -> str:
    return "one core" if threads == 1 else f"{threads} threads"


def _dense(graph: Graph, threads: int, quick: bool, rng: np.random.Generator) -> Rows:
    """Steps against peers with equal threads."""
    for num_states, bound in _RULES if threads == 1 else _RULES[:2]:
        say(f"dense steps, |M| = {num_states}, b = {bound}, {_cores(threads)}")
        fsa = random_automaton(num_states, bound, rng)
        states = random_states(fsa, graph.num_nodes, rng)
        stepper = _stepper(fsa, graph, threads, states)
        peers = {"the ten-line CSR kernel": csr_step(fsa, graph, states, bound, threads)}
        packed = ("SciPy", "GraphBLAS", "torch") if (num_states, bound) == _RULES[0] else ("SciPy",)
        peers |= packed_steps(fsa, graph, states, bound, threads, packed)
        _check(fsa, graph, states, peers)
        contenders = {"": partial(stepper.advance, 1), **peers}
        seconds = in_turns(contenders, 3 if quick else 7, 6, thread_time if threads == 1 else perf_counter)
        where = f"Erdos-Renyi n = {graph.num_nodes:,}, mean degree 10, {_cores(threads)}"
        cost = seconds[""] / graph.num_arcs * _NANO
        yield row(f"dense step, |M| = {num_states}, b = {bound}, {where}", cost, "ns/arc")
        targets = {"the ten-line CSR kernel": ">= 1.5", "SciPy": ">= 8"}
        for name in peers:
            how = "" if name not in ("SciPy", "GraphBLAS", "torch") else ", one packed product"
            yield row(f"  against {name}{how}", seconds[name] / seconds[""], "x", targets.get(name, ""))
        for name in sorted(set(packed) - set(peers)):
            yield row(f"  against {name}: not installed", 0, "-")


def _check(fsa: GraphFSA, graph: Graph, states: Array, peers: dict[str, Any]) -> None:
    """Everybody must compute the same."""
    expected = run(fsa, graph, states, 1).last
    for name, step in peers.items():
        found = step()
        found = np.concatenate(found) if isinstance(found, list) else found
        assert np.array_equal(found, expected), f"{name} computes something else"


def _preparation(graph: Graph, quick: bool, rng: np.random.Generator) -> Rows:
    say("preparation")
    fsa = random_automaton(4, 1, rng)
    states = random_states(fsa, graph.num_nodes, rng)
    stepper = _stepper(fsa, graph, 1, states)

    def prepare() -> None:
        fresh = Graph(graph.indptr, graph.indices)
        make_stepper(fsa, fresh, "dense", 1)

    calls = {"prepare": prepare, "read": lambda: Graph(graph.indptr, graph.indices), "step": lambda: stepper.advance(1)}
    seconds = in_turns(calls, 3 if quick else 5, 8, thread_time)
    prepared = max(0.0, seconds["prepare"] - seconds["read"])
    yield row("preparation of a graph for dense steps, once, one core", prepared / graph.num_arcs * _NANO, "ns/arc")
    yield row("  as steps of |M| = 4, b = 1", prepared / seconds["step"], "steps")


def _sizes(quick: bool, rng: np.random.Generator) -> Rows:
    """The cost of an arc as graphs outgrow the caches: arcs from random nodes."""
    sizes = (10**3, 10**4) if quick else (10**4, 10**5, 10**6, 10**7)
    fsa, found = random_automaton(4, 1, rng), dict[int, float]()
    for n in sizes:
        say(f"dense steps on {n:,} nodes")
        degrees = rng.poisson(10, n)
        indptr = np.r_[0, np.cumsum(degrees)]
        graph = Graph(indptr, rng.integers(0, n, indptr[-1], dtype=np.int32))
        states = random_states(fsa, n, rng)
        stepper = _stepper(fsa, graph, 1, states)
        steps = max(1, 10**6 // n)
        plain = csr_step(fsa, graph, states, 1, 1)
        calls = {"": partial(stepper.advance, steps), "plain": lambda p=plain, s=steps: [p() for _ in range(s)]}
        seconds = in_turns(calls, 3 if quick else 7, 8, thread_time)
        found[n] = seconds[""] / steps / graph.num_arcs * _NANO
        yield row(f"dense step, |M| = 4, b = 1, {n:,} nodes with 10 random neighbours, one core", found[n], "ns/arc")
        yield row("  against the ten-line CSR kernel", seconds["plain"] / seconds[""], "x")
    yield row(
        f"cost of an arc at n = {sizes[-1]:,} against n = {sizes[-2]:,}",
        found[sizes[-1]] / found[sizes[-2]],
        "x",
        "<= 2",
    )


def _aggregations(graph: Graph, quick: bool, rng: np.random.Generator) -> Rows:
    say("other aggregations")
    ranks = np.arange(graph.num_arcs) - np.repeat(graph.indptr[:-1], np.diff(graph.indptr))
    few = ranks < 4
    arcs = np.c_[graph.indices[few], graph.targets()[few]]
    slotted = Graph.from_edges(graph.num_nodes, arcs, directed=True, slots=ranks[few])
    counts = Sum("count", 2, (1, 1, 0, 1)), Sum("highest", 2, (0, 0, 1, 2))
    cases: dict[str, tuple[Aggregation, Graph]] = {
        "counting, b = 2": (CountingAggregation(2), graph),
        "counting, b = 5": (CountingAggregation(5), graph),
        "average threshold 0.5": (AverageThresholdAggregation(0.5), graph),
        "average thresholds 0.3, 0.7": (AverageThresholdAggregation((0.3, 0.7)), graph),
        "letters: a count and the highest": (LettersAggregation(counts), graph),
        "weighted sum, 2 thresholds": (WeightedSumAggregation((-2, -1, 1, 3), (0, 4)), graph),
        "counting, b = 2, at most 4 neighbours": (CountingAggregation(2), slotted),
        "positional, 4 slots": (PositionalAggregation(4), slotted),
    }
    steppers: dict[str, Any] = {}
    for name, (aggregation, arcs) in cases.items():
        fsa = _random(aggregation, 4, rng)
        steppers[name] = partial(_stepper(fsa, arcs, 1, random_states(fsa, graph.num_nodes, rng)).advance, 1)
    seconds = in_turns(steppers, 3 if quick else 7, 10, thread_time)
    base = next(iter(cases))
    for name, (_, arcs) in cases.items():
        base = name if name.startswith("counting, b = 2") else base
        yield row(f"{name}, |M| = 4, one core", seconds[name] / arcs.num_arcs * _NANO, "ns/arc")
        if name != base:
            yield row("  against counting with b = 2 on these arcs", seconds[name] / seconds[base], "x", "<= 1.5")


def _small(quick: bool, rng: np.random.Generator) -> Rows:
    say("a random tree on one core")
    n, steps = 10_000, 200 if quick else 2_000
    tree, fsa = families.random_tree(n, rng=rng), random_automaton(4, 1, rng)
    states = random_states(fsa, n, rng)
    seconds = in_turns({"tree": lambda: run(fsa, tree, states, steps, threads=1)}, 5, 6, thread_time)["tree"]
    yield row(f"random tree n = {n:,}, {steps:,} steps, one core", n * steps / seconds, "node-steps/s", ">= 3e7")
