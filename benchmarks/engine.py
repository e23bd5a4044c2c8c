"""The execution engine against SciPy, torch, NumPy and lifelib, and against the sizes it is made for."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks._peers import lifelib_seconds, numpy_life, scipy_step, torch_step
from benchmarks._report import in_turns, provenance, row, say
from graphfsa.aggregations import CountingAggregation, LettersAggregation, Sum
from graphfsa.automaton import GraphFSA, library
from graphfsa.automaton.states import random_states
from graphfsa.engine import run
from graphfsa.engine.kernels import Kernel, Stepper, make_stepper
from graphfsa.engine.threads import default_threads
from graphfsa.graphs import Graph, Lattice, families

Rows = Iterator[dict[str, Any]]


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything."""
    rng = np.random.default_rng(seed)
    turns = 3 if quick else 25
    parts = (
        _dense(quick, turns, rng),
        _small(quick, rng),
        _waves(quick),
        _lattices(quick, turns, rng),
        _memory(quick, rng),
    )
    return {
        "title": "python -m benchmarks engine",
        "rows": [line for part in parts for line in part],
        "provenance": provenance(seed, quick, ("scipy", "torch", "python-lifelib")),
    }


def random_automaton(num_states: int, bound: int, rng: np.random.Generator) -> GraphFSA:
    """A uniform random table: it keeps nearly all nodes changing."""
    aggregation = CountingAggregation(bound=bound)
    table = rng.integers(0, num_states, (num_states, aggregation.num_values(num_states)))
    return GraphFSA([f"s{m}" for m in range(num_states)], aggregation, table)


def _random_letters(rng: np.random.Generator) -> GraphFSA:
    """Eight states that show letters: two counts and the highest of two."""
    sums = (
        Sum("count", 2, (1, 1, 0, 0, 1)),
        Sum("count", 2, (0, 0, 1, 1)),
        Sum("highest", 2, (0, 0, 0, 0, 0, 1, 2, 2)),
    )
    aggregation = LettersAggregation(sums)
    table = rng.integers(0, 8, (8, aggregation.num_values(8)))
    return GraphFSA([f"s{m}" for m in range(8)], aggregation, table)


def _stepper(fsa: GraphFSA, graph: Graph, kernel: Kernel, threads: int, rng: np.random.Generator) -> Stepper:
    stepper = make_stepper(fsa, graph, kernel, threads)
    stepper.load(random_states(fsa, graph.num_nodes, rng))
    return stepper


def _dense(quick: bool, turns: int, rng: np.random.Generator) -> Rows:
    n = 10**5 if quick else 10**6
    say(f"dense steps on Erdos-Renyi graphs of {n:,} and {4 * n:,} nodes")
    graph, large = (families.erdos_renyi(size, mean_degree=10, rng=rng) for size in (n, 4 * n))
    small_rule, big_rule = random_automaton(4, 1, rng), random_automaton(8, 2, rng)
    letters = _random_letters(rng)
    threads = default_threads()
    states = random_states(small_rule, n, rng)
    steppers = {
        "4": _stepper(small_rule, graph, "dense", threads, rng),
        "8": _stepper(big_rule, graph, "dense", threads, rng),
        "letters": _stepper(letters, graph, "dense", threads, rng),
        "large": _stepper(small_rule, large, "dense", threads, rng),
    }
    contenders: dict[str, Any] = {name: lambda s=stepper: s.advance(1) for name, stepper in steppers.items()}
    contenders |= {f"scipy {name}": call for name, call in scipy_step(small_rule, graph, states, 1).items()}
    if (scatter := torch_step(small_rule, graph, states, 1)) is not None:
        contenders["torch"] = scatter
    seconds = in_turns(contenders, turns, 60)
    rates = {name: (large if name == "large" else graph).num_arcs / time for name, time in seconds.items()}
    where = f"Erdos-Renyi n = {n:,}, mean degree 10, {threads} threads"
    yield row(f"dense step, |M| = 4, b = 1, {where}", rates["4"], "arcs/s", "aim 1e9")
    yield row("  against SciPy: bare CSR product with one-hot states", rates["4"] / rates["scipy product"], "x", ">= 7")
    yield row("  against SciPy: the whole step", rates["4"] / rates["scipy step"], "x", ">= 7")
    if "torch" in rates:
        yield row("  against torch: the whole step by scatter", rates["4"] / rates["torch"], "x", ">= 30")
    else:
        yield row("  against torch: not installed", 0, "-", ">= 30")
    yield row("dense step, |M| = 8, b = 2, same graph", rates["8"], "arcs/s")
    yield row("  share of the rate at |M| = 4, b = 1", rates["8"] / rates["4"], "x", ">= 0.33")
    yield row("dense step, |M| = 8, letters: two counts and the highest, same graph", rates["letters"], "arcs/s")
    yield row("  share of the rate at |M| = 8, b = 2", rates["letters"] / rates["8"], "x", ">= 0.7")
    yield row(f"dense step, |M| = 4, b = 1, n = {4 * n:,}", rates["large"], "arcs/s")
    yield row("  time per arc against the smaller graph", rates["4"] / rates["large"], "x", "<= 1.2")


