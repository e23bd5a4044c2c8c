"""How large a graph can be: time and memory to build one, to pack it, and to run it from memory and from disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks._report import provenance, row, say
from graphfsa import CountingAggregation, GraphFSA, families, graphs, run
from graphfsa.memory import free_memory

_DEGREE = 10
_STEPS = 10
_ROOM = 20
"""Bytes for each arc that must be free, in memory and on the disk; larger graphs are left out, as the report says."""
SIZES = (10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
PARTS = ("memory", "pack", "disk")
FORMULA = 10**10
"""Arcs of a graph whose arcs are made by a formula, about."""


def measure(*, quick: bool, seed: int, out: str | Path | None = None) -> dict[str, Any]:
    """Erdos-Renyi graphs of mean degree 10, a Kronecker graph, and a random automaton with 4 states and bound 1.

    Each part is a process of its own, so that its peak of memory is that of nothing else. Files are dropped from the
    memory of the system before they are read.

    Args:
        quick: Two small sizes.
        seed: Seed of the graphs.
        out: Where to draw the figures, .svg or .png.
    """
    rows: list[dict[str, Any]] = []
    about = provenance(seed, quick, ("scipy",))
    with TemporaryDirectory(dir=Path.cwd(), prefix="graphfsa-large-") as folder:
        for arcs in SIZES[:2] if quick else SIZES:
            if min(free_memory(), shutil.disk_usage(folder).free) < _ROOM * arcs:
                rows.append(row(f"{arcs:,} arcs: left out, for memory or disk are too small", 0, ""))
                continue
            found = {}
            for part in PARTS:
                say(f"{part}, {arcs:,} arcs")
                found[part] = _measured(part, arcs, seed, folder)
            assert found["memory"]["digest"] == found["disk"]["digest"], "the same states from memory and from disk"
            rows += _rows(found)
        arcs = SIZES[1] if quick else FORMULA
        say(f"by formula, {arcs:,} arcs")
        rows += _formula_rows(_measured("formula", arcs, seed, folder))
    if out is not None:
        draw(rows, Path(out))
    return {"title": "python -m benchmarks large", "rows": rows, "provenance": about}


def _rows(found: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    memory, packed, disk = (found[part] for part in PARTS)
    arcs = memory["arcs"]
    aims = arcs >= 10**7  # Below, most of it is what the interpreter and the libraries take.
    return [
        row(f"{arcs:,} arcs: build", memory["build"], "CPU s", arcs=arcs),
        row("  peak", memory["build_peak"] / arcs, "B/arc", "<= 12" if aims else ""),
        row("  a step in memory", memory["step_cpu"] / arcs * 1e9, "CPU ns/arc"),
        row("  peak of a run in memory", memory["peak"] / 2**30, "GiB"),
        row("  pack", packed["cpu"], "CPU s"),
        row("  file", packed["bytes"] / arcs, "B/arc", "about 4" if aims else ""),
        row("  a step from disk", disk["step_cpu"] / arcs * 1e9, "CPU ns/arc"),
        row("  peak from disk", disk["peak"] / 2**30, "GiB", "<= 8"),
        row("  wall time against reading the file", disk["step"] / disk["read"], "x", "<= 1.5" if aims else ""),
    ]


def _formula_rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        row(f"{found['arcs']:,} arcs of {found['nodes']:,} nodes by formula: a step", found["step_cpu"], "CPU s"),
        row("  for each arc", found["step_cpu"] / found["arcs"] * 1e9, "CPU ns/arc"),
        row("  peak", found["peak"] / 2**30, "GiB", "<= 8"),
    ]


def _measured(part: str, arcs: int, seed: int, folder: str) -> dict[str, Any]:
    code = f"from benchmarks.large import run_part; run_part({part!r}, {arcs}, {seed}, {folder!r})"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def run_part(part: str, arcs: int, seed: int, folder: str) -> None:
    """Measure one part in this process, and print what was found as JSON."""
    file = Path(folder) / f"{arcs}.gfsa"
    _warm_up(folder)
    began, base = process_time(), _peak()
    if part == "disk":
        graph = graphs.open(file)
        print(json.dumps(_run(graph, seed, lambda: _forget(file)) | {"read": _read(file)}))
        file.unlink()
        return
    if part == "formula":
        print(json.dumps(_by_formula(arcs, seed)))
        return
    built = families.erdos_renyi(arcs // _DEGREE, mean_degree=_DEGREE, rng=np.random.default_rng(seed))
    facts = {"arcs": built.num_arcs, "build": process_time() - began, "build_peak": _peak() - base}
    if part == "memory":
        print(json.dumps(facts | _run(built, seed, lambda: None)))
        return
    began = process_time()
    graphs.pack(built, file)
    print(json.dumps({"cpu": process_time() - began, "bytes": file.stat().st_size}))


def _by_formula(arcs: int, seed: int) -> dict[str, Any]:
    """One step on a Kronecker graph of mean degree 100 to 200."""
    scale = int(np.log2(arcs / 100))
    began = process_time()
    graph = families.kronecker(scale, mean_degree=arcs / 2**scale, rng=np.random.default_rng(seed))
    facts = {"arcs": graph.num_arcs, "nodes": graph.num_nodes, "build": process_time() - began}
    began = process_time()
    found = run(_automaton(), graph, "random", 1, seed=seed)
    return facts | {"digest": found.digest, "step_cpu": process_time() - began, "peak": _peak()}


def _warm_up(folder: str) -> None:
    """Compile, and load libraries: on a small graph in memory, and on the same from disk."""
    small = families.erdos_renyi(20_000, mean_degree=_DEGREE, rng=np.random.default_rng(0))
    packed = graphs.pack(small, Path(folder) / f"warm-{os.getpid()}.gfsa")
    formula = families.kronecker(8, mean_degree=4, rng=np.random.default_rng(0))
    for graph in (small, packed, formula):
        run(_automaton(), graph, "random", 2, kernel="dense" if graph is small else "auto")


def _automaton() -> GraphFSA:
    aggregation = CountingAggregation(1)
    table = np.random.default_rng(1).integers(0, 4, (4, aggregation.num_values(4)))
    return GraphFSA(list("abcd"), aggregation, table)


def _run(graph: graphs.Graph, seed: int, before: Callable[[], None]) -> dict[str, Any]:
    """The cost of a step, as the difference between a run of one step and a longer one, and the states after that."""
    streamed = isinstance(graph, graphs.TiledGraph)
    found, cpu, wall = None, [0.0, 0.0], [0.0, 0.0]
    last = min(1000, max(_STEPS, 2 * 10**8 // max(1, graph.num_arcs)))
    for number, steps in enumerate((1, last)):
        before()
        began, clock = process_time(), perf_counter()
        found = run(_automaton(), graph, "random", steps, seed=seed, kernel="auto" if streamed else "dense")
        cpu[number], wall[number] = process_time() - began, perf_counter() - clock
    assert found is not None
    return {
        "digest": found.digest,
        "step_cpu": (cpu[1] - cpu[0]) / (last - 1),
        # From disk the first step reads the file; later ones may find it in the memory of the system.
        "step": wall[0] if streamed else (wall[1] - wall[0]) / (last - 1),
        "peak": _peak(),
    }


def _read(file: Path) -> float:
    """Seconds to read a file that is not in the memory of the system."""
    _forget(file)
    buffer, began = bytearray(2**24), perf_counter()
    with file.open("rb", buffering=0) as stream:
        while stream.readinto(buffer):
            pass
    return perf_counter() - began


def _forget(file: Path) -> None:
    with file.open("rb") as stream:
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw CPU time and memory over the number of arcs."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    groups = [place for place, line in enumerate(rows) if "arcs" in line]
    arcs = [rows[place]["arcs"] for place in groups]
    with mpl.rc_context({"svg.hashsalt": "graphfsa", "svg.fonttype": "path"}):
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        times, sizes = figure.subplots(1, 2)
        for offset, name in ((0, "build"), (4, "pack")):
            times.loglog(arcs, [rows[place + offset]["figure"] for place in groups], "o-", label=name)
        for offset, name in ((2, "a step in memory"), (6, "a step from disk")):
            values = [rows[place + offset]["figure"] * count / 1e9 for place, count in zip(groups, arcs, strict=True)]
            times.loglog(arcs, values, "o-", label=name)
        for offset, name in ((3, "a run in memory"), (7, "a run from disk")):
            sizes.loglog(arcs, [rows[place + offset]["figure"] for place in groups], "o-", label=name)
        times.set(xlabel="arcs", ylabel="CPU seconds")
        sizes.set(xlabel="arcs", ylabel="GiB at the peak")
        for axes in (times, sizes):
            axes.grid(alpha=0.3)
            axes.legend()
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
