import json
from pathlib import Path

import pytest

from graphfsa import GraphFSA, library
from graphfsa.analysis.verification import recheck


def test_verify_and_certify(cli, tmp_path):
    out = tmp_path / "c.json"
    arguments = ["verify", "path-finding", "--task", "path-finding", "--max-nodes", 9]
    facts = cli(*arguments, "--out", out, "--json").json
    assert facts["verified"] is True
    assert (facts["graphs"], facts["instances"], facts["counterexample"]) == (94, 2703, None)
    assert (facts["graph_class"], facts["max_nodes"], facts["certificate"]) == ("tree", 9, str(out))
    assert recheck(out, library.path_finding()).agrees
    answer = cli(*arguments)
    assert answer.code == 0
    assert "2,703" in answer.out
    assert facts["digest"] in answer.out


def broken(tmp_path):
    """Path-finding whose nodes light up where they should wither."""
    right = library.path_finding()
    table = right.transition_table.copy()
    table[2][table[2] == 0] = 1
    fsa = GraphFSA(
        right.state_names,
        right.aggregation,
        table,
        starting_states=right.starting_states,
        final_states=right.final_states,
    )
    file = tmp_path / "broken.json"
    fsa.save(file)
    return file


def test_a_counterexample_exits_with_1_and_is_shown(cli, tmp_path):
    file, out = broken(tmp_path), tmp_path / "c.json"
    answer = cli("verify", file, "--task", "path-finding", "--max-nodes", 6, "--out", out, "--json")
    facts = answer.json
    assert answer.code == 1
    assert facts["verified"] is False
    assert facts["certificate"] is None
    assert not out.exists()
    example = facts["counterexample"]
    assert example["num_nodes"] == 3
    assert len(example["edges"]) == 2
    assert sorted(example["inputs"]) == ["marked", "marked", "node"]
    assert example["labels"] != example["predictions"]
    words = cli("verify", file, "--task", "path-finding", "--max-nodes", 6)
    assert words.code == 1
    assert "<- wrong" in words.out
    assert "certificate" not in words.out
    assert "graph of 3 nodes after 6 steps" in words.out
    # The counterexample is a line that the package reads: its labels hold, and the automaton fails on it.
    lines = tmp_path / "x.jsonl"
    lines.write_text(json.dumps({key: value for key, value in example.items() if key != "predictions"}))
    assert cli("evaluate", file, "--data", lines, "--json").json["results"][0]["perfect"] == 0
    assert cli("evaluate", "path-finding", "--data", lines, "--json").json["results"][0]["perfect"] == 1


def test_options_and_families(cli):
    arguments = ["verify", "rule110", "--task", "elementary", "--option", "rule=110", "--json", "--max-nodes"]
    assert cli(*arguments, 8).json["instances"] == 510
    facts = cli(*arguments, 8, "--family", "ring").json
    assert (facts["verified"], facts["graph_class"]) == (True, "ring")
    answer = cli("verify", "rule110", "--task", "elementary", "--max-nodes", 8)
    assert answer.code == 1
    assert cli("verify", "life", "--task", "life", "--max-nodes", 9, "--json").json["graph_class"] == "board"
    answer = cli("verify", "rule41", "--task", "elementary", "--max-nodes", 3, "--json")
    assert answer.json["counterexample"]["num_nodes"] == 1
    wrong = cli("verify", "rule170", "--task", "elementary", "--max-nodes", 3, "--json").json["counterexample"]
    assert (wrong["directed"], wrong["slots"]) == (True, [1, 0, 1, 0])


