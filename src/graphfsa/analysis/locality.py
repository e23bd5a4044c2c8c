"""Tasks that no automaton of a reasonable size can solve, because nodes would have to look too far.

Walk away from a node of a small graph without ever turning back: all such walks, up to a length, form a tree. Its root
and the node look alike up to that distance, and so go through the same states for that number of steps. A node of a
small graph has to answer soon, or it never does: there are only so many configurations before one comes again. If the
root of a large tree has another class, every small automaton is wrong about one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer
from graphfsa.datasets import CustomTask, TaskGraph
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, all_graphs
from graphfsa.graphs.refinement import Refinement

_MAX_CLASSES = 2
_TRIES = 200


@dataclass(frozen=True, eq=False)
class Lookalike:
    """A node of a small graph and the root of a tree: they look alike up to a distance, but have different classes.

    Attributes:
        graph: The small graph.
        inputs: The input of each of its nodes.
        node: The node.
        label: Its class.
        tree: The tree of all walks from the node that never turn back.
        tree_inputs: The input of each node of the tree; its root is node 0.
        tree_label: The class of the root.
        distance: Up to this distance they look alike, so they are in the same state for this number of steps.
        max_states: No automaton with at most this number of states is right about both, whatever it sees of the states
            of neighbours, unless it tells neighbours apart by slots.
    """

    graph: Graph
    inputs: tuple[str, ...]
    node: int
    label: str
    tree: Graph
    tree_inputs: tuple[str, ...]
    tree_label: str
    distance: int
    max_states: int

    def __str__(self) -> str:
        return (
            f"no automaton with at most {self.max_states} states can be right, whatever it sees of its neighbours: "
            f"node {self.node} of a graph of {self.graph.num_nodes} nodes, of the class {self.label}, looks the same "
            f"up to distance {self.distance} as a node of a tree of {self.tree.num_nodes} nodes, of the class "
            f"{self.tree_label}"
        )


def lookalike(task: CustomTask, *, max_nodes: int = 4, limit: int = 511) -> Lookalike | None:
    """Look for two nodes that show that answers of a task depend on what is arbitrarily far away.

    Args:
        task: A task of your own on connected graphs, whose labels are classes.
        max_nodes: The largest size of the small graph.
        limit: The largest number of nodes of the tree; 511 are enough to exclude all 256 states that an automaton may
            have. The task has to label up to 200 such trees.

    Returns:
        The two nodes that exclude the largest automata, or None if there are none, which says nothing.

    Example:
        >>> class OnCycle(CustomTask):
        ...     inputs = ("node",)
        ...     classes = ("tree", "cycle")
        ...     graphs = "connected"
        ...
        ...     def label(self, graph, inputs):
        ...         return [self.classes[len(graph.edges) >= graph.num_nodes]] * graph.num_nodes
        >>> found = lookalike(OnCycle())
        >>> found.graph.num_nodes, found.tree.num_nodes, found.max_states
        (3, 511, 256)
    """
    check_integer("max_nodes", max_nodes, 1, 6)
    check_integer("limit", limit, 1, 10**5)
    if task.states or task.graphs != "connected":
        return None
    best: Lookalike | None = None
    for _, (classes, graph, row, node) in zip(range(_TRIES), _candidates(task, max_nodes), strict=False):
        origins, edges, distance = _walks(graph, node, limit)
        states = _root(distance + 1, classes)
        if states <= (1 if best is None else best.max_states):
            continue
        tree, given = Graph.from_edges(len(origins), edges), row[origins]
        label, other = _label(task, graph, row, node), _label(task, tree, given, 0)
        if label is not None and other is not None and label != other:
            inputs, tree_inputs = _names(task, row), _names(task, given)
            best = Lookalike(graph, inputs, node, label, tree, tree_inputs, other, distance, states)
    return best


def _candidates(task: CustomTask, max_nodes: int) -> Iterator[tuple[int, Graph, Array, int]]:
    """Nodes of small graphs with cycles, those first whose graphs have few kinds of nodes."""
    found: list[tuple[int, Graph, Array, int]] = []
    for size in range(3, max_nodes + 1):
        for graph in all_graphs(task.graphs, size).graphs():
            if graph.num_arcs < 2 * size:
                continue  # A tree is the tree of its own walks.
            for row in task.instances(graph):
                colours = Refinement(graph, row.astype(np.uint64), np.zeros(size, np.int64), both=False)
                colours.refine()
                kinds, first = np.unique(colours.cls, return_index=True)
                if len(kinds) <= _MAX_CLASSES:
                    found += [(len(kinds), graph, row, node) for node in first.tolist()]
    yield from sorted(found, key=lambda candidate: (candidate[0], candidate[1].num_nodes, candidate[1].num_arcs))


def _walks(graph: Graph, node: int, limit: int) -> tuple[list[int], list[tuple[int, int]], int]:
    """The tree of walks that never turn back: the node at which each ends, the edges, and the length of the longest."""
    origins, edges = [node], list[tuple[int, int]]()
    layer, distance = [(0, -1)], 0
    while layer:
        fresh: list[tuple[int, int, int]] = []
        for place, before in layer:
            at = origins[place]
            fresh += [(place, at, other) for other in graph.neighbours(at).tolist() if other != before]
        if not fresh or len(origins) + len(fresh) > limit:
            break
        layer = []
        for place, at, other in fresh:
            edges.append((place, len(origins)))
            layer.append((len(origins), at))
            origins.append(other)
        distance += 1
    return origins, edges, distance


def _root(number: int, power: int) -> int:
    """The largest integer whose power is at most a number."""
    found = 1
    while (found + 1) ** power <= number:
        found += 1
    return found


def _names(task: CustomTask, row: Array) -> tuple[str, ...]:
    return tuple(task.task.inputs[k] for k in row.tolist())


def _label(task: CustomTask, graph: Graph, row: Array, node: int) -> str | None:
    """The class of a node; None if the task does not admit the graph, or gives the node none."""
    try:
        if not task.admits(TaskGraph.of(graph), list(_names(task, row))):
            return None
        examples = task.examples(GraphBatch.of([graph]), row)
    except GraphFSAError:
        return None
    return task.task.classes[int(examples.labels[node])] if examples.mask[node] else None
