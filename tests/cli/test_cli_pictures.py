"""--draw: the picture is written beside the answer, or refused before any work is done."""

import json

import numpy as np
import pytest

from graphfsa import CountingAggregation
from graphfsa.learners.diff_fsa import SoftTable

RECORD = {
    "updates": 20, "of": 100, "states": 4, "aggregation": {"name": "counting", "bound": 1}, "loss": 0.2,
    "mean_loss": 0.5, "accuracy": 0.75, "solved": 0, "entropy": 0.6, "rate": 0.15, "seconds": 1.5,
}  # fmt: skip
EVALUATE = ("evaluate", "distance", "--task", "distance", "--sizes", "4,6", "--count", 5)


@pytest.fixture
def soft(tmp_path):
    model = SoftTable(("a", "b"), CountingAggregation(1), np.full((2, 4, 2), 0.5, np.float32), np.ones(4, bool))
    model.save(tmp_path / "s.safetensors")
    return tmp_path / "s.safetensors"


@pytest.fixture
def history(tmp_path):
    lines = [json.dumps(RECORD | {"updates": updates}) for updates in (20, 40)]
    (tmp_path / "history.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "history.jsonl"


@pytest.mark.parametrize("suffix", [".png", ".SVG", ".pdf"])
@pytest.mark.parametrize(
    "command",
    [
        ("coverage", "distance", "--task", "distance"),
        EVALUATE,
        (*EVALUATE, "--beyond", "0,3"),
    ],
)
def test_pictures_of_answers(cli, tmp_path, command, suffix):
    path = tmp_path / f"p{suffix}"
    plain = cli(*command, "--json")
    drawn = cli(*command, "--json", "--draw", path)
    assert (drawn.code, drawn.out) == (0, plain.out)
    assert path.read_bytes()[:4] in (b"\x89PNG", b"<?xm", b"%PDF")


def test_pictures_of_files(cli, tmp_path, soft, history):
    for subject in (soft, history):
        path = tmp_path / f"{subject.name}.png"
        assert cli("info", subject, "--draw", path).code == 0
        assert path.read_bytes()[:4] == b"\x89PNG"


def test_how_a_training_goes(cli, history):
    facts = cli("info", history, "--json").json
    assert facts == {"looks": 2, **RECORD, "updates": 40}
    assert "accuracy" in cli("info", history).out


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", '{"updates": 20}', json.dumps(RECORD | {"loss": "low"}),
     json.dumps(RECORD | {"aggregation": 1}), '{"graph": {}}', "\udcff"],
)  # fmt: skip
def test_what_is_no_history_is_refused(cli, tmp_path, text):
    (tmp_path / "h.jsonl").write_bytes(text.encode("utf-8", "surrogateescape"))
    answer = cli("info", tmp_path / "h.jsonl", "--draw", tmp_path / "h.png")
    assert answer.code == 2
    assert "h.jsonl" in answer.err
    assert "Traceback" not in answer.err
    assert not (tmp_path / "h.png").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("coverage", "nobody", "--task", "distance"),
        ("evaluate", "nobody", "--task", "distance"),
        ("info", "nobody.safetensors"),
        ("info", "nobody.jsonl"),
        ("info", "nobody"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_first(cli, tmp_path, command):
    for path, words in (("x.gif", "must end in .png, .svg or .pdf"), ("no/x.png", "there is no directory")):
        answer = cli(*command, "--draw", tmp_path / path)
        assert answer.code == 2
        assert words in answer.err


def test_what_has_no_picture_is_refused(cli, tmp_path):
    answer = cli("info", "life", "--draw", tmp_path / "x.png")
    assert (answer.code, "--draw goes with a soft table" in answer.err) == (2, True)
    assert not (tmp_path / "x.png").exists()
