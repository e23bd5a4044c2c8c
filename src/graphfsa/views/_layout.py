"""Where to draw the nodes of a small graph: distances on paper like distances in the graph."""

from __future__ import annotations

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs import Graph

_ROUNDS = 300
_FEWEST = 25
_WORK = 4 * 10**7
"""Large graphs get fewer rounds: the first ones matter most."""


def layout(graph: Graph) -> Array:
    """Positions of the nodes, float64 [num_nodes, 2], always the same for a graph.

    Stress majorisation from a start by classical scaling; parts that are not connected are put apart. Time and memory
    grow with the square of the number of nodes.
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
    return _turned(places)


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
