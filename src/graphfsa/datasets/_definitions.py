"""What definitions of tasks share: which nodes are marked, and what shape a graph must have.

A definition is asked about graphs that nobody drew, so it refuses those for which it means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets._examples import _column
from graphfsa.datasets._task import Task
from graphfsa.datasets._trees import distances, predecessors
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch


def checked_inputs(task: Task, graphs: GraphBatch, inputs: Any) -> Array:
    """Input classes of a task, uint8, one for each node of the union."""
    return _column("inputs", inputs, graphs.graph.num_nodes, np.uint8, len(task.inputs))


def marked_nodes(task: Task, graphs: GraphBatch, inputs: Array, mark: int, number: int = 1) -> Array:
    """The nodes with a given input, int64 [number of graphs, number]; each graph must have so many of them."""
    name = task.inputs[mark]
    return _marked(f"{number} node{'s' * (number > 1)} with the input {name}", task, graphs, inputs == mark, number)


def roots_of(task: Task, graphs: GraphBatch, inputs: Array, marks: tuple[int, ...]) -> Array:
    """The root of each graph, int64: its one node that has one of the given inputs."""
    names = " or ".join(task.inputs[mark] for mark in marks)
    return _marked(f"one node with the input {names}", task, graphs, np.isin(inputs, marks), 1)[:, 0]


def shortest_paths(name: str, graphs: GraphBatch, roots: Array) -> Array:
    """``predecessors`` in graphs that must be undirected and connected."""
    if not graphs.graph.symmetric:
        raise GraphFSAError(f"{name} is defined on undirected graphs; got one with arcs that go one way")
    before = predecessors(graphs, roots)
    if (before < 0).any():
        where = _owner(graphs, np.flatnonzero(before < 0)[0])
        raise GraphFSAError(f"{name} is defined on connected graphs; graph {where} is not connected")
    return before


def check_trees(name: str, graphs: GraphBatch) -> None:
    """Raise unless each graph has as many edges as a tree; if it is also connected and undirected, it is one."""
    edges, sizes = np.diff(graphs.graph.indptr[graphs.offsets]), np.diff(graphs.offsets)
    wrong = np.flatnonzero(edges != 2 * (sizes - 1))
    if len(wrong):
        raise GraphFSAError(
            f"{name} is defined on trees; graph {wrong[0]} has {sizes[wrong[0]]} nodes and {edges[wrong[0]]} arcs"
        )


def places_on_paths(name: str, graphs: GraphBatch, roots: Array) -> Array:
    """Where each node comes if the paths are laid out one after the other from their roots, int64, from 0.

    The graphs must be paths with the root at one end, numbered in whichever way.
    """
    check_trees(name, graphs)
    away = distances(shortest_paths(name, graphs, roots))
    places = away + np.repeat(graphs.offsets[:-1], np.diff(graphs.offsets))
    # A tree is a path with its root at one end exactly if no two nodes are equally far away.
    twice = np.flatnonzero(np.bincount(places, minlength=len(places)) != 1)
    if len(twice):
        where = _owner(graphs, twice[0])
        raise GraphFSAError(f"{name} is defined on paths with the root at one end; graph {where} is not one")
    return places


def path_ends(name: str, graph: Graph) -> Array:
    """The two ends of a path, or its only node."""
    degrees = graph.degrees
    ends = np.flatnonzero(degrees <= 1)
    if not graph.num_nodes or len(ends) != min(graph.num_nodes, 2) or graph.num_arcs != 2 * (graph.num_nodes - 1):
        raise GraphFSAError(f"{name} is defined on paths; got {graph}")
    return ends


def _marked(wanted: str, task: Task, graphs: GraphBatch, chosen: Array, number: int) -> Array:
    nodes = np.flatnonzero(chosen)
    counts = np.bincount(_owner(graphs, nodes), minlength=len(graphs))
    wrong = np.flatnonzero(counts != number)
    if len(wrong):
        raise GraphFSAError(f"{task.name} needs {wanted} in each graph; graph {wrong[0]} has {counts[wrong[0]]}")
    return nodes.reshape(-1, number)


def _owner(graphs: GraphBatch, nodes: Array) -> Array:
    """The graph of some nodes of the union."""
    return np.searchsorted(graphs.offsets, nodes, side="right") - 1
