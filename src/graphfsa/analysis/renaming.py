"""Whether two automata differ only in how their states are numbered and how far they count."""

from __future__ import annotations

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.analysis.minimisation import num_slots
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA

_MAX_PAIRS = 2**18


def same_up_to_renaming(a: GraphFSA, b: GraphFSA) -> tuple[int, ...] | None:
    """A renaming of states under which two automata do the same for ever, on every graph that both accept.

    The k-th starting and the k-th final states keep their places. The others are found by following: entries whose own
    state and neighbours have their places lead to states that must correspond. Every entry that can be used is compared
    and no other, so states that can't occur get any place. Bounds may differ: what is counted further must not matter.

    Returns:
        For each state of ``a`` its state of ``b``; None if there is no such renaming, or if the aggregations do not
        say how their values go together.

    Example:
        >>> from graphfsa import library
        >>> same_up_to_renaming(library.life_like("B3/S23"), library.life_like("B3/S23"))
        (0, 1)
    """
    shapes = [(fsa.num_states, len(fsa.starting_states), len(fsa.final_states)) for fsa in (a, b)]
    if shapes[0] != shapes[1]:
        return None
    named = (a.starting_states + a.final_states, b.starting_states + b.final_states)
    image = dict(zip(*named, strict=True))
    if any(image[state] != other for state, other in zip(*named, strict=True)) or len(set(image.values())) < len(image):
        return None
    reached = list(a.starting_states)
    while True:
        pairs = _successors(a, b, reached, [image[state] for state in reached])
        if pairs is None:
            return None
        for state, other in pairs:
            if image.setdefault(state, other) != other:
                return None
        if len(set(image.values())) < len(image):
            return None
        new = sorted({state for state, _ in pairs} - set(reached))
        if not new:
            return _completed(image, a.num_states)
        reached += new


def _completed(image: dict[int, int], num_states: int) -> tuple[int, ...]:
    """The renaming with places for the states that can't occur."""
    free = iter(sorted(set(range(num_states)) - set(image.values())))
    return tuple(image[state] if state in image else next(free) for state in range(num_states))


def _successors(a: GraphFSA, b: GraphFSA, states: list[int], others: list[int]) -> list[tuple[int, int]] | None:
    """Where corresponding nodes go that are in these states, as all their neighbours are: pairs, each once."""
    if not states:
        return []
    left, right = a.aggregation.restricted(states, a.num_states), b.aggregation.restricted(others, b.num_states)
    if left is None or right is None:
        return None
    together = values_together(left[0], right[0], len(states))
    if together is None:
        return None
    following = a.transition_table[states][:, left[1][together[0]]].astype(np.int64)
    pairs = np.unique(following * b.num_states + b.transition_table[others][:, right[1][together[1]]])
    return [divmod(int(pair), b.num_states) for pair in pairs]


def values_together(a: Aggregation, b: Aggregation, num_states: int) -> tuple[Array, Array] | None:
    """All pairs of values that two aggregations have of the same neighbourhood, over the same states.

    None if that is not known: they differ, and one does not say what one more neighbour does.
    """
    if a == b:
        possible = np.flatnonzero(a.possible_values(range(num_states), num_states))
        return possible, possible
    if None not in (a.seen_kinds, b.seen_kinds) and a.seen_kinds != b.seen_kinds:
        return None  # They know the same kinds of arcs by other numbers, or other kinds.
    slots = range(_common_slots(a, b, num_states))
    pairs = {(a.encode([], [], num_states), b.encode([], [], num_states))}
    waiting = list(pairs) if slots else []
    while waiting:
        first, second = waiting.pop()
        for state in range(num_states):
            for slot in slots:
                after = (
                    a.with_neighbour(first, state, slot, num_states),
                    b.with_neighbour(second, state, slot, num_states),
                )
                if any(value is None and not kind.uses_slots for value, kind in zip(after, (a, b), strict=True)):
                    return None
                # A taken slot: nobody can join there.
                if after[0] is not None and after[1] is not None and after not in pairs:
                    pairs.add((after[0], after[1]))
                    waiting.append((after[0], after[1]))
        if len(pairs) > _MAX_PAIRS:
            return None
    if not slots:
        return None
    left, right = np.array(sorted(pairs), np.int64).T
    return left, right


def _common_slots(a: Aggregation, b: Aggregation, num_states: int) -> int:
    """The slots that both have; one without slots accepts any."""
    slots = [num_slots(kind, num_states) for kind in (a, b)]
    if a.uses_slots == b.uses_slots or 0 in slots:
        return min(slots)
    return max(slots)
