"""Stochastic Kronecker graphs whose arcs are made by a formula whenever they are needed, and stored nowhere.

The adjacency matrix is halved both ways, again and again; an edge falls into a quarter with the probabilities a, b, c
and d (R-MAT; Chakrabarti, Zhan and Faloutsos, 2004). How many edges fall into each tile is drawn once, level by level.
Where edge ``i`` of a tile lies in it follows from a hash of the seed, the tile and ``i``: four times 16 random bits
choose four levels each, so within a tile probabilities are multiples of 2^-16.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs.tiles import BITS, Piece, Tiles
from graphfsa.memory import check_memory

STEP, FIRST, SECOND = (np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


class Recipe(NamedTuple):
    """What the edges of a Kronecker graph follow from.

    Attributes:
        cells: Number of edges in each tile of the matrix, int64 [blocks, blocks].
        quarters: What 16 random bits say of four levels, uint8 [2^16]: four bits of the row, then four of the column.
        shift: How many of the 16 levels of a tile there are too many, uint64.
        seed: The seed, uint64.
    """

    cells: Array
    quarters: Array
    shift: np.uint64
    seed: np.uint64


class KroneckerTiles(Tiles):
    """Tiles of an undirected graph of 2^scale nodes and some edges, which may repeat or be self-loops.

    Args:
        scale: Levels of the matrix.
        edges: Number of edges.
        shares: Probabilities of the four quarters: both ends low, the second high, the first high, both high.
        seed: Seed of all that is random.
    """

    def __init__(self, scale: int, edges: int, shares: tuple[float, float, float, float], seed: int) -> None:
        self.num_nodes, self.symmetric = 1 << scale, True
        self.name = f"the Kronecker graph of scale {scale}, {edges} edges, shares {shares} and seed {seed}"
        self._arguments = scale, edges, shares, seed
        check_memory("the number of edges of each tile", 48 * self.blocks**2, "choose a smaller scale")
        cells = np.array([[edges]], np.int64)
        for level in range(scale - BITS):
            drawn = np.random.default_rng([seed, level]).multinomial(cells, shares)
            side = 2 * len(drawn)
            cells = drawn.reshape(-1, side // 2, 2, 2).transpose(0, 2, 1, 3).reshape(side, side)
        self.recipe = Recipe(cells, _quarters(shares), np.uint64(max(0, BITS - scale)), np.uint64(seed))
        """For whoever makes the edges in a faster way."""
        self._loops = np.array([self._count_loops(block) for block in range(self.blocks)], np.int64)
        self.num_arcs = 2 * edges - int(self._loops.sum())

    def __reduce__(self) -> tuple[type[KroneckerTiles], tuple[object, ...]]:
        return KroneckerTiles, self._arguments

    @property
    def cuts_tiles(self) -> bool:  # noqa: D102
        return False

    def row(self, block: int) -> tuple[Array, Array]:  # noqa: D102
        sizes = self.recipe.cells[block] + self.recipe.cells[:, block]
        sizes[block] -= self._loops[block]
        columns = np.flatnonzero(sizes)
        return columns, sizes[columns]

    def words(self, block: int, piece: Piece, buffer: Array) -> Array:  # noqa: D102
        del buffer
        own = np.full(len(piece.columns), block)
        parts: list[Array] = []
        for turned, cells in ((False, (own, piece.columns)), (True, (piece.columns, own))):
            tiles = np.repeat(np.arange(len(own), dtype=np.uint64), self.recipe.cells[cells])
            low, high = self._ends(*cells)
            targets, sources = (high, low) if turned else (low, high)
            keys = (tiles << np.uint64(BITS) | targets) << np.uint64(BITS) | sources
            if turned:  # A self-loop is one arc.
                keys = keys[(piece.columns[tiles.astype(np.int64)] != block) | (targets != sources)]
            parts.append(keys)
        keys = np.concatenate(parts)
        keys.sort()
        return keys.astype(np.uint32)

    def _count_loops(self, block: int) -> int:
        first, second = self._ends(np.array([block]), np.array([block]))
        return int((first == second).sum())

    def _ends(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        """Both ends of all edges in some tiles of the matrix, uint64, within their blocks."""
        counts = self.recipe.cells[rows, columns]
        _, quarters, shift, seed = self.recipe
        begins = _mixed(seed + (rows * self.blocks + columns + 1).astype(np.uint64) * STEP)
        number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        bits = _mixed(np.repeat(begins, counts) + number.astype(np.uint64) * STEP)
        row, column = np.zeros((2, len(bits)), np.uint64)
        for place in range(4):
            drawn = quarters[(bits >> np.uint64(16 * place)).astype(np.uint16)]
            row = row << np.uint64(4) | drawn >> 4
            column = column << np.uint64(4) | drawn & 15
        return row >> shift, column >> shift


def _quarters(shares: tuple[float, float, float, float]) -> Array:
    """The quarters that each number of 16 random bits chooses."""
    ways = list(product(range(4), repeat=4))
    limits = np.cumsum([prod(shares[quarter] for quarter in way) for way in ways]) * 2**16
    chosen = np.searchsorted(np.round(limits[:-1]), np.arange(2**16), side="right")
    rows = [sum((quarter >> 1) << (3 - level) for level, quarter in enumerate(way)) for way in ways]
    columns = [sum((quarter & 1) << (3 - level) for level, quarter in enumerate(way)) for way in ways]
    return (np.array(rows, np.uint8) << 4 | np.array(columns, np.uint8))[chosen]


def _mixed(numbers: Array) -> Array:
    """SplitMix64 (Steele, Lea and Flood, 2014): numbers in a row become random ones."""
    numbers = (numbers ^ numbers >> np.uint64(30)) * FIRST
    numbers = (numbers ^ numbers >> np.uint64(27)) * SECOND
    return numbers ^ numbers >> np.uint64(31)
