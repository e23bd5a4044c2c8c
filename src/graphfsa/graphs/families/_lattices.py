"""Regular lattices. They are described, not stored: arrays are built only when somebody asks for them.

``graphfsa.graphs.lattice`` says which cells are neighbours, also on a torus with sides of 1 and 2.
"""

from __future__ import annotations

from graphfsa.graphs.families import _check
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.lattice import Lattice, LatticeKind


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
    height, width = (_check.whole(f"lattice {name}", side, 1) for name, side in (("height", height), ("width", width)))
    return Graph.from_lattice(Lattice(kind, height, width, torus=torus, slotted=slots))
