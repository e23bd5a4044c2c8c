"""Random regular graphs: every node has the same number of neighbours."""

from __future__ import annotations

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import GraphError
from graphfsa.graphs.families import _check
from graphfsa.graphs.graph import Graph

_REPAIR_ROUNDS = 200
_SMALL_DEGREE = 4
_SMALL_STUBS = 2000


def random_regular(n: int, degree: int, rng: np.random.Generator) -> Graph:
    """A random simple graph in which every node has ``degree`` neighbours.

    Each node gets ``degree`` stubs and the stubs are paired at random. A pairing without self-loops and repeated edges
    is a uniform draw: small graphs of degree 4 and less are paired until there is one. Otherwise the few faulty edges
    are switched with random other edges, which keeps all degrees and is close to uniform for a fixed degree and many
    nodes. The graph need not be connected (for degrees of 3 and more it almost always is).

    Args:
        n: Number of nodes, more than ``degree``; even if ``degree`` is odd.
        degree: Number of neighbours of every node.
        rng: Source of randomness.
    """
    degree = _check.integer("degree", degree)
    n = _check.size(f"{degree}-regular", n, minimum=degree + 1)
    if n * degree % 2:
        raise GraphError(f"{degree}-regular needs an even number of nodes; got {n}, try {n - 1} or {n + 1}")
    _check.arcs(f"a {degree}-regular graph", n * degree, _check.MAX_ARCS // max(degree, 1))
    if 2 * degree > n - 1:
        # Switching needs room: of a dense graph, draw the edges that are missing.
        return _complement(random_regular(n, n - 1 - degree, rng), degree)
    # About one pairing in exp((degree^2 - 1) / 4) is simple: waiting for one is cheap only for small degrees.
    sound = _simple if degree <= _SMALL_DEGREE and n * degree <= _SMALL_STUBS else _repair
    stubs = np.repeat(np.arange(n), degree)
    while True:
        ends = rng.permutation(stubs).reshape(2, -1)
        if sound(n, ends, rng):
            return _check.undirected(n, *ends)


def _complement(graph: Graph, degree: int) -> Graph:
    n = graph.num_nodes
    present = ~np.eye(n, dtype=bool)
    present[graph.targets(), graph.indices] = False
    result = Graph(np.arange(n + 1) * degree, np.nonzero(present)[1])
    result.cached("symmetric", lambda: True)
    return result


def _simple(n: int, ends: Array, rng: np.random.Generator) -> bool:
    """Whether there are no self-loops and no repeated edges."""
    if (ends[0] == ends[1]).any():
        return False
    keys = np.sort(_check.pair_keys(n, *ends))
    return not (keys[1:] == keys[:-1]).any()


def _repair(n: int, ends: Array, rng: np.random.Generator) -> bool:
    """Switch faulty edges away, in place. False if some remain: in a tiny graph there may be no switch that helps."""
    for _ in range(_REPAIR_ROUNDS):
        keys = _check.pair_keys(n, *ends)
        taken = np.sort(keys)
        faulty = _faulty(ends, keys, taken)
        if not len(faulty):
            return True
        _switch(n, ends, faulty, taken, rng)
    return False


def _faulty(ends: Array, keys: Array, taken: Array) -> Array:
    """Positions of the self-loops and, of each set of equal edges, of all but the first."""
    loops = np.flatnonzero(ends[0] == ends[1])
    repeated = np.unique(taken[1:][taken[1:] == taken[:-1]])
    # Only the few repeated edges are sorted by position; sorting all of them that way would cost as much as the graph.
    copies = np.flatnonzero(np.isin(keys, repeated)) if len(repeated) else loops[:0]
    copies = copies[np.argsort(keys[copies], kind="stable")]
    later = copies[1:][keys[copies[1:]] == keys[copies[:-1]]]
    return np.union1d(loops, later)


def _switch(n: int, ends: Array, faulty: Array, taken: Array, rng: np.random.Generator) -> None:
    """Replace a faulty edge ``a - b`` and a random sound edge ``c - d`` by ``a - d`` and ``c - b`` if both are new."""
    partners = rng.choice(ends.shape[1], len(faulty), replace=False)
    side = rng.integers(0, 2, len(faulty))
    a, b = ends[:, faulty]
    c, d = ends[side, partners], ends[1 - side, partners]
    free = _check.fresh(n, np.r_[a, c], np.r_[d, b], taken).reshape(2, -1).all(axis=0) & ~np.isin(partners, faulty)
    ends[1, faulty[free]] = d[free]
    ends[0, partners[free]] = c[free]
    ends[1, partners[free]] = b[free]
