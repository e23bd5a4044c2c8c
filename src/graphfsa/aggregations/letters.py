"""Letters: a state shows a letter, and a node sees sums of its neighbours' letters (the Stone Age model).

Where counting keeps a number for every state, letters keep one for each sum, whatever the number of states. Tables stay
small, so few graphs use most of their entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from graphfsa.aggregations._base import Aggregation, check_some, check_value, membership, mixed_radix
from graphfsa.aggregations._features import Features, digit_columns
from graphfsa.aggregations._sums import KINDS, Sum, Tally
from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import AutomatonError, FormatError

__all__ = ["LettersAggregation", "Sum"]

MAX_SUMS = 64
"""A table has room for fewer: each sum at least doubles the number of values."""


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
        >>> waiting.decode(value, ["low", "high", "node", "marked"])
        '2+ of {node, marked}, highest low'
    """

    name: ClassVar[str] = "letters"

    sums: tuple[Sum, ...] = (Sum("count", 2, (1,)),)

    compiled_encode = staticmethod(_compiled_encode)

    def __post_init__(self) -> None:
        given: Any = self.sums
        if not isinstance(given, tuple | list) or not all(isinstance(part, Sum) for part in given):
            raise AutomatonError(f"sums must be a list of graphfsa.aggregations.Sum; got {shown(given)}")
        if len(given) > MAX_SUMS:
            raise AutomatonError(f"there must be at most {MAX_SUMS} sums; got {len(given)}")
        object.__setattr__(self, "sums", tuple(given))

    def num_values(self, num_states: int) -> int:  # noqa: D102
        known = max((len(part.weights) for part in self.sums), default=0)
        if known > num_states:
            raise AutomatonError(
                f"only states 0 .. {num_states - 1} can show a letter, as there are {num_states} states; "
                f"state {known - 1} has one"
            )
        return prod(self._bases)

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:  # noqa: D102
        totals = [0] * len(self.sums)
        for state in states:
            totals = [part.add(total, part.weight(state)) for part, total in zip(self.sums, totals, strict=True)]
        return sum(total * place for total, place in zip(totals, self._places, strict=True))

    def digits(self, value: int, num_states: int) -> tuple[int, ...]:
        """Each sum."""
        check_value(value, self.num_values(num_states))
        return mixed_radix(value, self._bases)

    def digit_labels(self, state_names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:  # noqa: D102
        return tuple(part.labels(state_names) for part in self.sums)

    def levels(self, degree: int, num_states: int) -> tuple[tuple[int, tuple[int, ...]], ...] | None:
        """Known if each sum is about one state and none is modulo a number."""
        found: list[tuple[int, tuple[int, ...]]] = []
        for part in self.sums:
            states = part.states()
            if len(states) > 1 or part.kind == "modulo":
                return None
            weight = part.weight(states[0]) if states else 0
            # With a count, the n-th neighbour makes the sum n times the weight; with the highest, the first decides.
            once = part.kind == "highest"
            steps = [
                degree + 1 if not weight or (once and result > weight) else 1 if once else -(-result // weight)
                for result in range(1, part.size)
            ]
            found.append((states[0] if states else 0, tuple(steps)))
        return tuple(found)

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int:  # noqa: D102
        after = zip(self.sums, self.digits(value, num_states), self._places, strict=True)
        return sum(part.add(total, part.weight(state)) * place for part, total, place in after)

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:
        """Exactly those that neighbourhoods have: found by adding one neighbour after the other."""
        num_values = self.num_values(num_states)
        among = np.flatnonzero(membership(states, num_states)).tolist()
        possible = np.zeros(num_values, bool)
        possible[0] = True
        new = np.zeros(1, np.int64)
        while len(new):
            # States that show the same letters do the same.
            letters = {tuple(part.weight(state) for part in self.sums) for state in among}
            after = [self._joined(new, letter) for letter in sorted(letters)]
            found = np.unique(np.concatenate([new[:0], *after]))
            new = found[~possible[found]]
            possible[new] = True
        return possible

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array]:
        """The same sums of the letters that are left; each value keeps its number."""
        check_some(states, num_states)
        sums = [Sum(part.kind, part.limit, tuple(part.weight(state) for state in states)) for part in self.sums]
        return replace(self, sums=tuple(sums)), np.arange(self.num_values(num_states))

    def observation(self, value: int, state_names: Sequence[str]) -> tuple[int, ...]:
        """The sums in their order: ``seen[0]`` is the first, also where there is only one."""
        return self.digits(value, len(state_names))

    def decode(self, value: int, state_names: Sequence[str]) -> str:
        """Each sum in words, such as ``2+ of {node, marked}, highest on``."""
        digits = self.digits(value, len(state_names))
        words = [part.decode(total, state_names) for part, total in zip(self.sums, digits, strict=True)]
        return ", ".join(words) or "nothing"

    def features(self, state_names: Sequence[str]) -> Features:
        """The sums, without those that follow from another."""
        digits = digit_columns(self.num_values(len(state_names)), self._bases)
        tallies = [
            Tally.of(part, digits[place], f"seen[{place}]") for place, part in enumerate(self.sums) if part.weights
        ]
        return Features(
            sums=tuple(
                tally
                for place, tally in enumerate(tallies)
                # Of two that follow from each other the first is kept.
                if not any(
                    tally.follows_from(other) and (there < place or not other.follows_from(tally))
                    for there, other in enumerate(tallies)
                    if there != place
                )
            )
        )

    def parameters(self, num_states: int) -> Array:  # noqa: D102
        header = [number for part in self.sums for number in (KINDS.index(part.kind), part.limit, part.size)]
        weights = [part.weight(state) for part in self.sums for state in range(num_states)]
        return np.array([len(self.sums), *header, *weights], np.int64)

    def config(self) -> dict[str, Any]:  # noqa: D102
        return {"name": self.name, "sums": [asdict(part) | {"weights": list(part.weights)} for part in self.sums]}

    @classmethod
    def from_config(cls, fields: Mapping[str, Any]) -> Self:  # noqa: D102
        sums: Any = fields.get("sums")
        if isinstance(sums, list | tuple):
            return super().from_config({**fields, "sums": tuple(_sum(place, part) for place, part in enumerate(sums))})
        return super().from_config(fields)

    def __str__(self) -> str:
        """Without the letters, which are long to read."""
        words = {"count": "count to {}", "modulo": "count modulo {}", "highest": "highest of {}"}
        return f"{type(self).__name__}({', '.join(words[part.kind].format(part.limit) for part in self.sums)})"

    @property
    def _bases(self) -> list[int]:
        return [part.size for part in self.sums]

    @property
    def _places(self) -> list[int]:
        """What one more in each sum adds to the value."""
        return [prod(self._bases[:place]) for place in range(len(self.sums))]

    def _joined(self, values: Array, letters: tuple[int, ...]) -> Array:
        """The values after a neighbour that shows some letters has joined, int64."""
        after = np.zeros_like(values)
        for part, weight, place in zip(self.sums, letters, self._places, strict=True):
            after += part.add_all(values // place % part.size, weight) * place
        return after


def _sum(place: int, fields: Any) -> Sum:
    if isinstance(fields, Sum):
        return fields
    if not isinstance(fields, dict) or set(fields) != {"kind", "limit", "weights"}:
        raise FormatError(f"sum {place} must have the fields kind, limit and weights; got {shown(fields)}")
    return Sum(**fields)
