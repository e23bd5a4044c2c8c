"""The inner loops of a step over columns: what nodes see is counted, or added up, and then they move.

Counting is bit by bit, for all nodes of a run at once. A state shows a few bits; plane ``k`` of a node has, for each
bit, digit ``k`` of how often it was seen, and the last plane whether there was a carry out of the others. One more arc
is one addition with carry, and the count of every bit is then compared with what it must reach, in the same way. So the
cost of an arc hardly depends on the number of states, on bounds or on thresholds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.engine._columns import LONGEST, SHORTEST

move_nodes: Any = None
"""Bound when a kernel is compiled."""


def move_run(
    nodes: Any, seen: Any, place: int, moves: bool, values: Any, states: Any, table: Any, masks: Any, following: Any,
    following_bits: Any,
) -> int:  # fmt: skip
    """Add what the nodes of a run see to their values, or move them; how many changed."""
    changed = 0
    if not moves:
        for index in range(len(nodes)):
            values[nodes[index]] += seen[index] * place
        return 0
    for index in range(len(nodes)):
        node = nodes[index]
        value = np.int64(seen[index]) * place
        if len(values):
            value += values[node]
            values[node] = 0
        before = states[node]
        state = table[before, value]
        changed += state != before
        following[node] = state
        if len(masks):
            following_bits[node] = masks[state]
    return changed


def count_step(
    begin: int,
    end: int,
    layout: tuple[Any, Any, Any, Any, Any],
    shown: tuple[Any, Any],
    levels: tuple[Any, Any, Any, Any],
    moving: tuple[Any, Any, Any, Any, Any, Any],
    place: int,
    moves: bool,
) -> int:
    """A part that counts: its value, times ``place``, is added to ``values``; if it is the last, the nodes move.

    Args:
        begin: First share.
        end: The share after the last.
        layout: See ``Columns``.
        shown: The bits that each node shows, empty if they depend on the arc; those of each slot and state.
        levels: What each bit must reach, by degree if that is so: as masks of the digits that are 0, [degrees, levels,
            planes], and as numbers or shares [levels, bits]; whether these are shares; what bits add in each level.
        moving: Values so far (empty if there is one part), states, table, bits of each state (empty if not needed),
            following states and bits.
        place: The weight of this part.
        moves: Whether this is the last part.
    """
    shares, runs, nodes, sources, slots = layout
    bits, table_of_bits = shown
    zeros, least, relative, adds = levels
    values, states, table, masks, following, following_bits = moving
    num_states = np.uint64(table.shape[0])  # Signed indices would be checked for negative ones.
    width = zeros.shape[2] - 1
    planes = np.zeros((width + 1, LONGEST), table_of_bits.dtype)
    carry = np.zeros(LONGEST, table_of_bits.dtype)
    reached = np.zeros(LONGEST, table_of_bits.dtype)
    seen = np.zeros(LONGEST, np.int32)
    tally = np.zeros(len(table_of_bits), np.int64)
    counts = np.zeros(least.shape[1], np.int64)
    everything = table_of_bits.dtype.type(0xFFFFFFFF)
    changed = 0
    for run in range(shares[begin], shares[end]):
        first, size, degree, arc = runs[run, 0], runs[run, 1], runs[run, 2], runs[run, 3]
        seen[:size] = 0
        if size >= SHORTEST:
            bit = carry[:size]
            planes[:, :size] = 0
            for _ in range(degree):
                column = sources[arc : arc + size]
                if len(bits):
                    for index in range(size):
                        bit[index] = bits[column[index]]
                elif len(slots):
                    kinds = slots[arc : arc + size]
                    for index in range(size):
                        bit[index] = table_of_bits[np.uint64(kinds[index]) * num_states + states[column[index]]]
                else:
                    for index in range(size):
                        bit[index] = table_of_bits[states[column[index]]]
                arc += size
                for digit in range(width):
                    plane = planes[digit, :size]
                    for index in range(size):
                        one, other = plane[index], bit[index]
                        plane[index] = one ^ other
                        bit[index] = one & other
                plane = planes[width, :size]
                for index in range(size):
                    plane[index] |= bit[index]
            for level in range(len(adds)):
                needed = zeros[degree if relative else 0, level]
                enough = reached[:size]
                enough[:] = everything
                for digit in range(width):
                    plane, zero = planes[digit, :size], needed[digit]
                    for index in range(size):
                        one, other = plane[index], enough[index]
                        enough[index] = (one & other) | ((one | other) & zero)
                plane, zero = planes[width, :size], needed[width]
                for index in range(size):
                    enough[index] = (enough[index] & zero) | plane[index]
                if adds.shape[1]:
                    add = adds[level]
                    for index in range(size):
                        seen[index] += add[enough[index]]
                else:
                    for index in range(size):
                        seen[index] = enough[index]
        else:
            for index in range(size):
                tally[:] = 0
                for _ in range(degree):
                    kind = np.uint64(slots[arc]) * num_states if len(slots) else np.uint64(0)
                    tally[kind + states[sources[arc]]] += 1
                    arc += 1
                counts[:] = 0
                for code in range(len(tally)):
                    for number in range(len(counts)):
                        counts[number] += tally[code] * (np.int64(table_of_bits[code]) >> number & 1)
                divisor = max(1, degree) if relative else 1
                for level in range(len(adds)):
                    some = 0
                    for number in range(len(counts)):
                        some |= np.int64(counts[number] / divisor >= least[level, number]) << number
                    seen[index] += adds[level, some] if adds.shape[1] else some
        changed += move_nodes(
            nodes[first : first + size], seen, place, moves, values, states, table, masks, following, following_bits
        )
    return changed


def sum_step(
    begin: int,
    end: int,
    layout: tuple[Any, Any, Any, Any, Any],
    weights: Any,
    thresholds: Any,
    moving: tuple[Any, Any, Any, Any, Any, Any],
    place: int,
    moves: bool,
) -> int:
    """A part that adds up weights of slots and states: its value is the sum, or how many thresholds it reaches.

    The other arguments are those of ``count_step``.
    """
    shares, runs, nodes, sources, slots = layout
    values, states, table, masks, following, following_bits = moving
    num_states = np.uint64(table.shape[0])  # Signed indices would be checked for negative ones.
    totals = np.zeros(LONGEST, weights.dtype)
    seen = np.zeros(LONGEST, np.int32)
    changed = 0
    for run in range(shares[begin], shares[end]):
        first, size, degree, arc = runs[run, 0], runs[run, 1], runs[run, 2], runs[run, 3]
        total = totals[:size]
        total[:] = 0
        if size >= SHORTEST:
            for _ in range(degree):
                column = sources[arc : arc + size]
                if len(slots):
                    kinds = slots[arc : arc + size]
                    for index in range(size):
                        total[index] += weights[np.uint64(kinds[index]) * num_states + states[column[index]]]
                else:
                    for index in range(size):
                        total[index] += weights[states[column[index]]]
                arc += size
        else:
            for index in range(size):
                own = total[index]
                for _ in range(degree):
                    kind = np.uint64(slots[arc]) * num_states if len(slots) else np.uint64(0)
                    own += weights[kind + states[sources[arc]]]
                    arc += 1
                total[index] = own
        for index in range(size):
            seen[index] = 0 if len(thresholds) else total[index]
        for level in range(len(thresholds)):
            for index in range(size):
                seen[index] += total[index] >= thresholds[level]
        changed += move_nodes(
            nodes[first : first + size], seen, place, moves, values, states, table, masks, following, following_bits
        )
    return changed
