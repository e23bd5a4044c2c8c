"""Which values a node can see if each of its neighbours is in one of some states; there may be any number of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphfsa.aggregations import Aggregation
from graphfsa.errors import AutomatonError, LimitError

Neighbour = tuple[int, int]
"""The state of a neighbour, and its colour; -1 if it does not matter."""
_Item = tuple[int, frozenset[int], int]
"""A value, the colours that were joined, and the number of neighbours as far as it matters."""


class Surroundings(NamedTuple):
    """Neighbours of some groups.

    Attributes:
        groups: For each group: what its neighbours may be, whether there is at least one, whether there is at most one.
        fewest: The smallest number of all neighbours.
        most: The largest, or None.
    """

    groups: tuple[tuple[frozenset[Neighbour], int, bool], ...]
    fewest: int
    most: int | None


class Neighbourhoods:
    """Finds the values of surroundings; remembers what it has found.

    Args:
        aggregation: Whoever says how one more neighbour changes a value.
        num_states: Number of states.
        budget: How many neighbourhoods may be looked at in all.

    Raises:
        LimitError: On a call, when there are more of them.
    """

    def __init__(self, aggregation: Aggregation, num_states: int, budget: int) -> None:
        self._aggregation, self._num_states, self._budget = aggregation, num_states, budget
        self._left = budget
        self._more: dict[tuple[int, int], int] = {}
        self._found: dict[Surroundings, frozenset[tuple[int, frozenset[int]]]] = {}

    def values(self, surroundings: Surroundings) -> frozenset[tuple[int, frozenset[int]]]:
        """Every value that can be seen, with the colours that are seen with it."""
        if surroundings not in self._found:
            nothing = self._aggregation.encode([], [], self._num_states)
            items: set[_Item] = {(nothing, frozenset(), 0)}
            for neighbours, least, single in surroundings.groups:
                # The order of neighbours does not matter, so one group joins after the other.
                fresh = self._joined(items, neighbours, surroundings)
                reached = set(fresh)
                while fresh and not single:
                    fresh = self._joined(fresh, neighbours, surroundings) - reached
                    reached |= fresh
                items = reached if least else items | reached
            self._found[surroundings] = frozenset(
                (value, colours) for value, colours, number in items if number >= surroundings.fewest
            )
        return self._found[surroundings]

    def _joined(
        self, items: Iterable[_Item], neighbours: frozenset[Neighbour], surroundings: Surroundings
    ) -> set[_Item]:
        """Neighbourhoods with one more neighbour."""
        found: set[_Item] = set()
        for value, colours, number in items:
            if surroundings.most is not None and number == surroundings.most:
                continue
            more = number + 1 if surroundings.most is not None else min(number + 1, surroundings.fewest)
            for state, colour in neighbours:
                joined = colours if colour < 0 else colours | {colour}
                found.add((self._with(value, state), joined, more))
        self._left -= len(found)
        if self._left < 0:
            raise LimitError(
                f"the proof must look at no more than {self._budget:,} neighbourhoods, and there are more; minimise "
                "the automaton, choose a smaller bound, or verify it on small graphs"
            )
        return found

    def _with(self, value: int, state: int) -> int:
        if (value, state) not in self._more:
            more = self._aggregation.with_neighbour(value, state, 0, self._num_states)
            if more is None:
                raise AutomatonError(
                    f"with_neighbour of {self._aggregation.name} aggregation must say the value, as it has no slots; "
                    f"got None for value {value} and state {state}"
                )
            self._more[value, state] = more
        return self._more[value, state]
