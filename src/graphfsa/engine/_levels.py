"""What a state shows as a few bits, for aggregations whose value follows from how often each bit is seen.

Counting has a bit for each state, whose levels are the counts 1 .. b. Average thresholds have a bit for each watched
state, and levels that are shares of the degree. Letters have a bit for each sum that counts states once, and one for
each letter of a sum of the kind highest: a state sets the bit of its own letter and of all lower ones, and the highest
letter is the number of bits that are seen at all. Relations have a bit for each kind and state. Sums modulo a number
and weighted ones do not fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from graphfsa.aggregations import (
    Aggregation,
    AverageThresholdAggregation,
    CountingAggregation,
    LettersAggregation,
    RelationsAggregation,
)
from graphfsa.arrays import Array

_MAX_LEVELS = 16
_MAX_BITS = 16
_MAX_SET_BITS = 32
_MAX_LETTER_BITS = 12


@dataclass(frozen=True, eq=False)
class Levels:
    """A value as the sum, over levels, of what the bits that reach the level add.

    Attributes:
        masks: The bits that each state shows through each kind, uint8, uint16 or uint32 [kinds, num_states].
        least: How often each bit must be seen to reach each level, float64 [levels, bits].
        relative: Whether that is a share of all neighbours.
        adds: What each set of bits adds in each level, int32 [levels, 2^bits]; [1, 0] if the set is the value.
    """

    masks: Array
    least: Array
    relative: bool
    adds: Array


@lru_cache(maxsize=16)
def levels_of(aggregation: Aggregation, num_states: int, kinds: int = 1) -> Levels | None:
    """The levels of an aggregation; None if it has none, or too many."""
    if type(aggregation) is RelationsAggregation:
        return _relations(aggregation, num_states)
    if type(aggregation) is CountingAggregation:
        found = _counting(aggregation.bound, num_states)
    elif type(aggregation) is AverageThresholdAggregation:
        found = _thresholds(aggregation, num_states)
    else:
        found = _letters(aggregation, num_states) if type(aggregation) is LettersAggregation else None
    return None if found is None else replace(found, masks=np.tile(found.masks, (kinds, 1)))


def _counting(bound: int, num_states: int) -> Levels | None:
    weights = [[(bound + 1) ** state for state in range(num_states)]] * min(bound, _MAX_LEVELS + 1)
    return _levels([1 << state for state in range(num_states)], [range(1, bound + 1)] * num_states, weights)


def _relations(aggregation: RelationsAggregation, num_states: int) -> Levels | None:
    """A bit for each state and kind."""
    bounds, weights, weight = aggregation.bounds, list[int](), 1
    for bound in bounds:
        weights += [weight * (bound + 1) ** state for state in range(num_states)]
        weight *= (bound + 1) ** num_states
    counts = [range(1, bound + 1) for bound in bounds for _ in range(num_states)]
    adds = [
        [own if level < len(each) else 0 for own, each in zip(weights, counts, strict=True)]
        for level in range(min(max(bounds), _MAX_LEVELS + 1))
    ]
    found = _levels([1 << bit for bit in range(len(weights))], counts, adds)
    return None if found is None else replace(found, masks=found.masks.reshape(len(bounds), num_states))


def _thresholds(aggregation: AverageThresholdAggregation, num_states: int) -> Levels | None:
    watched = aggregation.watched(num_states)
    masks, weights, weight = [0] * num_states, list[int](), 1
    for bit, (state, shares) in enumerate(watched):
        masks[state] = 1 << bit
        weights.append(weight)
        weight *= len(shares) + 1
    shares = [shares for _, shares in watched]
    adds = [
        [own if level < len(each) else 0 for own, each in zip(weights, shares, strict=True)]
        for level in range(min(max(map(len, shares)), _MAX_LEVELS + 1))
    ]
    found = _levels(masks, shares, adds)
    return None if found is None else replace(found, relative=True)


def _letters(aggregation: LettersAggregation, num_states: int) -> Levels | None:
    masks, adds = [0] * num_states, list[list[int]]()
    place, bits = 1, 0
    count = max((part.limit for part in aggregation.sums if part.kind == "count"), default=1)
    for part in aggregation.sums:
        if count > _MAX_LEVELS or part.kind == "modulo" or (part.kind == "count" and not part.plain):
            return None
        letters = sorted(set(part.weights) - {0})
        for state in range(num_states):
            masks[state] |= sum(1 << bits + k for k, letter in enumerate(letters) if part.weight(state) >= letter)
        for letter, lower in zip(letters, [0, *letters], strict=False):
            seen = part.limit if part.kind == "count" else 1
            adds.append([place * (letter - lower) if level < seen else 0 for level in range(count)])
        bits += len(letters)
        place *= part.size
    if bits > _MAX_LETTER_BITS:
        return None
    counts = [range(1, count + 1)] * bits
    return _levels(masks, counts, [[add[level] for add in adds] for level in range(count)])


def _levels(masks: list[int], least: list[range] | list[tuple[float, ...]], weights: list[list[int]]) -> Levels | None:
    """Levels from the bits of each state, what each bit must reach, and what each bit adds in each level."""
    bits, count = len(least), len(weights)
    alone = count == 1 and weights[0] == [1 << bit for bit in range(bits)]
    if count > _MAX_LEVELS or bits > (_MAX_SET_BITS if alone else _MAX_BITS if count < 4 else _MAX_LETTER_BITS):
        return None
    table = np.empty((1, 0), np.int32)
    if not alone:
        sets = np.arange(1 << bits)[:, None] >> np.arange(bits) & 1
        table = np.stack([(sets @ np.array(row, np.int64).reshape(bits)).astype(np.int32) for row in weights])
    # A bit that has no such level adds nothing there, so what it would have to reach does not matter.
    reach = [[each[level] if level < len(each) else 1 for each in least] for level in range(count)]
    kind = np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.uint32
    return Levels(np.array(masks, kind).reshape(1, -1), np.array(reach, np.float64).reshape(count, bits), False, table)
