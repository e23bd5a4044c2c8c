"""graphfsa suggest: which graph to label next, on the command line and as a file to fill in."""

import json

import numpy as np
import pytest

from graphfsa import GraphFSA, library
from graphfsa.datasets import dataset_class, read_jsonl, write_jsonl

ROW = {"num_nodes": 2, "edges": [[0, 1]], "inputs": ["root", "node"], "labels": ["even", "odd"]}
THREE = {
    "num_nodes": 3,
    "edges": [[0, 1], [1, 2]],
    "inputs": ["root", "node", "node"],
    "labels": ["even", "odd", "even"],
}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def data(tmp_path):
    return lines(tmp_path / "d.jsonl", [ROW, THREE])


def test_not_determined(cli, data, tmp_path):
    out, other = tmp_path / "ask.jsonl", tmp_path / "other.json"
    answer = cli(
        "suggest",
        "distance",
        "--data",
        data,
        "--max-nodes",
        4,
        "--count",
        2,
        "--out",
        out,
        "--alternative",
        other,
        "--json",
    )
    assert answer.code == 0
    facts = answer.json
    assert facts.keys() == {"determined", "checked", "max_nodes", "suggestions", "alternative", "seconds"}
    assert facts["determined"] is False
    fsa = GraphFSA.load(other)
    assert fsa.digest == facts["alternative"]
    assert read_jsonl(data).examples.graphs.graph.num_nodes == 5
    assert cli("evaluate", other, "--data", data, "--json").json["results"][0]["accuracy"] == 1
    assert 1 <= len(facts["suggestions"]) <= 2
    for suggestion in facts["suggestions"]:
        assert suggestion.keys() == {"num_nodes", "edges", "inputs", "steps", "answers"}
        assert suggestion["inputs"].count("root") == 1  # As in every graph of the data.
        assert suggestion["answers"][0] != suggestion["answers"][1]
        assert set(suggestion["answers"][0]) <= {"even", "odd", None}
    # The smallest one is a root alone, which the data do not speak of.
    assert facts["suggestions"][0]["num_nodes"] == facts["max_nodes"] + 1 == 1
    assert facts["checked"] == 0


def test_lines_to_fill_in(cli, data, tmp_path):
    out = tmp_path / "ask.jsonl"
    cli("suggest", "distance", "--data", data, "--out", out)
    (line,) = out.read_text().splitlines()
    row = json.loads(line)
    assert list(row) == ["num_nodes", "edges", "inputs", "steps", "labels"]
    assert row == {"num_nodes": 1, "edges": [], "inputs": ["root"], "steps": 4, "labels": []}
    answer = cli("evaluate", "distance", "--data", out)
    assert answer.code == 2
    assert "line 1: field 'labels' must have one entry per node, 1; got 0" in answer.err
    # Filled in and added to the data, it is read.
    row["labels"] = ["even"]
    data.write_text(data.read_text() + json.dumps(row) + "\n")
    following = cli("suggest", "distance", "--data", data, "--json").json["suggestions"]
    assert all(suggestion["inputs"] != ["root"] for suggestion in following)


def label(row):
    """Distance from the root, modulo 2."""
    away = {row["inputs"].index("root"): 0}
    while len(away) < row["num_nodes"]:
        for a, b in row["edges"]:
            for u, v in ((a, b), (b, a)):
                if u in away:
                    away[v] = min(away.get(v, 99), away[u] + 1)
    return [("even", "odd")[away[node] % 2] for node in range(row["num_nodes"])]


def test_the_loop_of_a_person(cli, data, tmp_path):
    """Learn, ask, label, and so on, with files alone; in the end the automaton is right on all small trees."""
    model, out = tmp_path / "m.json", tmp_path / "ask.jsonl"
    for _ in range(40):
        assert cli("learn", "--data", data, "--states", 4, "--bound", 1, "--out", model).code == 0
        arguments = ["--data", data, "--family", "tree", "--max-nodes", 5, "--count", 3]
        facts = cli("suggest", model, *arguments, "--out", out, "--json").json
        if facts["determined"]:
            break
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        lines(out, [row | {"labels": label(row)} for row in rows])
        data.write_text(data.read_text() + out.read_text())
    assert facts["determined"] is True
    assert (facts["max_nodes"], facts["suggestions"], facts["alternative"]) == (5, [], None)
    task = ["--task", "distance", "--option", "graphs=tree"]
    assert cli("verify", model, *task, "--max-nodes", 5).code == 0
    words = cli("suggest", model, *arguments)
    assert words.code == 0
    assert "yes: whatever fits them with 4 states and counting aggregation" in words.out
    assert "up to 5 nodes" in words.out


