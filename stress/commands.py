"""Random command lines: each ends with an exit code of ours, without a traceback, and writes only where it was told.

A command that takes longer than a moment is interrupted, as by Ctrl-C, and must then end soon.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from typer.models import ArgumentInfo, OptionInfo
from typer.testing import CliRunner

import graphfsa as gf
from graphfsa.analysis import save_certificate
from graphfsa.automaton import library
from graphfsa.cli import build_app
from graphfsa.datasets import export_data
from graphfsa.graphs import write_graph
from graphfsa.interrupts import would_be_lost
from stress._corpus import EXPERIMENT
from stress._mutations import NAMES

BLOCK = 100
_MOMENT = 0.4
"""Seconds after which a command is interrupted."""
_AGAIN = 0.005
"""Seconds until the next attempt, if it can't be interrupted there."""
_ENDING = 8.0
"""Seconds of processor time that it may take to end then: a kernel may be being compiled."""
_MEMORY = 10 * 2**30
_CODES = (0, 1, 2, 130)
_MODELS = ("m.json", "life", "distance", "wireworld", "a.rules", "rule-110", "path-finding", "brians-brain")
_GRAPHS = (
    "tree:9", "path:5", "moore-torus:8x8", "erdos-renyi:30,3", "star:6", "ring:7", "hex-torus:4x4", "g.json", "tree:0",
    "tree:-1", "tree:x", "tree", ":", "moore:0x0", "tree:100000000", "delaunay:9", "line:12",
    "path:99999999999999999999",
)  # fmt: skip
_TASKS = ("distance", "root-value", "prefix-sum", "path-finding", "life", "elementary", "wireworld", "no", "x.py:A")
_OUTS = (
    "o.json", "o.html", "o.png", "o.svg", "o.gif", "o.jsonl", "o.md", "o.tex", "o.dot", "o.csv", "o.pdf", "o", "d",
    "sub/o.json", "/dev/null", "", "m.json", "o.rules", "o.safetensors", "x" * 300,
)  # fmt: skip
_SUITABLE = {
    "draw": ("o.svg", "o.png", "o.dot", "o.tex"),
    "rollout": ("o.html", "o.gif", "o.png"),
    "report": ("o.html",),
    "rules": ("o.rules", "o.md", "o.tex", "o.py"),
    "data": ("o.jsonl",),
    "grab": ("o",),
    "demo": ("o",),
    "reproduce": ("o",),
    "run": ("o.txt", "o.npy"),
    "suggest": ("o.jsonl",),
}
_MEANT = {
    "data describe": ("distance", "life", "elementary", "d.jsonl"),
    "data export": ("distance", "life", "elementary", "path-finding"),
    "grab describe": ("paper-1", "star", "o"),
    "grab generate": ("paper-1", "star"),
    "check": ("c.json",),
    "info": (*_MODELS, *_GRAPHS),
    "reproduce": ("e.toml", "report", "check", "prefix-sum"),
}
_WORDS: dict[str, tuple[str, ...]] = {
    "graph": _GRAPHS,
    "task": _TASKS,
    "data": ("d.jsonl", "no.jsonl", "m.json"),
    "learner": ("exact", "majority", "stay", "diff", "e", "nothing"),
    "states": ("random", "root:0", "alive", "dead", "s.txt", "random:0.5", "0"),
    "steps": ("0", "1", "10", "stable", "1000000000000", "-1", "x"),
    "sizes": ("2..5", "10", "3,4", "5..2", "x", "999999999"),
    "size": ("2..5", "10", "3,4"),
    "option": ("rule=110", "a=b", "x"),
    "split": ("train", "test", "learn", "x"),
    "graph_class": ("tree", "connected", "path", "ring", "x"),
    "layout": ("auto", "circle", "x"),
    "format": ("text", "latex", "json", "x"),
}
_SUBJECTS = (*_MODELS, *_GRAPHS, "d.jsonl", "c.json", *_TASKS, "results", "report", "check", "quick.toml", "all")
_NUMBERS = ("0", "1", "2", "3", "5", "7", "10", "-1", "1000000", "9223372036854775808", "1.5", "x", "")


