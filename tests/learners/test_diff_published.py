"""The published training: first logits, sums over nodes and entries, and that it goes on to the end."""

import numpy as np
import pytest

from graphfsa import DiffFSA, library
from graphfsa.datasets import dataset_class, draw_training
from graphfsa.learners.diff_fsa._recipe import recipe_of
from graphfsa.learners.diff_fsa._training import Beginning, Training
from graphfsa.search.problem import Problem, Shape

torch = pytest.importorskip("torch")

ROOT_VALUE = dataset_class("root-value")()


def graphs(count=40, seed=0):
    return draw_training(ROOT_VALUE, np.random.default_rng(seed), count=count, split="train")


def training(examples, seed=0, **choices):
    recipe = recipe_of("paper", {"batch": 8, **choices})
    shape = Shape(2, 3, 0, library.root_value().aggregation)
    return Training(
        Problem.of(examples, shape), len(examples), recipe, Beginning(), np.random.default_rng(seed),
        device=torch.device("cpu"), compiled=False,
    )  # fmt: skip


def test_first_logits_are_uniform_from_0_to_1():
    logits = np.concatenate([training(graphs(), seed).logits.numpy().ravel() for seed in range(20)])
    assert logits.min() >= 0
    assert logits.max() < 1
    assert logits.mean() == pytest.approx(0.5, abs=0.02)
    assert np.histogram(logits, 4, (0, 1))[0] / len(logits) == pytest.approx(0.25, abs=0.03)
    assert training(graphs(), first="normal").logits.min() < 0


def test_losses_and_penalties_are_sums():
    examples = graphs()
    chosen, steps = np.arange(8), np.full(8, 3)
    summed, mean = training(examples), training(examples, reduction="mean")
    soft = summed.probabilities()
    nodes = int(examples.sizes[:8].sum())
    one, other = summed.loss(soft, chosen, steps), mean.loss(soft, chosen, steps)
    assert one.numpy() == pytest.approx(nodes * other.numpy(), rel=1e-5)
    assert float(one) > float(other) > 0
    leaving = [1 - float(soft[row, final, final, 0]) for row in range(len(soft)) for final in range(2)]
    assert float(summed._leaving(soft)) == pytest.approx(sum(leaving), rel=1e-5)
    assert float(mean._leaving(soft)) == pytest.approx(np.mean(leaving), rel=1e-5)


def test_squared_errors_are_those_of_the_last_distribution():
    examples = graphs()
    found = training(examples)
    soft = found.probabilities()
    steps = np.zeros(8, int)
    # Before the first step each node is in its starting state: one off at its own, one off at its label.
    assert float(found.loss(soft, np.arange(8), steps)) == pytest.approx(2 * int(examples.sizes[:8].sum()))


def test_training_goes_on_when_nothing_is_wrong_and_validation_decides():
    examples, held = graphs(), ROOT_VALUE.generate(4, 10, np.random.default_rng(1))
    learner = DiffFSA("paper", epochs=4, rate=1e-6)
    model = learner.fit(examples, held, initial=library.root_value())
    assert [record["accuracy"] for record in model.history] == [1.0] * 4
    assert model.provenance.details["updates"] == 4 * len(examples)
    assert model.verdict == "exact"
    ended = DiffFSA("paper", epochs=4, rate=1e-6, harvest=1).fit(examples, held, initial=library.root_value())
    assert len(ended.history) < 4


def test_evolutions_have_half_the_epochs_and_twice_the_rate():
    rows = dataset_class("elementary")().generate(4, 10, np.random.default_rng(0), steps=1)
    model = DiffFSA("paper").fit(rows)
    recipe = model.provenance.details["recipe"]
    assert (recipe["epochs"], recipe["rate"], recipe["steps"], recipe["offset"]) == (5, 0.5, "data", 0)
    assert len(model.history) == 5
