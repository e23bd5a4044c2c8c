"""The guards of rules: what a node may ask about its neighbours, and where the answer is yes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from graphfsa.aggregations import Census, Features, Sum
from graphfsa.arrays import Array


@dataclass(frozen=True)
class CountIs:
    """The number of neighbours in some states is one of several numbers.

    Attributes:
        states: The states, sorted; all of them ask for the number of neighbours as such.
        numbers: The numbers, sorted, in ``0 .. bound``; the bound stands for itself and more.
        census: Index of the census that counts them.
    """

    states: tuple[int, ...]
    numbers: tuple[int, ...]
    census: int = 0

    def holds(self, features: Features) -> Array:
        """Where the answer is yes, bool [num_values]."""
        census = features.censuses[self.census]
        among = np.zeros(census.bound + 1, bool)
        among[list(self.numbers)] = True
        return among[count_of(census, self.states)]

    def cost(self, features: Features) -> float:
        """How much there is to read."""
        census = features.censuses[self.census]
        others = len(census.counts) - len(self.states)
        # Two negations are hard to read: "every neighbour is" does without, "neither ... nor" does not.
        without = others + 0.25 if self.numbers == (0,) else 1.5 * others + (0.5 if others == 1 else 1)
        names = 1.0 if not others else min(len(self.states), without)
        return 2 + names + number_cost(self.numbers, census.bound) + (0 if census.kind is None else 1)


@dataclass(frozen=True)
class PartIs:
    """A part of the value has one of several labels.

    Attributes:
        part: Index of the part.
        labels: Indices of the labels, sorted.
    """

    part: int
    labels: tuple[int, ...]

    def holds(self, features: Features) -> Array:
        """Where the answer is yes, bool [num_values]."""
        return np.isin(features.parts[self.part].digits, self.labels)

    def cost(self, features: Features) -> float:
        """How much there is to read."""
        others = len(features.parts[self.part].labels) - len(self.labels)
        return 2 + min(len(self.labels), 1 + others)


@dataclass(frozen=True)
class ShareIs:
    """The number of thresholds that a fraction of neighbours reaches lies in a range.

    Attributes:
        share: Index of the share.
        lowest: The smallest number.
        highest: The largest number.
    """

    share: int
    lowest: int
    highest: int

    def holds(self, features: Features) -> Array:
        """Where the answer is yes, bool [num_values]."""
        digits = features.shares[self.share].digits
        return (digits >= self.lowest) & (digits <= self.highest)

    def cost(self, features: Features) -> float:
        """How much there is to read."""
        top = len(features.shares[self.share].levels)
        return 3 + (self.lowest > 0) + (self.highest < top)


@dataclass(frozen=True)
class GradeIs:
    """The number of thresholds that a number reaches lies in a range.

    Attributes:
        grade: Index of the grade.
        lowest: The smallest number of thresholds.
        highest: The largest.
    """

    grade: int
    lowest: int
    highest: int

    def holds(self, features: Features) -> Array:
        """Where the answer is yes, bool [num_values]."""
        digits = features.grades[self.grade].digits
        return (digits >= self.lowest) & (digits <= self.highest)

    def cost(self, features: Features) -> float:
        """How much there is to read."""
        top = len(features.grades[self.grade].levels)
        return 2.5 + (self.lowest > 0) + (self.highest < top)


@dataclass(frozen=True)
class SumIs:
    """A sum of letters is at one of several levels.

    Attributes:
        tally: Index of the sum.
        levels: The levels, sorted.
    """

    tally: int
    levels: tuple[int, ...]

    def holds(self, features: Features) -> Array:
        """Where the answer is yes, bool [num_values]."""
        return np.isin(features.sums[self.tally].digits, self.levels)

    def cost(self, features: Features) -> float:
        """How much there is to read."""
        part = features.sums[self.tally].sum
        asked = threshold_of(part, self.levels)
        if asked is not None:
            return 2 + len(asked[0])
        among = min(len(self.levels), 1 + part.size - len(self.levels))
        if part.kind == "highest":
            return 2.5 + sum(max(1, len(part.states(level))) for level in self.levels)
        if part.kind == "modulo":
            return 3 + len(part.states()) + (0 if part.limit == 2 else 0.5 + among)
        return (2 if part.plain else 3.5) + len(part.states()) + number_cost(self.levels, part.limit)


Atom = CountIs | PartIs | ShareIs | GradeIs | SumIs
Guard = tuple[Atom, ...]
"""All must hold; an empty one always does."""


@dataclass(frozen=True)
class Rule:
    """A node moves to ``successor`` if the guard holds and no earlier rule of its state applied."""

    guard: Guard
    successor: int


def count_of(census: Census, states: tuple[int, ...]) -> Array:
    """The number of neighbours in some states, cut at the bound, int64 [num_values]."""
    return np.minimum(census.counts[list(states)].sum(0, dtype=np.int64), census.bound)


def threshold_of(part: Sum, levels: tuple[int, ...]) -> tuple[tuple[int, ...], bool] | None:
    """The question whether some neighbour is among certain states, if this is what the levels of a sum ask.

    Returns:
        The states, and whether some neighbour must be among them or none; None if the levels ask something else.
    """
    if part.kind != "highest" or levels[-1] - levels[0] != len(levels) - 1 or len(levels) == part.size:
        return None
    if levels[0] and levels[-1] < part.limit:
        return None
    least = levels[0] or levels[-1] + 1
    return tuple(state for state in part.states() if part.weight(state) >= least), levels[0] > 0


def sum_among(features: Features, states: tuple[int, ...], some: bool) -> SumIs | None:
    """The atom that asks whether some neighbour is among certain states, or none; None if no sum tells.

    Several sums may tell. Words do not say which one, so the first is always taken, counts before others.
    """
    for place, tally in enumerate(features.sums):
        if tally.sum.kind == "count" and tally.sum.plain and tally.sum.states() == states:
            return SumIs(place, tuple(range(1, tally.sum.size)) if some else (0,))
    for place, tally in enumerate(features.sums):
        for least in range(1, tally.sum.size if tally.sum.kind == "highest" else 0):
            levels = tuple(range(least, tally.sum.size)) if some else tuple(range(least))
            if threshold_of(tally.sum, levels) == (states, some):
                return SumIs(place, levels)
    return None


def sum_atom(features: Features, tally: int, levels: tuple[int, ...]) -> SumIs:
    """The atom that holds at some levels of a sum, in the form that its words are read as."""
    asked = threshold_of(features.sums[tally].sum, levels)
    return SumIs(tally, levels) if asked is None else sum_among(features, *asked) or SumIs(tally, levels)


def guard_holds(guard: Guard, features: Features, num_values: int) -> Array:
    """Where all atoms of a guard hold, bool [num_values]."""
    holds = np.ones(num_values, bool)
    for atom in guard:
        holds &= atom.holds(features)
    return holds


def guard_cost(guard: Guard, features: Features) -> float:
    """How much there is to read in a line with this guard."""
    return 1.5 + sum(0.5 + atom.cost(features) for atom in guard)


def runs(numbers: tuple[int, ...]) -> list[tuple[int, int]]:
    """Sorted numbers as ranges (first, last) without gaps."""
    ranges: list[tuple[int, int]] = []
    for _, pairs in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        members = [number for _, number in pairs]
        ranges.append((members[0], members[-1]))
    return ranges


def number_cost(numbers: tuple[int, ...], bound: int) -> float:
    """What the words for some numbers cost: 0 for "no" and "some", 1 for each number that is named."""
    ranges = runs(numbers)
    if len(ranges) == 1:
        first, last = ranges[0]
        if (first, last) in ((0, 0), (1, bound)):
            return 0
        return 1 if first in (0, last) or last == bound else 2
    return sum(1 + (first < last < bound) for first, last in ranges)
