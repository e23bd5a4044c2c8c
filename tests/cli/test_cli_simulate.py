"""graphfsa simulate, and coins in run and rules."""

import csv
import json

import pytest
from typer.testing import CliRunner

from graphfsa import StochasticFSA, library, simulate
from graphfsa.cli import build_app

GRAPH = ["--graph", "erdos-renyi:60,mean-degree=5", "--states", "ill:0", "--steps", "30", "--seed", "2"]


@pytest.fixture
def call():
    return lambda *arguments: CliRunner().invoke(build_app(), [*map(str, arguments)])


def test_the_counts_of_each_run_are_written_and_said(call, tmp_path):
    out, picture = tmp_path / "sir.csv", tmp_path / "sir.png"
    done = call("simulate", "sir", *GRAPH, "--replicates", 7, "--every", 4, "--out", out, "--draw", picture, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    found = simulate("sir", "erdos-renyi:60,mean-degree=5", "ill:0", 30, replicates=7, every=4, seed=2)
    assert facts["digest"] == found.digest
    assert facts["last"]["immune"]["mean"] == pytest.approx(found.mean("immune")[-1])
    rows = list(csv.DictReader(out.open()))
    assert [int(row["step"]) for row in rows[:9]] == [0, 4, 8, 12, 16, 20, 24, 28, 30]
    assert len(rows) == 7 * 9
    assert [int(rows[9][name]) for name in ("well", "ill", "immune")] == found.counts[1, 0].tolist()
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_words_for_people_and_noise(call):
    done = call("simulate", "life", "--graph", "moore-torus:8x8", "--steps", 5, "--replicates", 3, "--noise", 0.1)
    assert done.exit_code == 0
    assert "alive" in done.stdout
    assert ["at_rest", "0"] in [line.split() for line in done.stdout.splitlines()]


def test_run_flips_the_coins_of_run_0(call):
    single = json.loads(call("run", "sir", *GRAPH, "--json").stdout)
    other = json.loads(call("run", "sir", *GRAPH[:-1], 3, "--json").stdout)
    found = simulate("sir", "erdos-renyi:60,mean-degree=5", "ill:0", 30, replicates=2, seed=2)
    assert [*single["counts"].values()] == found.counts[0, -1].tolist()
    assert single["kernel"] == "coins"
    assert single["digest"] != other["digest"]


SCHEDULED = ["--graph", "cycle:40", "--seed", "5", "--scheduler", "distributed:p=0.3", "--faults", "lost:q=0.2,stop=4"]


def test_schedulers_and_faults_in_run_and_simulate(call, tmp_path):
    out = tmp_path / "m.csv"
    arguments = [*SCHEDULED, "--faults", "crash:share=0.1,at=2"]
    one = json.loads(call("run", "majority", *arguments, "--steps", 30, "--json").stdout)
    assert "None" not in call("simulate", "majority", "--graph", "cycle:6", "--steps", 0).stdout
    done = call(
        "simulate", "majority", *arguments, "--steps", 30, "--every", 10, "--replicates", 6, "--out", out, "--json"
    )
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert one["scheduler"] == facts["scheduler"] == "distributed:p=0.3"
    assert one["faults"] == facts["faults"] == ["lost:q=0.2,stop=4", "crash:share=0.1,at=2"]
    rows = list(csv.DictReader(out.open()))
    assert len(rows) == 6 * 4
    assert [int(rows[3][name]) for name in ("step", "moves", "rounds")] == [30, one["moves"], one["rounds"]]
    assert [int(rows[3][name]) for name in ("no", "yes")] == [*one["counts"].values()]
    found = simulate(
        "majority",
        "cycle:40",
        "random",
        30,
        replicates=6,
        every=10,
        seed=5,
        threads=1,
        scheduler="distributed:p=0.3",
        faults=["lost:q=0.2,stop=4", "crash:share=0.1,at=2"],
    )
    assert found.digest == facts["digest"]
    assert facts["at_rest"] == (found.rest >= 0).sum() == 6
    assert facts["to_rest"]["moves"]["mean"] == found.to_rest("moves").mean()


def test_replicates_of_run_are_those_of_simulate(call):
    done = call("run", "majority", *SCHEDULED, "--steps", "stable", "--max-steps", 50, "--replicates", 4, "--json")
    facts = json.loads(done.stdout)
    other = call("simulate", "majority", *SCHEDULED, "--steps", 50, "--every", 50, "--replicates", 4, "--json")
    assert facts["digest"] == json.loads(other.stdout)["digest"]
    words = call("run", "sir", *GRAPH[:4], "--steps", "stable", "--replicates", 3).stdout
    assert "steps to rest: mean" in words
    assert "moves" not in words


def test_rules_of_automata_with_coins_are_models(call, tmp_path):
    file = tmp_path / "sir.rules"
    assert call("rules", "sir", "--out", file).exit_code == 0
    assert StochasticFSA.load(file) == library.sir()
    assert json.loads(call("run", file, *GRAPH, "--json").stdout)["automaton"] == library.sir().digest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "sirs", *GRAPH], "unknown automaton 'sirs'"),
        (["simulate", "sir", *GRAPH, "--out", "x.json"], "must end in"),
        (["simulate", "sir", *GRAPH, "--draw", "x.csv"], "must end in"),
        (["simulate", "sir", *GRAPH[:2], "--states", "sick:0", "--steps", 3], "sick"),
        (["run", "sir", *GRAPH, "--kernel", "dense"], "no choice of a kernel"),
        (["run", "sir", *GRAPH, "--replicates", "2", "--out", "x.txt"], "goes without --out"),
        (["run", "sir", *GRAPH, "--scheduler", "centrl"], "did you mean 'central'"),
        (["simulate", "sir", *GRAPH, "--faults", "lost:q=2"], "q must be a probability"),
        (["rules", "sir", "--task", "distance"], "without probabilities"),
        (["verify", "sir", "--task", "distance"], "moves at random"),
        (["prove", "sir", "--task", "distance"], "moves at random"),
    ],
)
def test_what_is_refused(call, arguments, words):
    done = call(*arguments)
    assert done.exit_code == 2
    assert words in done.output.replace("\n", " ")
