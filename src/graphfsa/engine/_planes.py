"""What a state shows as a few bits, for aggregations whose value follows from how often each bit is seen.

Counting has a bit for each state. Letters have a bit for each sum that counts states once, and one for each letter of
a sum of the kind highest: a state sets the bit of its own letter and of all lower ones, and the highest letter is the
number of bits that are seen at all. Sums modulo a number and weighted ones do not fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graphfsa.aggregations import Aggregation, CountingAggregation, LettersAggregation
from graphfsa.arrays import Array

MAX_PLANES = 8
_MAX_BITS = 16
_MAX_SET_BITS = 32
_MAX_LETTER_BITS = 12


@dataclass(frozen=True, eq=False)
class Planes:
    """A value as the sum, over planes, of what the bits in the plane add; plane ``k`` has the bits seen over k times.

    Attributes:
        masks: The bits that each state shows, uint8, uint16 or uint32 [num_states].
        count: Number of planes.
        adds: What each set of bits adds in each plane, int64 [count, 2^bits]; [1, 0] if the first plane is the value.
    """

    masks: Array
    count: int
    adds: Array


@lru_cache(maxsize=16)
def planes_of(aggregation: Aggregation, num_states: int) -> Planes | None:
    """The planes of an aggregation; None if it has none, or too many."""
    if type(aggregation) is CountingAggregation:
        return _counting(aggregation.bound, num_states)
    return _letters(aggregation, num_states) if type(aggregation) is LettersAggregation else None


def _counting(bound: int, num_states: int) -> Planes | None:
    if bound > MAX_PLANES or num_states > (_MAX_SET_BITS if bound == 1 else _MAX_BITS):
        return None
    masks = _masks([1 << state for state in range(num_states)], num_states)
    if bound == 1:
        # The set of states that are seen is the value itself.
        return Planes(masks, 1, np.empty((1, 0), np.int64))
    weights = [(bound + 1) ** state for state in range(num_states)]
    return Planes(masks, bound, np.stack([_adds(weights)] * bound))


def _letters(aggregation: LettersAggregation, num_states: int) -> Planes | None:
    masks, adds = [0] * num_states, list[list[int]]()
    place, bits = 1, 0
    count = max((part.limit for part in aggregation.sums if part.kind == "count"), default=1)
    for part in aggregation.sums:
        if count > MAX_PLANES or part.kind == "modulo" or (part.kind == "count" and not part.plain):
            return None
        letters = sorted(set(part.weights) - {0})
        for state in range(num_states):
            masks[state] |= sum(1 << bits + k for k, letter in enumerate(letters) if part.weight(state) >= letter)
        for letter, lower in zip(letters, [0, *letters], strict=False):
            seen = part.limit if part.kind == "count" else 1
            adds.append([place * (letter - lower) if plane < seen else 0 for plane in range(count)])
        bits += len(letters)
        place *= part.size
    if bits > _MAX_LETTER_BITS:
        return None
    return Planes(_masks(masks, bits), count, np.stack([_adds([add[plane] for add in adds]) for plane in range(count)]))


def _masks(masks: list[int], bits: int) -> Array:
    return np.array(masks, np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.uint32)


def _adds(weights: list[int]) -> Array:
    """What every set of bits adds: the sum of the weights of its bits, int64 [2^bits]."""
    sets = np.arange(1 << len(weights))[:, None] >> np.arange(len(weights)) & 1
    return sets @ np.array(weights, np.int64)
