"""graphfsa reproduce: tables from one command, to be interrupted at will."""

import csv
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from graphfsa.cli.reproduce import _grids
from graphfsa.evaluation import Results, find_experiment, make_tables
from graphfsa.evaluation.rendering import text_at
from processes import listen_to_interruptions

RESULTS = Path(__file__).parents[2] / "results"
TINY = """
title = "Floors"
[data]
dataset = "root-value"
[published]
table = "tab:rootvalue-results"
[[tests]]
name = "n=100"
size = 100
count = 5
steps = 150
[[learners]]
column = "majority"
learner = "majority"
published = "GNCA"
[[learners]]
column = "ours"
focus = true
learner = "exact"
options = { states = 5, bound = 1 }
"""


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "floors.toml"
    path.write_text(TINY)
    return path


def test_a_table_is_written_in_every_form_and_can_be_made_again(cli, tiny, tmp_path):
    out = tmp_path / "r"
    answer = cli("reproduce", tiny, "--seeds", 1, "--jobs", 1, "--out", out)
    assert answer.code == 0, answer.err
    assert "0.50 ± 0.00" in answer.out
    assert "1.00 (1/1)" in answer.out
    names = {path.name for path in out.iterdir()}
    forms = {f"floors.{suffix}" for suffix in ("md", "csv", "tex", "svg", "png")}
    assert names == {"manifest.json", "records.jsonl", "models", "report.html", "README.md", *forms}
    assert "| n=100 | 0.50 ± 0.00 |" in (out / "floors.md").read_text()
    assert len(list(csv.reader((out / "floors.csv").open()))) == 4
    before = (out / "records.jsonl").read_bytes()
    again = cli("reproduce", tiny, "--seeds", 1, "--out", out, "--json")
    assert (again.code, again.json["missing"], again.json["failed"]) == (0, 0, {})
    cells = {cell["column"]: cell["mean"] for cell in again.json["tables"]["floors"]}
    assert cells["ours"] == 1
    assert (out / "records.jsonl").read_bytes() == before
    page = (out / "report.html").read_bytes()
    (out / "report.html").unlink()
    tiny.unlink()  # The directory knows how its tables are defined.
    answer = cli("reproduce", "report", out)
    assert answer.code == 0, answer.err
    assert (out / "report.html").read_bytes() == page


@pytest.mark.parametrize("width", [60, 80, 1000])
def test_tables_keep_their_numbers_on_a_narrow_terminal(width):
    table = make_tables(find_experiment("grab"), Results(RESULTS).records())[0]
    console = Console(width=width, file=io.StringIO())
    grids = list(_grids(table, width))
    for grid in grids:
        console.print(grid)
    text = console.file.getvalue()
    assert (len(grids) == 1) == (width == 1000)
    for row in table.rows:
        for column in table.columns:
            assert text_at(table, row, column) in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


def test_bad_input_is_refused_before_anything_is_written(cli, tiny, tmp_path):
    cases = [
        (["reproduce", "sudoku"], "unknown table 'sudoku'; valid names: all, distance, elementary-1"),
        (["reproduce", tmp_path / "no.toml"], "cannot read"),
        (["reproduce", "report"], "report needs the directory of the results"),
        (["reproduce", "report", tmp_path, "--quick"], "and no option; got --quick"),
        (["reproduce", "check"], "check needs the directory of the results"),
        (["reproduce", "check", tmp_path], "holds no results"),
        (["reproduce", "check", tmp_path, "--seeds", 3], "and the options --sample, --seed, --jobs; got --seeds"),
        (["reproduce", tiny, "--sample", 3], "--sample and --seed go with check"),
        (["reproduce", "report", tmp_path], "holds no results"),
        (["reproduce", "all", "somewhere"], "the directory of the results is given by --out"),
        (["reproduce", tiny, "--out", tiny], "exists and holds no results"),
        (["reproduce", tiny, "--out", ""], "out must name a directory"),
        (["reproduce", tiny, "--out", tmp_path / ("x" * 300)], "File name too long"),
        (["reproduce", tiny, "--seeds", 10**20], "seeds must be an integer from 1 to 10000"),
        (["reproduce", tiny, "--out", tmp_path], "exists and holds no results"),
        (["reproduce", tiny, "--out", tiny / "x"], "cannot make the directory"),
    ]
    for arguments, words in cases:
        answer = cli(*arguments)
        assert answer.code == 2, (arguments, answer.out)
        assert words in answer.err, answer.err
        assert answer.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["floors.toml"]


def test_trainings_can_be_checked(cli, tiny, tmp_path):
    out = tmp_path / "r"
    cli("reproduce", tiny, "--seeds", 1, "--jobs", 1, "--out", out)
    answer = cli("reproduce", "check", out, "--jobs", 1)
    assert answer.code == 0
    assert "exact on root-value, seed 0: the same" in answer.out
    assert "2 of 2 trainings gave the same graphs, accuracies and model again" in answer.out
    records = out / "records.jsonl"
    records.write_text(records.read_text().replace('"accuracy": 1.0', '"accuracy": 0.75'))
    answer = cli("reproduce", "check", out, "--sample", 2, "--seed", 1, "--json")
    assert (answer.code, answer.json["same"]) == (1, 1)
    assert [job["differs"] for job in answer.json["jobs"]] == [[], ["accuracy at n=100: 0.75 then, 1.0 now"]]


def test_failed_trainings_give_exit_code_1(cli, tiny, tmp_path):
    tiny.write_text(TINY.replace("states = 5", "states = 4"))
    answer = cli("reproduce", tiny, "--seeds", 1, "--out", tmp_path / "r")
    assert answer.code == 1
    assert "failed: floors: ours, seed 0: GraphFSAError" in answer.err
    assert "majority" in (tmp_path / "r" / "floors.md").read_text()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupted_it_shows_what_there_is_and_goes_on(tiny, tmp_path, cli):
    out = tmp_path / "r"
    code = "from graphfsa.cli import main; main()"
    command = [sys.executable, "-c", code, "reproduce", tiny, "--seeds", "500", "--jobs", "1", "--out", out]
    with (tmp_path / "err").open("w") as err:
        process = subprocess.Popen(command, stdout=err, stderr=err, preexec_fn=listen_to_interruptions)
    records = out / "records.jsonl"
    limit = time.monotonic() + 100
    while time.monotonic() < limit and not (records.exists() and records.read_bytes().count(b"\n") >= 2):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    words = (tmp_path / "err").read_text()
    assert "the same command goes on where it stopped" in words
    assert "Traceback" not in words
    assert (out / "report.html").exists()
    done = records.read_bytes()
    assert cli("reproduce", tiny, "--seeds", 1, "--out", out).code == 0
    assert records.read_bytes().startswith(done)


def test_figures_take_out_and_seed(cli, tmp_path, monkeypatch):
    seen = {}

    def draw(out, *, seed, watch):
        seen.update(out=out, seed=seed)
        watch and watch("learning distance")
        model = {"verdict": "proved", "seed": seed, "digest": "abc"}
        return {"models": {"distance": model}, "figures": {"rule-30": {"caption": "Rule 30"}}}

    monkeypatch.setattr("graphfsa.views.reproduce_figures", draw)
    told = cli("reproduce", "figures", "--out", "pictures", "--seed", 4)
    assert (seen["out"], seen["seed"]) == ("pictures", 4)
    assert "proved, seed 4" in told.out
    assert "Rule 30" in told.out
    assert "learning distance" in told.err
    refused = cli("reproduce", "figures", "--seeds", 3)
    assert refused.code == 2
    assert "figures takes the options --out and --seed; got --seeds" in refused.err
