"""What every automaton has: named states, an aggregation, and states in which nodes may start and end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from graphfsa.aggregations import Aggregation
from graphfsa.checks import is_integer, shorten, shown
from graphfsa.errors import AutomatonError, LimitError

if TYPE_CHECKING:
    from graphfsa.views.diagrams import Diagram

MAX_STATES = 256
MAX_TABLE_ENTRIES = 2**26


class Automaton:
    """Named states, an aggregation, starting and final states; validated when it is built.

    Args:
        state_names: One distinct name per state, 1 to 256 of them.
        aggregation: How a node sees its neighbours; it fixes the number of values.
        starting_states: States in which nodes may start, by name or index; all states if not given.
        final_states: States that are never left, by name or index.
    """

    __slots__ = ("_aggregation", "_digest", "_final_states", "_num_values", "_starting_states", "_state_names")

    def __init__(
        self,
        state_names: Sequence[str],
        aggregation: Aggregation,
        starting_states: Sequence[str | int] | None,
        final_states: Sequence[str | int],
    ) -> None:
        self._state_names = check_state_names(state_names)
        self._num_values = check_table_size(aggregation, self.num_states)
        self._aggregation = aggregation
        everything = range(self.num_states)
        self._starting_states = self._indices("starting", everything if starting_states is None else starting_states)
        self._final_states = self._indices("final", final_states)
        self._digest: str | None = None

    @property
    def num_states(self) -> int:
        """Number of states, ``|M|``."""
        return len(self._state_names)

    @property
    def num_values(self) -> int:
        """Number of values of the aggregation, ``|Z|``."""
        return self._num_values

    @property
    def state_names(self) -> tuple[str, ...]:
        """Name of each state."""
        return self._state_names

    @property
    def aggregation(self) -> Aggregation:
        """How a node sees its neighbours."""
        return self._aggregation

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

    def __repr__(self) -> str:
        names = ", ".join(self._state_names[:8]) + (", ..." if self.num_states > 8 else "")
        return (
            f"{type(self).__name__}({self.num_states} states: {names}; {self._aggregation}; {self.num_values} values)"
        )

    def _indices(self, what: str, states: Sequence[str | int]) -> tuple[int, ...]:
        if isinstance(states, str) or not isinstance(states, Iterable):
            raise AutomatonError(f"{what}_states must be a list of states; got {shown(states)}")
        found = [state_index(state, self._state_names, f"{what} state") for state in states]
        if len(set(found)) != len(found):
            raise AutomatonError(f"{what}_states must not repeat a state; got {shown(list(states))}")
        return tuple(sorted(found))


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
