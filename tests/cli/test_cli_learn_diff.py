"""graphfsa learn --learner diff: facts, files, refusals, Ctrl-C, and going on after kill -9."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from graphfsa import GraphFSA
from graphfsa.datasets import dataset_class, write_jsonl
from graphfsa.learners.diff_fsa import SoftTable
from processes import listen_to_interruptions

QUICK = ("--learner", "diff", "--task", "distance", "--count", 300, "--updates", 40)


def test_a_task_is_learned_and_everything_is_said(cli, tmp_path):
    out, soft = tmp_path / "m.json", tmp_path / "s.safetensors"
    answer = cli("learn", *QUICK, "--seed", 7, "--out", out, "--soft", soft, "--json")
    facts = json.loads(answer.out)
    fsa = GraphFSA.load(out)
    assert answer.code == 0
    assert (facts["verdict"], facts["learner"], facts["options"]["preset"]) == ("proved", "diff-fsa", "strong")
    assert (facts["automaton"], facts["states"], facts["bound"]) == (fsa.digest, 4, 1)
    assert (facts["train_accuracy"], facts["validation_accuracy"]) == (1.0, 1.0)
    assert facts["recipe"]["updates"] == 40
    assert facts["seed"] == 7
    assert len(facts["data_digest"]) == len(facts["validation_digest"]) == 64
    table = SoftTable.load(soft)
    assert table.state_names == fsa.state_names
    assert facts["entropy"] == pytest.approx(float(table.entropy[:, table.trained].mean()))
    checked = cli("evaluate", out, "--task", "distance", "--sizes", "10,100,1000", "--json")
    assert [row["accuracy"] for row in json.loads(checked.out)["results"]] == [1.0, 1.0, 1.0]
    cli("learn", "--task", "distance", "--count", 300, "--seed", 7, "--out", tmp_path / "exact.json")
    both = json.loads(cli("compare", out, tmp_path / "exact.json", "--json").out)
    assert both["equivalent"] == (both["distinguishing_graph"] is None)
    words = cli("learn", *QUICK, "--seed", 7, "--out", out)
    assert "exact" in words.out
    assert "bits per entry" in words.out


def test_a_file_of_ones_own_with_validation(cli, tmp_path):
    dataset = dataset_class("root-value")()
    for name, seed in (("train", 0), ("held", 1)):
        parts = dataset.generate(5, 60, np.random.default_rng(seed))
        write_jsonl(tmp_path / f"{name}.jsonl", parts)
    data = ("--data", tmp_path / "train.jsonl", "--validation", tmp_path / "held.jsonl")
    answer = cli("learn", "--learner", "diff", *data, "--out", tmp_path / "m.json", "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["validation_accuracy"] == 1.0


def test_the_published_preset_takes_the_published_graphs(cli, tmp_path):
    options = ("--learner", "diff", "--preset", "paper", "--epochs", 1, "--out", tmp_path / "m.json", "--json")
    facts = json.loads(cli("learn", "--task", "distance", *options).out)
    assert facts["graphs"] == 540
    assert facts["recipe"]["aggregate"] == "threshold"
    assert facts["updates"] == 540


def test_a_soft_table_can_be_looked_at(cli, tmp_path):
    soft = tmp_path / "s.safetensors"
    cli("learn", *QUICK[:-1], 20, "--out", tmp_path / "m.json", "--soft", soft)
    facts = json.loads(cli("info", soft, "--json").out)
    assert facts["states"] == ["even", "odd", "node", "root"]
    assert facts["entropy"] > 0
    entry = facts["undecided"][0]
    assert sum(entry["probabilities"].values()) == pytest.approx(1, abs=0.03)
    assert f"{entry['state']} that sees {entry['value']}" in cli("info", soft).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--budget", 0), "budget must be"),
        (("--merge", "none"), "unknown option of diff-fsa 'merge'"),
        (("--preset", "weak"), "unknown preset 'weak'"),
        (("--speed", 3), "unknown option of diff-fsa 'speed'"),
        (("--rate", "fast"), "rate must be a number"),
        (("--rate",), "--rate needs a value"),
        (("--device", "warp"), "device must be cpu, cuda"),
        (("--soft", "s.txt"), ".safetensors"),
        (("--resume",), "which directory"),
        (("--validation", "v.jsonl"), "--validation goes with labelled graphs"),
        (("--epochs", 3), "epochs has no meaning"),
        (("--updates", 3), "--updates is given more than once"),
        (("--rate", 1, "--rate", 2), "--rate is given more than once"),
        (("--choose", "3"), "unknown option of diff-fsa 'choose'"),
        (("--rate", "[" * 10_000), "rate must be a number"),
        (("--states", 999_999_999), "states must be an integer from 1 to 256"),
        (("--bound", 999_999_999), "bound must be an integer from 1 to 4096"),
        (("--restarts", 100_000_000), "GiB"),
        (("--learning-rate", 3), "unknown option of diff-fsa 'learning_rate'"),
        (("--initial", "distance", "--states", 4), "has its own states"),
        (("--initial", "prefix-sum"), "no final state of the automaton is called even or odd"),
        (("--initial", "nobody.json"), "nobody.json"),
        (("--states", 3), "need at least 4 states"),
        (("--states", "40..40", "--bound", "3..3"), "40 states"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(cli, tmp_path, options, words):
    answer = cli("learn", *QUICK, *options, "--out", tmp_path / "m.json")
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "m.json").exists()


def test_options_of_diff_do_not_go_with_the_exact_learner(cli, tmp_path):
    answer = cli("learn", "--task", "distance", "--restarts", 4, "--out", tmp_path / "m.json")
    assert (answer.code, "unknown option of exact 'restarts'" in answer.err) == (2, True)


def test_a_directory_with_a_training_is_not_overwritten(cli, tmp_path):
    options = (*QUICK[:-1], 20, "--checkpoint", tmp_path / "c", "--out", tmp_path / "m.json")
    assert cli("learn", *options).code == 0
    again = cli("learn", *options)
    assert (again.code, "holds a training already" in again.err) == (2, True)
    other = cli("learn", *options, "--resume", "--seed", 1)
    assert (other.code, "seed was 0" in other.err) == (2, True)
    assert cli("learn", *options, "--resume").code == 0


LONG = ("--learner", "diff", "--task", "distance", "--count", "100", "--updates", "300", "--harvest", "9999")
COMMAND = [sys.executable, "-c", "from graphfsa.cli import main; main()", "learn", *LONG]


def test_after_kill_9_a_training_is_resumed_to_the_same_automaton(cli, shell, tmp_path):
    whole = cli("learn", *LONG, "--out", tmp_path / "whole.json", "--json")
    kept = tmp_path / "kept"
    options = ["--checkpoint", str(kept), "--out", str(tmp_path / "part.json"), "--json"]
    process = subprocess.Popen([*COMMAND, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not (kept / "history.jsonl").exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=60) == -signal.SIGKILL
    assert not (tmp_path / "part.json").exists()
    assert len((kept / "history.jsonl").read_text().splitlines()) < 15
    again = shell("learn", *LONG, *options, "--resume")
    assert json.loads(again.out)["automaton"] == json.loads(whole.out)["automaton"]
    assert len((kept / "history.jsonl").read_text().splitlines()) == 15


def test_control_c_writes_the_best_so_far(tmp_path):
    options = ["--out", str(tmp_path / "m.json"), "--checkpoint", str(tmp_path / "c"), "--json", "--stay", "0"]
    process = subprocess.Popen(
        [*COMMAND[:-4], "--harvest", "9999", *options, "--updates", "100000", "--patience", "99999"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_interruptions,
    )
    until = time.monotonic() + 120
    while not (tmp_path / "c" / "history.jsonl").exists() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, complaint = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in complaint) == (130, False)
    facts = json.loads(said)
    assert (facts["interrupted"], facts["automaton"]) == (True, GraphFSA.load(tmp_path / "m.json").digest)


def test_a_spent_budget_is_undecided_and_can_be_resumed_with_more(cli, tmp_path):
    out, folder = tmp_path / "m.json", tmp_path / "training"
    hard = ("learn", "--learner", "diff", "--task", "path-finding", "--count", 300, "--restarts", 8, "--json")
    answer = cli(*hard, "--budget", 0.3, "--checkpoint", folder, "--out", out)
    facts = json.loads(answer.out)
    assert (answer.code, facts["verdict"]) == (1, "undecided")
    assert GraphFSA.load(out) is not None
    assert json.loads(cli("info", folder / "best.json", "--json").out)
    more = json.loads(cli(*hard, "--budget", 0.6, "--checkpoint", folder, "--resume", "--out", out).out)
    assert more["updates"] > facts["updates"]
