"""Ten tasks for the last measurement. Who works on a learner must not read on, or the figures mean nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks._task_parts import (
    RootedTask,
    RootTask,
    SubtreeSpecification,
    any_connected,
    any_tree,
    downwards,
    few_or_many,
    is_root,
    parents,
    small_and_large,
    upwards,
    yes_or_no,
)
from graphfsa.datasets import CustomTask, RootedSpecification, TaskGraph, TreeSpecification
from graphfsa.graphs import Graph

# Rooted trees.


class SubtreeParity(RootedTask):
    """Whether the number of marked nodes of its subtree is even or odd."""

    classes = ("even", "odd")

    def label(self, graph, inputs):
        counts = upwards(graph, inputs, lambda given, below: given.endswith("1") + sum(below))
        return [self.classes[count % 2] for count in counts]


class ColourAbove(CustomTask):
    """The colour of the first coloured node on the way from a node to the root, itself included."""

    inputs = ("root", "node", "red", "blue")
    classes = ("none", "red", "blue")
    graphs = "tree"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large()

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        marks, colours = few_or_many(graph.num_nodes, rng), rng.integers(2, 4, graph.num_nodes)
        names = [self.inputs[colour] if mark else "node" for mark, colour in zip(marks, colours, strict=True)]
        names[rng.integers(graph.num_nodes)] = "root"
        return names

    def label(self, graph, inputs):
        return downwards(graph, inputs, lambda given, above: given if given in self.classes else above or "none")

    def specifications(self) -> tuple[TreeSpecification, ...]:
        follow = lambda given, above: given if given in self.classes else above  # noqa: E731
        return (RootedSpecification(self.name, self.inputs, self.classes, {"root": "none"}, follow, path=False),)


class Guards(RootTask):
    """From the leaves up: a node guards if a child is open; else it is safe if a child guards; else it is open."""

    classes = ("open", "safe", "guard")

    def label(self, graph, inputs):
        return upwards(graph, inputs, lambda _, below: self._answer("open" in below, "guard" in below))

    def specifications(self) -> tuple[TreeSpecification, ...]:
        value = lambda _, counts: self._answer(counts["open"] > 0, counts["guard"] > 0)  # noqa: E731
        return (SubtreeSpecification(self, value, {"safe": 0}),)

    @staticmethod
    def _answer(some_open: bool, some_guard: bool) -> str:
        return "guard" if some_open else "safe" if some_guard else "open"


class StreamOrder(RootTask):
    """The order of a stream: 1 at a source, as that of the largest inflow, one more if two are as large; up to 3."""

    classes = ("1", "2", "3")

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        if rng.integers(2):
            return any_tree(size, rng)
        free, edges = [0, 0], []
        for node in range(1, size):
            edges.append((free.pop(int(rng.integers(2))), node))
            free += [node, node]
        return Graph.from_edges(size, edges)

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        root = int(rng.integers(graph.num_nodes)) * int(rng.integers(2))
        return ["root" if node == root else "node" for node in graph.nodes]

    def label(self, graph, inputs):
        def order(_: str, below: list[int]) -> int:
            return max(below) + (below.count(max(below)) > 1) if below else 1

        return [str(min(3, number)) for number in upwards(graph, inputs, order)]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        def order(_, counts):
            largest = max((int(name) for name in self.classes if counts[name]), default=0)
            return str(min(3, largest + (counts[str(largest)] > 1))) if largest else "1"

        return (SubtreeSpecification(self, order, {"1": 2, "2": 2}),)


class MarkedSibling(CustomTask):
    """Whether another child of the parent is marked."""

    inputs = ("root", "node", "marked")
    classes = ("no", "yes")
    graphs = "tree"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large()

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        names = ["marked" if mark else "node" for mark in few_or_many(graph.num_nodes, rng)]
        names[rng.integers(graph.num_nodes)] = "root"
        return names

    def label(self, graph, inputs):
        above = parents(graph, inputs)
        marked = [above[node] for node in graph.nodes if inputs[node] == "marked"]
        others = [marked.count(above[node]) - (inputs[node] == "marked") for node in graph.nodes]
        return [yes_or_no(not is_root(inputs[node]) and others[node] > 0) for node in graph.nodes]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (_SiblingSpecification(self),)


# Trees without a root.


class Hull(CustomTask):
    """Whether a node is marked, or between two marked nodes."""

    inputs = ("plain", "marked")
    classes = ("out", "in")
    graphs = "tree"
    splits = small_and_large()

    def admits(self, graph, inputs):
        return "marked" in inputs

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        marks = few_or_many(graph.num_nodes, rng)
        marks[rng.integers(graph.num_nodes)] = True
        return [self.inputs[mark] for mark in marks]

    def label(self, graph, inputs):
        near = [set(graph.neighbours(node).tolist()) for node in graph.nodes]
        left = set(graph.nodes)
        waiting = [node for node in graph.nodes if len(near[node]) < 2 and inputs[node] == "plain"]
        while waiting:
            node = waiting.pop()
            left.discard(node)
            for other in near[node]:
                near[other].discard(node)
                if len(near[other]) == 1 and inputs[other] == "plain":
                    waiting.append(other)
        return ["in" if node in left else "out" for node in graph.nodes]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (_HullSpecification(self),)


class Layers(CustomTask):
    """All leaves are taken off at once, again and again: the round in which a node goes, up to 3."""

    inputs = ("node",)
    classes = ("1", "2", "3")
    graphs = "tree"
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        near = [set(graph.neighbours(node).tolist()) for node in graph.nodes]
        labels = ["3"] * graph.num_nodes
        for name in ("1", "2"):
            gone = [node for node in graph.nodes if labels[node] == "3" and len(near[node]) < 2]
            for node in gone:
                labels[node] = name
                for other in near[node]:
                    near[other].discard(node)
        return labels

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (_LayersSpecification(self),)


# Connected graphs.


class Ball(CustomTask):
    """Whether the nearest marked node is at most 1, exactly 2, or more steps away, or nowhere."""

    inputs = ("plain", "marked")
    classes = ("near", "edge", "far")
    graphs = "connected"
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_connected(size, rng)

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        return [self.inputs[mark] for mark in few_or_many(graph.num_nodes, rng)]

    def label(self, graph, inputs):
        away = graph.distances(*(node for node in graph.nodes if inputs[node] == "marked"))
        return ["far" if d is None or d > 2 else "edge" if d == 2 else "near" for d in away]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (_BallSpecification(self),)


class OneWay(CustomTask):
    """Whether one shortest path leads from a node to the root, or several."""

    inputs = ("node", "root")
    classes = ("one", "many")
    graphs = "connected"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_connected(size, rng)

    def label(self, graph, inputs):
        root = inputs.index("root")
        away = graph.distances(root)
        ways = [0] * graph.num_nodes
        ways[root] = 1
        for node in sorted(graph.nodes, key=lambda node: away[node]):
            ways[node] += sum(ways[k] for k in graph.neighbours(node).tolist() if away[k] < away[node])
        return ["one" if number == 1 else "many" for number in ways]


class EquallyFar(CustomTask):
    """Whether a neighbour is as far from the root as a node itself."""

    inputs = ("node", "root")
    classes = ("no", "yes")
    graphs = "connected"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_connected(size, rng)

    def label(self, graph, inputs):
        away = graph.distances(inputs.index("root"))
        near = [graph.neighbours(node).tolist() for node in graph.nodes]
        return [yes_or_no(any(away[k] == away[node] for k in near[node])) for node in graph.nodes]


TASKS: tuple[type[CustomTask], ...] = (
    SubtreeParity,
    ColourAbove,
    Guards,
    StreamOrder,
    MarkedSibling,
    Hull,
    Layers,
    Ball,
    OneWay,
    EquallyFar,
)


# Specifications. In rooted trees "above" comes from the side of the root.


class _Specification(TreeSpecification):
    def __init__(self, task: CustomTask) -> None:
        self.name, self.inputs, self.classes = task.name, task.task.inputs, task.task.classes


class _SiblingSpecification(_Specification):
    """A child tells whether it is marked; a parent, whether one of the other children is."""

    messages = ("plain", "marked", "above no", "above yes")
    bounds = {"plain": 0, "above no": 2, "above yes": 2}  # noqa: RUF012

    def send(self, given: str, counts: Mapping[Any, int]) -> str | None:
        roots = is_root(given) + counts["above no"] + counts["above yes"]
        if roots > 1:
            return None
        if roots:
            return "above yes" if counts["marked"] else "above no"
        return "marked" if given == "marked" else "plain"

    def label(self, given: str, counts: Mapping[Any, int]) -> str | None:
        roots = is_root(given) + counts["above no"] + counts["above yes"]
        return yes_or_no(counts["above yes"] > 0) if roots == 1 else None


class _HullSpecification(_Specification):
    """A branch tells whether a node of it is marked."""

    messages = ("no", "yes")
    bounds = {"no": 0, "yes": 2}  # noqa: RUF012

    def send(self, given: str, counts: Mapping[Any, int]) -> str:
        return yes_or_no(given == "marked" or counts["yes"] > 0)

    def label(self, given: str, counts: Mapping[Any, int]) -> str | None:
        if given == "plain" and not counts["yes"]:
            return None
        return "in" if given == "marked" or counts["yes"] > 1 else "out"


class _LayersSpecification(_Specification):
    """A node tells in which round it goes if the neighbour stays."""

    messages = ("1", "2", "3")
    bounds = {"1": 2, "2": 2, "3": 2}  # noqa: RUF012

    def send(self, given: str, counts: Mapping[Any, int]) -> str:
        return "3" if counts["2"] or counts["3"] else "2" if counts["1"] else "1"

    def label(self, given: str, counts: Mapping[Any, int]) -> str:
        # It goes when one neighbour at most is left, so the slowest one does not matter.
        later = counts["2"] + counts["3"]
        return "3" if later > 1 else "2" if counts["1"] + later > 1 else "1"


class _BallSpecification(_Specification):
    """A branch tells how far the nearest marked node of it is: 0, 1, or more."""

    messages = ("0", "1", "more")
    bounds = {"more": 0}  # noqa: RUF012

    def send(self, given: str, counts: Mapping[Any, int]) -> str:
        return "0" if given == "marked" else "1" if counts["0"] else "more"

    def label(self, given: str, counts: Mapping[Any, int]) -> str:
        return "near" if given == "marked" or counts["0"] else "edge" if counts["1"] else "far"
