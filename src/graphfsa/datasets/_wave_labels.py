"""The labels of one graph by a wave specification: breadth-first search from the sources, as the definition says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph

if TYPE_CHECKING:
    from graphfsa.datasets._wave_specification import WaveTable


def wave_labels(table: WaveTable, graph: Graph, inputs: Sequence[str]) -> list[str | None] | None:
    """The class of each node, None for one that no source reaches; None if this is no instance of the task.

    Raises:
        GraphFSAError: The graph is not of the class that the statement is about.
    """
    near = [graph.neighbours(node).tolist() for node in range(graph.num_nodes)]
    numbers = [table.inputs.index(name) for name in inputs]
    if table.leaf is None:
        colours = [table.sources[given] for given in numbers]
    else:
        colours = [table.leaf if len(seen) <= 1 else None for seen in near]
    distances = _distances(near, [node for node, colour in enumerate(colours) if colour is not None])
    _check_graph(table, graph, near)
    number = distances.count(0)
    if (table.one_source and number > 1) or (table.graph_class != "directed" and not number):
        return None
    reached = [node for node, distance in enumerate(distances) if distance]
    for node in sorted(reached, key=lambda node: distances[node] or 0):
        nearer = [colours[other] for other in near[node] if distances[other] == (distances[node] or 0) - 1]
        colours[node] = table.join[numbers[node], frozenset(colour for colour in nearer if colour is not None)]
        if colours[node] is None:
            return None
    return [
        None if distance is None or colour is None else table.classes[table.label[distance % table.period, colour]]
        for distance, colour in zip(distances, colours, strict=True)
    ]


def _distances(near: Sequence[Sequence[int]], sources: Sequence[int]) -> list[int | None]:
    """The number of steps from the nearest source; None for a node that none reaches."""
    found: list[int | None] = [None] * len(near)
    after: list[list[int]] = [[] for _ in near]
    for node, seen in enumerate(near):
        for other in seen:
            after[other].append(node)
    waiting = list(sources)
    for node in waiting:
        found[node] = 0
    for node in waiting:
        for other in after[node]:
            if found[other] is None:
                found[other] = (found[node] or 0) + 1
                waiting.append(other)
    return found


def _check_graph(table: WaveTable, graph: Graph, near: Sequence[Sequence[int]]) -> None:
    if table.graph_class == "directed":
        return
    simple = graph.symmetric and all(node not in seen and len(set(seen)) == len(seen) for node, seen in enumerate(near))
    right = bool(near) and simple and None not in _distances(near, [0])
    if table.graph_class != "connected":
        right = right and graph.num_arcs == 2 * (graph.num_nodes - 1)
    if table.graph_class == "path":
        right = right and all(len(seen) <= 2 for seen in near)
    if not right:
        kinds = {"connected": "simple connected graphs", "tree": "trees", "path": "paths"}
        raise GraphFSAError(f"{table.name} is about {kinds[table.graph_class]}; got {graph}")
