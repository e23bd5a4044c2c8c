"""graphfsa learn: verdicts with their facts and exit codes, files of one's own, refusals, and Ctrl-C."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from graphfsa import GraphFSA, library
from graphfsa.analysis.impossibility import check_impossibility, load_impossibility
from graphfsa.datasets import Examples, dataset_class, read_jsonl, write_jsonl
from processes import let_work, listen_to_interruptions

FIELDS = {
    "contradictions",
    "verdict",
    "train_accuracy",
    "states",
    "bound",
    "aggregation",
    "automaton",
    "seconds",
    "work",
    "entries",
    "unseen_entries",
    "graphs",
    "data_digest",
    "seed",
    "versions",
    "interrupted",
    "learner",
    "options",
    "validation_accuracy",
    "validation_digest",
    "soft",
    "checkpoint",
    "suspects",
    "impossibility",
    "model",
    "impossibility_certificate",
    "command",
    "proof",
    "lookalike",
    "determined",
    "question",
}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def path_of(size):
    """A path between its ends: which one is nearer to each node?"""
    away = [(node, size - 1 - node) for node in range(size)]
    return {
        "num_nodes": size,
        "edges": [[node, node + 1] for node in range(size - 1)],
        "inputs": ["left", *["between"] * (size - 2), "right"],
        "labels": ["near-left" if a < b else "near-right" if a > b else "tie" for a, b in away],
    }


def test_a_task_that_nobody_has_thought_of(cli, tmp_path):
    data, out = lines(tmp_path / "ends.jsonl", map(path_of, range(2, 9))), tmp_path / "ends.json"
    answer = cli("learn", "--data", data, "--out", out, "--json", "--attempts")
    assert answer.code == 0
    facts = answer.json
    assert set(facts) == FIELDS | {"attempts"}
    assert (facts["verdict"], facts["train_accuracy"], facts["model"]) == ("exact", 1.0, str(out))
    assert (facts["states"], facts["bound"], facts["aggregation"]["name"]) == (6, None, "letters")
    assert 0 < facts["work"] < 60
    assert (facts["graphs"], facts["interrupted"], facts["suspects"]) == (7, False, [])
    assert facts["impossibility_certificate"] is facts["impossibility"] is None
    assert facts["data_digest"] == read_jsonl(data).examples.digest
    assert 0 < facts["unseen_entries"] < facts["entries"]
    assert 0 < facts["seconds"] < 60
    assert facts["attempts"][-1].keys() == {"size", "outcome", "by", "seconds"}
    assert "fits" in [tried["outcome"] for tried in facts["attempts"]]
    fsa = GraphFSA.load(out)
    assert fsa.digest == facts["automaton"]
    assert fsa.state_names[:3] == ("near-left", "near-right", "tie")
    longer = lines(tmp_path / "longer.jsonl", map(path_of, (20, 51, 400)))
    rows = cli("evaluate", out, "--data", longer, "--json").json["results"]
    assert [(row["size"], row["accuracy"]) for row in rows] == [(20, 1.0), (51, 1.0), (400, 1.0)]
    # Read it back, learn again: the same seed gives the same automaton.
    assert cli("learn", "--data", data, "--out", out, "--json").json["automaton"] == facts["automaton"]


def test_without_a_file_nothing_is_kept(cli, tmp_path, monkeypatch):
    data = lines(tmp_path / "ends.jsonl", map(path_of, range(2, 6)))
    monkeypatch.chdir(tmp_path)
    answer = cli("learn", "--data", data)
    assert answer.code == 0
    assert "not kept; give --out FILE" in answer.out
    facts = cli("learn", "--data", data, "--json").json
    assert set(facts) == FIELDS
    assert facts["model"] is facts["command"] is None
    assert cli("learn", "--task", "path-finding", "--states", 4, "--bound", 1).code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["ends.jsonl"]


def test_seconds_are_those_of_all_rounds(cli, tmp_path):
    facts = cli("learn", "--task", "root-value", "--out", tmp_path / "m.json", "--json").json
    assert facts["seconds_of"].keys() == {"learning", "proving"}
    assert abs(sum(facts["seconds_of"].values()) - facts["seconds"]) < 0.01
    assert facts["rounds"] >= 1
    known = json.loads((tmp_path / "m.json").read_text())["provenance"]
    assert (known["seconds"], known["details"]["rounds"]) == (facts["seconds"], facts["rounds"])
    assert "of learning)" in cli("learn", "--task", "root-value").out


def test_a_missing_file_is_said_first(cli):
    answer = cli("learn", "--data", "nothing.jsonl", "--until", "proved", "--count", 200)
    assert answer.code == 2
    assert "there is no file 'nothing.jsonl'" in answer.err


def test_exact_in_words(cli, tmp_path):
    data, out = lines(tmp_path / "ends.jsonl", map(path_of, range(2, 7))), tmp_path / "ends.json"
    answer = cli("learn", "--data", data, "--out", out)
    assert answer.code == 0
    assert "exact" in answer.out
    assert "6 states (near-left, near-right, tie, between, left, right)" in answer.out
    assert "100.0000% of the nodes of 5 graphs" in answer.out
    assert re.search(rf"written to +{re.escape(str(out))}", answer.out)


@pytest.mark.parametrize("task", ["distance", "root-value"])
def test_a_task_of_the_package(cli, tmp_path, task):
    out = tmp_path / "m.json"
    arguments = ["learn", "--task", task, "--sizes", "2..5", "--count", 60, "--out", out, "--seed", 3, "--json"]
    answer = cli(*arguments)
    facts = answer.json
    assert answer.code == 0
    assert (facts["verdict"], facts["graphs"] >= 60, facts["seed"]) == ("proved", True, 3)
    assert facts["proof"]["certificate"] == str(tmp_path / "m.proof.json")
    assert cli("check", tmp_path / "m.proof.json", out).code == 0
    rows = cli("evaluate", out, "--task", task, "--json").json["results"]
    assert all(row["accuracy"] == 1 for row in rows)


def test_an_evolution_from_a_file(cli, tmp_path):
    """--steps makes the labels states."""
    data, out = tmp_path / "rows.jsonl", tmp_path / "rule.json"
    write_jsonl(data, dataset_class("elementary")(rule=110).generate(8, 60, np.random.default_rng(0), steps=1))
    answer = cli("learn", "--data", data, "--steps", 1, "--out", out, "--json")
    facts = answer.json
    assert (answer.code, facts["verdict"], facts["states"], facts["bound"]) == (0, "exact", 2, None)
    assert facts["aggregation"]["name"] == "positional"
    assert cli("verify", out, "--task", "elementary", "--option", "rule=110", "--max-nodes", 6).code == 0


def test_traces(cli, tmp_path):
    """The illness spreads to neighbours and never leaves."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(20):
        size = int(rng.integers(3, 8))
        edges = [[int(rng.integers(0, node)), node] for node in range(1, size)]
        ill = [set(rng.choice(size, 1).tolist())]
        for _ in range(3):
            ill.append(ill[-1] | {v for a, b in edges for u, v in ((a, b), (b, a)) if u in ill[-1]})
        trace = [["ill" if node in now else "well" for node in range(size)] for now in ill]
        rows.append({"num_nodes": size, "edges": edges, "trace": trace})
    data, out = lines(tmp_path / "traces.jsonl", rows), tmp_path / "ill.json"
    facts = cli("learn", "--data", data, "--out", out, "--json").json
    assert (facts["verdict"], facts["states"], facts["graphs"]) == ("exact", 2, 60)
    assert GraphFSA.load(out).state_names == ("ill", "well")
    assert cli("evaluate", out, "--data", data, "--json").json["results"][0]["accuracy"] == 1
    assert cli("learn", "--data", data, "--steps", 2, "--out", out).code == 2


