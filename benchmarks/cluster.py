"""Runs on a local Ray cluster of two workers against two threads of one process; what a call costs; a worker killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks._report import provenance, row, say
from graphfsa.aggregations import CountingAggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, library
from graphfsa.engine import run
from graphfsa.engine.cluster import Cluster, Sharded
from graphfsa.engine.kernels import make_stepper
from graphfsa.graphs import Graph, families

Rows = Iterator[dict[str, Any]]
_STATES, _DEGREE = 4, 10


def measure(*, quick: bool, seed: int, arcs: int | None = None) -> dict[str, Any]:
    """Measure everything; the large graphs have this number of arcs."""
    arcs = arcs or (10**5 if quick else 10**8)
    with Cluster("local:2") as cluster:
        parts = (_steps(cluster, arcs, quick, seed), _calls(cluster, quick), _killed(cluster, quick, seed))
        rows = [line for part in parts for line in part]
    return {
        "title": "python -m benchmarks cluster",
        "rows": rows,
        "provenance": provenance(seed, quick, ("ray",)),
    }


def _automaton(seed: int) -> GraphFSA:
    """A random table: nearly all nodes change in nearly all steps, so all of the rim is told each time."""
    aggregation = CountingAggregation(bound=2)
    shape = (_STATES, aggregation.num_values(_STATES))
    table = np.random.default_rng(seed).integers(0, _STATES, shape, dtype=np.uint8)
    return GraphFSA([f"s{state}" for state in range(_STATES)], aggregation, table)


def _graphs(arcs: int, seed: int) -> Iterator[tuple[str, Callable[[], Graph]]]:
    n, rng = arcs // _DEGREE, np.random.default_rng(seed)
    yield "each node sees the 10 nearest on a ring", lambda: _near(n)
    yield "Erdos-Renyi, mean degree 10", lambda: families.erdos_renyi(n, mean_degree=_DEGREE, rng=rng)


def _near(n: int) -> Graph:
    nodes, beside = np.arange(n, dtype=np.int64)[:, None], np.arange(-_DEGREE // 2, _DEGREE // 2 + 1)
    sources = np.sort((nodes + beside[beside != 0]) % n, axis=1)
    return Graph(np.arange(n + 1) * _DEGREE, sources.reshape(-1).astype(np.int32))


def _steps(cluster: Cluster, arcs: int, quick: bool, seed: int) -> Rows:
    """Steps of the same run, in turns: two workers, and two threads."""
    fsa, steps, turns = _automaton(seed), 4 if quick else 10, 1 if quick else 5
    for name, build in _graphs(arcs, seed):
        say(f"{name}: {arcs:,} arcs")
        graph = build()
        start = np.random.default_rng(seed).integers(0, _STATES, graph.num_nodes).astype(np.uint8)
        began = time.perf_counter()
        with Sharded(cluster, fsa, graph, 0) as shards:
            prepared = time.perf_counter() - began
            contenders = {"ray": shards.stepper(), "threads": make_stepper(fsa, graph, "auto", 2)}
            spent: dict[str, list[tuple[float, float]]] = {each: [] for each in contenders}
            for stepper in contenders.values():
                stepper.load(start)
                stepper.advance_fully(steps)
            for _ in range(turns):
                for each, stepper in contenders.items():
                    spent[each].append(_spent(cluster, lambda stepper=stepper: stepper.advance_fully(steps)))
            same = np.array_equal(*(stepper.states() for stepper in contenders.values()))
            facts = shards.facts()
        wall, processor = ({each: median(pair[k] for pair in spent[each]) for each in spent} for k in (0, 1))
        where = f"{name}, {graph.num_arcs:,} arcs"
        yield row(f"{where}: a step on 2 workers", 1e3 * wall["ray"] / steps, "ms")
        yield row("  the same on 2 threads, without Ray", 1e3 * wall["threads"] / steps, "ms")
        yield row("  workers against threads, wall time", wall["ray"] / wall["threads"], "x", "<= 1.15")
        yield row("  workers against threads, processor time", processor["ray"] / max(processor["threads"], 0.01), "x")
        yield row("  arcs that are cut", 100 * facts["cut"] / graph.num_arcs, "%")
        yield row("  told in a step", facts["bytes_told"] / ((turns + 1) * steps) / 1e6, "MB")
        yield row("  steps per call", facts["steps_per_call"], "")
        yield row("  cut and shipped in", prepared, "s")
        yield row("  the same states in the end", float(same), "", "= 1")
        del graph, contenders, shards


def _spent(cluster: Cluster, action: Callable[[], Any]) -> tuple[float, float]:
    """Wall time, and processor time of this process and the workers."""
    import psutil

    processes = [psutil.Process(), *(psutil.Process(number) for number in cluster.processes())]

    def used() -> float:
        return sum(sum(process.cpu_times()[:2]) for process in processes)

    processor, wall = used(), time.perf_counter()
    action()
    wall = time.perf_counter() - wall
    return wall, used() - processor


def _calls(cluster: Cluster, quick: bool) -> Rows:
    """What a call of all workers costs where there is next to nothing to compute."""
    say("calls")
    graph, calls = families.cycle(1000), 50 if quick else 500
    start = (np.arange(1000) == 0).astype(np.uint8)
    with Sharded(cluster, library.sir(0.5, 1e-9), graph, 0) as shards:
        coins = shards.coins(start)
        while coins.time < calls and coins.advance(calls - coins.time):
            pass  # Until all forms of messages were sent, and what packs them is compiled.
        began, before = time.perf_counter(), coins.time
        while coins.time < before + calls:
            coins.advance(before + calls - coins.time)
        yield row(
            "a call of both workers, several under way", 1e3 * (time.perf_counter() - began) / calls, "ms", "<= 10"
        )
        found: list[float] = []
        for _ in range(calls):
            began = time.perf_counter()
            coins.advance(1)
            found.append(1e3 * (time.perf_counter() - began))
        yield row("a call of both workers, one after the other", median(found), "ms", "<= 10")
    with Sharded(cluster, library.distance(), graph, 0) as shards:
        stepper = shards.stepper()
        stepper.load(start)
        stepper.advance_fully(32)
        began = time.perf_counter()
        stepper.advance_fully(400)
        per_step = 1e3 * (time.perf_counter() - began) / 400
        yield row(f"a step of an automaton without coins, {shards.plan.depth} to a call", per_step, "ms")


def _killed(cluster: Cluster, quick: bool, seed: int) -> Rows:
    """kill -9 for a worker in the middle of a run."""
    say("a worker is killed")
    n = 10**4 if quick else 10**6
    graph = families.erdos_renyi(n, mean_degree=_DEGREE, rng=np.random.default_rng(seed))
    fsa, steps = _automaton(seed), 60
    start: Array = np.random.default_rng(seed).integers(0, _STATES, n).astype(np.uint8)
    killed: list[int] = []

    def kill(step: int) -> None:
        if step >= steps // 2 and not killed:
            killed.append(cluster.processes()[1])
            os.kill(killed[0], signal.SIGKILL)

    spread = run(fsa, graph, start, steps, cluster=cluster, progress=kill)
    alone = run(fsa, graph, start, steps)
    assert killed
    yield row(
        f"{graph.num_arcs:,} arcs, a worker killed at half the steps: same digest",
        float(spread.digest == alone.digest),
        "",
        "= 1",
    )
