"""Boards of bits, 64 cells to a word, of which only the tiles are computed in which something can happen.

A board is cut into tiles of a few rows and words. A tile can only change if it changed in the step before, or if a
neighbour changed at the side that they share. The others are left alone: their cells were the same in the last two
steps, so both buffers hold them already. Tiles that lie side by side are computed as one, on a small board of their
own. While most tiles change, steps compute everything and only look at the tiles from time to time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine._tile_kernels import EVERYTHING, TILES, closing_kernel
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.lattice import Lattice

WORD = 64
_TALL, _WIDE = 32, 2
"""Rows and words of a tile. The number of rows is even, so that even rows of a board are even rows of a tile."""
_FEW = 16
"""Rows of tiles on boards of fewer rows, if they have enough."""
_DENSE_STEPS = 32
"""Steps that compute everything between two looks at the tiles."""
_SHARED_TILES = 1 << 8
"""Changed tiles from which on steps are shared by threads."""


class TileStepper(DenseStepper):
    """Steps of an automaton whose states are bits in planes.

    Args:
        lattice: The lattice.
        digits: Number of planes of a state.
        counted: States that have a plane of their own, after those.
        threads: Number of threads.
        quiet: When fewer nodes than this change in a step, ask for a handover to the event-driven path.
    """

    kernel = "bits"
    _kernel: Any
    _rule: Any
    """The compiled kernel, and what it needs to know; from subclasses."""

    def __init__(self, lattice: Lattice, digits: int, counted: tuple[int, ...], threads: int, quiet: int = 0) -> None:
        super().__init__(quiet)
        self._lattice, self._digits, self._counted, self._threads = lattice, digits, counted, threads
        height, words = lattice.height, -(-lattice.width // WORD)
        tall = min(_TALL, max(2, height // _FEW // 2 * 2))
        wide = _TALL * _WIDE // tall
        self._shape = (height, words, tall, wide)
        top = np.uint64((lattice.width - 1) % WORD)
        self._sides = (~np.uint64(0) >> np.uint64(63) - top, top, lattice.torus)
        # Neighbours look at the planes of counted states, if there are any.
        self._planes = (digits, digits if counted else 0, quiet > 0)
        self._now, self._next = np.zeros((2, digits + len(counted), (height + 2) * (words + 2)), np.uint64)
        rows, columns = -(-height // tall), -(-words // wide)
        self._num_tiles = rows * columns
        self._before, self._after = np.zeros((2, rows + 2, columns + 3), np.uint8)
        self._sparse, self._dense_steps, self._lively = False, 0, self._num_tiles

    def load(self, states: Array) -> None:
        super().load(states)
        self.compute_all(0)

    def compute_all(self, steps: int) -> None:
        """Take it that something can happen everywhere, and look at the tiles after this number of steps."""
        self._before[1:-1, 1:-2] = EVERYTHING
        self._before[1:-1, -1] = 1
        self._sparse, self._dense_steps, self._lively = False, steps, self._num_tiles

    def _step(self) -> int:
        looking = self._dense_steps == 0
        rows = len(self._before) - 2 if looking else self._shape[0]
        found = run_ranges(
            self._kernel, rows, self._threads if self._lively >= _SHARED_TILES or not looking else 1, looking,
            self._shape, self._sides, self._planes, self._rule, self._now, self._next, self._before, self._after,
        )  # fmt: skip
        changed = found & (1 << TILES) - 1
        if not looking:
            self._dense_steps -= 1
        elif found >> TILES > self._num_tiles // (2 if self._sparse else 4):
            self.compute_all(_DENSE_STEPS)
        elif changed:
            if self._lattice.torus:
                self._after[0], self._after[-1] = self._after[-2], self._after[1]
            self._before, self._after = self._after, self._before
            self._sparse, self._lively = True, found >> TILES
        return changed

    def _rows(self, planes: Array) -> Array:
        height, words, *_ = self._shape
        return planes.reshape(len(planes), height + 2, words + 2)

    def _write(self, board: Array, states: Array) -> None:
        height, words, *_ = self._shape
        cells = np.asarray(states).reshape(height, self._lattice.width)
        rows = self._rows(board)
        for plane in range(len(board)):
            if plane < self._digits:
                bits = cells >> plane & 1 if self._digits > 1 else cells
            else:
                bits = cells == self._counted[plane - self._digits]
            packed = np.zeros((height, words * 8), np.uint8)
            packed[:, : -(-self._lattice.width // 8)] = np.packbits(bits, axis=1, bitorder="little")
            rows[plane, 1:-1, 1:-1] = packed.view("<u8")
        closing_kernel()(1, height + 1, self._shape, self._sides, self._planes, board)

    def _read(self, board: Array) -> Array:
        states = np.empty(0, np.uint8)
        for digit in range(self._digits):
            packed = np.ascontiguousarray(self._rows(board)[digit, 1:-1, 1:-1]).astype("<u8", copy=False).view(np.uint8)
            bits = np.unpackbits(packed, axis=1, count=self._lattice.width, bitorder="little")
            states = states | bits.reshape(-1) << np.uint8(digit) if digit else bits.reshape(-1)
        return states
