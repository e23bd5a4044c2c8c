"""What automata with a given aggregation can tell apart, however many states they have."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import numpy as np

from graphfsa.aggregations import Aggregation, CountingAggregation, LettersAggregation
from graphfsa.arrays import Array
from graphfsa.graphs import GraphBatch
from graphfsa.graphs.isomorphism import refine_colours
from graphfsa.graphs.refinement import combine, mix

NEVER = 2**31 - 1


@dataclass(frozen=True)
class Reduction:
    """Numbers of which no more is seen than this: below ``index`` all, from there on only the rest modulo ``period``.

    To count up to a bound is ``(bound, 1)``, to count modulo k ``(0, k)``.
    """

    index: int
    period: int

    def __call__(self, counts: Array) -> Array:
        """The numbers as they are seen."""
        beyond = self.index + (counts - self.index) % self.period
        return np.where(counts < self.index, counts, beyond)


Seen = Aggregation | Reduction
"""What automata see: an aggregation, or what is known of several."""


def reduction_of(aggregation: Aggregation) -> Reduction | None:
    """What of the number of neighbours in a state an aggregation can see; None for all, or if that is not known.

    Classes that extend a known one and see something else are not known.
    """
    if isinstance(aggregation, CountingAggregation) and type(aggregation).encode is CountingAggregation.encode:
        return Reduction(aggregation.bound, 1)
    if isinstance(aggregation, LettersAggregation) and type(aggregation).encode is LettersAggregation.encode:
        sums = aggregation.sums
        indices = [1 if part.kind == "highest" else part.limit for part in sums if part.kind != "modulo"]
        return Reduction(max([0, *indices]), lcm(*(part.limit for part in sums if part.kind == "modulo")))
    return None


def refine_once(graphs: GraphBatch, colours: Array, seen_by: Seen) -> Array:
    """One round of colour refinement that sees no more than an aggregation does, uint64.

    An automaton that counts up to a bound can't see how often a colour occurs beyond it: the bounded counts of states
    follow from the bounded counts of colours, and sums of letters from counts in the same way. Where nothing is known,
    this is the usual refinement.
    """
    reduction = seen_by if isinstance(seen_by, Reduction) else reduction_of(seen_by)
    if reduction is None:
        return refine_colours(graphs, colours, 1)
    graph = graphs.graph
    targets, seen = graph.targets(), colours[graph.indices]
    order = np.lexsort((seen, targets))
    targets, seen = targets[order], seen[order]
    first = np.ones(len(seen), bool)
    first[1:] = (targets[1:] != targets[:-1]) | (seen[1:] != seen[:-1])
    starts = np.flatnonzero(first)
    counts = reduction(np.diff(np.r_[starts, len(seen)]))
    # A colour that is seen 0 times, modulo the period, is not seen.
    starts, counts = starts[counts > 0], counts[counts > 0]
    sums = np.zeros(graph.num_nodes, np.uint64)
    np.add.at(sums, targets[starts], combine(mix(seen[starts]), counts.astype(np.uint64)))
    return combine(mix(colours), sums)


def ripe_steps(graphs: GraphBatch, start: Array, target: Array, steps: int, aggregation: Seen) -> Array:
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


def final_colours(graphs: GraphBatch, start: Array, steps: int, aggregation: Seen) -> Array:
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
