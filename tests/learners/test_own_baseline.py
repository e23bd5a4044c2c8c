"""A baseline of one's own is one file: the example of docs/baselines.md, as it is printed there."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from graphfsa.cli import build_app
from graphfsa.datasets import dataset_class
from graphfsa.learners import learner_class, learner_names, load
from graphfsa.plugins import load_file

pytest.importorskip("torch")

PAGE = Path(__file__).parents[2] / "docs" / "baselines.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture
def added(tmp_path):
    """A directory with the file of the page, which was loaded."""
    (text,) = (block for block in BLOCKS if "NeuralLearner" in block)
    (tmp_path / "mean_field.py").write_text(text)
    load_file(tmp_path / "mean_field.py")
    return tmp_path


def test_one_file_is_a_learner_with_training_files_and_commands(added):
    assert "mean-field" in learner_names()
    learner = learner_class("mean-field")(epochs=2)
    train = dataset_class("root-value")().generate(4, 40, np.random.default_rng(0))
    model = learner.fit(train, train, seed=0)
    model.save(added / "m.safetensors")
    read = load(added / "m.safetensors")
    assert read.digest == model.digest
    assert read.accuracy(train) == model.provenance.validation_accuracy
    options = [
        "--learner",
        "mean-field",
        "--task",
        "root-value",
        "--count",
        "40",
        "--epochs",
        "1",
        "--hidden=4",
    ]
    out = ["--out", str(added / "n.safetensors")]
    answer = CliRunner().invoke(build_app(), ["learn", *options, *out])
    assert (answer.exit_code, answer.stderr) == (0, "")
    answer = CliRunner().invoke(build_app(), ["evaluate", out[1], "--sizes", "5"])
    assert answer.exit_code == 0


def test_the_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    (text,) = (block for block in BLOCKS if "predict_at" in block)
    monkeypatch.chdir(tmp_path)
    exec(compile(text.replace("epochs=20", "epochs=2"), str(PAGE), "exec"), {})
    assert "(3, 600)" in capsys.readouterr().out


def test_a_learner_whose_model_has_only_an_automaton_is_taken_by_the_command(tmp_path):
    text = '''
from dataclasses import dataclass
from types import SimpleNamespace
from graphfsa.learners import Learner, Model
from graphfsa.automaton import library

@dataclass(frozen=True)
class Knows(Learner):
    """Knows the answer."""

    def fit(self, train, validation=None, *, seed=0):
        fsa = library.root_value()
        return SimpleNamespace(automaton=fsa, predict=Model(train.task, fsa).predict)
'''
    (tmp_path / "knows.py").write_text(text)
    knows = f"{tmp_path}/knows.py:Knows"
    arguments = ["learn", "--learner", knows, "--task", "root-value", "--out", str(tmp_path / "m.json")]
    answer = CliRunner().invoke(build_app(), arguments)
    assert answer.exit_code == 0
    assert answer.stdout.startswith("verdict")
    assert "proved" in answer.stdout
