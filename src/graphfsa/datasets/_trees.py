"""Many graphs of one size at once, and shortest paths in all of them together."""

from __future__ import annotations

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs import Graph, GraphBatch


def parents_to_edges(parents: Array) -> Array:
    """Edges between nodes of the union of trees, [edges, 2]; node ``i + 1`` of a tree hangs below ``parents[:, i]``."""
    count, size = len(parents), parents.shape[1] + 1
    first = (np.arange(count) * size)[:, None]
    children = first + np.arange(1, size)
    return np.stack((children.reshape(-1), (first + parents).reshape(-1)), axis=1)


def relabelled(edges: Array, size: int, count: int, rng: np.random.Generator) -> Array:
    """The same edges after a uniform relabelling of the nodes within each graph."""
    labels = rng.permuted(np.tile(np.arange(size), (count, 1)), axis=1) + (np.arange(count) * size)[:, None]
    return labels.reshape(-1)[edges]


def tree_edges(kind: str, size: int, count: int, rng: np.random.Generator) -> Array:
    """Edges of ``count`` random trees of ``size`` nodes, between nodes of their union.

    Args:
        kind: ``uniform`` over labelled trees (Aldous: node i hangs below min(U, i - 1)), ``recursive`` (below any
            earlier node: flat) or ``deep`` (below one of the last three: nearly a path).
        size: Number of nodes.
        count: Number of trees.
        rng: Source of randomness.
    """
    nodes = np.arange(1, max(size, 1))
    if kind == "uniform":
        parents = np.minimum(rng.integers(0, max(size, 1), (count, len(nodes))), nodes - 1)
    elif kind == "recursive":
        parents = rng.integers(0, np.tile(nodes, (count, 1)))
    else:
        parents = rng.integers(np.maximum(0, nodes - 3), np.tile(nodes, (count, 1)))
    return relabelled(parents_to_edges(parents), size, count, rng)


def predecessors(graphs: GraphBatch, roots: Array) -> Array:
    """The node before each node on a shortest path from its root, int64; a root is its own, -1 means not reached.

    Args:
        graphs: Undirected graphs.
        roots: One node of the union for each graph.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    n = graphs.graph.num_nodes
    # One more node that sees all roots makes one search of all of them.
    indptr = np.r_[graphs.graph.indptr, graphs.graph.num_arcs + len(roots)]
    indices = np.r_[graphs.graph.indices, roots].astype(np.int32)
    matrix = csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(n + 1, n + 1))
    _, before = breadth_first_order(matrix, n, directed=True, return_predecessors=True)
    before = before[:n].astype(np.int64)
    before[before < -1] = -1
    before[roots] = roots
    return before


def distances(before: Array) -> Array:
    """Length of the shortest path to the root, int64, from the predecessors; all nodes must have been reached.

    Each round doubles the stretch of the path that a node has counted, so there are logarithmically many rounds.
    """
    ahead = before.copy()
    length = (before != np.arange(len(before))).astype(np.int64)
    while True:
        further = length[ahead]
        if not further.any():
            return length
        length += further
        ahead = ahead[ahead]


def with_extra_edges(edges: Array, size: int, count: int, extra: int, rng: np.random.Generator) -> GraphBatch:
    """Trees with up to ``extra`` more random edges each; an edge that is there already, or a loop, is not added."""
    first = np.repeat(np.arange(count) * size, extra)
    more = rng.integers(0, size, (count * extra, 2)) + first[:, None]
    pairs = np.sort(np.concatenate((edges, more[more[:, 0] != more[:, 1]])), axis=1)
    return GraphBatch.from_edges(np.full(count, size), np.unique(pairs, axis=0))


def paths(size: int, count: int) -> GraphBatch:
    """``count`` paths of ``size`` nodes."""
    edges = np.stack((np.arange(size - 1), np.arange(1, size)), axis=1)
    return GraphBatch.repeat(Graph.from_edges(size, edges), count)
