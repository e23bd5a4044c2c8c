"""Means, intervals and tests agree with what they are defined as."""

from fractions import Fraction
from itertools import product
from operator import mul

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from graphfsa.errors import GraphFSAError
from graphfsa.evaluation import paired_test, reproduction, summary
from graphfsa.evaluation.statistics import holm, mean_interval

shares = st.floats(0, 1, width=16)


@given(st.lists(shares, min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_summaries(values):
    found = summary(values)
    assert found.mean == pytest.approx(np.mean(values))
    assert found.std == (pytest.approx(np.std(values, ddof=1)) if len(values) > 1 else None)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.low - 1e-3 <= found.mean <= found.high + 1e-3
    assert (found.exact, found.runs) == (values.count(1.0), len(values))


def test_the_interval_is_that_of_resampled_means():
    values = np.random.default_rng(0).random(10)
    rng = np.random.default_rng(1)
    means = np.sort([np.mean(rng.choice(values, 10)) for _ in range(10_000)])
    assert mean_interval(values) == pytest.approx((means[249], means[9749]), abs=0.01)
    assert mean_interval(values) == mean_interval(values)


def test_intervals_cover_the_mean_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    hits = [low <= 0.5 <= high for low, high in (mean_interval(rng.random(20)) for _ in range(200))]
    assert 0.88 <= np.mean(hits) <= 0.99


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=8))
@settings(max_examples=30, deadline=None)
def test_the_sign_flip_test_tries_all_signs(pairs):
    a, b = np.array(pairs, float).T
    found = paired_test(a, b)
    assert found.difference == pytest.approx((a - b).mean())
    assert found.wins + found.losses == (a != b).sum()
    exact = [Fraction(x) - Fraction(y) for x, y in pairs]
    sums = [abs(sum(map(mul, signs, exact))) for signs in product((1, -1), repeat=len(pairs))]
    assert found.p == pytest.approx(np.mean([total >= abs(sum(exact)) for total in sums]))
    assert paired_test(b, a).p == found.p


def test_sums_that_are_equal_but_for_rounding_count_as_equal():
    assert paired_test([0.1, 0.2, 0.3], [0.2, 0.1, 0.3]).p == 1
    assert paired_test([0.1, 0.2, 0.0], [0.0, 0.0, 0.3]).p == 1


def test_no_difference_is_no_evidence_and_many_seeds_are_sampled():
    assert paired_test([0.5, 0.7], [0.5, 0.7]).p == 1
    assert paired_test([1.0] * 10, [0.9] * 10).p == 2 / 2**10
    many = paired_test([1.0] * 40, [0.9] * 40)
    assert many.p < 0.001
    assert many == paired_test([1.0] * 40, [0.9] * 40)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_correction_keeps_the_order_and_never_helps(values):
    corrected = holm(values)
    assert all(a >= b for a, b in zip(corrected, values, strict=True))
    assert all(value <= 1 for value in corrected)
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [corrected[k] for k in order] == sorted(corrected)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(GraphFSAError, match="at least one run"):
        summary([])
    with pytest.raises(GraphFSAError, match="the same number of runs of both; got 2 and 1"):
        paired_test([1, 1], [1])


def test_the_interval_of_a_difference_is_that_of_welch():
    values = [0.81, 0.9, 0.86, 0.79, 0.95]
    rng = np.random.default_rng(0)
    other = rng.normal(size=10)
    other = 0.84 + 0.14 * (other - other.mean()) / other.std(ddof=1)
    found = reproduction(values, 0.84, 0.14)
    wanted = ttest_ind(values, other, equal_var=False).confidence_interval()
    assert (found.low + 0.005, found.high - 0.005) == pytest.approx(tuple(wanted))
    assert found.difference == pytest.approx(np.mean(values) - 0.84)


@pytest.mark.parametrize(
    ("values", "mean", "std", "margin", "verdict"),
    [
        ([1.0] * 10, 1.0, 0.0, 0.05, "equal"),
        ([0.98] * 10, 1.0, 0.0, 0.05, "equal"),  # Other than published, by less than the margin.
        ([0.94] * 10, 1.0, 0.0, 0.05, "worse"),
        ([1.0] * 10, 0.61, 0.2, 0.05, "better"),
        ([0.57, 0.6, 0.5, 0.61], 0.84, 0.14, 0.05, "worse"),
        ([0.84, 0.6, 1.0, 0.9], 0.84, 0.14, 0.05, "undecided"),
        ([0.84, 0.84, 0.84, 0.84], 0.84, 0.14, 0.5, "equal"),
        ([1.0], 1.0, 0.0, 0.05, "undecided"),  # One run says nothing of the spread.
    ],
)
def test_verdicts(values, mean, std, margin, verdict):
    assert reproduction(values, mean, std, margin=margin).verdict == verdict


def test_equal_is_said_wrongly_in_at_most_5_percent():
    """Means that are just as far apart as the margin."""
    rng = np.random.default_rng(0)
    said = [
        reproduction(rng.normal(0.75, 0.02, 10), published.mean(), published.std(ddof=1)).verdict == "equal"
        for published in (rng.normal(0.7, 0.02, 10) for _ in range(400))
    ]
    assert np.mean(said) <= 0.06
