import numpy as np
import pytest

from graphfsa import library
from graphfsa.analysis.coverage import coverage
from graphfsa.cli import coverage as command
from graphfsa.datasets import Examples, dataset_class, write_jsonl


@pytest.fixture
def data(tmp_path):
    """A few trees of the distance task as a file."""
    write_jsonl(tmp_path / "d.jsonl", examples())
    return tmp_path / "d.jsonl"


def examples():
    return dataset_class("distance")().generate(5, 20, np.random.default_rng(0))


def test_a_file(cli, data):
    answer = cli("coverage", "distance", "--data", data, "--json")
    assert answer.code == 0
    facts = answer.json
    expected = coverage(library.distance(), examples())
    assert (facts["possible"], facts["seen"], facts["unseen"]) == (32, expected.num_seen, expected.num_unseen)
    assert facts["pinned"] == expected.pinned().sum()
    assert facts["pinned"] + facts["open"] == facts["seen"]
    assert len(facts["entries"]) == facts["possible"]
    assert facts["entries_left_off"] == 0
    unseen = [(e["state"], e["neighbours"], e["next"]) for e in facts["entries"] if e["kind"] == "unseen"]
    assert unseen == expected.unseen_entries()
    assert {e["kind"] for e in facts["entries"]} <= {"pinned", "open", "unseen"}
    assert all((e["times"] > 0) == (e["kind"] != "unseen") for e in facts["entries"])


def test_a_file_in_words(cli, data):
    out = cli("coverage", "distance", "--data", data).out
    assert "node with 0 even, 0 odd, 0 node, 0 root -> node" in out
    assert "pinned" in out


def test_long_lists_are_cut(cli, data, monkeypatch):
    monkeypatch.setattr(command, "_MAX_LINES", 3)
    monkeypatch.setattr(command, "_MAX_ENTRIES", 4)
    out = cli("coverage", "distance", "--data", data).out
    assert out.count(" -> ") == 3
    assert "more" in out.splitlines()[-1]
    facts = cli("coverage", "distance", "--data", data, "--json").json
    assert (len(facts["entries"]), facts["entries_left_off"]) == (4, 28)


def test_a_task_and_its_options(cli):
    plain = cli("coverage", "path-finding", "--task", "path-finding", "--json").json
    assert plain["wrong_nodes"] == 0
    assert 0 < plain["seen"] < plain["possible"] == 162
    assert plain == cli("coverage", "path-finding", "--task", "path-finding", "--json").json
    two = cli("coverage", "path-finding-2", "--task", "path-finding", "--option", "colours=2", "--json").json
    assert two["wrong_nodes"] == 0
    assert two["possible"] == 3 * 3**5


def test_an_evolution_from_a_file(cli, tmp_path):
    board = dataset_class("life")().generate(16, 30, np.random.default_rng(0))
    write_jsonl(tmp_path / "life.jsonl", board)
    arguments = ["coverage", "life", "--data", tmp_path / "life.jsonl", "--steps", 1, "--json"]
    # A file lists its names in alphabetical order, the automaton does not; they are matched by name.
    facts = cli(*arguments).json
    assert (facts["wrong_nodes"], facts["possible"]) == (0, 50)


def test_a_model_that_does_not_fit_is_told(cli, tmp_path):
    trees = examples()
    wrong = Examples(trees.task, trees.graphs, trees.inputs, 1 - trees.labels, steps=trees.steps)
    write_jsonl(tmp_path / "bad.jsonl", wrong)
    answer = cli("coverage", "distance", "--data", tmp_path / "bad.jsonl")
    assert answer.code == 0
    assert "not found out: labels are wrong" in answer.out
    facts = cli("coverage", "distance", "--data", tmp_path / "bad.jsonl", "--json").json
    assert facts["pinned"] is None
    assert {entry["kind"] for entry in facts["entries"]} == {"seen", "unseen"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rule110"], "was not learned from a data set"),
        (["distance", "--data", "x.jsonl", "--task", "distance"], "give --task NAME or --data FILE.jsonl, not both"),
        (["distance", "--task", "distance", "--steps", "3"], "--steps goes with --data"),
        (["distance", "--data", "x.jsonl", "--option", "graphs=tree"], "--option goes with --task"),
        (["distance", "--data", "missing.jsonl"], "missing.jsonl"),
        (["distance", "--task", "nothing"], "unknown data set 'nothing'"),
        (["distance", "--task", "distance", "--option", "graphs"], "key=value"),
        (
            ["distance", "--task", "root-value"],
            "root-value has the classes 0, 1, but no final state",
        ),
        (["nothing", "--task", "distance"], "unknown automaton 'nothing'"),
    ],
)
def test_bad_input(cli, arguments, words):
    answer = cli("coverage", *arguments)
    assert answer.code == 2
    assert words in answer.err
    assert "Traceback" not in answer.err
