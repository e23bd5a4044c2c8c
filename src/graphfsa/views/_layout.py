"""Where each node of a graph is drawn, the same for every kind of picture and at every step.

Cells of lattices have their places; of other graphs, distances in the picture are like distances in the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs import Graph

Kind = Literal["line", "grid", "hex", "graph"]
ROW_DISTANCE = float(np.sqrt(0.75))
"""The distance of the rows of a hexagonal lattice whose cells are 1 apart."""
_ROUNDS = 300
_FEWEST = 25
_WORK = 4 * 10**7
"""Large graphs get fewer rounds: the first ones matter most."""


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """How a graph is drawn.

    Attributes:
        kind: ``line``: cells in a row, drawn over time; ``grid`` and ``hex``: cells of a lattice; ``graph``: nodes and
            arcs.
        height: Number of rows of cells; 0 for a graph.
        width: Number of columns of cells; 0 for a graph.
        points: Centre of each node of a graph or cell of a hexagonal lattice, float64 [num_nodes, 2], y downwards;
            None for lines and square cells, which follow from the number of the node.
        spacing: Median distance of a node of a graph to the nearest other node; 0 if there is no other.
    """

    kind: Kind
    height: int
    width: int
    points: Array | None = None
    spacing: float = 0.0


def layout_kind(graph: Graph) -> Kind:
    """How a graph will be drawn; costs little, so that limits can be checked first."""
    lattice = graph.lattice
    if lattice is not None:
        return "line" if lattice.height == 1 else "hex" if lattice.kind == "hex" else "grid"
    return "line" if _in_a_row(graph) else "graph"


def graph_layout(graph: Graph, kind: Kind | None = None) -> GraphLayout:
    """Where the nodes of a graph are drawn; for a graph that is no lattice that takes a moment.

    Args:
        graph: The graph.
        kind: How to draw it, if not as ``layout_kind`` says.
    """
    kind, lattice = kind or layout_kind(graph), graph.lattice
    if kind == "line":
        return GraphLayout("line", 1, graph.num_nodes)
    if lattice is None or kind == "graph":
        points = node_positions(graph)
        return GraphLayout("graph", 0, 0, points, _spacing(points))
    if kind == "grid":
        return GraphLayout("grid", lattice.height, lattice.width)
    rows, columns = np.divmod(np.arange(lattice.num_cells), lattice.width)
    points = np.stack([columns + 0.5 * (rows % 2), rows * ROW_DISTANCE], axis=1)
    return GraphLayout("hex", lattice.height, lattice.width, points)


def _spacing(points: Array) -> float:
    from scipy.spatial import KDTree

    return float(np.median(KDTree(points).query(points, k=2)[0][:, 1])) if len(points) > 1 else 0.0


def _in_a_row(graph: Graph) -> bool:
    """Whether the edges are those from each node to the next one in number, and perhaps from the last to the first."""
    count = graph.num_nodes
    if count < 3 or graph.num_arcs > 2 * count or graph.num_arcs < count - 1:
        return False
    sources, targets = graph.indices.astype(np.int64), graph.targets().astype(np.int64)
    edges = np.unique(np.minimum(sources, targets) * count + np.maximum(sources, targets))
    row = np.arange(count - 1) * (count + 1) + 1  # The edge from k to k + 1 is k * count + k + 1.
    return np.array_equal(edges, row) or np.array_equal(edges, np.sort(np.r_[row, count - 1]))


def node_positions(graph: Graph) -> Array:
    """Positions of the nodes, float64 [num_nodes, 2], y downwards, always the same for a graph.

    Stress majorisation from a start by classical scaling; parts that are not connected are placed apart. Time and
    memory grow with the square of the number of nodes.
    """
    count = graph.num_nodes
    if count < 2:
        return np.zeros((count, 2))
    wanted = _distances(graph)
    places = _scaled(wanted)
    weights = np.zeros_like(wanted)
    np.divide(1.0, wanted**2, out=weights, where=wanted > 0)
    total = weights.sum(axis=1, keepdims=True)
    forces = weights * wanted
    for _ in range(min(_ROUNDS, max(_FEWEST, _WORK // count**2))):
        pull = forces / _lengths(places)
        moved = (weights @ places + pull.sum(axis=1, keepdims=True) * places - pull @ places) / total
        step = np.abs(moved - places).max()
        places = moved
        if step < 1e-4:
            break
    return _turned(places) * (1, -1)


def _lengths(places: Array) -> Array:
    """How far apart the nodes are drawn, [num_nodes, num_nodes]."""
    norms = (places**2).sum(axis=1)
    squares = norms[:, None] + norms - 2 * (places @ places.T)
    return np.sqrt(np.maximum(squares, 1e-18, out=squares), out=squares)


def _distances(graph: Graph) -> Array:
    """Steps from node to node along arcs in either direction; where there is no way, parts stay a bit apart."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import shortest_path

    arcs = (np.ones(graph.num_arcs), (graph.targets(), graph.indices))
    matrix = csr_matrix(arcs, shape=(graph.num_nodes, graph.num_nodes))
    steps = np.asarray(shortest_path(matrix, directed=False, unweighted=True))
    joined = np.isfinite(steps)
    reach = np.where(joined, steps, 0).max(axis=1)  # How far the farthest node of the same part is.
    radius = np.where(joined, reach, 0).max(axis=1) / 2
    return np.where(joined, steps, radius[:, None] + radius + 1.5)


def _scaled(wanted: Array) -> Array:
    """The best two dimensions for the squared distances; a little noise keeps nodes from falling together."""
    centred = wanted**2 - (wanted**2).mean(axis=0)
    centred = -(centred - centred.mean(axis=1, keepdims=True)) / 2
    from scipy.linalg import eigh

    last = len(centred) - 1
    values, vectors = eigh(centred, subset_by_index=(last - 1, last))
    places = _pointed(vectors) * np.sqrt(np.maximum(values, 1e-6))
    return places + np.random.default_rng(0).normal(0, 0.05, places.shape)


def _turned(places: Array) -> Array:
    """Turned so that the longest direction is horizontal."""
    centred = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    return centred @ _pointed(axes.T)


def _pointed(vectors: Array) -> Array:
    """Columns that may point either way, each with its largest part positive: the same on every machine."""
    return vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), [0, 1]])
