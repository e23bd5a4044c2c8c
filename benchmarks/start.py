"""How long it takes to begin: commands on small graphs, the first training of a new installation, and small calls."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import networkx as nx
import numpy as np

from benchmarks._report import provenance, row, say
from graphfsa import GraphBatch, families, library, run
from graphfsa.datasets import dataset_class, draw
from graphfsa.graphs import from_networkx

_RUN = ("-m", "graphfsa", "run", "distance", "--graph", "path:10", "--states", "root:0", "--steps", "stable")
_LEARN = ("-m", "graphfsa", "learn", "--task", "prefix-sum")


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything."""
    turns = 1 if quick else 9
    say("commands")
    rows = _commands(turns)
    if not quick:
        say("the first training of a new installation")
        rows += _trainings(3)
    say("small calls")
    rows += _calls(seed, 3 if quick else 60, 100 if quick else 5000)
    return {"title": "python -m benchmarks start", "rows": rows, "provenance": provenance(seed, quick, ("networkx",))}


def _commands(turns: int) -> list[dict[str, Any]]:
    commands = {"python -c 'import numpy'": ("-c", "import numpy"), "graphfsa run, ten nodes": _RUN}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for turn in range(turns + 1):
        for name, command in commands.items():
            seconds = _command(command, {})
            if turn:  # The first only warms up.
                taken[name].append(seconds)
    rows: list[dict[str, Any]] = []
    for name, seconds in taken.items():
        target = "<= 0.5" if "run" in name else ""
        rows.append(row(f"{name}: processor", median(cpu for cpu, _ in seconds), "s", target))
        rows.append(row(f"{name}: wall", median(wall for _, wall in seconds), "s", target))
    return rows


def _trainings(turns: int) -> list[dict[str, Any]]:
    cold, warm = list[float](), list[float]()
    for _ in range(turns):
        with TemporaryDirectory() as kept:
            cold.append(_command(_LEARN, {"NUMBA_CACHE_DIR": kept})[0])
            warm.append(_command(_LEARN, {"NUMBA_CACHE_DIR": kept})[0])
    return [
        row("graphfsa learn --task prefix-sum, nothing compiled: processor", median(cold), "s", "<= 6"),
        row("the same once more: processor", median(warm), "s"),
    ]


def _command(arguments: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of the processor and of the clock on the wall that a command takes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run([sys.executable, *arguments], env=os.environ | environment, check=True, capture_output=True)
    wall, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def _calls(seed: int, turns: int, count: int) -> list[dict[str, Any]]:
    fsa, path = library.distance(), families.path(10)
    states = np.array([fsa.index("root")] + [fsa.index("node")] * 9, np.uint8)
    graphs = GraphBatch.repeat(path, count).graphs()
    random = nx.gnm_random_graph(4 * count, 20 * count, seed=seed)
    run(fsa, path, states, 10, kernel="event")
    rows = [
        row(
            "run, 10 nodes, 10 steps, compiled before",
            _least(lambda: _runs(fsa, path, states), turns) / 100,
            "us",
            "<= 40",
        ),
        row("GraphBatch.of, graphs of 10 nodes, each", _least(lambda: GraphBatch.of(graphs), turns) / count, "us"),
        row("from_networkx, each edge", _least(lambda: from_networkx(random), turns // 8 + 1) / (20 * count), "us"),
    ]
    for name in ("path-finding", "distance"):
        task = dataset_class(name)()
        for number in (count // 50, count):
            drawn = _least(
                lambda t=task, n=number: draw(t, 10, n, np.random.default_rng(seed), "train"), turns // 4 + 1
            )
            what = f"draw, {name}, {number:,} graphs of 10 nodes for training, each"
            rows.append(row(what, drawn / number, "us", "<= 5"))
    return rows


def _runs(fsa: Any, path: Any, states: Any) -> None:
    for _ in range(100):
        run(fsa, path, states, 10, kernel="event")


def _least(call: Callable[[], Any], turns: int) -> float:
    """Least microseconds of the processor: others disturb all but the best turn."""
    call()
    least = float("inf")
    for _ in range(turns):
        began = process_time()
        call()
        least = min(least, process_time() - began)
    return least * 1e6
