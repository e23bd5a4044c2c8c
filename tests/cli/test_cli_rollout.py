import os
from pathlib import Path

import pytest
from PIL import Image

from graphfsa import library


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".gif", ".html", ".HTML"])
def test_a_run_is_drawn_in_every_format(cli, tmp_path, suffix):
    out = tmp_path / f"x{suffix}"
    common = ["--graph", "moore-torus:8x8", "--seed", 3, "--steps", 20]
    facts = cli("rollout", "life", *common, "--out", out, "--json").json
    assert facts["bytes"] == out.stat().st_size > 1000
    assert (facts["nodes"], facts["steps"]) == (64, 20)
    assert facts["frames"] == (11 if suffix in (".png", ".svg", ".pdf") else 21)
    assert facts["digest"] == cli("run", "life", *common, "--json").json["digest"]


def test_until_the_states_repeat_and_one_period_more(cli, tmp_path):
    start = tmp_path / "blinker.txt"
    start.write_text(
        "\n".join(["dead dead dead dead dead"] * 2 + ["dead alive alive alive dead"] + ["dead dead dead dead dead"] * 2)
    )
    common = ["--graph", "moore:5x5", "--states", start, "--out", tmp_path / "x.gif", "--json"]
    assert cli("rollout", "life", *common).json["steps"] == 2
    assert Image.open(tmp_path / "x.gif").n_frames == 3
    assert cli("rollout", "distance", "--graph", "path:9", "--states", "root:0", *common[4:]).json["steps"] == 9


def test_an_instance_of_a_data_set(cli, tmp_path):
    common = ["--task", "path-finding", "--out", tmp_path / "x.html", "--json"]
    facts = cli("rollout", "path-finding", *common, "--size", 12).json
    assert facts["nodes"] == 12
    assert 0 < facts["steps"] <= 24
    assert cli("rollout", "path-finding", *common).json["nodes"] == 30
    assert cli("rollout", "path-finding", *common, "--steps", 7).json["frames"] == 8
    assert cli("rollout", "path-finding", *common, "--steps", 7, "--every", 3).json["frames"] == 4


def test_title_and_speed(cli, tmp_path):
    library.distance().save(tmp_path / "mine.json")
    common = ["--graph", "star:5", "--states", "root:0", "--steps", 3, "--out", tmp_path / "x.html"]
    cli("rollout", tmp_path / "mine.json", *common)
    assert "<title>mine.json on star:5</title>" in (tmp_path / "x.html").read_text()
    cli("rollout", tmp_path / "mine.json", *common, "--title", "<b>")
    assert "<title>&lt;b&gt;</title>" in (tmp_path / "x.html").read_text()
    common[-1] = tmp_path / "x.gif"
    cli("rollout", "distance", *common, "--speed", 50)
    assert Image.open(tmp_path / "x.gif").info["duration"] == 20
    cli("rollout", "distance", *common, "--speed", 0.5)
    assert Image.open(tmp_path / "x.gif").info["duration"] == 2000


def test_a_run_with_a_scheduler_and_faults(cli, tmp_path):
    common = ["--graph", "tree:12", "--states", "root:0", "--seed", 4]
    chosen = ["--scheduler", "central", "--faults", "crash:nodes=3,at=2"]
    for suffix in (".html", ".png"):
        facts = cli("rollout", "distance", *common, *chosen, "--out", tmp_path / f"x{suffix}", "--json").json
        run = cli("run", "distance", *common, *chosen, "--steps", "stable", "--json").json
        assert (facts["digest"], facts["steps"]) == (run["digest"], run["steps"])
    assert "it was not its turn" in (tmp_path / "x.html").read_text()