def test_in_words(cli, data, tmp_path):
    answer = cli(
        "suggest", "distance", "--data", data, "--out", tmp_path / "a.jsonl", "--alternative", tmp_path / "o.json"
    )
    assert answer.code == 0
    assert "no: another automaton with 4 states and counting aggregation fits them too" in answer.out
    assert "0 graphs with inputs" in answer.out
    assert "1 node, 4 steps, edges none" in answer.out
    assert "inputs  0:root" in answer.out
    assert "model  0:even" in answer.out
    assert "other  0:" in answer.out
    assert f"written to {tmp_path / 'a.jsonl'}" in answer.out
    assert f"written to {tmp_path / 'o.json'}" in answer.out


def test_a_task(cli, tmp_path):
    out = tmp_path / "a.jsonl"
    arguments = ["suggest", "distance", "--task", "distance", "--option", "graphs=tree", "--max-nodes", 5]
    facts = cli(*arguments, "--out", out, "--json").json
    assert (facts["determined"], facts["max_nodes"]) == (True, 5)
    assert not out.exists()
    connected = cli("suggest", "distance", "--task", "distance", "--max-nodes", 5, "--count", 9, "--json").json
    again = cli("suggest", "distance", "--task", "distance", "--max-nodes", 5, "--count", 9, "--json").json
    assert connected | {"seconds": 0} == again | {"seconds": 0}
    for suggestion in connected["suggestions"]:
        assert suggestion["steps"] == suggestion["num_nodes"] + 1
        assert suggestion["answers"][0] == label(suggestion)


def test_rows_have_slots_and_a_direction(cli, tmp_path):
    data = tmp_path / "d.jsonl"
    write_jsonl(data, dataset_class("elementary")(rule=110).generate(3, 2, np.random.default_rng(0), steps=1))
    out = tmp_path / "a.jsonl"
    facts = cli("suggest", "rule110", "--data", data, "--steps", 1, "--max-nodes", 4, "--out", out, "--json").json
    assert facts["determined"] is False
    (suggestion,) = facts["suggestions"]
    assert suggestion["steps"] == 1
    row = json.loads(out.read_text())
    if suggestion["num_nodes"] > 1:
        assert (row["directed"], row["slots"]) == (True, suggestion["slots"])
    assert [str(value) for value in row["inputs"]] == suggestion["inputs"]


def test_everything_about_a_rule(cli, tmp_path):
    """All rows of three cells: what a cell sees is seen, so nothing is left to ask."""
    task = dataset_class("elementary")(rule=110)
    data = tmp_path / "d.jsonl"
    rows = [
        task.generate(3, 60, np.random.default_rng(0), steps=1),
        task.generate(1, 9, np.random.default_rng(0), steps=1),
    ]
    write_jsonl(data, type(rows[0]).concatenate(rows))
    facts = cli("suggest", "rule110", "--data", data, "--steps", 1, "--max-nodes", 6, "--json").json
    assert (facts["determined"], facts["max_nodes"]) == (True, 6)
    assert facts["checked"] > 50


@pytest.mark.parametrize("names", [(False, True), (0, 1), ("0", "1"), (0.5, 1.5), ("off", "on")])
def test_inputs_are_written_as_in_the_data(cli, tmp_path, names):
    """Suggested lines can be added to the file that they are about."""
    row = {"num_nodes": 2, "edges": [[0, 1]], "inputs": list(names), "labels": ["odd", "even"]}
    data, out = lines(tmp_path / "d.jsonl", [row]), tmp_path / "a.jsonl"
    named = library.distance()
    states = [*named.state_names[:2], *map(str, names)]
    table = named.transition_table
    GraphFSA(states, named.aggregation, table, starting_states=[2, 3], final_states=[0, 1]).save(tmp_path / "m.json")
    cli("suggest", tmp_path / "m.json", "--data", data, "--out", out)
    asked = json.loads(out.read_text())
    assert all(type(value) is type(names[0]) and value in names for value in asked["inputs"])
    filled = asked | {"labels": ["odd"] * asked["num_nodes"]}
    assert len(read_jsonl(lines(tmp_path / "e.jsonl", [row, filled])).examples.task.inputs) == 2


