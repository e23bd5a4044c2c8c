"""Arcs in tiles: the layout of graphs whose arcs are read or made a few at a time, and never held in memory at once.

Nodes are cut into blocks of 2^16. A tile holds the arcs from one block to another; both ends of an arc within its tile
take 16 bits each, so an arc is one 32-bit word: target in the upper half, source in the lower. A row of tiles has all
arcs into one block; its tiles are in the order of their sources, and the words of a tile are sorted.

What gives such rows is a :class:`Tiles`: a file on disk, or a formula.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from graphfsa.arrays import Array
from graphfsa.memory import check_memory

BITS = 16
SIDE = 1 << BITS
"""Nodes in a block."""
PIECE = 1 << 22
"""Words that are read at once, at most: 16 MiB."""


class Piece(NamedTuple):
    """Some neighbouring tiles of a row, or parts of tiles.

    Attributes:
        columns: Block of the sources of each tile, int64 [tiles].
        ends: Where the words of each tile begin and the last ones end, int64 [tiles + 1], from 0.
        begin: Where the words begin among those of the whole graph.
    """

    columns: Array
    ends: Array
    begin: int

    @property
    def size(self) -> int:
        """Number of words."""
        return int(self.ends[-1])


class Tiles(ABC):
    """Where the arcs of a graph come from, a row of tiles at a time.

    Attributes:
        num_nodes: Number of nodes.
        num_arcs: Number of arcs.
        symmetric: Whether the graph is known to be undirected.
        name: What it is, for messages.
    """

    num_nodes: int
    num_arcs: int
    symmetric: bool
    name: str

    @property
    def blocks(self) -> int:
        """Number of blocks of nodes."""
        return blocks_of(self.num_nodes)

    @abstractmethod
    def row(self, block: int) -> tuple[Array, Array]:
        """The tiles of a row that are not empty: their columns, and their numbers of arcs; int64, columns sorted."""

    @abstractmethod
    def words(self, block: int, piece: Piece, buffer: Array) -> Array:
        """The words of a piece of a row, uint32 [piece.size].

        Args:
            block: The row.
            piece: One of ``pieces(block)``.
            buffer: Room for ``PIECE`` words, which the result may use.
        """

    @property
    def cuts_tiles(self) -> bool:
        """Whether a piece may hold a part of a tile; otherwise large tiles make large pieces."""
        return True

    def begin(self, block: int) -> int:
        """Where the words of a row begin among those of the whole graph. Only files need to know."""
        del block
        return 0

    def pieces(self, block: int) -> Iterator[Piece]:
        """A row in pieces of at most ``PIECE`` words, in order."""
        columns, sizes = self.row(block)
        ends = np.concatenate(([0], np.cumsum(sizes)))
        total, start = int(ends[-1]), 0
        while start < total:
            stop = min(start + PIECE, total)
            if not self.cuts_tiles:
                place = int(np.searchsorted(ends, stop, side="right")) - 1
                first = int(np.searchsorted(ends, start, side="right")) - 1
                stop = int(ends[max(place, first + 1)])
            low = int(np.searchsorted(ends, start, side="right")) - 1
            high = int(np.searchsorted(ends, stop, side="left"))
            inside = np.clip(ends[low : high + 1], start, stop) - start
            yield Piece(columns[low:high], inside, self.begin(block) + start)
            start = stop

    def sources_of(self, block: int) -> tuple[Array, Array]:
        """The arcs into a block in the order of a :class:`Graph`: number of each node's, int64, and sources, int32."""
        pieces, buffer = list(self.pieces(block)), np.empty(PIECE, np.uint32)
        total = sum(piece.size for piece in pieces)
        # A row with hubs may have a large part of all arcs: it is put in order a piece at a time.
        check_memory(f"{total} arcs into {SIDE} nodes", 4 * total, "use a machine with more memory")
        degrees, sources = np.zeros(min(SIDE, self.num_nodes - (block << BITS)), np.int64), np.empty(total, np.int32)
        if len(pieces) > 1:
            for piece in pieces:
                degrees += np.bincount(_targets(self.words(block, piece, buffer)), minlength=len(degrees))
        ends = np.cumsum(degrees) - degrees
        for piece in pieces:
            words = self.words(block, piece, buffer)
            targets = _targets(words)
            counts = np.bincount(targets, minlength=len(degrees))
            # Sources are sorted within each target already: tiles are in the order of sources, words are sorted.
            order = np.argsort(targets, kind="stable")
            found = np.repeat(piece.columns.astype(np.uint32) << np.uint32(BITS), np.diff(piece.ends))
            found |= words & np.uint32(SIDE - 1)
            if len(pieces) == 1:
                return counts, found[order].astype(np.int32)
            sources[np.arange(len(order)) + np.repeat(ends - (np.cumsum(counts) - counts), counts)] = found[order]
            ends += counts
        return degrees, sources

    def check_symmetry(self) -> None:  # noqa: B027
        """Raise if the graph is said to be undirected and is not. Formulas are right about that."""

    def digest(self) -> str:
        """The digest of the graph: the same as that of a :class:`Graph` in memory. Goes over all arcs twice."""
        hasher = sha256(b"graphfsa.graph/1")
        hasher.update(np.zeros(1, "<i8").data)
        total, buffer = 0, np.empty(PIECE, np.uint32)
        for block in range(self.blocks):
            degrees = np.zeros(min(SIDE, self.num_nodes - (block << BITS)), np.int64)
            for piece in self.pieces(block):
                degrees += np.bincount(_targets(self.words(block, piece, buffer)), minlength=len(degrees))
            ends = total + np.cumsum(degrees)
            hasher.update(ends.astype("<i8").data)
            total = int(ends[-1])
        for block in range(self.blocks):
            hasher.update(self.sources_of(block)[1].astype("<i4", copy=False).data)
        hasher.update(b"-")
        return hasher.hexdigest()


def _targets(words: Array) -> Array:
    """The target of each word within its block, uint16."""
    return (words >> np.uint32(BITS)).astype(np.uint16)


def blocks_of(num_nodes: int) -> int:
    """Number of blocks of this number of nodes."""
    return -(-num_nodes // SIDE)


def words_of(keys: Array) -> tuple[Array, Array, Array]:
    """The tiles of a row from its sorted keys, ``column << 32 | target << 16 | source``: columns, sizes, words."""
    columns = (keys >> np.uint64(32)).astype(np.int64)
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    return columns[starts], np.diff(np.append(starts, len(keys))), keys.astype(np.uint32)
