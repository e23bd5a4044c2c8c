"""Families without a choice: one graph per size."""

from __future__ import annotations

from math import isqrt

import numpy as np

from graphfsa.graphs.families import _check
from graphfsa.graphs.graph import Graph

MAX_COMPLETE_ARCS = 2**27


def path(n: int) -> Graph:
    """The path ``0 - 1 - ... - (n - 1)``; one node is isolated, none is the empty graph."""
    n = _check.size("a path", n)
    _check.arcs("a path", 2 * (n - 1), _check.MAX_ARCS // 2 + 1)
    nodes = np.arange(n)
    return _check.undirected(n, nodes[:-1], nodes[1:])


def cycle(n: int) -> Graph:
    """The cycle ``0 - 1 - ... - (n - 1) - 0``, without self-loops and repeated arcs at every size.

    So one node is isolated, and two nodes are joined by a single edge.
    """
    n = _check.size("a cycle", n, minimum=1)
    _check.arcs("a cycle", 2 * n, _check.MAX_ARCS // 2)
    if n <= 2:
        return path(n)
    nodes = np.arange(n)
    return _check.undirected(n, nodes, np.roll(nodes, -1))


def star(n: int) -> Graph:
    """``n`` nodes in all: node 0 is joined to each of the others."""
    n = _check.size("a star", n)
    _check.arcs("a star", 2 * (n - 1), _check.MAX_ARCS // 2 + 1)
    leaves = np.arange(1, n)
    return _check.undirected(n, np.zeros_like(leaves), leaves)


def complete(n: int) -> Graph:
    """Every node is joined to every other. At most 2^27 arcs, which is 11585 nodes."""
    n = _check.size("a complete graph", n)
    largest = (1 + isqrt(1 + 4 * MAX_COMPLETE_ARCS)) // 2
    _check.arcs(f"a complete graph of {n} nodes", n * (n - 1), largest, MAX_COMPLETE_ARCS)
    # Row v is 0 .. n - 1 without v: a straight run that skips one from column v on.
    columns = np.arange(max(n - 1, 0))
    rows = columns + (columns >= np.arange(n)[:, None])
    graph = Graph(np.arange(n + 1) * (n - 1) if n else [0], rows.reshape(-1))
    graph.cached("symmetric", lambda: True)
    return graph


def binary_tree(n: int) -> Graph:
    """The binary tree that is filled level by level: node ``i`` hangs below node ``(i - 1) // 2``."""
    n = _check.size("a binary tree", n)
    _check.arcs("a binary tree", 2 * (n - 1), _check.MAX_ARCS // 2 + 1)
    nodes = np.arange(1, n)
    return _check.undirected(n, nodes, (nodes - 1) // 2)
