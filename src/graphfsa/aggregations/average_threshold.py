"""Average-threshold aggregation: whether the fraction of neighbours in a state reaches given thresholds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, nextafter, prod
from typing import Any, ClassVar, Self

import numpy as np

from graphfsa.aggregations._base import Aggregation, Counts, check_some, check_value, combined, membership, mixed_radix
from graphfsa.aggregations._features import Features, Share, digit_columns
from graphfsa.arrays import Array
from graphfsa.checks import check_integer, shown
from graphfsa.errors import AutomatonError

Levels = tuple[float, ...]
_ONE = 2**57
"""The fraction 1 as an integer, so that sums are exact; a table has at most 26 watched states."""


def _compiled_encode(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the number of watched states; then for each its index, weight, number of thresholds, thresholds."""
    degree = end - begin
    if degree == 0:
        return 0
    for state in range(len(scratch)):
        scratch[state] = 0
    for arc in range(begin, end):
        scratch[states[sources[arc]]] += 1
    value = 0
    place = 1
    for _ in range(int(parameters[0])):
        fraction = scratch[int(parameters[place])] / degree
        levels = int(parameters[place + 2])
        for level in range(levels):
            if fraction >= parameters[place + 3 + level]:
                value += int(parameters[place + 1])
        place += 3 + levels
    return value


