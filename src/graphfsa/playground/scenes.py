"""Scenes: an automaton, a world and its states, as the page reads them from a file or the fragment of an address."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from typing import Any

import numpy as np

from graphfsa.aggregations import (
    AverageThresholdAggregation,
    CountingAggregation,
    LettersAggregation,
    PositionalAggregation,
)
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.serialize import automaton_config
from graphfsa.errors import AutomatonError, LimitError
from graphfsa.graphs import Graph

VERSION = 1
MAX_NODES = 2**21
MAX_ARCS = 2**23
MAX_ENTRIES = 2**22
MAX_RULE_ENTRIES = 4096
"""Larger tables are shown without words: there would be too many, and the search takes seconds."""
_KNOWN = (CountingAggregation, PositionalAggregation, AverageThresholdAggregation, LettersAggregation)


def scene(
    fsa: GraphFSA | StochasticFSA, graph: Graph, states: Array, *, seed: int = 0, title: str | None = None
) -> dict[str, Any]:
    """A scene as JSON values.

    Args:
        fsa: The automaton; of an aggregation that the page knows.
        graph: The graph.
        states: The state of each node, integers [num_nodes].
        seed: The seed of the coins.
        title: What it shows.

    Raises:
        AutomatonError: The page does not know the aggregation.
        LimitError: The table or the graph is too large for a page.
    """
    if type(fsa.aggregation) not in _KNOWN:
        known = ", ".join(kind.name for kind in _KNOWN)
        raise AutomatonError(f"the playground knows the aggregations {known}; got {fsa.aggregation.name}")
    if fsa.transition_table.size > MAX_ENTRIES:
        raise LimitError(
            f"the playground takes tables of at most {MAX_ENTRIES:,} entries; got {fsa.transition_table.size:,}"
        )
    if graph.num_nodes > MAX_NODES or graph.num_arcs > 2 * MAX_ARCS:
        raise LimitError(
            f"the playground takes graphs of at most {MAX_NODES:,} nodes and {MAX_ARCS:,} edges; "
            f"got {graph.num_nodes:,} nodes and {graph.num_arcs:,} arcs"
        )
    found: dict[str, Any] = {"v": VERSION, **_automaton(fsa), "world": world_of(graph), "start": _start(states)}
    if seed:
        found["seed"] = seed
    return found if title is None else {**found, "title": title}


def packed(found: dict[str, Any]) -> str:
    """A scene as the fragment of an address: ``1`` and its JSON, compressed and in the letters of addresses."""
    press = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = press.compress(json.dumps(found, separators=(",", ":")).encode()) + press.flush()
    return "1" + urlsafe_b64encode(content).decode().rstrip("=")


def _automaton(fsa: GraphFSA | StochasticFSA) -> dict[str, Any]:
    if isinstance(fsa, StochasticFSA) or fsa.transition_table.size <= MAX_RULE_ENTRIES:
        return {"rules": str(fsa.rules())}
    return {"automaton": automaton_config(fsa)}


def world_of(graph: Graph) -> dict[str, Any]:
    """A graph as JSON values."""
    lattice = graph.lattice
    if lattice is not None:
        sides = {"kind": lattice.kind, "height": lattice.height, "width": lattice.width}
        return {"lattice": {**sides, "torus": lattice.torus, "slotted": lattice.slotted}}
    sources, targets = graph.indices.astype(np.int64), graph.targets().astype(np.int64)
    found: dict[str, Any] = {"n": graph.num_nodes}
    if graph.symmetric and graph.slots is None:
        chosen = sources <= targets
        return {**found, "pairs": np.stack((sources[chosen], targets[chosen]), 1).reshape(-1).tolist()}
    found |= {"pairs": np.stack((sources, targets), 1).reshape(-1).tolist(), "directed": True}
    return found if graph.slots is None else {**found, "slots": graph.slots.tolist()}


def _start(states: Array) -> dict[str, Any]:
    ends = np.flatnonzero(np.diff(states, append=-1 if len(states) else []))
    lengths = np.diff(ends, prepend=-1)
    return {"runs": np.stack((states[ends].astype(np.int64), lengths), 1).reshape(-1).tolist()}
