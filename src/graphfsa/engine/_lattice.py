"""Lattice steps without an index array: whole rows are combined with their shifted neighbours.

States live in an array with a border of one cell: copied from the other side on a torus, empty on a bounded lattice.
A row of states is turned into numbers that may be added. For counting, a state is a one in its own four bits of a word
(a cell has at most eight neighbours), so one addition per direction counts all states at once, and a small table turns
16 bits of counts into their part of the value. For positional aggregation a state is its digit, added with the weight
of the direction.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from graphfsa.aggregations import CountingAggregation, PositionalAggregation
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.lattice import Lattice

_NOBODY = 255
_FIELD = 4
_MAX_STATES = 8


def _lattice_rows(
    begin: int, end: int, offsets: Any, weights: Any, codes: Any, parts: Any, now: Any, table: Any, following: Any
) -> int:
    """Rows ``begin .. end - 1`` of the lattice.

    ``codes`` is the number of each state; ``weights`` multiplies those of a direction; ``parts[k]`` is what bits
    ``16 k .. 16 k + 15`` of their sum add to the value. Without parts the sum is the value.
    """
    width = now.shape[1] - 2
    coded = np.zeros((3, width + 2), codes.dtype)
    total = np.zeros(width, codes.dtype)
    mask = codes.dtype.type(0xFFFF)
    shift = codes.dtype.type(16)
    for row in range(begin, begin + 2):
        for column in range(width + 2):
            coded[row % 3, column] = codes[now[row, column]]
    changed = 0
    for row in range(begin + 1, end + 1):
        newest = coded[(row + 1) % 3]
        below = now[row + 1]
        for column in range(width + 2):
            newest[column] = codes[below[column]]
        total[:] = 0
        # Row 1 of the board is row 0 of the lattice.
        for direction in range(offsets.shape[1]):
            first = 1 + offsets[(row - 1) & 1, direction, 1]
            source = coded[(row + offsets[(row - 1) & 1, direction, 0]) % 3, first : first + width]
            weight = weights[direction]
            if len(parts):
                for column in range(width):
                    total[column] += source[column]
            else:
                for column in range(width):
                    total[column] += source[column] * weight
        own = now[row, 1 : width + 1]
        target = following[row, 1 : width + 1]
        if len(parts) == 0:
            for column in range(width):
                target[column] = table[own[column], total[column]]
        elif len(parts) == 1:
            low = parts[0]
            for column in range(width):
                target[column] = table[own[column], low[total[column] & mask]]
        else:
            low, high = parts[0], parts[1]
            for column in range(width):
                target[column] = table[own[column], low[total[column] & mask] + high[total[column] >> shift]]
        for column in range(width):
            changed += target[column] != own[column]
    return changed


@cache
def _kernel() -> Any:
    return compile_kernel(_lattice_rows)


def fits_lattice(fsa: GraphFSA, lattice: Lattice) -> bool:
    """Whether the lattice path can run this automaton on this lattice."""
    if type(fsa.aggregation) is CountingAggregation:
        return lattice.uniform and fsa.num_states <= _MAX_STATES
    return type(fsa.aggregation) is PositionalAggregation and lattice.slotted and fsa.num_states <= _NOBODY


class LatticeStepper(DenseStepper):
    """Steps of a counting or positional automaton on a lattice."""

    kernel = "lattice"

    def __init__(self, fsa: GraphFSA, lattice: Lattice, threads: int, quiet: int = 0) -> None:
        super().__init__(quiet)
        self._lattice = lattice
        self._threads = threads if lattice.num_cells > 1 << 15 else 1
        offsets = np.array([lattice.offsets(0), lattice.offsets(1)], np.int64)
        numbers = _counting if isinstance(fsa.aggregation, CountingAggregation) else _positional
        self._before = (offsets, *numbers(fsa, lattice))
        self._table = fsa.transition_table
        self._now, self._next = np.full((2, lattice.height + 2, lattice.width + 2), _NOBODY, np.uint8)

    def _step(self) -> int:
        arguments = (*self._before, self._now, self._table, self._next)
        changed = run_ranges(_kernel(), self._lattice.height, self._threads, *arguments)
        self._wrap(self._next)
        return changed

    def _write(self, board: Array, states: Array) -> None:
        board[1:-1, 1:-1] = states.reshape(self._lattice.height, self._lattice.width)
        self._wrap(board)

    def _read(self, board: Array) -> Array:
        return board[1:-1, 1:-1].flatten()

    def _wrap(self, board: Array) -> None:
        if self._lattice.torus:
            board[:, 0], board[:, -1] = board[:, -2], board[:, 1]
            board[0], board[-1] = board[-2], board[1]


def _counting(fsa: GraphFSA, lattice: Lattice) -> tuple[Array, Array, Array]:
    """Weights, codes and parts for counting: four bits for each state, 16 bits for each part."""
    assert isinstance(fsa.aggregation, CountingAggregation)
    bound, small = fsa.aggregation.bound, fsa.num_states <= 16 // _FIELD
    kind = np.uint16 if small else np.uint32
    codes = np.zeros(256, kind)
    codes[: fsa.num_states] = 1 << _FIELD * np.arange(fsa.num_states)
    counts = np.arange(1 << 16)[:, None] >> _FIELD * np.arange(16 // _FIELD) & (1 << _FIELD) - 1
    parts = np.zeros((1 if small else 2, 1 << 16), np.int32)
    for state in range(fsa.num_states):
        part, place = divmod(state, 16 // _FIELD)
        parts[part] += np.minimum(counts[:, place], bound) * (bound + 1) ** state
    return np.ones(lattice.num_directions, kind), codes, parts


def _positional(fsa: GraphFSA, lattice: Lattice) -> tuple[Array, Array, Array]:
    """Weights, codes and no parts for positional aggregation: 0 for nobody, else one more than the state."""
    codes = np.zeros(256, np.uint32)
    codes[: fsa.num_states] = np.arange(1, fsa.num_states + 1)
    weights = fsa.aggregation.parameters(fsa.num_states)[: lattice.num_directions].astype(np.uint32)
    return weights, codes, np.zeros((0, 1 << 16), np.int32)
