"""Lattices are cut into strips of whole rows, so that workers run them with the kernels for lattices.

A strip of a torus is a torus as well: what its first and last rows see of each other is wrong, but they are the outer
rows of the rim, and nobody looks at them after that.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine.cluster.pieces import MAX_DEPTH, Piece, Plan
from graphfsa.graphs import Graph, Lattice

_SHARE = 16
"""A rim may take one part in so many of a strip, on either side, if it is to be deeper than needed."""


class Strips:
    """The pieces of a lattice; as ``Cutter``, for rows of a lattice or cells of a line.

    Args:
        lattice: The lattice; ``fits`` says whether it can be cut.
        parts: Number of parts.
    """

    def __init__(self, lattice: Lattice, parts: int) -> None:
        self._lattice = lattice
        self._bounds = _bounds(lattice, parts)
        self._depth = _depth(self._bounds)
        cells = self._bounds * _cells(lattice)
        order = np.arange(lattice.num_cells, dtype=np.int32)
        rims = tuple(len(self._rows(part)) * _cells(lattice) for part in range(parts))
        sizes = tuple(int(rim - size) for rim, size in zip(rims, np.diff(cells), strict=True))
        self.plan = Plan(self._cut(), self._depth, order, cells, sizes)

    @classmethod
    def fits(cls, graph: Graph, parts: int) -> bool:
        """Whether a graph is a lattice that is large enough to be cut like this."""
        lattice = graph.lattice
        if lattice is None or parts < 2 or (lattice.torus and min(lattice.width, 3) < 3):
            return False
        bounds = _bounds(lattice, parts)
        size = np.diff(bounds)
        return bool(size.min() >= 4 and size.max() + 2 * _depth(bounds) <= _units(lattice))

    def piece(self, part: int) -> Piece:
        """The piece of a part."""
        lattice, cells = self._lattice, _cells(self._lattice)
        rows = self._rows(part)
        sides = {"width": len(rows)} if lattice.kind == "line" else {"height": len(rows)}
        numbers = (rows[:, None] * cells + np.arange(cells)).reshape(-1).astype(np.int32)
        first = int(np.flatnonzero(rows == self._bounds[part])[0]) * cells
        last = first + int(self._bounds[part + 1] - self._bounds[part]) * cells
        piece = Piece(replace(lattice, **sides), None, numbers, first, last)
        others = [other for other in range(len(self._bounds) - 1) if other != part]
        hears = [(other, self._heard(part, other)) for other in others]
        sends = [(other, self._sent(part, other, first)) for other in others]
        return replace(
            piece,
            hears=tuple(pair for pair in hears if len(pair[1])),
            sends=tuple(pair for pair in sends if len(pair[1])),
        )

    def _rows(self, part: int) -> Array:
        """The rows of a strip with its rim, in order."""
        begin, end = self._bounds[part] - self._depth, self._bounds[part + 1] + self._depth
        units = _units(self._lattice)
        if self._lattice.torus:
            return np.arange(begin, end) % units
        return np.arange(max(begin, 0), min(end, units))

    def _heard(self, part: int, other: int) -> Array:
        """The cells of a strip, by their numbers there, that another owns."""
        rows = self._rows(part)
        theirs = np.flatnonzero((rows >= self._bounds[other]) & (rows < self._bounds[other + 1]))
        return self._cells_of(theirs)

    def _sent(self, part: int, other: int, first: int) -> Array:
        """The same cells by their numbers in the strip of the owner."""
        rows = self._rows(other)
        ours = rows[(rows >= self._bounds[part]) & (rows < self._bounds[part + 1])]
        return self._cells_of(ours - self._bounds[part]) + np.int32(first)

    def _cells_of(self, rows: Array) -> Array:
        cells = _cells(self._lattice)
        return (rows[:, None] * cells + np.arange(cells)).reshape(-1).astype(np.int32)

    def _cut(self) -> int:
        lattice = self._lattice
        if lattice.kind == "line":
            return 2 * (len(self._bounds) - (1 if lattice.torus else 2))
        borders = self._bounds[:-1] if lattice.torus else self._bounds[1:-1]
        return sum(_across(lattice, int(row) - 1, 1) + _across(lattice, int(row), -1) for row in borders)


def _across(lattice: Lattice, row: int, step: int) -> int:
    """Number of arcs from the next row in a direction."""
    columns = [column for rows, column in lattice.offsets(row % lattice.height) if rows == step]
    return sum(lattice.width - (0 if lattice.torus else abs(column)) for column in columns)


def _units(lattice: Lattice) -> int:
    return lattice.width if lattice.kind == "line" else lattice.height


def _cells(lattice: Lattice) -> int:
    return 1 if lattice.kind == "line" else lattice.width


def _bounds(lattice: Lattice, parts: int) -> Array:
    """Where strips begin: at even rows, so that shifted rows of hexagons stay shifted."""
    units = _units(lattice)
    bounds = np.arange(parts + 1) * units // parts // 2 * 2
    bounds[-1] = units
    return bounds.astype(np.int64)


def _depth(bounds: Array) -> int:
    depth = 2
    while 2 * depth <= min(MAX_DEPTH, int(np.diff(bounds).min()) // _SHARE):
        depth *= 2
    return depth
