"""Chooses the kernels for an automaton and a graph, and changes between them as fewer or more nodes change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._bits import BitStepper, outcomes
from graphfsa.engine._circuit_stepper import CircuitStepper, lattice_circuit
from graphfsa.engine._column_stepper import ColumnStepper, fits_columns
from graphfsa.engine._dense import ListStepper
from graphfsa.engine._event import EventStepper
from graphfsa.engine._lattice import LatticeStepper, fits_lattice
from graphfsa.engine._numpy import NumpyStepper, fits_numpy
from graphfsa.engine._starting import StartingStepper, may_start
from graphfsa.engine._stepper import DenseStepper, Outcome, Stepper
from graphfsa.engine._streamed import StreamedStepper, fits_stream
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, TiledGraph

__all__ = ["KERNELS", "Kernel", "Stepper", "make_stepper"]

Kernel = Literal["auto", "event", "dense", "lattice", "bits", "numpy"]
KERNELS = ("auto", "event", "dense", "lattice", "bits", "numpy")

_SMALL_GRAPH = 1 << 13
"""Nodes and arcs up to which a call per step costs more than the step: the event kernel makes many steps per call."""
_SMALL_LATTICE = 1 << 8
_CIRCUIT_CELLS = 1 << 14
_MAX_LATTICE_ARCS = 1 << 25
"""Arcs up to which a lattice may get neighbour lists, so that its quiet phases can be event-driven."""


def make_stepper(fsa: GraphFSA, graph: Graph, kernel: Kernel, threads: int) -> Stepper:
    """The stepper for a kernel; ``auto`` takes the one that is expected to be fastest."""
    if isinstance(graph, TiledGraph) and kernel == "auto" and fits_stream(fsa):
        return StreamedStepper(fsa, graph, threads)
    if kernel == "event":
        return EventStepper(fsa, graph)
    if kernel == "dense":
        return _dense(fsa, graph, threads, quiet=0)
    if kernel != "auto":
        stepper = _special(fsa, graph, kernel, threads)
        if stepper is None:
            raise GraphFSAError(f"kernel {kernel!r} can't run this automaton on this graph; choose 'auto'")
        return stepper
    if may_start(fsa, graph):
        return StartingStepper(fsa, graph, lambda: _fastest(fsa, graph, threads))
    return _fastest(fsa, graph, threads)


def _fastest(fsa: GraphFSA, graph: Graph, threads: int) -> Stepper:
    """The compiled stepper that is expected to be fastest."""
    if graph.lattice is not None and graph.num_nodes > _SMALL_LATTICE:
        stepper = _adaptive_lattice(fsa, graph, threads)
        if stepper is not None:
            return stepper
    if graph.num_nodes + graph.num_arcs <= _SMALL_GRAPH:
        return EventStepper(fsa, graph)
    # An event costs about ten times as much as a node in a dense step, and a change makes an event of each neighbour.
    quiet = graph.num_nodes**2 // (16 * (graph.num_nodes + graph.num_arcs))
    return _AdaptiveStepper(_dense(fsa, graph, threads, quiet), lambda: EventStepper(fsa, graph, busy=4 * quiet))


def _special(fsa: GraphFSA, graph: Graph, kernel: Kernel, threads: int) -> Stepper | None:
    """The stepper of a kernel that not every automaton and graph has."""
    if kernel == "lattice":
        return _lattice(fsa, graph, threads, quiet=0)
    if kernel == "bits":
        return _bits(fsa, graph, threads, quiet=0)
    return NumpyStepper(fsa, graph) if fits_numpy(fsa) else None


def _dense(fsa: GraphFSA, graph: Graph, threads: int, quiet: int) -> DenseStepper:
    kind = ColumnStepper if fits_columns(fsa, graph) else ListStepper
    return kind(fsa, graph, threads, quiet)


def _bits(fsa: GraphFSA, graph: Graph, threads: int, quiet: int, least: int = 0) -> DenseStepper | None:
    """Words of cells; by circuits on lattices of at least this number of cells, as it takes a while to make them."""
    lattice = graph.lattice
    if lattice is None:
        return None
    found = outcomes(fsa, lattice)
    if found is not None:
        return BitStepper(*found, lattice, threads)
    circuit = lattice_circuit(fsa, lattice) if graph.num_nodes >= least else None
    return None if circuit is None else CircuitStepper(circuit, lattice, threads, quiet)


def _lattice(fsa: GraphFSA, graph: Graph, threads: int, quiet: int) -> DenseStepper | None:
    lattice = graph.lattice
    return LatticeStepper(fsa, lattice, threads, quiet) if lattice and fits_lattice(fsa, lattice) else None


def _adaptive_lattice(fsa: GraphFSA, graph: Graph, threads: int) -> Stepper | None:
    # Rows are combined so cheaply that events pay only when very little happens, and words of cells even more so.
    quiet = 0 if graph.num_arcs > _MAX_LATTICE_ARCS else graph.num_nodes**2 // (64 * (graph.num_nodes + graph.num_arcs))
    dense = _bits(fsa, graph, threads, quiet // 8, _CIRCUIT_CELLS) or _lattice(fsa, graph, threads, quiet)
    if dense is None or isinstance(dense, BitStepper) or not quiet:
        return dense
    return _AdaptiveStepper(dense, lambda: EventStepper(fsa, graph, busy=quiet))


class _AdaptiveStepper(Stepper):
    """Runs dense steps while much changes and event-driven ones while little does.

    Args:
        dense: The dense stepper; it asks for a handover when little changes.
        make_event: Builds the event-driven stepper, when it is first needed.
    """

    def __init__(self, dense: DenseStepper, make_event: Callable[[], EventStepper]) -> None:
        self._dense = dense
        self._make_event = make_event
        self._event: EventStepper | None = None
        self._active: Stepper = dense
        self._mark: Array | None = None
        self._used: list[str] = []

    @property
    def kernel(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The kernels that were used, joined by a plus sign."""
        return "+".join(self._used) or self._active.kernel

    def load(self, states: Array) -> None:
        self._active = self._dense
        self._dense.load(states)

    def replace(self, first: int, states: Array) -> None:
        self._active.replace(first, states)

    def states(self) -> Array:
        return self._active.states()

    def set_mark(self, states: Array | None) -> None:
        self._mark = states
        self._active.set_mark(states)

    def advance(self, limit: int) -> tuple[int, Outcome]:
        total = 0
        while True:
            if self._active.kernel not in self._used:
                self._used.append(self._active.kernel)
            done, outcome = self._active.advance(limit - total)
            total += done
            if outcome is not Outcome.HANDOVER:
                return total, outcome
            self._hand_over()
            if total == limit:
                return total, Outcome.RUNNING

    def _hand_over(self) -> None:
        states = self._active.states()
        if self._active is self._dense:
            if self._event is None:
                self._event = self._make_event()
            changed = np.flatnonzero(states != self._dense.previous_states()).astype(np.int32)
            self._event.load_frontier(states, changed)
            self._active = self._event
        else:
            self._dense.load(states)
            self._active = self._dense
        self._active.set_mark(self._mark)
