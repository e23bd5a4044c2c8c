import json

import numpy as np
import pytest

from graphfsa.datasets import dataset_class, draw, write_jsonl


def test_a_task_is_scored_at_the_sizes_of_its_test_split(cli):
    facts = cli("evaluate", "path-finding", "--task", "path-finding", "--json").json
    assert [row["size"] for row in facts["results"]] == [10, 20, 50, 100]
    for row in facts["results"]:
        assert (row["accuracy"], row["perfect"], row["graphs"], row["steps"]) == (1.0, 1.0, 100, 2 * row["size"])
    assert (facts["model"], facts["task"], facts["seed"], facts["scoring"]) == (
        "path-finding",
        "path-finding",
        0,
        "strict",
    )


def test_large_graphs_are_fewer_and_the_seed_counts(cli):
    arguments = ["evaluate", "distance", "--task", "distance", "--sizes", "10,200,1000", "--json"]
    one, same, other = (cli(*arguments, "--seed", seed).json for seed in (1, 1, 2))
    assert [row["graphs"] for row in one["results"]] == [100, 50, 10]
    assert one == same
    assert one["digest"] != other["digest"]
    assert [row["graphs"] for row in cli(*arguments, "--count", 3).json["results"]] == [3, 3, 3]


def test_a_wrong_automaton_scores_what_it_scores(cli):
    """Two marks that are told apart do not fit; rule 43 differs from 42 in 000 alone."""
    facts = cli(
        "evaluate", "rule43", "--task", "elementary", "--sizes", "10", "--count", 50, "--steps", "1", "--json"
    ).json
    examples = draw(dataset_class("elementary")(), 10, 50, np.random.default_rng(0).spawn(1)[0], "test", steps=1)
    rows = np.pad(examples.inputs.reshape(50, 10), ((0, 0), (1, 1)))
    wrong = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) == 0
    (row,) = facts["results"]
    assert row["accuracy"] == pytest.approx(1 - wrong.mean())
    assert row["perfect"] == 1 - wrong.any(axis=1).sum() / 50
    assert 0 < row["accuracy"] < 1


def test_several_numbers_of_steps(cli):
    facts = cli(
        "evaluate", "life", "--task", "life", "--sizes", "16,100", "--steps", "1,2,100", "--count", 20, "--json"
    ).json
    assert [(row["size"], row["steps"]) for row in facts["results"]] == [(n, t) for n in (16, 100) for t in (1, 2, 100)]
    assert all(row["accuracy"] == 1.0 for row in facts["results"])


def test_strict_scoring(cli):
    """Too few steps leave nodes without an answer, and those are wrong."""
    rows = cli("evaluate", "distance", "--task", "distance", "--sizes", "20", "--steps", "0,2,30", "--json").json[
        "results"
    ]
    scores = [row["accuracy"] for row in rows]
    assert scores[0] == 0
    assert 0 < scores[1] < scores[2] == 1
    assert rows[0]["perfect"] == 0


def test_the_table_for_people(cli):
    answer = cli("evaluate", "rule42", "--task", "elementary", "--sizes", "10")
    assert answer.code == 0
    assert answer.out.splitlines()[-2].split() == ["nodes", "steps", "graphs", "perfect", "accuracy"]
    assert answer.out.splitlines()[-1].split() == ["10", "1", "100", "1.0000", "1.0000"]


def test_a_file_is_scored_by_size(cli, tmp_path):
    file = tmp_path / "x.jsonl"
    dataset = dataset_class("distance")()
    parts = [dataset.generate(size, count, np.random.default_rng(size)) for size, count in ((5, 3), (4, 2), (5, 4))]
    write_jsonl(file, type(parts[0]).concatenate(parts))
    facts = cli("evaluate", "distance", "--data", file, "--json").json
    assert [(row["size"], row["steps"], row["graphs"]) for row in facts["results"]] == [(4, 5, 2), (5, 6, 7)]
    assert all(row["accuracy"] == 1.0 for row in facts["results"])
    assert (facts["task"], facts["data"]) == (None, str(file))