def test_labels_that_contradict_each_other(cli, tmp_path):
    """Two graphs that are the same but for a label; the proof is beside the model, and holds."""
    other = path_of(4) | {"labels": ["near-left", "near-left", "near-left", "near-right"]}
    data, out = lines(tmp_path / "d.jsonl", [path_of(3), path_of(4), path_of(5), other]), tmp_path / "m.json"
    answer = cli("learn", "--data", data, "--out", out, "--json")
    facts = answer.json
    assert answer.code == 1
    assert set(facts) == FIELDS
    assert (facts["verdict"], facts["train_accuracy"], facts["model"]) == ("impossible", 0, None)
    assert facts["states"] is facts["bound"] is facts["automaton"] is facts["unseen_entries"] is None
    assert not out.exists()
    assert facts["impossibility_certificate"] == str(tmp_path / "m.impossible.json")
    proof = facts["impossibility"]
    assert (proof["states"], proof["aggregation"], proof["minimal"]) == (None, None, True)
    assert [graph["num_nodes"] for graph in proof["graphs"]] == [4, 4]
    assert check_impossibility(load_impossibility(facts["impossibility_certificate"])).holds
    words = cli("learn", "--data", data, "--out", out, "--certificate", tmp_path / "why.json")
    assert words.code == 1
    assert "no automaton fits these 2 graphs, whatever its number of states, written to" in words.out
    assert "checked apart from the search: node 2 of graph 0 must be" in words.out
    assert (tmp_path / "why.json").exists()
    # With tolerance: as many as could be, and the line of each suspect.
    some = cli("learn", "--data", data, "--out", out, "--tolerance", 0.2, "--budget", 5, "--json")
    assert (some.code, some.json["verdict"]) == (0, "best-effort")
    assert 0.9 < some.json["train_accuracy"] < 1
    (suspect,) = some.json["suspects"]
    assert suspect["line"] in (2, 4)
    assert (suspect["node"], {suspect["label"], suspect["answer"]}) == (2, {"near-left", "near-right"})
    words = cli("learn", "--data", data, "--out", out, "--tolerance", 0.2, "--budget", 5)
    assert "labels that the model does not give (1)" in words.out
    assert f"line {suspect['line']}, node 2: the data say {suspect['label']}" in words.out


