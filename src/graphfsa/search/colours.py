"""What automata with a given aggregation can tell apart, however many states they have."""

from __future__ import annotations

import numpy as np

from graphfsa.aggregations import Aggregation, CountingAggregation
from graphfsa.arrays import Array
from graphfsa.graphs import GraphBatch
from graphfsa.graphs.isomorphism import refine_colours
from graphfsa.graphs.refinement import combine, mix

NEVER = 2**31 - 1


def refine_once(graphs: GraphBatch, colours: Array, aggregation: Aggregation) -> Array:
    """One round of colour refinement that sees no more than an aggregation does, uint64.

    An automaton that counts up to a bound can't see how often a colour occurs beyond it: the bounded counts of states
    follow from the bounded counts of colours. For other aggregations, also those that extend counting and see something
    else, this is the usual refinement.
    """
    if not isinstance(aggregation, CountingAggregation) or type(aggregation).encode is not CountingAggregation.encode:
        return refine_colours(graphs, colours, 1)
    graph = graphs.graph
    targets, seen = graph.targets(), colours[graph.indices]
    order = np.lexsort((seen, targets))
    targets, seen = targets[order], seen[order]
    first = np.ones(len(seen), bool)
    first[1:] = (targets[1:] != targets[:-1]) | (seen[1:] != seen[:-1])
    starts = np.flatnonzero(first)
    counts = np.minimum(np.diff(np.r_[starts, len(seen)]), aggregation.bound)
    sums = np.zeros(graph.num_nodes, np.uint64)
    np.add.at(sums, targets[starts], combine(mix(seen[starts]), counts.astype(np.uint64)))
    return combine(mix(colours), sums)


def ripe_steps(graphs: GraphBatch, start: Array, target: Array, steps: int, aggregation: Aggregation) -> Array:
    """For each node the first step at which its colour occurs with one target only, int32; else ``NEVER``.

    What a node does in its first t steps follows from its colour after t rounds of refinement. Finer colours stay
    apart, so once a colour has one target it keeps it; and since final states are never left, it does not matter how
    many steps the graphs of the others have. Nodes without a target are ripe at once.

    Args:
        graphs: The graphs.
        start: Starting state of each node.
        target: Wanted final state of each node, -1 for none.
        steps: How many steps to look at, at most.
        aggregation: What the automata see.
    """
    ripe = np.where(target < 0, 0, NEVER).astype(np.int32)
    colours = start.astype(np.uint64)
    before = -1
    for step in range(steps + 1):
        waiting = np.flatnonzero(ripe == NEVER)
        kinds, kind = np.unique(colours, return_inverse=True)
        low, high = _spans(kind.reshape(-1), target, len(kinds))
        ripe[waiting[(low >= high)[kind.reshape(-1)[waiting]]]] = step
        if len(kinds) == before or not (ripe == NEVER).any():
            break  # The partition is stable: what is mixed now stays mixed.
        before = len(kinds)
        colours = refine_once(graphs, colours, aggregation)
    return ripe


def final_colours(graphs: GraphBatch, start: Array, steps: int, aggregation: Aggregation) -> Array:
    """Colours after this number of rounds, or when the partition is stable, uint64."""
    colours = start.astype(np.uint64)
    before = -1
    for _ in range(steps):
        kinds = len(np.unique(colours))
        if kinds == before:
            break
        before = kinds
        colours = refine_once(graphs, colours, aggregation)
    return colours


def only_targets(colours: Array, target: Array, mixed: int) -> dict[int, int]:
    """The target of each colour that has one; ``mixed`` for those with several."""
    counted = target >= 0
    kinds, kind = np.unique(colours[counted], return_inverse=True)
    low, high = _spans(kind.reshape(-1), target[counted], len(kinds))
    return dict(zip(kinds.tolist(), np.where(low == high, low, mixed).tolist(), strict=True))


def _spans(kind: Array, target: Array, count: int) -> tuple[Array, Array]:
    """The least and the largest target of each kind."""
    low, high = np.full(count, 2**15 - 1, np.int16), np.full(count, -1, np.int16)
    counted = target >= 0
    np.minimum.at(low, kind[counted], target[counted])
    np.maximum.at(high, kind[counted], target[counted])
    return low, high
