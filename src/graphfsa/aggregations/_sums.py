"""Sums of letters: what a node sees of its neighbours if every state shows a small number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer, shown
from graphfsa.errors import AutomatonError

KINDS = ("count", "modulo", "highest")
MAX_LIMIT = 255
_MANY, _FEW = 12, 3
"""Of more names than many, few are shown."""
_TIMES = {1: "once", 2: "twice"}


@dataclass(frozen=True)
class Sum:
    """One sum of letters.

    Attributes:
        kind: ``count``: the weights of all neighbours are added, up to ``limit``; ``modulo``: they are added modulo
            ``limit``; ``highest``: the largest of them, up to ``limit``.
        limit: The largest result, at least 1; with ``modulo`` the modulus, at least 2.
        weights: The letter of each state, a number from 0 (none) to the largest result. States beyond the last have
            none, so zeros at the end are dropped: equal sums have equal weights.

    Example:
        >>> Sum("count", 2, (0, 1, 1, 0))
        Sum(kind='count', limit=2, weights=(0, 1, 1))
    """

    kind: str
    limit: int
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise AutomatonError(f"the kind of a sum must be one of {', '.join(KINDS)}; got {shown(self.kind)}")
        modulo = self.kind == "modulo"
        what = "the modulus of a sum" if modulo else "the limit of a sum"
        limit = check_integer(what, self.limit, 1 + modulo, MAX_LIMIT, error=AutomatonError)
        given: Any = self.weights
        if not isinstance(given, tuple | list):
            raise AutomatonError(f"weights must be a list of integers, one for each state; got {shown(given)}")
        weights = [
            check_integer(f"the weight of state {state}", weight, 0, limit - modulo, error=AutomatonError)
            for state, weight in enumerate(given)
        ]
        while weights and not weights[-1]:
            weights.pop()
        object.__setattr__(self, "limit", limit)
        object.__setattr__(self, "weights", tuple(weights))

    @property
    def size(self) -> int:
        """How many results there are."""
        return self.limit if self.kind == "modulo" else self.limit + 1

    def weight(self, state: int) -> int:
        """The letter of a state; 0 for none."""
        return self.weights[state] if state < len(self.weights) else 0

    def states(self, weight: int | None = None) -> tuple[int, ...]:
        """The states whose letter is a number other than 0, or any but 0."""
        return self._states.get(weight, ())

    @cached_property
    def _states(self) -> dict[int | None, tuple[int, ...]]:
        """The states of each weight other than 0; under None those of any."""
        found: dict[int | None, list[int]] = {None: []}
        for state, own in enumerate(self.weights):
            if own:
                found[None].append(state)
                found.setdefault(own, []).append(state)
        return {weight: tuple(states) for weight, states in found.items()}

    @property
    def plain(self) -> bool:
        """Whether every state counts once or not at all; then the result is a number of neighbours."""
        return self.kind != "highest" and max(self.weights, default=1) == 1

    def add(self, total: int, weight: int) -> int:
        """The sum after one more letter."""
        if self.kind == "highest":
            return max(total, weight)
        return (total + weight) % self.limit if self.kind == "modulo" else min(self.limit, total + weight)

    def add_all(self, totals: Array, weight: int) -> Array:
        """Several sums after one more letter each."""
        if self.kind == "highest":
            return np.maximum(totals, weight)
        return (totals + weight) % self.limit if self.kind == "modulo" else np.minimum(totals + weight, self.limit)

    def decode(self, total: int, state_names: Sequence[str]) -> str:
        """A result in words that a person reads: ``2+ of {node, marked}``, ``highest on``."""
        names = [state_names[state] for state in self.states()]
        everyone = self.plain and len(names) == len(state_names)
        if self.kind == "highest":
            level = [state_names[state] for state in self.states(total)] if total else names
            if total and not level:
                return f"highest letter {total}"
            return f"{'highest' if total else 'no'} {level[0] if len(level) == 1 else _braces(level)}"
        if not self.plain:
            names = [f"{state_names[state]} {self.times(self.weights[state])}" for state in self.states()]
        among = "neighbours" if everyone else names[0] if self.plain and len(names) == 1 else f"of {_braces(names)}"
        if self.kind == "modulo":
            return f"{total} {among} (modulo {self.limit})"
        return f"{total}{'+' if total == self.limit else ''} {among}"

    @staticmethod
    def times(weight: int) -> str:
        """How often a state counts, in words: ``once``, ``twice``, ``3 times``."""
        return _TIMES.get(weight, f"{weight} times")

    def labels(self, state_names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
        """For pictures: what it is about, and each result."""
        if self.kind == "highest":
            levels = [
                _joined([state_names[state] for state in self.states(weight)], "/") for weight in range(1, self.size)
            ]
            return " < ".join(levels), ("-", *levels)
        results = [str(result) for result in range(self.size)]
        terms = [f"{f'{self.weights[m]}*' if self.weights[m] > 1 else ''}{state_names[m]}" for m in self.states()]
        name = "neighbours" if self.plain and len(terms) == len(state_names) else _joined(terms, " + ")
        if self.kind == "modulo":
            return f"{name} mod {self.limit}", tuple(results)
        return name, (*results[:-1], f"{self.limit}+")


@dataclass(frozen=True, eq=False)
class Tally:
    """A sum as a feature of values: rules can ask for its level, which is its result but for ``highest``.

    Attributes:
        sum: The sum. With ``highest``, its letters are renumbered so that some state shows each of them.
        digits: The level at each value, integers [num_values].
        results: The result at each level; one that can't occur has the level below it.
        source: A Python expression that gives the result from ``seen``, which is what ``observation`` returned.
    """

    sum: Sum
    digits: Array
    results: tuple[int, ...]
    source: str

    @classmethod
    def of(cls, part: Sum, digits: Array, source: str) -> Tally:
        """A sum that some state shows a letter of, from its result at each value."""
        if part.kind != "highest":
            return cls(part, digits, tuple(range(part.size)), source)
        results = sorted({0, *part.weights})
        ranked = Sum("highest", len(results) - 1, tuple(results.index(weight) for weight in part.weights))
        level = np.searchsorted(results, np.arange(part.size), side="right") - 1
        return cls(ranked, level[digits], tuple(results), source)

    def follows_from(self, other: Tally) -> bool:
        """Whether the level follows from that of another sum; two that are equal follow from each other."""
        mine, its = self.sum, other.sum
        if mine.weights != its.weights or "modulo" in (mine.kind, its.kind):
            return mine == its
        if mine.kind == its.kind == "count":
            return mine.limit <= its.limit
        return mine == its or mine.limit == 1


def _braces(names: Sequence[str]) -> str:
    """A set of names; of many, the first few and how many there are."""
    if len(names) > _MANY:
        return f"{{{', '.join(names[:_FEW])}, ... ({len(names)} states)}}"
    return f"{{{', '.join(names)}}}"


def _joined(names: Sequence[str], sign: str) -> str:
    """Names for a picture; of many, the first few and how many there are."""
    if len(names) > _MANY:
        return f"{sign.join(names[:_FEW])}{sign}... ({len(names)})"
    return sign.join(names)
