"""Two-state counting automata on lattices, 64 cells to a word.

The number of live neighbours of 64 cells at once is added up by full adders into four bit planes; the next state is
then selected by those planes from the 9 + 9 outcomes of the rule (born with k, survives with k). Everything is plain
bit logic on rows, which the compiler vectorises further.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from graphfsa.aggregations import CountingAggregation
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._tile_kernels import tile_kernel
from graphfsa.engine._tiles import TileStepper
from graphfsa.graphs.lattice import Lattice

_ONE, _TOP = np.uint64(1), np.uint64(63)


def _bit_rows(first: int, last: int, words: int, spare: int, rule: Any, room: Any, now: Any, following: Any) -> None:
    """The next states of some rows.

    ``masks[parity, k]`` selects the directions. ``outcomes[0, k]`` is whether a cell is born with ``k`` live
    neighbours, and ``outcomes[1, k]`` where birth and survival differ.
    """
    masks, outcomes, apart, _ = rule
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = outcomes[0]
    t0, t1, t2, t3, t4, t5, t6, t7, t8 = outcomes[1]
    stride, cells, targets = words + 2, now[0], following[0]
    # Rows of one kind are computed as one long one, with the words between them.
    pace = 1 if apart else last - first
    for row in range(first, last, pace):
        begin, size = row * stride, (pace - 1) * stride + words + 2 + spare
        up, own = cells[begin - stride : begin - stride + size], cells[begin : begin + size]
        down, target = cells[begin + stride : begin + stride + size], targets[begin : begin + size]
        # Row 1 of the board is row 0 of the lattice.
        m0, m1, m2, m3, m4, m5, m6, m7 = masks[(row - 1) & 1]
        for word in range(1, size - 1):
            me = own[word]
            u, d = up[word], down[word]
            uw = ((u << _ONE) | (up[word - 1] >> _TOP)) & m0
            ue = ((u >> _ONE) | (up[word + 1] << _TOP)) & m2
            w = ((me << _ONE) | (own[word - 1] >> _TOP)) & m3
            e = ((me >> _ONE) | (own[word + 1] << _TOP)) & m4
            dw = ((d << _ONE) | (down[word - 1] >> _TOP)) & m5
            de = ((d >> _ONE) | (down[word + 1] << _TOP)) & m7
            u &= m1
            d &= m6
            # Full adders: three bits of one weight make a sum bit and a carry.
            half = uw ^ ue
            sum_up, carry_up = half ^ u, (uw & ue) | (u & half)
            half = dw ^ de
            sum_down, carry_down = half ^ d, (dw & de) | (d & half)
            sum_side, carry_side = w ^ e, w & e
            half = sum_up ^ sum_down
            ones, carry = half ^ sum_side, (sum_up & sum_down) | (sum_side & half)
            half = carry_up ^ carry_down
            twos, carry_twos = half ^ carry_side, (carry_up & carry_down) | (carry_side & half)
            more = twos & carry
            twos ^= carry
            fours, eights = carry_twos ^ more, carry_twos & more
            # Select the outcome by the bits of the count; the last level only for a count of eight.
            k0 = b0 ^ (me & t0)
            k0 ^= ones & (k0 ^ b1 ^ (me & t1))
            k2 = b2 ^ (me & t2)
            k2 ^= ones & (k2 ^ b3 ^ (me & t3))
            k4 = b4 ^ (me & t4)
            k4 ^= ones & (k4 ^ b5 ^ (me & t5))
            k6 = b6 ^ (me & t6)
            k6 ^= ones & (k6 ^ b7 ^ (me & t7))
            k0 ^= twos & (k0 ^ k2)
            k4 ^= twos & (k4 ^ k6)
            k0 ^= fours & (k0 ^ k4)
            k0 ^= eights & (k0 ^ b8 ^ (me & t8))
            target[word] = k0


@cache
def _kernel() -> Any:
    return tile_kernel(_bit_rows)


def outcomes(fsa: GraphFSA, lattice: Lattice) -> tuple[Array, Array] | None:
    """Next state by the number of neighbours in state 1, for cells in state 0 and in state 1, bool [9] each.

    None if the automaton or the lattice does not fit: then the number of neighbours in state 1 does not determine
    the value, because at the border of a bounded lattice it also matters how many neighbours there are.
    """
    aggregation = fsa.aggregation
    flat = lattice.kind != "line" and not lattice.slotted and lattice.uniform
    if fsa.num_states != 2 or type(aggregation) is not CountingAggregation or not flat:
        return None
    bound, degree = aggregation.bound, lattice.num_directions
    found = np.zeros((2, 9), bool)
    for live in range(degree + 1):
        others = [degree - live] if lattice.torus else range(degree - live + 1)
        values = [min(bound, other) + (bound + 1) * min(bound, live) for other in others]
        rows = fsa.transition_table[:, values]
        if (rows != rows[:, :1]).any():
            return None
        found[:, live] = rows[:, 0]
    return found[0], found[1]


class BitStepper(TileStepper):
    """Bit-sliced steps of a two-state counting automaton."""

    def __init__(self, born: Array, survive: Array, lattice: Lattice, threads: int) -> None:
        super().__init__(lattice, 1, (), threads if lattice.num_cells > 1 << 19 else 1)
        everything = ~np.uint64(0)
        born_words = np.where(born, everything, np.uint64(0))
        toggles = born_words ^ np.where(survive, everything, np.uint64(0))
        around = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
        masks = np.array(
            [[everything if place in lattice.offsets(parity) else 0 for place in around] for parity in (0, 1)],
            np.uint64,
        )
        self._kernel, self._rule = _kernel(), (masks, np.array([born_words, toggles]), lattice.kind == "hex", 0)