def test_a_size_that_is_too_small(cli, tmp_path):
    """How far the nearest end is, modulo two, and which one it is: a bound of 1 and no further state do not do."""
    out = tmp_path / "m.json"
    answer = cli(
        "learn", "--task", "path-finding", "--sizes", "2..6", "--count", 100, "--bound", 1, "--out", out, "--json"
    )
    assert (answer.code, answer.json["verdict"]) == (1, "impossible")
    assert answer.json["impossibility"]["aggregation"] == {"name": "counting", "bound": 1}
    assert check_impossibility(load_impossibility(answer.json["impossibility_certificate"])).holds


SLOW = ["--task", "path-finding", "--option", "colours=2", "--states", "5", "--bound", "1", "--merge", "none"]


def test_undecided(cli, tmp_path):
    answer = cli("learn", *SLOW, "--budget", 1, "--out", tmp_path / "m.json", "--json", "--attempts")
    facts = answer.json
    assert answer.code == 1
    assert facts["verdict"] == "undecided"
    assert 0 < facts["train_accuracy"] < 1
    assert facts["model"] == str(tmp_path / "m.json")
    assert len(facts["suspects"]) > 0
    assert facts["attempts"] == [facts["attempts"][0] | {"size": "5 states, bound 1", "outcome": "open"}]
    words = cli("learn", *SLOW, "--budget", 1, "--out", tmp_path / "m.json")
    assert words.code == 1
    assert "5 states, bound 1: open" in words.out
    assert "a larger --budget than 1 looks further" in words.out
    assert "more sizes" not in words.out


