"""Plain functions that label any graph, as data sets: found by file and name, remembered by model files."""

import numpy as np
import pytest

import graphfsa as gf
from graphfsa.datasets import Dataset, as_dataset, find_oracle, oracle_task
from graphfsa.errors import GraphFSAError
from graphfsa.plugins import find_plugin, known_plugin, load_file, plugin_reference

ORACLE = """
INPUTS, CLASSES = ("plain", "marked"), ("no", "yes")
EXACTLY = {"marked": 1}

def label(graph, inputs):
    '''Is the mark next to a node, or on it?'''
    return ["yes" if away <= 1 else "no" for away in graph.distances(inputs.index("marked"))]

def admits(graph, inputs):
    return graph.num_nodes != 2

def steps(graph):
    return 7

class Other:
    pass
"""


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    """What a test defines is gone after it."""
    monkeypatch.setattr(Dataset, "_defined", list(Dataset._defined))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "near_mark.py"
    path.write_text(ORACLE)
    return path


def test_a_function_is_a_data_set(file):
    task = as_dataset(f"{file}:label", {"family": "path"})
    assert (task.name, task.graph_class, task.options()) == ("near-mark-label", "path", {"family": "path"})
    assert (task.task.inputs, task.task.classes) == (("plain", "marked"), ("no", "yes"))
    examples = task.generate(6, 20, np.random.default_rng(0))
    assert (np.bincount(examples.graphs.owners[examples.inputs == 1]) == 1).all()
    assert set(examples.steps) == {7}
    assert not len(task.instances(gf.families.path(2)))
    assert len(task.instances(gf.families.path(3))) == 3


def test_it_is_the_same_however_it_is_named(file):
    found = find_plugin(Dataset, f"{file}:label")
    function = load_file(file).label
    assert found is find_oracle(f"{file}:label") is oracle_task(function) is type(as_dataset(function))
    assert plugin_reference(found) == "near_mark.py:label"
    assert known_plugin(Dataset, "near_mark.py:label") is found


def test_a_file_that_is_loaded_is_enough_to_know_it(file):
    load_file(file)
    assert known_plugin(Dataset, "near_mark.py:label").name == "near-mark-label"
    with pytest.raises(GraphFSAError, match="the data set other is not known here"):
        known_plugin(Dataset, "near_mark.py:other")


def test_models_remember_the_oracle(file, tmp_path):
    model = gf.learn(f"{file}:label", "majority", sizes=[3, 4], count=20)
    model.save(tmp_path / "m.json")
    again = gf.load(tmp_path / "m.json").load_dataset()
    assert again == model.load_dataset()
    assert again.options() == {"family": "connected"}


def test_random_trees_and_inputs_vary(tmp_path):
    path = tmp_path / "free.py"
    path.write_text("INPUTS = CLASSES = ('a', 'b')\ndef label(graph, inputs):\n    return inputs\n")
    examples = find_oracle(f"{path}:label")(family="tree").generate(30, 200, np.random.default_rng(0))
    shares = np.bincount(examples.graphs.owners[examples.inputs == 1], minlength=200) / 30
    assert (shares < 0.1).sum() > 20
    assert (shares > 0.9).sum() > 20
    degrees = np.maximum.reduceat(examples.graphs.graph.degrees, examples.graphs.offsets[:-1])
    assert degrees.min() <= 3 < 6 <= degrees.max()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{file}:lable", r"no function lable in .*near_mark\.py"),
        ("{file}:Other", r"no function Other in .*near_mark\.py \(a class is a task: --task\)"),
        ("{file}:INPUTS", r"no function INPUTS in"),
        ("{file}", r"an oracle must be given as file\.py:function; got"),
        ("none.py:label", r"there is no file 'none\.py'"),
    ],
)
def test_what_is_no_oracle(file, text, message):
    with pytest.raises(GraphFSAError, match=message):
        find_oracle(text.format(file=file))


def test_names_must_be_given(tmp_path):
    path = tmp_path / "short.py"
    path.write_text("INPUTS = ('a',)\ndef label(graph, inputs):\n    return inputs\n")
    with pytest.raises(GraphFSAError, match=r"short\.py must define CLASSES, the names of the classes"):
        find_oracle(f"{path}:label")


def test_an_unknown_family_is_refused(file):
    with pytest.raises(GraphFSAError, match="class of graphs 'bush'"):
        as_dataset(f"{file}:label", {"family": "bush"})
