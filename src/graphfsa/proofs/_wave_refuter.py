"""Looks for a graph on which an automaton does not do what a wave specification says.

An instance is wrong if it is wrong in the end: its roll-out repeats, and some node is not in the final state of its
class. Final states are never left, so that is wrong after any number of steps; an automaton that is merely slow is not
refuted. What is proved is never refuted, and what is refuted has no proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from graphfsa.analysis.equivalence import last_states
from graphfsa.analysis.verification import Counterexample
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_integer
from graphfsa.datasets import Dataset, WaveSpecification, WaveTable
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphBatch, all_graphs, all_inputs, families
from graphfsa.graphs.enumeration import num_graphs

INSTANCES = 200_000
"""How many small instances are looked at, at most."""
MAX_DIRECTED = 3
"""Directed graphs with loops are listed up to this number of nodes."""
LONG = (8, 10, 12, 17)
"""Sizes of the long graphs, on which late errors show."""
RANDOM = 60
"""How many of them are random."""


@dataclass(frozen=True, eq=False)
class _Instances:
    """Instances of one size: the graphs, and for each of their nodes the input and the class, -1 for none."""

    graphs: GraphBatch
    inputs: Array
    labels: Array


class WaveRefuter:
    """All small instances of a specification, and some long ones; made once for many automata.

    Args:
        spec: The statement.
        max_nodes: The size up to which all graphs of the class are looked at, unless they are too many; directed ones
            up to 3 at most.
        long: Whether to look at some long ones too.

    Attributes:
        max_nodes: The size up to which all of them are.
        looked_at: The size up to which all of them were looked at the last time; smaller if a run never repeated.
    """

    def __init__(self, spec: WaveSpecification, max_nodes: int = 6, *, long: bool = True) -> None:
        table = spec.table
        self._spec, self._task = spec, table.task
        self.max_nodes = _largest(table, check_integer("max_nodes", max_nodes, 1))
        self._long_sizes = [size for size in LONG if long and size > self.max_nodes]
        self.looked_at = 0
        self._parts: dict[int, _Instances | None] = {}

    def refute(self, fsa: GraphFSA) -> Counterexample | None:
        """The smallest instance that is wrong in the end; if there is none, a long one; None if none was found."""
        self._task.check_automaton(fsa)
        self.looked_at = self.max_nodes
        for part in self._instances():
            try:
                found = self._first_wrong(fsa, part)
            except LimitError:  # A roll-out does not repeat for very long; it refutes nothing.
                self.looked_at = min(self.looked_at, int(part.inputs.shape[1]) - 1)
                continue
            if found is not None:
                return found
        return None

    @property
    def input_names(self) -> tuple[str, ...]:
        """The inputs, in the order of their numbers."""
        return self._task.inputs

    def instances(self) -> Iterator[tuple[GraphBatch, Array]]:
        """All that is looked at, size by size: graphs, and the numbers of their nodes' inputs [graphs, nodes]."""
        return ((part.graphs, part.inputs) for part in self._instances())

    def _instances(self) -> Iterator[_Instances]:
        for size in (*range(1, self.max_nodes + 1), *self._long_sizes):
            if size not in self._parts:
                small = size <= self.max_nodes
                self._parts[size] = self._collect(self._small(size) if small else self._long(size))
            part = self._parts[size]
            if part is not None:
                yield part

    def _first_wrong(self, fsa: GraphFSA, part: _Instances) -> Counterexample | None:
        reading = self._task.reading(fsa)
        last = last_states(fsa, part.graphs, reading.starting_states(part.inputs))
        answers = reading.predictions(last)
        wrong = np.flatnonzero((answers != part.labels).any(axis=1))
        if not len(wrong):
            return None
        place = int(wrong[0])
        graph = part.graphs.select([place]).graphs()[0]
        start = reading.starting_states(part.inputs[place])
        steps = run(fsa, graph, start, "stable", max_steps=2**16).steps
        classes = self._task.classes
        return Counterexample(
            graph,
            tuple(self._task.inputs[given] for given in part.inputs[place].tolist()),
            tuple(classes[label] if label >= 0 else None for label in part.labels[place].tolist()),
            tuple(classes[answer] if answer >= 0 else None for answer in answers[place].tolist()),
            steps,
        )

    def _collect(self, given: Iterator[tuple[Graph, Array]]) -> _Instances | None:
        """The instances among graphs with inputs, all of one size."""
        graphs: list[Graph] = []
        inputs: list[Array] = []
        labels: list[list[int]] = []
        for graph, row in given:
            found = self._spec.labels(graph, [self._task.inputs[number] for number in row.tolist()])
            if found is not None:
                graphs.append(graph)
                inputs.append(row)
                labels.append([-1 if name is None else self._task.classes.index(name) for name in found])
        if not graphs:
            return None
        return _Instances(GraphBatch.of(graphs), np.array(inputs, np.uint8), np.array(labels, np.int16))

    def _small(self, size: int) -> Iterator[tuple[Graph, Array]]:
        """Every graph of a size with every input that has as many sources as it must."""
        table = self._spec.table
        rows = all_inputs(size, len(table.inputs))
        number = np.array([colour is not None for colour in table.sources])[rows].sum(axis=1)
        if table.one_source:
            rows = rows[number <= 1]
        directed = table.graph_class == "directed"
        graphs = directed_graphs(size) if directed else all_graphs(table.graph_class, size).graphs()
        return product(graphs, rows)

    def _long(self, size: int) -> Iterator[tuple[Graph, Array]]:
        """Graphs of a larger size with one source or two, in a few places."""
        table = self._spec.table
        plain = [given for given, colour in enumerate(table.sources) if colour is None]
        sources = [given for given, colour in enumerate(table.sources) if colour is not None]
        for graph in _long_graphs(table.graph_class, size):
            for fill in plain:
                rows = [{}] if not sources else [{node: given} for node in (0, size // 2) for given in sources]
                if not table.one_source:
                    pairs = [(0, size - 1), (0, size // 2), (0, size // 2 + 1), (1, 2)]
                    rows += [dict(zip(pair, two, strict=True)) for pair in pairs for two in product(sources, repeat=2)]
                for row in rows:
                    inputs = np.full(size, fill, np.uint8)
                    inputs[list(row)] = list(row.values())
                    yield graph, inputs


def refute_connected(
    fsa: GraphFSA, statement: WaveSpecification | Dataset, max_nodes: int = 6
) -> Counterexample | None:
    """An instance on which an automaton is wrong in the end: the smallest, if it has at most ``max_nodes`` nodes.

    Args:
        fsa: The automaton.
        statement: A wave specification, or a data set that has one.
        max_nodes: The size up to which all graphs of the class are looked at; beyond it, some long ones are.

    Returns:
        The instance, with the step from which on its states repeat; None if none was found.

    Example:
        >>> from graphfsa import library
        >>> from graphfsa.datasets import Distance
        >>> wrong = library.distance().with_entry("node", 1, "even")
        >>> refute_connected(wrong, Distance()).graph.num_nodes
        2
    """
    return WaveRefuter(_specification(statement), max_nodes).refute(fsa)


def _specification(statement: WaveSpecification | Dataset) -> WaveSpecification:
    if isinstance(statement, WaveSpecification):
        return statement
    found = [spec for spec in statement.specifications() if isinstance(spec, WaveSpecification)]
    if not found:
        raise GraphFSAError(f"the data set must have a wave specification; {statement.name} has none")
    return found[0]


def _largest(table: WaveTable, max_nodes: int) -> int:
    """Up to which size all instances are looked at: not too many."""
    directed, sources = table.graph_class == "directed", sum(colour is not None for colour in table.sources)
    plain, total = len(table.sources) - sources, 0
    for size in range(1, max_nodes + 1):
        inputs = plain**size + size * sources * plain ** (size - 1) if table.one_source else len(table.inputs) ** size
        # The number of directed graphs that are listed, or an upper bound of it.
        graphs = 2 ** (size * size) if directed else num_graphs(table.graph_class, size)
        total += graphs * inputs
        if (directed and size > MAX_DIRECTED) or total > INSTANCES:
            return max(1, size - 1)
    return max_nodes


def directed_graphs(size: int) -> list[Graph]:
    """Every graph with numbered nodes, also with loops."""
    if size > MAX_DIRECTED:
        return []
    pairs = [(source, target) for source in range(size) for target in range(size)]
    chosen = all_inputs(len(pairs), 2).astype(bool)
    return [_arcs(size, [pairs[place] for place in np.flatnonzero(row)]) for row in chosen]


def _long_graphs(graph_class: str, size: int) -> list[Graph]:
    """Graphs of a class and size that are as different as possible; always the same ones."""
    if graph_class == "path":
        return [families.path(size)]
    trees = [families.path(size), families.star(size), _broom(size)]
    drawn = _random(graph_class, size)
    if graph_class == "tree":
        return trees + drawn
    around = [(node, node % (size - 1) + 1) for node in range(1, size)]
    wheel = Graph.from_edges(size, [*around, *((0, node) for node in range(1, size))])
    ladder = Graph.from_edges(size, [(node, node + ahead) for ahead in (1, 2) for node in range(size - ahead)])
    found = [*trees, families.cycle(size), wheel, ladder, *drawn]
    if graph_class == "directed":
        found += [_arcs(size, [(node, (node + 1) % size) for node in range(size - cut)]) for cut in (0, 1)]
    return found


def _random(graph_class: str, size: int) -> list[Graph]:
    """Random trees, with some more edges or arcs if the class has them."""
    rng = np.random.default_rng(size)
    found: list[Graph] = []
    for number in range(RANDOM):
        edges = {(int(rng.integers(max(0, node - 3), node)), node) for node in range(1, size)}
        more = rng.integers(0, size, (0 if graph_class == "tree" else number % (size // 2), 2)).tolist()
        if graph_class == "directed":
            found.append(_arcs(size, [*edges, *((left, right) for left, right in more)]))
        else:
            edges |= {(min(pair), max(pair)) for pair in more if pair[0] != pair[1]}
            found.append(Graph.from_edges(size, sorted(edges)))
    return found


def _arcs(size: int, arcs: list[tuple[int, int]]) -> Graph:
    return Graph.from_edges(size, arcs, directed=True)


def _broom(size: int) -> Graph:
    """A path with leaves at its end."""
    half = size // 2
    edges = [(node, node + 1) for node in range(half)] + [(half, leaf) for leaf in range(half + 1, size)]
    return Graph.from_edges(size, edges)