@dataclass(frozen=True)
class AverageThresholdAggregation(Aggregation):
    """The value tells, for each watched state, how many of its thresholds the fraction of neighbours reaches.

    The fraction of a state is the number of neighbours in it divided by the number of neighbours; with no neighbours
    it is 0. A threshold ``t`` is reached when ``fraction >= t``. With the single threshold 0.5 the value says whether
    at least half of the neighbours are in a state. The number of values is the product over the watched states of
    (number of thresholds + 1).

    Attributes:
        thresholds: A number or sorted numbers in (0, 1], for every state; or a mapping from the index of each
            watched state to its own. Watching few states keeps the table small when there are many states.

    Example:
        >>> majority = AverageThresholdAggregation({1: 0.5})
        >>> majority.decode(majority.encode([0, 1, 1], [], num_states=2), ["no", "yes"])
        '>= 0.5 yes'
    """

    name: ClassVar[str] = "average-threshold"

    thresholds: float | Levels | Mapping[int, float | Levels] | tuple[tuple[int, Levels], ...] = (0.5,)

    compiled_encode = staticmethod(_compiled_encode)

    def __post_init__(self) -> None:
        given: Any = self.thresholds
        if isinstance(given, np.ndarray):
            given = given.tolist()
        if isinstance(given, Mapping):
            watched = sorted((_state(state), _levels(levels)) for state, levels in given.items())
            if not watched:
                raise AutomatonError("thresholds must watch at least one state; got an empty mapping")
            normal: Any = tuple(watched)
        elif given and isinstance(given, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
            if len(dict(given)) != len(given):
                raise AutomatonError(f"thresholds must name each watched state once; got {given!r}")
            normal = AverageThresholdAggregation(dict(given)).thresholds
        else:
            normal = _levels(given)
        object.__setattr__(self, "thresholds", normal)

    def watched(self, num_states: int) -> tuple[tuple[int, Levels], ...]:
        """The watched states with their thresholds."""
        thresholds: Any = self.thresholds
        if not isinstance(thresholds[0], tuple):
            return tuple((state, thresholds) for state in range(num_states))
        if thresholds[-1][0] >= num_states:
            raise AutomatonError(f"watched state must be in 0 .. {num_states - 1}; got {thresholds[-1][0]}")
        return thresholds

    def num_values(self, num_states: int) -> int:  # noqa: D102
        return prod(self._bases(num_states))

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:  # noqa: D102
        value, weight = 0, 1
        for state, levels in self.watched(num_states):
            fraction = list(states).count(state) / len(states) if len(states) else 0.0
            value += weight * sum(fraction >= level for level in levels)
            weight *= len(levels) + 1
        return value

    def digits(self, value: int, num_states: int) -> tuple[int, ...]:
        """Per watched state: how many of its thresholds are reached."""
        check_value(value, self.num_values(num_states))
        return mixed_radix(value, self._bases(num_states))

    def digit_labels(self, state_names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:  # noqa: D102
        watched = self.watched(len(state_names))
        return tuple((state_names[state], ("0", *(f"≥{level:.2g}" for level in levels))) for state, levels in watched)

    def levels(self, degree: int, num_states: int) -> tuple[tuple[int, tuple[int, ...]], ...]:  # noqa: D102
        # Compared as encode compares, so that rounding can't make a difference; without neighbours nothing is reached.
        return tuple(
            (m, tuple(next((c for c in range(1, degree + 1) if c / degree >= level), degree + 1) for level in levels))
            for m, levels in self.watched(num_states)
        )

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:
        """Those whose fractions can sum up to 1, or stay below it if a state is not watched; exact up to rounding."""
        known = membership(states, num_states)
        least: list[Array] = []
        most: list[Array] = []
        hidden = known.copy()
        for state, levels in self.watched(num_states):
            ends = [_ONE * _reached_from(level) for level in levels]
            # A state that does not occur reaches nothing: its other digits ask for more than there is.
            least.append(np.array([0, *(floor(end) if known[state] else _ONE + 1 for end in ends)]))
            most.append(np.array([*map(ceil, ends), _ONE]) * known[state])
            hidden[state] = False
        possible = combined(np.add, least) <= _ONE
        if not hidden.any():
            possible &= combined(np.add, most) >= _ONE
        possible[0] = True  # Nobody is there.
        return possible

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array]:
        """Where no watched state is left, one is watched whose thresholds do not matter."""
        check_some(states, num_states)
        weights: dict[int, tuple[int, Levels]] = {}
        weight = 1
        for state, levels in self.watched(num_states):
            weights[state] = weight, levels
            weight *= len(levels) + 1
        kept = {place: weights[state] for place, state in enumerate(states) if state in weights} or {0: (0, (1.0,))}
        thresholds: Any = self.thresholds
        levels_of = {place: levels for place, (_, levels) in kept.items()}
        smaller = AverageThresholdAggregation(levels_of) if isinstance(thresholds[0], tuple) else self
        columns = [np.arange(len(levels) + 1, dtype=np.int64) * weight for weight, levels in kept.values()]
        return smaller, combined(np.add, columns)

    def observation(self, value: int, state_names: Sequence[str]) -> Counts:
        """How many thresholds are reached, by name or index of the watched state."""
        states = [state for state, _ in self.watched(len(state_names))]
        return Counts([state_names[s] for s in states], self.digits(value, len(state_names)), states)

    def features(self, state_names: Sequence[str]) -> Features:
        """The fraction of each watched state, as far as thresholds tell."""
        watched = self.watched(len(state_names))
        digits = digit_columns(self.num_values(len(state_names)), self._bases(len(state_names)))
        return Features(shares=tuple(Share(*pair, digits[place]) for place, pair in enumerate(watched)))

    def decode(self, value: int, state_names: Sequence[str]) -> str:  # noqa: D102
        parts: list[str] = []
        watched = self.watched(len(state_names))
        for digit, (state, levels) in zip(self.digits(value, len(state_names)), watched, strict=True):
            sign = f">= {levels[digit - 1]:g}" if digit else f"< {levels[0]:g}"
            between = f" and < {levels[digit]:g}" if 0 < digit < len(levels) else ""
            parts.append(f"{sign}{between} {state_names[state]}")
        return ", ".join(parts)

    def parameters(self, num_states: int) -> Array:  # noqa: D102
        watched = self.watched(num_states)
        numbers: list[float] = [len(watched)]
        weight = 1
        for state, levels in watched:
            numbers += [state, weight, len(levels), *levels]
            weight *= len(levels) + 1
        return np.array(numbers, np.float64)

    def config(self) -> dict[str, Any]:  # noqa: D102
        thresholds: Any = self.thresholds
        if isinstance(thresholds[0], tuple):
            return {"name": self.name, "thresholds": {str(state): list(levels) for state, levels in thresholds}}
        return {"name": self.name, "thresholds": list(thresholds)}

    @classmethod
    def from_config(cls, fields: Mapping[str, Any]) -> Self:  # noqa: D102
        thresholds = fields.get("thresholds")
        if isinstance(thresholds, dict):
            for state in thresholds:
                # Only one spelling per number, or "1" and "01" would be one state given twice.
                if not re.fullmatch(r"0|[1-9][0-9]{0,8}", state):
                    raise AutomatonError(f"a watched state must be an integer >= 0; got {shown(state)}")
            fields = {**fields, "thresholds": {int(state): levels for state, levels in thresholds.items()}}
        return super().from_config(fields)

    def _bases(self, num_states: int) -> list[int]:
        return [len(levels) + 1 for _, levels in self.watched(num_states)]


def _reached_from(level: float) -> Fraction:
    """The smallest fraction that reaches a threshold: the end of what is rounded to it."""
    return (Fraction(level) + Fraction(nextafter(level, 0))) / 2


def _state(state: Any) -> int:
    return check_integer("a watched state", state, error=AutomatonError)


def _levels(levels: Any) -> Levels:
    given: tuple[Any, ...] = (
        tuple(levels) if isinstance(levels, Sequence) and not isinstance(levels, str) else (levels,)
    )
    numeric = all(isinstance(level, int | float) and not isinstance(level, bool) for level in given)
    if not given or not numeric or not all(0 < level <= 1 for level in given):
        raise AutomatonError(f"thresholds must be numbers in (0, 1]; got {levels!r}")
    if any(a >= b for a, b in pairwise(given)):
        raise AutomatonError(f"thresholds of a state must be sorted and distinct; got {levels!r}")
    return tuple(float(level) for level in given)
