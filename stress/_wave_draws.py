"""Random statements about waves, automata and graphs, and what a node is, found by trying everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphfsa import Graph, GraphFSA
from graphfsa.aggregations import Aggregation, CountingAggregation, LettersAggregation, Sum
from graphfsa.datasets import WaveSpecification

CLASSES = ("connected", "tree", "path", "directed")


class Drawn(WaveSpecification):
    """A statement whose functions are tables of random numbers."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.graph_class = str(rng.choice(CLASSES))
        leaves = self.graph_class != "directed" and rng.random() < 0.2
        num_sources, num_plain = (0 if leaves else int(rng.integers(1, 3))), int(rng.integers(1, 3))
        self._num_colours = int(rng.integers(1, 4))
        self.inputs = tuple(f"in{k}" for k in range(num_sources + num_plain))
        self.classes = tuple(f"class{k}" for k in range(rng.choice([1, 1, 2, 3])))
        self.sources = {self.inputs[k]: int(rng.integers(self._num_colours)) for k in range(num_sources)}
        self.leaf = 0 if leaves else None
        self.period = int(rng.integers(1, 4))
        self.one_source = not leaves and bool(rng.integers(2))
        self._join = rng.integers(-1, self._num_colours, (len(self.inputs), 2**self._num_colours))
        if rng.random() < 0.5:
            self._join = np.maximum(self._join, 0)
        self._label = rng.integers(len(self.classes), size=(self.period, self._num_colours))

    def join(self, given: str, colours: frozenset[Any]) -> int | None:
        """A random colour for each set of colours."""
        found = int(self._join[self.inputs.index(given), sum(1 << colour for colour in colours)])
        return None if found < 0 else found

    def label(self, distance: int, colour: int) -> str:
        """A random class."""
        return self.classes[self._label[distance, colour]]


def draw_automaton(rng: np.random.Generator, spec: WaveSpecification) -> GraphFSA:
    """A random table for the inputs and classes of a statement, most entries of which stay."""
    names = [*spec.classes, *spec.inputs, *(f"s{k}" for k in range(rng.integers(0, 2)))]
    aggregation = draw_aggregation(rng, len(names))
    finals = list(range(len(spec.classes)))
    table = rng.integers(0, len(names), (len(names), aggregation.num_values(len(names))))
    stays = rng.random(table.shape) < rng.choice([0.2, 0.6, 0.9])
    table = np.where(stays, np.arange(len(names))[:, None], table)
    table[finals] = np.array(finals)[:, None]
    return GraphFSA(names, aggregation, table, starting_states=spec.inputs, final_states=spec.classes)


def draw_aggregation(rng: np.random.Generator, num_states: int) -> Aggregation:
    """Counting, or letters of any kind."""
    if rng.random() < 0.5:
        return CountingAggregation(bound=1 if num_states > 5 else int(rng.integers(1, 3)))
    sums: list[Sum] = []
    for _ in range(rng.integers(1, 4)):
        kind, limit = str(rng.choice(["count", "modulo", "highest"])), int(rng.integers(2, 4))
        weights = rng.integers(0, limit, num_states).tolist()
        sums.append(Sum(kind, limit, tuple(weights)))
    return LettersAggregation(tuple(sums))


def mutated(rng: np.random.Generator, fsa: GraphFSA, number: int) -> GraphFSA:
    """The same automaton with some entries changed."""
    open_states = [state for state in range(fsa.num_states) if state not in fsa.final_states]
    for _ in range(number):
        state, value = int(rng.choice(open_states)), int(rng.integers(fsa.num_values))
        fsa = fsa.with_entry(state, value, int(rng.integers(fsa.num_states)))
    return fsa


def draw_instance(rng: np.random.Generator, spec: WaveSpecification, most: int) -> tuple[Graph, list[str]]:
    """A random graph of the class with random inputs; it need not be an instance."""
    size = int(rng.integers(1, most + 1))
    back = int(rng.integers(1, 6))
    tree = [(int(rng.integers(max(0, node - back), node)), node) for node in range(1, size)]
    if spec.graph_class == "path":
        tree = [(node - 1, node) for node in range(1, size)]
    more = rng.integers(0, size, (int(rng.integers(0, size + 1)), 2)).tolist()
    if spec.graph_class == "directed":
        # A long way with arcs back, so that nodes see those that are much farther away; or anything.
        long = rng.random() < 0.5
        kept = [(node - 1, node) for node in range(1, size)] if long else [p for p in tree if rng.random() < 0.8]
        arcs = kept + [(max(pair), min(pair)) if long else (pair[0], pair[1]) for pair in more]
        graph = Graph.from_edges(size, arcs, directed=True)
    else:
        extra = {(min(pair), max(pair)) for pair in more if pair[0] != pair[1]}
        edges = {*tree, *(extra if spec.graph_class == "connected" else ())}
        graph = Graph.from_edges(size, sorted(edges))
    plain = [name for name in spec.inputs if name not in spec.sources]
    inputs = [str(rng.choice(plain)) for _ in range(size)]
    if spec.sources:
        number = 1 if spec.one_source else int(rng.integers(1, min(size, 3) + 1))
        first = spec.graph_class == "directed" and rng.random() < 0.5
        for node in range(number) if first else rng.choice(size, number, replace=False).tolist():
            inputs[node] = str(rng.choice(list(spec.sources)))
    return graph, inputs


def distances(graph: Graph, sources: Sequence[int]) -> list[int | None]:
    """The distance of each node to the nearest source: the smallest number of steps in which one reaches it."""
    found: list[int | None] = [0 if node in sources else None for node in range(graph.num_nodes)]
    for step in range(1, graph.num_nodes):
        before = list(found)
        for node in range(graph.num_nodes):
            if found[node] is None and any(before[other] == step - 1 for other in graph.neighbours(node).tolist()):
                found[node] = step
    return found


def sources_of(spec: WaveSpecification, graph: Graph, inputs: Sequence[str]) -> list[int]:
    """The sources, by the definition."""
    if spec.leaf is not None:
        return [node for node in range(graph.num_nodes) if len(graph.neighbours(node)) <= 1]
    return [node for node, name in enumerate(inputs) if name in spec.sources]


def colours(
    spec: WaveSpecification, graph: Graph, inputs: Sequence[str], away: Sequence[int | None]
) -> list[int | None] | None:
    """The colour of each node, by the definition; None if a node has none that it should have."""
    found: list[int | None] = [None] * graph.num_nodes
    for node in sorted(range(graph.num_nodes), key=lambda node: -1 if away[node] is None else away[node]):
        distance = away[node]
        if distance == 0:
            found[node] = spec.leaf if spec.leaf is not None else spec.sources[inputs[node]]  # type: ignore[assignment]
        elif distance is not None:
            nearer = [found[other] for other in graph.neighbours(node).tolist() if away[other] == distance - 1]
            found[node] = spec.join(inputs[node], frozenset(nearer))  # type: ignore[assignment]
            if found[node] is None:
                return None
    return found
