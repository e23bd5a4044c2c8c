"""One automaton as provers see it: what a neighbour adds to a value, and how far neighbours must be counted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import lcm

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import SpecificationTable, Task
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.proofs.tree_certificate import MAX_COUNT

MAX_VALUES = 2**14
"""How many values of an aggregation a proof looks at."""


class LocalAutomaton:
    """The table of an automaton, with the names of a specification matched to its states.

    Args:
        fsa: The automaton.
        statement: The specification; its inputs are starting states, its classes final ones.

    Attributes:
        table: The next state, by state and value.
        start: The state in which each input starts.
        final: The state that stands for each class.
        empty: The value of a node without neighbours.
        states: The states that can occur at all, sorted.

    Raises:
        GraphFSAError: The aggregation has slots, or does not say what one more neighbour makes of a value.
        LimitError: There are too many values.
    """

    def __init__(self, fsa: GraphFSA, statement: SpecificationTable) -> None:
        reading = Task(statement.name, "classes", statement.inputs, statement.classes).reading(fsa)
        self.start, self.final = reading.starting, reading.answers
        self._aggregation, self._num_states = fsa.aggregation, fsa.num_states
        self._check(fsa)
        self.table: list[list[int]] = fsa.transition_table.tolist()
        self.empty = fsa.aggregation.encode([], [], fsa.num_states)
        self._max_degree = statement.max_degree
        self._add: dict[tuple[int, int], int] = {}
        self._plus: dict[tuple[int, int], int] = {}
        self._word: dict[int, tuple[int, int]] = {}
        self.states = self._occurring()

    def _check(self, fsa: GraphFSA) -> None:
        kind = fsa.aggregation
        if kind.uses_slots:
            raise GraphFSAError(f"proofs are about automata that do not tell neighbours apart; {kind.name} does")
        if kind.with_neighbour(kind.encode([], [], fsa.num_states), 0, 0, fsa.num_states) is None:
            raise GraphFSAError(
                f"proofs need values that tell what one more neighbour makes of them; those of {kind.name} do not"
            )
        if fsa.num_values > MAX_VALUES:
            raise LimitError(
                f"the automaton has {fsa.num_values:,} values, and a proof looks at no more than {MAX_VALUES:,}; learn "
                "one with letters, or make it smaller with graphfsa.analysis.minimise"
            )

    def add(self, value: int, state: int) -> int:
        """The value after one more neighbour."""
        key = value, state
        if key not in self._add:
            found = self._aggregation.with_neighbour(value, state, 0, self._num_states)
            assert found is not None
            self._add[key] = found
            self._word.setdefault(found, key)
        return self._add[key]

    def plus(self, one: int, two: int) -> int:
        """The value of two sets of neighbours together; both values must have been reached by ``add``."""
        missing: list[tuple[int, int]] = []
        while two != self.empty and (one, two) not in self._plus:
            before, state = self._word[two]
            missing.append((two, state))
            two = before
        value = one if two == self.empty else self._plus[one, two]
        for reached, state in reversed(missing):
            value = self._plus[one, reached] = self.add(value, state)
        return value

    def times(self, state: int, number: int) -> int:
        """The value of a number of neighbours in one state."""
        value = self.empty
        for _ in range(number):
            value = self.add(value, state)
        return value

    def clip(self, number: int) -> int:
        """The smallest number of neighbours in one state that can't be told from this one."""
        return number if number < self.cap else self.cap + (number - self.cap) % self.period

    def _values(self, states: Iterable[int], seen: int | None = None) -> set[int]:
        """Every value that nodes with neighbours in ``states`` can have; with one neighbour in ``seen`` at least."""
        several = list(states)
        first = self.empty if seen is None else self.add(self.empty, seen)
        layer, found, left = {first}, {first}, self._max_degree
        if left is not None and seen is not None:
            left -= 1
        while layer and (left is None or left > 0):
            layer = {self.add(value, state) for value in layer for state in several} - found
            found |= layer
            left = None if left is None else left - 1
        return found

    def _occurring(self) -> list[int]:
        """States that nodes can be in, from the starting ones on."""
        known, before = set(self.start), -1
        while len(known) > before:
            before = len(known)
            values = self._values(known)
            known |= {self.table[state][value] for state in known for value in values}
        return sorted(known)

    @cached_property
    def may(self) -> dict[tuple[int, int], frozenset[int]]:
        """What a node in one state can become, if it has a neighbour in another."""
        found: dict[tuple[int, int], frozenset[int]] = {}
        for other in self.states:
            values = self._values(self.states, other)
            for state in self.states:
                found[state, other] = frozenset(self.table[state][value] for value in values)
        return found

    @property
    def cap(self) -> int:
        """From this number on neighbours in one state are told apart only modulo ``period``."""
        return self._cycle[0]

    @property
    def period(self) -> int:
        """See ``cap``."""
        return self._cycle[1]

    @cached_property
    def _cycle(self) -> tuple[int, int]:
        """The number from which on counts of neighbours in one state come again, and after how many.

        Raises:
            LimitError: A certificate has no room for such numbers.
        """
        cap, period = 0, 1
        for state in self.states:
            seen, value = {self.empty: 0}, self.empty
            while True:
                value = self.add(value, state)
                if value in seen:
                    break
                seen[value] = len(seen)
            cap, period = max(cap, seen[value]), lcm(period, len(seen) - seen[value])
        # One neighbour must differ from none: it has a history of its own.
        cap = max(cap, 1)
        if max(cap, period) > MAX_COUNT:
            raise LimitError(
                f"neighbours in one state are counted to {cap:,}, and beyond that modulo {period:,}; contracts need "
                f"both to be at most {MAX_COUNT}"
            )
        return cap, period
