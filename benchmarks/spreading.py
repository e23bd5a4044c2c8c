"""Epidemics: arcs per second against NDlib, outcomes against EoN, and many small runs against a large one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import sqrt
from statistics import median
from typing import Any

import numpy as np

from benchmarks._peers import eon_epidemics, ndlib_epidemic
from benchmarks._report import provenance, row, say
from graphfsa.arrays import Array
from graphfsa.automaton import library
from graphfsa.engine import run, simulate
from graphfsa.graphs import Graph, families

Rows = Iterator[dict[str, Any]]
_INFECT, _RECOVER, _DEGREE = 0.05, 0.2, 10
_QUANTILE = 2.5758
"""Of the normal distribution: 99 % lie nearer to the mean than so many standard deviations."""


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything."""
    parts = (_speed(quick, seed), _outcomes(quick, seed), _replicates(quick, seed), _threads(quick, seed))
    return {
        "title": "python -m benchmarks spreading",
        "rows": [line for part in parts for line in part],
        "provenance": provenance(seed, quick, ("ndlib", "EoN", "networkx")),
    }


def _network(n: int, degree: float, seed: int) -> Graph:
    return families.erdos_renyi(n, mean_degree=degree, rng=np.random.default_rng(seed))


def _first(n: int, ill: int) -> Array:
    """The first nodes are ill; as nodes of these graphs are alike, these are as good as any."""
    return (np.arange(n) < ill).astype(np.uint8)


def _spent(calls: dict[str, Callable[[], int]], turns: int) -> dict[str, tuple[float, float]]:
    """``_once`` of each call: medians of some turns, after one to warm up."""
    for call in calls.values():
        call()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            times[name].append(_once(call))
    return {name: (median(wall for wall, _ in found), median(cpu for _, cpu in found)) for name, found in times.items()}


def _once(call: Callable[[], int]) -> tuple[float, float]:
    """Wall time and processor time of a call, divided by what it returns."""
    wall, processor = time.perf_counter(), time.process_time()
    amount = call()
    processor, wall = time.process_time() - processor, time.perf_counter() - wall
    return wall / amount, processor / amount


def _speed(quick: bool, seed: int) -> Rows:
    """Whole epidemics on one graph, until nobody is ill. Every arc of every step counts, looked at or not."""
    n, ill = (10**4, 10) if quick else (10**6, 100)
    say(f"epidemics on {n:,} nodes")
    sir, network, start = library.sir(_INFECT, _RECOVER), _network(n, _DEGREE, seed), _first(n, ill)

    def epidemic(threads: int) -> Callable[[], int]:
        """Returns node-steps."""
        return lambda: n * run(sir, network, start, "stable", seed=seed, threads=threads).steps

    peer = ndlib_epidemic(network, _INFECT, _RECOVER, ill, seed)
    spent = _spent({"two": epidemic(2), "one": epidemic(1)}, 1 if quick else 3)
    arcs = network.num_arcs / n
    yield row(
        f"SIR to the end, Erdos-Renyi, mean degree {_DEGREE}, n = {n:,}, 2 threads",
        arcs / spent["two"][0],
        "arcs/s",
        ">= 1e8",
    )
    yield row("  the same, 1 thread, processor time", arcs / spent["one"][1], "arcs/s")
    if peer is not None:
        say("NDlib on the same graph")
        wall, processor = _once(lambda: n * peer())
        yield row("  against NDlib on the same graph, per node-step: 2 threads", wall / spent["two"][0], "x", ">= 100")
        yield row("  1 thread, processor time", processor / spent["one"][1], "x")
        yield row("  NDlib", processor * 1e9, "ns/node-step")


def _outcomes(quick: bool, seed: int) -> Rows:
    """Each ill node infects each neighbour with one probability, and is ill for one step: EoN's discrete SIR."""
    n, ill, replicates = (1000, 20, 40) if quick else (10**4, 100, 1000)
    say(f"outcomes of {replicates:,} epidemics on {n:,} nodes")
    network, infect = _network(n, 6, seed), 0.3
    sir = library.sir(infect, 1.0)
    found = simulate(sir, network, _first(n, ill), 200, replicates=replicates, seed=seed)
    # They are the same process only if no node has more neighbours than are counted, and every run has come to its end.
    assert np.diff(network.indptr).max() < 64
    assert (found.rest >= 0).all()
    ours = {"final size": found.counts[:, -1, sir.index("immune")], "peak": found.counts[:, :, sir.index("ill")].max(1)}
    peer = eon_epidemics(network, infect, ill, seed)
    theirs = np.array([peer() for _ in range(replicates)]) if peer is not None else None
    for place, (name, sizes) in enumerate(ours.items()):
        yield row(f"SIR, ill for one step, n = {n:,}: {name}, mean of {replicates:,} runs", sizes.mean(), "nodes")
        if theirs is not None:
            others = theirs[:, place]
            within = _QUANTILE * sqrt((sizes.var(ddof=1) + others.var(ddof=1)) / replicates)
            yield row("  more than EoN's discrete SIR", sizes.mean() - others.mean(), "nodes", f"99 %: +- {within:.3g}")


def _replicates(quick: bool, seed: int) -> Rows:
    """SIS, which does not die out: every run moves in every step."""
    many, n, steps = (100, 100, 10) if quick else (10**4, 100, 40)
    say(f"{many:,} runs on {n} nodes")
    sis, calls = library.sis(_INFECT, _RECOVER), dict[str, Callable[[], int]]()
    for name, size, runs in (("large", many * n, 1), ("many", n, many)):
        network, start = _network(size, _DEGREE, seed), _first(size, size // 2)

        def call(network: Graph = network, start: Array = start, runs: int = runs) -> int:
            found = simulate(sis, network, start, steps, replicates=runs, seed=seed, threads=1)
            return found.replicates * network.num_nodes * steps

        calls[name] = call
    spent = _spent(calls, 1 if quick else 5)
    arcs, where = _DEGREE / spent["large"][1], f"Erdos-Renyi, mean degree {_DEGREE}, n = {many * n:,}"
    yield row(f"SIS, {where}, 1 thread, processor time", arcs, "arcs/s")
    yield row(f"SIS, {many:,} runs of n = {n}, 1 thread", spent["many"][1] * 1e9, "ns/node-step")
    yield row(f"  against one run of n = {many * n:,}", spent["many"][1] / spent["large"][1], "x", "<= 2")


def _threads(quick: bool, seed: int) -> Rows:
    """Digests of the same runs by other threads, and by the kernel of the schedulers."""
    n = 10**3 if quick else 10**5
    say("digests")
    sir, network, start = library.sir(_INFECT, _RECOVER), _network(n, _DEGREE, seed), _first(n, n // 100)
    ways: list[dict[str, Any]] = [{"threads": k} for k in (1, 2, 3, 8)] + [{"scheduler": "synchronous"}]
    digests = {simulate(sir, network, start, 60, replicates=3, seed=seed, **way).digest for way in ways}
    yield row(f"SIR, n = {n:,}: digests by 1, 2, 3 and 8 threads and another kernel", len(digests), "", "1")
