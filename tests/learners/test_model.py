"""One model for everything: what it answers, how it is scored, what its file keeps, and what is refused."""

import json
import subprocess
import sys
from dataclasses import dataclass, replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphfsa as gf
from graphfsa.datasets import Distance, PathFinding, RootValue, Task
from graphfsa.errors import FormatError, GraphFSAError, StateError
from graphfsa.learners import Model, Predictor, as_learner, as_model, fit_model, learned
from strategies import SEEDS, random_automaton


@pytest.fixture(scope="module")
def distance():
    return gf.learn("distance", states=4, bound=1, sizes=[3, 4, 5], count=90)


def test_a_task_by_name_is_learned_and_the_model_knows_everything(distance):
    assert distance.verdict == "proved"
    assert distance.task == Distance().task
    assert distance.dataset.name == "distance"
    assert distance.load_dataset() == Distance()
    assert distance.training_graphs().digest == distance.provenance.data
    known = distance.provenance
    assert (known.learner, known.seed, known.graphs, known.train_accuracy) == ("exact", 0, 90, 1.0)
    assert known.options["states"] == 4
    assert known.versions["graphfsa"] == gf.__version__
    assert known.data == gf.datasets.training_data("distance", sizes=[3, 4, 5], count=90).train.digest


def test_the_training_graphs_are_run_once(monkeypatch):
    from graphfsa.learners import _base

    calls = []
    real = _base.roll_out
    monkeypatch.setattr(_base, "roll_out", lambda *arguments: calls.append(1) or real(*arguments))
    gf.learn("root-value", states=5, bound=1, sizes=[4], count=20)
    assert len(calls) == 1


def test_used_entries_are_those_that_the_training_graphs_use(distance):
    train = gf.datasets.training_data("distance", sizes=[3, 4, 5], count=90).train
    assert np.array_equal(distance.used, gf.datasets.entry_counts(distance.automaton, train) > 0)
    assert distance.rules().free > distance.rules(complete=True).free


def test_one_accuracy_for_all_kinds():
    pytest.importorskip("torch")
    test = PathFinding().generate(8, 20, np.random.default_rng(1))
    for learner in ("stay", "exact", gf.RecurrentGNN(epochs=1)):
        model = gf.learn("path-finding", learner, sizes=[4], count=20)
        right = (model.answers(test) == test.labels)[test.mask]
        assert model.accuracy(test) == pytest.approx(right.mean(), abs=1e-12)
        assert model.score(test).graphs == 20


def test_no_answer_is_wrong_and_several_steps_come_from_one_run(distance):
    path = gf.families.path(6)
    inputs = ["root", *["node"] * 5]
    at = distance.predict_at(path, inputs, [0, 2, 100, 2])
    assert at.dtype == np.int16
    assert at[0].tolist() == [-1] * 6
    assert at[2].tolist() == [0, 1, 0, 1, 0, 1]
    assert np.array_equal(at[1], at[3])
    for row, steps in zip(at, [0, 2, 100, 2], strict=True):
        assert np.array_equal(row, distance.predict(path, inputs, steps=steps))
    assert distance.predict_at(path, inputs, []).shape == (0, 6)


@settings(deadline=None)
@given(seed=SEEDS, steps=st.lists(st.integers(0, 12), max_size=5))
def test_predictions_at_several_steps_are_those_of_separate_runs(seed, steps):
    fsa = random_automaton(4, gf.CountingAggregation(1), seed, finals=2)
    model = Model.of(fsa)
    rng = np.random.default_rng(seed)
    tree = gf.families.random_tree(8, rng)
    states = rng.integers(0, 4, 8)
    found = model.predict_at(tree, states, steps)
    for row, number in zip(found, steps, strict=True):
        last = gf.run(fsa, tree, states, number).last.tolist()
        assert row.tolist() == [fsa.final_states.index(s) if s in fsa.final_states else -1 for s in last]


