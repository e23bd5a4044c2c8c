"""Parts of the benchmark of the engine: waves, lattices and memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import thread_time
from typing import Any

import numpy as np

from benchmarks._peers import breadth_first, lifelib_seconds, numpy_life
from benchmarks._report import in_turns, row, say
from graphfsa.aggregations import CountingAggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, library
from graphfsa.automaton.patterns import parse_rle, place_pattern
from graphfsa.automaton.states import random_states
from graphfsa.engine import run
from graphfsa.engine._tiles import TileStepper
from graphfsa.engine.kernels import Stepper, make_stepper
from graphfsa.engine.threads import default_threads
from graphfsa.graphs import Graph, Lattice, families

Rows = Iterator[dict[str, Any]]
Maker = Callable[[int, int, np.random.Generator], GraphFSA]


def waves(quick: bool, rng: np.random.Generator) -> Rows:
    """Distance until stable against breadth-first search."""
    fsa, n = library.distance(), 10**4 if quick else 10**6
    side = round(n**0.5)
    graphs = {
        f"a path of {n // 10:,}": families.path(n // 10),
        f"a path of {n:,}": families.path(n),
        f"a random tree of {n:,}": families.random_tree(n, rng=rng),
        f"a grid of {side:,} x {side:,}": families.von_neumann(side, side),
        f"an Erdos-Renyi graph of {n:,}": families.erdos_renyi(n, mean_degree=10, rng=rng),
    }
    for name, graph in graphs.items():
        say(f"a wave on {name}")
        states = np.full(graph.num_nodes, fsa.index("node"), np.uint8)
        states[0] = fsa.index("root")
        search = breadth_first(graph)
        wave = partial(run, fsa, graph, states, "stable", max_steps=2 * graph.num_nodes, threads=1)
        seconds = in_turns({"run": wave, "search": search}, 3 if quick else 5, 5, thread_time)
        distance, last = search(), wave().last
        known = distance >= 0
        exact = np.array_equal(last[known] == fsa.index("odd"), distance[known] % 2 == 1)
        what = f"Distance on {name} until stable, one core, {'exact' if exact else 'WRONG'}"
        yield row(what, seconds["run"], "s")
        target = "" if "Erdos" in name else "<= 2"
        yield row("  time against a breadth-first search in numba", seconds["run"] / seconds["search"], "x", target)


def _brain() -> GraphFSA:
    """Brian's Brain: an idle cell fires beside two that fire, and rests after it has fired."""

    def move(state: str, counts: Any) -> str:
        if state == "off":
            return "on" if counts["on"] == 2 else "off"
        return "dying" if state == "on" else "off"

    return GraphFSA.from_rule(["off", "on", "dying"], CountingAggregation(bound=3), move)


def _cyclic(num_states: int) -> GraphFSA:
    """A state gives way to the next beside one that is in it."""
    names = [f"s{state}" for state in range(num_states)]
    after = dict(zip(names, names[1:] + names[:1], strict=True))
    return GraphFSA.from_rule(
        names, CountingAggregation(bound=1), lambda state, seen: after[state] if seen[after[state]] else state
    )


