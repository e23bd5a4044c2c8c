"""Learning from features on the command line, and every command that takes such a model."""

import json

import pytest

import graphfsa as gf


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.json"
    gf.learn("noisy-distance", inputs="continuous", count=100).save(path)
    return path


def test_a_task_is_learned_and_the_model_used(cli, tmp_path):
    out = tmp_path / "m.json"
    arguments = ["learn", "--task", "noisy-distance", "--inputs", "continuous", "--count", 100, "--out", out]
    answer = cli(*arguments)
    assert answer.code == 0
    assert "verdict      proved" in answer.out
    assert "inputs       node if signal <= 0.6" in answer.out
    facts = cli(*arguments, "--json").json
    assert facts["discretiser"]["features"] == ["signal"]
    assert facts["cuts"] == 1
    assert facts["options"]["budget"] == 60.0, "what was chosen, not what was left for the last attempt"
    scores = cli("evaluate", out, "--sizes", "10,1000", "--count", 5, "--json").json
    assert [row["accuracy"] for row in scores["results"]] == [1.0, 1.0]


def test_info_says_how_features_become_inputs(cli, model):
    facts = cli("info", model, "--json").json
    assert facts["features"] == ["signal"]
    assert [line.split(" if ")[0] for line in facts["input_of"]] == ["node", "root"]
    assert facts["thresholds"][0].startswith("signal: 0.6")
    assert "root if signal > 0.6" in cli("info", model).out


@pytest.mark.parametrize(("form", "mark"), [("text", "# "), ("python", "# "), ("latex", "% "), ("markdown", "- `")])
def test_rules_begin_with_the_inputs(cli, model, form, mark):
    lines = cli("rules", model, "--format", form).out.split("\n")
    assert lines[0].startswith(f"{mark}node if signal <= 0.6")
    assert lines[1].startswith(f"{mark}root if signal > 0.6")


def test_rules_with_comments_are_read_back(cli, model, tmp_path):
    cli("rules", model, "--complete", "--out", tmp_path / "m.rules")
    assert gf.load(tmp_path / "m.rules").digest == gf.load(model).digest
    assert set(cli("rules", model, "--json").json["inputs"]) == {"node", "root"}


def test_names_can_not_leave_their_comment(cli, model, tmp_path):
    data = json.loads(model.read_text())
    data["discretiser"]["features"] = ["x\nimport os"]
    data["dataset"] = None
    (tmp_path / "bad.json").write_text(json.dumps(data))
    lines = cli("rules", tmp_path / "bad.json", "--format", "python").out.split("\n")
    begin = lines.index("")
    assert all(line.startswith("# ") for line in lines[:begin])


def test_a_report_shows_the_inputs(cli, model, tmp_path):
    cli("report", model, "--out", tmp_path / "m.html", "--sizes", "10", "--max-nodes", 3)
    page = (tmp_path / "m.html").read_text()
    assert "Inputs from features" in page
    assert "signal &gt; 0.6" in page or "signal > 0.6" in page
    assert "Proved right" in page


def test_proofs_of_the_automaton_are_about_the_data_set(cli, model, tmp_path):
    proof = tmp_path / "m.proof.json"
    assert cli("prove", model, "--out", proof).code == 0
    assert json.loads(proof.read_text())["source"]["task"] == "noisy-distance"
    assert cli("check", proof, model).code == 0


def test_a_file_of_ones_own(cli, tmp_path):
    data, out, test = tmp_path / "d.jsonl", tmp_path / "m.json", tmp_path / "t.jsonl"
    export = ["data", "export", "threshold-contagion", "--inputs", "continuous", "--count", 60]
    assert cli(*export, "--size", "2..6", "--out", data).code == 0
    assert cli(*export, "--size", "20", "--split", "test", "--out", test).code == 0
    rows = [line.split(maxsplit=1) for line in cli("data", "describe", data).out.splitlines()]
    assert ["features", "resistance"] in rows
    answer = cli("learn", "--data", data, "--steps", 1, "--inputs", "continuous", "--out", out)
    assert answer.code == 0
    assert "well with high resistance if the input is well and resistance > 0." in answer.out
    for command in (
        ["evaluate", out, "--data", test, "--steps", 1],
        ["coverage", out, "--data", test, "--steps", 1],
        ["verify", out, "--data", test, "--steps", 1],
        ["suggest", out, "--data", data, "--steps", 1, "--max-nodes", 2],
    ):
        assert cli(*command).code == 0
    told = cli("suggest", out, "--data", data, "--steps", 1, "--out", tmp_path / "next.jsonl")
    assert (told.code, "the data of this model have features" in told.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--task", "distance", "--inputs", "continuous"], "the nodes of distance have no features"),
        (["--task", "noisy-distance", "--inputs", "numbers"], "--inputs must be one of classes, continuous"),
        (
            ["--task", "noisy-distance", "--inputs", "continuous", "--learner", "stay"],
            "stay does not learn from features",
        ),
        (["--task", "noisy-distance", "--inputs", "continuous", "--tolerance", "0.1"], "tolerance must be 0"),
        (["--data", "d.jsonl"], "have features (x), which are no inputs"),
        (["--data", "d.jsonl", "--inputs", "continuous", "--validation", "d.jsonl"], "--validation does not go with"),
        (["--data", "plain.jsonl", "--inputs", "continuous"], "have no features"),
    ],
)
def test_what_can_not_be_learned_is_said(cli, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = {"num_nodes": 1, "edges": [], "labels": ["a"], "features": {"x": [1]}}
    (tmp_path / "d.jsonl").write_text(json.dumps(line))
    (tmp_path / "plain.jsonl").write_text(
        json.dumps({**line, "features": None, "inputs": ["b"]}).replace(', "features": null', "")
    )
    answer = cli("learn", *arguments)
    assert answer.code == 2
    assert words in answer.err


def test_data_that_no_cut_separates_are_impossible(cli, tmp_path):
    data = tmp_path / "d.jsonl"
    graph = {"num_nodes": 2, "edges": [[0, 1]], "labels": ["a", "b"], "features": {"x": [0.5, 0.5]}}
    data.write_text(json.dumps(graph))
    answer = cli("learn", "--data", data, "--inputs", "continuous")
    assert answer.code == 1
    assert "no automaton fits this graph, whatever its number of states" in answer.out
