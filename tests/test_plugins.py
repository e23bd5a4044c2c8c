"""Classes of one's own: found by name wherever they are defined, never mistaken for others, never run by a file."""

import json

import numpy as np
import pytest

import graphfsa as gf
from graphfsa.datasets import Dataset, Distance
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.plugins import find_plugin, known_plugin, load_file, plugin_names, plugin_reference

TASK = """
import graphfsa as gf

class Marked(gf.CustomTask):
    inputs, classes, graphs = ("plain", "marked"), ("no", "yes"), "path"

    def label(self, graph, inputs):
        return ["{}" if name == "marked" else "{}" for name in inputs]
"""


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    """What a test defines is gone after it."""
    for contract in (gf.Aggregation, Dataset, gf.Learner):
        monkeypatch.setattr(contract, "_defined", list(contract._defined))


def test_names_are_made_of_class_names():
    class HTTPLikeTask(gf.CustomTask):
        pass

    class ParityAggregation(gf.Aggregation):
        pass

    class SlowLearner(gf.Learner):
        pass

    assert (HTTPLikeTask.name, ParityAggregation.name, SlowLearner.name) == ("http-like-task", "parity", "slow")


@pytest.mark.parametrize("name", ["Distance", "PrefixSum", "prefix_sum"])
def test_the_name_of_a_built_in_class_can_not_be_taken(name):
    with pytest.raises(GraphFSAError, match="like a built-in data set; give the class another name"):
        type(name, (gf.CustomTask,), {"name": "prefix_sum"} if name == "prefix_sum" else {})
    assert find_plugin(Dataset, "distance") is Distance
    with pytest.raises(GraphFSAError, match="like a built-in aggregation"):
        type("Counting", (gf.Aggregation,), {})


def test_abstract_classes_are_not_offered():
    class Half(gf.CustomTask):
        inputs, classes, graphs = ("a",), ("b",), "path"

    assert "half" not in plugin_names(Dataset)
    with pytest.raises(UnknownNameError):
        find_plugin(Dataset, "half")


def test_underscores_and_dashes_are_the_same(tmp_path):
    (tmp_path / "u.py").write_text(
        TASK.format("yes", "no").replace("    inputs", '    name = "two_words"\n    inputs', 1)
    )
    module = load_file(tmp_path / "u.py")
    for name in ("two_words", "two-words"):
        assert find_plugin(Dataset, name) is module.Marked


def test_a_reference_names_the_file_and_only_classes_of_that_file_answer(tmp_path):
    for folder, labels in (("a", ("yes", "no")), ("b", ("no", "yes"))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.py").write_text(TASK.format(*labels))
    first = load_file(tmp_path / "a" / "a.py").Marked
    assert plugin_reference(first) == "a.py:Marked"
    second = load_file(tmp_path / "b" / "b.py").Marked
    assert known_plugin(Dataset, "a.py:Marked") is first
    assert known_plugin(Dataset, "b.py:Marked") is second
    with pytest.raises(GraphFSAError, match=r"it was defined in c\.py, which has not been loaded"):
        known_plugin(Dataset, "c.py:Marked")
    assert find_plugin(Dataset, f"{tmp_path}/a/a.py:Marked") is first


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("raise SystemExit(7)", r"bad\.py, line 1: SystemExit: 7"),
        ("x = 1\n1 / 0", r"bad\.py, line 2: ZeroDivisionError"),
        ("class", "SyntaxError"),
    ],
)
def test_files_that_fail_are_said_to(tmp_path, text, words):
    (tmp_path / "bad.py").write_text(text)
    with pytest.raises(GraphFSAError, match=words):
        load_file(tmp_path / "bad.py")
    with pytest.raises(GraphFSAError, match="there is no file"):
        load_file(tmp_path / "nowhere.py")


def test_a_class_that_is_missing_lists_those_that_there_are(tmp_path):
    (tmp_path / "t.py").write_text(TASK.format("yes", "no"))
    with pytest.raises(UnknownNameError, match="did you mean 'Marked'"):
        find_plugin(Dataset, f"{tmp_path}/t.py:Markd")
    with pytest.raises(GraphFSAError, match=r"must be a class that extends graphfsa\.Learner"):
        find_plugin(gf.Learner, f"{tmp_path}/t.py:Marked")


def test_names_that_look_like_marks_are_matched_by_the_task_of_the_model():
    """Inputs called ``a`` and ``a (start)`` beside a class ``a``: the states have other names than they."""
    task = gf.Task("odd", "classes", ("a", "a (start)"), ("a", "b"))
    names = task.state_names()
    aggregation = gf.CountingAggregation(1)
    table = np.repeat(np.array([0, 1, 0, 1])[:, None], aggregation.num_values(4), axis=1)
    fsa = gf.GraphFSA(names, aggregation, table, starting_states=[2, 3], final_states=[0, 1])
    model = gf.Model(task, fsa)
    graphs = gf.GraphBatch.of([gf.families.path(3)])
    whole = gf.Examples(task, graphs, [0, 1, 1], [0, 1, 1], steps=2)
    part = gf.Examples(gf.Task("part", "classes", ("a (start)",), ("b",)), graphs, [0, 0, 0], [0, 0, 0], steps=2)
    other = gf.Examples(
        gf.Task("other", "classes", ("a (start)", "a"), ("b", "a")), graphs, [1, 0, 0], [1, 0, 0], steps=2
    )
    assert [model.accuracy(data) for data in (whole, part, other)] == [1.0, 1.0, 1.0]


def test_strings_that_are_no_text_are_not_written(tmp_path):
    gf.Model.of(gf.library.distance()).save(tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    data["task"]["name"] = "\ud800"
    (tmp_path / "n.json").write_text(json.dumps(data))
    with pytest.raises(GraphFSAError):
        gf.load(tmp_path / "n.json").save(tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()