def test_a_file_of_an_evolution(cli, tmp_path):
    file = tmp_path / "x.jsonl"
    write_jsonl(file, dataset_class("elementary")(110).generate(9, 5, np.random.default_rng(0), steps=3))
    facts = cli("evaluate", "rule110", "--data", file, "--steps", 3, "--json").json
    assert facts["results"] == [{"size": 9, "steps": 3, "graphs": 5, "accuracy": 1.0, "perfect": 1.0}]
    assert cli("evaluate", "rule30", "--data", file, "--steps", 3, "--json").json["results"][0]["accuracy"] < 1


def test_names_in_another_order_are_not_scored_as_nonsense(cli, tmp_path):
    """A file's names are sorted, so marked comes before node."""
    file = tmp_path / "x.jsonl"
    write_jsonl(file, dataset_class("path-finding")().generate(8, 20, np.random.default_rng(0)))
    facts = cli("evaluate", "path-finding", "--data", file, "--json").json
    assert facts["results"][0]["accuracy"] == 1.0


def test_wireworld_by_name(cli, tmp_path):
    file = tmp_path / "x.jsonl"
    write_jsonl(file, dataset_class("wireworld")().generate(16, 20, np.random.default_rng(0), steps=4))
    facts = cli("evaluate", "wireworld", "--data", file, "--steps", 4, "--json").json
    assert facts["results"][0]["perfect"] == 1.0
    answer = cli("evaluate", "brians-brain", "--data", file, "--steps", 4)
    assert answer.code == 2
    assert "has the states conductor, empty, head, tail" in answer.err
    assert "its states are off, on, dying" in answer.err


LINE = {"num_nodes": 2, "edges": [[0, 1]], "inputs": ["node", "root"], "labels": ["odd", "even"]}

BAD = [
    (["evaluate", "rule110"], "was not learned from a data set"),
    (["evaluate", "distance", "--task", "distance", "--data", "x.jsonl"], "--task NAME or --data FILE.jsonl, not both"),
    (["evaluate", "distance", "--task", "nothing"], "prefix-sum"),
    (["evaluate", "distance", "--task", "distance", "--sizes", "ten"], "--sizes must look like"),
    (["evaluate", "distance", "--task", "distance", "--sizes", "0"], "at least 1 node"),
    (["evaluate", "distance", "--task", "distance", "--sizes", "999999999"], "at most 134217728"),
    (["evaluate", "distance", "--task", "distance", "--steps", "-1"], "--steps must look like"),
    (["evaluate", "distance", "--task", "distance", "--count", "0"], "--count"),
    (
        ["evaluate", "distance", "--task", "path-finding", "--option", "colours=2"],
        "has the classes off, on",
    ),
    (
        ["evaluate", "wireworld", "--task", "life"],
        "life has the states dead, alive, but no state",
    ),
    (["evaluate", "nowhere.json", "--task", "life"], "nowhere.json"),
    (["evaluate", "distance", "--data", "nowhere.jsonl"], "nowhere.jsonl"),
    (["evaluate", "distance", "--data", "x.jsonl", "--sizes", "10"], "go with a task"),
    (
        ["evaluate", "distance", "--data", "x.jsonl", "--steps", "1,2"],
        "--steps must be one number",
    ),
    (["evaluate", "root-value", "--data", "x.jsonl"], "its final states are 0, 1"),
    (["evaluate", "distance", "--data", "bad.jsonl"], "line 1"),
    (["evaluate", "distance", "--data", "empty.jsonl"], "at least one graph"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda value: value if isinstance(value, str) else None)
def test_bad_input_is_said_and_exits_with_2(cli, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.jsonl").write_text(json.dumps(LINE))
    (tmp_path / "bad.jsonl").write_text("{")
    (tmp_path / "empty.jsonl").write_text("")
    answer = cli(*arguments)
    assert answer.code == 2
    assert words in answer.err
    assert answer.out == ""
