"""graphfsa learn, evaluate and info with networks and floors: facts, files, refusals and Ctrl-C."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from graphfsa import GraphFSA
from graphfsa.datasets import dataset_class, draw, write_jsonl
from graphfsa.learners import load
from processes import listen_to_interruptions

pytest.importorskip("torch")

SHORT = ("--task", "root-value", "--count", 60, "--epochs", 2)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    from graphfsa.learners.recurrent_gnn import RecurrentGNN

    path = tmp_path_factory.mktemp("networks") / "net.safetensors"
    dataset = dataset_class("root-value")()
    RecurrentGNN(epochs=2).fit(dataset.generate(5, 40, np.random.default_rng(0)), seed=0).save(path)
    return path


@pytest.mark.parametrize("learner", ["recurrent-gnn", "gnca"])
def test_a_network_is_trained_written_described_and_evaluated(cli, tmp_path, learner):
    out = tmp_path / "net.safetensors"
    options = ("--learner", learner, *SHORT, "--hidden", 8, "--rate=0.01", "--seed", 5)
    answer = cli("learn", *options, "--out", out, "--json")
    facts = answer.json
    model = load(out)
    assert answer.code == 0
    assert (facts["learner"], facts["network"], facts["model"]) == (learner, model.digest, str(out))
    assert (facts["options"]["hidden"], facts["options"]["rate"], facts["options"]["epochs"]) == (8, 0.01, 2)
    assert (facts["epochs"], facts["graphs"], facts["seed"]) == (2, 60, 5)
    assert facts["train_accuracy"] == model.provenance.train_accuracy
    assert facts["validation_accuracy"] == model.provenance.validation_accuracy
    assert len(facts["data_digest"]) == len(facts["validation_digest"]) == 64
    words = cli("learn", *options, "--out", out)
    assert (words.code, words.err) == (0, "")
    assert f"{learner}, {model.network.num_weights:,} weights" in words.out
    assert load(out).digest == model.digest
    said = cli("info", out, "--json").json
    assert (said["learner"], said["task"], said["digest"]) == (learner, "root-value", model.digest)
    assert said["options"] == facts["options"]
    assert "root0, root1" in cli("info", out).out
    scored = cli("evaluate", out, "--task", "root-value", "--sizes", "6,9", "--count", 20, "--json").json
    assert scored["network"] == model.digest
    assert [row["size"] for row in scored["results"]] == [6, 9]
    for place, row in enumerate(scored["results"]):
        rng = np.random.default_rng(0).spawn(2)[place]
        test = draw(dataset_class("root-value")(), row["size"], 20, rng, "test")
        assert row["accuracy"] == pytest.approx(model.accuracy(test))
    beyond = cli("evaluate", out, "--task", "root-value", "--sizes", 6, "--beyond", "0,3", "--json").json
    assert [row["steps"] for row in beyond["results"]] == [7, 10]
    assert cli("evaluate", out, "--task", "root-value", "--sizes", 6, "--beyond", "0,3").code == 0


@pytest.mark.parametrize("learner", ["majority", "stay"])
def test_a_floor_is_an_automaton(cli, tmp_path, learner):
    out = tmp_path / "floor.json"
    answer = cli("learn", "--learner", learner, "--task", "path-finding", "--count", 60, "--out", out, "--json")
    assert answer.code == 0
    assert answer.json["automaton"] == GraphFSA.load(out).digest
    assert answer.json["learner"] == learner
    assert cli("learn", "--learner", learner, "--task", "life", "--count", 20, "--out", out).code == 0
    assert cli("evaluate", out, "--task", "life", "--count", 5, "--json").json["results"][0]["accuracy"] > 0.3
    assert cli("rules", out).code == 0


def test_data_of_ones_own(cli, tmp_path):
    dataset = dataset_class("root-value")()
    for name, seed in (("train", 0), ("held", 1)):
        write_jsonl(tmp_path / f"{name}.jsonl", dataset.generate(5, 60, np.random.default_rng(seed)))
    data = ("--data", tmp_path / "train.jsonl", "--validation", tmp_path / "held.jsonl")
    out = tmp_path / "net.safetensors"
    answer = cli("learn", "--learner", "recurrent", *data, "--epochs", 1, "--out", out, "--json")
    assert answer.json["validation_accuracy"] == load(out).provenance.validation_accuracy
    scored = cli("evaluate", out, "--data", tmp_path / "held.jsonl", "--json").json
    assert scored["results"][0]["accuracy"] == pytest.approx(answer.json["validation_accuracy"])
    floor = tmp_path / "floor.json"
    assert cli("learn", "--learner", "stay", *data, "--out", floor).code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--learner", "gnca", "--out", "m.json"), "must end in .safetensors"),
        (("--learner", "stay", "--out", "m.safetensors"), "must end in .json"),
        (("--learner", "stay", "--out", "m.json", "--epochs", 3), "the learner stay has no options; got 'epochs'"),
        (("--learner", "majority", "--out", "m.json", "--a", 1), "the learner majority has no options"),
        (("--learner", "gnca", "--out", "m.safetensors", "--speed", 3), "unknown option of gnca 'speed'"),
        (("--learner", "gnca", "--out", "m.safetensors", "--rate", "fast"), "rate must be a number"),
        (("--learner", "gnca", "--out", "m.safetensors", "--rate"), "--rate needs a value"),
        (
            ("--learner", "gnca", "--out", "m.safetensors", "--epochs", 2, "--epochs", 3),
            "--epochs is given more than once",
        ),
        (("--learner", "gnca", "--out", "m.safetensors", "--states", 4), "unknown option of gnca 'states'"),
        (
            ("--learner", "gnca", "--out", "m.safetensors", "--aggregation", "counting"),
            "unknown option of gnca",
        ),
        (("--learner", "gnca", "--out", "m.safetensors", "--preset", "strong"), "valid names: paper, tuned"),
        (
            ("--learner", "gnca", "--out", "m.safetensors", "--validation", "v.jsonl"),
            "--validation goes with labelled graphs",
        ),
        (("--learner", "exact", "--out", "m.json", "--epochs", 3), "unknown option of exact 'epochs'"),
        (("--learner", "exact", "--out", "m.json", "--a", 1), "unknown option of exact 'a'"),
        (("--learner", "dream", "--out", "m.json"), "unknown learner 'dream'"),
        (("--learner", "gnca", "--out", "no/where/m.safetensors"), "there is no directory"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_before_any_work(cli, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    answer = cli("learn", "--task", "distance", *options)
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        ("run", "{}", "--graph", "path:4", "--steps", 3),
        ("rules", "{}"),
        ("draw", "{}", "--out", "x.svg"),
        ("verify", "{}", "--task", "distance", "--max-nodes", 3),
        ("coverage", "{}", "--task", "distance"),
        ("compare", "{}", "distance"),
        ("report", "{}", "--task", "distance", "--out", "x.html"),
        ("rollout", "{}", "--graph", "path:4", "--steps", 3, "--out", "x.svg"),
    ],
)
def test_commands_that_need_an_automaton_say_that_this_is_a_network(cli, network, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    answer = cli(*(str(word).format(network) for word in command))
    assert answer.code == 2
    assert "this needs an automaton" in answer.err
    assert "the model is a network (recurrent-gnn)" in answer.err


def test_a_network_is_not_asked_about_another_task(cli, network):
    answer = cli("evaluate", network, "--task", "prefix-sum")
    assert (answer.code, "was trained for root-value" in answer.err) == (2, True)
    answer = cli("evaluate", network, "--task", "life")
    assert (answer.code, "can't be asked about life" in answer.err) == (2, True)


def test_files_that_are_no_network(cli, tmp_path, network):
    half = tmp_path / "half.safetensors"
    half.write_bytes(network.read_bytes()[:300])
    for command in (("info", half), ("evaluate", half, "--task", "distance"), ("rules", half)):
        answer = cli(*command)
        assert (answer.code, "not a safetensors file" in answer.err) == (2, True)
    answer = cli("evaluate", tmp_path / "none.safetensors", "--task", "distance")
    assert (answer.code, "cannot read" in answer.err) == (2, True)
    answer = cli("info", network, "--draw", tmp_path / "x.svg")
    assert (answer.code, "not with a network" in answer.err) == (2, True)
    drawn = ("--draw", tmp_path / "x.svg")
    assert cli("evaluate", network, "--task", "root-value", "--sizes", 5, *drawn).code == 0
    answer = cli("evaluate", network, "--task", "root-value", "--sizes", 5, "--beyond", "0,1", *drawn)
    assert (answer.code, "for automata" in answer.err) == (2, True)


def test_control_c_writes_the_best_so_far(tmp_path):
    out = tmp_path / "net.safetensors"
    code = (
        "import graphfsa.learners._neural._training as t, pathlib, sys\n"
        "report = t.Training._report\n"
        f"t.Training._report = lambda self, record: (pathlib.Path({str(tmp_path / 'began')!r}).touch(), "
        "report(self, record))\n"
        "from graphfsa.cli import main\n"
        "main()\n"
    )
    options = ["--learner", "recurrent-gnn", "--task", "distance", "--count", "300", "--epochs", "100000"]
    options += ["--out", str(out), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, "learn", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_interruptions,
    )
    until = time.monotonic() + 120
    while not (tmp_path / "began").exists() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint) == (130, "")
    facts = json.loads(said)
    assert (facts["interrupted"], facts["network"]) == (True, load(out).digest)
    assert load(out).provenance.interrupted
