"""Every kernel of the engine against an interpreter that shares nothing with it.

A case is one run of one kernel on a random automaton, graph and states, compared with the plain interpreter.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa import CountingAggregation, Graph, GraphFSA, Lattice, PositionalAggregation, run
from graphfsa.automaton import library
from graphfsa.engine._bits import BitStepper, outcomes
from graphfsa.engine._circuit_stepper import CircuitStepper, lattice_circuit
from graphfsa.engine._column_stepper import ColumnStepper, fits_columns
from graphfsa.engine._dense import ListStepper
from graphfsa.engine._event import EventStepper
from graphfsa.engine._lattice import LatticeStepper, fits_lattice
from graphfsa.engine.kernels import _AdaptiveStepper as AdaptiveStepper
from stress._brute_force import Machine, plain
from stress._soundness_aggregations import draw_aggregation
from stress._soundness_draws import draw_automaton, draw_graph, draw_table

BLOCK = 4000
_MODULE = sys.modules["graphfsa.engine.run"]
Case = tuple[GraphFSA, Graph]


def cases(rng: np.random.Generator, folder: Path) -> Iterator[str]:
    """Runs, each of one kernel."""
    kinds = (_small, _small, _hubs, _slotted, _many_states, _board, _board, _board, _life, _life, _life, _life)
    while True:
        draw = kinds[rng.integers(len(kinds))]
        fsa, graph = draw(rng)
        states = rng.integers(0, fsa.num_states, graph.num_nodes)
        if rng.random() < 0.5:
            states[rng.random(graph.num_nodes) < 0.8] = rng.integers(fsa.num_states)
        steps = int(rng.integers(0, 12))
        machine, arcs = Machine.of(fsa), plain(graph)
        frames = [tuple(states.tolist())]
        for _ in range(steps):
            frames.append(machine.run(arcs, frames[-1], 1))
        yield from _runs(rng, fsa, graph, states, frames)


def _runs(rng: np.random.Generator, fsa: GraphFSA, graph: Graph, states: Any, frames: list[Any]) -> Iterator[str]:
    """One run of each kernel that applies."""
    steps = len(frames) - 1
    for name, build in _steppers(rng, fsa, graph).items():
        chosen = _MODULE.make_stepper
        try:
            _MODULE.make_stepper = lambda *_arguments, build=build: build()
            found = run(fsa, graph, states, steps)
        finally:
            _MODULE.make_stepper = chosen
        _compare(name, fsa, graph, frames, tuple(found.last.tolist()), frames[-1])
        yield f"{name} (handed over)" if "+" in found.kernel else name
    found = run(fsa, graph, states, steps, threads=int(rng.integers(1, 4)), record="all")
    for time, row in zip(found.times.tolist(), found.states.tolist(), strict=True):
        _compare("auto, recorded", fsa, graph, frames, tuple(row), frames[time])
    yield "auto, recorded"
    found = run(fsa, graph, states, steps, record="changes", entries=True)
    for time, expected in enumerate(frames):
        _compare("changes", fsa, graph, frames, tuple(found.at(time).tolist()), expected)
    assert found.entries.sum() == steps * graph.num_nodes, "each step uses one entry for each node"
    yield "changes and entries"


def _steppers(rng: np.random.Generator, fsa: GraphFSA, graph: Graph) -> dict[str, Callable[[], Any]]:
    """Every stepper that applies, with several threads where it has some, and handed over to another and back."""
    threads, quiet = int(rng.integers(1, 4)), int(rng.integers(1, 7))
    busy = quiet + int(rng.integers(0, 9))
    dense: dict[str, Callable[[int], Any]] = {"dense, lists": lambda few: ListStepper(fsa, graph, 1, few)}
    if fits_columns(fsa, graph):
        dense["dense, columns"] = lambda few: ColumnStepper(fsa, graph, 1, few)
    if graph.lattice is not None and fits_lattice(fsa, graph.lattice):
        lattice = graph.lattice
        dense["lattice"] = lambda few: LatticeStepper(fsa, lattice, 1, few)
        circuit = lattice_circuit(fsa, lattice)
        if circuit is not None:
            dense["circuit"] = lambda few: CircuitStepper(circuit, lattice, 1, few)
    found: dict[str, Callable[[], Any]] = {"event": lambda: EventStepper(fsa, graph)}
    for name, make in dense.items():
        found[name] = lambda make=make: _with_threads(make(0), threads)
        found[f"adaptive, {name}"] = lambda make=make: AdaptiveStepper(
            make(quiet), lambda: EventStepper(fsa, graph, busy=busy)
        )
    bits = None if graph.lattice is None else outcomes(fsa, graph.lattice)
    if bits is not None:
        found["bits"] = lambda: _with_threads(BitStepper(*bits, graph.lattice, 1), threads)
    return found


def _with_threads(stepper: Any, threads: int) -> Any:
    """Small graphs are given to one thread: make it several, so that the borders of their ranges are tried."""
    stepper._threads = threads
    return stepper


def _compare(name: str, fsa: GraphFSA, graph: Graph, frames: list[Any], got: Any, expected: Any) -> None:
    assert got == expected, (
        f"{name}: {got} instead of {expected}\n{fsa!r}\n{fsa.transition_table.tolist()}\n"
        f"{graph!r} indptr {graph.indptr.tolist()} indices {graph.indices.tolist()} lattice {graph.lattice}\n"
        f"states {frames[0]}, {len(frames) - 1} steps"
    )


# ---- what is run


def _small(rng: np.random.Generator) -> Case:
    """Any automaton on any small graph: empty, with loops, repeated arcs, isolated nodes."""
    family = ("counting", "average-threshold", "letters", "letters", "own")[rng.integers(5)]
    return draw_automaton(rng, family), draw_graph(rng, slotted=False, most=9)


def _slotted(rng: np.random.Generator) -> Case:
    fsa = draw_automaton(rng, ("positional", "own with slots")[rng.integers(2)])
    return fsa, draw_graph(rng, slotted=True, most=9)


def _hubs(rng: np.random.Generator) -> Case:
    """Larger graphs, some of whose nodes have many neighbours."""
    nodes = int(rng.integers(1, 60))
    edges = rng.integers(0, nodes, (int(rng.integers(0, 3 * nodes)), 2))
    edges[rng.random(len(edges)) < 0.3, 0] = 0
    family = ("counting", "average-threshold", "letters", "own")[rng.integers(4)]
    return draw_automaton(rng, family), Graph.from_edges(nodes, edges, directed=bool(rng.random() < 0.5))


def _many_states(rng: np.random.Generator) -> Case:
    """As many states as there may be, where an aggregation has few values."""
    number = int(rng.choice([1, 7, 8, 9, 15, 16, 17, 255, 256]))
    bound = 2 if number < 9 else 1
    aggregation: Any = CountingAggregation(bound) if number < 10 else PositionalAggregation(1)
    if rng.random() < 0.5:
        aggregation = draw_aggregation(rng, "letters", number)
    names = [f"s{state}" for state in range(number)]
    fsa = GraphFSA(names, aggregation, draw_table(rng, aggregation, number, ()))
    if aggregation.uses_slots:
        nodes = int(rng.integers(1, 9))
        arcs = [(int(rng.integers(nodes)), node) for node in range(nodes) if rng.random() < 0.7]
        return fsa, Graph.from_edges(nodes, arcs, directed=True, slots=[0] * len(arcs))
    return fsa, draw_graph(rng, slotted=False, most=9)


def _lattice(rng: np.random.Generator, slots: bool) -> Graph:
    """Boards and rows of every kind; widths are small, or lie around the 64 cells of a machine word."""
    kind = ("line", "von-neumann", "moore", "hex")[rng.integers(4)]
    torus = bool(rng.random() < 0.5)
    height = 1 if kind == "line" else int(rng.integers(1, 6))
    if kind == "hex" and torus and height % 2:
        height += 1
    width = int(rng.integers(1, 7)) if rng.random() < 0.7 else int(rng.integers(62, 67))
    return Graph.from_lattice(Lattice(kind, height, width, torus, slots))


def _board(rng: np.random.Generator) -> Case:
    graph = _lattice(rng, slots=False)
    family = "counting" if rng.random() < 0.7 else ("average-threshold", "letters")[rng.integers(2)]
    return draw_automaton(rng, family), graph


def _life(rng: np.random.Generator) -> Case:
    """Rules like Life, which are run on bits."""
    born, survive = ("".join(str(k) for k in range(9) if rng.random() < 0.4) for _ in range(2))
    return library.life_like(f"B{born}/S{survive}"), _lattice(rng, slots=False)
