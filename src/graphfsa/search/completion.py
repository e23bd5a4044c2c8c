"""Entries that no data speak of: which values are alike, and the simplest completion of a table."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.aggregations import Aggregation, LettersAggregation
from graphfsa.arrays import Array
from graphfsa.search.problem import Shape


@lru_cache(maxsize=16)
def digits_of(aggregation: Aggregation, num_states: int) -> Array:
    """The digits of every value, int64 [num_values, number of digits]."""
    values = range(aggregation.num_values(num_states))
    return np.array([aggregation.digits(value, num_states) for value in values], np.int64)


@lru_cache(maxsize=16)
def neighbours(aggregation: Aggregation, num_states: int) -> Array:
    """For each value, those that differ in one digit (by one, if digits are amounts), int64, padded with -1."""
    digits = digits_of(aggregation, num_states)
    place = {tuple(row): value for value, row in enumerate(digits.tolist())}
    tops = digits.max(axis=0, initial=0)
    found: list[list[int]] = []
    for row in digits.tolist():
        near: list[int] = []
        for k, digit in enumerate(row):
            others = (digit - 1, digit + 1) if aggregation.ordered else range(int(tops[k]) + 1)
            changed = ((*row[:k], other, *row[k + 1 :]) for other in others if other != digit)
            near += [place[key] for key in changed if key in place]
        found.append(near)
    width = max(1, *map(len, found))
    return np.array([near + [-1] * (width - len(near)) for near in found], np.int64)


def completed(table: Array, shape: Shape) -> Array:
    """Fill what is -1 by a decision tree per state, grown on the entries that are known; a state without any stays.

    A node of the tree asks whether a digit reaches a number (whether it is a certain name, if digits are names) and is
    chosen greedily by entropy, the first of the best. So the smallest explanation of what was seen decides the rest.
    """
    filled = table.copy()
    questions = _questions(shape.aggregation, shape.num_states)
    for state in range(shape.num_states):
        known = np.flatnonzero(table[state] >= 0)
        if not len(known):
            filled[state] = state
        elif len(known) < table.shape[1]:
            _grow(table[state], filled[state], questions, known, np.arange(table.shape[1]), shape.num_states)
    return filled


def leaves(row: Array, aggregation: Aggregation, num_states: int) -> int:
    """Number of leaves of the decision tree for a complete row of a table."""
    everything = np.arange(len(row))
    return _grow(row, row.copy(), _questions(aggregation, num_states), everything, everything, num_states)


@lru_cache(maxsize=16)
def _questions(aggregation: Aggregation, num_states: int) -> Array:
    """Every question about a value, bool [number of questions, num_values]."""
    digits = digits_of(aggregation, num_states)
    asked: list[Any] = []
    for place, column in enumerate(digits.T):
        amounts, names = _meaning(aggregation, place)
        for level in range(int(column.max(initial=0)) + 1):
            answers = [column >= level] * amounts + [column == level] * names
            asked += [answer for answer in answers if answer.any() and not answer.all()]
    return np.array(asked, bool).reshape(len(asked), len(digits))


def _meaning(aggregation: Aggregation, place: int) -> tuple[bool, bool]:
    """Whether a digit is an amount, so that one asks whether it reaches a number; and whether it is a name."""
    if isinstance(aggregation, LettersAggregation):
        kind = aggregation.sums[place].kind
        return kind != "modulo", kind != "count"
    return aggregation.ordered, not aggregation.ordered


def _grow(row: Array, filled: Array, questions: Array, known: Array, members: Array, num_states: int) -> int:
    successors = row[known]
    if (successors == successors[0]).all():
        filled[members] = successors[0]
        return 1
    asked = questions[:, known]
    hot = np.zeros((len(known), num_states), np.int64)
    hot[np.arange(len(known)), successors] = 1
    yes = asked.astype(np.int64) @ hot
    no = hot.sum(axis=0) - yes
    sides = np.minimum(yes.sum(axis=1), no.sum(axis=1))
    cost = np.where(sides > 0, _entropy(yes) + _entropy(no), np.inf)
    best = int(np.argmin(np.round(cost, 9)))
    split, inside = questions[best, known], questions[best, members]
    return sum(
        _grow(row, filled, questions, known[split == side], members[inside == side], num_states)
        for side in (True, False)
    )


def _entropy(counts: Array) -> Array:
    """Total entropy of some groups, in nats: counts [groups, states]."""
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(counts > 0, counts * np.log(counts / total), 0.0).sum(axis=1)
