"""What a stranger sends, opened by every command: nothing is written outside, nothing runs, nothing hangs."""

import os
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import hostile
import pytest
from typer.testing import CliRunner

from graphfsa.cli import build_app

COMMANDS = [
    ("reproduce", "report", "results"),
    ("reproduce", "check", "results"),
    ("reproduce", "evil.toml", "--out", "out"),
    ("reproduce", "floors.toml", "--out", "out", "--seeds", "1", "--jobs", "1"),
    *((name, "m.json") for name in ("info", "rules", "evaluate", "verify", "coverage", "suggest", "check")),
    ("report", "m.json", "--out", "out/r.html"),
    ("report", "m.json", "--task", "root-value", "--out", "out/r.html"),
    ("draw", "m.json", "--out", "out/d.svg"),
    ("compare", "m.json", "m.json"),
    ("run", "m.json", "--graph", "path:4", "--states", "node", "--steps", "3"),
    ("rollout", "m.json", "--graph", "path:4", "--states", "node", "--steps", "3", "--out", "out/r.html"),
    ("data", "describe", "d.jsonl"),
    ("data", "describe", "e.jsonl"),
    ("learn", "--data", "d.jsonl", "--out", "out/l.json"),
    ("learn", "--data", "e.jsonl", "--out", "out/l.json"),
    ("report", "l.json", "--data", "d.jsonl", "--out", "out/r.html"),
    ("info", "results/records.jsonl"),
    ("info", "results/manifest.json"),
    ("info", "floors.toml"),
]


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "work"
    folder.mkdir()
    hostile.results(folder / "results")
    hostile.model(folder / "m.json")
    hostile.data(folder / "d.jsonl", hostile.SCRIPT)
    hostile.data(folder / "e.jsonl", hostile.ESCAPE)
    hostile.experiment(folder, "evil.toml", "evil.py:Evil")
    (folder / "evil.py").write_text("open('PWNED', 'w')\n")
    for name in ("sitecustomize.py", "numpy.py", "matplotlib.py", "typer.py"):  # The working directory holds no code.
        (folder / name).write_text("open('PWNED', 'w')\n")
    (folder / "matplotlibrc").write_text("backend: module://evil\ntext.usetex: True\n")
    learned = ["learn", "--data", str(folder / "d.jsonl"), "--out", str(folder / "l.json")]
    assert CliRunner().invoke(build_app(), learned).exit_code == 0
    return folder


def snapshot(folder):
    """Every file below a directory, with its digest."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() or path.is_symlink())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def place(template, tmp_path, monkeypatch):
    """A copy to work in; around it lies what must not change."""
    (tmp_path / "around").write_text("as it was")
    folder = tmp_path / "work"
    shutil.copytree(template, folder)
    (folder / "out").mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_change_nothing_outside_run_nothing_and_end_soon(place, command):
    before = snapshot(place.parent)
    began = time.process_time()
    answer = CliRunner().invoke(build_app(), list(command))
    assert time.process_time() - began < 5
    assert answer.exception is None or isinstance(answer.exception, SystemExit), answer.exception
    assert answer.exit_code in (0, 1, 2), answer.stderr
    for stream in (answer.stdout, answer.stderr):
        assert "\x1b]" not in stream
        assert "\x07" not in stream
    after = snapshot(place.parent)
    assert not (place / "PWNED").exists()
    allowed = "work/results/" if command[:2] == ("reproduce", "report") else "work/out/"
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert {name for name in changed if not name.startswith(allowed)} == set()
    for page in [*Path("out").rglob("*.html"), Path("results/report.html")]:
        if page.exists() and f"work/{page}" in changed:
            text = page.read_text()
            assert "default-src 'none'" in text
            assert "<script>document" not in text
            assert "<img src=x" not in text


def test_links_in_a_directory_of_results_are_not_followed(place):
    outside = place.parent / "outside"
    outside.mkdir()
    for name in ("README.md", "floors.md", "floors.csv", "floors.tex", "floors.svg", "floors.png", "report.html"):
        target = outside / name
        target.write_text("precious")
        (place / "results" / name).unlink(missing_ok=True)
        (place / "results" / name).symlink_to(target)
        answer = CliRunner().invoke(build_app(), ["reproduce", "report", "results"])
        assert (answer.exit_code, "is a link" in answer.stderr) == (2, True), name
        (place / "results" / name).unlink()
    assert {path.read_text() for path in outside.iterdir()} == {"precious"}
    shutil.rmtree(place / "results" / "models")
    (place / "results" / "models").symlink_to(outside)
    (place / "results" / "records.jsonl").unlink()
    (outside / "records.jsonl").write_text("precious\n")
    (place / "results" / "records.jsonl").symlink_to(outside / "records.jsonl")
    names = {path.name for path in outside.iterdir()}
    answer = CliRunner().invoke(build_app(), ["reproduce", "floors.toml", "--out", "results", "--seeds", "1"])
    assert (answer.exit_code, "is a link" in answer.stderr) == (2, True)
    assert {path.name for path in outside.iterdir()} == names
    assert (outside / "records.jsonl").read_text() == "precious\n"


def test_the_working_directory_holds_no_code(place):
    """Modules that lie beside a model are not imported in place of libraries."""
    command = [str(Path(sys.executable).with_name("graphfsa")), "draw", "m.json", "--out", "out/d.png"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert not (place / "PWNED").exists()


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
def test_a_browser_runs_nothing_of_it(place):
    for command in COMMANDS:
        if "--out" in command or command[1] == "report":
            CliRunner().invoke(build_app(), list(command))
    (place / "bait.html").write_text(f"<title>bait</title>{hostile.SCRIPT}")
    assert title_of(Path("bait.html")) == "PWNED"  # A page that escapes nothing does run it.
    for page in [*Path("out").glob("*.html"), Path("results/report.html")]:
        assert "&lt;script&gt;document" in page.read_text() or page.name == "r.html"
        assert "PWNED" not in title_of(page)


def title_of(page):
    """The title of a page in a browser, after its scripts have run."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
    profile = f"--user-data-dir={page.parent.resolve() / 'profile'}"
    url = page.resolve().as_uri()
    command = ["chromium", *flags, profile, "--virtual-time-budget=2000", "--dump-dom", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env={**os.environ})
    return done.stdout.partition("<title>")[2].partition("</title>")[0]
