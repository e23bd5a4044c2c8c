"""Positional aggregation: which state is in which slot (left, right, ...), with missing neighbours as such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from graphfsa.aggregations._base import Aggregation, check_some, check_value, combined, membership, mixed_radix
from graphfsa.aggregations._features import Census, Features, Part, digit_columns
from graphfsa.arrays import Array
from graphfsa.checks import check_integer
from graphfsa.errors import AutomatonError
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.graph import MAX_SLOTS


def _compiled_encode(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the weight ``(|M| + 1)^k`` of each slot ``k``."""
    value = 0
    for arc in range(begin, end):
        value += (np.int64(states[sources[arc]]) + 1) * parameters[slots[arc]]
    return value


@dataclass(frozen=True)
class PositionalAggregation(Aggregation):
    """The value is the state in each slot, or that nobody is there.

    There are ``(num_states + 1) ** num_slots`` values. Digit ``k``, of weight ``(num_states + 1) ** k``, is 0 if
    slot ``k`` is empty and ``m + 1`` if the neighbour there is in state ``m``.

    Attributes:
        num_slots: How many slots a node has: 2 for a row (left, right), 4, 6 or 8 for lattices.

    Example:
        >>> sides = PositionalAggregation(num_slots=2)
        >>> sides.decode(sides.encode([1], [0], num_states=2), ["off", "on"])
        '[on, -]'
    """

    name: ClassVar[str] = "positional"

    num_slots: int = 2

    uses_slots = True
    ordered = False
    compiled_encode = staticmethod(_compiled_encode)

    def __post_init__(self) -> None:
        num_slots = check_integer("num_slots", self.num_slots, 1, MAX_SLOTS, error=AutomatonError)
        object.__setattr__(self, "num_slots", num_slots)

    def num_values(self, num_states: int) -> int:  # noqa: D102
        return (num_states + 1) ** self.num_slots

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:  # noqa: D102
        return sum((state + 1) * (num_states + 1) ** slot for state, slot in zip(states, slots, strict=True))

    def digits(self, value: int, num_states: int) -> tuple[int, ...]:
        """Per slot: 0 if it is empty, else one more than the state."""
        check_value(value, self.num_values(num_states))
        return mixed_radix(value, [num_states + 1] * self.num_slots)

    def digit_labels(self, state_names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:  # noqa: D102
        return tuple((f"slot {slot}", ("-", *state_names)) for slot in range(self.num_slots))

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int | None:  # noqa: D102
        if not 0 <= slot < self.num_slots or self.digits(value, num_states)[slot]:
            return None
        return value + (state + 1) * (num_states + 1) ** slot

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:  # noqa: D102
        column = np.r_[True, membership(states, num_states)]
        return combined(np.logical_and, [column] * self.num_slots)

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array]:  # noqa: D102
        check_some(states, num_states)
        column = np.array([0, *(state + 1 for state in states)], np.int64)
        return self, combined(np.add, [column * (num_states + 1) ** slot for slot in range(self.num_slots)])

    def observation(self, value: int, state_names: Sequence[str]) -> tuple[str | None, ...]:
        """Per slot: the name of the state, or None."""
        return tuple(state_names[d - 1] if d else None for d in self.digits(value, len(state_names)))

    def features(self, state_names: Sequence[str]) -> Features:
        """Who is in each slot (left and right, if there are two), and how many are in each state."""
        num_states = len(state_names)
        digits = digit_columns(self.num_values(num_states), [num_states + 1] * self.num_slots)
        names = ["left", "right"] if self.num_slots == 2 else [f"slot {slot}" for slot in range(self.num_slots)]
        labels = (None, *state_names)
        parts = tuple(Part(names[slot], labels, digits[slot], f"seen[{slot}]") for slot in range(self.num_slots))
        counts = np.stack([(digits == state + 1).sum(0, np.uint16) for state in range(num_states)])
        return Features(censuses=(Census(counts, self.num_slots, slotted=True),), parts=parts)

    def decode(self, value: int, state_names: Sequence[str]) -> str:  # noqa: D102
        return "[" + ", ".join(name if name is not None else "-" for name in self.observation(value, state_names)) + "]"

    def parameters(self, num_states: int) -> Array:  # noqa: D102
        return np.array([(num_states + 1) ** slot for slot in range(self.num_slots)], np.int64)

    def check_graph(self, graph: GraphLike) -> None:  # noqa: D102
        graph = as_graph(graph)
        super().check_graph(graph)
        if graph.num_slots > self.num_slots:
            raise AutomatonError(
                f"positional aggregation has {self.num_slots} slots; the graph uses slot {graph.num_slots - 1}"
            )
