"""Cuts a graph into parts of neighbouring nodes, one for each worker.

Nodes are put in an order in which neighbours are near each other, and the order is cut into parts with about as many
arcs each. The order is that of a breadth-first search from a node at the rim, or the order in which the nodes are
numbered, whichever cuts fewer arcs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine.compiling import compile_kernel
from graphfsa.graphs import Graph

_NODE = 4
"""What a node costs in a step, in arcs."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Which nodes each worker looks after.

    Attributes:
        order: All nodes, those of each part together, int32 [num_nodes].
        places: Where each node is in the order, int32 [num_nodes].
        bounds: Where each part begins in the order, and where the last ends, int64 [parts + 1].
        cut: Number of arcs from one part into another.
    """

    order: Array
    places: Array
    bounds: Array
    cut: int

    @property
    def parts(self) -> int:
        """Number of parts."""
        return len(self.bounds) - 1

    def nodes(self, part: int) -> Array:
        """The nodes of a part."""
        return self.order[self.bounds[part] : self.bounds[part + 1]]


def _search(start: int, indptr: Any, indices: Any, order: Any, places: Any) -> int:
    """Breadth-first, against the arcs; one part of the graph after the other. Returns the last node of the first."""
    num_nodes = len(order)
    places[:] = -1
    head = tail = 0
    rim = -1
    fresh = 0
    node = start
    while tail < num_nodes:
        order[tail] = node
        places[node] = tail
        tail += 1
        while head < tail:
            seer = order[head]
            head += 1
            for arc in range(indptr[seer], indptr[seer + 1]):
                source = indices[arc]
                if places[source] < 0:
                    places[source] = tail
                    order[tail] = source
                    tail += 1
        if rim < 0:
            rim = order[tail - 1]
        while fresh < num_nodes and places[fresh] >= 0:
            fresh += 1
        node = fresh
    return rim


def _count_cut(indptr: Any, indices: Any, places: Any, bounds: Any) -> int:
    """The number of arcs between different parts."""
    found = 0
    parts = np.zeros(len(places), np.int32)
    for node in range(len(places)):
        parts[node] = np.searchsorted(bounds, places[node], side="right")
    for node in range(len(places)):
        for arc in range(indptr[node], indptr[node + 1]):
            found += parts[indices[arc]] != parts[node]
    return found


@cache
def _kernels() -> tuple[Any, Any]:
    return compile_kernel(_search), compile_kernel(_count_cut)


def partition(graph: Graph, parts: int) -> Partition:
    """Cut a graph that has nodes into parts of about the same number of arcs, none of them empty.

    Args:
        graph: The graph.
        parts: Number of parts; fewer if there are fewer nodes.
    """
    parts = max(1, min(parts, graph.num_nodes))
    numbered = np.arange(graph.num_nodes, dtype=np.int32)
    found = [_cut(graph, numbered, numbered, parts)]
    if found[0].cut:
        order, places = np.empty((2, graph.num_nodes), np.int32)
        rim = _kernels()[0](0, graph.indptr, graph.indices, order, places)
        _kernels()[0](rim, graph.indptr, graph.indices, order, places)
        found.append(_cut(graph, order, places, parts))
    return min(found, key=lambda each: each.cut)


def _cut(graph: Graph, order: Array, places: Array, parts: int) -> Partition:
    work = np.cumsum(graph.degrees[order] + _NODE)
    bounds = np.searchsorted(work, work[-1] * np.arange(1, parts) / parts) + 1
    bounds = np.r_[0, bounds, len(order)].astype(np.int64)
    for part in range(1, parts):  # A hub may be worth several parts.
        bounds[part] = min(max(bounds[part], bounds[part - 1] + 1), len(order) - parts + part)
    cut = int(_kernels()[1](graph.indptr, graph.indices, places, bounds)) if parts > 1 else 0
    return Partition(order, places, bounds, cut)
