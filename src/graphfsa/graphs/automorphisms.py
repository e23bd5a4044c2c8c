"""The symmetries of a small graph: numberings of its nodes that leave all arcs and slots as they are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs.batch import GraphBatch
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.isomorphism import refine_colours

MAX_SYMMETRIES = 5040


def automorphisms(graph: GraphLike, limit: int = MAX_SYMMETRIES) -> Array:
    """The symmetries of a graph, int64 [symmetries, num_nodes]; the first is the identity.

    Row ``p`` says that node ``v`` becomes node ``p[v]``. If there are more than ``limit``, those are listed that leave
    the first node where it is, or the first two, and so on: always a group, so what is equal up to these is equal.

    Args:
        graph: The graph, small: every symmetry is listed.
        limit: How many to list at most, at least 1.

    Example:
        >>> from graphfsa.graphs import families
        >>> [len(automorphisms(graph)) for graph in (families.cycle(5), families.ring(5), families.path(5))]
        [10, 5, 2]
    """
    known = as_graph(graph)
    arcs = _relations(known)
    colours = refine_colours(GraphBatch.of([known]), np.zeros(known.num_nodes, np.int64)).tolist()
    order = _order(known)
    for fixed in range(known.num_nodes):
        found = list(islice(_symmetries(arcs, colours, order, fixed), limit + 1))
        if len(found) <= limit:
            return np.array(found, np.int64)
    return np.arange(known.num_nodes)[None]


def _relations(graph: Graph) -> list[list[int]]:
    """For each pair of nodes a number that says how the first sees the second."""
    slots = [0] * graph.num_arcs if graph.slots is None else graph.slots.tolist()
    seen: dict[tuple[int, int], list[int]] = {}
    for target, source, slot in zip(graph.targets().tolist(), graph.indices.tolist(), slots, strict=True):
        seen.setdefault((target, source), []).append(slot)
    numbers: dict[tuple[int, ...], int] = {}
    relations = [[0] * graph.num_nodes for _ in range(graph.num_nodes)]
    for (target, source), places in seen.items():
        relations[target][source] = numbers.setdefault(tuple(sorted(places)), len(numbers) + 1)
    return relations


def _order(graph: Graph) -> list[int]:
    """The nodes, neighbours soon after each other, so that a wrong choice is noticed soon."""
    near: list[set[int]] = [set() for _ in range(graph.num_nodes)]
    for target, source in zip(graph.targets().tolist(), graph.indices.tolist(), strict=True):
        near[target].add(source)
        near[source].add(target)
    order: dict[int, None] = {}
    for first in range(graph.num_nodes):
        waiting = [first]
        while waiting:
            node = waiting.pop(0)
            if node not in order:
                order[node] = None
                waiting += sorted(near[node])
    return list(order)


def _symmetries(
    arcs: list[list[int]], colours: list[int], order: list[int], fixed: int
) -> Iterator[list[int]]:  # fmt: skip
    """Every symmetry under which the first ``fixed`` nodes of the order stay, the identity first."""
    size = len(order)
    image = [-1] * size
    used = [False] * size

    def extend(place: int) -> Iterator[list[int]]:
        if place == size:
            yield list(image)
            return
        node = order[place]
        candidates = [node] if place < fixed else [node, *(other for other in range(size) if other != node)]
        for other in candidates:
            if used[other] or colours[other] != colours[node] or arcs[other][other] != arcs[node][node]:
                continue
            known = order[:place]
            if all(
                arcs[node][seen] == arcs[other][image[seen]] and arcs[seen][node] == arcs[image[seen]][other]
                for seen in known
            ):
                image[node], used[other] = other, True
                yield from extend(place + 1)
                image[node], used[other] = -1, False

    return extend(0)