def _small(quick: bool, rng: np.random.Generator) -> Rows:
    say("a random tree on one core")
    n, steps = 10_000, 200 if quick else 2_000
    tree, fsa = families.random_tree(n, rng=rng), random_automaton(4, 1, rng)
    states = random_states(fsa, n, rng)
    seconds = in_turns({"tree": lambda: run(fsa, tree, states, steps, threads=1)}, 5)["tree"]
    rate = n * steps / seconds
    yield row(f"random tree n = {n:,}, {steps:,} steps, one core", rate, "node-steps/s", ">= 3e7")


def _waves(quick: bool) -> Rows:
    fsa = library.distance()
    sizes = (10**3, 10**4) if quick else (10**4, 10**5, 10**6)
    say(f"waves along paths of up to {sizes[-1]:,} nodes")
    for n in sizes:
        graph = families.path(n)
        states = np.full(n, fsa.index("node"), np.uint8)
        states[0] = fsa.index("root")
        seconds = in_turns({"run": lambda g=graph, s=states: run(fsa, g, s, "stable")}, 5)["run"]
        parity = np.array_equal(run(fsa, graph, states, "stable").last, np.arange(n) % 2)
        target = "<= 2" if n == 10**6 else ""
        yield row(f"Distance on a path of {n:,} until stable, {'exact' if parity else 'WRONG'}", seconds, "s", target)


def _lattices(quick: bool, turns: int, rng: np.random.Generator) -> Rows:
    side, generations = (512, 16) if quick else (4096, 64)
    say(f"Life and other automata on a torus of {side} x {side}")
    torus = Graph.from_lattice(Lattice("moore", side, side, torus=True))
    threads, cells = default_threads(), side * side
    life = library.life_like()
    soup = rng.integers(0, 2, cells).astype(np.uint8)
    # Both sides evolve the same soup over the same generations: what Life does to a soup changes the cost of a step.
    rival = lifelib_seconds(soup.reshape(side, side), generations)
    ours: list[float] = []
    theirs: list[float] = []
    run(life, torus, soup, 1)
    for _ in range(3 if quick else 7):
        ours.append(run(life, torus, soup, generations).seconds)
        theirs.append(rival() if rival else 0.0)
    rate = cells * generations / median(ours)
    what = f"Life, bit-sliced, torus {side} x {side}, {generations} steps of a soup, {threads} threads"
    yield row(what, rate, "cells/s", ">= 1.5e9")
    yield row(
        f"  against lifelib on the same soup{'' if rival else ': not there'}", median(theirs) / median(ours), "x", "> 1"
    )
    rolled = soup.reshape(side, side)
    rules = {f"|M| = {m}, b = {b}": random_automaton(m, b, rng) for m, b in ((2, 4), (4, 3), (8, 2))}
    rules["WireWorld"] = library.wireworld()
    steppers = {name: _stepper(fsa, torus, "lattice", threads, rng) for name, fsa in rules.items()}
    bits = _stepper(life, torus, "bits", threads, rng)
    calls: dict[str, Any] = {name: lambda s=stepper: s.advance(1) for name, stepper in steppers.items()}
    calls |= {"bits": lambda: bits.advance(1), "numpy": lambda: numpy_life(rolled)}
    each = in_turns(calls, turns, 40)
    yield row("  against NumPy rolls, one step", each["numpy"] / each["bits"], "x")
    for name in steppers:
        share = each["bits"] / each[name]
        yield row(f"general lattice path, {name}", cells / each[name], "cells/s", f"{share:.1%} of bit-sliced")


def _memory(quick: bool, rng: np.random.Generator) -> Rows:
    n = 10**5 if quick else 10**6
    say("memory")
    graph, fsa = families.erdos_renyi(n, mean_degree=10, rng=rng), random_automaton(4, 1, rng)
    states = random_states(fsa, n, rng)
    spread = library.distance()
    wave = np.full(n, spread.index("node"), np.uint8)
    wave[0] = spread.index("root")
    allowed = 6 * graph.num_arcs + 16 * graph.num_nodes
    for name, rule, start in (
        ("random automaton, 10 steps", fsa, states),
        ("Distance, until it is decided", spread, wave),
    ):
        tracemalloc.start()
        run(rule, graph, start, 10 if rule is fsa else 30)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        yield row(f"peak memory beyond the input, {name}, of 6 B/arc + 16 B/node", used / allowed, "x", "<= 1")
