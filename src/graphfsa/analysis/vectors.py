"""Values as vectors, as the paper writes them: ``[0,0,1,*]``, one number for each part of what a node sees.

Vectors that differ in one place only, and there have everything that is possible, are written as one with a star. What
is written stands for the given values and for no others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from graphfsa.aggregations import Aggregation

_MAX_VALUES = 4096
"""Values up to which stars are looked for; more are written one by one."""
_Pattern = tuple[int | None, ...]


def vectors(aggregation: Aggregation, values: Sequence[int], state_names: Sequence[str]) -> list[str]:
    """Values as vectors in brackets, as few as a greedy choice finds.

    The places of a vector are the digits of the aggregation. For counting and average thresholds these are the numbers
    of the states, in their order: 0, 1, ... up to the bound; for positional the states in the slots, ``-`` for nobody.

    Args:
        aggregation: What makes the values.
        values: The values.
        state_names: Names of the states.

    Example:
        >>> from graphfsa.aggregations import CountingAggregation
        >>> vectors(CountingAggregation(1), [4, 12, 5], ["f0", "f1", "s0", "s1"])
        ['[*,0,1,0]', '[0,0,1,*]']
    """
    parts = aggregation.digit_labels(state_names)
    patterns: list[_Pattern] = [aggregation.digits(int(value), len(state_names)) for value in values]
    if 1 < len(patterns) <= _MAX_VALUES:
        patterns = _covering(patterns, [len(words) for _, words in parts])
    return [
        "["
        + ",".join(
            "*" if digit is None else str(digit) if aggregation.ordered else words[digit]
            for digit, (_, words) in zip(pattern, parts, strict=True)
        )
        + "]"
        for pattern in patterns
    ]


def _covering(values: Sequence[_Pattern], sizes: Sequence[int]) -> list[_Pattern]:
    """Patterns that together stand for all values, those that stand for most first."""
    primes = _primes(set(values), sizes)
    array, wide = np.array(values), np.array([[-1 if digit is None else digit for digit in prime] for prime in primes])
    holds = ((wide[:, None] == -1) | (wide[:, None] == array[None])).all(axis=2)
    chosen: list[_Pattern] = []
    left = np.ones(len(values), bool)
    while left.any():
        best = int(np.argmax((holds & left).sum(axis=1)))
        chosen.append(primes[best])
        left &= ~holds[best]
    return chosen


def _primes(values: set[_Pattern], sizes: Sequence[int]) -> list[_Pattern]:
    """All patterns that stand for some of these values only, and are part of no larger such pattern; in order."""
    primes: list[_Pattern] = []
    level = values
    while level:
        groups: dict[tuple[int, _Pattern], list[_Pattern]] = defaultdict(list)
        for pattern in level:
            for place, digit in enumerate(pattern):
                if digit is not None:
                    groups[place, (*pattern[:place], None, *pattern[place + 1 :])].append(pattern)
        whole = {key: found for key, found in groups.items() if len(found) == sizes[key[0]] > 1}
        primes += sorted(level.difference(*whole.values()), key=lambda p: [-1 if d is None else d for d in p])
        level = {wide for _, wide in whole}
    return primes
