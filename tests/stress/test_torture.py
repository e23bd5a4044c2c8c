"""The harness itself: that it notices what it should, and that a few trials pass."""

import json

import pytest

from stress._torture_commands import COMMANDS, command_of
from stress._torture_faults import plan_of
from stress._torture_files import damage, leftovers, timeless
from stress._torture_process import Run, members
from stress.torture import table, torture


def test_a_trial_is_determined_by_seed_kind_and_number():
    assert plan_of(3, "kill", 7) == plan_of(3, "kill", 7)
    assert plan_of(3, "kill", 7) != plan_of(4, "kill", 7)
    assert plan_of(3, "kill", 7).moment != plan_of(3, "term", 7).moment
    assert {command_of(number).name for number in range(100)} == set(COMMANDS)


def test_damage_is_noticed(tmp_path):
    (tmp_path / "m.json").write_text('{"schema": "graphfsa.model/1", "ver')
    (tmp_path / "page.html").write_text("<!doctype html><html>")
    (tmp_path / "same.json").write_text("{")
    found = damage(tmp_path, {"gone.json": b"{}", "same.json": b"{"})
    assert len(found) == 3
    assert found[0] == "gone.json has vanished"
    assert "m.json is not whole" in found[1]
    assert "page.html is not whole" in found[2]


def test_records_may_only_be_added_to(tmp_path):
    (tmp_path / "records.jsonl").write_text("")
    found = damage(tmp_path, {"records.jsonl": b"{}\n"})
    assert "records.jsonl: earlier records are not what they were" in found


def test_what_is_left_over_is_found(tmp_path):
    (tmp_path / "out" / ".draft.tmp").mkdir(parents=True)
    (tmp_path / "out" / ".draft.tmp" / ".graphfsa-1.tmp").touch()
    assert leftovers(tmp_path) == ["out/.draft.tmp"]


def test_times_do_not_count():
    def written(seconds, accuracy):
        content = {"provenance": {"seconds": seconds, "train_accuracy": accuracy}}
        return {"m.json": json.dumps(content).encode(), "report.md": f"exact, {seconds} s.\n".encode()}

    assert timeless(written(0.5, 1.0)) == timeless(written(7.25, 1.0))
    assert timeless(written(0.5, 1.0))["m.json"] != timeless(written(0.5, 0.5))["m.json"]


def test_a_command_that_prints_and_ends(tmp_path):
    run = Run(["--version"], tmp_path)
    ending = run.finish()
    assert (ending.code, ending.orphans, ending.timed_out) == (0, 0, False)
    assert ending.out.startswith("graphfsa ")
    assert members(run.process.pid) == []


def test_unknown_kinds_are_refused():
    with pytest.raises(ValueError, match="kinds must be among kill, term"):
        torture(seed=0, trials=1, kinds=["flood"], watch=None)


def test_trials_pass():
    lines = []
    rows = torture(seed=0, trials=1, kinds=["term", "disk-full"], watch=lines.append)
    assert lines[0] == "undisturbed: rules"
    assert sorted(line.partition(": ")[2] for line in lines[1:]) == ["disk-full 0, rules: fine", "term 0, rules: fine"]
    assert [(row["fault"], row["trials"], row["same"]) for row in rows] == [("term", 1, 1), ("disk-full", 1, 1)]
    text = table(rows)
    assert "| fault" in text
    assert text.endswith("0 failures")
