"""The fewest thresholds that part at least one gap of every clause."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf

import numpy as np

from graphfsa.arrays import Array
from graphfsa.search.cuts.conflicts import Gap

Clause = frozenset[Gap]


def clause_of(gaps: Sequence[Gap]) -> Clause:
    """A clause from gaps; those that lie side by side are one."""
    joined: list[Gap] = []
    for feature, low, high in sorted(gaps):
        if joined and joined[-1][0] == feature and joined[-1][2] == low:
            joined[-1] = (feature, joined[-1][1], high)
        else:
            joined.append((feature, low, high))
    return frozenset(joined)


def fewest(
    clauses: Sequence[Clause], values: Sequence[Array], most: int, near: Sequence[tuple[int, float]] = ()
) -> list[Gap] | None:
    """The fewest segments such that a threshold in each parts a gap of every clause; None if more are needed.

    Args:
        clauses: The clauses.
        values: The numbers of each feature, sorted; of equally good segments, that with more of them is taken.
        most: The number of segments, at most.
        near: Thresholds, a feature and a number each; of equally good segments, the nearest to one of them is taken.
    """
    segments = _undominated(_segments(clauses), values, near)
    whole = (1 << len(clauses)) - 1
    for number in range(most + 1):
        found = _cover(segments, whole, number)
        if found is not None:
            return found
    return None


def threshold(segment: Gap, values: Array, near: Sequence[tuple[int, float]] = ()) -> float:
    """A threshold in the widest gap between neighbouring numbers of a segment: cuts lie where there are none.

    Args:
        segment: The segment.
        values: The numbers of its feature, sorted.
        near: Thresholds; if one of them is of this feature, the gap that is nearest to it is taken instead.
    """
    feature, low, high = segment
    first, last = np.searchsorted(values, [low, high]).tolist()
    with np.errstate(over="ignore"):  # A gap may be wider than any number.
        place = first + int(np.argmax(np.diff(values[first : last + 1])))
    known = [at for j, at in near if j == feature]
    if known:
        at = min(known, key=lambda at: _distance(segment, feature, at))
        place = min(max(int(np.searchsorted(values, at, side="right")) - 1, first), last - 1)
    return between(float(values[place]), float(values[place + 1]))


def between(low: float, high: float) -> float:
    """The middle of two numbers; the lower one if there is nothing between them."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


_Segment = tuple[Gap, int]


def _segments(clauses: Sequence[Clause]) -> list[_Segment]:
    """The segments between neighbouring ends of gaps, each with a bit for every clause that it satisfies."""
    found: list[_Segment] = []
    for feature in sorted({gap[0] for clause in clauses for gap in clause}):
        own = [(low, high, 1 << k) for k, clause in enumerate(clauses) for j, low, high in clause if j == feature]
        ends = sorted({end for low, high, _ in own for end in (low, high)})
        place = {end: number for number, end in enumerate(ends)}
        masks = [0] * len(ends)
        for low, high, bit in own:
            for number in range(place[low], place[high]):
                masks[number] |= bit
        found += [((feature, low, high), masks[k]) for k, (low, high) in enumerate(pairwise(ends)) if masks[k]]
    return found


def _distance(gap: Gap, feature: int, at: float) -> float:
    """How far a threshold is from a segment."""
    if gap[0] != feature:
        return inf
    return max(gap[1] - at, at - gap[2], 0.0)


def _undominated(
    segments: list[_Segment], values: Sequence[Array], near: Sequence[tuple[int, float]]
) -> list[_Segment]:
    """Without segments that satisfy no more than another one; those with the most clauses and numbers first."""

    def room(gap: Gap) -> int:
        return int(np.subtract(*np.searchsorted(values[gap[0]], [gap[2], gap[1]])))

    def key(segment: _Segment) -> tuple[int, float, int, Gap]:
        gap, mask = segment
        return -mask.bit_count(), min([inf, *(_distance(gap, *cut) for cut in near)]), -room(gap), gap

    order = sorted(segments, key=key)
    kept: list[_Segment] = []
    for gap, mask in order:
        if all(mask & ~other for _, other in kept):
            kept.append((gap, mask))
    return kept


def _cover(segments: list[_Segment], missing: int, number: int) -> list[Gap] | None:
    """This number of segments that satisfy all clauses that are missing, or None."""
    if not missing:
        return []
    if not number or not segments:
        return None
    if max((mask & missing).bit_count() for _, mask in segments) * number < missing.bit_count():
        return None
    # The clause with the fewest ways to be satisfied.
    bits = [1 << k for k in range(missing.bit_length()) if missing >> k & 1]
    rarest = min(bits, key=lambda bit: sum(1 for _, mask in segments if mask & bit))
    for gap, mask in segments:
        if mask & rarest:
            rest = _cover(segments, missing & ~mask, number - 1)
            if rest is not None:
                return [gap, *rest]
    return None
