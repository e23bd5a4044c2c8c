"""Weighted sum: every state has a weight, and a node sees how many thresholds the sum over its neighbours reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd
from typing import Any, ClassVar, Self

import numpy as np

from graphfsa.aggregations._base import Aggregation, check_some, check_value, membership
from graphfsa.aggregations._features import Features, Grade
from graphfsa.arrays import Array
from graphfsa.checks import is_integer, shown
from graphfsa.errors import AutomatonError

_MOST = 2**31
_MAX_NUMBERS = 4096
_MAX_REACH = 2**16
"""Thresholds up to which sums that can't occur are found out."""


def _compiled_encode(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the number of thresholds; the thresholds; the weight of each state."""
    count = parameters[0]
    total = 0
    for arc in range(begin, end):
        total += parameters[1 + count + np.int64(states[sources[arc]])]
    value: Any = 0
    for place in range(count):
        value += np.int64(total >= parameters[1 + place])
    return value


@dataclass(frozen=True)
class WeightedSumAggregation(Aggregation):
    """The value is how many thresholds the sum of the neighbours' weights reaches: equation of a threshold gate.

    There is one value more than there are thresholds, whatever the number of states. A threshold ``t`` is reached when
    ``sum >= t``; without neighbours the sum is 0. For sums of non-negative weights that are known up to a limit, and
    so can be proved things about, see ``LettersAggregation``.

    Attributes:
        weights: The weight of each state, an integer, also below 0. States beyond the last have weight 0, so zeros at
            the end are dropped. By default neighbours in the first state are counted.
        thresholds: Sorted integers, at least one.

    Example:
        >>> vote = WeightedSumAggregation(weights=(-1, 1), thresholds=(0, 1))
        >>> [vote.decode(vote.encode(states, [], 2), ["no", "yes"]) for states in ([0, 0, 1], [0, 1], [1])]
        ['sum < 0', '0 <= sum < 1', 'sum >= 1']
    """

    name: ClassVar[str] = "weighted-sum"

    weights: tuple[int, ...] = (1,)
    thresholds: tuple[int, ...] = (1, 2)

    compiled_encode = staticmethod(_compiled_encode)

    def __post_init__(self) -> None:
        weights = _integers("weights", self.weights)
        while weights and not weights[-1]:
            weights.pop()
        thresholds = _integers("thresholds", self.thresholds)
        if not thresholds or any(low >= high for low, high in pairwise(thresholds)):
            raise AutomatonError(f"thresholds must be sorted and distinct, at least one; got {shown(self.thresholds)}")
        object.__setattr__(self, "weights", tuple(weights))
        object.__setattr__(self, "thresholds", tuple(thresholds))

    def weight(self, state: int) -> int:
        """The weight of a state."""
        return self.weights[state] if state < len(self.weights) else 0

    def num_values(self, num_states: int) -> int:  # noqa: D102
        if len(self.weights) > num_states:
            raise AutomatonError(
                f"only states 0 .. {num_states - 1} can have a weight, as there are {num_states} states; "
                f"state {len(self.weights) - 1} has one"
            )
        return len(self.thresholds) + 1

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:  # noqa: D102
        total = sum(self.weight(state) for state in states)
        return sum(total >= threshold for threshold in self.thresholds)

    def digit_labels(self, state_names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:  # noqa: D102
        terms = [f"{weight}*{name}" for weight, name in zip(self.weights, state_names, strict=False) if weight]
        return ((" + ".join(terms) or "0", ("-", *(f"≥{threshold}" for threshold in self.thresholds))),)

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:
        """Exactly those that neighbourhoods have, unless thresholds are very large."""
        num_values = self.num_values(num_states)
        weights = {self.weight(state) for state in np.flatnonzero(membership(states, num_states)).tolist()} - {0}
        ranges = [(low, high) for low, high in pairwise([None, *self.thresholds, None])]
        if weights and max(weights) < 0:
            weights = {-weight for weight in weights}
            ranges = [(_turned(high), _turned(low)) for low, high in ranges]
        if weights and min(weights) < 0:
            possible = [_has_multiple(gcd(*weights), *ends) for ends in ranges]
        else:
            sums = _sums(weights, min(_MAX_REACH, max(map(abs, self.thresholds)) + 1))
            possible = [_has_sum(sums, bool(weights), *ends) for ends in ranges]
        return np.array(possible, bool).reshape(num_values)

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array]:
        """The weights that are left; each value keeps its number."""
        check_some(states, num_states)
        return replace(self, weights=tuple(map(self.weight, states))), np.arange(self.num_values(num_states))

    def observation(self, value: int, state_names: Sequence[str]) -> int:
        """How many thresholds are reached."""
        check_value(value, self.num_values(len(state_names)))
        return value

    def features(self, state_names: Sequence[str]) -> Features:
        """How many thresholds the sum reaches."""
        num_values = self.num_values(len(state_names))
        return Features(grades=(Grade("weighted sum", self.thresholds, np.arange(num_values)),))

    def decode(self, value: int, state_names: Sequence[str]) -> str:  # noqa: D102
        check_value(value, self.num_values(len(state_names)))
        low = f"{self.thresholds[value - 1]}" if value else ""
        high = f"{self.thresholds[value]}" if value < len(self.thresholds) else ""
        return f"{low} <= sum < {high}" if low and high else f"sum >= {low}" if low else f"sum < {high}"

    def parameters(self, num_states: int) -> Array:  # noqa: D102
        weights = map(self.weight, range(num_states))
        return np.array([len(self.thresholds), *self.thresholds, *weights], np.int64)

    def config(self) -> dict[str, Any]:  # noqa: D102
        return {"name": self.name, "weights": list(self.weights), "thresholds": list(self.thresholds)}

    @classmethod
    def from_config(cls, fields: Mapping[str, Any]) -> Self:  # noqa: D102
        return super().from_config({key: tuple(got) if isinstance(got, list) else got for key, got in fields.items()})


def _integers(what: str, given: Any) -> list[int]:
    if not isinstance(given, tuple | list):
        raise AutomatonError(f"{what} must be a list of integers; got {shown(given)}")
    if len(given) > _MAX_NUMBERS:
        raise AutomatonError(f"there must be at most {_MAX_NUMBERS} {what}; got {len(given)}")
    for number in given:
        if not is_integer(number) or not -_MOST <= number <= _MOST:
            raise AutomatonError(f"{what} must be integers from -2^31 to 2^31; got {shown(number)}")
    return [int(number) for number in given]


def _turned(end: int | None) -> int | None:
    """The end of a range of integers, the first in it or the first behind it, when signs are turned around."""
    return None if end is None else 1 - end


def _has_multiple(step: int, low: int | None, high: int | None) -> bool:
    """Whether a range of integers, without its end, has a multiple of a number."""
    return low is None or high is None or -(-low // step) * step < high


def _sums(weights: set[int], limit: int) -> Array:
    """Which numbers below a limit are sums of positive weights, each as often as one likes, bool [limit]."""
    reached = np.zeros(max(limit, 1), bool)
    reached[0] = True
    for weight in sorted(weights):
        for start in range(min(weight, limit)):
            np.logical_or.accumulate(reached[start::weight], out=reached[start::weight])
    return reached


def _has_sum(sums: Array, some: bool, low: int | None, high: int | None) -> bool:
    """Whether a range of integers, without its end, has a sum; yes if that is not known."""
    first = max(0, low or 0)
    if high is not None and high <= first:
        return False
    if some and (high is None or high > len(sums)):
        return True
    return bool(sums[first:high].any())
