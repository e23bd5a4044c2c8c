"""Chooses the kernels for an automaton and a graph."""

from __future__ import annotations

from typing import Literal

from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._adaptive import AdaptiveStepper
from graphfsa.engine._bits import BitStepper, outcomes
from graphfsa.engine._dense import ListStepper
from graphfsa.engine._event import EventStepper
from graphfsa.engine._lattice import LatticeStepper, fits_lattice
from graphfsa.engine._stepper import DenseStepper, Stepper
from graphfsa.engine._tiled import TiledStepper, fits_tiles
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph

Path = Literal["auto", "event", "dense", "lattice", "bits"]
PATHS = ("auto", "event", "dense", "lattice", "bits")

_SMALL_GRAPH = 1 << 13
"""Nodes and arcs up to which a call per step costs more than the step: the event kernel makes many steps per call."""
_SMALL_LATTICE = 1 << 8
_MAX_LATTICE_ARCS = 1 << 25
"""Arcs up to which a lattice may get neighbour lists, so that its quiet phases can be event-driven."""


def make_stepper(fsa: GraphFSA, graph: Graph, path: Path, threads: int) -> Stepper:
    """The stepper for a path; ``auto`` takes the one that is expected to be fastest."""
    if path == "event":
        return EventStepper(fsa, graph)
    if path == "dense":
        return _dense(fsa, graph, threads, quiet=0)
    if path in ("lattice", "bits"):
        stepper = _lattice(fsa, graph, threads, quiet=0) if path == "lattice" else _bits(fsa, graph, threads)
        if stepper is None:
            raise GraphFSAError(f"path {path!r} can't run this automaton on this graph; choose 'auto'")
        return stepper
    if graph.lattice is not None and graph.num_nodes > _SMALL_LATTICE:
        stepper = _bits(fsa, graph, threads) or _adaptive_lattice(fsa, graph, threads)
        if stepper is not None:
            return stepper
    if graph.num_nodes + graph.num_arcs <= _SMALL_GRAPH:
        return EventStepper(fsa, graph)
    # An event costs about ten times as much as a node in a dense step, and a change makes an event of each neighbour.
    quiet = graph.num_nodes**2 // (16 * (graph.num_nodes + graph.num_arcs))
    return AdaptiveStepper(_dense(fsa, graph, threads, quiet), lambda: EventStepper(fsa, graph, busy=4 * quiet))


def _dense(fsa: GraphFSA, graph: Graph, threads: int, quiet: int) -> DenseStepper:
    kind = TiledStepper if fits_tiles(fsa, graph) else ListStepper
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
    return None if dense is None else AdaptiveStepper(dense, lambda: EventStepper(fsa, graph, busy=4 * quiet))