def test_own_colours(cli, tmp_path):
    common = ["--graph", "moore:4x4", "--states", "alive", "--steps", 0, "--out", tmp_path / "x.gif"]
    assert cli("rollout", "life", *common, "--colours", "alive=#d00").code == 0
    colours = {colour for _, colour in Image.open(tmp_path / "x.gif").convert("RGB").getcolors(1000)}
    assert (0xDD, 0, 0) in colours
    for text, words in (("alive", "STATE=COLOUR"), ("alife=#d00", "alive"), ("alive=nothing", "#rrggbb")):
        answer = cli("rollout", "life", *common[:-1], tmp_path / "y.gif", "--colours", text)
        assert (answer.code, words in answer.err) == (2, True)
    assert not (tmp_path / "y.gif").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["life", "--graph", "moore:3x3", "--out", "x.mp4"], "must end in .png, .svg, .pdf, .gif or .html"),
        (["life", "--graph", "moore:3x3", "--out", "x"], "must end in"),
        (["life", "--graph", "moore:3x3", "--out", "no/x.gif"], "there is no directory"),
        (["life", "--out", "x.gif"], "give either a graph or a task"),
        (["life", "--graph", "path:3", "--task", "distance", "--out", "x.gif"], "give either a graph or a task"),
        (["life", "--graph", "path:3", "--size", "4", "--out", "x.gif"], "size goes with a task"),
        (["distance", "--task", "distance", "--states", "random", "--out", "x.gif"], "states go with a graph"),
        (["life", "--task", "distance", "--out", "x.gif"], "distance has the classes even, odd"),
        (["life", "--graph", "moore:3x3", "--steps", "-1", "--out", "x.gif"], "--steps must be an integer >= 0"),
        (["life", "--graph", "moore:3x3", "--steps", "30", "--every", "1", "--out", "x.png"], "at most 24 steps"),
        (["life", "--graph", "star:5000", "--steps", "1", "--out", "x.html"], "at most 2,000 nodes"),
        (["life", "--graph", "moore:64x64", "--steps", "99999999", "--out", "x.gif"], "at most 20,000 frames"),
        (["life", "--graph", "moore:300x300", "--steps", "100", "--out", "x.html"], "could take 24 MB"),
        (["rule30", "--graph", "ring:60", "--out", "x.gif"], "give a number of steps"),
        (["life", "--graph", "moore:3x3", "--option", "a=b", "--out", "x.gif"], "--option goes with --task"),
        (["life", "--graph", "moore:3x3", "--speed", "0", "--out", "x.gif"], "0.1"),
        (["nonsense", "--graph", "moore:3x3", "--out", "x.gif"], "unknown"),
    ],
)
def test_bad_requests_are_refused_and_nothing_is_written(cli, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    answer = cli("rollout", *arguments)
    assert answer.code == 2
    assert words in answer.err
    assert not list(tmp_path.iterdir())


def test_limits_are_checked_before_the_run(cli, tmp_path, monkeypatch):
    def never(*_arguments, **_options):
        raise AssertionError("the engine must not run")

    monkeypatch.setattr("graphfsa.views.rollouts.run", never)
    common = ["rollout", "life", "--steps", "1000", "--out", tmp_path / "x.html"]
    assert cli(*common, "--graph", "moore:500x500").code == 2
    assert cli(*common[:-1], tmp_path / "x.gif", "--graph", "moore:2049x3").code == 2


def test_inputs_and_unwritable_files_are_safe(cli, tmp_path):
    model = tmp_path / "m.html"
    library.distance().save(tmp_path / "m.json")
    Path(tmp_path / "m.json").rename(model)
    answer = cli("rollout", model, "--graph", "path:4", "--out", model)
    assert answer.code == 2 and "would overwrite an input" in answer.err
    (tmp_path / "d.gif").mkdir()
    assert "is a directory" in cli("rollout", "life", "--graph", "path:4", "--out", tmp_path / "d.gif").err
    if os.getuid():
        tmp_path.chmod(0o500)
        assert "permission denied" in cli("rollout", "life", "--graph", "path:4", "--out", tmp_path / "x.gif").err
        tmp_path.chmod(0o700)
