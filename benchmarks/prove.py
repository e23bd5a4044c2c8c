"""How often what is learned from small graphs is right on large ones, and proved. Every run counts, and is kept.

A full run takes hours, so each run of a task is written to a file as soon as it has ended, as one line of JSON. What is
there is not run again, if configuration, versions and source code are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

import graphfsa
from benchmarks._learn_common import warm_up
from benchmarks._report import one_thread, provenance, row, say
from graphfsa.datasets import CustomTask, draw
from graphfsa.errors import FormatError, GraphFSAError, UnknownNameError
from graphfsa.files import parse_json, read_bytes
from graphfsa.folders import append_line
from graphfsa.learners import ExactLearner, Model

SCHEMA = "graphfsa.benchmarks.prove/1"
_SETS = {"tasks": "benchmarks.tasks", "held-out": "benchmarks.held_out"}
_SEEDS = 10
_QUICK_SECONDS = 5.0
_SAME = ("schema", "task", "seed", "config", "versions", "code")
"""What must agree for a run not to be made again."""
Record = dict[str, Any]
Learn = Callable[..., tuple[Model, bool | None]]


def learn_and_prove(task: CustomTask, *, seed: int, **options: Any) -> tuple[Model, bool | None]:
    """What is measured: a model, and whether it is proved for all graphs; None if the task has no specification."""
    model = graphfsa.learn(task, "exact", seed=seed, **options)
    return model, model.verdict == "proved" if task.specifications() else None


def measure(
    *,
    quick: bool,
    seed: int,
    set: str = "tasks",
    only: str | None = None,
    out: str | Path | None = None,
    learn: Learn = learn_and_prove,
) -> dict[str, Any]:
    """Run every task with every seed, on one core.

    Args:
        quick: One seed, five seconds for each task, no graphs of 1,000 nodes.
        seed: The seeds are this one times 1,000 and the next ones.
        set: ``tasks``, or ``held-out``, whose tasks have numbers in place of names.
        only: One task of the set, by name or number.
        out: The file; by default ``prove-tasks.jsonl`` or ``prove-held-out.jsonl`` in the current directory.
        learn: What to measure.
    """
    chosen = _chosen(set, only)
    file = Path(f"prove-{set}.jsonl" if out is None else out)
    about = provenance(seed, quick, ("scipy", "python-sat"))
    wanted = [
        _wanted(name, task, seed * 1000 + k, quick, about["versions"])
        for name, task in chosen.items()
        for k in range(1 if quick else _SEEDS)
    ]
    done = {_key(record): record for record in _read(file)}
    with one_thread():
        if any(_key(record) not in done for record in wanted):
            warm_up(ExactLearner)
        for record in wanted:
            if _key(record) not in done:
                say(f"{record['task']}, seed {record['seed']}")
                done[_key(record)] = {**record, **_run(chosen[record["task"]], record, learn)}
                append_line(file, json.dumps(done[_key(record)]).encode())
    rows = list(_rows(list(chosen), [done[_key(record)] for record in wanted]))
    return {"title": f"python -m benchmarks prove --set {set}", "rows": rows, "provenance": about}


def _chosen(which: str, only: str | None) -> dict[str, CustomTask]:
    """The tasks by name; those held out are called by their numbers."""
    if which not in _SETS:
        raise UnknownNameError("set of tasks", which, _SETS)
    found: Sequence[type[CustomTask]] = import_module(_SETS[which]).TASKS
    hidden = which == "held-out"
    tasks = {f"held-out {place}" if hidden else kind.name: kind() for place, kind in enumerate(found, start=1)}
    if only is None:
        return tasks
    name = [*tasks][int(only) - 1] if only.isdecimal() and 0 < int(only) <= len(tasks) else only
    if name not in tasks:
        raise UnknownNameError("task", only, tasks)
    return {name: tasks[name]}


def _wanted(name: str, task: CustomTask, seed: int, quick: bool, versions: Mapping[str, str]) -> Record:
    """All that decides a run."""
    parts = task.splits["test"].parts
    config = {
        "options": {"budget": _QUICK_SECONDS} if quick else {},
        "learn": [list(part) for part in task.splits["learn"].parts],
        "test": [list(part) for part in (parts[:-1] if quick else parts)],
    }
    return {
        "schema": SCHEMA,
        "task": name,
        "seed": seed,
        "config": config,
        "versions": dict(versions),
        "code": _code(),
    }


def _run(task: CustomTask, record: Record, learn: Learn) -> Record:
    """What comes out of one run."""
    began = process_time()
    model, proved = learn(task, seed=record["seed"], **record["config"]["options"])
    seconds = process_time() - began
    about = model.provenance
    if about is not None and about.interrupted:
        raise KeyboardInterrupt  # The learner returns what it has so far, which is no result.
    sizes = record["config"]["test"]
    children = np.random.default_rng([record["seed"], 1]).spawn(len(sizes))
    accuracy: dict[str, float] = {}
    for (size, count), rng in zip(sizes, children, strict=True):
        accuracy[str(size)] = model.accuracy(draw(task, size, count, rng, "test")) if model.found else 0.0
    return {
        "verdict": model.verdict,
        "proved": proved,
        "cpu_seconds": round(seconds, 3),
        "accuracy": accuracy,
        "learner": None if about is None else about.learner,
        "data": None if about is None else about.data,
        "graphs": None if about is None else about.graphs,
        "model": model.digest if model.is_automaton else None,
    }


def _rows(names: Sequence[str], records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """For each task how many runs were right everywhere, and proved, and how long they took; then for all."""
    for name in [*names, *(["all"] if len(names) > 1 else [])]:
        runs = [record for record in records if name in ("all", record["task"])]
        seconds, number = [record["cpu_seconds"] for record in runs], f"of {len(runs)}"
        right = ("proved", "exact")
        exact = [record["verdict"] in right and min(record["accuracy"].values()) == 1 for record in runs]
        yield row(f"{name}: exact on larger graphs", sum(exact), number, str(len(runs)))
        yield row("  proved", sum(record["proved"] is True for record in runs), number)
        yield row("  CPU seconds, median", median(seconds), "s")
        yield row("  CPU seconds, slowest run", max(seconds), "s", runs=seconds)


def _read(file: Path) -> list[Record]:
    """The runs in a file, if there is one."""
    if not file.parent.is_dir():
        raise GraphFSAError(f"cannot write {str(file)!r}: there is no directory {str(file.parent)!r}")
    if not file.exists():
        return []
    lines = read_bytes(file).decode("utf-8", errors="replace").split("\n")
    found: list[Record] = []
    for number, line in enumerate(lines[:-1], start=1):  # What follows the last line end was cut off.
        try:
            record = parse_json(line)
        except ValueError:
            record = None
        if not isinstance(record, dict) or record.get("schema") != SCHEMA:
            raise FormatError(f"{file}: line {number}: no run of this benchmark; choose another file")
        found.append(record)
    return found


def _key(record: Record) -> str:
    return json.dumps([record.get(name) for name in _SAME], sort_keys=True)


@lru_cache
def _code() -> str:
    """SHA-256 of the package and of the benchmarks."""
    hasher = sha256()
    for folder in (Path(graphfsa.__file__).parent, Path(__file__).parent):
        for file in sorted(folder.rglob("*.py")):
            hasher.update(f"{file.relative_to(folder).as_posix()}\n".encode() + file.read_bytes())
    return hasher.hexdigest()
