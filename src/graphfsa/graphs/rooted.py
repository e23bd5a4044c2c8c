"""Rooted trees: trees whose nodes tell their parent from their children."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import GraphError
from graphfsa.graphs.batch import GraphBatch
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.graph import Graph

FAMILY = ("parent", "child")
"""The kinds of arcs of a rooted tree: a node sees its parent by the first, its children by the second."""


def rooted(tree: GraphLike, root: Hashable) -> Graph:
    """A tree whose nodes see their parent and their children apart, by the kinds ``parent`` and ``child``.

    Args:
        tree: An undirected tree, of ours, NetworkX, SciPy or PyG; its slots and kinds are left out.
        root: The name (or number, if nodes have no names) of the node without a parent.

    Example:
        >>> import networkx as nx
        >>> tree = rooted(nx.path_graph(3), root=1)
        >>> tree.neighbours(1, "child").tolist(), tree.neighbours(0, "parent").tolist()
        ([0, 2], [1])
    """
    tree = as_graph(tree)
    node = tree.node_index(root)
    if not tree.symmetric or tree.num_arcs != 2 * (tree.num_nodes - 1):
        raise GraphError(f"only a tree can have a root: an undirected graph with one edge less than nodes; got {tree}")
    depth = depths(tree, np.array([node]))
    if (depth < 0).any():
        raise GraphError("only a tree can have a root; in this graph some nodes can't be reached from it")
    return _with_family(tree, depth).with_names(tree.node_names)


def rooted_batch(trees: GraphBatch, roots: Array) -> GraphBatch:
    """Each tree of a union with a root of its own.

    Args:
        trees: Undirected trees.
        roots: The root of each tree, as a node of the union.
    """
    return GraphBatch(_with_family(trees.graph, depths(trees.graph, roots)), trees.offsets, trees.node_names)


def knows_family(graph: Graph) -> bool:
    """Whether all arcs are of the kinds parent and child, a node has at most one parent and is that parent's child."""
    if not graph.num_arcs:
        return True
    if graph.kinds is None or graph.slots is None or not {*FAMILY} <= {*graph.kinds} or not graph.symmetric:
        return False
    up, down = (graph.slots == graph.kinds.index(kind) for kind in FAMILY)
    parents = np.bincount(graph.targets()[up], minlength=graph.num_nodes)
    # Arcs are in the order of their targets; in the order of their sources come those that lead back.
    back = np.lexsort((graph.targets(), graph.indices))
    return bool((up | down).all() and (up[back] == down).all() and (parents <= 1).all())


def depths(graph: Graph, roots: Array) -> Array:
    """How far each node is from the next root, int64; -1 where none can be reached."""
    indptr, indices = graph.indptr, graph.indices
    depth = np.full(graph.num_nodes, -1, np.int64)
    front, distance = np.unique(roots), 0
    while len(front):
        depth[front] = distance
        starts, lengths = indptr[front], indptr[front + 1] - indptr[front]
        arcs = np.arange(lengths.sum()) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
        near = np.unique(indices[arcs])
        front, distance = near[depth[near] < 0], distance + 1
    return depth


def _with_family(graph: Graph, depth: Array) -> Graph:
    slots = (depth[graph.indices] > depth[graph.targets()]).astype(np.int64)
    return Graph(graph.indptr, graph.indices, slots, FAMILY)
