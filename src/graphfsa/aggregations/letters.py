"""Letters: a state shows a letter, and a node sees sums of its neighbours' letters (the Stone Age model).

Where counting keeps a number for every state, letters keep one for each sum, whatever the number of states. Tables stay
small, so few graphs use most of their entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from graphfsa.aggregations._base import Aggregation, check_some, check_value, membership, mixed_radix
from graphfsa.arrays import Array
from graphfsa.checks import check_choice, check_integer, shown
from graphfsa.errors import AutomatonError

KINDS = ("count", "modulo", "highest")


@dataclass(frozen=True)
class Sum:
    """One sum of letters.

    Attributes:
        kind: ``count``: the weights of all neighbours are added, up to ``limit``; ``modulo``: they are added modulo
            ``limit``; ``highest``: the largest of them, up to ``limit``.
        limit: The largest result, at least 1; with ``modulo`` the modulus, at least 2.
        weights: The letter of each state, a number from 0 (none) to the largest result. States beyond the last have
            none.
    """

    kind: str
    limit: int
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        check_choice("the kind of a sum of letters", self.kind, KINDS)
        modulo = self.kind == "modulo"
        limit = check_integer("limit", self.limit, 2 if modulo else 1, 255, error=AutomatonError)
        given: Any = self.weights
        if not isinstance(given, tuple | list):
            raise AutomatonError(f"weights must be a list of integers, one for each state; got {shown(given)}")
        most = limit - modulo
        weights = tuple(check_integer("a letter's weight", weight, 0, most, error=AutomatonError) for weight in given)
        object.__setattr__(self, "limit", limit)
        object.__setattr__(self, "weights", weights)

    @property
    def size(self) -> int:
        """How many results there are."""
        return self.limit if self.kind == "modulo" else self.limit + 1

    def weight(self, state: int) -> int:
        """The letter of a state; 0 for none."""
        return self.weights[state] if state < len(self.weights) else 0

    def add(self, total: int, weight: int) -> int:
        """The sum after one more letter."""
        if self.kind == "highest":
            return max(total, weight)
        return (total + weight) % self.limit if self.kind == "modulo" else min(self.limit, total + weight)


def _compiled_encode(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the number of sums; the kind, the limit and the size of each; the weights [sum, state]."""
    count = parameters[0]
    value, place = 0, 1
    for number in range(count):
        kind, limit, size = parameters[1 + 3 * number], parameters[2 + 3 * number], parameters[3 + 3 * number]
        weights = 1 + 3 * count + number * len(scratch)
        total = 0
        for arc in range(begin, end):
            weight = parameters[weights + np.int64(states[sources[arc]])]
            if kind == 2:
                total = max(total, weight)
            else:
                total += weight
                if total >= limit:
                    total = total - limit if kind == 1 else limit
        value += total * place
        place *= size
    return value


@dataclass(frozen=True)
class LettersAggregation(Aggregation):
    """Every state shows letters; the value is the vector of their sums over the neighbours.

    There are as many values as the product of the sizes of the sums: that does not grow with the number of states.
    Value ``z`` has sum ``k`` as its digit, the first one with weight 1. Counting with bound ``b`` is the case of one
    sum ``Sum("count", b, ...)`` for each state.

    Attributes:
        sums: The sums; by default the neighbours in the first state, counted to 2. Without any, nothing is seen.

    Example:
        >>> waiting = LettersAggregation((Sum("count", 2, (0, 0, 1, 1)), Sum("highest", 2, (1, 2, 0, 0))))
        >>> value = waiting.encode([0, 2, 3, 3], [], num_states=4)
        >>> waiting.digits(value, 4)
        (2, 1)
    """

    name: ClassVar[str] = "letters"

    sums: tuple[Sum, ...] = (Sum("count", 2, (1,)),)

    compiled_encode = staticmethod(_compiled_encode)

    def __post_init__(self) -> None:
        given: Any = self.sums
        if not isinstance(given, tuple | list) or not all(isinstance(part, Sum) for part in given):
            raise AutomatonError(f"sums must be a list of graphfsa.aggregations.Sum; got {shown(given)}")
        object.__setattr__(self, "sums", tuple(given))

    def num_values(self, num_states: int) -> int:  # noqa: D102
        for part in self.sums:
            if len(part.weights) > num_states:
                raise AutomatonError(
                    f"letters must be given for at most {num_states} states, as many as there are; got weights for "
                    f"{len(part.weights)}"
                )
        product = 1
        for part in self.sums:
            product *= part.size
        return product

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:  # noqa: D102
        totals = [0] * len(self.sums)
        for state in states:
            totals = [part.add(total, part.weight(state)) for part, total in zip(self.sums, totals, strict=True)]
        return self._value(totals)

    def digits(self, value: int, num_states: int) -> tuple[int, ...]:
        """Each sum."""
        check_value(value, self.num_values(num_states))
        return mixed_radix(value, [part.size for part in self.sums])

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int:  # noqa: D102
        totals = zip(self.sums, self.digits(value, num_states), strict=True)
        return self._value([part.add(total, part.weight(state)) for part, total in totals])

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:  # noqa: D102
        possible = np.zeros(self.num_values(num_states), bool)
        among = np.flatnonzero(membership(states, num_states)).tolist()
        possible[0] = True
        waiting = [0]
        while waiting:
            value = waiting.pop()
            for state in among:
                more = self.with_neighbour(value, state, 0, num_states)
                if not possible[more]:
                    possible[more] = True
                    waiting.append(more)
        return possible

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array]:  # noqa: D102
        check_some(states, num_states)
        sums = [Sum(part.kind, part.limit, tuple(part.weight(state) for state in states)) for part in self.sums]
        return LettersAggregation(tuple(sums)), np.arange(self.num_values(num_states))

    def parameters(self, num_states: int) -> Array:  # noqa: D102
        header = [number for part in self.sums for number in (KINDS.index(part.kind), part.limit, part.size)]
        weights = [part.weight(state) for part in self.sums for state in range(num_states)]
        return np.array([len(self.sums), *header, *weights], np.int64)

    def config(self) -> dict[str, Any]:  # noqa: D102
        return {"name": self.name, "sums": [asdict(part) | {"weights": list(part.weights)} for part in self.sums]}

    @classmethod
    def from_config(cls, fields: Mapping[str, Any]) -> Self:  # noqa: D102
        sums: Any = fields.get("sums", [])
        if isinstance(sums, list):
            sums = tuple(_sum(part) for part in sums)
        return super().from_config({**fields, "sums": sums})

    def _value(self, totals: Sequence[int]) -> int:
        value, place = 0, 1
        for part, total in zip(self.sums, totals, strict=True):
            value += total * place
            place *= part.size
        return value


def _sum(fields: Any) -> Sum:
    if not isinstance(fields, dict) or set(fields) != {"kind", "limit", "weights"}:
        raise AutomatonError(f"a sum of letters must have the fields kind, limit and weights; got {shown(fields)}")
    return Sum(**fields)
