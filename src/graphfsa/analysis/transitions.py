"""The transitions of an automaton as arrows from state to state: all of them, or those that some nodes use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from graphfsa.analysis._short_guards import guards_cost, short_guards
from graphfsa.analysis._uses import entries_used
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.rules import Guard
from graphfsa.automaton.rules._rows import RowWords
from graphfsa.automaton.rules._rules import MAX_ENTRIES
from graphfsa.automaton.rules._text import plain_name
from graphfsa.automaton.rules._vocabulary import Vocabulary
from graphfsa.automaton.rules._words import Names, guard_words
from graphfsa.datasets import Examples
from graphfsa.errors import StateError

_STAYING_BONUS = 3.0
"""A node that sees nothing of note stays: "otherwise" reads best at the arrow that stays."""


@dataclass(frozen=True, eq=False)
class Transition:
    """All entries that lead from one state to another.

    Attributes:
        state: The state.
        successor: The state after it; the same if a node stays.
        values: The values at which a node moves so, int64, rising.
        of: How many values matter in this state.
        guards: One of these holds at each of the values and none at any other that matters; None if there are no few.
        otherwise: Whether the other arrows of the state have guards, so that this one needs none.
        count: How many times a node moved so; None if nothing was run.
    """

    state: int
    successor: int
    values: Array
    of: int
    guards: tuple[Guard, ...] | None = None
    otherwise: bool = False
    count: int | None = None

    @property
    def always(self) -> bool:
        """Whether no other arrow leaves the state."""
        return len(self.values) == self.of


@dataclass(frozen=True, eq=False)
class Transitions:
    """An automaton as states and arrows, at most one from each state to each.

    Attributes:
        fsa: The automaton.
        states: Indices of the states that occur, rising.
        arrows: The arrows, by state and successor. Those of final states, which stay, are left out.
        start: The state in which the nodes started that were followed; None if the arrows are all there are.
        counts: How many times a followed node used each entry, int64 [num_states, num_values]; None as above.
        num_nodes: How many nodes were followed.
        num_graphs: On how many graphs.
    """

    fsa: GraphFSA
    states: tuple[int, ...]
    arrows: tuple[Transition, ...]
    start: int | None = None
    counts: Array | None = None
    num_nodes: int = 0
    num_graphs: int = 0

    def lines(self, arrow: Transition, written: Callable[[str], str] = plain_name) -> list[str]:
        """When a node takes an arrow, in words: conditions of which one must hold.

        Args:
            arrow: One of the arrows.
            written: Makes the name of a state safe for a format.
        """
        if arrow.always:
            return ["always"]
        if arrow.otherwise:
            return ["otherwise"]
        if arrow.guards is None:
            return [f"{len(arrow.values):,} of {arrow.of:,} values"]
        features = self.fsa.aggregation.features(self.fsa.state_names)
        names = Names(self.fsa.state_names, written)
        return [guard_words(guard, features, names) for guard in arrow.guards]

    @property
    def num_wordless(self) -> int:
        """Number of arrows for which no short condition was found."""
        return sum(arrow.guards is None and not (arrow.otherwise or arrow.always) for arrow in self.arrows)


def transitions(fsa: GraphFSA) -> Transitions:
    """Every transition of an automaton, for the complete diagram.

    Values that the aggregation can't have are left out.

    Args:
        fsa: The automaton.

    Example:
        >>> from graphfsa import library
        >>> found = transitions(library.distance())
        >>> for arrow in found.arrows:
        ...     names = [found.fsa.state_names[state] for state in (arrow.state, arrow.successor)]
        ...     print(*names, found.lines(arrow))
        node even ['no neighbour is even and some neighbour is odd']
        node odd ['some neighbour is even']
        node node ['otherwise']
        root even ['always']
    """
    possible = fsa.aggregation.possible_values(range(fsa.num_states), fsa.num_states)
    matters = np.broadcast_to(possible, fsa.transition_table.shape)
    return Transitions(fsa, tuple(range(fsa.num_states)), _arrows(fsa, matters, None))


def used_transitions(fsa: GraphFSA, examples: Examples, state: str | int) -> Transitions:
    """The transitions that nodes take which start in a state, and how often, for a partial diagram.

    Every example is run for its own steps. Conditions tell apart the values that the nodes saw; at other values they
    may hold or not, and are shorter for it.

    Args:
        fsa: The automaton; it must have the starting and final states of the task.
        examples: Graphs with their inputs.
        state: The state in which the nodes start that are followed, by name or index.

    Raises:
        StateError: No node starts in the state.
    """
    start = fsa.index(state)
    begins = examples.task.starting_states(fsa, examples.inputs)
    counts = np.zeros(fsa.transition_table.size, np.int64)
    for steps in np.unique(examples.steps):
        part = examples.select(np.flatnonzero(examples.steps == steps))
        nodes = np.repeat(examples.steps == steps, examples.sizes)
        counts += _followed(fsa, part, begins[nodes], int(steps), start)
    num_nodes = int((begins == start).sum())
    if not num_nodes:
        raise StateError(f"no node of these graphs starts in {fsa.state_names[start]!r}: there is nothing to follow")
    counts = counts.reshape(fsa.transition_table.shape)
    arrows = _arrows(fsa, counts > 0, counts)
    states = {start, *(arrow.state for arrow in arrows), *(arrow.successor for arrow in arrows)}
    num_graphs = len(np.unique(examples.graphs.owners[begins == start]))
    return Transitions(fsa, tuple(sorted(states)), arrows, start, counts, num_nodes, num_graphs)


def _followed(fsa: GraphFSA, part: Examples, states: Array, steps: int, start: int) -> Array:
    """How many times nodes that begin in a state use each entry, int64 [num_states * num_values]."""
    nodes = np.flatnonzero(states == start)
    following = fsa.transition_table.reshape(-1)
    counts = np.zeros(len(following), np.int64)
    for step in range(steps if len(nodes) else 0):
        used = entries_used(fsa, part.graphs.graph, states)
        now = np.bincount(used[nodes], minlength=len(following))
        if np.array_equal(following[used], states):  # From here on every step is like this one.
            return counts + now * (steps - step)
        counts += now
        states = following[used]
    return counts


def _arrows(fsa: GraphFSA, matters: Array, counts: Array | None) -> tuple[Transition, ...]:
    words = None
    if fsa.transition_table.size <= MAX_ENTRIES:
        words = RowWords(fsa.aggregation.features(fsa.state_names), fsa.num_values)
    arrows: list[Transition] = []
    for state in range(fsa.num_states):
        if state not in fsa.final_states and matters[state].any():
            arrows += _arrows_from(fsa, state, matters[state], None if counts is None else counts[state], words)
    return tuple(arrows)


def _arrows_from(
    fsa: GraphFSA, state: int, matters: Array, counts: Array | None, row_words: RowWords | None
) -> list[Transition]:
    """The arrows of one state, with what there is to read at each."""
    successors, of = fsa.transition_table[state], int(matters.sum())
    words, values = (None, None) if row_words is None else row_words.of(successors, matters)
    arrows: list[Transition] = []
    for successor in np.unique(successors[matters]).tolist():
        inside = matters & (successors == successor)
        guards = None if words is None else short_guards(words, inside[values], (matters & ~inside)[values])
        count = None if counts is None else int(counts[inside].sum())
        arrows.append(Transition(state, successor, np.flatnonzero(inside), of, guards, count=count))
    place = _otherwise(arrows, words)
    if place is not None:
        arrows[place] = replace(arrows[place], otherwise=True)
    return arrows


def _otherwise(arrows: list[Transition], words: Vocabulary | None) -> int | None:
    """The one arrow that needs no condition, because all others have one: that without, or with the longest."""
    wordless = [place for place, arrow in enumerate(arrows) if arrow.guards is None]
    if words is None or len(arrows) < 2 or len(wordless) > 1:
        return None
    if wordless:
        return wordless[0]

    def to_read(place: int) -> float:
        arrow = arrows[place]
        assert arrow.guards is not None
        return guards_cost(arrow.guards, words) + _STAYING_BONUS * (arrow.state == arrow.successor)

    return max(range(len(arrows)), key=to_read)
