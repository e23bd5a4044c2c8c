"""Families without a choice: one graph per size.

Lattices are described, not stored: arrays are built only when somebody asks for them. ``graphfsa.graphs.lattice`` says
which cells are neighbours, also on a torus with sides of 1 and 2.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from graphfsa.graphs.families import _check
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.lattice import Lattice, LatticeKind

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


def von_neumann(height: int, width: int, *, torus: bool = False, slots: bool = False) -> Graph:
    """Cells that see up, left, right and down (slots 0 .. 3)."""
    return _lattice("von-neumann", height, width, torus, slots)


def moore(height: int, width: int, *, torus: bool = False, slots: bool = False) -> Graph:
    """Cells that see the eight cells around them, row by row (slots 0 .. 7)."""
    return _lattice("moore", height, width, torus, slots)


def hexagonal(height: int, width: int, *, torus: bool = False, slots: bool = False) -> Graph:
    """Hexagonal cells; odd rows are shifted half a cell to the right. A torus must have an even height."""
    return _lattice("hex", height, width, torus, slots)


def row(n: int) -> Graph:
    """``n`` cells in a row; each sees its left (slot 0) and its right (slot 1) cell, the ends see one."""
    return _lattice("line", 1, n, torus=False, slots=True)


def ring(n: int) -> Graph:
    """``n`` cells in a ring; each sees its left (slot 0) and right (slot 1) cell, which may be the same or itself."""
    return _lattice("line", 1, n, torus=True, slots=True)


def _lattice(kind: LatticeKind, height: int, width: int, torus: bool, slots: bool) -> Graph:
    return Graph.from_lattice(Lattice(kind, height, width, torus=torus, slotted=slots))