def lattices(quick: bool, rng: np.random.Generator, random_automaton: Maker) -> Rows:
    """Life against lifelib and NumPy, and automata of more states against a byte a cell."""
    side, generations = (512, 16) if quick else (4096, 64)
    say(f"Life and other automata on a torus of {side} x {side}")
    torus = Graph.from_lattice(Lattice("moore", side, side, torus=True))
    cells, life = side * side, library.life_like()
    soup = rng.integers(0, 2, cells).astype(np.uint8)
    # Both sides evolve the same soup over the same generations: what Life does to a soup changes the cost of a step.
    rival = lifelib_seconds(soup.reshape(side, side), generations)
    run(life, torus, soup, 1, threads=1)
    ours, theirs = list[float](), list[float]()
    for _ in range(3 if quick else 2):
        began = thread_time()
        run(life, torus, soup, generations, threads=1)
        ours.append(thread_time() - began)
        theirs.append(rival() if rival else 0.0)
    what = f"Life, bit-sliced, torus {side} x {side}, {generations} steps of a soup, one core"
    yield row(what, cells * generations / median(ours), "cells/s", ">= 1.5e9")
    beside = "" if rival else ": not there"
    yield row(f"  against lifelib on the same soup on the plane{beside}", median(theirs) / median(ours), "x", "> 1")
    rolled, threads = soup.reshape(side, side), default_threads()
    bits, many = (_stepper(life, torus, "bits", each, rng) for each in (1, threads))
    calls = {"bits": partial(bits.advance, 1), "rolls": partial(numpy_life, rolled)}
    seconds = in_turns(calls, 3 if quick else 5, 5, thread_time)
    yield row("  against NumPy rolls, one step", seconds["rolls"] / seconds["bits"], "x")
    seconds = in_turns({"many": partial(many.advance, 1)}, 3 if quick else 7, 5)
    yield row(f"Life, bit-sliced, one step, {threads} threads", cells / seconds["many"], "cells/s")
    rules = {"WireWorld": library.wireworld(), "Brian's Brain": _brain(), "a cyclic automaton of 8 states": _cyclic(8)}
    for name, fsa in rules.items():
        circuit, byte = (_stepper(fsa, torus, kernel, 1, rng) for kernel in ("bits", "lattice"))
        calls = {"circuit": partial(circuit.advance, 1), "byte": partial(byte.advance, 1)}
        seconds = in_turns(calls, 3 if quick else 5, 5, thread_time)
        yield row(f"{name}, as a circuit, one core", cells / seconds["circuit"], "cells/s")
        yield row("  against a byte a cell", seconds["byte"] / seconds["circuit"], "x", ">= 3")
    for num_states, bound in ((4, 3), (8, 2)):
        byte = _stepper(random_automaton(num_states, bound, rng), torus, "lattice", 1, rng)
        seconds = in_turns({"byte": partial(byte.advance, 1)}, 3 if quick else 5, 5, thread_time)
        what = f"random table, |M| = {num_states}, b = {bound}, no circuit, a byte a cell, one core"
        yield row(what, cells / seconds["byte"], "cells/s")


_GUN = """x = 36, y = 9
24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!"""


def guns(quick: bool) -> Rows:
    """A board on which little happens: a gun and its gliders, against all cells and against lifelib's hashed trees."""
    side, generations = (512, 500) if quick else (4096, 10_000)
    say(f"a gun on {side} x {side} cells")
    life = library.life_like()
    for torus in (True, False):
        graph = Graph.from_lattice(Lattice("moore", side, side, torus=torus))
        # From the upper left, so that no glider comes to the other side.
        start = place_pattern(parse_rle(_GUN), graph, (20, 20))
        rival = None if torus else lifelib_seconds(start.reshape(side, side), generations)
        tiles, cells = (make_stepper(life, graph, "bits", 1) for _ in range(2))
        assert isinstance(tiles, TileStepper)
        assert isinstance(cells, TileStepper)

        def advance(stepper: TileStepper, everywhere: int, start: Array = start) -> None:
            stepper.load(start)
            stepper.compute_all(everywhere)
            stepper.advance_fully(generations)

        calls = {"tiles": partial(advance, tiles, 0), "cells": partial(advance, cells, generations)}
        calls["run"] = partial(run, life, graph, start, generations, threads=1)
        seconds = in_turns(calls, 3, 60, thread_time)
        assert np.array_equal(tiles.states(), cells.states())
        kind = "torus" if torus else "bounded board"
        what = f"Gosper gun, {generations:,} generations, {kind} {side} x {side}, steps alone, one core"
        yield row(what, seconds["tiles"], "s")
        yield row("  against computing every cell", seconds["cells"] / seconds["tiles"], "x", "> 1")
        yield row("  the whole run, which looks for a return to earlier states", seconds["run"], "s")
        if not torus:
            beside = "" if rival else ": not there"
            ours = rival() / seconds["tiles"] if rival else 0
            yield row(f"  against lifelib, whose hashed trees skip what repeats{beside}", ours, "x")


def _stepper(fsa: GraphFSA, graph: Graph, kernel: Any, threads: int, rng: np.random.Generator) -> Stepper:
    stepper = make_stepper(fsa, graph, kernel, threads)
    stepper.load(random_states(fsa, graph.num_nodes, rng))
    return stepper


def memory(quick: bool, rng: np.random.Generator, random_automaton: Maker) -> Rows:
    """Peak memory of runs."""
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
