"""What every learner must do; a new one is picked up on arrival."""

import dataclasses

import numpy as np
import pytest

from graphfsa.datasets import Examples, dataset_class
from graphfsa.learners import Learner, learner_class, learner_names


@pytest.fixture(params=learner_names())
def learner(request):
    made = learner_class(request.param)()
    # A network is not worse for being trained longer: here it is only asked to be one.
    return dataclasses.replace(made, epochs=2) if hasattr(made, "epochs") else made


@pytest.fixture(scope="module")
def root_value():
    dataset = dataset_class("root-value")()
    rngs = np.random.default_rng(0).spawn(5)
    return Examples.concatenate([dataset.generate(n, 12, rng) for n, rng in enumerate(rngs, start=1)])


def test_it_is_a_frozen_configuration(learner):
    assert isinstance(learner, Learner)
    assert dataclasses.is_dataclass(learner)
    field = next((field.name for field in dataclasses.fields(learner)), "anything")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(learner, field, None)
    assert type(learner)() == type(learner)()


def test_the_same_seed_gives_the_same_model_and_it_answers_for_every_node(learner, root_value):
    models = [learner.fit(root_value, root_value, seed=4) for _ in range(2)]
    for example in list(root_value)[::9]:
        answers = [model.predict(example.graph, example.inputs, steps=example.steps) for model in models]
        assert answers[0].shape == example.labels.shape
        assert answers[0].dtype == np.int16
        assert np.array_equal(*answers)
        assert set(answers[0].tolist()) <= {-1, *range(len(root_value.task.classes))}


def test_graphs_of_a_union_do_not_see_each_other(learner, root_value):
    model = learner.fit(root_value, seed=0)
    alone = [model.predict(example.graph, example.inputs, steps=4) for example in root_value]
    together = model.predict(root_value.graphs.graph, root_value.inputs, steps=4)
    assert np.array_equal(together, np.concatenate(alone))


def test_evolutions_can_be_learned(learner):
    boards = dataset_class("elementary")().generate(5, 40, np.random.default_rng(0), steps=1)
    model = learner.fit(boards, seed=0)
    example = next(iter(boards))
    assert model.predict(example.graph, example.inputs, steps=1).shape == (5,)


def test_names_lead_to_learners():
    for name in learner_names():
        assert learner_class(name).name == name
        assert issubclass(learner_class(name), Learner)
