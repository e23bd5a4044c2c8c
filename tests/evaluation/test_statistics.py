"""Means, intervals and tests agree with what they are defined as."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from graphfsa.errors import GraphFSAError
from graphfsa.evaluation import compare, summary
from graphfsa.evaluation.statistics import bootstrap, holm

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


def test_the_interval_is_that_of_scipy():
    values = np.random.default_rng(0).random(10)
    low, high = bootstrap(values)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=1).confidence_interval
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_intervals_cover_the_mean_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    hits = [low <= 0.5 <= high for low, high in (bootstrap(rng.random(20)) for _ in range(200))]
    assert 0.88 <= np.mean(hits) <= 0.99


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=8))
@settings(max_examples=30, deadline=None)
def test_the_sign_flip_test_is_that_of_scipy(pairs):
    a, b = np.array(pairs, float).T
    found = compare(a, b)
    assert found.difference == pytest.approx((a - b).mean())
    assert found.wins + found.losses == (a != b).sum()
    if (a != b).any() and len(pairs) > 1:
        expected = stats.permutation_test(
            (a - b,), lambda x: abs(x.mean()), permutation_type="samples", n_resamples=np.inf, alternative="greater"
        )
        assert found.p == pytest.approx(expected.pvalue)
    assert compare(b, a).p == found.p


def test_no_difference_is_no_evidence_and_many_seeds_are_sampled():
    assert compare([0.5, 0.7], [0.5, 0.7]).p == 1
    assert compare([1.0] * 10, [0.9] * 10).p == 2 / 2**10
    assert compare([1.0] * 40, [0.9] * 40).p < 0.001


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
    with pytest.raises(GraphFSAError, match="as many runs of both; got 2 and 1"):
        compare([1, 1], [1])
