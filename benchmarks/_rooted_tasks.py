"""Tasks on rooted trees, from the leaves to the root or the other way."""

from __future__ import annotations

import numpy as np

from benchmarks._task_parts import (
    MarksSpecification,
    RootedTask,
    RootTask,
    SubtreeSpecification,
    any_tree,
    downwards,
    is_root,
    modulo_specification,
    parents,
    small_and_large,
    some_share,
    upwards,
    yes_or_no,
)
from graphfsa.datasets import CustomTask, RootedSpecification, TaskGraph, TreeSpecification
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph


class MarkInSubtree(RootedTask):
    """Whether a node or a node below it is marked."""

    def label(self, graph, inputs):
        return upwards(graph, inputs, lambda given, below: yes_or_no(given.endswith("1") or "yes" in below))

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (SubtreeSpecification(self, lambda given, counts: yes_or_no(given.endswith("1") or counts["yes"] > 0)),)


class MarkOnTheWay(RootedTask):
    """Whether a node or a node on its way to the root is marked."""

    def label(self, graph, inputs):
        return downwards(graph, inputs, lambda given, above: yes_or_no(given.endswith("1") or above == "yes"))

    def specifications(self) -> tuple[TreeSpecification, ...]:
        roots = {"root0": "no", "root1": "yes"}
        follow = lambda given, above: yes_or_no(given == "node1" or above == "yes")  # noqa: E731
        return (RootedSpecification(self.name, self.inputs, self.classes, roots, follow, path=False),)


class CountMarks(RootedTask):
    """How many nodes of its subtree are marked: none, one, or at least two."""

    classes = ("0", "1", "2")

    def label(self, graph, inputs):
        def count(given: str, below: list[str]) -> str:
            return str(min(2, given.endswith("1") + sum(map(int, below))))

        return upwards(graph, inputs, count)

    def specifications(self) -> tuple[TreeSpecification, ...]:
        def count(given, counts):
            return str(min(2, given.endswith("1") + counts["1"] + 2 * counts["2"]))

        return (SubtreeSpecification(self, count, {"0": 0, "1": 2}),)


class MarkAnywhereRooted(RootedTask):
    """Whether any node of a tree with a root is marked."""

    def label(self, graph, inputs):
        return [yes_or_no(any(name.endswith("1") for name in inputs))] * graph.num_nodes

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (MarksSpecification(self, ("root1", "node1"), 1, lambda marks, _: yes_or_no(marks > 0), more=True),)


class LowestCommonAncestor(RootedTask):
    """Whether a node is the lowest one that has both marked nodes in its subtree."""

    splits = small_and_large(2)

    def admits(self, graph, inputs):
        return sum(name.endswith("1") for name in inputs) == 2

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        root, marks = rng.integers(graph.num_nodes), rng.choice(graph.num_nodes, 2, replace=False)
        return [f"{'root' if node == root else 'node'}{int(node in marks)}" for node in graph.nodes]

    def label(self, graph, inputs):
        marks = upwards(graph, inputs, lambda given, below: given.endswith("1") + sum(below))
        above = parents(graph, inputs)
        within = {above[node] for node in graph.nodes if marks[node] == 2}
        return [yes_or_no(marks[node] == 2 and node not in within) for node in graph.nodes]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        def answer(marks, counts):
            elsewhere = counts["2"] + counts["1 and root"] + counts["2 and root"]
            return None if marks != 2 else yes_or_no(not elsewhere)

        return (MarksSpecification(self, ("root1", "node1"), 2, answer, more=False),)


class DepthMod3(RootTask):
    """The depth of a node in a rooted tree, modulo 3."""

    classes = ("0", "1", "2")

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        return downwards(graph, inputs, lambda _, above: "0" if above is None else str((int(above) + 1) % 3))

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (modulo_specification(self),)