def test_graphs_and_inputs_as_people_have_them(distance):
    graph = nx.path_graph(["ann", "bob", "cem"])
    assert distance.by_node(graph, {"bob": "root"}, default="node") == {"ann": "odd", "bob": "even", "cem": "odd"}
    wanted = distance.predict(graph, ["node", "root", "node"])
    for inputs in ([0, 1, 0], [0.0, 1.0, 0.0], [[1, 0], [0, 1], [1, 0]], {"ann": 0, "bob": "root", "cem": "node"}):
        assert np.array_equal(distance.predict(graph, inputs), wanted)
    sparse = nx.to_scipy_sparse_array(graph)
    assert np.array_equal(distance.predict(sparse, [0, 1, 0], steps=20), wanted)
    trajectory = distance.run(graph, {"bob": "root"}, default="node")
    assert trajectory.by_node() == {"ann": "odd", "bob": "even", "cem": "odd"}


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (["root", "node"], "inputs must have one entry per node"),
        (["root", "node", "leaf"], "input of node 2 must be one of node, root; got 'leaf'"),
        ([0, 1, 2], r"input of node 2 must be in 0 .. 1; got 2"),
        ({0: "root"}, "inputs must name an input for every node, or give a default; node 1 and 1 other has none"),
        ({9: "root"}, "inputs"),
    ],
)
def test_wrong_inputs_are_refused(distance, inputs, words):
    with pytest.raises(StateError, match=words):
        distance.predict(gf.families.path(3), inputs)
    with pytest.raises(GraphFSAError, match="NetworkX, SciPy or PyG graph; got list"):
        distance.predict([1, 2], [0, 1])


def test_an_evolution_needs_a_number_of_steps():
    life = as_model("life")
    board = np.zeros(25, int)
    board[[11, 12, 13]] = 1
    with pytest.raises(GraphFSAError, match="steps must be given"):
        life.predict(gf.families.moore(5, 5), board)
    assert life.predict(gf.families.moore(5, 5), board, steps=1).nonzero()[0].tolist() == [7, 12, 17]


# ---- names, never positions


def test_data_are_matched_by_name_in_any_order(distance):
    test = Distance().generate(9, 10, np.random.default_rng(3))
    swapped = Task("mine", "classes", ("root", "node"), ("odd", "even"))
    assert distance.accuracy(test.matched(swapped)) == distance.accuracy(test) == 1


def test_names_that_do_not_match_are_refused(distance):
    other = Task("mine", "classes", ("a", "b"), ("x", "y"))
    with pytest.raises(GraphFSAError, match="a"):
        Model(other, distance.automaton)
    with pytest.raises(GraphFSAError):
        gf.verify(distance, "root-value", 3)


# ---- files


def test_a_file_keeps_everything(distance, tmp_path):
    distance.save(tmp_path / "m.json")
    read = gf.load(tmp_path / "m.json")
    assert read.automaton == distance.automaton
    for name in ("task", "verdict", "dataset", "provenance"):
        assert getattr(read, name) == getattr(distance, name)
    assert np.array_equal(read.used, distance.used)
    assert str(read.rules()) == str(distance.rules())
    read.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()
    assert gf.GraphFSA.load(tmp_path / "m.json") == distance.automaton
    assert gf.verify(read, max_nodes=4).verified


def test_automata_without_a_task_are_models_too(tmp_path):
    gf.library.distance().save(tmp_path / "d.json")
    (tmp_path / "d.rules").write_text(str(gf.library.distance().rules()))
    for name in ("d.json", "d.rules"):
        model = gf.load(tmp_path / name)
        assert (model.verdict, model.dataset, model.provenance) == ("given", None, None)
        assert (model.task.inputs, model.task.classes) == (("node", "root"), ("even", "odd"))
        with pytest.raises(GraphFSAError, match="was not learned from a data set"):
            gf.verify(model)
        assert gf.verify(model, "distance", 4).verified
    assert as_model("distance").load_dataset() == Distance()
    assert as_model("life").task.kind == "evolution"


def test_a_model_of_labelled_graphs_says_that_it_does_not_keep_them():
    path = nx.path_graph(2)
    nx.set_node_attributes(path, {0: "a", 1: "b"}, "input")
    nx.set_node_attributes(path, {0: "x", 1: "y"}, "label")
    with pytest.raises(GraphFSAError, match="was learned from labelled graphs, which it does not keep: give a task"):
        gf.evaluate(gf.learn([path]))


def test_what_is_no_model_is_refused_with_a_hint(tmp_path):
    (tmp_path / "glider.rle").write_text("x = 1, y = 1\no!")
    for path in (tmp_path / "glider.rle", tmp_path / "nowhere.py"):
        with pytest.raises(GraphFSAError, match=r"; a model is a \.json, \.rules or \.safetensors file$"):
            gf.load(path)
    with pytest.raises(GraphFSAError, match=r"cannot read 'distance': .*; load reads files; as_model"):
        gf.load("distance")


