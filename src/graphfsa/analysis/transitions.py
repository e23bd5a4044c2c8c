"""The transitions of an automaton as arrows from state to state: all of them, or those that some nodes use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.analysis.coverage import entries_used
from graphfsa.analysis.short_guards import MAX_LINES, guards_cost, short_guards
from graphfsa.analysis.vectors import vectors
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.rules import (
    MAX_RULE_ENTRIES,
    Guard,
    RowVocabularies,
    Rules,
    StateNames,
    Vocabulary,
    entries_that_matter,
    guard_holds,
    guard_words,
    plain_name,
)
from graphfsa.automaton.stochastic import ONE
from graphfsa.datasets import Examples
from graphfsa.errors import StateError

_STAYING_BONUS = 3.0
"""A node that sees nothing of note stays: "otherwise" reads best at the arrow that stays."""
_RARE = 0.0001


@dataclass(frozen=True, eq=False)
class Transition:
    """All entries that lead from one state to another.

    Attributes:
        state: The state.
        successor: The state after it; the same if a node stays.
        values: The values at which a node moves this way, int64, sorted.
        of: How many values matter in this state.
        guards: One of these holds at each of the values and none at any other that matters; None if there are no few.
        otherwise: Whether the other arrows of the state have guards, so that this one needs none.
        count: How many times a node moved so; None if nothing was run.
        odds: With coins: the probabilities of moving so, in units of 2^-53, each with an arrow that says when; then
            there are no guards of its own.
    """

    state: int
    successor: int
    values: Array
    of: int
    guards: tuple[Guard, ...] | None = None
    otherwise: bool = False
    count: int | None = None
    odds: tuple[tuple[int, Transition], ...] = ()

    @property
    def always(self) -> bool:
        """Whether no other arrow leaves the state."""
        return len(self.values) == self.of

    @property
    def wordless(self) -> bool:
        """Whether no short condition was found."""
        return self.guards is None and not (self.otherwise or self.always or self.odds)


@dataclass(frozen=True, eq=False)
class Transitions:
    """An automaton as states and arrows, at most one from each state to each.

    Attributes:
        fsa: The automaton.
        states: Indices of the states that occur, sorted.
        arrows: The arrows, by state and successor. Those of final states, which stay, are left out.
        start: The state in which the nodes started that were followed; None if the arrows are all there are.
        counts: How many times a followed node used each entry, int64 [num_states, num_values]; None as above.
        num_nodes: How many nodes were followed.
        num_graphs: On how many graphs.
        free: Number of entries that are never used: there the conditions were free to choose; None if all are used.
    """

    fsa: GraphFSA | StochasticFSA
    states: tuple[int, ...]
    arrows: tuple[Transition, ...]
    start: int | None = None
    counts: Array | None = None
    num_nodes: int = 0
    num_graphs: int = 0
    free: int | None = None

    def lines(self, arrow: Transition, written: Callable[[str], str] = plain_name) -> list[str]:
        """When a node takes an arrow, in words: conditions of which one must hold.

        Args:
            arrow: One of the arrows.
            written: Makes the name of a state safe for a format.
        """
        if arrow.odds:
            return self._chances(arrow, written)
        if arrow.always:
            return ["always"]
        if arrow.otherwise:
            return ["otherwise"]
        if arrow.guards is None:
            return [f"{len(arrow.values):,} of {arrow.of:,} values"]
        features = self.fsa.aggregation.features(self.fsa.state_names)
        names = StateNames(self.fsa.state_names, written)
        return [guard_words(guard, features, names) for guard in arrow.guards]

    def vectors(self, arrow: Transition) -> list[str]:
        """When a node takes an arrow, as vectors of values: see :func:`graphfsa.analysis.vectors.vectors`.

        Among all arrows of an automaton, the only one of a state has a star in every place.

        Args:
            arrow: One of the arrows.
        """
        aggregation, names = self.fsa.aggregation, self.fsa.state_names
        if arrow.always and self.start is None:
            return [f"[{','.join('*' for _ in aggregation.digit_labels(names))}]"]
        return vectors(aggregation, arrow.values.tolist(), names)

    @property
    def num_wordless(self) -> int:
        """Number of arrows for which no short condition was found."""
        return sum(arrow.wordless for arrow in self.arrows)

    def _chances(self, arrow: Transition, written: Callable[[str], str]) -> list[str]:
        """How likely a node takes an arrow, and when; only the range if there are many probabilities."""
        if len(arrow.odds) > MAX_LINES:
            weights = [weight for weight, _ in arrow.odds]
            return [f"{_chance(min(weights))} to {_chance(max(weights))}, by what is seen"]
        lines: list[str] = []
        for weight, part in arrow.odds:
            chance = "" if weight == ONE else _chance(weight)
            if part.always:
                lines.append(chance or "always")
            elif part.otherwise:
                lines.append(f"{chance} otherwise".strip())
            else:
                when = " or ".join(self.lines(part, written))
                lines.append(f"{chance} {'at' if part.wordless else 'if'} {when}" if chance else when)
        return lines


def _chance(weight: int) -> str:
    """A probability for people, with at most four digits."""
    number = weight / ONE
    if 0 < number < _RARE:
        return f"< {_RARE}"
    return f"> {1 - _RARE}" if 1 - _RARE < number < 1 else f"{number:.4g}"


def transitions(fsa: GraphFSA | StochasticFSA, matters: ArrayLike | None = None) -> Transitions:
    """Every transition of an automaton, for the complete diagram.

    Values that the aggregation can't have are left out.

    Args:
        fsa: The automaton.
        matters: Which entries the conditions must get right, bool [num_states, num_values], as in ``fsa.rules``; by
            default all. The conditions are shorter for it, and those of the rules wherever these can be read alone.

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
    wanted = entries_that_matter(fsa, matters)
    free = None if matters is None else int((~wanted).sum())
    if isinstance(fsa, StochasticFSA):
        return Transitions(fsa, tuple(range(fsa.num_states)), _random_arrows(fsa, wanted), free=free)
    rules = None if matters is None or wanted.size > MAX_RULE_ENTRIES else fsa.rules(wanted)
    return Transitions(fsa, tuple(range(fsa.num_states)), _arrows(fsa, wanted, None, rules), free=free)


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
    for steps, part, nodes in examples.by_steps():
        counts += _followed(fsa, part, begins[nodes], steps, start)
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


