"""Which graphs with coloured nodes are the same up to the numbering of their nodes.

Hashes decide quickly and only suggest: two graphs are called isomorphic when a numbering that makes them equal was
found, arc by arc, and different when there is none. Arcs have a direction, count as often as they occur, and keep their
slots.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.checks import check_integer
from graphfsa.errors import GraphError
from graphfsa.graphs.batch import GraphBatch
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.refinement import Refinement, combine, mix, ragged, segment_sums, starts_of_runs


def refine_colours(graphs: GraphBatch, colours: ArrayLike, rounds: int | None = None) -> Array:
    """Colour refinement (1-WL) along in-arcs, which is all that an automaton can ever see.

    After ``k`` rounds two nodes, of whichever graphs, have the same colour exactly if no automaton that starts from the
    given colours can have them in different states after ``k`` steps (up to collisions of 64-bit hashes). Colours are
    the same on every machine; they can be compared within one call, not between calls.

    Args:
        graphs: The graphs.
        colours: Integers, one for each node of the union.
        rounds: Number of rounds; by default until the partition is stable.

    Returns:
        The refined colours, uint64 [num_nodes].

    Example:
        >>> from graphfsa.graphs import Graph
        >>> path = GraphBatch.of([Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])])
        >>> a, b, c, d = refine_colours(path, [0, 0, 0, 0]).tolist()
        >>> a == d, b == c, a == b
        (True, True, False)
    """
    if rounds is not None:
        check_integer("rounds", rounds, error=GraphError)
    base = _colours(colours, graphs.graph.num_nodes)
    refinement = Refinement(graphs.graph, base, np.zeros(len(base), np.int64), both=False)
    refinement.refine(rounds)
    return refinement.colour


def graph_keys(graphs: GraphBatch, colours: ArrayLike) -> Array:
    """A hash of each graph with its colours, uint64; those of isomorphic graphs are equal, on every machine.

    The key of a graph does not depend on the others, so keys of different calls can be compared.

    Args:
        graphs: The graphs.
        colours: Integers, one for each node of the union.
    """
    base = _colours(colours, graphs.graph.num_nodes)
    refinement = Refinement(graphs.graph, base, graphs.owners, both=True)
    refinement.refine()
    # The last signatures belong to it: in a regular graph no class is ever divided.
    seen = refinement.signatures(np.arange(graphs.graph.num_nodes))
    sums = segment_sums(combine(refinement.colour, seen), graphs.offsets)
    return combine(sums, np.diff(graphs.offsets))


def isomorphic(left: GraphLike, left_colours: ArrayLike, right: GraphLike, right_colours: ArrayLike) -> bool:
    """Whether some numbering of the nodes turns one graph with its colours into the other; exact.

    Trees and most other graphs take a few milliseconds. Large graphs with many nodes that refinement cannot tell apart
    though they are different (strongly regular ones, for example) can take very long.

    Args:
        left: A graph.
        left_colours: Integers, one for each of its nodes.
        right: Another graph.
        right_colours: Integers, one for each of its nodes.

    Example:
        >>> from graphfsa.graphs import Graph
        >>> triangles = Graph.from_edges(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
        >>> hexagon = Graph.from_edges(6, [(k, (k + 1) % 6) for k in range(6)])
        >>> isomorphic(triangles, [0] * 6, hexagon, [0] * 6)
        False
    """
    left, right = as_graph(left), as_graph(right)
    base = np.r_[_colours(left_colours, left.num_nodes), _colours(right_colours, right.num_nodes)]
    if (left.num_nodes, left.num_arcs, left.slots is None) != (right.num_nodes, right.num_arcs, right.slots is None):
        return False
    if (left.kinds is None) != (right.kinds is None):
        return False
    return bool(duplicate_groups(GraphBatch.of([left, right]), base)[1] == 0)


def duplicate_groups(graphs: GraphBatch, colours: ArrayLike) -> Array:
    """For each graph, the index of the first graph that is isomorphic to it with its colours, int64; exact.

    Args:
        graphs: The graphs.
        colours: Integers, one for each node of the union.
    """
    base = _colours(colours, graphs.graph.num_nodes)
    keys = graph_keys(graphs, base)
    _, number, counts = np.unique(keys, return_inverse=True, return_counts=True)
    first = np.arange(len(graphs))
    chosen = np.flatnonzero(counts[number] > 1)
    if len(chosen):
        nodes = ragged(graphs.offsets[:-1][chosen], np.diff(graphs.offsets)[chosen])
        first[chosen] = chosen[_group(graphs.select(chosen), base[nodes], keys[chosen])]
    return first


def _group(graphs: GraphBatch, base: Array, keys: Array) -> Array:
    """The first isomorphic graph of each, where equal keys already suggest which."""
    numbered = _Numbered(graphs, base, _good_order(graphs, base))
    order = np.lexsort((numbered.hashes, keys))
    starts = starts_of_runs(keys[order], numbered.hashes[order])
    first = np.empty(len(keys), np.int64)
    first[order] = np.repeat(order[starts], np.diff(np.r_[starts, len(order)]))
    first = np.where(numbered.equal(first), first, np.arange(len(first)))
    # Graphs with equal keys and different numberings are left: either they differ, or chance numbered them differently.
    meant = np.arange(len(first))
    different: dict[int, list[int]] = {}
    for leader in np.unique(first).tolist():
        rivals = different.setdefault(int(keys[leader]), [])
        same = next((rival for rival in rivals if _same(graphs, base, rival, leader)), None)
        if same is None:
            rivals.append(leader)
        else:
            meant[leader] = same
    return meant[first]


def _same(graphs: GraphBatch, base: Array, left: int, right: int) -> bool:
    parts = [slice(graphs.offsets[place], graphs.offsets[place + 1]) for place in (left, right)]
    pair = graphs.select([left, right])
    if pair.offsets[2] != 2 * pair.offsets[1] or pair.graph.num_arcs != 2 * pair.graph.indptr[pair.offsets[1]]:
        return False
    return _search(pair, np.r_[base[parts[0]], base[parts[1]]])


def _colours(colours: ArrayLike, num_nodes: int) -> Array:
    array = np.asarray(colours)
    if array.shape != (num_nodes,):
        raise GraphError(f"colours must have one entry per node, {num_nodes}; got shape {list(array.shape)}")
    if array.size and array.dtype.kind not in "iub":
        raise GraphError(f"colours must be integers; got {array.dtype}")
    return array.astype(np.uint64)


class _Numbered:
    """Graphs whose nodes were given new numbers, ready to be compared.

    Args:
        graphs: The graphs.
        base: Colour of each node, uint64.
        order: Integers [num_nodes]: within each graph, nodes are numbered in the order of these entries.

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


def _good_order(graphs: GraphBatch, base: Array) -> Array:
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


def _search(pair: GraphBatch, base: Array) -> bool:
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
            elif _Numbered(pair, base, state.cls).equal(np.zeros(2, np.int64))[1]:
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
