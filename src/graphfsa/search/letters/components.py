"""What automata with letters can see: a product of small commutative monoids, one for each component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import lcm, prod

import numpy as np

from graphfsa.aggregations.letters import Sum
from graphfsa.arrays import Array
from graphfsa.search.colours import Reduction


@dataclass(frozen=True, order=True)
class Component:
    """One sum, before it is known which states show which of its letters.

    Attributes:
        kind: ``count``, ``modulo`` or ``highest``, as for a ``Sum``.
        limit: The largest result; with ``modulo`` the modulus.
        weighted: Whether letters may count for more than 1; those of ``highest`` always differ in rank.
    """

    kind: str
    limit: int
    weighted: bool = False

    @property
    def size(self) -> int:
        """How many results there are."""
        return self.limit if self.kind == "modulo" else self.limit + 1

    @property
    def weights(self) -> range:
        """The weight of each letter."""
        if self.kind != "highest" and not self.weighted:
            return range(1, 2)
        return range(1, self.size)

    @property
    def reduction(self) -> Reduction:
        """What of the number of neighbours with a letter can matter."""
        if self.kind == "modulo":
            return Reduction(0, self.limit)
        return Reduction(self.limit if self.kind == "count" else 1, 1)

    def sum_of(self, weights: Sequence[int]) -> Sum:
        """The sum with the letter of each state, 0 for none."""
        return Sum(self.kind, self.limit, tuple(weights))

    def describe(self) -> str:
        """The component in words."""
        if self.kind == "highest":
            return f"highest of {self.limit}"
        what = "sum" if self.weighted else "count"
        return f"{what} modulo {self.limit}" if self.kind == "modulo" else f"{what} to {self.limit}"

    def is_part_of(self, other: Component) -> bool:
        """Whether whatever this one sees can be seen with the other one, after renaming letters."""
        if self.kind == "highest":
            return other.kind == "highest" and self.limit <= other.limit
        if other.kind == "highest":
            return self.kind == "count" and self.limit == 1
        if len(self.weights) > 1 and not other.weighted:
            return False
        mine, its = self.reduction, other.reduction
        return mine.index <= its.index and its.period % mine.period == 0


Components = tuple[Component, ...]


def num_values(components: Components) -> int:
    """How many values nodes can see."""
    return prod(component.size for component in components)


def num_letters(components: Components) -> int:
    """How many letters there are, without the one that is not seen."""
    return sum(len(component.weights) for component in components)


def reduction(components: Components) -> Reduction:
    """What of the number of neighbours of a kind can matter to any of the components."""
    parts = [component.reduction for component in components]
    return Reduction(max([0, *(part.index for part in parts)]), lcm(*(part.period for part in parts)))


def embeds(small: Components, large: Components) -> bool:
    """Whether each component of one can be seen with a component of its own of the other."""
    if not small:
        return True
    return any(
        small[0].is_part_of(part) and embeds(small[1:], large[:place] + large[place + 1 :])
        for place, part in enumerate(large)
    )


@lru_cache(maxsize=256)
def addition(components: Components) -> Array:
    """The value after one more neighbour with each letter, int64 [num_values, num_letters + 1]; the last is silent."""
    values = num_values(components)
    table = np.tile(np.arange(values)[:, None], num_letters(components) + 1)
    place, letter = 1, 0
    for component in components:
        digit = np.arange(values) // place % component.size
        plain = component.sum_of(())
        for weight in component.weights:
            added = np.array([plain.add(total, weight) for total in range(component.size)])
            table[:, letter] += (added[digit] - digit) * place
            letter += 1
        place *= component.size
    table.setflags(write=False)
    return table


def sums_of(components: Components, letters: Sequence[int]) -> tuple[Sum, ...]:
    """The sums, given the letter of each state; a number beyond the last letter is silent."""
    sums: list[Sum] = []
    first = 0
    for component in components:
        places = [letter - first for letter in letters]
        weights = [component.weights[k] if 0 <= k < len(component.weights) else 0 for k in places]
        sums.append(component.sum_of(weights))
        first += len(component.weights)
    return tuple(sums)
