"""Numberings of the nodes that isomorphic graphs tend to share, and the search for one when they do not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs._refinement import Refinement, combine, mix, ragged, segment_sums, starts_of_runs
from graphfsa.graphs.batch import GraphBatch


class Numbered:
    """Graphs whose nodes were given new numbers, ready to be compared.

    Args:
        graphs: The graphs.
        base: Colour of each node, uint64.
        order: Integers [num_nodes]: within each graph, nodes are numbered by rising entries.

    Attributes:
        hashes: A hash of each graph as it is numbered, uint64 [number of graphs].
    """

    def __init__(self, graphs: GraphBatch, base: Array, order: Array) -> None:
        union, owner = graphs.graph, graphs.owners
        self._offsets = graphs.offsets
        self._bounds = union.indptr[graphs.offsets]
        by_number = np.lexsort((order, owner))
        place = np.empty(union.num_nodes, np.int64)
        place[by_number] = np.arange(union.num_nodes) - graphs.offsets[owner]
        self._nodes = base[by_number]
        targets = union.targets()
        arcs = (place[targets] << 32) + place[union.indices]
        slots = np.zeros(union.num_arcs, np.uint8) if union.slots is None else union.slots
        by_arc = np.lexsort((slots, arcs, owner[targets]))
        self._arcs, self._slots = arcs[by_arc], slots[by_arc]
        nodes = combine(self._nodes, np.arange(union.num_nodes) - graphs.offsets[owner])
        links = combine(mix(self._arcs), self._slots)
        self.hashes = segment_sums(nodes, self._offsets) + segment_sums(links, self._bounds)

    def equal(self, others: Array) -> Array:
        """Whether each graph, as it is numbered, equals the graph with the given index in all nodes, arcs and slots."""
        same = np.ones(len(others), bool)
        for bounds, columns in ((self._offsets, (self._nodes,)), (self._bounds, (self._arcs, self._slots))):
            lengths = np.diff(bounds)
            same &= lengths == lengths[others]
            # Graphs of other sizes are compared with themselves, to keep the two lists in step.
            theirs = ragged(np.where(same, bounds[:-1][others], bounds[:-1]), lengths)
            for column in columns:
                same &= segment_sums((column != column[theirs]).astype(np.int64), bounds) == 0
        return same


def good_order(graphs: GraphBatch, base: Array) -> Array:
    """An order of the nodes within each graph that depends on its form alone, as far as that is cheap.

    Classes that refinement leaves undivided are divided by choosing nodes. Where nodes of a class can be exchanged (in
    every tree, for example) isomorphic graphs get the same numbering whichever is chosen; elsewhere chance decides.

    Returns:
        uint64 [num_nodes], distinct within each graph.
    """
    owner = graphs.owners
    refinement = Refinement(graphs.graph, base, owner, both=True)
    refinement.refine()
    for closed in (False, True):
        refinement.refine(changed=_divide_twins(refinement, closed))
    while True:
        open_nodes = np.flatnonzero(refinement.sizes[refinement.cls] > 1)
        if not len(open_nodes):
            return refinement.colour
        sizes = refinement.sizes[refinement.cls[open_nodes]]
        ranked = open_nodes[np.lexsort((refinement.colour[open_nodes], sizes, owner[open_nodes]))]
        chosen = ranked[starts_of_runs(owner[ranked])]
        refinement.refine(changed=refinement.divide(chosen, np.zeros(len(chosen), np.uint64)))


def _divide_twins(refinement: Refinement, closed: bool) -> Array:
    """Put nodes of one class with the very same neighbours into different classes: any of them can be any other."""
    nodes = np.arange(len(refinement.cls))
    marks = mix(nodes)
    seen = refinement.sums(nodes, marks)
    if closed:
        # Twins that see each other, as in a complete graph, are alike once each sees itself too.
        seen += mix(marks)
    order = np.lexsort((seen, refinement.cls))
    starts = starts_of_runs(refinement.cls[order], seen[order])
    rank = np.empty(len(nodes), np.uint64)
    rank[order] = nodes - np.repeat(starts, np.diff(np.r_[starts, len(nodes)]))
    return refinement.divide(nodes, rank)


def search(pair: GraphBatch, base: Array) -> bool:
    """Whether two graphs with as many nodes and arcs are isomorphic, by trying all that refinement allows."""
    root = Refinement(pair.graph, base, np.zeros(len(base), np.int64), both=True)
    root.refine()
    middle = int(pair.offsets[1])
    stack: list[Iterator[Refinement]] = [iter([root])]
    while stack:
        state = next(stack[-1], None)
        if state is None:
            stack.pop()
        elif _balanced(state, middle):
            if (state.sizes[state.cls] > 2).any():
                stack.append(_choices(state, middle))
            elif Numbered(pair, base, state.cls).equal(np.zeros(2, np.int64))[1]:
                return True
    return False


def _balanced(state: Refinement, middle: int) -> bool:
    """Whether every class has as many nodes on the left as on the right."""
    left, right = state.cls[:middle], state.cls[middle:]
    return np.array_equal(np.bincount(left, minlength=2 * middle), np.bincount(right, minlength=2 * middle))


def _choices(state: Refinement, middle: int) -> Iterator[Refinement]:
    """A node on the left, of the smallest class where there is a choice, matched with each it may be on the right."""
    sizes = state.sizes[state.cls[:middle]]
    node = int(np.argmin(np.where(sizes > 2, sizes, np.iinfo(np.int64).max)))
    for other in np.flatnonzero(state.cls[middle:] == state.cls[node]) + middle:
        child = state.copy()
        child.refine(changed=child.divide(np.array([node, other]), np.zeros(2, np.uint64)))
        yield child
