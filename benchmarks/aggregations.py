"""Steps with relations, weighted sums and products, side by side with counting on the same arcs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._report import in_turns, provenance, row, say
from graphfsa.aggregations import (
    Aggregation,
    CountingAggregation,
    ProductAggregation,
    RelationsAggregation,
    WeightedSumAggregation,
)
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.states import random_states
from graphfsa.engine.kernels import make_stepper
from graphfsa.engine.threads import default_threads
from graphfsa.graphs import Graph, families

Rows = Iterator[dict[str, Any]]
_MOST = 3.0
"""How many times as long as counting a step may take."""


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything."""
    rng = np.random.default_rng(seed)
    sizes = (10**4,) if quick else (10**4, 10**6)
    rows = [line for size in sizes for line in _dense(size, 3 if quick else 9, rng)]
    return {"title": "python -m benchmarks aggregations", "rows": rows, "provenance": provenance(seed, quick, ())}


def with_kinds(graph: Graph, count: int, rng: np.random.Generator) -> Graph:
    """The same arcs, each of a random kind."""
    kinds = [f"kind {number}" for number in range(count)]
    return Graph(graph.indptr, graph.indices, rng.integers(0, count, graph.num_arcs), kinds)


def random_automaton(aggregation: Aggregation, num_states: int, rng: np.random.Generator) -> GraphFSA:
    """A random table in which no entry stays: all nodes change in every step."""
    further = rng.integers(1, num_states, (num_states, aggregation.num_values(num_states)))
    table = (np.arange(num_states)[:, None] + further) % num_states
    return GraphFSA([f"s{state}" for state in range(num_states)], aggregation, table)


def _dense(size: int, turns: int, rng: np.random.Generator) -> Rows:
    say(f"dense steps on an Erdos-Renyi graph of {size:,} nodes")
    graph = families.erdos_renyi(size, mean_degree=10, rng=rng)
    two, four = with_kinds(graph, 2, rng), with_kinds(graph, 4, rng)
    vote = WeightedSumAggregation((-2, -1, 1, 3), (0, 4))
    cases: dict[str, tuple[Aggregation, Graph]] = {
        "counting, b = 1": (CountingAggregation(1), graph),
        "counting, b = 2": (CountingAggregation(2), graph),
        "counting, b = 1, arcs of 2 kinds": (CountingAggregation(1), two),
        "relations, 2 kinds, b = 1": (RelationsAggregation(two.kinds or (), 1), two),
        "relations, 2 kinds, b = 2": (RelationsAggregation(two.kinds or (), 2), two),
        "relations, 4 kinds, b = 1": (RelationsAggregation(four.kinds or (), 1), four),
        "weighted sum, 2 thresholds": (vote, graph),
        "product of counting (b = 1) and a weighted sum": (ProductAggregation((CountingAggregation(1), vote)), graph),
        "product of relations (2 kinds, b = 1) and a weighted sum": (
            ProductAggregation((RelationsAggregation(two.kinds or (), 1), vote)),
            two,
        ),
    }
    threads = default_threads()
    steppers: dict[str, Any] = {}
    for name, (aggregation, arcs) in cases.items():
        fsa = random_automaton(aggregation, 4, rng)
        steppers[name] = make_stepper(fsa, arcs, "dense", threads)
        steppers[name].load(random_states(fsa, size, rng))
    steps = max(1, 10**6 // size)
    contenders = {name: lambda s=stepper: s.advance(steps) for name, stepper in steppers.items()}
    seconds = in_turns(contenders, turns, 40)
    where = f"|M| = 4, Erdos-Renyi n = {size:,}, mean degree 10, {threads} threads"
    base = seconds["counting, b = 1"]
    for name, time in seconds.items():
        yield row(f"{name}, {where}", steps * graph.num_arcs / time, "arcs/s")
        if name != "counting, b = 1":
            yield row("  time against counting with b = 1", time / base, "x", f"<= {_MOST:g}")
