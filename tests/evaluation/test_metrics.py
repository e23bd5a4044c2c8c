"""Scores: strict, as the authors count, and by graph."""

import numpy as np
import pytest

from graphfsa.automaton import library
from graphfsa.datasets import Examples, dataset_class
from graphfsa.evaluation import score
from graphfsa.evaluation.metrics import answers_at
from graphfsa.learners import answers, learner_class


@pytest.fixture(scope="module")
def mixed():
    dataset = dataset_class("root-value")()
    rngs = np.random.default_rng(0).spawn(4)
    return Examples.concatenate([dataset.generate(n, 5, rng) for n, rng in enumerate(rngs, start=1)])


def test_scores_by_hand(mixed):
    two = mixed.select([5, 10])
    found = two.labels.astype(np.int16)
    assert score(two, found).accuracy == score(two, found).perfect == 1
    found[0] = -1
    strict = score(two, found)
    assert (strict.nodes, strict.graphs, strict.perfect) == (5, 2, 0.5)
    assert strict.accuracy == pytest.approx(4 / 5)
    assert strict.reference == pytest.approx((4 + (two.labels[0] == 0)) / 5)


def test_masked_nodes_do_not_count_and_repeated_graphs_do(mixed):
    two = mixed.select([5, 10])
    mask = [False, True, True, True, True]
    counted = Examples(two.task, two.graphs, two.inputs, two.labels, steps=two.steps, mask=mask, counts=[3, 1])
    found = two.labels.astype(np.int16)
    found[0] = -1
    assert score(counted, found).accuracy == score(counted, found).perfect == 1
    found[1] = -1
    assert score(counted, found).nodes == 6
    assert score(counted, found).accuracy == pytest.approx(0.5)
    assert score(counted, found).perfect == pytest.approx(0.25)


def test_answers_of_mixed_steps_are_those_of_each_graph(mixed):
    model = learner_class("exact")(states=5, bound=1).fit(mixed)
    found = answers(model, mixed)
    alone = [model.predict(one.graph, one.inputs, steps=one.steps) for one in mixed]
    assert np.array_equal(found, np.concatenate(alone))
    assert score(mixed, found).accuracy == mixed.accuracy(model.automaton) == 1


def test_several_numbers_of_steps_at_once(mixed):
    class Plain:
        def predict(self, graph, inputs, *, steps):
            return mixed.task.predictions(library.root_value(), np.full(graph.num_nodes, steps % 2))

    found = answers_at(Plain(), mixed, [0, 3])
    assert found.shape == (2, mixed.graphs.graph.num_nodes)
    assert not np.array_equal(*found)