def test_traces_are_asked_for_as_traces(cli, tmp_path):
    rows = [{"num_nodes": 2, "edges": [[0, 1]], "trace": [["alive", "dead"], ["dead", "dead"]]}]
    data, out = lines(tmp_path / "d.jsonl", rows), tmp_path / "a.jsonl"
    cli("suggest", "life", "--data", data, "--max-nodes", 3, "--out", out)
    asked = json.loads(out.read_text())
    assert list(asked) == ["num_nodes", "edges", "trace"]
    assert asked["trace"][1] == []
    answer = cli("evaluate", "life", "--data", out)
    assert answer.code == 2
    assert "trace[1] must have one entry per node" in answer.err


def test_undecided(cli, data, monkeypatch):
    from graphfsa.analysis import identifiability

    monkeypatch.setattr(identifiability, "_WORK", 0)
    answer = cli("suggest", "distance", "--data", data, "--budget", 1e-9, "--json")
    assert answer.code == 0
    assert answer.json["determined"] is None
    assert (answer.json["suggestions"], answer.json["alternative"]) == ([], None)
    words = cli("suggest", "distance", "--data", data, "--budget", 1e-9)
    assert words.code == 0
    assert "not found out within the budget" in words.out


def test_a_model_that_does_not_fit(cli, tmp_path):
    data = lines(tmp_path / "d.jsonl", [ROW, THREE | {"labels": ["even", "odd", "odd"]}])
    answer = cli("suggest", "distance", "--data", data)
    assert answer.code == 2
    assert "must fit the data; it gives 1 of 5 nodes" in answer.err
    assert "node 2 of graph 1" in answer.err


def test_files_are_not_overwritten(cli, data, tmp_path):
    model = tmp_path / "m.json"
    library.distance().save(model)
    before = data.read_bytes(), model.read_bytes()
    for arguments in (["--out", data], ["--alternative", model]):
        answer = cli("suggest", model, "--data", data, *arguments)
        assert answer.code == 2
        assert "would be overwritten" in answer.err
    assert (data.read_bytes(), model.read_bytes()) == before


BAD = [
    (["rule110"], "was not learned from a data set"),
    (["distance", "--data", "d.jsonl", "--task", "distance"], "not both"),
    (["distance", "--task", "distance", "--steps", "1"], "--steps goes with --data"),
    (["distance", "--data", "d.jsonl", "--option", "graphs=tree"], "--option goes with --task"),
    (["distance", "--data", "nowhere.jsonl"], "nowhere.jsonl"),
    (["distance", "--data", "bad.jsonl"], "line 1"),
    (["nobody", "--data", "d.jsonl"], "unknown automaton 'nobody'"),
    (["root-value", "--data", "d.jsonl"], "its final states are 0, 1"),
    (["root-value", "--task", "distance"], "distance has the classes even, odd"),
    (["distance", "--data", "d.jsonl", "--family", "wheel"], "unknown graph class 'wheel'"),
    (["distance", "--data", "d.jsonl", "--family", "row"], "no neighbour slots"),
    (["path-finding", "--task", "path-finding", "--max-nodes", "17"], "Choose max_nodes of at most 16"),
    (["distance", "--data", "d.jsonl", "--max-nodes", "0"], "--max-nodes"),
    (["distance", "--data", "d.jsonl", "--count", "0"], "--count"),
    (["distance", "--data", "d.jsonl", "--budget", "0"], "--budget must be"),
    (["distance", "--data", "d.jsonl", "--budget", "nan"], "--budget must be"),
    (["distance", "--data", "d.jsonl", "--seconds", "0"], "--seconds must be"),
    (["distance", "--data", "d.jsonl", "--out", "a.json"], "must end in .jsonl"),
    (["distance", "--data", "d.jsonl", "--out", "no/a.jsonl"], "no directory"),
    (["distance", "--data", "d.jsonl", "--alternative", "o.txt"], "must end in .json"),
    (["distance", "--data", "d.jsonl", "--alternative", ""], "must end in .json"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda value: value if isinstance(value, str) else None)
def test_bad_input_is_said_and_exits_with_2(cli, data, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text("{")
    before = sorted(tmp_path.iterdir())
    answer = cli("suggest", *arguments)
    assert answer.code == 2
    assert words in answer.err
    assert answer.out == ""
    assert sorted(tmp_path.iterdir()) == before