def test_the_tried_sizes_beyond_those_shown_are_counted(cli):
    tried = ["learn", "--task", "path-finding", "--budget", 0.01, "--count", 5, "--sizes", "6"]
    attempts = cli(*tried, "--json", "--attempts").json["attempts"]
    still = sum(attempt["outcome"] == "open" for attempt in attempts[10:])
    assert f"  and {len(attempts) - 10} more sizes, {still} of them open" in cli(*tried).out


@pytest.mark.parametrize(
    ("number", "as_json"),
    [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, True), (signal.SIGHUP, False)],
)
def test_signals_write_the_best_so_far(cli, tmp_path, number, as_json):
    out = tmp_path / "m.json"
    cli("learn", *SLOW, "--budget", "0.1", "--out", out)  # What is compiled now is found compiled later.
    out.unlink()
    command = [sys.executable, "-c", "from graphfsa.cli import main; main()", "learn", *SLOW, "--budget", "60"]
    command += ["--out", str(out), *(["--json"] if as_json else [])]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=listen_to_interruptions
    )
    let_work(process, 3.5)
    assert process.poll() is None
    process.send_signal(number)
    while number == signal.SIGTERM and process.poll() is None:  # Whoever asks again does not lose the automaton either.
        time.sleep(0.005)
        process.send_signal(number)
    said, complaint = process.communicate(timeout=40)
    assert process.returncode == 128 + number
    assert "Traceback" not in complaint
    if as_json:
        facts = json.loads(said)
        assert (facts["verdict"], facts["interrupted"], facts["model"]) == ("undecided", True, str(out))
        assert facts["train_accuracy"] > 0.5
        assert GraphFSA.load(out).digest == facts["automaton"]
    else:
        assert "undecided (interrupted)" in said
        assert GraphFSA.load(out).num_states == 5


