"""The fewest thresholds with which no two nodes with different labels look the same.

Thresholds are proposed that satisfy all clauses so far; two nodes that still look the same are explained, which is a
further clause. So nothing is enumerated, and if no thresholds will do, the pair that shows it is named. An automaton
that counts less far sees less: what tells nodes apart for it does so for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphfsa.arrays import Array
from graphfsa.search.cuts.clauses import Clause, clause_of, fewest, threshold
from graphfsa.search.cuts.conflicts import FeatureData, Pair

_PAIRS = 6
_BOUNDS = (1, 2, 3, 4, 8)

Cuts = tuple[tuple[int, float], ...]
"""Thresholds: a feature and a number each, sorted."""


@dataclass(eq=False)
class _Sight:
    """What is known for automata that count to a bound."""

    bound: int
    clauses: list[Clause] = field(default_factory=list[Clause])
    impossible: Pair | None = None


class CutSearch:
    """Proposes thresholds, simplest first.

    Args:
        data: The graphs.
        most: Number of thresholds, at most.
    """

    def __init__(self, data: FeatureData, most: int) -> None:
        self._data = data
        degree = max(1, data.degree)
        slotted = data.examples.graphs.graph.slots is not None
        bounds = [degree] if slotted else sorted({min(bound, degree) for bound in (*_BOUNDS, degree)})
        self._sights = [_Sight(bound) for bound in bounds]
        self._most = most
        self._told: set[Cuts] = set()

    @property
    def impossible(self) -> Pair | None:
        """Two nodes that look the same even if all numbers are told apart, however far one counts."""
        return self._sights[-1].impossible

    def proposals(self) -> Iterator[list[tuple[Cuts, int]]]:
        """The thresholds to try, each with the bound to which one must count; those of one number together."""
        for number in range(self._most + 1):
            found: list[tuple[Cuts, int]] = []
            for sight in self._sights:
                cuts = self.satisfying(sight, number)
                if cuts is not None and cuts not in self._told:
                    self._told.add(cuts)
                    found.append((cuts, sight.bound))
            if found:
                yield found
            if self._data.budget.over or self.impossible is not None:
                return

    def repaired(self, near: Cuts) -> tuple[Cuts, int] | None:
        """As many thresholds near given ones with which nothing looks the same that must not, and how far to count."""
        for sight in self._sights:
            if not self._data.conflicts(cells_of(self._data, near), sight.bound, 1):
                return near, sight.bound
        sight = self._sights[-1]
        cuts = self.satisfying(sight, len(near), near)
        return None if cuts is None else (cuts, sight.bound)

    def satisfying(self, sight: _Sight, number: int, near: Cuts = ()) -> Cuts | None:
        """At most this number of thresholds with which nothing looks the same that must not, for one bound."""
        while not self._data.budget.over and sight.impossible is None:
            segments = fewest(sight.clauses, self._data.values, number, near)
            if segments is None:
                return None
            cuts = tuple(sorted((gap[0], threshold(gap, self._data.values[gap[0]], near)) for gap in segments))
            start = cells_of(self._data, cuts)
            pairs = self._data.conflicts(start, sight.bound, _PAIRS)
            if not pairs:
                return cuts
            self._learn(pairs, cuts, sight)
        return None

    def _learn(self, pairs: Sequence[Pair], cuts: Cuts, sight: _Sight) -> None:
        for pair in pairs:
            gaps = self._data.explained(pair, cuts, sight.bound)
            lower = [other for other in self._sights if other.bound <= sight.bound]
            for other in lower:
                if not gaps:
                    other.impossible = other.impossible or pair
                elif (clause := clause_of(gaps)) not in other.clauses:
                    other.clauses.append(clause)


def cells_of(data: FeatureData, cuts: Cuts) -> Array:
    """The cell of each node, int64: its input, and between which thresholds its numbers are."""
    found = data.examples.inputs.astype(np.int64)
    for feature, column in enumerate(data.measured.features.T):
        places = thresholds_of(cuts, feature)
        found = found * (len(places) + 1) + np.searchsorted(places, column, side="left")
    return found


def thresholds_of(cuts: Cuts, feature: int) -> list[float]:
    """The thresholds of one feature, sorted."""
    return sorted(at for j, at in cuts if j == feature)
