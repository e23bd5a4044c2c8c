"""Aggregations of every family for the soundness campaign: those of the package, and some as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np

from graphfsa import (
    Aggregation,
    AverageThresholdAggregation,
    CountingAggregation,
    LettersAggregation,
    PositionalAggregation,
)
from graphfsa.aggregations import Sum

FAMILIES = ("counting", "positional", "average-threshold", "letters", "own", "own with slots")
_LEVELS: tuple[Any, ...] = (0.5, 1.0, (1 / 3, 2 / 3), 0.1, (0.25, 0.5))


class SomebodyLast(Aggregation):
    """Two methods: whether somebody is in the last state, whichever that is."""

    def num_values(self, num_states: int) -> int:
        return 2

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:
        return int(num_states - 1 in states)


@dataclass(frozen=True)
class SumModulo(Aggregation):
    """Two methods and an option: the sum of the states; so no two states are alike."""

    modulus: int = 3

    def num_values(self, num_states: int) -> int:
        return self.modulus

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:
        return sum(states) % self.modulus


class HighestSeen(Aggregation):
    """It says what one more neighbour does, and no more."""

    def num_values(self, num_states: int) -> int:
        return num_states + 1

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:
        return max(states, default=-1) + 1

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int:
        return max(value, state + 1)


class Parities(Aggregation):
    """It says all that proofs ask for: whether each state occurs an odd number of times."""

    def num_values(self, num_states: int) -> int:
        return 2**num_states

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:
        return sum((list(states).count(m) % 2) << m for m in range(num_states))

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int:
        return value ^ (1 << state)

    def possible_values(self, states: Sequence[int], num_states: int) -> np.ndarray:
        return np.array([not value & ~sum(1 << state for state in set(states)) for value in range(2**num_states)])

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, np.ndarray]:
        values = [sum((v >> k & 1) << state for k, state in enumerate(states)) for v in range(2 ** len(states))]
        return self, np.array(values, np.int64)


class WrappedCounts(CountingAggregation):
    """It changes ``encode``, so that what it inherits is void: counts begin again at 0 beyond the bound."""

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:
        base = self.bound + 1
        return sum(list(states).count(m) % base * base**m for m in range(num_states))


class SameBothSides(Aggregation):
    """With slots: how many of the two are taken, and whether both hold the same."""

    uses_slots = True

    def num_values(self, num_states: int) -> int:
        return 4

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:
        return len(states) + (len(states) == 2 and states[0] == states[1])


def draw_aggregation(rng: np.random.Generator, family: str, num_states: int) -> Aggregation:
    """An aggregation whose tables stay small."""
    if family == "positional":
        return PositionalAggregation(2)
    if family == "own with slots":
        return SameBothSides()
    if family == "counting":
        return CountingAggregation(int(rng.integers(1, 4 if num_states < 4 else 3)))
    if family == "own":
        kinds = [SomebodyLast(), SumModulo(int(rng.integers(2, 5))), HighestSeen(), Parities(), WrappedCounts(1)]
        return kinds[rng.integers(len(kinds))]
    if family == "letters":
        return LettersAggregation(tuple(_draw_sum(rng, num_states) for _ in range(rng.integers(0, 3))))
    if rng.random() < 0.5:
        return AverageThresholdAggregation(_LEVELS[rng.integers(len(_LEVELS))])
    watched = rng.choice(num_states, rng.integers(1, num_states + 1), replace=False).tolist()
    return AverageThresholdAggregation({state: _LEVELS[rng.integers(len(_LEVELS))] for state in watched})


def _draw_sum(rng: np.random.Generator, num_states: int) -> Sum:
    """A sum with small results, about some states or none."""
    kind = ("count", "count", "modulo", "highest")[rng.integers(4)]
    limit = int(rng.integers(2 if kind == "modulo" else 1, 3))
    most = 1 if rng.random() < 0.7 else limit - (kind == "modulo")
    return Sum(kind, limit, tuple(rng.integers(0, most + 1, num_states).tolist()))


def known_states(aggregation: Aggregation) -> int:
    """Fewer states than this an automaton with the aggregation can't have."""
    sums = aggregation.sums if isinstance(aggregation, LettersAggregation) else ()
    return max((len(part.weights) for part in sums), default=1)


def seen_as(aggregation: Aggregation, down: Sequence[int]) -> Aggregation:
    """The aggregation where each state looks as another one did; only letters tell states apart by their places."""
    if not isinstance(aggregation, LettersAggregation):
        return aggregation
    sums = [Sum(part.kind, part.limit, tuple(part.weight(state) for state in down)) for part in aggregation.sums]
    return LettersAggregation(tuple(sums))


def enough(aggregation: Aggregation, num_states: int) -> tuple[int, int]:
    """So many neighbours show all that an aggregation can see; and the number of its slots."""
    if aggregation.uses_slots:
        return 0, 2
    if isinstance(aggregation, LettersAggregation):
        # So many of one state, or as many more as all moduli divide, can't be told from more of it.
        most = max((part.limit for part in aggregation.sums if part.kind == "count"), default=1)
        moduli = [part.limit for part in aggregation.sums if part.kind == "modulo"]
        return (most + lcm(*moduli) - 1) * num_states, 0
    return getattr(aggregation, "bound", 1) * num_states, 0


def draw_class(rng: np.random.Generator, aggregation: Aggregation) -> str:
    """A class of graphs that an aggregation can look at."""
    kinds = ["row", "ring"] if aggregation.uses_slots else ["path", "cycle", "tree", "connected"]
    return kinds[rng.integers(len(kinds))]