BAD = [
    (["verify", "path-finding", "--task", "nothing", "--max-nodes", 5], "prefix-sum"),
    (["verify", "path-finding", "--task", "path-finding", "--max-nodes", 0], "--max-nodes"),
    (["verify", "path-finding", "--task", "path-finding", "--max-nodes", 10**12], "at most 16"),
    (["verify", "path-finding", "--task", "path-finding", "--max-nodes", 10**40], "at most 16"),
    (["verify", "path-finding", "--task", "path-finding", "--max-nodes", 5, "--family", "wheel"], "connected"),
    (["verify", "path-finding", "--task", "path-finding", "--max-nodes", 5, "--option", "x=1"], "colours, trees"),
    (["verify", "path-finding", "--data", "x.jsonl", "--out", "c.json"], "--out goes with a task"),
    (["verify", "rule110", "--max-nodes", 5], "was not learned from a data set"),
    (["verify", "nowhere.json", "--task", "path-finding", "--max-nodes", 5], "nowhere.json"),
    (["verify", "pathfinding", "--task", "path-finding", "--max-nodes", 5], "did you mean"),
    (["verify", "root-value", "--task", "path-finding", "--max-nodes", 5], "path-finding has the classes off, on"),
    (["verify", "wireworld", "--task", "life", "--max-nodes", 5], "its states are empty, head, tail, conductor"),
    (["verify", "distance", "--task", "distance", "--max-nodes", 5, "--out", "x.txt"], ".json"),
    (["verify", "distance", "--task", "distance", "--max-nodes", 5, "--out", "no/x.json"], "no directory"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda value: value if isinstance(value, str) else None)
def test_bad_input_is_said_and_exits_with_2(cli, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    answer = cli(*arguments)
    assert answer.code == 2
    assert words in answer.err
    assert list(tmp_path.iterdir()) == []


def test_the_model_is_not_overwritten(cli, tmp_path):
    file = tmp_path / "m.json"
    library.distance().save(file)
    before = file.read_bytes()
    answer = cli("verify", file, "--task", "distance", "--max-nodes", 3, "--out", file)
    assert answer.code == 2
    assert "overwrite" in answer.err
    assert file.read_bytes() == before


def test_states_may_be_in_another_order(cli, tmp_path):
    right = library.distance()

    def move(state, counts):
        if state == "root":
            return "even"
        near = [name for name in ("even", "odd") if counts[name]]
        return {"even": "odd", "odd": "even"}[near[0]] if state == "node" and near else state

    names = ["odd", "even", "node", "root"]
    fsa = GraphFSA.from_rule(names, right.aggregation, move, starting_states=names[2:], final_states=names[:2])
    fsa.save(tmp_path / "m.json")
    answer = cli("verify", tmp_path / "m.json", "--task", "distance", "--max-nodes", 3)
    assert answer.code == 0
    assert "verified     yes" in answer.out


# ---- questions about every run

LEADER = str(Path(__file__).parents[2] / "examples" / "leader.rules")
ONE_LEADER = ["verify", LEADER, "--eventually-always", "exactly one leader", "--family", "tree", "--max-nodes", 7]


def test_a_question_is_answered_by_the_shortest_run(cli, tmp_path):
    out = tmp_path / "out.html"
    answer = cli(*ONE_LEADER, "--from", "every", "--player", out)
    assert answer.code == 1
    assert "no, there is a counterexample" in answer.out
    assert "as at step 0, and so on for ever" in answer.out
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    facts = cli(*ONE_LEADER, "--from", "every", "--scheduler", "central", "--fair", "--json").json
    assert (facts["holds"], facts["scheduler"], facts["fair"], facts["graph_class"]) == (False, "central", True, "tree")
    # Two leaders that do not see each other, at rest.
    run = facts["counterexample"]
    assert (run["num_nodes"], run["moves"], run["loop"]) == (3, [], 0)
    assert sorted(run["states"][0]) == ["leader", "leader", "lost"]


def test_what_holds_comes_with_its_times_and_the_worst_run(cli, tmp_path):
    arguments = ["verify", "dijkstra-ring", "--eventually-always", "exactly one node can move", "--family", "ring"]
    arguments += ["--max-nodes", 4, "--from", "exactly one root-*", "--scheduler", "central"]
    answer = cli(*arguments, "--player", tmp_path / "worst.png")
    assert answer.code == 0
    assert "the run that takes longest" in answer.out
    assert (tmp_path / "worst.png").stat().st_size > 1000
    facts = cli(*arguments, "--json").json
    assert facts["holds"] is True
    assert facts["sizes"][-1]["worst_steps"] == len(facts["worst"]["moves"]) == 13
    assert facts["sizes"][-1]["configurations"] == 4 * 5**4


def test_coins_and_samples_say_what_they_are(cli):
    arguments = ["verify", "tree-leader", "--eventually-always", "exactly one leader", "--family", "tree"]
    assert "with probability 1" in cli(*arguments, "--max-nodes", 4).out
    answer = cli(*arguments, "--max-nodes", 4, "--scheduler", "distributed")
    assert answer.code == 1
    assert "whatever the coins say" in answer.out
    answer = cli(*arguments, "--max-nodes", 9, "--samples", 100, "--steps", 300, "--seed", 4)
    assert answer.code == 0
    assert "not decided: runs were drawn" in answer.out
    assert "This is no proof." in answer.out
    facts = cli(*arguments, "--max-nodes", 9, "--samples", 100, "--steps", 300, "--seed", 4, "--json").json
    assert facts["holds"] is None
    assert 0.8 < facts["sample"]["at_least"] < 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--eventually", "exactly one leadr"], "did you mean 'leader'?"),
        (["--eventually", "no leader", "--always", "no leader"], "got 2"),
        (["--eventually", "no leader", "--data", "d.jsonl"], "--data and --out go without"),
        (["--eventually", "no leader", "--steps", 3], "--steps goes with --samples or --data"),
        (["--eventually", "no leader", "--scheduler", "centrl"], "did you mean 'central'?"),
        (["--eventually", "no leader", "--player", "out.txt"], "must end in"),
        (["--eventually", "no leader", "--player", "out.html", "--samples", 5], "--player goes without --samples"),
        (["--eventually", "no leader", "--max-nodes", 20, "--family", "path", "--from", "every"], "at most 17"),
        (["--eventually", "no leader", "--from", "evry"], "--from must be 'starting', 'every' or a predicate"),
        (["--fair"], "--fair goes with --always"),
        (["--from", "every"], "--from goes with --always"),
    ],
)
def test_questions_that_are_refused(cli, arguments, words):
    answer = cli("verify", LEADER, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert words in answer.err
