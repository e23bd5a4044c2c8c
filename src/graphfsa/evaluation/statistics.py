"""What several seeds say: mean, deviation, confidence interval, and whether two learners differ on the same data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from graphfsa.errors import GraphFSAError

_RESAMPLES = 10_000
_EXACT_UP_TO = 14
"""Seeds up to which every change of signs is tried, instead of a sample of them."""
_SAMPLED = 2**14


@dataclass(frozen=True)
class Summary:
    """What the runs of one learner on one test say.

    Attributes:
        mean: Mean accuracy.
        std: Standard deviation over runs (n - 1 in the denominator); None for one run.
        low: Lower end of the 95 % bootstrap confidence interval of the mean.
        high: Its upper end.
        exact: How many runs have no wrong node at all.
        runs: Number of runs.
    """

    mean: float
    std: float | None
    low: float
    high: float
    exact: int
    runs: int


def summary(values: Sequence[float], *, seed: int = 0) -> Summary:
    """Summarise accuracies, one of each run.

    Example:
        >>> summary([1.0, 1.0, 0.5]).exact
        2
    """
    numbers = np.asarray(values, float)
    if numbers.ndim != 1 or not len(numbers):
        raise GraphFSAError("there must be at least one run")
    low, high = bootstrap(numbers, seed=seed)
    deviation = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return Summary(float(numbers.mean()), deviation, low, high, int((numbers == 1).sum()), len(numbers))


def bootstrap(values: Sequence[float] | np.ndarray[Any, Any], *, seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile interval of the mean, over 10,000 resamples of the runs."""
    numbers = np.asarray(values, float)
    if numbers.min() == numbers.max():
        return float(numbers[0]), float(numbers[0])
    rng = np.random.default_rng(seed)
    means = numbers[rng.integers(0, len(numbers), (_RESAMPLES, len(numbers)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


@dataclass(frozen=True)
class Comparison:
    """Two learners on the same data.

    Attributes:
        difference: Mean of the first's accuracy minus the second's, over seeds.
        low: Lower end of the 95 % bootstrap confidence interval of that.
        high: Its upper end.
        p: Two-sided p-value of the sign-flip test; the smallest that n seeds can give is 2 / 2^n.
        wins: Seeds for which the first is better.
        losses: Seeds for which it is worse.
        pairs: Number of seeds.
    """

    difference: float
    low: float
    high: float
    p: float
    wins: int
    losses: int
    pairs: int


def compare(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> Comparison:
    """A paired test of two learners whose k-th accuracies are from the same graphs.

    Under the hypothesis that both are the same, each difference could as well have the other sign. The p-value is the
    share of all choices of signs whose mean is at least as far from 0 as the one that was seen (up to 14 seeds; a
    sample of 16,384 choices beyond).

    Example:
        >>> compare([1.0] * 5, [0.5] * 5).p
        0.0625
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise GraphFSAError(f"a paired test needs as many runs of both; got {a.size} and {b.size}")
    differences = a - b
    low, high = bootstrap(differences, seed=seed)
    return Comparison(
        difference=float(differences.mean()),
        low=low,
        high=high,
        p=_sign_flip(differences, seed),
        wins=int((differences > 0).sum()),
        losses=int((differences < 0).sum()),
        pairs=len(a),
    )


def _sign_flip(differences: np.ndarray[Any, Any], seed: int) -> float:
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    seen = abs(moved.sum())
    if len(moved) <= _EXACT_UP_TO:
        signs = np.array(list(product((1, -1), repeat=len(moved))))
        return float((abs(signs @ moved) >= seen - 1e-12).mean())
    signs = np.random.default_rng(seed).choice((1, -1), (_SAMPLED, len(moved)))
    return float((1 + (abs(signs @ moved) >= seen - 1e-12).sum()) / (1 + _SAMPLED))


def holm(values: Sequence[float]) -> list[float]:
    """p-values of several tests, corrected for their number after Holm.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected = [0.0] * len(values)
    largest = 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - place) * values[index]))
        corrected[index] = largest
    return corrected
