"""Short conditions that tell values apart: one to three guards, of one to three atoms each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.rules import Guard, Vocabulary, guard_cost, matrix_product

MAX_LINES = 3
_MAX_WORK = 2**22
"""Atoms squared times values: beyond, pairs are made of the cheapest atoms only."""
_TRIPLES = 24


def short_guards(words: Vocabulary, inside: Array, outside: Array) -> tuple[Guard, ...] | None:
    """Guards of which at least one holds at each value inside, and none at a value outside.

    Args:
        words: The atoms.
        inside: Values at which one must hold, bool [num_values].
        outside: Values at which none may, bool [num_values]; at the others it does not matter.

    Returns:
        One to three guards; None if so few were not found.
    """
    if not outside.any():
        return ((),)
    if not len(words.atoms):
        return None
    found = _conjunction(words, inside, outside)
    several = _disjunction(words, inside, outside) if found is None or len(found) > 1 else None
    options = [option for option in (None if found is None else (found,), several) if option is not None]
    return min(options, key=lambda guards: guards_cost(guards, words), default=None)


def guards_cost(guards: tuple[Guard, ...], words: Vocabulary) -> float:
    """How much there is to read."""
    return sum(guard_cost(guard, words.features) for guard in guards)


def _conjunction(words: Vocabulary, inside: Array, outside: Array) -> Guard | None:
    """The cheapest one to three atoms that all hold inside and of which one fails at each value outside."""
    above = np.flatnonzero(words.holds[:, inside].all(axis=1))
    wrong = words.holds[np.ix_(above, np.flatnonzero(outside))]
    alone = above[~wrong.any(axis=1)]
    if len(alone):
        return (words.atoms[alone[0]],)
    useful = np.flatnonzero(~wrong.all(axis=1))
    above, wrong = above[useful], wrong[useful]
    if not len(above) or wrong.all(axis=0).any():
        return None
    most = max(1, int((_MAX_WORK // wrong.shape[1]) ** 0.5))
    above, wrong = above[:most], wrong[:most]
    left = matrix_product(wrong, wrong.T)
    cost = words.costs[above]
    pairs = np.argwhere(left == 0)
    if len(pairs):
        best = min(pairs.tolist(), key=lambda pair: (cost[pair[0]] + cost[pair[1]], pair))
        return _guard(words, above[best])
    triples: list[tuple[float, list[int]]] = []
    for place in np.argsort(left, axis=None, kind="stable")[:_TRIPLES]:
        first, second = divmod(int(place), len(above))
        third = np.flatnonzero(matrix_product(wrong, (wrong[first] * wrong[second])[:, None])[:, 0] == 0)
        triples += [(float(cost[[first, second, k]].sum()), sorted([first, second, int(k)])) for k in third[:1]]
    return _guard(words, above[min(triples)[1]]) if triples else None


def _guard(words: Vocabulary, places: Any) -> Guard:
    return tuple(words.atoms[place] for place in dict.fromkeys(int(place) for place in places))


def _disjunction(words: Vocabulary, inside: Array, outside: Array) -> tuple[Guard, ...] | None:
    """Guards of one or two atoms, chosen greedily: those that hold at most values, or at most for what they cost."""
    most = min(len(words.atoms), max(1, int((_MAX_WORK // len(inside)) ** 0.5)))
    holds, costs = words.holds[:most], words.costs[:most]
    gains = np.where(matrix_product(holds * outside, holds.T) == 0, matrix_product(holds * inside, holds.T), 0)
    # If every guard held at the most values that any holds at, would three be enough?
    if gains.max(initial=0) * MAX_LINES < inside.sum():
        return None
    price = costs[:, None] + costs[None] + 2
    price[np.diag_indices(most)] = costs + 1.5
    options = [tuple(_greedy(words, holds, gains, price**power, inside)) for power in (0.5, 1.0)]
    options = [option for option in options if option]
    return min(options, key=lambda guards: guards_cost(guards, words), default=None)


def _greedy(words: Vocabulary, holds: Array, gains: Array, price: Array, inside: Array) -> Iterator[Guard]:
    """Up to three guards that cover everything; none if three are not enough."""
    allowed, left, guards = gains > 0, inside.astype(np.float32), list[Guard]()
    while left.any():
        if guards:
            gains = np.where(allowed, matrix_product(holds * left, holds.T), 0)
        if gains.max(initial=0) * (MAX_LINES - len(guards)) < left.sum():
            return
        first, second = divmod(int(np.argmax(gains / price)), len(holds))
        left = left * (1 - holds[first] * holds[second])
        guards.append(_guard(words, (first, second)))
    yield from guards
