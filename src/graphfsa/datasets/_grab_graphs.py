"""Random graphs, starting states and truths for GRAB."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graphfsa.aggregations import (
    Aggregation,
    AverageThresholdAggregation,
    CountingAggregation,
    PositionalAggregation,
)
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.fsa import MAX_STATES, check_table_size
from graphfsa.datasets._cellular import board_sides
from graphfsa.datasets._structure import tree_edges
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.graphs import Graph, GraphBatch, families

Generator = np.random.Generator


def _tree(kind: str) -> Callable[[int, int, Generator], GraphBatch]:
    return lambda size, count, rng: GraphBatch.from_edges(np.full(count, size), tree_edges(kind, size, count, rng))


def _fixed(build: Callable[[int], Graph]) -> Callable[[int, int, Generator], GraphBatch]:
    return lambda size, count, rng: GraphBatch.repeat(build(size), count)


def _drawn(build: Callable[[int, Generator], Graph]) -> Callable[[int, int, Generator], GraphBatch]:
    return lambda size, count, rng: GraphBatch.of([build(size, rng) for _ in range(count)])


FAMILIES: dict[str, Callable[[int, int, Generator], GraphBatch]] = {
    "tree": _tree("uniform"),
    "recursive-tree": _tree("recursive"),
    "deep-tree": _tree("deep"),
    "path": _fixed(families.path),
    "cycle": _fixed(families.cycle),
    "star": _fixed(families.star),
    "complete": _fixed(families.complete),
    "binary-tree": _fixed(families.binary_tree),
    "row": _fixed(families.row),
    "ring": _fixed(families.ring),
    "grid": _fixed(lambda size: families.von_neumann(*board_sides(size))),
    "moore": _fixed(lambda size: families.moore(*board_sides(size))),
    "hex": _fixed(lambda size: families.hexagonal(*board_sides(size))),
    "regular": _drawn(lambda size, rng: families.random_regular(size, 3, rng=rng)),
    "erdos-renyi": _drawn(lambda size, rng: families.erdos_renyi(size, p=0.5, rng=rng)),
    "barabasi-albert": _drawn(lambda size, rng: families.barabasi_albert(size, 2, rng=rng)),
    "watts-strogatz": _drawn(lambda size, rng: families.watts_strogatz(size, 4, 0.2, rng=rng)),
    "caterpillar": _drawn(lambda size, rng: families.caterpillar(size, rng=rng)),
    "delaunay": _drawn(lambda size, rng: families.delaunay(size, rng=rng)),
}
"""Families by name. Regular graphs have degree 3; Erdos-Renyi graphs have edges with probability one half."""


def sample_graphs(family: str, size: int, count: int, rng: Generator) -> GraphBatch:
    """``count`` graphs of ``size`` nodes of a family."""
    if family not in FAMILIES:
        raise UnknownNameError("graph family of GRAB", family, FAMILIES)
    return FAMILIES[family](size, count, rng)


def sample_inputs(graphs: GraphBatch, num_starting: int, rng: Generator) -> Array:
    """A uniform input class for each node, except that one random node of each graph gets the last class."""
    inputs = rng.integers(0, num_starting, graphs.graph.num_nodes, dtype=np.uint8)
    sizes = np.diff(graphs.offsets)
    chosen = graphs.offsets[:-1] + rng.integers(0, np.maximum(sizes, 1))
    inputs[chosen[sizes > 0]] = num_starting - 1
    return inputs


def make_aggregation(name: str, bound: int) -> Aggregation:
    """The aggregation of a truth: counting with a bound, thresholds at one half, or (left, right) for row and ring."""
    if name == "counting":
        return CountingAggregation(bound=bound)
    if name == "average-threshold":
        return AverageThresholdAggregation((0.5,))
    if name == "positional":
        return PositionalAggregation(num_slots=2)
    raise UnknownNameError("aggregation of GRAB", name, ("counting", "average-threshold", "positional"))


def random_truth(
    num_states: int, num_starting: int, num_final: int, aggregation: Aggregation, kind: str, rng: Generator
) -> GraphFSA:
    """A random automaton: final states first (f0, f1, ...), then starting ones (s0, ...), then others (m0, ...).

    Args:
        num_states: Number of states.
        num_starting: Number of starting states.
        num_final: Number of final states.
        aggregation: How a node sees its neighbours.
        kind: ``dense``: a uniform successor for every (state, value); ``sparse``: each state has only two other
            successors, taken with probability 0.4 each, and stays otherwise.
        rng: Source of randomness.
    """
    if not 1 <= num_states <= MAX_STATES:
        raise GraphFSAError(f"a truth must have 1 to {MAX_STATES} states; got {num_states}")
    others = num_states - num_starting - num_final
    if num_starting < 1 or num_final < 1 or others < 0:
        raise GraphFSAError(
            f"a truth needs at least one starting and one final state, and no more than {num_states} in all; "
            f"got {num_starting} starting and {num_final} final"
        )
    names = (
        [f"f{k}" for k in range(num_final)] + [f"s{k}" for k in range(num_starting)] + [f"m{k}" for k in range(others)]
    )
    num_values = check_table_size(aggregation, num_states)
    table = rng.integers(0, num_states, (num_states, num_values))
    if kind == "sparse":
        pairs = np.array([rng.permutation(np.delete(np.arange(num_states), m))[:2] for m in range(num_states)])
        draws = rng.random((num_states, num_values))[:, :, None] < np.array([0.4, 0.8])
        stay = np.arange(num_states)[:, None]
        table = np.where(draws[..., 0], pairs[:, :1], np.where(draws[..., 1], pairs[:, -1:], stay))
    elif kind != "dense":
        raise UnknownNameError("kind of truth", kind, ("dense", "sparse"))
    table[:num_final] = np.arange(num_final)[:, None]
    starting = range(num_final, num_final + num_starting)
    return GraphFSA(names, aggregation, table, starting_states=[*starting], final_states=[*range(num_final)])
