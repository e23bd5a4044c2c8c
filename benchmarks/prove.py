"""How often what is learned from small graphs is right on large ones, and proved. Every run counts, and is kept.

A full run takes hours, so each run of a task is written to a file as soon as it has ended, as one line of JSON. What is
there is not run again, if configuration, versions and source code are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks._committed_models import ALGORITHMS
from benchmarks._kept import Record, all_kept
from benchmarks._learn_common import SIZES, warm_up
from benchmarks._report import one_thread, provenance, row, say
from graphfsa.analysis import suggest
from graphfsa.datasets import Dataset, TrainingData, dataset_class, draw, training_data
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.learners import ExactLearner, Model, learn_until

SCHEMA = "graphfsa.benchmarks.prove/2"
_SETS = ("tasks", "held-out", "algorithms")
_SEEDS = 10
_QUICK_BUDGET = 5.0
_ASKED_NODES = 6


@dataclass(frozen=True)
class Learned:
    """A model, and what is known about it.

    Attributes:
        model: The model.
        proved: Whether it is right on graphs of every size; None if the task has no specification, or nobody asked.
        determined: Says whether the training graphs leave no other automaton; None if that is unknown.
    """

    model: Model
    proved: bool | None
    determined: Callable[[], bool | None]


Learn = Callable[..., Learned]


def learn_and_prove(task: Dataset, *, seed: int, split: str, data_only: bool, **options: Any) -> Learned:
    """What is measured. With ``data_only`` nobody is asked about other graphs than those of the split."""
    data, learner = training_data(task, seed=seed, split=split), ExactLearner(**options)
    if data_only:
        model, proved = learn_until("exact", learner, TrainingData(data.train), seed=seed), None
    else:
        model = learn_until(None, learner, data, seed=seed)
        proved = model.verdict == "proved" if task.specifications() else None
    return Learned(model, proved, lambda: _determined(model, data, task))


def _determined(model: Model, data: TrainingData, task: Dataset) -> bool | None:
    """Whether the training graphs determine the automaton, as far as graphs of a few nodes tell; None if unknown."""
    if model.verdict != "exact":
        return None
    try:
        return suggest(model, data.train, max_nodes=_ASKED_NODES, dataset=task, budget=10.0).determined
    except GraphFSAError:  # Nothing can be said about such an automaton.
        return None


def measure(
    *,
    quick: bool,
    seed: int,
    set: str = "tasks",
    only: str | None = None,
    out: str | Path | None = None,
    data_only: bool = False,
    learn: Learn = learn_and_prove,
) -> dict[str, Any]:
    """Run every task with every seed, on one core.

    Args:
        quick: One seed, little work for each task, no graphs of 1,000 nodes.
        seed: The seeds are this one times 1,000 and the next ones.
        set: ``tasks``; ``held-out``, whose tasks have numbers in place of names; or ``algorithms``, those of the paper,
            from the paper's training graphs.
        only: One task of the set, by name or number.
        out: The file; by default ``prove-tasks.jsonl`` or the like in the current directory.
        data_only: Learn from the training graphs and nothing else.
        learn: What to measure.
    """
    chosen = _chosen(set, only)
    about = provenance(seed, quick, ("scipy", "python-sat"))
    split = "train" if set == "algorithms" else "learn"
    wanted = [
        _wanted(name, task, split, seed * 1000 + k, quick, data_only, about["versions"])
        for name, task in chosen.items()
        for k in range(1 if quick else _SEEDS)
    ]
    with one_thread():
        records = all_kept(
            f"prove-{set}.jsonl" if out is None else out,
            wanted,
            lambda record: _run(chosen[record["task"]], record, learn),
            lambda: warm_up(ExactLearner),
        )
    title = f"python -m benchmarks prove --set {set}{' --data-only' * data_only}"
    return {"title": title, "rows": list(_rows([*chosen], records, data_only)), "provenance": about}


def _chosen(which: str, only: str | None) -> dict[str, Dataset]:
    """The tasks by name; those held out are called by their numbers."""
    if which not in _SETS:
        raise UnknownNameError("set of tasks", which, _SETS)
    if which == "algorithms":
        tasks: dict[str, Dataset] = {name: dataset_class(name)() for name in ALGORITHMS}
    else:
        found: Sequence[type[Dataset]] = import_module(f"benchmarks.{which.replace('-', '_')}").TASKS
        hidden = which == "held-out"
        tasks = {f"held-out {place}" if hidden else kind.name: kind() for place, kind in enumerate(found, start=1)}
    if only is None:
        return tasks
    name = [*tasks][int(only) - 1] if only.isdecimal() and 0 < int(only) <= len(tasks) else only
    if name not in tasks:
        raise UnknownNameError("task", only, tasks)
    return {name: tasks[name]}


def _wanted(
    name: str, task: Dataset, split: str, seed: int, quick: bool, data_only: bool, versions: Mapping[str, str]
) -> Record:
    """All that decides a run."""
    parts = SIZES if split == "train" else task.splits["test"].parts
    config = {
        "options": {"budget": _QUICK_BUDGET} if quick else {},
        "split": split,
        "data_only": data_only,
        "learn": [list(part) for part in task.splits[split].parts],
        "test": [list(part) for part in (parts[:-1] if quick else parts)],
    }
    return {"schema": SCHEMA, "task": name, "seed": seed, "config": config, "versions": dict(versions)}


def _run(task: Dataset, record: Record, learn: Learn) -> Record:
    """What comes out of one run."""
    say(f"{record['task']}, seed {record['seed']}")
    config = record["config"]
    began = process_time()
    learned = learn(
        task, seed=record["seed"], split=config["split"], data_only=config["data_only"], **config["options"]
    )
    seconds, model = process_time() - began, learned.model
    about = model.provenance
    if about is not None and about.interrupted:
        raise KeyboardInterrupt  # The learner returns what it has so far, which is no result.
    children = np.random.default_rng([record["seed"], 1]).spawn(len(config["test"]))
    accuracy: dict[str, float] = {}
    for (size, count), rng in zip(config["test"], children, strict=True):
        accuracy[str(size)] = model.accuracy(draw(task, size, count, rng, "test")) if model.found else 0.0
    unsettled = config["data_only"] and not _right(model.verdict, accuracy)
    return {
        "verdict": model.verdict,
        "proved": learned.proved,
        "determined": learned.determined() if unsettled else None,
        "cpu_seconds": round(seconds, 3),
        "accuracy": accuracy,
        "learner": None if about is None else about.learner,
        "data": None if about is None else about.data,
        "graphs": None if about is None else about.graphs,
        "added": 0 if about is None else len(about.details.get("counterexamples", ())),
        "model": model.digest if model.is_automaton else None,
    }


def _right(verdict: str, accuracy: Mapping[str, float]) -> bool:
    """Whether a run found an automaton that is right about every node of all graphs that were drawn."""
    return verdict in ("proved", "exact") and min(accuracy.values()) == 1


def _rows(names: Sequence[str], records: Sequence[Record], data_only: bool) -> Iterator[dict[str, Any]]:
    """For each task how many runs were right everywhere, and proved, and how long they took; then for all."""
    for name in [*names, *(["all"] if len(names) > 1 else [])]:
        runs = [record for record in records if name in ("all", record["task"])]
        seconds, number = [record["cpu_seconds"] for record in runs], f"of {len(runs)}"
        exact = [_right(record["verdict"], record["accuracy"]) for record in runs]
        yield row(f"{name}: exact on larger graphs", sum(exact), number, str(len(runs)))
        if data_only:
            asks = [not right and record["determined"] is False for right, record in zip(exact, runs, strict=True)]
            yield row("  not exact, but not determined, with a question", sum(asks), number)
        else:
            yield row("  proved", sum(record["proved"] is True for record in runs), number)
        yield row("  CPU seconds, median", median(seconds), "s")
        yield row("  CPU seconds, slowest run", max(seconds), "s", runs=seconds)
