"""Which entries of a table can be used at all, in any graph and at any time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA


def possible_entries(fsa: GraphFSA, *, starting_states: Sequence[int] | None = None) -> Array:
    """The entries (state, value) that may be used, bool [num_states, num_values].

    The states that may occur are those in which nodes start, and those to which an entry leads whose own state and
    neighbours may occur. This can say yes too often: states that each occur need not meet, and a graph class may not
    have the neighbourhood. It never says no too often: an entry that is not possible is used by no roll-out.

    Args:
        fsa: The automaton.
        starting_states: Indices of the states in which nodes start; by default those of the automaton.

    Example:
        >>> from graphfsa import library
        >>> float(possible_entries(library.distance()).mean())  # Each of its states starts or is reached.
        1.0
    """
    return entries_among(fsa, possible_states(fsa, starting_states=starting_states))


def possible_states(fsa: GraphFSA, *, starting_states: Sequence[int] | None = None) -> list[int]:
    """The states that may occur, sorted; sound in the same way."""
    states = sorted(fsa.starting_states if starting_states is None else starting_states)
    while True:
        used = entries_among(fsa, states)
        following = sorted({*states, *np.unique(fsa.transition_table[used]).tolist()})
        if following == states:
            return states
        states = following


def entries_among(fsa: GraphFSA, states: Sequence[int]) -> Array:
    """The entries that nodes in the given states can use while all others are in them too."""
    entries = np.zeros(fsa.transition_table.shape, bool)
    entries[list(states)] = fsa.aggregation.possible_values(states, fsa.num_states)
    return entries
