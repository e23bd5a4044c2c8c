"""Every benchmark reports the figures that the documentation quotes."""

import json
from time import perf_counter

import pytest

from benchmarks.__main__ import main


@pytest.fixture
def bench(capsys):
    """Run ``python -m benchmarks`` with arguments; returns its report."""

    def measured(*arguments):
        assert main([*map(str, arguments), "--quick", "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return measured


def test_the_engine_reports_every_figure(bench):
    report = bench("engine")
    words = " ".join(line["what"] for line in report["rows"])
    for part in ("SciPy", "torch", "|M| = 8", "random tree", "Distance on a path", "Life", "lifelib", "memory"):
        assert part in words
    assert "WRONG" not in words
    assert report["provenance"]["versions"]["numba"] != "not installed"


def test_the_start_is_measured_by_commands_and_calls(bench):
    rows = {line["what"]: line["figure"] for line in bench("start")["rows"]}
    words = " ".join(rows)
    for part in ("import numpy", "graphfsa run", "run, 10 nodes", "GraphBatch.of", "from_networkx", "draw, distance"):
        assert part in words
    assert all(figure > 0 for figure in rows.values())


def test_cuts_are_recovered(bench):
    rows = {line["what"]: line["figure"] for line in bench("continuous")["rows"]}
    found = [figure for what, figure in rows.items() if what.endswith("cuts in the gap of the data")]
    assert found == [1, 1, 1]


def once(contenders, turns, seconds=0):
    """Seconds of each contender, without any repetition."""
    times = {}
    for name, call in contenders.items():
        began = perf_counter()
        call()
        times[name] = perf_counter() - began
    return times


def test_views_have_the_four_figures_with_targets(bench, monkeypatch):
    monkeypatch.setattr("benchmarks.views.in_turns", once)
    report = bench("views")
    for words, unit, target in (
        ("diagram", "s", "< 1"),
        ("rules", "s", "< 5"),
        ("GIF", "s", "< 10"),
        ("HTML", "MB", "< 3"),
    ):
        lines = [line for line in report["rows"] if line["what"].startswith(words)]
        assert [(line["unit"], line["target"]) for line in lines] == [(unit, target)]
        assert lines[0]["figure"] > 0
    assert report["rows"][-1]["what"].startswith("share of the time")
    assert 0 < report["rows"][-1]["figure"] <= 1
    assert report["provenance"]["versions"]["graphfsa"] != "not installed"


def test_proofs_by_waves_are_timed_and_no_wrong_automaton_is_proved(bench, monkeypatch):
    monkeypatch.setattr("benchmarks.waves.in_turns", lambda calls, turns, clock: once(calls, turns))
    rows = {line["what"].strip(): line["figure"] for line in bench("waves")["rows"]}
    assert rows["changes of a used entry"] == rows["proved"] + rows["refuted"] + rows["undecided"] > 20
    assert rows["proved and refuted"] == 0


def test_exploration_is_timed_and_says_what_it_found(bench):
    rows = {line["what"].strip(): line["figure"] for line in bench("explore")["rows"]}
    assert rows["unison, cycle of 6"] == 4**6
    assert rows["successors"] > 0
    assert "rings up to 4, 5 numbers, distributed: heals" in rows


def test_epidemics_are_timed_and_say_what_they_are_compared_with(bench):
    report = bench("spreading")
    rows = {line["what"].strip(): line for line in report["rows"]}
    versions = report["provenance"]["versions"]
    assert any("against NDlib" in what for what in rows) == (versions["ndlib"] != "not installed")
    assert any("EoN's" in what for what in rows) == (versions["EoN"] != "not installed")
    (digests,) = (line["figure"] for what, line in rows.items() if "digests" in what)
    assert digests == 1
    (size,) = (line["figure"] for what, line in rows.items() if "final size" in what)
    assert 20 < size < 1000


@pytest.mark.slow
def test_clusters_are_compared_with_threads(bench):
    pytest.importorskip("ray")
    rows = bench("cluster")["rows"]
    assert [line["figure"] for line in rows if "the same" in line["what"] and "threads" not in line["what"]] == [1, 1]
    assert rows[-1]["figure"] == 1


@pytest.mark.slow
def test_the_recurrent_gnn_reports_graphs_per_second_and_accuracies(bench):
    rows = bench("learn", "--learner", "recurrent-gnn")["rows"]
    assert rows[0]["figure"] > 0
    assert rows[0]["unit"] == "graphs/s"
    for preset in ("paper", "tuned"):
        (place,) = (k for k, row in enumerate(rows) if row["what"].startswith(f"preset {preset}, prefix-sum"))
        assert all(0 <= row["figure"] <= 1 for row in rows[place : place + 4])
        assert rows[place + 3]["target"] == "published 0.84 +- 0.14"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "engine"),
        (["engine", "--seed", "-1"], "--seed must be at least 0; got -1"),
        (["engine", "--learner", "exact"], "--learner goes with learn"),
        (["learn", "--learner", "gnca"], "unknown learner with a benchmark 'gnca'"),
    ],
)
def test_bad_arguments_exit_with_2(capsys, arguments, words):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
