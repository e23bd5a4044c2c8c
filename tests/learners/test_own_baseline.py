"""A baseline of one's own is one file: the example of docs/baselines.md, as it is printed there."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import graphfsa.learners as room
from graphfsa.cli import build_app
from graphfsa.datasets import dataset_class
from graphfsa.learners import accuracy, learner_class, learner_names, load_model

pytest.importorskip("torch")

PAGE = Path(__file__).parents[2] / "docs" / "baselines.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture
def added(tmp_path, monkeypatch):
    """The room with the file of the page in it."""
    (text,) = (block for block in BLOCKS if "NeuralLearner" in block)
    (tmp_path / "mean_field.py").write_text(text)
    monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path)])
    yield tmp_path
    sys.modules.pop("graphfsa.learners.mean_field", None)


def test_one_file_is_a_learner_with_training_files_and_commands(added):
    assert "mean-field" in learner_names()
    learner = learner_class("mean-field")(epochs=2)
    train = dataset_class("root-value")().generate(4, 40, np.random.default_rng(0))
    model = learner.fit(train, train, seed=0)
    model.save(added / "m.safetensors")
    read = load_model(added / "m.safetensors")
    assert read.digest == model.digest
    assert accuracy(read, train) == model.validation_accuracy
    options = [
        "--learner",
        "mean-field",
        "--task",
        "root-value",
        "--count",
        "40",
        "--epochs",
        "1",
        "--choose",
        "hidden=4",
    ]
    out = ["--out", str(added / "n.safetensors")]
    answer = CliRunner().invoke(build_app(), ["learn", *options, *out])
    assert (answer.exit_code, answer.stderr) == (0, "")
    answer = CliRunner().invoke(build_app(), ["evaluate", out[1], "--task", "root-value", "--sizes", "5"])
    assert answer.exit_code == 0


def test_the_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    (text,) = (block for block in BLOCKS if "predict_at" in block)
    monkeypatch.chdir(tmp_path)
    exec(compile(text.replace("epochs=20", "epochs=2"), str(PAGE), "exec"), {})
    assert "(3, 600)" in capsys.readouterr().out


def test_a_learner_whose_model_has_only_an_automaton_is_taken_by_the_command(tmp_path, monkeypatch):
    text = '''
from dataclasses import dataclass
from types import SimpleNamespace
from graphfsa.learners._base import Learner, predict_with
from graphfsa.automaton import library

@dataclass(frozen=True)
class Knows(Learner):
    """Knows the answer."""

    def fit(self, train, validation=None, *, seed=0):
        fsa = library.root_value()
        ask = lambda graph, inputs, *, steps: predict_with(fsa, train.task, graph, inputs, steps)
        return SimpleNamespace(automaton=fsa, predict=ask)
'''
    (tmp_path / "knows.py").write_text(text)
    monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path)])
    arguments = ["learn", "--learner", "knows", "--task", "root-value", "--out", str(tmp_path / "m.json")]
    answer = CliRunner().invoke(build_app(), arguments)
    sys.modules.pop("graphfsa.learners.knows", None)
    assert answer.exit_code == 0
    assert answer.stdout.startswith("verdict")
    assert "exact" in answer.stdout
