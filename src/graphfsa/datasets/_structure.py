"""What definitions of tasks share: marked nodes, the shape of graphs, shortest paths, and random trees.

A definition may be applied to any graph, so it refuses those for which it means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets._examples import check_column
from graphfsa.datasets._mazes import cell_parents
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch
from graphfsa.graphs.rooted import knows_family


def checked_inputs(task: Task, graphs: GraphBatch, inputs: Any) -> Array:
    """Input classes of a task, uint8, one for each node of the union."""
    return check_column("inputs", inputs, graphs.graph.num_nodes, np.uint8, len(task.inputs))


def marked_nodes(task: Task, graphs: GraphBatch, inputs: Array, mark: int | list[int], number: int = 1) -> Array:
    """The nodes with one of the given inputs, int64 [number of graphs, number]; each graph must have this number."""
    marks = [mark] if isinstance(mark, int) else mark
    names = " or ".join(task.inputs[one] for one in marks)
    wanted = f"{number} node{'s' * (number > 1)} with the input {names}"
    return _marked(wanted, task, graphs, np.isin(inputs, marks), number)


def roots_of(task: Task, graphs: GraphBatch, inputs: Array, marks: tuple[int, ...]) -> Array:
    """The root of each graph, int64: its one node that has one of the given inputs."""
    names = " or ".join(task.inputs[mark] for mark in marks)
    return _marked(f"one node with the input {names}", task, graphs, np.isin(inputs, marks), 1)[:, 0]


def shortest_paths(name: str, graphs: GraphBatch, roots: Array) -> Array:
    """``predecessors`` in graphs that must be undirected and connected."""
    if not graphs.graph.symmetric:
        raise GraphFSAError(f"{name} is defined on undirected graphs; got one with arcs that go one way")
    before = predecessors(graphs, roots)
    if (before < 0).any():
        where = _owner(graphs, np.flatnonzero(before < 0)[0])
        raise GraphFSAError(f"{name} is defined on connected graphs; graph {where} is not connected")
    return before


def check_trees(name: str, graphs: GraphBatch) -> None:
    """Raise unless each graph has as many edges as a tree; if it is also connected and undirected, it is one."""
    edges, sizes = np.diff(graphs.graph.indptr[graphs.offsets]), np.diff(graphs.offsets)
    wrong = np.flatnonzero(edges != 2 * (sizes - 1))
    if len(wrong):
        raise GraphFSAError(
            f"{name} is defined on trees; graph {wrong[0]} has {sizes[wrong[0]]} nodes and {edges[wrong[0]]} arcs"
        )


def check_rooted(name: str, graphs: GraphBatch) -> None:
    """Raise unless nodes of each tree see at most one parent, and are seen as a child from where they see one."""
    if not knows_family(graphs.graph):
        raise GraphFSAError(
            f"{name} is defined on rooted trees, whose arcs are of the kinds parent and child, with one parent for "
            "each node but one; see graphfsa.graphs.rooted"
        )


def places_on_paths(name: str, graphs: GraphBatch, roots: Array) -> Array:
    """Where each node comes if the paths are laid out one after the other from their roots, int64, from 0.

    The graphs must be paths with the root at one end; how their nodes are numbered does not matter.
    """
    check_trees(name, graphs)
    away = distances(shortest_paths(name, graphs, roots))
    places = away + np.repeat(graphs.offsets[:-1], np.diff(graphs.offsets))
    # A tree is a path with its root at one end exactly if no two nodes are equally far away.
    twice = np.flatnonzero(np.bincount(places, minlength=len(places)) != 1)
    if len(twice):
        where = _owner(graphs, twice[0])
        raise GraphFSAError(f"{name} is defined on paths with the root at one end; graph {where} is not one")
    return places


def path_ends(name: str, graph: Graph) -> Array:
    """The two ends of a path, or its only node."""
    degrees = graph.degrees
    ends = np.flatnonzero(degrees <= 1)
    if not graph.num_nodes or len(ends) != min(graph.num_nodes, 2) or graph.num_arcs != 2 * (graph.num_nodes - 1):
        raise GraphFSAError(f"{name} is defined on paths; got {graph}")
    return ends


def _marked(wanted: str, task: Task, graphs: GraphBatch, chosen: Array, number: int) -> Array:
    nodes = np.flatnonzero(chosen)
    counts = np.bincount(_owner(graphs, nodes), minlength=len(graphs))
    wrong = np.flatnonzero(counts != number)
    if len(wrong):
        raise GraphFSAError(f"{task.name} needs {wanted} in each graph; graph {wrong[0]} has {counts[wrong[0]]}")
    return nodes.reshape(len(graphs), number)


def _owner(graphs: GraphBatch, nodes: Array) -> Array:
    """The graph of some nodes of the union."""
    return np.searchsorted(graphs.offsets, nodes, side="right") - 1


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
            earlier node: flat), ``deep`` (below one of the last three: nearly a path) or ``maze`` (the free cells of a
            maze).
        size: Number of nodes.
        count: Number of trees.
        rng: Source of randomness.
    """
    nodes = np.arange(1, max(size, 1))
    if kind == "uniform":
        parents = np.minimum(rng.integers(0, max(size, 1), (count, len(nodes))), nodes - 1)
    elif kind == "recursive":
        parents = rng.integers(0, np.tile(nodes, (count, 1)))
    elif kind == "maze":
        parents = np.array([cell_parents(size, rng) for _ in range(count)], np.int64).reshape(count, -1)
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
    pairs = np.concatenate((edges, more[more[:, 0] != more[:, 1]]))
    # As one number each, pairs are sorted many times as fast.
    total = max(1, size * count)
    numbers = np.sort(pairs.min(axis=1) * total + pairs.max(axis=1))
    numbers = numbers[np.diff(numbers, prepend=-1) > 0]
    return GraphBatch.from_edges(np.full(count, size), np.stack((numbers // total, numbers % total), axis=1))


def paths(size: int, count: int) -> GraphBatch:
    """``count`` paths of ``size`` nodes."""
    edges = np.stack((np.arange(size - 1), np.arange(1, size)), axis=1)
    return GraphBatch.repeat(Graph.from_edges(size, edges), count)