def test_control_c_while_the_solver_is_at_work(tmp_path):
    """The solver has an error of its own for it, which is no error here."""
    program = """
import os, threading
from graphfsa.search.sat import Clauses
clauses = Clauses()
holes = 12
numbers = [[clauses.new() for _ in range(holes)] for _ in range(holes + 1)]
for row in numbers:
    clauses.add(row)
for hole in range(holes):
    for a in range(holes + 1):
        for b in range(a):
            clauses.add([-numbers[a][hole], -numbers[b][hole]])
print("ready", flush=True)
try:
    clauses.solve(10**9, [])
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, preexec_fn=listen_to_interruptions
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "interrupted\n"


def test_data_and_results_are_kept_apart(cli, tmp_path):
    data = lines(tmp_path / "d.json", [path_of(3)])
    before = data.read_bytes()
    for arguments in (["--out", data], ["--out", tmp_path / "m.json", "--certificate", data]):
        answer = cli("learn", "--data", data, *arguments)
        assert answer.code == 2
        assert "would be overwritten" in answer.err
    answer = cli("learn", "--data", data, "--out", tmp_path / "m.json", "--certificate", tmp_path / "m.json")
    assert answer.code == 2
    assert "must be two files" in answer.err
    assert data.read_bytes() == before
    assert list(tmp_path.iterdir()) == [data]


BAD = [
    ([], "either --task NAME, --oracle FILE:FUNCTION or --data"),
    (["--task", "distance", "--data", "d.jsonl"], "either --task NAME, --oracle FILE:FUNCTION or --data"),
    (["--task", "nothing"], "prefix-sum"),
    (["--task", "nothing.py"], "--task must name a class of the file, nothing.py:Class; got 'nothing.py'"),
    (["--task", "own.py"], "--task must name a class of the file, own.py:Here or own.py:There; got 'own.py'"),
    (["--task", "distance", "--option", "colours=2"], "valid options: graphs"),
    (["--task", "distance", "--sizes", "a"], "--sizes must look like"),
    (["--task", "distance", "--sizes", "0"], "at least 1 node"),
    (["--data", "nowhere.jsonl"], "nowhere.jsonl"),
    (["--data", "empty.jsonl"], "at least one graph"),
    (["--data", "bad.jsonl"], "line 1"),
    (["--data", "d.jsonl", "--sizes", "3"], "go with --task"),
    (["--data", "d.jsonl", "--count", "3"], "go with --task"),
    (["--data", "d.jsonl", "--option", "a=b"], "--option goes with --task"),
    (["--data", "d.jsonl", "--learner", "gradient"], "unknown learner 'gradient'"),
    (["--data", "d.jsonl", "--states", "5"], "3 classes and 3 inputs need at least 6 states; got states=5"),
    (
        ["--data", "d.jsonl", "--states", "many"],
        "states must be an integer from 1 to 256, or a range (4, 6), on the command line 4..6; got",
    ),
    (["--data", "d.jsonl", "--states", "4..6..8"], "states must be an integer"),
    (["--data", "d.jsonl", "--states", "8..7"], "states must be"),
    (["--data", "d.jsonl", "--bound", "0"], "bound must be an integer from 1 to 4096"),
    (["--data", "d.jsonl", "--bound", "-1"], "bound must be an integer"),
    (["--data", "d.jsonl", "--budget", "0"], "budget must be a number > 0"),
    (["--data", "d.jsonl", "--budget", "nan"], "budget must be"),
    (["--data", "d.jsonl", "--tolerance", "1"], "tolerance must be"),
    (["--data", "d.jsonl", "--aggregation", "maximum"], "unknown aggregation"),
    (["--data", "d.jsonl", "--aggregation", "positional"], "needs graphs with neighbour slots"),
    (["--data", "d.jsonl", "--merge", "left=nobody"], "unknown input class 'nobody'"),
    (["--data", "d.jsonl", "--seed", "-1"], "--seed"),
    (["--data", "d.jsonl", "--out", ""], "must end in .json"),
    (["--data", "d.jsonl", "--out", "."], "must end in .json"),
    (["--data", "d.jsonl", "--out", "m.txt"], "must end in .json"),
    (["--data", "d.jsonl", "--out", "no/m.json"], "no directory"),
    (["--data", "d.jsonl", "--out", "folder.json"], "it is a directory"),
    (["--data", "d.jsonl", "--certificate", "no/c.json"], "no directory"),
    (["--data", "d.jsonl", "--certificate", "c.txt"], "must end in .json"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda value: value if isinstance(value, str) else None)
def test_bad_input_is_said_and_exits_with_2(cli, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "d.jsonl", [path_of(5)])
    (tmp_path / "bad.jsonl").write_text("{")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "own.py").write_text("class Here:\n    pass\n\n\nclass There:\n    pass\n\n\nraise SystemExit\n")
    (tmp_path / "folder.json").mkdir()
    before = sorted(tmp_path.iterdir())
    answer = cli("learn", *([] if "--out" in arguments else ["--out", "m.json"]), *arguments)
    assert answer.code == 2
    assert words in answer.err
    assert answer.out == ""
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_counts(cli, tmp_path):
    data = lines(tmp_path / "d.jsonl", [path_of(3) | {"mask": [False] * 3}])
    answer = cli("learn", "--data", data, "--out", tmp_path / "m.json")
    assert answer.code == 2
    assert "no node of the training graphs counts" in answer.err


def test_merging_by_name(cli, tmp_path):
    data = lines(tmp_path / "d.jsonl", map(path_of, range(2, 7)))
    options = ["--data", data, "--out", tmp_path / "m.json", "--merge", "left=right", "--json", "--attempts"]
    answer = cli("learn", *options, "--aggregation", "counting")
    assert answer.json["verdict"] == "exact"
    assert {tried["size"] for tried in answer.json["attempts"]} >= {"6 states, bound 1"}
    assert cli("learn", *options).json["verdict"] == "exact"


def test_what_was_learned_is_what_the_package_says(cli, tmp_path):
    """From all small trees: the same answers as the automaton of the library, on longer ones too."""
    out = tmp_path / "m.json"
    arguments = ["--task", "distance", "--option", "graphs=tree", "--states", "4", "--bound", "1"]
    assert cli("learn", *arguments, "--out", out).code == 0
    assert cli("compare", out, "distance", "--max-nodes", 5, "--where-answered").code in (0, 1)
    examples = dataset_class("distance")(graphs="tree").generate(30, 20, np.random.default_rng(5))
    assert isinstance(examples, Examples)
    assert examples.accuracy(GraphFSA.load(out)) == examples.accuracy(library.distance()) == 1


TWO_CORE = """
from graphfsa.datasets import CustomTask


