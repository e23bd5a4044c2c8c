"""One dense step over arcs that are read from disk, or made, while the step runs; states are in memory.

Each thread takes a row of tiles after the other, and has a second thread that reads ahead for it. What states show is
counted in planes of bits that saturate. A node whose own state and whose neighbours' states did not change in the last
step does not change in the next: so a row is skipped if no block with sources of its arcs changed, nor its own block.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

from graphfsa.aggregations import CountingAggregation, LettersAggregation
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._levels import Levels, levels_of
from graphfsa.engine._made import made_kernel
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine.compiling import compile_kernel
from graphfsa.graphs import TiledGraph
from graphfsa.graphs.kronecker import KroneckerTiles
from graphfsa.graphs.tiles import BITS, PIECE, SIDE, Piece, Tiles

_AHEAD = 3
"""Pieces that are read ahead of the one that is counted."""
_MAX_PLANES = 8
SHIFT = np.uint32(16)
MASK = np.uint32(0xFFFF)


def _count(columns: Any, ends: Any, words: Any, states: Any, masks: Any, planes: Any) -> int:
    """Add the arcs of a piece to the planes of its row."""
    bound = len(planes)
    seen = planes[0]
    twice = planes[min(1, bound - 1)]
    for tile in range(len(columns)):
        sources = states[columns[tile] << 16 :]
        if bound == 1:
            for place in range(ends[tile], ends[tile + 1]):
                word = words[place]
                seen[word >> SHIFT] |= masks[sources[word & MASK]]
        elif bound == 2:
            for place in range(ends[tile], ends[tile + 1]):
                word = words[place]
                target = word >> SHIFT
                bit = masks[sources[word & MASK]]
                twice[target] |= seen[target] & bit
                seen[target] |= bit
        else:
            for place in range(ends[tile], ends[tile + 1]):
                word = words[place]
                target = word >> SHIFT
                bit = masks[sources[word & MASK]]
                for plane in range(bound - 1, 0, -1):
                    planes[plane, target] |= planes[plane - 1, target] & bit
                seen[target] |= bit
    return 0


def _move(first: int, last: int, planes: Any, adds: Any, states: Any, table: Any, following: Any) -> int:
    """Move the nodes of a block; returns how many changed."""
    changed = 0
    for node in range(first, last):
        value = np.int64(planes[0, node - first])
        if adds.shape[1]:
            value = adds[0, value]
            for plane in range(1, len(planes)):
                value += adds[plane, planes[plane, node - first]]
        state = table[states[node], value]
        changed += state != states[node]
        following[node] = state
    return changed


@cache
def _kernels() -> tuple[Any, Any]:
    return compile_kernel(_count), compile_kernel(_move)


def _planes_of(fsa: GraphFSA) -> Levels | None:
    """The levels of an aggregation that counts, one for each plane: plane k has the bits that are seen over k times."""
    counts = type(fsa.aggregation) in (CountingAggregation, LettersAggregation)
    found = levels_of(fsa.aggregation, fsa.num_states) if counts else None
    return found if found is not None and len(found.adds) <= _MAX_PLANES else None


def fits_stream(fsa: GraphFSA) -> bool:
    """Whether the streamed path can run this automaton."""
    return _planes_of(fsa) is not None


class StreamedStepper(DenseStepper):
    """Dense steps over tiles that are not in memory."""

    kernel = "streamed"

    def __init__(self, fsa: GraphFSA, graph: TiledGraph, threads: int) -> None:
        super().__init__()
        planes = _planes_of(fsa)
        assert planes is not None
        self._planes, self._table, self._tiles = planes, fsa.transition_table, graph.tiles
        blocks = self._tiles.blocks
        # Whole blocks: no word of a file that somebody has made up leads outside.
        self._now, self._next = np.zeros((2, blocks * SIDE), np.uint8)
        self._changed = np.ones(blocks, bool)
        self._threads = max(1, min(threads, blocks))
        self._pool = ThreadPoolExecutor(2 * self._threads, "graphfsa-stream")
        self._buffers = [[np.empty(0, np.uint32)] * (_AHEAD + 1) for _ in range(self._threads)]

    def load(self, states: Array) -> None:
        super().load(states)
        self._changed[:] = True

    def _write(self, board: Array, states: Array) -> None:
        board[: len(states)] = states

    def _read(self, board: Array) -> Array:
        return board[: self._tiles.num_nodes].copy()

    def _step(self) -> int:
        rows = _Rows(self._tiles, self._changed)
        changed = np.zeros_like(self._changed)
        others = [self._pool.submit(self._work, rows, number, changed) for number in range(1, self._threads)]
        try:
            total = self._work(rows, 0, changed)
        finally:  # Also if this thread was interrupted: nobody goes on behind its back.
            rows.stop()
            totals = [other.result() for other in others]
        self._changed = changed
        return total + sum(totals)

    def _work(self, rows: _Rows, number: int, changed: Array) -> int:
        """Take rows until there are no more; returns how many nodes changed."""
        _, move = _kernels()
        masks, adds = self._planes.masks[0], self._planes.adds
        planes = np.zeros((len(adds), SIDE), masks.dtype)
        by_formula = isinstance(self._tiles, KroneckerTiles)
        total = 0
        for block in self._made(rows, planes) if by_formula else self._counted(rows, number, planes):
            first = block << BITS
            last = min(first + SIDE, self._tiles.num_nodes)
            moved = move(first, last, planes, adds, self._now, self._table, self._next)
            changed[block] = moved > 0
            total += moved
            planes[:] = 0
        return total

    def _made(self, rows: _Rows, planes: Array) -> Iterator[int]:
        """Rows whose arcs have been counted as they were made."""
        tiles = self._tiles
        assert isinstance(tiles, KroneckerTiles)
        for block in rows:
            made_kernel()(tiles.recipe, block, self._now, self._planes.masks[0], planes)
            yield block

    def _counted(self, rows: _Rows, number: int, planes: Array) -> Iterator[int]:
        """Rows whose arcs have been read and counted."""
        count, _ = _kernels()
        for block, piece, words in self._ahead(rows, number):
            if piece is None:
                yield block
            else:
                count(piece.columns, piece.ends, words, self._now, self._planes.masks[0], planes)

    def _ahead(self, rows: _Rows, number: int) -> Iterator[tuple[int, Piece | None, Array | None]]:
        """The pieces of some rows with their words, read ahead; after those of a row, None."""
        waiting: deque[tuple[int, Piece | None, Future[Array] | None]] = deque()
        pieces, turn = rows.pieces(), 0
        more = True
        try:
            while more or waiting:
                while more and sum(future is not None for _, _, future in waiting) < _AHEAD:
                    found = next(pieces, None)
                    more = found is not None
                    if found is None:
                        break
                    block, piece = found
                    future = None
                    if piece is not None:
                        future = self._pool.submit(self._fill, block, piece, number, turn)
                        turn = (turn + 1) % (_AHEAD + 1)
                    waiting.append((block, piece, future))
                if waiting:
                    block, piece, future = waiting.popleft()
                    yield block, piece, None if future is None else future.result()
        finally:
            for _, _, future in waiting:
                if future is not None and not future.cancel():
                    future.exception()

    def _fill(self, block: int, piece: Piece, number: int, turn: int) -> Array:
        buffers = self._buffers[number]
        if len(buffers[turn]) < piece.size:
            buffers[turn] = np.empty(min(PIECE, 2 * piece.size), np.uint32)
        return self._tiles.words(block, piece, buffers[turn])


class _Rows:
    """The rows of a step that have to be looked at, each given to one thread."""

    def __init__(self, tiles: Tiles, changed: Array) -> None:
        self._tiles, self._changed = tiles, changed
        self._all = bool(changed.all())
        self._next = 0
        self._lock = Lock()

    def stop(self) -> None:
        """Give out no more rows."""
        self._next = self._tiles.blocks

    def __iter__(self) -> Iterator[int]:
        """The rows that nobody else has."""
        while True:
            with self._lock:
                block = self._next
                if block >= self._tiles.blocks:
                    return
                self._next += 1
            if self._all or self._changed[block] or self._changed[self._tiles.row(block)[0]].any():
                yield block

    def pieces(self) -> Iterator[tuple[int, Piece | None]]:
        """Their pieces; after those of a row, None."""
        for block in self:
            for piece in self._tiles.pieces(block):
                yield block, piece
            yield block, None
