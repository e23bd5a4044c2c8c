"""The tasks on which learning until there is a proof is measured: what to compute, never how an automaton does it."""

from __future__ import annotations

import numpy as np

from benchmarks._mazes import Maze
from benchmarks._rooted_tasks import (
    AndOrTree,
    CountMarks,
    DepthMod3,
    HeightParity,
    LowestCommonAncestor,
    MajorityOfThree,
    MarkAnywhereRooted,
    MarkInSubtree,
    MarkOnTheWay,
    WinLose,
)
from benchmarks._task_parts import (
    MarksSpecification,
    any_connected,
    any_tree,
    few_or_many,
    modulo_specification,
    small_and_large,
    yes_or_no,
)
from graphfsa.datasets import CustomTask, Specification, TaskGraph, TreeSpecification, WaveSpecification
from graphfsa.graphs import Graph

# Connected graphs.


class _Waves(WaveSpecification):
    """The statement of tasks in which classes are numbers modulo their count, or the colours themselves."""

    def __init__(self, task: CustomTask, sources, join, *, one: bool = False, **others) -> None:
        self.name, self.inputs, self.classes, self.sources = task.name, task.inputs, task.classes, sources
        self.one_source, self._join = one, join
        vars(self).update(others)
        self.period = 1 if set(sources.values()) <= set(task.classes) and sources else len(task.classes)

    def join(self, given, colours):
        return self._join(colours)

    def label(self, distance, colour):
        return self.classes[distance] if self.period > 1 else colour


class DistanceMod3(CustomTask):
    """The distance from the root, modulo 3."""

    inputs = ("node", "root")
    classes = ("0", "1", "2")
    graphs = "connected"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_connected(size, rng)

    def label(self, graph, inputs):
        return [str(distance % len(self.classes)) for distance in graph.distances(inputs.index("root"))]

    def specifications(self) -> tuple[Specification, ...]:
        return _Waves(self, {"root": "root"}, lambda _colours: "root", one=True), modulo_specification(self)


class DistanceMod5(DistanceMod3):
    """The distance from the root, modulo 5."""

    classes = ("0", "1", "2", "3", "4")


class VoronoiTies(CustomTask):
    """The colour of the nearest coloured nodes; a tie if both colours are equally near."""

    inputs = ("node", "red", "blue")
    classes = ("red", "blue", "tie")
    graphs = "connected"
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_connected(size, rng)

    def admits(self, graph, inputs):
        return set(inputs) != {"node"}

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        marks = few_or_many(graph.num_nodes, rng)
        marks[rng.integers(graph.num_nodes)] = True
        colours = rng.integers(1, len(self.inputs), graph.num_nodes).tolist()
        return [self.inputs[colour] if mark else "node" for mark, colour in zip(marks, colours, strict=True)]

    def label(self, graph, inputs):
        nearest = _nearest(graph, inputs, self.inputs[1:])
        return [names[0] if len(names) == 1 else "tie" for names in nearest]

    def specifications(self) -> tuple[Specification, ...]:
        colours = {name: name for name in self.inputs[1:]}
        return (_Waves(self, colours, lambda seen: next(iter(seen)) if len(seen) == 1 else "tie"),)


class VoronoiFour(VoronoiTies):
    """The colour of the nearest coloured node; the lowest one if several are equally near."""

    inputs = ("node", "c1", "c2", "c3", "c4")
    classes = ("c1", "c2", "c3", "c4")

    def label(self, graph, inputs):
        return [names[0] for names in _nearest(graph, inputs, self.classes)]

    def specifications(self) -> tuple[Specification, ...]:
        return (_Waves(self, {name: name for name in self.classes}, min),)


class TwoCore(CustomTask):
    """Whether a node is left when nodes with less than two neighbours are removed as long as there are any."""

    inputs = ("node",)
    classes = ("out", "core")
    graphs = "connected"
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_connected(size, rng)

    def label(self, graph, inputs):
        near = [set(graph.neighbours(node).tolist()) for node in graph.nodes]
        waiting, left = [node for node in graph.nodes if len(near[node]) < 2], set(graph.nodes)
        while waiting:
            node = waiting.pop()
            left.discard(node)
            for other in near[node]:
                near[other].discard(node)
                if len(near[other]) == 1:
                    waiting.append(other)
        return ["core" if node in left else "out" for node in graph.nodes]


# Trees without a root.


class MarkAnywhere(CustomTask):
    """Whether any node of a tree is marked."""

    inputs = ("plain", "marked")
    classes = ("no", "yes")
    graphs = "tree"
    splits = small_and_large()

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        return [self.inputs[mark] for mark in few_or_many(graph.num_nodes, rng)]

    def label(self, graph, inputs):
        return [yes_or_no("marked" in inputs)] * graph.num_nodes

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (MarksSpecification(self, ("marked",), 1, lambda marks, _: yes_or_no(marks > 0), more=True),)


class LeafDistance(CustomTask):
    """Whether the nearest leaf of a tree is at an even or an odd distance; a node alone is a leaf."""

    inputs = ("node",)
    classes = ("even", "odd")
    graphs = "tree"
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        leaves = [node for node in graph.nodes if graph.degrees[node] < 2]
        return [self.classes[distance % 2] for distance in graph.distances(*leaves)]

    def specifications(self) -> tuple[Specification, ...]:
        return (_Waves(self, {}, lambda _colours: "leaf", leaf="leaf", graph_class="tree"),)


class Centre(CustomTask):
    """Whether the farthest node is as near to a node of a tree as to any other."""

    inputs = ("node",)
    classes = ("no", "yes")
    graphs = "tree"
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        # In a tree, one end of some longest path is the farthest node, wherever one starts.
        end = int(np.argmax(graph.distances(0)))
        away = graph.distances(end)
        far = np.maximum(away, graph.distances(int(np.argmax(away))))
        return [yes_or_no(distance == far.min()) for distance in far]


class Midpoint(CustomTask):
    """Whether a node is in the middle of the path between the two marked nodes of a tree, or one of two there."""

    inputs = ("node", "marked")
    classes = ("no", "yes")
    graphs = "tree"
    exactly = {"marked": 2}  # noqa: RUF012
    splits = small_and_large(2)

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        first, second = (node for node in graph.nodes if inputs[node] == "marked")
        here, there = graph.distances(first), graph.distances(second)
        length = here[second]
        return [yes_or_no(a + b == length and abs(a - b) <= 1) for a, b in zip(here, there, strict=True)]


TASKS: tuple[type[CustomTask], ...] = (
    DistanceMod3,
    DistanceMod5,
    VoronoiTies,
    VoronoiFour,
    TwoCore,
    MarkInSubtree,
    MarkOnTheWay,
    CountMarks,
    MarkAnywhereRooted,
    LowestCommonAncestor,
    DepthMod3,
    HeightParity,
    WinLose,
    AndOrTree,
    MajorityOfThree,
    MarkAnywhere,
    LeafDistance,
    Centre,
    Midpoint,
    Maze,
)


def _nearest(graph: TaskGraph, inputs: list[str], colours: tuple[str, ...]) -> list[list[str]]:
    """The colours that are as near to each node as any, in the order that is given."""
    away = {
        colour: graph.distances(*(node for node in graph.nodes if inputs[node] == colour))
        for colour in colours
        if colour in inputs
    }
    least = [min(distances) for distances in zip(*away.values(), strict=True)]
    return [[colour for colour in away if away[colour][node] == least[node]] for node in graph.nodes]