class HeightParity(RootTask):
    """Whether the longest way down from a node of a rooted tree is even or odd."""

    classes = ("even", "odd")

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        heights = upwards(graph, inputs, lambda _, below: 1 + max(below, default=-1))
        return [self.classes[height % 2] for height in heights]


class WinLose(RootTask):
    """Who is to move wins if some move leads to a node where the other loses; without a move one loses."""

    classes = ("lose", "win")

    def label(self, graph, inputs):
        return upwards(graph, inputs, lambda _, below: "win" if "lose" in below else "lose")

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (SubtreeSpecification(self, lambda _, counts: "win" if counts["lose"] else "lose", {"win": 0}),)


class AndOrTree(CustomTask):
    """The value of each subtree of a formula of and and or, whose leaves are bits."""

    inputs = ("0", "1", "and", "or", "root-and", "root-or")
    classes = ("0", "1")
    graphs = "tree"
    exactly = {("root-and", "root-or"): 1}  # noqa: RUF012
    splits = small_and_large(2)

    def admits(self, graph, inputs):
        leaves = [degree == 1 and not is_root(name) for degree, name in zip(graph.degrees, inputs, strict=True)]
        bits = [name in ("0", "1") for name in inputs]
        return graph.num_nodes > 1 and leaves == bits

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        root = rng.integers(graph.num_nodes)
        bits, gates = some_share(graph.num_nodes, rng), some_share(graph.num_nodes, rng)
        names = ["or" if gate else "and" for gate in gates]
        names = [str(int(bits[node])) if graph.degrees[node] == 1 else names[node] for node in graph.nodes]
        names[root] = f"root-{'or' if gates[root] else 'and'}"
        return names

    def label(self, graph, inputs):
        def value(given: str, below: list[str]) -> str:
            return (min if given.endswith("and") else max)(below) if below else given

        return upwards(graph, inputs, value)

    def specifications(self) -> tuple[TreeSpecification, ...]:
        def value(given, counts):
            if (given in self.classes) == (counts["0"] + counts["1"] > 0):
                return None
            if given in self.classes:
                return given
            return str(int(not counts["0"] if given.endswith("and") else counts["1"] > 0))

        return (SubtreeSpecification(self, value),)


class MajorityOfThree(CustomTask):
    """The value of each subtree if three children each vote; the leaves are bits."""

    inputs = ("0", "1", "inner", "root")
    classes = ("0", "1")
    graphs = "tree"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large(
        learn=((4, 100), (7, 700), (10, 2200)),
        test=((19, 100), (100, 50), (1000, 10)),
    )

    def admits(self, graph, inputs):
        wanted = {"root": 3, "inner": 4, "0": 1, "1": 1}
        return all(degree == wanted[name] for degree, name in zip(graph.degrees, inputs, strict=True))

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        if size < 4 or size % 3 != 1:
            raise GraphFSAError(f"{self.name} needs graphs of 4, 7, 10, ... nodes; got {size}")
        leaves, edges = [0], []
        for first in range(1, size, 3):
            place = rng.integers(len(leaves))
            leaves[place], leaves[-1] = leaves[-1], leaves[place]
            parent, children = leaves.pop(), range(first, first + 3)
            edges += [(parent, child) for child in children]
            leaves += children
        return Graph.from_edges(size, edges)

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        bits = some_share(graph.num_nodes, rng)
        names = {3: "root", 4: "inner"}
        return [names.get(degree, str(int(bits[node]))) for node, degree in enumerate(graph.degrees.tolist())]

    def label(self, graph, inputs):
        def value(given: str, below: list[str]) -> str:
            return sorted(below)[1] if below else given

        return upwards(graph, inputs, value)

    def specifications(self) -> tuple[TreeSpecification, ...]:
        def value(given, counts):
            if counts["0"] + counts["1"] != (0 if given in self.classes else 3):
                return None
            return given if given in self.classes else str(int(counts["1"] >= 2))

        return (SubtreeSpecification(self, value, {"0": 4, "1": 4}),)
