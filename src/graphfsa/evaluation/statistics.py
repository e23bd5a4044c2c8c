"""What several seeds say: mean, deviation, intervals, whether two learners differ, whether a result is reproduced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import GraphFSAError

_RESAMPLES = 10_000
_SIGNS = 2**14
"""Choices of signs that are tried: all of them if there are no more, so up to 14 seeds; a sample otherwise."""


@dataclass(frozen=True)
class Summary:
    """What the runs of one learner on one test say.

    Attributes:
        mean: Mean accuracy.
        std: Standard deviation over runs (n - 1 in the denominator); None for one run.
        low: Lower end of the 95 % bootstrap confidence interval of the mean.
        high: Its upper end.
        exact: Number of runs without a wrong node.
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
    low, high = mean_interval(numbers, seed=seed)
    deviation = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return Summary(float(numbers.mean()), deviation, low, high, int((numbers == 1).sum()), len(numbers))


def mean_interval(values: Sequence[float] | Array, *, seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile interval of the mean, over 10,000 bootstrap resamples of the runs."""
    return _mean_interval(tuple(np.asarray(values, float).tolist()), seed)


@lru_cache(maxsize=2**14)  # Strict and lenient scores are mostly the same, and tables share runs.
def _mean_interval(values: tuple[float, ...], seed: int) -> tuple[float, float]:
    from scipy.stats import bootstrap

    if len(set(values)) == 1:  # Nothing to resample; SciPy refuses a single run.
        return values[0], values[0]
    rng = np.random.default_rng(seed)
    found = bootstrap((np.array(values),), np.mean, n_resamples=_RESAMPLES, method="percentile", rng=rng)
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


@dataclass(frozen=True)
class PairedTest:
    """Two learners on the same data.

    Attributes:
        difference: Mean of the first's accuracy minus the second's, over seeds.
        low: Lower end of the 95 % bootstrap confidence interval of that mean.
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


def paired_test(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> PairedTest:
    """Compare two learners whose k-th accuracies are from the same graphs.

    Under the hypothesis that both are the same, each difference could as well have the other sign. The p-value is the
    share of all choices of signs whose mean is at least as far from 0 as the one that was seen (up to 14 seeds; a
    sample of 16,384 choices beyond).

    Example:
        >>> paired_test([1.0] * 5, [0.5] * 5).p
        0.0625
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise GraphFSAError(f"a paired test needs the same number of runs of both; got {a.size} and {b.size}")
    differences = a - b
    low, high = mean_interval(differences, seed=seed)
    return PairedTest(
        difference=float(differences.mean()),
        low=low,
        high=high,
        p=_sign_flip(differences, seed),
        wins=int((differences > 0).sum()),
        losses=int((differences < 0).sum()),
        pairs=len(a),
    )


def _sign_flip(differences: Array, seed: int) -> float:
    from scipy.stats import permutation_test

    moved = differences[differences != 0]  # The sign of 0 changes nothing, and would double the choices.
    if len(moved) < 2:  # SciPy refuses a single one; both of its signs are as far from 0.
        return 1.0
    found = permutation_test(
        (moved,),
        lambda sample, axis: abs(sample.sum(axis=axis)).round(12),  # Equal sums stay equal in floating point.
        permutation_type="samples",
        alternative="greater",
        n_resamples=_SIGNS,
        vectorized=True,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


Verdict = Literal["equal", "better", "worse", "undecided"]
VERDICTS: tuple[Verdict, ...] = ("equal", "better", "worse", "undecided")
_ROUNDING = 0.005
"""Published numbers are rounded to two digits: a mean may be off by this, and a deviation of 0.00 may be as large."""


@dataclass(frozen=True)
class Reproduction:
    """A measured mean beside a published one.

    Attributes:
        difference: Measured minus published.
        low: Lower end of the 95 % interval of the difference (Welch); None for a single run.
        high: Its upper end.
        verdict: ``equal`` if two one-sided tests at 5 % each show that the means differ by less than the margin;
            otherwise ``better`` or ``worse`` if the interval leaves out 0, and ``undecided`` if it does not.
    """

    difference: float
    low: float | None
    high: float | None
    verdict: Verdict


def reproduction(
    values: Sequence[float], mean: float, std: float, *, runs: int = 10, margin: float = 0.05
) -> Reproduction:  # fmt: skip
    """Hold runs against a published mean and deviation.

    Welch's intervals: the variances need not be equal. They are widened by 0.005 on each side, the rounding of the
    published mean.

    Args:
        values: Accuracies, one of each run.
        mean: The published mean.
        std: The published standard deviation over runs.
        runs: The number of published runs.
        margin: How far equal means may be apart.

    Example:
        >>> reproduction([0.99, 1.0, 1.0], 1.0, 0.0).verdict, reproduction([0.5, 0.6, 0.4], 0.84, 0.14).verdict
        ('equal', 'worse')
    """
    from scipy.stats import t

    numbers = np.asarray(values, float)
    difference = float(numbers.mean()) - mean
    if len(numbers) < 2:
        return Reproduction(difference, None, None, "undecided")
    parts = (float(numbers.var(ddof=1)) / len(numbers), max(std, _ROUNDING) ** 2 / runs)
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(numbers) - 1) + parts[1] ** 2 / (runs - 1))
    wide, narrow = (float(t.ppf(level, freedom)) * sqrt(sum(parts)) + _ROUNDING for level in (0.975, 0.95))
    low, high = difference - wide, difference + wide
    verdict: Verdict = "better" if low > 0 else "worse" if high < 0 else "undecided"
    if abs(difference) + narrow < margin:
        verdict = "equal"
    return Reproduction(difference, low, high, verdict)


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