class Ring(CustomTask):
    inputs = ("node",)
    classes = ("tree", "cycle")
    graphs = "connected"

    def label(self, graph, inputs):
        return [self.classes[len(graph.edges) >= graph.num_nodes]] * graph.num_nodes
"""


def test_a_task_that_needs_news_from_far_away_says_so_and_offers_an_evolution(cli, tmp_path):
    (tmp_path / "ring.py").write_text(TWO_CORE)
    arguments = ("--task", str(tmp_path / "ring.py:Ring"), "--out", str(tmp_path / "m.json"), "--budget", "1")
    result = cli("learn", *arguments)
    assert result.code == 1
    assert "no automaton with at most 256 states can be right" in result.out
    assert "an evolution" in result.out
    found = cli("learn", *arguments, "--json").json["lookalike"]
    assert (found["max_states"], found["num_nodes"], found["label"], found["other_label"]) == (256, 3, "cycle", "tree")


SUBTREE = Path(__file__).parents[2] / "examples" / "subtree.py"


def test_an_oracle(cli, shell, tmp_path):
    out = tmp_path / "m.json"
    facts = cli("learn", "--oracle", f"{SUBTREE}:label", "--family", "tree", "--out", out, "--json").json
    assert facts["verdict"] in ("proved", "exact")
    assert facts["checked"]["max_nodes"] >= 6
    assert facts["checked"]["random"]["1000"] >= 3
    again = cli("--plugin", SUBTREE, "verify", out, "--max-nodes", "5")
    assert again.code == 0
    refused = shell("verify", out, "--max-nodes", "5")
    assert refused.code == 2
    assert "graphfsa --plugin subtree.py" in refused.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--oracle", f"{SUBTREE}:lable"], "no function lable in"),
        (["--oracle", "none.py:label"], "there is no file 'none.py'"),
        (["--oracle", f"{SUBTREE}:label", "--family", "bush"], "unknown class of graphs 'bush'"),
        (["--oracle", f"{SUBTREE}:label", "--task", "distance"], "give either --task NAME, --oracle FILE:FUNCTION or"),
        (["--task", "distance", "--family", "tree"], "--family goes with --oracle"),
        (["--oracle", f"{SUBTREE}:label", "--option", "family=tree"], "--option goes with --task"),
    ],
)
def test_oracles_that_are_refused(cli, tmp_path, arguments, words):
    found = cli("learn", *arguments, "--out", tmp_path / "m.json")
    assert found.code == 2
    assert words in found.err


def test_labels_that_do_not_determine_the_automaton(cli, tmp_path):
    few = dataset_class("distance")().generate(3, 3, np.random.default_rng(0))
    write_jsonl(tmp_path / "few.jsonl", few)
    facts = cli("learn", "--data", tmp_path / "few.jsonl", "--out", tmp_path / "m.json", "--json").json
    assert facts["verdict"] == "exact"
    assert facts["determined"] is False
    question = facts["question"]
    assert len(question["inputs"]) == question["num_nodes"]
    assert question["answers"][0] != question["answers"][1]
    shown = cli("learn", "--data", tmp_path / "few.jsonl", "--out", tmp_path / "m.json").out
    assert "not determined: another automaton of this size fits all labels too" in shown
    settled = cli(
        "learn", "--data", tmp_path / "few.jsonl", "--until", "exact", "--out", tmp_path / "m.json", "--json"
    ).json
    assert (settled["determined"], settled["question"]) == (None, None)
