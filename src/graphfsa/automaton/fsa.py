"""The automaton that every node runs: states, an aggregation and an integer transition table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton, check_state_names, check_table_size, state_index
from graphfsa.checks import check_integer, shorten
from graphfsa.errors import AutomatonError
from graphfsa.files import PathLike
from graphfsa.html import element, join, table_html

if TYPE_CHECKING:
    from graphfsa.automaton.rules import Rules

Rule = Callable[[str, Any], str | int]

_HTML_ENTRIES = 1500
"""Up to this number of entries a notebook looks for rules, which takes a moment."""
_HTML_RULES = 32
_HTML_ROWS = 64
_HTML_COLUMNS = 24
_HTML_NAME = 40


class GraphFSA(Automaton):
    """A frozen finite state automaton for graphs, validated when it is built.

    One step moves every node at once: a node in state ``m`` whose neighbourhood has the value ``a`` moves to
    ``transition_table[m, a]`` (equation 2).

    Args:
        state_names: One distinct name per state, 1 to 256 of them.
        aggregation: How a node sees its neighbours; it fixes the number of values.
        transition_table: Integers [num_states, num_values] in ``0 .. num_states - 1``.
        starting_states: States in which nodes may start, by name or index; all states if not given.
        final_states: States that are never left, by name or index. Their rows must stay.

    Example:
        >>> from graphfsa.aggregations import CountingAggregation
        >>> infect = GraphFSA.from_rule(
        ...     ["well", "ill"], CountingAggregation(bound=1),
        ...     lambda state, counts: "ill" if state == "ill" or counts["ill"] else "well",
        ...     final_states=["ill"],
        ... )
        >>> infect.transition_table.tolist()
        [[0, 0, 1, 1], [1, 1, 1, 1]]
    """

    __slots__ = ("_absorbing", "_table")

    def __init__(
        self,
        state_names: Sequence[str],
        aggregation: Aggregation,
        transition_table: ArrayLike,
        *,
        starting_states: Sequence[str | int] | None = None,
        final_states: Sequence[str | int] = (),
    ) -> None:
        super().__init__(state_names, aggregation, starting_states, final_states)
        self._table = _check_table(transition_table, self.num_states, self.num_values)
        self._absorbing: Array | None = None
        self._check_finals()

    @classmethod
    def from_rule(
        cls,
        state_names: Sequence[str],
        aggregation: Aggregation,
        rule: Rule,
        *,
        starting_states: Sequence[str | int] | None = None,
        final_states: Sequence[str | int] = (),
    ) -> GraphFSA:
        """Build the table by asking a Python function for every state and value.

        Args:
            state_names: One distinct name per state.
            aggregation: How a node sees its neighbours.
            rule: ``rule(state, counts)`` gets the name of a state and what the node observes (for counting: the
                bounded count of each state, by name or index; for positional: a tuple of names or None) and returns
                the name or index of the next state.
            starting_states: As for the constructor.
            final_states: As for the constructor.
        """
        names = check_state_names(state_names)
        num_values = check_table_size(aggregation, len(names))
        table = np.empty((len(names), num_values), np.uint8)
        for value in range(num_values):
            observation = aggregation.observation(value, names)
            for state, name in enumerate(names):
                table[state, value] = state_index(rule(name, observation), names, "the rule's result")
        return cls(names, aggregation, table, starting_states=starting_states, final_states=final_states)

    @classmethod
    def from_rules(cls, text: str) -> GraphFSA:
        """Build the automaton that rules describe: what ``str(fsa.rules())`` gives, or what you have written.

        Args:
            text: The rules, in the notation of docs/rules.md.

        Raises:
            FormatError: The text is malformed; the message names the line and what was expected.

        Example:
            >>> infect = GraphFSA.from_rules('''
            ... states: well, ill
            ... final states: ill
            ... aggregation: counting bound=2
            ... well -> ill if at least 2 neighbours are ill
            ... well stays otherwise
            ... ill stays
            ... ''')
            >>> infect.transition_table.tolist()
            [[0, 0, 0, 0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1]]
        """
        from graphfsa.automaton.rules import automaton_from_rules

        return automaton_from_rules(text)

    def rules(self, matters: ArrayLike | None = None) -> Rules:
        """The table as short rules in words; ``GraphFSA.from_rules`` reads their text back.

        The rules agree with the table at every entry that matters, which is checked.

        Args:
            matters: Which entries must agree, bool [num_states, num_values]; the others may turn out either way, for
                shorter rules. By default all but values that the aggregation can't have.
        """
        from graphfsa.automaton.rules import rules_of

        return rules_of(self, matters)

    @property
    def transition_table(self) -> Array:
        """The next state, uint8 [num_states, num_values], read-only."""
        return self._table

    @property
    def absorbing(self) -> Array:
        """Whether a node that is in a state stays in it whatever it sees, bool [num_states], read-only."""
        if self._absorbing is None:
            found: Array = (self._table == np.arange(self.num_states)[:, None]).all(axis=1)
            found.setflags(write=False)
            self._absorbing = found
        return self._absorbing

    def with_entry(self, state: str | int, value: int, successor: str | int) -> GraphFSA:
        """The same automaton with another next state for one state and value.

        Args:
            state: The state, by name or index.
            value: The number of the value that the aggregation has, from 0 on: ``graphfsa info`` lists them, and
                ``fsa.aggregation.encode(states, [], fsa.num_states)`` is that of a node whose neighbours are in these
                states (their indices).
            successor: The next state, by name or index.

        Raises:
            AutomatonError: There is no such state or value, or a final state would be left.

        Example:
            >>> from graphfsa import library
            >>> fsa = library.distance()
            >>> sees_even = fsa.aggregation.encode([fsa.index("even")], [], fsa.num_states)
            >>> fsa.with_entry("node", sees_even, "even").transition_table[fsa.index("node"), sees_even]
            np.uint8(0)
        """
        place = check_integer("value", value, 0, self.num_values - 1, error=AutomatonError)
        table = self._table.copy()
        table[self.index(state), place] = self.index(successor)
        return GraphFSA(
            self._state_names,
            self._aggregation,
            table,
            starting_states=self._starting_states,
            final_states=self._final_states,
        )

    @property
    def digest(self) -> str:
        """SHA-256 of everything that defines the automaton: equal automata have equal digests on every machine."""
        if self._digest is None:
            from graphfsa.automaton.serialize import header_json

            hasher = sha256(header_json(self).encode())
            hasher.update(self._table.data)
            self._digest = hasher.hexdigest()
        return self._digest

    def save(self, path: PathLike) -> None:
        """Write the automaton to a JSON file, atomically."""
        from graphfsa.automaton.serialize import save_automaton

        save_automaton(self, path)

    @classmethod
    def load(cls, path: PathLike) -> GraphFSA:
        """Read an automaton from a JSON file (its own or a model's), or from a ``.rules`` file."""
        from graphfsa.automaton.serialize import load_automaton

        return load_automaton(path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphFSA) and self.digest == other.digest

    def __reduce__(self) -> tuple[Any, ...]:
        # Built anew, so that a copy in another process is validated and read-only too.
        states = {"starting_states": self._starting_states, "final_states": self._final_states}
        return partial(GraphFSA, **states), (self._state_names, self._aggregation, self._table)

    def __hash__(self) -> int:
        return hash(self.digest)

    def _repr_html_(self) -> str:
        """The rules if they are short, else the table."""
        if self._table.size <= _HTML_ENTRIES:
            rules = self.rules()
            if rules.num_rules <= _HTML_RULES:
                return rules.html()
        return self._table_html()

    def _table_html(self) -> str:
        """A table of next states, one column per state; large tables and long names are cut."""
        marks = {**dict.fromkeys(self._starting_states, " (start)"), **dict.fromkeys(self._final_states, " (final)")}
        names = [shorten(name, _HTML_NAME) for name in self._state_names]
        columns, shown = min(self.num_states, _HTML_COLUMNS), min(self.num_values, _HTML_ROWS)
        heads = (element("th", names[k] + marks.get(k, "")) for k in range(columns))
        rows = (
            element(
                "tr",
                element("th", shorten(self._aggregation.decode(value, self._state_names), 200)),
                *(element("td", names[state]) for state in self._table[:columns, value]),
            )
            for value in range(shown)
        )
        left = {"values": self.num_values - shown, "states": self.num_states - columns}
        more = (element("p", f"{number} more {what}") for what, number in left.items() if number)
        title = f"GraphFSA: {self.num_states} states, {self._aggregation}"
        return join([table_html(title, [element("tr", element("th", "neighbours"), *heads), *rows]), *more])

    def _check_finals(self) -> None:
        for state in self._final_states:
            leaves = np.flatnonzero(self._table[state] != state)
            if len(leaves):
                value = int(leaves[0])
                words = self._aggregation.decode(value, self._state_names)
                raise AutomatonError(
                    f"final state {state} ({self._state_names[state]}) must be absorbing; "
                    f"value {value} ({words}) leads to state {self._table[state, value]}"
                )


def _check_table(transition_table: ArrayLike, num_states: int, num_values: int) -> Array:
    try:
        table = np.asarray(transition_table)
    except ValueError:
        raise AutomatonError("transition_table must have rows of one length") from None
    if table.shape != (num_states, num_values):
        raise AutomatonError(
            f"transition_table must have shape [states, values] = [{num_states}, {num_values}]; got {list(table.shape)}"
        )
    if table.dtype.kind not in "iu":
        raise AutomatonError(f"transition_table must hold integers; got {table.dtype}")
    wrong = np.argwhere((table < 0) | (table >= num_states))
    if len(wrong):
        state, value = wrong[0]
        raise AutomatonError(
            f"transition_table[{state}, {value}] must be in 0 .. {num_states - 1}; got {table[state, value]}"
        )
    frozen = np.array(table, np.uint8, order="C")
    frozen.setflags(write=False)
    return frozen