DAMAGES = {
    "no task": lambda data: data.pop("task"),
    "an unknown field": lambda data: data.update(more=1),
    "a task of numbers": lambda data: data["task"].update(inputs=[1, 2]),
    "a task of other names": lambda data: data["task"].update(inputs=["a", "b"]),
    "a verdict of its own": lambda data: data.update(verdict="splendid"),
    "a number as data set": lambda data: data.update(dataset=3),
    "a seed below 0": lambda data: data["provenance"].update(seed=-1),
    "an accuracy above 1": lambda data: data["provenance"].update(train_accuracy=2),
    "provenance with more": lambda data: data["provenance"].update(more=1),
    "entries that there are not": lambda data: data.update(used=[10**6]),
    "entries in words": lambda data: data.update(used=["all"]),
    "half an automaton": lambda data: data["automaton"].pop("state_names"),
    "no automaton": lambda data: data.update(automaton=None),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_refused(distance, damage, tmp_path):
    distance.save(tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    damage(data)
    (tmp_path / "bad.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match=r"bad\.json: "):
        gf.load(tmp_path / "bad.json")


def test_a_file_never_runs_what_it_names(distance, tmp_path):
    (tmp_path / "evil.py").write_text("raise SystemExit('evil ran')")
    distance.save(tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text())
    data["dataset"] = {"name": "evil.py:Task", "options": {}, "drawn": {}}
    (tmp_path / "m.json").write_text(json.dumps(data))
    model = gf.load(tmp_path / "m.json")
    with pytest.raises(GraphFSAError, match=r"not known here; it was defined in evil\.py, which has not been loaded"):
        model.load_dataset()


@pytest.mark.parametrize("name", ["m.safetensors", "m.txt", "m"])
def test_the_suffix_must_be_right(distance, name, tmp_path):
    with pytest.raises(FormatError, match=r"must end in \.json"):
        distance.save(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_nothing_found_is_nothing_saved(tmp_path):
    model = gf.learn("path-finding", states=4, bound=1, sizes=[4, 5], count=100)
    assert (model.verdict, model.found, model.is_automaton) == ("impossible", False, False)
    with pytest.raises(GraphFSAError, match="nothing to save: the verdict is impossible"):
        model.save(tmp_path / "m.json")
    with pytest.raises(GraphFSAError, match="no automaton was found: the verdict is impossible"):
        model.rules()
    assert model.predict(gf.families.path(3), [0, 1, 0], steps=5).tolist() == [-1, -1, -1]
    assert list(tmp_path.iterdir()) == []


def test_what_shows_itself_in_notebooks(distance):
    page = distance._repr_html_()
    assert "exact" in page
    assert "<script" not in page
    named = replace(distance, task=replace(distance.task, name="<b>"))
    assert "<b>" not in named._repr_html_()
    assert "distance" in repr(distance)


# ---- learners of one's own


class Always:
    def __init__(self, answer):
        self.answer = answer

    def predict(self, graph, inputs, *, steps):
        return np.full(graph.num_nodes, self.answer)


@dataclass(frozen=True)
class Stubborn(gf.Learner):
    answer: int = 0

    def fit(self, train, validation=None, *, seed=0):
        return Always(self.answer)


@dataclass(frozen=True)
class Careless(gf.Learner):
    def fit(self, train, validation=None, *, seed=0):
        return "nothing"


def test_a_learner_of_ones_own_may_return_anything_that_predicts(tmp_path):
    assert isinstance(Always(0), Predictor)
    model = gf.learn("root-value", Stubborn(answer=1), sizes=[4], count=20)
    assert (model.verdict, model.is_automaton, model.is_network, model.found) == ("best-effort", False, False, True)
    test = RootValue().generate(5, 20, np.random.default_rng(0))
    assert model.accuracy(test) == pytest.approx((test.labels == 1)[test.mask].mean())
    assert model.provenance.options == {"answer": 1}
    with pytest.raises(GraphFSAError, match="can't be saved"):
        model.save(tmp_path / "m.json")
    assert gf.learn("root-value", "stubborn", sizes=[4], count=20).accuracy(test) == 1 - model.accuracy(test)
    for wrong in (2, -2, 0.5):
        with pytest.raises(GraphFSAError, match="predict must return an integer for each"):
            gf.learn("root-value", Stubborn(answer=wrong), sizes=[4], count=20)
    with pytest.raises(GraphFSAError, match="careless: fit must return a model, with a method predict; got 'nothing'"):
        gf.learn("root-value", Careless(), sizes=[4], count=20)


@dataclass(frozen=True)
class Knowing(gf.Learner):
    def fit(self, train, validation=None, *, seed=0):
        return Model(train.task, RootValue().automaton())


def test_a_bare_model_gets_its_verdict_and_provenance(tmp_path):
    model = gf.learn("root-value", Knowing(), sizes=[4], count=20, seed=3)
    assert (model.verdict, model.provenance.seed, model.provenance.graphs) == ("proved", 3, 20)
    assert model.dataset.name == "root-value"
    model.save(tmp_path / "m.json")
    assert gf.load(tmp_path / "m.json").provenance == model.provenance


def test_options_are_checked_before_anything_is_drawn():
    with pytest.raises(GraphFSAError, match="unknown option of exact 'state'"):
        gf.learn("root-value", state=3)
    with pytest.raises(GraphFSAError, match="the learner majority has no options; got 'rate'"):
        gf.learn("root-value", "majority", rate=3)
    with pytest.raises(GraphFSAError, match=r"give them to the learner itself: Stubborn\(rate=...\)"):
        gf.learn("root-value", Stubborn(), rate=3)
    with pytest.raises(GraphFSAError, match="learner must be a Learner or the name of one"):
        as_learner(3)
    with pytest.raises(GraphFSAError, match="sizes and count go with a task"):
        gf.learn(RootValue().generate(4, 5, np.random.default_rng(0)), sizes=[3])
    with pytest.raises(GraphFSAError, match="the learner stubborn does not take checkpoint"):
        fit_model(Stubborn(), gf.datasets.training_data("root-value", sizes=[3], count=3), seed=0, checkpoint="x")


@pytest.mark.parametrize("name", gf.plugins.module_names("graphfsa.learners"))
def test_every_learner_explains_its_options(name):
    kind = gf.learners.learner_class(name)
    words = kind.option_help()
    for option in kind.option_defaults():
        assert words[option], option


def test_labelled_graphs_of_ones_own_in_every_question(tmp_path):
    graphs = []
    for seed in range(30):
        tree = nx.random_labeled_tree(6, seed=seed)
        for node, distance in nx.single_source_shortest_path_length(tree, 0).items():
            tree.nodes[node].update(input="root" if node == 0 else "node", label="odd" if distance % 2 else "even")
        graphs.append(tree)
    model = gf.learn(graphs, states=4, bound=1)
    assert (model.verdict, model.dataset) == ("exact", None)
    assert model.accuracy(graphs) == 1
    assert gf.evaluate(model, graphs).accuracy == 1
    found = gf.verify(model, graphs)
    assert (found.verified, found.graphs, found.graph_class) == (True, 30, "your data")
    assert gf.coverage(model, graphs).wrong == 0
    facts = model.report(tmp_path / "page.html", data=graphs)
    assert facts["verified"]
    assert "<script src" not in (tmp_path / "page.html").read_text()
    graphs[3].nodes[0]["label"] = "odd"
    wrong = gf.verify(model, graphs)
    assert not wrong.verified
    assert wrong.counterexample.labels[0] == "odd"
    with pytest.raises(GraphFSAError, match="graph_class goes with a task"):
        gf.verify(model, graphs, graph_class="tree")


def test_a_class_of_a_script_is_found_in_the_process_that_defines_it(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "from dataclasses import dataclass\n"
        "import graphfsa as gf\n"
        "class Marked(gf.CustomTask):\n"
        "    inputs, classes, graphs = ('plain', 'marked'), ('no', 'yes'), 'path'\n"
        "    def label(self, graph, inputs):\n"
        "        return ['yes' if name == 'marked' else 'no' for name in inputs]\n"
        "if __name__ == '__main__':\n"
        "    gf.learn(Marked, 'stay').save('m.json')\n"
    )
    subprocess.run([sys.executable, script], check=True, cwd=tmp_path, timeout=120)
    assert json.loads((tmp_path / "m.json").read_text())["dataset"]["name"] == "mine.py:Marked"
    code = "import graphfsa as gf\nprint(gf.verify('m.json', max_nodes=3).verified)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert "the data set Marked is not known here; it was defined in mine.py" in done.stderr
    done = subprocess.run(
        [sys.executable, "-c", f"import mine\n{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == "True\n"


def test_the_verdict_is_given_by_the_labels():
    train = RootValue().generate(3, 10, np.random.default_rng(0))
    model = learned(Stubborn(), train, None, 0, RootValue().automaton(), seconds=0.0)
    assert model.verdict == "exact"
    assert model.suspects == ()
    wrong = learned(Stubborn(), train, None, 0, gf.learn(train, "majority").automaton, seconds=0.0)
    assert wrong.verdict == "best-effort"
    assert len(wrong.suspects) == round((1 - wrong.provenance.train_accuracy) * train.mask.sum())
