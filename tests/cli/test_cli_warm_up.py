"""graphfsa warm-up: each kind of work is done once, and what was compiled is named."""

import json

from graphfsa.evaluation import warming


def test_every_kind_of_work_is_reported(cli, monkeypatch):
    done = []
    jobs = {"runs": lambda: done.append("runs"), "learning": lambda: warming.compiled_here.append("find_lemmas")}
    monkeypatch.setattr(warming, "_JOBS", jobs)
    monkeypatch.setattr(warming, "compiled_here", [])
    lines = cli("warm-up").out.splitlines()
    assert "runs: nothing to compile" in lines[0]
    assert "learning: 1 compiled" in lines[1]
    work = json.loads(cli("warm-up", "--json").out)["work"]
    assert [(part["work"], part["kernels"]) for part in work] == [("runs", []), ("learning", ["find_lemmas"])]
    assert done == ["runs", "runs"]


def test_the_work_that_is_done_is_real():
    warming._JOBS["runs that see positions"]()
    warming._JOBS["questions about all small graphs"]()
