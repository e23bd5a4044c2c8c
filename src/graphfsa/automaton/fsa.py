"""The automaton that every node runs: states, an aggregation and an integer transition table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.checks import check_integer, is_integer, shorten, shown
from graphfsa.errors import AutomatonError, LimitError
from graphfsa.files import PathLike
from graphfsa.html import element, join, table_html

if TYPE_CHECKING:
    from graphfsa.automaton.rules import Rules
    from graphfsa.views.diagrams import Diagram

Rule = Callable[[str, Any], str | int]

MAX_STATES = 256
MAX_TABLE_ENTRIES = 2**26
_HTML_ENTRIES = 1500
"""Up to this number of entries a notebook looks for rules, which takes a moment."""
_HTML_RULES = 32
_HTML_ROWS = 64
_HTML_COLUMNS = 24
_HTML_NAME = 40


class GraphFSA:
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

    __slots__ = ("_aggregation", "_digest", "_final_states", "_starting_states", "_state_names", "_table")

    def __init__(
        self,
        state_names: Sequence[str],
        aggregation: Aggregation,
        transition_table: ArrayLike,
        *,
        starting_states: Sequence[str | int] | None = None,
        final_states: Sequence[str | int] = (),
    ) -> None:
        self._state_names = check_state_names(state_names)
        num_values = check_table_size(aggregation, self.num_states)
        self._aggregation = aggregation
        self._table = _check_table(transition_table, self.num_states, num_values)
        everything = range(self.num_states)
        self._starting_states = self._indices("starting", everything if starting_states is None else starting_states)
        self._final_states = self._indices("final", final_states)
        self._check_finals()
        self._digest: str | None = None

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

    def diagram(
        self,
        matters: ArrayLike | None = None,
        *,
        title: str | None = None,
        layout: Literal["auto", "own", "dot"] = "auto",
        colours: Mapping[str, str] | None = None,
    ) -> Diagram:
        """The automaton as a picture of states and arrows, which notebooks show; ``.save(path)`` writes it.

        Args:
            matters: Which entries must be drawn as they are, as in ``rules``; conditions are shorter for it.
            title: What it shows.
            layout: ``own``, ``dot`` (Graphviz) or ``auto``: Graphviz where it is installed and does better.
            colours: Colours by state name; those of the palette for the others.
        """
        from graphfsa.views.diagrams import diagram

        return diagram(self, matters, title=title, layout=layout, colours=colours)

    @property
    def num_states(self) -> int:
        """Number of states, ``|M|``."""
        return len(self._state_names)

    @property
    def num_values(self) -> int:
        """Number of values of the aggregation, ``|Z|``."""
        return self._table.shape[1]

    @property
    def state_names(self) -> tuple[str, ...]:
        """Name of each state."""
        return self._state_names

    @property
    def aggregation(self) -> Aggregation:
        """How a node sees its neighbours."""
        return self._aggregation

    @property
    def transition_table(self) -> Array:
        """The next state, uint8 [num_states, num_values], read-only."""
        return self._table

    @property
    def starting_states(self) -> tuple[int, ...]:
        """Indices of the states in which nodes may start, sorted."""
        return self._starting_states

    @property
    def final_states(self) -> tuple[int, ...]:
        """Indices of the absorbing states that stand for answers, sorted."""
        return self._final_states

    def index(self, state: str | int) -> int:
        """The index of a state given by name or index."""
        return state_index(state, self._state_names, "state")

    def with_entry(self, state: str | int, value: int, successor: str | int) -> GraphFSA:
        """The same automaton with another next state for one state and value.

        Args:
            state: The state, by name or index.
            value: The value of the aggregation.
            successor: The next state, by name or index.

        Raises:
            AutomatonError: There is no such state or value, or a final state would be left.
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

    def __repr__(self) -> str:
        names = ", ".join(self._state_names[:8]) + (", ..." if self.num_states > 8 else "")
        return f"GraphFSA({self.num_states} states: {names}; {self._aggregation}; {self.num_values} values)"

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

    def _indices(self, what: str, states: Sequence[str | int]) -> tuple[int, ...]:
        if isinstance(states, str) or not isinstance(states, Iterable):
            raise AutomatonError(f"{what}_states must be a list of states; got {shown(states)}")
        found = [state_index(state, self._state_names, f"{what} state") for state in states]
        if len(set(found)) != len(found):
            raise AutomatonError(f"{what}_states must not repeat a state; got {shown(list(states))}")
        return tuple(sorted(found))

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


def check_state_names(names: Sequence[str]) -> tuple[str, ...]:
    """Raise unless there are 1 to 256 distinct, non-empty, printable names."""
    listed = isinstance(names, Iterable) and not isinstance(names, str | Set)
    names = list(names) if listed else names
    if not listed or not all(isinstance(name, str) for name in names):
        raise AutomatonError(f"state_names must be a list of strings; got {shown(names)}")
    if not 1 <= len(names) <= MAX_STATES:
        raise AutomatonError(f"an automaton must have 1 to {MAX_STATES} states; got {len(names)}")
    for name in names:
        if not name or name != name.strip() or not name.isprintable():
            raise AutomatonError(f"a state name must be printable, without blanks at its ends; got {name!r}")
    if len(set(names)) != len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise AutomatonError(f"state names must be distinct; {twice!r} occurs more than once")
    return tuple(names)


def check_table_size(aggregation: Aggregation, num_states: int) -> int:
    """The number of values, or an error if the table would be too large; nothing is allocated."""
    if not isinstance(aggregation, Aggregation):
        raise AutomatonError(f"aggregation must be a graphfsa.Aggregation; got {shown(aggregation)}")
    num_values = aggregation.num_values(num_states)
    entries = num_values * num_states
    if entries <= MAX_TABLE_ENTRIES:
        return num_values
    size = (
        f"{entries:,} entries ({entries / 2**20:,.0f} MiB)"
        if entries < 10**18
        else f"about 10^{int(entries.bit_length() * 0.30103)} entries"
    )
    raise LimitError(
        f"{shorten(str(aggregation), 200)} over {num_states} states needs a table of {size}; "
        f"the limit is {MAX_TABLE_ENTRIES:,}. Choose fewer states, a smaller bound or fewer slots, or"
        " an aggregation whose table does not grow with the states: average thresholds of some states, or letters"
    )


def state_index(state: Any, names: Sequence[str], what: str) -> int:
    """The index of a state given by name or index."""
    if isinstance(state, str):
        if state not in names:
            raise AutomatonError(f"{what} must be one of {shorten(', '.join(names), 200)}; got {shown(state)}")
        return names.index(state)
    if not is_integer(state) or not 0 <= state < len(names):
        raise AutomatonError(
            f"{what} must be a state name or an integer from 0 to {len(names) - 1}; got {shown(state)}"
        )
    return int(state)


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