def _random_arrows(fsa: StochasticFSA, matters: Array) -> tuple[Transition, ...]:
    """The arrows of an automaton that moves at random: first where each outcome is due, then where outcomes lead."""
    words, arrows = _vocabularies(fsa), list[Transition]()
    for state in range(fsa.num_states):
        if state in fsa.final_states or not matters[state].any():
            continue
        parts = _arrows_from(fsa, state, matters[state], None, words, None)
        for successor in range(fsa.num_states):
            odds = [(int(fsa.outcomes[part.successor, successor]), part) for part in parts]
            odds = [(weight, part) for weight, part in odds if weight]
            if odds:
                values = np.sort(np.concatenate([part.values for _, part in odds]))
                arrows.append(Transition(state, successor, values, parts[0].of, odds=tuple(odds)))
    return tuple(arrows)


def _vocabularies(fsa: GraphFSA | StochasticFSA) -> RowVocabularies | None:
    """What can be said about values, if the table is not too large."""
    if fsa.transition_table.size > MAX_RULE_ENTRIES:
        return None
    return RowVocabularies(fsa.aggregation.features(fsa.state_names), fsa.num_values)


def _arrows(fsa: GraphFSA, matters: Array, counts: Array | None, rules: Rules | None = None) -> tuple[Transition, ...]:
    words = _vocabularies(fsa)
    arrows: list[Transition] = []
    for state in range(fsa.num_states):
        if state not in fsa.final_states and matters[state].any():
            row_counts = None if counts is None else counts[state]
            arrows += _arrows_from(fsa, state, matters[state], row_counts, words, rules)
    return tuple(arrows)


def _arrows_from(
    fsa: GraphFSA | StochasticFSA,
    state: int,
    matters: Array,
    counts: Array | None,
    row_words: RowVocabularies | None,
    rules: Rules | None,
) -> list[Transition]:
    """The arrows of one state, with what there is to read at each; with coins, they lead to outcomes."""
    successors, of = fsa.transition_table[state], int(matters.sum())
    words, values = (None, None) if row_words is None else row_words.of(successors, matters)
    known = {} if rules is None else _readable_alone(rules, state, successors, matters)
    arrows: list[Transition] = []
    for successor in np.unique(successors[matters]).tolist():
        inside = matters & (successors == successor)
        guards = known.get(successor)
        if guards is None and words is not None:
            guards = short_guards(words, inside[values], (matters & ~inside)[values])
        count = None if counts is None else int(counts[inside].sum())
        arrows.append(Transition(state, successor, np.flatnonzero(inside), of, guards, count=count))
    last = None if rules is None else rules.lists[state][-1].successor
    stays = [state] if isinstance(fsa, GraphFSA) else np.flatnonzero(fsa.outcomes[:, state] == ONE).tolist()
    place = _otherwise(arrows, words, last, stays)
    if place is not None:
        arrows[place] = replace(arrows[place], otherwise=True)
    return arrows


def _readable_alone(rules: Rules, state: int, successors: Array, matters: Array) -> dict[int, tuple[Guard, ...]]:
    """The guards of the rules of a state, by successor, where they hold at its values only: order plays no part."""
    known: dict[int, tuple[Guard, ...]] = {}
    for successor in {rule.successor for rule in rules.lists[state][:-1]}:
        guards = tuple(rule.guard for rule in rules.lists[state][:-1] if rule.successor == successor)
        holds = np.any([guard_holds(guard, rules.features, len(successors)) for guard in guards], axis=0)
        if len(guards) <= MAX_LINES and np.array_equal(holds & matters, (successors == successor) & matters):
            known[successor] = guards
    return known


def _otherwise(
    arrows: list[Transition], words: Vocabulary | None, last: int | None, stays: list[int]
) -> int | None:  # fmt: skip
    """The one arrow that needs no condition, because all others have one: that without, or with the longest.

    Args:
        arrows: The arrows of a state.
        words: What can be said.
        last: Where the last rule of the state leads, if rules are known: that arrow is preferred.
        stays: The arrow that leads here stays.
    """
    wordless = [place for place, arrow in enumerate(arrows) if arrow.guards is None]
    if words is None or len(arrows) < 2 or len(wordless) > 1:
        return None
    if wordless:
        return wordless[0]
    preferred = [place for place, arrow in enumerate(arrows) if arrow.successor == last]
    if preferred:
        return preferred[0]

    def to_read(place: int) -> float:
        arrow = arrows[place]
        assert arrow.guards is not None
        return guards_cost(arrow.guards, words) + _STAYING_BONUS * (arrow.successor in stays)

    return max(range(len(arrows)), key=to_read)
