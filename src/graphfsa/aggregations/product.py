"""Product: a node sees what several aggregations say about its neighbours, all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from graphfsa.aggregations._base import Aggregation, check_value, combined, mixed_radix
from graphfsa.aggregations._features import Features, Grade, Part
from graphfsa.aggregations.average_threshold import AverageThresholdAggregation
from graphfsa.aggregations.counting import CountingAggregation
from graphfsa.aggregations.letters import LettersAggregation
from graphfsa.aggregations.positional import PositionalAggregation
from graphfsa.aggregations.relations import RelationsAggregation
from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import AutomatonError, FormatError
from graphfsa.graphs.convert import GraphLike, as_graph

MAX_PARTS = 8
_ALIKE = (
    (CountingAggregation, LettersAggregation, PositionalAggregation),
    (RelationsAggregation,),
    (AverageThresholdAggregation,),
)
"""Aggregations of which a product may have one."""
_ADVICE = "One aggregation with a larger bound, more sums or more thresholds says the same with fewer values"
_Named = TypeVar("_Named", Part, Grade)


@dataclass(frozen=True)
class ProductAggregation(Aggregation):
    """The value is one value of each part: a node sees them all.

    There are as many values as the product of the parts' numbers. Digits of a value are those of the first part, then
    those of the second, and so on; a rule is shown a tuple with what each part shows.

    Attributes:
        parts: The aggregations, 2 to 8, none of them a product.

    Example:
        >>> both = ProductAggregation((CountingAggregation(1), AverageThresholdAggregation({1: 0.5})))
        >>> both.decode(both.encode([0, 1, 1], [], num_states=2), ["no", "yes"])
        '1+ no, 1+ yes; >= 0.5 yes'
    """

    name: ClassVar[str] = "product"

    parts: tuple[Aggregation, ...] = (CountingAggregation(), AverageThresholdAggregation())

    def __post_init__(self) -> None:
        given: Any = self.parts
        if not isinstance(given, tuple | list) or not all(isinstance(part, Aggregation) for part in given):
            raise AutomatonError(f"parts must be a list of aggregations; got {shown(given)}")
        if any(isinstance(part, ProductAggregation) for part in given):
            raise AutomatonError("parts of a product must not be products; give their parts")
        if not 2 <= len(given) <= MAX_PARTS:
            raise AutomatonError(f"there must be 2 to {MAX_PARTS} parts; got {len(given)}")
        for alike in _ALIKE:
            again = [part.name for part in given if isinstance(part, alike)]
            if len(again) > 1:
                raise AutomatonError(
                    f"parts of a product must say different things; {' and '.join(again)} do not. {_ADVICE}"
                )
        kinds = {part.seen_kinds for part in given if part.seen_kinds is not None}
        if len(kinds) > 1:
            raise AutomatonError(f"parts must know the same kinds of arcs, in the same order; got {sorted(kinds)}")
        object.__setattr__(self, "parts", tuple(given))

    @property
    def uses_slots(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether some part does."""
        return any(part.uses_slots for part in self.parts)

    @property
    def uses_kinds(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether all parts that use slots do."""
        return self.uses_slots and all(part.uses_kinds for part in self.parts if part.uses_slots)

    @property
    def ordered(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the digits of all parts are amounts."""
        return all(part.ordered for part in self.parts)

    @property
    def num_slots(self) -> int:
        """The slots that a part has, if it says how many."""
        return max(getattr(part, "num_slots", 1) for part in self.parts)

    @property
    def seen_kinds(self) -> tuple[str, ...] | None:  # noqa: D102
        return next((part.seen_kinds for part in self.parts if part.seen_kinds is not None), None)

    def num_values(self, num_states: int) -> int:  # noqa: D102
        return prod(part.num_values(num_states) for part in self.parts)

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:  # noqa: D102
        return self._joined((part.encode(states, slots, num_states) for part in self.parts), num_states)

    def split(self, value: int, num_states: int) -> tuple[int, ...]:
        """The value of each part."""
        check_value(value, self.num_values(num_states))
        return mixed_radix(value, [part.num_values(num_states) for part in self.parts])

    def digits(self, value: int, num_states: int) -> tuple[int, ...]:
        """The digits of each part."""
        values = zip(self.parts, self.split(value, num_states), strict=True)
        return tuple(digit for part, own in values for digit in part.digits(own, num_states))

    def digit_labels(self, state_names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:  # noqa: D102
        return tuple(labels for part in self.parts for labels in part.digit_labels(state_names))

    def levels(self, degree: int, num_states: int) -> tuple[tuple[int, tuple[int, ...]], ...] | None:
        """Those of all parts, if all have some."""
        found: list[tuple[int, tuple[int, ...]]] = []
        for part in self.parts:
            levels = part.levels(degree, num_states)
            if levels is None:
                return None
            found += levels
        return tuple(found)

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int | None:  # noqa: D102
        if self.uses_slots and not all(part.uses_slots or _follows(part, num_states) for part in self.parts):
            return None  # Always, or it would look as if only this slot were taken.
        after: list[int] = []
        for part, own in zip(self.parts, self.split(value, num_states), strict=True):
            more = part.with_neighbour(own, state, slot, num_states)
            if more is None:
                return None
            after.append(more)
        return self._joined(after, num_states)

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:
        """Each value that is possible for every part."""
        return combined(np.logical_and, [part.possible_values(states, num_states) for part in self.parts])

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array] | None:
        """The product of what the parts are over these states."""
        smaller: list[Aggregation] = []
        columns: list[Array] = []
        weight = 1
        for part in self.parts:
            found = part.restricted(states, num_states)
            if found is None:
                return None
            smaller.append(found[0])
            columns.append(found[1] * weight)
            weight *= part.num_values(num_states)
        return replace(self, parts=tuple(smaller)), combined(np.add, columns)

    def observation(self, value: int, state_names: Sequence[str]) -> tuple[Any, ...]:
        """What each part shows: ``seen[0]`` is what the first does."""
        values = zip(self.parts, self.split(value, len(state_names)), strict=True)
        return tuple(part.observation(own, state_names) for part, own in values)

    def decode(self, value: int, state_names: Sequence[str]) -> str:  # noqa: D102
        values = zip(self.parts, self.split(value, len(state_names)), strict=True)
        return "; ".join(part.decode(own, state_names) for part, own in values)

    def features(self, state_names: Sequence[str]) -> Features:
        """All that can be said about the parts."""
        numbers = [part.num_values(len(state_names)) for part in self.parts]
        found: list[Features] = []
        for place, part in enumerate(self.parts):
            own = np.tile(np.repeat(np.arange(numbers[place]), prod(numbers[:place])), prod(numbers[place + 1 :]))
            found.append(_lifted(part.features(state_names), own, f"seen[{place}]"))
        return _united(found)

    def check_graph(self, graph: GraphLike) -> None:  # noqa: D102
        graph = as_graph(graph)
        for part in self.parts:
            part.check_graph(graph)

    def config(self) -> dict[str, Any]:  # noqa: D102
        from graphfsa.aggregations import aggregation_config

        return {"name": self.name, "parts": [aggregation_config(part) for part in self.parts]}

    @classmethod
    def from_config(cls, fields: Mapping[str, Any]) -> Self:  # noqa: D102
        from graphfsa.aggregations import aggregation_from_config

        parts: Any = fields.get("parts")
        if isinstance(parts, list | tuple):
            for part in parts:
                if not isinstance(part, Mapping | Aggregation):
                    raise FormatError(f"a part of a product must be an object with a name; got {shown(part)}")
                if isinstance(part, Mapping) and part.get("name") == cls.name:
                    raise AutomatonError("parts of a product must not be products; give their parts")
            parts = [aggregation_from_config(part) if isinstance(part, Mapping) else part for part in parts]
            return super().from_config({**fields, "parts": tuple(parts)})
        return super().from_config(fields)

    def __str__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self.parts))})"

    def _joined(self, values: Iterable[int], num_states: int) -> int:
        """The value of which each part has one."""
        total, weight = 0, 1
        for part, value in zip(self.parts, values, strict=True):
            total += value * weight
            weight *= part.num_values(num_states)
        return total


