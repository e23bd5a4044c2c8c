"""Counting automata with up to sixteen states on lattices, 64 cells to a word, by the circuit of their rule.

The bits of all states, and of those that are counted, are planes. Each operation of the circuit goes over some rows of
words, which stay in the first-level cache, before the next one does.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._circuits import AND, ANY, BUT, LOAD, MOST, OR, PICK, SUM, XOR, Circuit, circuit_of
from graphfsa.engine._tile_kernels import tile_kernel
from graphfsa.engine._tiles import TileStepper
from graphfsa.graphs.lattice import Lattice

_LENGTH = 256
"""Words that an operation goes over."""
_TOP = np.uint64(63)

run_program: Any = None
"""Bound when the kernel is compiled."""


def _circuit_rows(
    first: int, last: int, words: int, spare: int, rule: Any, room: Any, now: Any, following: Any
) -> None:
    """The next states of some rows.

    ``rule`` is the operations for even rows, those for odd rows, and whether they differ. ``room`` has registers, of
    which the first two are the same in all cells, and a place for what is being computed.
    """
    even, odd, apart, _ = rule
    stride = words + 2
    room[_LENGTH : 2 * _LENGTH] = ~np.uint64(0)
    pace = 2 if apart else 1
    for row in range(first, min(first + pace, last)):
        program = even if row & 1 else odd  # Row 1 of the board is row 0 of the lattice.
        lines, length = (last - row + pace - 1) // pace, words
        if not apart:  # Rows of one kind are computed as one long one, with the words between them.
            lines, length = 1, (lines - 1) * stride + words
        pieces = (length + _LENGTH - 1) // _LENGTH
        piece = (length + pieces - 1) // pieces
        many = max(1, _LENGTH // piece)
        for line in range(0, lines, many):
            for place in range(0, length, piece):
                run_program(
                    program, (row + line * pace) * stride + 1 + place, min(many, lines - line),
                    min(piece, length - place), pace * stride, stride, room, now, following,
                )  # fmt: skip


def _run_program(
    program: Any, first: int, lines: int, length: int, pace: int, stride: int, room: Any, now: Any, following: Any
) -> None:
    """All operations, on lines of words that begin at ``first`` and are ``pace`` words apart."""
    # Places are unsigned, as signed ones would be checked for negative ones, and what is computed is copied from an
    # array of its own, as the compiler does not see that registers don't overlap.
    distance, one = np.uint64(_LENGTH), np.uint64(1)
    result = room[len(room) - _LENGTH :]
    size, across = np.uint64(lines * length), np.uint64(length)
    for number in range(len(program)):
        what, target = program[number, 0], np.uint64(program[number, 1])
        a, b = np.uint64(program[number, 2]), program[number, 3]
        left, right, third = a * distance, np.uint64(b) * distance, np.uint64(program[number, 4]) * distance
        if what == LOAD:
            for line in range(lines):
                begins, goal = np.uint64(first + line * pace + (b // 3 - 1) * stride), np.uint64(line * length)
                if b % 3 == 0:
                    for place in range(across):
                        result[goal + place] = now[a, begins + place] << one | now[a, begins + place - one] >> _TOP
                elif b % 3 == 1:
                    for place in range(across):
                        result[goal + place] = now[a, begins + place]
                else:
                    for place in range(across):
                        result[goal + place] = now[a, begins + place] >> one | now[a, begins + place + one] << _TOP
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
            for line in range(lines):
                begins, source = np.uint64(first + line * pace), left + np.uint64(line * length)
                for place in range(across):
                    following[target, begins + place] = room[source + place]
            continue
        target *= distance
        for place in range(size):
            room[target + place] = result[place]


@cache
def _kernel() -> Any:
    return tile_kernel(_circuit_rows, run_program=_run_program)


def lattice_circuit(fsa: GraphFSA, lattice: Lattice) -> Circuit | None:
    """The circuit of an automaton on a lattice; None if it has none, or if two directions lead to one cell."""
    return circuit_of(fsa, (lattice.offsets(0), lattice.offsets(1))) if lattice.uniform else None


class CircuitStepper(TileStepper):
    """Steps of a counting automaton by its circuit."""

    def __init__(self, circuit: Circuit, lattice: Lattice, threads: int, quiet: int = 0) -> None:
        threads = threads if lattice.num_cells > 1 << 17 else 1
        super().__init__(lattice, circuit.digits, circuit.counted, threads, quiet)
        self._kernel, self._rule = (
            _kernel(),
            (*circuit.operations, lattice.kind == "hex", (circuit.registers + 1) * _LENGTH),
        )
