"""A smaller automaton that gives the same answers: states that can't occur go, states that nobody can tell apart merge.

Two states are equal if it makes no difference which of them a node is in: neither to what the node does itself, for any
neighbours, nor to what any other node does that sees it among any other neighbours. The coarsest such equality is found
by splitting classes until nothing splits. Each answer is a class of its own, so configurations that are equal node by
node give the same answers now, and are equal node by node after every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.analysis.reachability import possible_states
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.errors import AutomatonError

MAX_JOINS = 2**20
"""Values times states times slots up to which it is found out what one more neighbour does."""


@dataclass(frozen=True)
class Minimised:
    """A smaller automaton.

    Attributes:
        automaton: The automaton. Its k-th starting and k-th final states are those of the one it was made from.
        mapping: For each state of the larger automaton the state that stands for it; -1 for one that can't occur.
        classes: For each state of the larger automaton the number of its class; -1 for one that can't occur. The
            starting states of a class are all kept, since inputs name them; who is in one might be in another.
    """

    automaton: GraphFSA
    mapping: tuple[int, ...]
    classes: tuple[int, ...]


def minimise(fsa: GraphFSA) -> Minimised:
    """Drop the states that can't occur and merge those that can't be told apart.

    Starting and final states are kept. Without final states an automaton shows its states, so nothing is merged.
    States are merged only if the aggregation says what one more neighbour does to a value (counting and positional
    do), and dropped only if it can be restricted to fewer states.

    Example:
        >>> from graphfsa.aggregations import CountingAggregation
        >>> twins = GraphFSA.from_rule(
        ...     ["no", "yes", "start", "wait", "wait too"], CountingAggregation(bound=1),
        ...     lambda state, seen: {"start": "wait" if seen["yes"] else "wait too"}.get(state, "yes"),
        ...     starting_states=["start", "yes"], final_states=["yes"],
        ... )
        >>> minimise(twins).automaton.state_names
        ('yes', 'start', 'wait')
    """
    if not isinstance(fsa, GraphFSA):
        raise AutomatonError(f"minimise needs a GraphFSA; got {type(fsa).__name__}")
    unchanged = Minimised(fsa, tuple(range(fsa.num_states)), tuple(range(fsa.num_states)))
    if not fsa.starting_states:
        return unchanged
    possible = possible_states(fsa)
    classes = np.full(fsa.num_states, -1)
    classes[possible] = _equal_states(fsa, possible) if fsa.final_states else np.arange(len(possible))
    leaders = _leaders(fsa, classes)
    kept = sorted({*fsa.starting_states, *fsa.final_states, *(leaders[state] for state in possible)})
    found = fsa.aggregation.restricted(kept, fsa.num_states)
    if found is None:
        return unchanged
    place = {state: index for index, state in enumerate(kept)}
    mapping = tuple(place.get(state, place.get(leaders[state], -1)) for state in range(fsa.num_states))
    return Minimised(_restricted(fsa, kept, leaders, *found), mapping, tuple(classes.tolist()))


def _leaders(fsa: GraphFSA, classes: Array) -> list[int]:
    """For each state the one that stands for its class: its first starting state if it has one, else its first."""
    leaders: dict[int, int] = {}
    for state in (*fsa.starting_states, *range(fsa.num_states)):
        leaders.setdefault(int(classes[state]), state)
    return [leaders[int(number)] if number >= 0 else state for state, number in enumerate(classes)]


def _restricted(
    fsa: GraphFSA, kept: Sequence[int], leaders: Sequence[int], aggregation: Aggregation, values: Array
) -> GraphFSA:
    """The automaton on the states that are kept; who would move to another moves to its leader."""
    place = np.full(fsa.num_states, -1)
    place[kept] = np.arange(len(kept))
    target = place[np.array(leaders)][fsa.transition_table[kept][:, values]]
    # Only entries that can't be used lead to what is gone; any successor will do.
    stay = place[np.array(leaders)[kept]][:, None]
    return GraphFSA(
        [fsa.state_names[state] for state in kept],
        aggregation,
        np.where(target < 0, stay, target),
        starting_states=[place[state] for state in fsa.starting_states],
        final_states=[place[state] for state in fsa.final_states],
    )


def _equal_states(fsa: GraphFSA, states: list[int]) -> Array:
    """The number of the class of each of the given states, in the coarsest equality of the kind above."""
    alone = np.arange(len(states))
    values = np.flatnonzero(fsa.aggregation.possible_values(states, fsa.num_states))
    joins = _joins(fsa, states, values)
    if joins is None:
        return alone
    numbers = np.zeros(fsa.num_states, np.uint16)
    for state in fsa.final_states:
        numbers[state] = 1 + state
    own = fsa.transition_table[states][:, values]
    # What the others do, [state of the neighbour, other state, slot and other neighbours]; a taken slot is no case.
    seen = np.stack([fsa.transition_table[states][:, join[join >= 0]] for join in joins])
    while True:
        rows = zip(numbers[states], numbers[own], numbers[seen], strict=True)
        keys = [(number, mine.tobytes(), theirs.tobytes()) for number, mine, theirs in rows]
        order = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        finer = np.array([order[key] for key in keys], np.uint16)
        if len(order) == len(set(numbers[states].tolist())):
            return finer
        numbers[states] = finer


def _joins(fsa: GraphFSA, states: list[int], values: Array) -> Array | None:
    """The value after one more neighbour, int64 [states, slots x values]; -1 where the slot is taken.

    None if the aggregation does not say, or if there are too many values.
    """
    aggregation, total = fsa.aggregation, fsa.num_states
    slots = range(num_slots(aggregation, total))
    if not slots or len(values) * len(states) * len(slots) > MAX_JOINS:
        return None
    joins = np.full((len(states), len(slots), len(values)), -1)
    for index, state in enumerate(states):
        for slot in slots:
            after = [aggregation.with_neighbour(int(value), state, slot, total) for value in values]
            if not aggregation.uses_slots and None in after:
                return None
            joins[index, slot] = [-1 if value is None else value for value in after]
    return joins.reshape(len(states), -1)


def num_slots(aggregation: Aggregation, num_states: int) -> int:
    """How many slots a lone neighbour can be in; 1 if slots do not matter, 0 if the aggregation does not say."""
    nobody = aggregation.encode([], [], num_states)
    slot = 0
    while aggregation.with_neighbour(nobody, 0, slot, num_states) is not None and (aggregation.uses_slots or slot < 1):
        slot += 1
    return slot