@lru_cache(maxsize=64)
def _follows(part: Aggregation, num_states: int) -> bool:
    """Whether an aggregation without slots always says what one more neighbour makes of a value."""
    first = part.encode([], [], num_states)
    seen, waiting = {first}, [first]
    while waiting:
        value = waiting.pop()
        for state in range(num_states):
            after = part.with_neighbour(value, state, 0, num_states)
            if after is None:
                return False
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return True


def _lifted(features: Features, own: Array, seen: str) -> Features:
    """What can be said about a part, about the values of the product.

    Args:
        features: The features of the part.
        own: The value of the part at each value.
        seen: The expression for what the part shows.
    """

    def source(text: str) -> str:
        return seen + text.removeprefix("seen")

    return Features(
        censuses=tuple(
            replace(each, counts=each.counts[:, own], source=source(each.source)) for each in features.censuses
        ),
        parts=tuple(
            replace(each, digits=each.digits[own], source=None if each.source is None else source(each.source))
            for each in features.parts
        ),
        shares=tuple(replace(each, digits=each.digits[own], source=source(each.source)) for each in features.shares),
        sums=tuple(replace(each, digits=each.digits[own], source=source(each.source)) for each in features.sums),
        grades=tuple(replace(each, digits=each.digits[own], source=source(each.source)) for each in features.grades),
    )


def _united(found: Sequence[Features]) -> Features:
    """What can be said about several things; parts and weighted sums of one name get a number."""
    censuses = tuple(each for features in found for each in features.censuses)
    shares = tuple(each for features in found for each in features.shares)
    if len({each.kind for each in censuses}) < len(censuses) or len({each.state for each in shares}) < len(shares):
        raise AutomatonError("parts of a product must not count the same neighbours twice: rules can't tell them apart")
    return Features(
        censuses,
        _numbered([each for features in found for each in features.parts]),
        shares,
        tuple(each for features in found for each in features.sums),
        _numbered([each for features in found for each in features.grades]),
    )


def _numbered(named: Sequence[_Named]) -> tuple[_Named, ...]:
    """The same with names that differ: the second ``weighted sum`` is ``weighted sum 2``."""
    before: Counter[str] = Counter()
    result: list[_Named] = []
    for each in named:
        before[each.name] += 1
        times = before[each.name]
        result.append(each if times == 1 else replace(each, name=f"{each.name} {times}"))
    return tuple(result)
