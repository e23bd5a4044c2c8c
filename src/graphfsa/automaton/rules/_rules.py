"""The rules of an automaton: one ordered list for each state, checked against the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from graphfsa.aggregations import Aggregation, Features
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.rules._formats import (
    python_source,
    rule_facts,
    rule_lines,
    rules_html,
    rules_latex,
    rules_markdown,
    rules_text,
)
from graphfsa.automaton.rules._guards import Rule, guard_holds
from graphfsa.automaton.rules._search import shortest_list
from graphfsa.automaton.rules._vocabulary import RowVocabularies
from graphfsa.automaton.stochastic import ONE, StochasticFSA
from graphfsa.errors import AutomatonError, LimitError

MAX_RULE_ENTRIES = 2**16
"""Larger tables are not searched for rules, nor for the conditions of diagrams."""


@dataclass(frozen=True)
class Rules:
    """For each state an ordered list of rules: the first whose guard holds says where a node moves.

    Attributes:
        state_names: Name of each state.
        aggregation: How a node sees its neighbours.
        lists: The rules of each state; the last of each list has no guard.
        starting_states: Indices of the states in which nodes may start.
        final_states: Indices of the states that are never left.
        outcomes: For an automaton that moves at random: distributions over next states in units of 2^-53; the
            ``successor`` of a rule is then the place of one of them. None if rules lead to states.
        free: Number of entries that are never used: there the rules may differ from the table they were made from.

    Example:
        >>> from graphfsa import library
        >>> print(library.distance().rules())
        states: even, odd, node, root
        starting states: node, root
        final states: even, odd
        aggregation: counting bound=1
        <BLANKLINE>
        even stays
        <BLANKLINE>
        odd stays
        <BLANKLINE>
        node -> odd if some neighbour is even
        node -> even if some neighbour is odd
        node stays otherwise
        <BLANKLINE>
        root -> even
        <BLANKLINE>
    """

    state_names: tuple[str, ...]
    aggregation: Aggregation
    lists: tuple[tuple[Rule, ...], ...]
    starting_states: tuple[int, ...]
    final_states: tuple[int, ...]
    outcomes: tuple[tuple[int, ...], ...] | None = None
    free: int = field(default=0, compare=False)

    @cached_property
    def features(self) -> Features:
        """What the guards are about."""
        return self.aggregation.features(self.state_names)

    @property
    def num_rules(self) -> int:
        """Number of rules, the last ones included."""
        return sum(map(len, self.lists))

    def transition_table(self) -> Array:
        """Where the rules lead from each state with each value, int64 [num_states, num_values]."""
        num_values = self.aggregation.num_values(len(self.state_names))
        return np.stack([successors_of(rules, self.features, num_values) for rules in self.lists])

    def applied(self) -> Array:
        """Which rule of its state applies to each value, by its place in the list, int64 [num_states, num_values]."""
        num_values = self.aggregation.num_values(len(self.state_names))
        return np.stack([places_of(rules, self.features, num_values) for rules in self.lists])

    def lines(self) -> list[list[str]]:
        """Each rule of each state as a line of the text, with the names of all states."""
        return rule_lines(self)

    def automaton(self) -> GraphFSA | StochasticFSA:
        """The automaton that the rules describe; one that moves at random if some rule has a probability."""
        about, table = (self.state_names, self.aggregation), self.transition_table()
        states = {"starting_states": self.starting_states, "final_states": self.final_states}
        if self.outcomes is None:
            return GraphFSA(*about, table, **states)
        return StochasticFSA.from_weights(*about, np.array(self.outcomes, np.int64), table, **states)

    def text(self) -> str:
        """The notation that ``GraphFSA.from_rules`` reads."""
        return rules_text(self)

    def markdown(self) -> str:
        """Markdown: a numbered list for each state."""
        return rules_markdown(self)

    def latex(self) -> str:
        r"""LaTeX: an equation with cases for each state; it needs ``\usepackage{amsmath}``."""
        return rules_latex(self)

    def html(self) -> str:
        """HTML for notebooks: a table with a row for each state, its names escaped and cut."""
        return rules_html(self)

    def python(self) -> str:
        """Source of a Python function ``step(state, seen)``, which ``GraphFSA.from_rule`` takes as it is."""
        return python_source(self)

    def as_dicts(self) -> list[dict[str, Any]]:
        """Each rule as JSON values: ``state``, ``next``, and ``if``, which is None for the last of a state."""
        return rule_facts(self)

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


FORMATS: dict[str, Callable[[Rules], str]] = {
    "text": Rules.text,
    "markdown": Rules.markdown,
    "latex": Rules.latex,
    "python": Rules.python,
}


def rules_of(fsa: GraphFSA | StochasticFSA, matters: Any = None) -> Rules:
    """The rules of an automaton; they are compared with its table before they are returned.

    Args:
        fsa: The automaton.
        matters: Which entries the rules must get right, bool [num_states, num_values]; by default all. Entries whose
            value the aggregation can't have never matter, nor do rows of final states, which always stay.

    Raises:
        LimitError: The table has more than 65,536 entries.
    """
    table = fsa.transition_table
    if table.size > MAX_RULE_ENTRIES:
        raise LimitError(
            f"rules are searched for in tables of at most {MAX_RULE_ENTRIES:,} entries; got {table.size:,}"
        )
    wanted = entries_that_matter(fsa, matters)
    features = fsa.aggregation.features(fsa.state_names)
    words = RowVocabularies(features, fsa.num_values)
    free = int((~wanted).sum())
    outcomes = None
    stays = list(range(fsa.num_states))
    if isinstance(fsa, StochasticFSA):
        outcomes = tuple(map(tuple, fsa.outcomes.tolist()))
        stays = [_place_of_staying(fsa, state) for state in stays]
    searched: dict[tuple[bytes, int, bytes], tuple[Rule, ...]] = {}
    lists = tuple(_list(words, stays[state], table[state], wanted[state], searched) for state in range(fsa.num_states))
    if outcomes is not None and any(rule.successor < 0 for rules in lists for rule in rules):
        raise AssertionError("a rule stays in a state that the table always leaves; this is a fault of graphfsa")
    rules = Rules(fsa.state_names, fsa.aggregation, lists, fsa.starting_states, fsa.final_states, outcomes, free)
    wrong = np.argwhere((rules.transition_table() != table) & wanted)
    if len(wrong):
        raise AssertionError(f"the rules are wrong at {wrong[0].tolist()}; this is a fault of graphfsa")
    return rules


def _place_of_staying(fsa: StochasticFSA, state: int) -> int:
    """The place of the outcome that surely is a state; -1 if there is none."""
    places = np.flatnonzero(fsa.outcomes[:, state] == ONE)
    return int(places[0]) if len(places) else -1


def _list(
    words: RowVocabularies,
    state: int,
    successors: Array,
    matters: Array,
    searched: dict[tuple[bytes, int, bytes], tuple[Rule, ...]],
) -> tuple[Rule, ...]:
    """The list for a row; rows that differ only in where their classes lead have the same rules up to that."""
    targets, classes = np.unique(successors[matters], return_inverse=True)
    own = int(np.searchsorted(targets, state)) if state in targets else len(targets)
    key = classes.astype(np.int64).tobytes(), own, matters.tobytes()
    if key not in searched:
        row = np.zeros(len(successors), np.int64)
        row[matters] = classes.reshape(-1)
        vocabulary, values = words.of(row, matters)
        searched[key] = shortest_list(vocabulary, own, row[values], matters[values])
    leads = [*targets.tolist(), state]
    return tuple(replace(rule, successor=leads[rule.successor]) for rule in searched[key])


def entries_that_matter(fsa: GraphFSA | StochasticFSA, matters: Any = None) -> Array:
    """Which entries rules and diagrams must get right, bool [num_states, num_values].

    Args:
        fsa: The automaton.
        matters: Which entries matter to the caller, bool [num_states, num_values]; by default all. Entries whose value
            the aggregation can't have never do, and those of final states always do.
    """
    shape = fsa.transition_table.shape
    given = np.ones(shape, bool) if matters is None else np.asarray(matters)
    if given.dtype != bool or given.shape != shape:
        raise AutomatonError(
            f"matters must be bool with shape [states, values] = {list(shape)}; got {given.dtype} {list(given.shape)}"
        )
    wanted = given & fsa.aggregation.possible_values(range(fsa.num_states), fsa.num_states)
    wanted[list(fsa.final_states)] = True
    return wanted


def successors_of(rules: Sequence[Rule], features: Features, num_values: int) -> Array:
    """Where a list of rules, whose last has no guard, leads from each value, int64 [num_values]."""
    return np.array([rule.successor for rule in rules], np.int64)[places_of(rules, features, num_values)]


def places_of(rules: Sequence[Rule], features: Features, num_values: int) -> Array:
    """Which rule of a list, whose last has no guard, is the first that applies to each value, int64 [num_values]."""
    result = np.empty(num_values, np.int64)
    for place in reversed(range(len(rules))):
        result[guard_holds(rules[place].guard, features, num_values)] = place
    return result
