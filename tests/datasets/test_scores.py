"""Scores: strict, as the authors count, and by graph."""

import numpy as np
import pytest

from graphfsa.datasets import Examples, dataset_class
from graphfsa.learners import learner_class


@pytest.fixture(scope="module")
def mixed():
    dataset = dataset_class("root-value")()
    rngs = np.random.default_rng(0).spawn(4)
    return Examples.concatenate([dataset.generate(n, 5, rng) for n, rng in enumerate(rngs, start=1)])


def test_scores_by_hand(mixed):
    two = mixed.select([5, 10])
    found = two.labels.astype(np.int16)
    assert two.score(found).accuracy == two.score(found).perfect == 1
    found[0] = -1
    strict = two.score(found)
    assert (strict.nodes, strict.graphs, strict.perfect) == (5, 2, 0.5)
    assert strict.accuracy == pytest.approx(4 / 5)
    assert strict.reference == pytest.approx((4 + (two.labels[0] == 0)) / 5)


def test_masked_nodes_do_not_count_and_repeated_graphs_do(mixed):
    two = mixed.select([5, 10])
    mask = [False, True, True, True, True]
    counted = Examples(two.task, two.graphs, two.inputs, two.labels, steps=two.steps, mask=mask, counts=[3, 1])
    found = two.labels.astype(np.int16)
    found[0] = -1
    assert counted.score(found).accuracy == counted.score(found).perfect == 1
    found[1] = -1
    assert counted.score(found).nodes == 6
    assert counted.score(found).accuracy == pytest.approx(0.5)
    assert counted.score(found).perfect == pytest.approx(0.25)


def test_answers_of_mixed_steps_are_those_of_each_graph(mixed):
    model = learner_class("exact")(states=5, bound=1).fit(mixed)
    found = model.answers(mixed)
    alone = [model.predict(one.graph, one.inputs, steps=one.steps) for one in mixed]
    assert np.array_equal(found, np.concatenate(alone))
    assert mixed.score(found).accuracy == model.accuracy(mixed) == 1
