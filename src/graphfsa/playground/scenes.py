"""Scenes: an automaton, a world and its states, as the page reads them from a file or the fragment of an address."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
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
from graphfsa.automaton.rules import any_automaton_from_rules
from graphfsa.automaton.serialize import automaton_config, automaton_from_config
from graphfsa.automaton.states import node_states
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError, LimitError
from graphfsa.fields import Field, read_fields
from graphfsa.graphs import Graph, Lattice

VERSION = 1
MAX_NODES = 2**21
MAX_ARCS = 2**23
MAX_ENTRIES = 2**22
MAX_RULE_ENTRIES = 4096
"""Larger tables are shown without words: there would be too many, and the search takes seconds."""
_SIDES = ("kind", "height", "width", "torus", "slotted")
_AUTOMATON = {"rules": Field((str, None), None), "automaton": Field((dict, None), None)}
_FIELDS = {
    **_AUTOMATON,
    "world": Field(dict),
    "start": Field(dict),
    "from": Field(int, 0, least=0),
}
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


@dataclass(frozen=True, eq=False)
class SceneParts:
    """What a scene describes.

    Attributes:
        automaton: The automaton.
        graph: The graph.
        states: The state of each node, uint8 [num_nodes].
        time: The step at which they are in these states.
    """

    automaton: GraphFSA | StochasticFSA
    graph: Graph
    states: Array
    time: int


def read_scene(found: Any) -> SceneParts:
    """What is in a scene that a page has sent; of graphs it sends every edge, and states as they are.

    Raises:
        FormatError: The values are no such scene; the message names the field.
    """
    fields = read_fields(found, _FIELDS, "scene", unknown=True)
    try:
        fsa = read_automaton(fields, "scene")
        graph = _graph(fields["world"])
        return SceneParts(fsa, graph, _states(fields["start"], fsa, graph), fields["from"])
    except GraphFSAError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"scene: a field is missing or wrong: {error!r}") from None


def read_automaton(found: Any, where: str) -> GraphFSA | StochasticFSA:
    """The automaton of a scene, or of an object with its fields ``rules`` or ``automaton`` alone.

    Raises:
        FormatError: The values are no automaton; the message names the field.
    """
    fields = read_fields(found, _AUTOMATON, where, unknown=True)
    if fields["rules"] is not None:
        return any_automaton_from_rules(fields["rules"], f"{where}: rules")
    given = {name: part for name, part in (fields["automaton"] or {}).items() if name != "schema"}
    return automaton_from_config(given, f"{where}: automaton")


def _graph(world: dict[str, Any]) -> Graph:
    if "lattice" in world:
        return Graph.from_lattice(Lattice(**{name: world["lattice"][name] for name in _SIDES}))
    pairs = np.asarray(world["pairs"], np.int64).reshape(-1, 2)
    return Graph.from_edges(world["n"], pairs, directed=world.get("directed", False), slots=world.get("slots"))


def _states(start: dict[str, Any], fsa: GraphFSA | StochasticFSA, graph: Graph) -> Array:
    if "bits" in start:
        data = urlsafe_b64decode(start["data"] + "=" * (-len(start["data"]) % 4))
        places = np.arange(0, 8, start["bits"])
        split = np.frombuffer(data, np.uint8)[:, None] >> places & (2 ** start["bits"] - 1)
        return node_states(fsa, graph, split.reshape(-1)[: graph.num_nodes])
    runs = np.asarray(start["runs"], np.int64).reshape(-1, 2)
    if runs[:, 1].min(initial=0) < 0 or runs[:, 1].sum() != graph.num_nodes:
        raise FormatError(f"scene: start must have a state for each of {graph.num_nodes} nodes")
    return node_states(fsa, graph, np.repeat(runs[:, 0], runs[:, 1]))


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
