"""Chooses the kernels for an automaton and a graph, and changes between them as fewer or more nodes change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._bits import BitStepper, outcomes
from graphfsa.engine._dense import ListStepper
from graphfsa.engine._event import EventStepper
from graphfsa.engine._lattice import LatticeStepper, fits_lattice
from graphfsa.engine._stepper import DenseStepper, Outcome, Stepper
from graphfsa.engine._tiled import TiledStepper, fits_tiles
from graphfsa.engine._tiled_parts import TiledPartsStepper, fits_parts
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph

__all__ = ["KERNELS", "Kernel", "Stepper", "make_stepper"]

Kernel = Literal["auto", "event", "dense", "lattice", "bits"]
KERNELS = ("auto", "event", "dense", "lattice", "bits")

_SMALL_GRAPH = 1 << 13
"""Nodes and arcs up to which a call per step costs more than the step: the event kernel makes many steps per call."""
_SMALL_LATTICE = 1 << 8
_MAX_LATTICE_ARCS = 1 << 25
"""Arcs up to which a lattice may get neighbour lists, so that its quiet phases can be event-driven."""


def make_stepper(fsa: GraphFSA, graph: Graph, kernel: Kernel, threads: int) -> Stepper:
    """The stepper for a kernel; ``auto`` takes the one that is expected to be fastest."""
    if kernel == "event":
        return EventStepper(fsa, graph)
    if kernel == "dense":
        return _dense(fsa, graph, threads, quiet=0)
    if kernel in ("lattice", "bits"):
        stepper = _lattice(fsa, graph, threads, quiet=0) if kernel == "lattice" else _bits(fsa, graph, threads)
        if stepper is None:
            raise GraphFSAError(f"kernel {kernel!r} can't run this automaton on this graph; choose 'auto'")
        return stepper
    if graph.lattice is not None and graph.num_nodes > _SMALL_LATTICE:
        stepper = _bits(fsa, graph, threads) or _adaptive_lattice(fsa, graph, threads)
        if stepper is not None:
            return stepper
    if graph.num_nodes + graph.num_arcs <= _SMALL_GRAPH:
        return EventStepper(fsa, graph)
    # An event costs about ten times as much as a node in a dense step, and a change makes an event of each neighbour.
    quiet = graph.num_nodes**2 // (16 * (graph.num_nodes + graph.num_arcs))
    return _AdaptiveStepper(_dense(fsa, graph, threads, quiet), lambda: EventStepper(fsa, graph, busy=4 * quiet))


def _dense(fsa: GraphFSA, graph: Graph, threads: int, quiet: int) -> DenseStepper:
    kind = TiledStepper if fits_tiles(fsa, graph) else TiledPartsStepper if fits_parts(fsa, graph) else ListStepper
    return kind(fsa, graph, threads, quiet)


def _bits(fsa: GraphFSA, graph: Graph, threads: int) -> Stepper | None:
    found = None if graph.lattice is None else outcomes(fsa, graph.lattice)
    return None if found is None or graph.lattice is None else BitStepper(*found, graph.lattice, threads)


def _lattice(fsa: GraphFSA, graph: Graph, threads: int, quiet: int) -> DenseStepper | None:
    lattice = graph.lattice
    return LatticeStepper(fsa, lattice, threads, quiet) if lattice and fits_lattice(fsa, lattice) else None


def _adaptive_lattice(fsa: GraphFSA, graph: Graph, threads: int) -> Stepper | None:
    # Rows are combined so cheaply that events pay only when very little happens.
    quiet = graph.num_nodes**2 // (64 * (graph.num_nodes + graph.num_arcs))
    if graph.num_arcs > _MAX_LATTICE_ARCS:
        return _lattice(fsa, graph, threads, quiet=0)
    dense = _lattice(fsa, graph, threads, quiet)
    return None if dense is None else _AdaptiveStepper(dense, lambda: EventStepper(fsa, graph, busy=4 * quiet))


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
