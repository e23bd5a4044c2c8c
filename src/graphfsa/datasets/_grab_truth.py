"""Random truths for GRAB: an aggregation with its parameters, and a random table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from graphfsa.aggregations import (
    Aggregation,
    AverageThresholdAggregation,
    CountingAggregation,
    LettersAggregation,
    PositionalAggregation,
    Sum,
)
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.base import MAX_STATES, check_table_size
from graphfsa.checks import check_integer
from graphfsa.errors import GraphFSAError, UnknownNameError

Generator = np.random.Generator
AGGREGATIONS = ("counting", "average-threshold", "positional", "letters")


def make_aggregation(
    name: str, num_states: int, *, bound: int, slots: int, thresholds: tuple[float, ...], letters: int
) -> Aggregation:
    """The aggregation of a truth.

    Args:
        name: One of ``AGGREGATIONS``.
        num_states: Number of states.
        bound: Of counting, and of letters.
        slots: Of positional.
        thresholds: Of average-threshold.
        letters: Of letters: state ``m`` shows the letter ``m % letters``, and each letter is counted to the bound.
    """
    makers: Mapping[str, Callable[[], Aggregation]] = {
        "counting": lambda: CountingAggregation(bound=bound),
        "average-threshold": lambda: AverageThresholdAggregation(thresholds),
        "positional": lambda: PositionalAggregation(slots),
        "letters": lambda: _letters(num_states, letters, bound),
    }
    if name not in makers:
        raise UnknownNameError("aggregation of GRAB", name, AGGREGATIONS)
    return makers[name]()


def _letters(num_states: int, letters: int, bound: int) -> Aggregation:
    check_integer("letters", letters, 1, num_states)
    return LettersAggregation(
        tuple(
            Sum("count", bound, tuple(int(state % letters == letter) for state in range(num_states)))
            for letter in range(letters)
        )
    )


def check_numbers(num_states: int, num_starting: int, num_final: int) -> None:
    """Raise unless a truth can have these numbers of states."""
    if not 1 <= num_states <= MAX_STATES:
        raise GraphFSAError(f"a truth must have 1 to {MAX_STATES} states; got {num_states}")
    if num_starting < 1 or num_final < 1 or num_starting + num_final > num_states:
        raise GraphFSAError(
            f"a truth needs at least one starting and one final state, and no more than {num_states} in all; "
            f"got {num_starting} starting and {num_final} final"
        )


def random_truth(
    num_states: int, num_starting: int, num_final: int, aggregation: Aggregation, kind: str, rng: Generator
) -> GraphFSA:
    """A random automaton: final states first (f0, f1, ...), then starting ones (s0, ...), then others (m0, ...).

    Args:
        num_states: Number of states.
        num_starting: Number of starting states.
        num_final: Number of final states.
        aggregation: How a node sees its neighbours.
        kind: ``dense``: a uniform successor for every (state, value); ``sparse``: each state has only two other
            successors, taken with probability 0.4 each, and stays otherwise.
        rng: Source of randomness.
    """
    check_numbers(num_states, num_starting, num_final)
    others = num_states - num_starting - num_final
    names = (
        [f"f{k}" for k in range(num_final)] + [f"s{k}" for k in range(num_starting)] + [f"m{k}" for k in range(others)]
    )
    num_values = check_table_size(aggregation, num_states)
    table = rng.integers(0, num_states, (num_states, num_values))
    if kind == "sparse":
        pairs = np.array([rng.permutation(np.delete(np.arange(num_states), m))[:2] for m in range(num_states)])
        draws = rng.random((num_states, num_values))[:, :, None] < np.array([0.4, 0.8])
        stay = np.arange(num_states)[:, None]
        table = np.where(draws[..., 0], pairs[:, :1], np.where(draws[..., 1], pairs[:, -1:], stay))
    elif kind != "dense":
        raise UnknownNameError("kind of truth", kind, ("dense", "sparse"))
    table[:num_final] = np.arange(num_final)[:, None]
    starting = range(num_final, num_final + num_starting)
    return GraphFSA(names, aggregation, table, starting_states=[*starting], final_states=[*range(num_final)])
