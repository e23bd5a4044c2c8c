"""The rule of a counting automaton on a lattice as a circuit: a list of operations on bits, for 64 cells at a time.

The state of a cell is a few bits, and each state that somebody counts has a bit of its own beside them. The bits of the
neighbours are added up by full adders; which counts are at least 1, 2, ... selects the next state, state by state. What
is computed twice is computed once. Rules in which few counts matter have small circuits; others have none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import pairwise

import numpy as np

from graphfsa.aggregations import CountingAggregation
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA

MAX_STATES = 16
_MAX_OPERATIONS = 320
"""A circuit of this size is about as fast as looking the states up cell by cell."""
_MAX_TABLE = 1 << 20

LOAD, AND, OR, XOR, BUT, ANY, SUM, MOST, PICK, STORE = range(10)
"""Operations: read a plane, shifted; a and b, a or b, a xor b, a but not b; any of three, their sum, and whether most
of them are one; b where a is one, and c elsewhere; write a plane."""
_ZERO, _ONE = -1, -2
"""Bits that are the same in all cells; no register has them."""


@dataclass(frozen=True, eq=False)
class Circuit:
    """Operations for even rows and for odd ones.

    Attributes:
        operations: For each parity int64 [operations, 5]: the operation, its target and its arguments. A load has a
            plane, and its row and column as one number, ``3 * (row + 1) + column + 1``; a store the plane as target.
        registers: How many registers they need.
        digits: Number of planes of a state.
        counted: The states that have a plane of their own, after those.
    """

    operations: tuple[Array, Array]
    registers: int
    digits: int
    counted: tuple[int, ...]


@lru_cache(maxsize=16)
def circuit_of(fsa: GraphFSA, offsets: tuple[tuple[tuple[int, int], ...], ...]) -> Circuit | None:
    """The circuit of an automaton whose cells see these offsets in even and odd rows; None if it would be too large."""
    aggregation, num_states = fsa.aggregation, fsa.num_states
    if (
        type(aggregation) is not CountingAggregation
        or num_states > MAX_STATES
        or fsa.transition_table.size > _MAX_TABLE
    ):
        return None
    size = aggregation.bound + 1
    # The state, then the counts, those of the last state first, as their weights are the largest.
    table = fsa.transition_table.reshape(num_states, *[size] * num_states)
    counted = tuple(
        state for state in range(num_states) if (np.diff(table.astype(np.int16), axis=num_states - state) != 0).any()
    )
    programs = list[Array]()
    registers = 0
    for seen in offsets:
        builder = _Builder(counted, seen, aggregation.bound, num_states)
        if not builder.build(table):
            return None
        program, needed = builder.allocated()
        programs.append(program)
        registers = max(registers, needed)
    return Circuit((programs[0], programs[-1]), registers, _digits(num_states), counted)


def _digits(num_states: int) -> int:
    return max(1, (num_states - 1).bit_length())


@dataclass
class _Builder:
    """Makes a circuit; values are numbered in the order in which they are made."""

    counted: tuple[int, ...]
    seen: tuple[tuple[int, int], ...]
    bound: int
    num_states: int
    made: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    known: dict[tuple[int, ...], int] = field(default_factory=dict[tuple[int, ...], int])
    chosen: dict[tuple[int, bytes], int] = field(default_factory=dict[tuple[int, bytes], int])
    stored: list[int] = field(default_factory=list[int])

    def build(self, table: Array) -> bool:
        """Make everything; False if that is too much."""
        digits = _digits(self.num_states)
        own = [self._emit(LOAD, digit, 4) for digit in range(digits)]
        levels = {state: self._levels(digits + place) for place, state in enumerate(self.counted)}
        wanted = [(table >> digit & 1).astype(np.uint8) for digit in range(digits)]
        wanted += [(table == state).astype(np.uint8) for state in self.counted]
        for bits in wanted:
            found = self._choose_state(bits, own, levels)
            if found is None:
                return False
            self.stored.append(found)
        return len(self.made) <= _MAX_OPERATIONS

    def _choose_state(self, bits: Array, own: list[int], levels: dict[int, list[int]]) -> int | None:
        rows = list[int]()
        for row in bits:
            rows.append(self._choose(row, self.num_states - 1, levels))
            if len(self.made) > _MAX_OPERATIONS:
                return None
        # Numbers that are no state never occur: they are as the last state.
        rows += [rows[-1]] * ((1 << len(own)) - len(rows))
        for digit in own:
            rows = [self._select(digit, high, low) for low, high in zip(rows[::2], rows[1::2], strict=True)]
        return rows[0]

    def _choose(self, bits: Array, state: int, levels: dict[int, list[int]]) -> int:
        """The bit that is looked up by the counts of this state and all lower ones; the first axis is this one's."""
        if len(self.made) > _MAX_OPERATIONS:
            return _ZERO
        if not bits.any():
            return _ZERO
        if bits.all():
            return _ONE
        key = (state, np.packbits(bits).tobytes())
        if key not in self.chosen:
            found = self._choose(bits[0], state - 1, levels)
            for count, (before, after) in enumerate(pairwise(bits), 1):
                if (before != after).any():
                    reached = levels[state][count - 1]
                    # Selected level by level: what is beyond a level takes the place of what is below it.
                    found = self._select(reached, self._choose(after, state - 1, levels), found)
            self.chosen[key] = found
        return self.chosen[key]

    def _levels(self, plane: int) -> list[int]:
        """Whether at least 1, 2, ... neighbours have the bit of a plane."""
        bits = [self._emit(LOAD, plane, 3 * (dr + 1) + dc + 1) for dr, dc in self.seen]
        if self.bound == 1:
            while len(bits) > 2:
                bits = [*bits[3:], self._emit(ANY, *bits[:3])]
            return [reduce(self._or, bits)]
        count = list[int]()
        while bits:
            more = list[int]()
            while len(bits) > 2:
                more.append(self._emit(MOST, *bits[:3]))
                bits = [*bits[3:], self._emit(SUM, *bits[:3])]
            if len(bits) > 1:
                more.append(self._and(*bits))
                bits = [self._xor(*bits)]
            count.append(bits[0])
            bits = more
        return [self._at_least(count, least) for least in range(1, self.bound + 1)]

    def _at_least(self, count: list[int], least: int) -> int:
        if least >> len(count):
            return _ZERO
        enough = _ONE
        for digit, bit in enumerate(count):
            enough = self._and(bit, enough) if least >> digit & 1 else self._or(bit, enough)
        return enough

    def _select(self, which: int, high: int, low: int) -> int:
        if high == low or which == _ZERO:
            return low
        if which == _ONE:
            return high
        if high == _ONE:
            return self._or(which, low)
        if high == _ZERO:
            return self._but(low, which)
        if low == _ZERO:
            return self._and(which, high)
        return self._emit(PICK, which, high, low)

    def _and(self, a: int, b: int) -> int:
        if _ZERO in (a, b):
            return _ZERO
        return b if a in (_ONE, b) else a if b == _ONE else self._emit(AND, min(a, b), max(a, b))

    def _or(self, a: int, b: int) -> int:
        if _ONE in (a, b):
            return _ONE
        return b if a in (_ZERO, b) else a if b == _ZERO else self._emit(OR, min(a, b), max(a, b))

    def _xor(self, a: int, b: int) -> int:
        if a == b:
            return _ZERO
        if _ZERO in (a, b):
            return a + b - _ZERO
        return self._emit(XOR, *sorted((a, b), reverse=True))

    def _but(self, a: int, b: int) -> int:
        if a in (_ZERO, b) or b == _ONE:
            return _ZERO
        return a if b == _ZERO else self._emit(BUT, a, b)

    def _emit(self, operation: int, *arguments: int) -> int:
        key = (operation, *arguments)
        if key not in self.known:
            self.known[key] = len(self.made)
            self.made.append(key)
        return self.known[key]

    def allocated(self) -> tuple[Array, int]:
        """The operations that are needed, with registers that are used again, and the number of registers.

        Register 0 has no bits and register 1 has all.
        """
        needed, last = set[int](), dict[int, int]()
        for value in range(len(self.made) - 1, -1, -1):
            if value in self.stored or value in last:
                needed.add(value)
                operation, *arguments = self.made[value]
                for argument in arguments if operation != LOAD else ():
                    if argument >= 0:
                        last.setdefault(argument, value)
        program, place, free, registers = list[list[int]](), {_ZERO: 0, _ONE: 1}, list[int](), 2
        for value in sorted(needed):
            operation, *arguments = self.made[value]
            if not free:
                free.append(registers)
                registers += 1
            place[value] = free.pop()
            given = arguments if operation == LOAD else [place[each] for each in arguments]
            program.append([operation, place[value], *given, *[0] * (3 - len(given))])
            if operation != LOAD:
                done = {each for each in arguments if each >= 0 and last[each] == value}
                free += [place[each] for each in sorted(done - set(self.stored))]
        program += [[STORE, plane, place[value], 0, 0] for plane, value in enumerate(self.stored)]
        return np.array(program, np.int64).reshape(-1, 5), registers
