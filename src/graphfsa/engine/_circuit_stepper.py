"""Counting automata with up to sixteen states on lattices, 64 cells to a word, by the circuit of their rule.

The bits of all states, and of those that are counted, are planes. Each operation of the circuit goes over some rows of
words, which stay in the first-level cache, before the next one does.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._circuits import AND, ANY, BUT, LOAD, MOST, OR, PICK, SUM, XOR, Circuit, circuit_of
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.lattice import Lattice

_WORD = 64
_LENGTH = 256
"""Words that an operation goes over."""
_ONE, _TOP = np.uint64(1), np.uint64(63)


def _circuit_rows(
    begin: int, end: int, even: Any, odd: Any, apart: bool, registers: int, shape: tuple[int, int], digits: int,
    tail: Any, now: Any, following: Any,
) -> int:  # fmt: skip
    """Rows of a board whose planes [planes, words] begin and end with one word more; how many cells changed.

    Args:
        begin: First row.
        end: The row after the last.
        even: Operations for even rows.
        odd: Operations for odd rows.
        apart: Whether these differ.
        registers: How many registers they need.
        shape: Words of a row, and those of them that have cells.
        digits: Number of planes of a state.
        tail: The bits of the last word of a row that are cells.
        now: The planes.
        following: Where to write them.
    """
    stride, words = shape
    # Places are unsigned, as signed ones would be checked for negative ones, and what is computed is copied from an
    # array of its own, as the compiler does not see that registers don't overlap.
    length, one = np.uint64(_LENGTH), np.uint64(1)
    room = np.zeros(registers * _LENGTH, np.uint64)
    room[_LENGTH : 2 * _LENGTH] = ~np.uint64(0)
    result = np.zeros(_LENGTH, np.uint64)
    first, last = 1 + (begin + 1) * stride, 1 + (end + 1) * stride
    while first < last:
        row = (first - 1) // stride
        program = even if row & 1 else odd  # Row 1 of the board is row 0 of the lattice.
        size = np.uint64(min(_LENGTH, (1 + (row + 1) * stride if apart else last) - first))
        for number in range(len(program)):
            what, target = program[number, 0], np.uint64(program[number, 1])
            a, b = np.uint64(program[number, 2]), program[number, 3]
            left, right, third = a * length, np.uint64(b) * length, np.uint64(program[number, 4]) * length
            if what == LOAD:
                begins = np.uint64(first + (b // 3 - 1) * stride)
                if b % 3 == 0:
                    for place in range(size):
                        result[place] = now[a, begins + place] << one | now[a, begins + place - one] >> _TOP
                elif b % 3 == 1:
                    for place in range(size):
                        result[place] = now[a, begins + place]
                else:
                    for place in range(size):
                        result[place] = now[a, begins + place] >> one | now[a, begins + place + one] << _TOP
            elif what == AND:
                for place in range(size):
                    result[place] = room[left + place] & room[right + place]
            elif what == OR:
                for place in range(size):
                    result[place] = room[left + place] | room[right + place]
            elif what == XOR:
                for place in range(size):
                    result[place] = room[left + place] ^ room[right + place]
            elif what == BUT:
                for place in range(size):
                    result[place] = room[left + place] & ~room[right + place]
            elif what == ANY:
                for place in range(size):
                    result[place] = room[left + place] | room[right + place] | room[third + place]
            elif what == SUM:
                for place in range(size):
                    result[place] = room[left + place] ^ room[right + place] ^ room[third + place]
            elif what == MOST:
                for place in range(size):
                    first_bit, other = room[left + place], room[right + place]
                    result[place] = (first_bit & other) | ((first_bit | other) & room[third + place])
            elif what == PICK:
                for place in range(size):
                    low = room[third + place]
                    result[place] = low ^ (room[left + place] & (low ^ room[right + place]))
            else:
                begins = np.uint64(first)
                for place in range(size):
                    following[target, begins + place] = room[left + place]
                continue
            target *= length
            for place in range(size):
                room[target + place] = result[place]
        first += np.int64(size)
    differing = np.zeros(words, np.uint64)
    changed = np.uint64(0)
    for row in range(begin + 1, end + 1):
        origin = np.uint64(1 + row * stride)
        inner = origin + one
        for plane in range(len(following)):
            following[plane, origin] = 0
            following[plane, origin + np.uint64(words)] &= tail
            following[plane, inner + np.uint64(words)] = 0
        differing[:] = 0
        for digit in range(np.uint64(digits)):
            for place in range(np.uint64(words)):
                differing[place] |= now[digit, inner + place] ^ following[digit, inner + place]
        for place in range(words):
            # The number of bits, by adding up neighbouring ones.
            bits = differing[place]
            bits -= bits >> one & np.uint64(0x5555555555555555)
            pairs = np.uint64(0x3333333333333333)
            bits = (bits & pairs) + (bits >> np.uint64(2) & pairs)
            bits = bits + (bits >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
            changed += bits * np.uint64(0x0101010101010101) >> np.uint64(56)
    return int(changed)


@cache
def _kernel() -> Any:
    return compile_kernel(_circuit_rows)


def lattice_circuit(fsa: GraphFSA, lattice: Lattice) -> Circuit | None:
    """The circuit of an automaton on a lattice; None if it has none, or if two directions lead to one cell."""
    return circuit_of(fsa, (lattice.offsets(0), lattice.offsets(1))) if lattice.uniform else None


class CircuitStepper(DenseStepper):
    """Steps of a counting automaton by its circuit."""

    kernel = "bits"

    def __init__(self, circuit: Circuit, lattice: Lattice, threads: int, quiet: int = 0) -> None:
        super().__init__(quiet)
        self._lattice, self._circuit = lattice, circuit
        self._words = -(-lattice.width // _WORD)
        self._threads = threads if lattice.num_cells > 1 << 17 else 1
        self._tail = ~np.uint64(0) >> np.uint64(-lattice.width % _WORD)
        stride = self._words + 2
        planes = circuit.digits + len(circuit.counted)
        self._now, self._next = np.zeros((2, planes, (lattice.height + 2) * stride + 2), np.uint64)
        apart = lattice.kind == "hex"
        self._before = (
            *circuit.operations,
            apart,
            circuit.registers,
            (stride, self._words),
            circuit.digits,
            self._tail,
        )

    def _step(self) -> int:
        changed = run_ranges(_kernel(), self._lattice.height, self._threads, *self._before, self._now, self._next)
        self._wrap(self._next)
        return changed

    def _rows(self, planes: Array) -> Array:
        return planes[:, 1:-1].reshape(len(planes), self._lattice.height + 2, self._words + 2)

    def _write(self, board: Array, states: Array) -> None:
        height, width, digits = self._lattice.height, self._lattice.width, self._circuit.digits
        cells = np.asarray(states).reshape(height, width)
        rows = self._rows(board)
        for plane in range(len(board)):
            digit = plane < digits
            bits = cells >> plane & 1 if digit else cells == self._circuit.counted[plane - digits]
            packed = np.zeros((height, self._words * 8), np.uint8)
            packed[:, : -(-width // 8)] = np.packbits(bits, axis=1, bitorder="little")
            rows[plane, 1:-1, 1:-1] = packed.view("<u8")
        self._wrap(board)

    def _read(self, board: Array) -> Array:
        states = np.zeros(self._lattice.num_cells, np.uint8)
        for digit in range(self._circuit.digits):
            packed = np.ascontiguousarray(self._rows(board)[digit, 1:-1, 1:-1]).astype("<u8", copy=False).view(np.uint8)
            bits = np.unpackbits(packed, axis=1, count=self._lattice.width, bitorder="little")
            states |= bits.reshape(-1) << np.uint8(digit)
        return states

    def _wrap(self, board: Array) -> None:
        """Put the other side of a torus beside the first and the last cells of what is counted."""
        if not self._lattice.torus:
            return
        rows = self._rows(board)[self._circuit.digits :]
        word, bit = divmod(self._lattice.width, _WORD)
        at_end, place = divmod(self._lattice.width - 1, _WORD)
        first, last = rows[..., 1] & _ONE, rows[..., 1 + at_end] >> np.uint64(place) & _ONE
        rows[..., 0] = last << _TOP
        rows[..., 1 + word] = (rows[..., 1 + word] & self._tail if bit else 0) | first << np.uint64(bit)
        rows[:, 0], rows[:, -1] = rows[:, -2], rows[:, 1]
