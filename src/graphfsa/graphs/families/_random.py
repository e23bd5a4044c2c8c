"""Random trees and random graphs, always simple: no self-loops, no repeated edges."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import GraphError
from graphfsa.graphs.counting_sort import add_sorted, mirrored
from graphfsa.graphs.families import _check
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.rooted import rooted

_REWIRING_ROUNDS = 100
_PART = 1 << 18


def random_tree(n: int, rng: np.random.Generator) -> Graph:
    """A tree drawn uniformly from the ``n ** (n - 2)`` labelled trees.

    Aldous (1990): node ``i`` hangs below node ``min(U, i - 1)`` with ``U`` uniform on all nodes; then the nodes get
    random labels. The height grows like the square root of ``n``.

    Example:
        >>> tree = random_tree(1000, np.random.default_rng(0))
        >>> tree.num_nodes, tree.num_arcs
        (1000, 1998)
    """
    n = _tree_size(n)
    if n < 2:
        return Graph.from_edges(n, [])
    parents = np.minimum(rng.integers(0, n, n - 1), np.arange(n - 1))
    labels = rng.permutation(n)
    return _check.undirected(n, labels[1:], labels[parents])


def rooted_tree(n: int, rng: np.random.Generator) -> Graph:
    """A uniform random tree with a uniform random root; nodes see parent and children by arcs of two kinds."""
    n = _tree_size(n)
    tree = random_tree(n, rng)
    return rooted(tree, int(rng.integers(0, max(n, 1)))) if n else tree


def recursive_tree(n: int, rng: np.random.Generator) -> Graph:
    """A random recursive tree: node ``i`` hangs below a uniform earlier node. The height grows like ``log n``."""
    n = _tree_size(n)
    nodes = np.arange(1, n)
    return _check.undirected(n, nodes, rng.integers(0, nodes))


def caterpillar(n: int, rng: np.random.Generator) -> Graph:
    """A path of ``ceil(n / 2)`` nodes, the spine; each other node is a leg at a uniform node of the spine."""
    n = _tree_size(n)
    spine = (n + 1) // 2
    legs = n - spine
    parents = np.arange(max(spine - 1, 0))
    if legs:
        parents = np.r_[parents, rng.integers(0, spine, legs)]
    return _check.undirected(n, np.arange(1, n), parents)


def erdos_renyi(n: int, *, p: float | None = None, mean_degree: float | None = None, rng: np.random.Generator) -> Graph:
    """G(n, p): every pair of nodes is joined with probability ``p``, independently.

    The gaps between joined pairs are geometric, so time and memory follow the number of edges, not of pairs
    (Batagelj and Brandes, 2005).

    Args:
        n: Number of nodes.
        p: Probability of an edge; give either this or ``mean_degree``.
        mean_degree: Expected number of neighbours of a node, ``p * (n - 1)``.
        rng: Source of randomness.
    """
    n = _check.size("a random graph", n)
    if (p is None) == (mean_degree is None):
        raise GraphError(f"exactly one of p and mean_degree must be given; got p={p}, mean_degree={mean_degree}")
    chance = _check.fraction("p", p) if mean_degree is None else _chance(n, mean_degree)
    expected = chance * n * (n - 1)
    room = _check.MAX_ARCS / expected if expected > _check.MAX_ARCS else 1
    largest = int(n * (sqrt(room) if mean_degree is None else room))
    _check.arcs(f"a random graph of {n} nodes", expected, largest, peak=14)
    indptr, lower, size = np.zeros(n + 1, np.int64), np.empty(_draws(expected / 2), np.int32), 0
    for ranks in _sample(n * (n - 1) // 2, chance, rng):
        # Sorted by their later node, and for one of those by the earlier: the lower half of each list.
        later, earlier = _unrank(ranks)
        if size + len(ranks) > len(lower):
            lower = np.concatenate((lower[:size], np.empty(size + len(ranks), np.int32)))
        lower[size : size + len(ranks)] = earlier
        size += len(ranks)
        add_sorted(indptr[1:], later)
    return Graph.from_lists(*mirrored(n, np.cumsum(indptr, out=indptr), lower[:size]))


def watts_strogatz(n: int, k: int, p: float, rng: np.random.Generator) -> Graph:
    """A ring in which every node is joined to its ``k`` nearest, with each edge rewired with probability ``p``.

    A rewired edge keeps one end; the other moves to a uniform node to which that end is not joined. An edge that
    finds no such node stays.

    Args:
        n: Number of nodes, at least ``k + 1``.
        k: Neighbours before rewiring, even: half of them on each side.
        p: Probability that an edge is rewired.
        rng: Source of randomness.
    """
    k = _check.integer("k", k)
    if k % 2:
        raise GraphError(f"k must be even, half of the neighbours on each side; got {k}, try {k - 1} or {k + 1}")
    n = _check.size(f"Watts-Strogatz with k={k}", n, minimum=k + 1)
    p = _check.fraction("p", p)
    _check.arcs("a Watts-Strogatz graph", n * k, _check.MAX_ARCS // max(k, 1))
    sources = np.tile(np.arange(n), k // 2)
    targets = (sources + np.repeat(np.arange(1, k // 2 + 1), n)) % n
    waiting = np.flatnonzero(rng.random(len(sources)) < p)
    for _ in range(_REWIRING_ROUNDS):
        if not len(waiting):
            break
        taken = np.sort(_check.pair_keys(n, sources, targets))
        ends = rng.integers(0, n, len(waiting))
        free = _check.fresh(n, sources[waiting], ends, taken)
        targets[waiting[free]] = ends[free]
        waiting = waiting[~free]
    return _check.undirected(n, sources, targets)


def delaunay(n: int, rng: np.random.Generator) -> Graph:
    """The Delaunay triangulation of ``n`` uniform points in the unit square: planar, about six neighbours each."""
    n = _check.size("a Delaunay graph", n, minimum=1)
    _check.arcs("a Delaunay graph", 6 * n, _check.MAX_ARCS // 6)
    points = rng.random((n, 2))
    if n <= 2:
        return Graph.from_edges(n, [(0, 1)][: n - 1])
    from scipy.spatial import Delaunay

    mesh = Delaunay(points)
    corners = mesh.simplices.astype(np.int64)
    # Qhull leaves out points that numerically coincide with another; they join their nearest corner.
    left_out = mesh.coplanar[:, [0, 2]].astype(np.int64)
    ends = np.concatenate((corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]], left_out)).T
    keys = np.sort(_check.pair_keys(n, *ends))
    first = np.r_[True, keys[1:] != keys[:-1]]
    return _check.undirected(n, *np.divmod(keys[first], n))


def _tree_size(n: int) -> int:
    n = _check.size("a tree", n)
    _check.arcs("a tree", 2 * (n - 1), _check.MAX_ARCS // 2 + 1)
    return n


def _chance(n: int, mean_degree: float) -> float:
    if not mean_degree >= 0:
        raise GraphError(f"mean_degree must be a number of at least 0; got {mean_degree!r}")
    if mean_degree > max(n - 1, 0):
        raise GraphError(
            f"a node among {n} has at most {max(n - 1, 0)} neighbours; got mean_degree={mean_degree}, "
            f"try at least {int(np.ceil(min(mean_degree, 2.0**31))) + 1} nodes"
        )
    return mean_degree / (n - 1) if n > 1 else 0.0


def _sample(total: int, chance: float, rng: np.random.Generator) -> Iterator[Array]:
    """A random subset of ``0 .. total - 1`` that holds each number with the given chance, sorted, in parts."""
    last = total if chance == 0 or total == 0 else -1
    while last < total:
        left = _draws((total - last) * chance)
        while left:  # All are drawn, also behind the end: what is drawn next does not depend on the size of the parts.
            gaps = rng.geometric(chance, min(left, _PART))
            left -= len(gaps)
            if last >= total:
                continue
            # A gap beyond the end is as good as any: cut there, sums cannot overflow before they pass the end.
            picks = last + np.cumsum(np.minimum(gaps, total + 1))
            end = int(np.searchsorted(picks, total))
            last = total if end < len(picks) else int(picks[-1])
            yield picks[:end]


def _draws(expected: float) -> int:
    """How many gaps to draw where this number is expected: nearly always enough."""
    return int(expected + 4 * sqrt(expected)) + 16


def _unrank(ranks: Array) -> tuple[Array, Array]:
    """The pair ``later > earlier`` of each rank in the order (1, 0), (2, 0), (2, 1), (3, 0), ..."""
    later = ((1 + np.sqrt(1 + 8 * ranks.astype(np.float64))) / 2).astype(np.int64)
    # The root of a large number may be off by one either way.
    later -= later * (later - 1) // 2 > ranks
    later += later * (later + 1) // 2 <= ranks
    return later, ranks - later * (later - 1) // 2