def cases(rng: np.random.Generator, folder: Path) -> Iterator[str]:
    """Command lines, run in this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, hard))
    listening = signal.signal(signal.SIGINT, signal.default_int_handler)  # The campaign leaves it to its parent.
    home = Path.cwd()
    try:
        template = _files(folder / "template")
        for library in ("matplotlib.backends.backend_agg", "scipy.stats", "graphfsa.views", "graphfsa.evaluation"):
            import_module(library)  # Once, and not in every copy.
        app = build_app()
        leaves = dict(_leaves(typer.main.get_command(app), []))
        while True:
            place = folder / "case"
            shutil.copytree(template, place)
            os.chdir(place)
            arguments = _arguments(rng, leaves)
            name = next((name for name in leaves if arguments[: len(name.split())] == name.split()), "no command")
            yield f"{name}, {_apart(app, arguments)}"
            os.chdir(folder)
            shutil.rmtree(place)
            outside = [path.name for path in folder.iterdir() if path != template]
            assert not outside, f"{arguments}: wrote {outside} outside of the working directory"
    finally:
        os.chdir(home)
        signal.signal(signal.SIGINT, listening)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _files(folder: Path) -> Path:
    """A working directory with a file of each kind."""
    folder.mkdir()
    gf.learn("distance", count=30).save(folder / "m.json")
    (folder / "a.rules").write_text(str(library.wireworld().rules()))
    write_graph(folder / "g.json", gf.Graph.from_edges(4, [(0, 1), (1, 2)]))
    (folder / "s.txt").write_text("dead\n" * 4)
    export_data("distance", folder / "d.jsonl", count=5)
    verified = gf.verify("distance", "distance", max_nodes=4)
    save_certificate(verified, "distance", folder / "c.json", "distance")
    (folder / "e.toml").write_text(EXPERIMENT)
    (folder / "sub").mkdir()
    return folder


class _Word(NamedTuple):
    """An argument or an option of a command: its name, its flag, its type, whether it must be there."""

    name: str
    flag: str
    kind: str
    required: bool


def _leaves(command: Any, path: list[str]) -> Iterator[tuple[str, tuple[list[str], list[_Word]]]]:
    """Every command by name, with what it takes, from the signature of its function."""
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from _leaves(below, [*path, name])
        return
    words: list[_Word] = []
    for name, parameter in signature(command.callback).parameters.items():
        info = parameter.default
        if isinstance(info, ArgumentInfo | OptionInfo):
            dashed = f"--{name.replace('_', '-')}"
            flags = [flag for flag in info.param_decls or () if flag.startswith("--")] or [dashed]
            flag = "" if isinstance(info, ArgumentInfo) else flags[0]
            words.append(_Word(name, flag, str(parameter.annotation), info.default is ...))
    yield " ".join(path), (path, words)


def _arguments(rng: np.random.Generator, leaves: dict[str, tuple[list[str], list[_Word]]]) -> list[str]:
    """The arguments of a random command: most make sense, some do not."""
    name = sorted(leaves)[rng.integers(len(leaves))]
    if name == "demo" and rng.random() < 0.8:  # It takes long, and has nothing that others lack.
        return _arguments(rng, leaves)
    path, takes = leaves[name]
    words = list(path)
    for word in takes:
        if not word.flag:
            words += [_value(rng, name, word)] * int(rng.choice([1, 1, 1, 1, 1, 1, 1, 1, 0, 2]))
        elif rng.random() < (0.9 if word.required else 0.12):
            words += [word.flag] if word.kind == "bool" else [word.flag, _value(rng, name, word)]
    if rng.random() < 0.1:
        words.insert(int(rng.integers(len(words) + 1)), NAMES[rng.integers(len(NAMES))])
    if rng.random() < 0.03:
        words.append("--help")
    return words


def _value(rng: np.random.Generator, command: str, word: _Word) -> str:
    if rng.random() < 0.04:
        return NAMES[rng.integers(len(NAMES))]
    if word.kind in ("int", "float"):
        return str(rng.choice(_NUMBERS))
    if word.name in _WORDS:
        pool = _WORDS[word.name]
    elif not word.flag:
        pool = _SUBJECTS if rng.random() < 0.15 else _MEANT.get(command, _MODELS)
    elif word.name == "out" and rng.random() < 0.7:
        pool = _SUITABLE.get(command.split(maxsplit=1)[0], ("o.json",))
    else:
        pool = _OUTS
    return pool[rng.integers(len(pool))]


def _apart(app: typer.Typer, arguments: list[str]) -> str:
    """Run a command line in a copy of this process: what an interruption leaves half done ends with it."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        try:
            said = f"+{_run(app, arguments)}"
        except BaseException:
            said = f"-{traceback.format_exc()}"
        os.write(theirs, said.encode(errors="backslashreplace")[:60_000])
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    assert said, f"{arguments}: the process ended with status {status}"
    if said[0] == "-":
        raise AssertionError(f"{arguments}: {said[1:]}")
    return said[1:]


def _run(app: typer.Typer, arguments: list[str]) -> str:
    """Run a command line; returns how it ended."""
    rung: list[float] = []

    def ring(_number: int, frame: Any) -> None:
        # Where an exception would be forgotten, the program's own handler waits; before a command begins, it exits.
        if would_be_lost(frame):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
            return
        rung.append(time.process_time())
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, _MOMENT)
    try:
        result = CliRunner().invoke(app, arguments)
    except KeyboardInterrupt:  # While arguments were parsed: there the program itself ends at once.
        return "interrupted"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    ended = time.process_time()
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        raise AssertionError(f"{arguments}: {type(error).__name__}: {error}") from error
    assert result.exit_code in _CODES, f"{arguments}: exit code {result.exit_code}\n{result.stderr}"
    assert "Traceback" not in result.stderr, f"{arguments}: {result.stderr}"
    if result.exit_code == 2:
        assert result.stderr.strip(), f"{arguments}: bad input without a message"
    for stream in (result.stdout, result.stderr):
        assert "\x1b[2J" not in stream, f"{arguments}: control characters reach the terminal"
    if rung:
        assert ended - rung[0] < _ENDING, f"{arguments}: ended {ended - rung[0]:.1f} s after it was interrupted"
        return "interrupted"
    with suppress(FileNotFoundError):
        assert Path("s.txt").read_text() == "dead\n" * 4 or "s.txt" in arguments, f"{arguments}: changed s.txt"
    return f"exit code {result.exit_code}"
