"""Every instance of a task up to a size, in one order, in portions that fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer
from graphfsa.datasets import Dataset
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import GraphBatch, all_graphs
from graphfsa.graphs.enumeration import MAX_INPUTS, MAX_SIZES, check_class, num_graphs

MAX_NODES = 2**30
CHUNK_NODES = 2**20
"""Nodes of a portion. Digests of verifications are made portion by portion, so this is part of their definition."""
Progress = Callable[[int, int], None]
"""Called with the number of instances looked at so far, and of all."""
BOARD = "board"
"""What the class of graphs is called for data sets on boards."""


@dataclass(frozen=True)
class SizeCount:
    """How many graphs of a size there are, and how many instances on all of them together."""

    size: int
    graphs: int
    instances: int


@dataclass(frozen=True, eq=False)
class Portion:
    """Some instances of one size.

    Attributes:
        size: The size.
        places: For each instance, the place of its graph among all graphs of that size, int64.
        graphs: The graph of each instance.
        inputs: The inputs of all of them, uint8 [nodes of the union].
    """

    size: int
    places: Array
    graphs: GraphBatch
    inputs: Array


def class_of(dataset: Dataset, graph_class: str | None) -> str:
    """The class of graphs to look at: the given one, or the data set's own."""
    own = dataset.graph_class or BOARD
    if graph_class is None or graph_class == own:
        return own
    check_class(graph_class)
    if own == BOARD:
        raise GraphFSAError(f"{dataset.name} is defined on boards; the class of graphs can't be {graph_class}")
    return graph_class


def graphs_of(dataset: Dataset, kind: str, size: int) -> GraphBatch:
    """Every graph of a class and size, up to isomorphism."""
    return dataset.every_graph(size) if kind == BOARD else all_graphs(kind, size)


def plan(dataset: Dataset, kind: str, max_nodes: Any) -> list[SizeCount]:
    """How much there is to look at, for each size that has any.

    Raises:
        LimitError: It is too much; the message names the largest size that is not.
        GraphFSAError: There is nothing.
    """
    check_integer("max_nodes", max_nodes, 1)
    counts: list[SizeCount] = []
    total = 0
    for size in range(1, int(max_nodes) + 1):
        problem = f"graphs of the class {kind} are listed up to {size - 1} nodes"
        if size <= MAX_SIZES.get(kind, size):
            graphs = len(dataset.every_graph(size)) if kind == BOARD else num_graphs(kind, size)
            each = dataset.num_instances(size)
            total += graphs * each * size
            problem = _problem(dataset.name, kind, size, graphs, each, total)
            if graphs * each:
                counts.append(SizeCount(size, graphs, graphs * each))
        if problem:
            raise LimitError(f"{problem}. Choose max_nodes of at most {size - 1}; got {max_nodes}")
    if not counts:
        raise GraphFSAError(f"{dataset.name} has no instances on graphs of the class {kind} up to {max_nodes} nodes")
    return counts


def _problem(name: str, kind: str, size: int, graphs: int, each: int, total: int) -> str:
    if graphs and each > MAX_INPUTS:
        return f"{name} has {each:,} inputs on a graph of {size} nodes, and at most {MAX_INPUTS:,} are listed"
    if total > MAX_NODES:
        return f"{name} on all graphs of the class {kind} up to {size} nodes has {total:,} nodes, above {MAX_NODES:,}"
    return ""


def portions(dataset: Dataset, kind: str, counts: list[SizeCount]) -> Iterator[Portion]:
    """Every instance, smaller sizes first, then in the order of the graphs and of ``Dataset.instances``."""
    for count in counts:
        graphs = graphs_of(dataset, kind, count.size)
        capacity = room = max(1, CHUNK_NODES // count.size)
        parts: list[tuple[int, Array]] = []
        for place, graph in enumerate(graphs.graphs()):
            rows = dataset.instances(graph)
            while len(rows):
                parts.append((place, rows[:room]))
                rows, room = rows[room:], room - len(parts[-1][1])
                if not room:
                    yield _portion(count.size, graphs, parts)
                    parts, room = [], capacity
        if parts:
            yield _portion(count.size, graphs, parts)


def _portion(size: int, graphs: GraphBatch, parts: list[tuple[int, Array]]) -> Portion:
    places = np.repeat([place for place, _ in parts], [len(rows) for _, rows in parts])
    return Portion(size, places, graphs.select(places), np.concatenate([rows.reshape(-1) for _, rows in parts]))
