"""Which graphs with coloured nodes are the same up to the numbering of their nodes.

Hashes decide quickly and only suggest: two graphs are called isomorphic when a numbering that makes them equal was
found, arc by arc, and different when there is none. Arcs have a direction, count as often as they occur, and keep their
slots.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.errors import GraphError
from graphfsa.graphs._numbering import Numbered, good_order, search
from graphfsa.graphs._refinement import Refinement, combine, ragged, segment_sums, starts_of_runs
from graphfsa.graphs.batch import GraphBatch
from graphfsa.graphs.graph import Graph


def refine_colours(graphs: GraphBatch, colours: ArrayLike, rounds: int | None = None) -> Array:
    """Colour refinement (1-WL) along in-arcs, which is all that an automaton can ever see.

    After ``k`` rounds two nodes, of whichever graphs, have the same colour exactly if no automaton that starts from the
    given colours can have them in different states after ``k`` steps (up to collisions of 64-bit hashes). Colours are
    the same on every machine; they can be compared within one call, not between calls.

    Args:
        graphs: The graphs.
        colours: Whole numbers, one for each node of the union.
        rounds: Number of rounds; by default until the partition is stable.

    Returns:
        The refined colours, uint64 [num_nodes].

    Example:
        >>> path = GraphBatch.of([Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])])
        >>> a, b, c, d = refine_colours(path, [0, 0, 0, 0]).tolist()
        >>> a == d, b == c, a == b
        (True, True, False)
    """
    if rounds is not None and rounds < 0:
        raise GraphError(f"rounds must be at least 0; got {rounds}")
    base = _colours(colours, graphs.graph.num_nodes)
    refinement = Refinement(graphs.graph, base, np.zeros(len(base), np.int64), both=False)
    refinement.refine(rounds)
    return refinement.colour


def graph_keys(graphs: GraphBatch, colours: ArrayLike) -> Array:
    """A hash of each graph with its colours, uint64; those of isomorphic graphs are equal, on every machine.

    The key of a graph does not depend on the others, so keys of different calls can be compared.

    Args:
        graphs: The graphs.
        colours: Whole numbers, one for each node of the union.
    """
    base = _colours(colours, graphs.graph.num_nodes)
    refinement = Refinement(graphs.graph, base, graphs.owners, both=True)
    refinement.refine()
    # The last signatures belong to it: in a regular graph no class is ever divided.
    seen = refinement.signatures(np.arange(graphs.graph.num_nodes))
    sums = segment_sums(combine(refinement.colour, seen), graphs.offsets)
    return combine(sums, np.diff(graphs.offsets))


def isomorphic(left: Graph, left_colours: ArrayLike, right: Graph, right_colours: ArrayLike) -> bool:
    """Whether some numbering of the nodes turns one graph with its colours into the other; exact.

    Trees and most other graphs take a few milliseconds. Large graphs with many nodes that refinement cannot tell apart
    though they are different (strongly regular ones, for example) can take very long.

    Args:
        left: A graph.
        left_colours: Whole numbers, one for each of its nodes.
        right: Another graph.
        right_colours: Whole numbers, one for each of its nodes.

    Example:
        >>> triangles = Graph.from_edges(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
        >>> hexagon = Graph.from_edges(6, [(k, (k + 1) % 6) for k in range(6)])
        >>> isomorphic(triangles, [0] * 6, hexagon, [0] * 6)
        False
    """
    base = np.r_[_colours(left_colours, left.num_nodes), _colours(right_colours, right.num_nodes)]
    if (left.num_nodes, left.num_arcs, left.slots is None) != (right.num_nodes, right.num_arcs, right.slots is None):
        return False
    return bool(duplicate_groups(GraphBatch.of([left, right]), base)[1] == 0)


def duplicate_groups(graphs: GraphBatch, colours: ArrayLike) -> Array:
    """For each graph, the index of the first graph that is isomorphic to it with its colours, int64; exact.

    Args:
        graphs: The graphs.
        colours: Whole numbers, one for each node of the union.
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
    numbered = Numbered(graphs, base, good_order(graphs, base))
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
    return search(pair, np.r_[base[parts[0]], base[parts[1]]])


def _colours(colours: ArrayLike, num_nodes: int) -> Array:
    array = np.asarray(colours)
    if array.shape != (num_nodes,):
        raise GraphError(f"colours must have one entry per node, {num_nodes}; got shape {list(array.shape)}")
    if array.size and array.dtype.kind not in "iub":
        raise GraphError(f"colours must be whole numbers; got {array.dtype}")
    return array.astype(np.uint64)
