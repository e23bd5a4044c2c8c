"""Random trees: always connected, always ``n - 1`` edges."""

from __future__ import annotations

import numpy as np

from graphfsa.graphs.families import _check
from graphfsa.graphs.graph import Graph


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


def _tree_size(n: int) -> int:
    n = _check.size("a tree", n)
    _check.arcs("a tree", 2 * (n - 1), _check.MAX_ARCS // 2 + 1)
    return n
