"""The campaigns themselves: they repeat from a seed, notice what is wrong, and say how to see it again."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from graphfsa.html import Html
from stress import engine, pages
from stress.__main__ import main
from stress._campaign import run_block
from stress._mutations import mutate


@pytest.fixture
def part(monkeypatch):
    """A part that notes what it draws, and fails when it draws a nine."""
    drawn = []

    def cases(rng, folder):
        assert list(folder.iterdir()) == []
        while True:
            number = int(rng.integers(10))
            drawn.append(number)
            assert number != 9 or not fake.strict, f"{number} is not allowed"
            yield "even" if number % 2 == 0 else "odd"

    fake = SimpleNamespace(BLOCK=50, cases=cases, strict=False, drawn=drawn)
    monkeypatch.setitem(sys.modules, "stress.fake", fake)
    return fake


def test_a_block_is_the_same_again_and_no_other_is(part, tmp_path):
    seen = []
    for seed, block in ((1, 0), (1, 0), (1, 1), (2, 0)):
        noted = []
        kinds, trace = run_block("fake", seed, block, tmp_path, noted.append)
        assert (kinds.total(), trace, noted) == (50, "", list(range(1, 52)))
        seen.append(tuple(part.drawn))
        part.drawn.clear()
    assert seen[0] == seen[1]
    assert len(set(seen)) == 3


def test_a_failure_ends_its_block_and_is_told(part, tmp_path):
    part.strict = True
    kinds, trace = run_block("fake", 1, 0, tmp_path, lambda _case: None)
    assert kinds.total() == len(part.drawn) - 1 < 50
    assert "9 is not allowed" in trace


def test_a_campaign_counts_writes_a_log_and_can_be_replayed(capfd, tmp_path):
    log = tmp_path / "log.json"
    log.write_text('{"other": 1}')
    assert (
        main(["fuzz", "--parts", "engine", "--cases", "1", "--seed", "5", "--processes", "1", "--out", str(log)]) == 0
    )
    found = json.loads(log.read_text())
    assert found["other"] == 1
    assert (found["engine"]["seed"], found["engine"]["cases"], found["engine"]["failures"]) == (5, engine.BLOCK, [])
    assert "adaptive, lattice (handed over)" in found["engine"]["kinds"]
    assert main(["fuzz", "--parts", "engine", "--seed", "5", "--block", "0"]) == 0
    assert f"engine, block 0: {engine.BLOCK} cases passed" in capfd.readouterr().out


def test_a_wrong_kernel_is_noticed(monkeypatch, tmp_path):
    states = engine.ColumnStepper.states
    assert run_block("engine", 3, 0, tmp_path, lambda _case: None)[1] == ""
    monkeypatch.setattr(engine.ColumnStepper, "states", lambda self: states(self)[::-1].copy())
    _, trace = run_block("engine", 3, 0, tmp_path, lambda _case: None)
    assert "dense, columns" in trace


def test_a_page_that_escapes_nothing_is_noticed():
    pages._html("<html><head></head><body><p>&lt;script&gt;</p></body></html>", whole=False)
    for bad in ("<script>alert(1)</script>", "<img src=x onerror=y>", "<a href='http://x'>x</a>", "<object></object>"):
        with pytest.raises(AssertionError):
            pages._html(Html(f"<html><body>{bad}</body></html>"), whole=False)
    for bad in ("<svg><script/></svg>", "<svg onload='x'/>", "<svg><a href='http://x'/></svg>"):
        with pytest.raises(AssertionError):
            pages._svg(bad)
    for bad in ("\\input{x}", "{", "}", "a % b"):
        with pytest.raises(AssertionError):
            pages._latex(bad)


def test_damage_repeats_and_differs():
    content = b'{"schema": "x", "values": [1, 2, {"a": null}]}'
    for kind in (".json", ".txt", ".safetensors"):
        first, again = ([mutate(content, kind, np.random.default_rng(k)) for k in range(60)] for _ in range(2))
        assert first == again
        assert len(set(first)) > 30
