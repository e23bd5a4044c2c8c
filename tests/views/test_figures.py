"""Figures: our own style whatever others have set, and files with the same bytes each time."""

import subprocess
import sys

import pytest

from graphfsa import CountingAggregation, GraphFSA, families
from graphfsa.errors import FormatError
from graphfsa.views import draw_accuracy, rollout, save_figure
from graphfsa.views.figures import new_figure, own_style, short_name

SETTINGS = "text.usetex: True\nfont.size: 30\naxes.facecolor: red\nlines.linewidth: 9\naxes.grid: True\n"
DRAW = """
import sys
from graphfsa.views import draw_accuracy, rollout
rows = [{"size": n, "steps": 1, "accuracy": 0.9, "perfect": 0.5} for n in (10, 20)]
draw_accuracy({"a": rows}, "accuracy.png")
rollout("life", "moore:5x5", steps=3, out="life.svg")
rollout("distance", "star:5", "root:0", out="star.pdf")
"""


def test_settings_of_others_are_not_obeyed(tmp_path):
    """A matplotlibrc in the working directory changes nothing."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "matplotlibrc").write_text(SETTINGS)
    for name in ("plain", "set"):
        command = [sys.executable, "-c", DRAW]
        done = subprocess.run(command, cwd=tmp_path / name, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
    for file in ("accuracy.png", "life.svg", "star.pdf"):
        assert (tmp_path / "plain" / file).read_bytes() == (tmp_path / "set" / file).read_bytes(), file


def test_settings_of_the_caller_stay_as_they_are():
    import matplotlib

    with matplotlib.rc_context({"font.size": 31}):
        draw_accuracy({"a": [{"size": 1, "steps": 1, "accuracy": 1.0, "perfect": 1.0}]})
        assert matplotlib.rcParams["font.size"] == 31
        with own_style():
            assert matplotlib.rcParams["font.size"] == 10
        assert matplotlib.rcParams["font.size"] == 31


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_files_hold_no_date(tmp_path, suffix):
    figure = new_figure(2, 2)
    figure.add_subplot().plot([0, 1], [0, 1])
    save_figure(figure, tmp_path / f"x{suffix}")
    content = (tmp_path / f"x{suffix}").read_bytes()
    assert not [word for word in (b"CreationDate", b"dc:date", b"tIME") if word in content]


def test_other_suffixes_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"must end in .png, .svg or .pdf; got '.jpg'"):
        save_figure(new_figure(1, 1), tmp_path / "x.jpg")
    assert not list(tmp_path.iterdir())


def test_names_that_mean_something_to_matplotlib_are_shown_as_they_are(tmp_path):
    names = ["$\\frac", "_hidden", "a_b^c"]
    fsa = GraphFSA.from_rule(names, CountingAggregation(1), lambda state, seen: state)
    rollout(fsa, families.star(4), [0, 1, 2, 0], 1, title="$x", out=tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text()
    assert [name for name in names if f"<!-- {name} -->" not in text] == []


def test_short_names():
    assert short_name("a" * 30) == "a" * 19 + "…"
    assert short_name("models/" + "a" * 30) == "…" + "a" * 19
    assert short_name("_a") == " _a"
