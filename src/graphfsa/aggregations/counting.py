"""Counting aggregation: how often each state occurs among the neighbours, exactly up to a bound (equations 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from graphfsa.aggregations._base import Aggregation, Counts, check_some, check_value, combined, membership, mixed_radix
from graphfsa.aggregations._features import Census, Features, digit_columns
from graphfsa.arrays import Array
from graphfsa.checks import check_integer
from graphfsa.errors import AutomatonError


def _compiled_encode(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the bound, then the weight ``(b + 1)^m`` of each state ``m``."""
    bound = parameters[0]
    if bound == 1:  # The set of states is the value; a table has less than 62 of them.
        seen: Any = 0
        for arc in range(begin, end):
            seen |= 1 << np.int64(states[sources[arc]])
        return seen
    for state in range(len(scratch)):
        scratch[state] = 0
    value = 0
    for arc in range(begin, end):
        state = states[sources[arc]]
        if scratch[state] < bound:
            scratch[state] += 1
            value += parameters[1 + state]
    return value


@dataclass(frozen=True)
class CountingAggregation(Aggregation):
    """The one-two-many principle: the value is the vector of ``min(bound, count of state m)`` over all states ``m``.

    There are ``(bound + 1) ** num_states`` values. Value ``z`` has the count of state ``m`` as its digit of weight
    ``(bound + 1) ** m``.

    Attributes:
        bound: Up to what number neighbours in one state are counted exactly, at least 1. With 1, the value is the
            set of states that occur.

    Example:
        >>> one_two_many = CountingAggregation(bound=2)
        >>> value = one_two_many.encode([0, 1, 1, 1], [], num_states=2)
        >>> one_two_many.decode(value, ["dead", "alive"])
        '1 dead, 2+ alive'
    """

    name: ClassVar[str] = "counting"

    bound: int = 1

    compiled_encode = staticmethod(_compiled_encode)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bound", check_integer("bound", self.bound, 1, error=AutomatonError))

    def num_values(self, num_states: int) -> int:  # noqa: D102
        return (self.bound + 1) ** num_states

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:  # noqa: D102
        return sum(min(self.bound, list(states).count(m)) * (self.bound + 1) ** m for m in range(num_states))

    def digits(self, value: int, num_states: int) -> tuple[int, ...]:
        """The bounded count of each state."""
        check_value(value, self.num_values(num_states))
        return mixed_radix(value, [self.bound + 1] * num_states)

    def digit_labels(self, state_names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:  # noqa: D102
        counts = (*map(str, range(self.bound)), f"{self.bound}+")
        return tuple((name, counts) for name in state_names)

    def levels(self, degree: int, num_states: int) -> tuple[tuple[int, tuple[int, ...]], ...]:  # noqa: D102
        return tuple((m, tuple(range(1, self.bound + 1))) for m in range(num_states))

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int:  # noqa: D102
        check_value(value, self.num_values(num_states))
        weight = (self.bound + 1) ** state
        return value + weight if value // weight % (self.bound + 1) < self.bound else value

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:  # noqa: D102
        absent = np.arange(self.bound + 1) == 0
        return combined(np.logical_and, [absent | known for known in membership(states, num_states)])

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array]:  # noqa: D102
        check_some(states, num_states)
        counts = np.arange(self.bound + 1, dtype=np.int64)
        return self, combined(np.add, [counts * (self.bound + 1) ** state for state in states])

    def observation(self, value: int, state_names: Sequence[str]) -> Counts:
        """The bounded counts, by state name or index."""
        return Counts(state_names, self.digits(value, len(state_names)))

    def features(self, state_names: Sequence[str]) -> Features:
        """Counts of any set of states: their sum, cut at the bound, is exact."""
        num_states = len(state_names)
        counts = digit_columns(self.num_values(num_states), [self.bound + 1] * num_states)
        return Features(censuses=(Census(counts, self.bound),))

    def decode(self, value: int, state_names: Sequence[str]) -> str:  # noqa: D102
        counts = zip(self.digits(value, len(state_names)), state_names, strict=True)
        return ", ".join(f"{count}{'+' if count == self.bound else ''} {name}" for count, name in counts)

    def parameters(self, num_states: int) -> Array:  # noqa: D102
        return np.array([self.bound, *((self.bound + 1) ** m for m in range(num_states))], np.int64)
