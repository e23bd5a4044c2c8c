"""graphfsa check: certificates of learn and verify are checked again, from the files alone."""

import json

import numpy as np
import pytest

from graphfsa import library
from graphfsa.analysis.impossibility import Impossibility, save_impossibility
from graphfsa.datasets import Examples, Task, dataset_class
from graphfsa.graphs import Graph, GraphBatch
from graphfsa.learners.exact import ExactLearner


@pytest.fixture
def proof(tmp_path):
    """Two pairs that differ in a label alone."""
    pair = Graph.from_edges(2, [(0, 1)])
    task = Task("t", "classes", ("a", "b"), ("x", "y"))
    examples = Examples(task, GraphBatch.of([pair, pair]), [0, 1, 0, 1], [0, 1, 1, 1], steps=3)
    save_impossibility(Impossibility(examples, None, None, minimal=True), tmp_path / "proof.json")
    return tmp_path / "proof.json"


@pytest.fixture
def verified(cli, tmp_path):
    cli("verify", "distance", "--task", "distance", "--max-nodes", 4, "--out", tmp_path / "verified.json")
    return tmp_path / "verified.json"


def changed(path, change):
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


def test_an_impossibility(cli, proof):
    answer = cli("check", proof, "--json")
    assert answer.code == 0
    facts = answer.json
    assert facts.keys() == {"kind", "holds", "reason", "seconds"}
    assert (facts["kind"], facts["holds"]) == ("impossibility", True)
    assert "node 0 of graph 0 must be x after 3 steps" in facts["reason"]
    words = cli("check", proof)
    assert words.code == 0
    assert words.out.split()[:4] == ["kind", "impossibility", "holds", "yes"]


def test_an_impossibility_that_was_tampered_with(cli, proof):
    changed(proof, lambda data: data["graphs"][1].update(labels=["x", "y"]))
    answer = cli("check", proof, "--json")
    assert (answer.code, answer.json["holds"]) == (1, False)
    assert "can be told apart" in answer.json["reason"]
    words = cli("check", proof)
    assert words.code == 1
    assert "no" in words.out.split()


def test_what_learn_wrote(cli, tmp_path):
    """The labels of an automaton with more states: the proof needs a solver."""
    grab = dataset_class("grab")(truth="dense", num_states=6, truth_seed=0, keep=30, family="path")
    examples = grab.generate(5, 100, np.random.default_rng(0), steps=6)
    learned = ExactLearner(states=4, bound=1, budget=20).fit(examples)
    save_impossibility(learned.impossibility, tmp_path / "p.json")
    answer = cli("check", tmp_path / "p.json", "--json")
    assert answer.code == 0
    assert "no table with 4 states" in answer.json["reason"]
    changed(tmp_path / "p.json", lambda data: data.update(graphs=data["graphs"][1:]))
    assert cli("check", tmp_path / "p.json", "--json").json["holds"] is False


def test_a_verification(cli, verified, tmp_path):
    library.distance().save(tmp_path / "m.json")
    for model in ("distance", tmp_path / "m.json"):
        answer = cli("check", verified, model, "--json")
        assert answer.code == 0
        assert (answer.json["kind"], answer.json["holds"]) == ("verification", True)
        assert "all 33 instances of distance on 10 graphs of the class connected up to 4 nodes" in answer.json["reason"]


def test_a_verification_of_something_else(cli, verified, tmp_path):
    fsa = library.distance()
    fsa.with_entry(fsa.index("root"), 0, fsa.index("odd")).save(tmp_path / "other.json")
    answer = cli("check", verified, tmp_path / "other.json", "--json")
    assert (answer.code, answer.json["holds"]) == (1, False)
    assert "the digest of the automaton is not that of the certificate" in answer.json["reason"]
    assert "the result is not that of the certificate" in answer.json["reason"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(digest="0" * 64), "digest of what was checked"),
        (lambda data: data.update(automaton="0" * 64), "digest of the automaton"),
        (lambda data: data.update(max_nodes=3), "counts of the sizes"),
        (lambda data: data.update(graph_class="tree"), "counts of the sizes"),
    ],
)
def test_a_verification_that_was_tampered_with(cli, verified, change, words):
    answer = cli("check", changed(verified, change), "distance", "--json")
    assert (answer.code, answer.json["holds"]) == (1, False)
    assert words in answer.json["reason"]


def test_the_model_goes_with_verifications(cli, proof, verified):
    answer = cli("check", verified)
    assert answer.code == 2
    assert "model must be given" in answer.err
    answer = cli("check", proof, "distance")
    assert answer.code == 2
    assert "model goes with a proof or a verification" in answer.err


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"[]", b"7", b"{}", b"\xff", b"[" * 10**5, b'{"kind": "impossibility"}'),
        b'{"schema": "graphfsa.certificate/1", "kind": "promise"}',
        b'{"schema": "graphfsa.certificate/1", "kind": ["impossibility"]}',
        b'{"schema": "graphfsa.certificate/1", "kind": "impossibility"}',
    ],
)
def test_bad_files(cli, tmp_path, content):
    (tmp_path / "c.json").write_bytes(content)
    answer = cli("check", tmp_path / "c.json")
    assert answer.code == 2
    assert "c.json" in answer.err
    assert len(answer.err.splitlines()) == 1
    assert answer.out == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(aggregation="counting"), "aggregation"),
        (lambda data: data.update(num_states="4"), "'num_states'"),
        (lambda data: data["graphs"][0].update(edges=[[0, 9]]), "graphs[0]"),
        (lambda data: data["task"].update(kind="riddle"), "classes, evolution"),
    ],
)
def test_fields_that_are_not_right(cli, proof, change, words):
    answer = cli("check", changed(proof, change))
    assert answer.code == 2
    assert words in answer.err
    assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(task="nothing"), "unknown data set"),
        (lambda data: data.update(max_nodes=0), "integer >= 1"),
        (lambda data: data.update(graph_class="wheel"), "unknown graph class"),
        (lambda data: data.update(sizes=[1]), "sizes[0]"),
        (lambda data: data.pop("digest"), "'digest'"),
    ],
)
def test_fields_of_verifications_that_are_not_right(cli, verified, change, words):
    answer = cli("check", changed(verified, change), "distance")
    assert answer.code == 2
    assert words in answer.err
    assert len(answer.err.splitlines()) == 1


def test_no_file_and_no_model(cli, verified, tmp_path):
    assert cli("check", tmp_path / "nowhere.json").code == 2
    assert cli("check", tmp_path).code == 2
    assert cli("check", verified, "nobody").code == 2
    answer = cli("check", verified, "life")
    assert answer.code == 2
    assert "distance has the classes even, odd" in answer.err
