"""Regular lattices, described by a few numbers instead of an index array.

A cell is node ``row * width + column``. What a cell sees:

====================  =====================================================================  ==========
kind                  offsets (row, column), in slot order                                   directions
====================  =====================================================================  ==========
``line``              left, right (height is 1)                                              2
``von-neumann``       up, left, right, down                                                  4
``moore``             the eight cells around, row by row                                     8
``hex``               up-left, up-right, left, right, down-left, down-right; odd rows are    6
                      shifted half a cell to the right
====================  =====================================================================  ==========

Without slots a cell sees a *set*: every distinct other cell once. On a torus with a side of 1 or 2 several directions
lead to the same cell or back to the cell itself; such a cell is counted once, and never as its own neighbour, so no
arc is repeated. With slots there is exactly one arc per direction, whatever cell it leads to, because the arcs differ
in their slot: on a ring of two cells left and right are the same cell, seen twice, as in every textbook.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer, shown
from graphfsa.errors import GraphError

LatticeKind = Literal["line", "von-neumann", "moore", "hex"]

_OFFSETS: dict[str, tuple[tuple[int, int], ...]] = {
    "line": ((0, -1), (0, 1)),
    "von-neumann": ((-1, 0), (0, -1), (0, 1), (1, 0)),
    "moore": ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)),
}
_HEX_EVEN = ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 0))
_HEX_ODD = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, 0), (1, 1))


@dataclass(frozen=True)
class Lattice:
    """A regular lattice of ``height`` x ``width`` cells.

    Attributes:
        kind: Which cells are neighbours; see the module's table.
        height: Number of rows, at least 1 (exactly 1 for ``line``).
        width: Number of columns, at least 1.
        torus: Whether the sides are glued together. A hexagonal torus must have an even height,
            or its first and last row would both be unshifted and would not meet.
        slotted: Whether each arc carries its direction as a slot, for positional aggregation.

    Example:
        >>> from graphfsa.graphs import families
        >>> families.moore(3, 4, torus=True).lattice
        Lattice(kind='moore', height=3, width=4, torus=True, slotted=False)
    """

    kind: LatticeKind
    height: int
    width: int
    torus: bool = False
    slotted: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(LatticeKind):
            raise GraphError(f"lattice kind must be one of {', '.join(get_args(LatticeKind))}; got {shown(self.kind)}")
        for name, side in (("height", self.height), ("width", self.width)):
            object.__setattr__(self, name, check_integer(f"lattice {name}", side, 1, error=GraphError))
        if self.kind == "line" and self.height != 1:
            raise GraphError(f"a line has height 1; got {self.height}")
        if self.kind == "hex" and self.torus and self.height % 2:
            near = f"{self.height - 1} or {self.height + 1}" if self.height > 1 else "2"
            raise GraphError(
                f"a hexagonal torus must have an even height so that its offset rows meet; "
                f"got {self.height}, try {near}"
            )
        if self.num_cells >= 2**31:
            raise GraphError(f"a lattice must have fewer than 2^31 cells; got {self.height} x {self.width}")

    @property
    def num_cells(self) -> int:
        """Number of cells."""
        return self.height * self.width

    @property
    def num_directions(self) -> int:
        """Number of neighbours of a cell that is far from every side."""
        return len(self.offsets(0))

    @property
    def num_slots(self) -> int:
        """One more than the largest direction in which some cell has a neighbour; 0 without slots."""
        if not self.slotted:
            return 0
        if self.torus:
            return self.num_directions
        # Three rows and columns have neighbours in every direction that a larger lattice has.
        slots = Lattice(self.kind, min(self.height, 3), min(self.width, 3), slotted=True).csr()[2]
        return int(slots.max()) + 1 if slots is not None and len(slots) else 0

    @property
    def uniform(self) -> bool:
        """Whether every cell has one distinct neighbour per direction that exists: no two directions meet.

        Then the number of arcs follows from the sides alone, and kernels may walk the directions.
        """
        return not self.torus or self.slotted or (self.width >= 3 and (self.height >= 3 or self.kind == "line"))

    def offsets(self, row: int) -> tuple[tuple[int, int], ...]:
        """Offsets (row, column) of the neighbours of a cell in the given row, in slot order."""
        if self.kind == "hex":
            return _HEX_ODD if row % 2 else _HEX_EVEN
        return _OFFSETS[self.kind]

    def num_arcs(self) -> int:
        """Number of arcs, without building them."""
        if not self.uniform:
            # On a torus every cell of an even row sees as many others as the first cell of row 0, odd rows likewise.
            seen = [self._distinct_others(row) for row in (0, min(1, self.height - 1))]
            return self.width * (seen[0] * ((self.height + 1) // 2) + seen[1] * (self.height // 2))
        if self.torus:
            return self.num_cells * self.num_directions
        if self.kind != "hex":
            return sum((self.height - abs(dr)) * (self.width - abs(dc)) for dr, dc in self.offsets(0))
        # Each of the height - 1 row pairs is joined by a zigzag of 2 * width - 1 edges.
        return 2 * (self.height * (self.width - 1) + (self.height - 1) * (2 * self.width - 1))

    def _distinct_others(self, row: int) -> int:
        """Number of different cells, other than itself, that the first cell of a row of a torus sees."""
        cells = {((row + dr) % self.height, dc % self.width) for dr, dc in self.offsets(row)}
        return len(cells - {(row, 0)})

    def csr(self) -> tuple[Array, Array, Array | None]:
        """In-neighbour lists: ``indptr`` int64 [n + 1], ``indices`` int32 [m], ``slots`` uint8 [m] or None."""
        sources = self._sources()
        present = sources >= 0
        slots = None
        if self.slotted:
            order = np.argsort(sources, axis=1, kind="stable")
            sources = np.take_along_axis(sources, order, axis=1)
            present = sources >= 0
            slots = order[present].astype(np.uint8)
        else:
            sources.sort(axis=1)
            present = sources >= 0
            if not self.uniform:
                present[:, 1:] &= sources[:, 1:] != sources[:, :-1]
                present &= sources != np.arange(self.num_cells, dtype=np.int32)[:, None]
        indptr = np.zeros(self.num_cells + 1, np.int64)
        np.cumsum(present.sum(axis=1), out=indptr[1:])
        return indptr, sources[present], slots

    def _sources(self) -> Array:
        """Neighbour of each cell per direction, int32 [n, directions]; -1 where a bounded lattice ends."""
        rows, columns = np.divmod(np.arange(self.num_cells, dtype=np.int32), np.int32(self.width))
        sources = np.empty((self.num_cells, self.num_directions), np.int32)
        odd = rows % 2 == 1
        for slot, ((dr, dc), (_, dc_odd)) in enumerate(zip(self.offsets(0), self.offsets(1), strict=True)):
            r = rows + dr
            c = columns + np.where(odd, dc_odd, dc).astype(np.int32)
            if self.torus:
                sources[:, slot] = (r % self.height) * self.width + c % self.width
            else:
                inside = (r >= 0) & (r < self.height) & (c >= 0) & (c < self.width)
                sources[:, slot] = np.where(inside, r * self.width + c, -1)
        return sources
