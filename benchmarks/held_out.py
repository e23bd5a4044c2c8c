"""Ten tasks for the last measurement. Who works on a learner must not read on, or the figures mean nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks._held_out_parts import (
    BlocksSpecification,
    EndsSpecification,
    MinesSpecification,
    PairsSpecification,
    TankSpecification,
)
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
    some_share,
    upwards,
    yes_or_no,
)
from graphfsa.datasets import CustomTask, TaskGraph, TreeSpecification, WaveSpecification
from graphfsa.graphs import Graph

# Rooted trees.


class CommonLetters(CustomTask):
    """Fitch's letters of an ancestor: those that all its children may have; if there are none, all that any may have.

    A leaf has one letter.
    """

    inputs = ("a", "b", "inner", "root")
    classes = ("a", "b", "either")
    graphs = "tree"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large(2)

    def admits(self, graph, inputs):
        leaves = [degree == 1 and not is_root(name) for degree, name in zip(graph.degrees, inputs, strict=True)]
        return graph.num_nodes > 1 and leaves == [name in ("a", "b") for name in inputs]

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        letters = some_share(graph.num_nodes, rng)
        names = ["ab"[letters[node]] if graph.degrees[node] == 1 else "inner" for node in graph.nodes]
        names[rng.integers(graph.num_nodes)] = "root"
        return names

    def label(self, graph, inputs):
        def letters(given: str, below: list[frozenset[str]]) -> frozenset[str]:
            if not below:
                return frozenset(given)
            return frozenset.intersection(*below) or frozenset.union(*below)

        return ["".join(found) if len(found) == 1 else "either" for found in upwards(graph, inputs, letters)]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        def letter(given: str, counts: Mapping[Any, int]) -> str | None:
            children = any(counts[name] for name in self.classes)
            if children == (given in ("a", "b")):
                return None
            if not children:
                return given
            return "either" if counts["a"] == counts["b"] else "a" if counts["a"] else "b"

        return (SubtreeSpecification(self, letter),)


class WaysDown(RootedTask):
    """Whether all ways down to a leaf have an even number of marks, both ends included, all an odd one, or neither."""

    classes = ("even", "odd", "both")

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        def parities(given: str, below: list[set[int]]) -> set[int]:
            return {(number + given.endswith("1")) % 2 for number in set().union(*below) or {0}}

        return ["both" if len(found) == 2 else self.classes[min(found)] for found in upwards(graph, inputs, parities)]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        def parity(given: str, counts: Mapping[Any, int]) -> str:
            if counts["both"] or (counts["even"] and counts["odd"]):
                return "both"
            return self.classes[(given.endswith("1") + counts["odd"]) % 2]

        return (SubtreeSpecification(self, parity),)


class Level(RootTask):
    """Whether all leaves below a node are equally far from it."""

    classes = ("no", "yes")

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        if rng.integers(2):
            return any_tree(size, rng)
        children = int(rng.integers(1, 4))
        return Graph.from_edges(size, [((node - 1) // children, node) for node in range(1, size)])

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        root = int(rng.integers(graph.num_nodes)) * int(rng.integers(2))
        return ["root" if node == root else "node" for node in graph.nodes]

    def label(self, graph, inputs):
        def depth(_: str, below: list[int | None]) -> int | None:
            if not below:
                return 0
            return None if None in below or len(set(below)) > 1 else (below[0] or 0) + 1

        return [yes_or_no(found is not None) for found in upwards(graph, inputs, depth)]


class Pairs(RootedTask):
    """Whether two nodes next to each other are marked on the way from the root to a node, both ends included."""

    classes = ("no", "yes")

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        def word(given: str, above: str | None) -> str:
            return (above or "") + given[-1]

        return [yes_or_no("11" in found) for found in downwards(graph, inputs, word)]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (PairsSpecification(self),)


# Paths, and trees without a root.


class Ends(CustomTask):
    """Whether the first and the last letter of the word along a path are the same."""

    inputs = ("a", "b")
    classes = ("same", "different")
    graphs = "path"
    splits = small_and_large()

    def label(self, graph, inputs):
        ends = {inputs[node] for node in graph.nodes if graph.degrees[node] < 2}
        return ["same" if len(ends) == 1 else "different"] * graph.num_nodes

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (EndsSpecification(self),)


class Blocks(CustomTask):
    """Whether the block of equal letters in which a node of a path is has an even or an odd length."""

    inputs = ("a", "b")
    classes = ("even", "odd")
    graphs = "path"
    splits = small_and_large()

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        others = rng.random(graph.num_nodes) < rng.choice((0.1, 0.3, 0.5))
        letters = (np.cumsum(others) + rng.integers(2)) % 2
        names = [""] * graph.num_nodes
        for node, letter in zip(_along(graph), letters.tolist(), strict=True):
            names[node] = self.inputs[letter]
        return names

    def label(self, graph, inputs):
        blocks: list[list[int]] = []
        for node in _along(graph):
            if not blocks or inputs[blocks[-1][-1]] != inputs[node]:
                blocks.append([])
            blocks[-1].append(node)
        lengths = {node: len(block) for block in blocks for node in block}
        return [self.classes[lengths[node] % 2] for node in graph.nodes]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (BlocksSpecification(self),)


class LongestPaths(CustomTask):
    """Whether a node of a tree is on a longest path."""

    inputs = ("node",)
    classes = ("no", "yes")
    graphs = "tree"
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_tree(size, rng)

    def label(self, graph, inputs):
        # The farthest node from anywhere is an end of a longest path, and all longest paths go through the centre.
        end = int(np.argmax(graph.distances(0)))
        away = graph.distances(end)
        far = np.maximum(away, graph.distances(int(np.argmax(away))))
        centre = ["root" if node == int(np.argmin(far)) else "node" for node in graph.nodes]
        above, on = parents(graph, centre), {node for node in graph.nodes if far[node] == far.max()}
        for node in reversed(above):
            if node in on and above[node] >= 0:
                on.add(above[node])
        return [yes_or_no(node in on) for node in graph.nodes]


# Connected graphs.


class Mines(CustomTask):
    """How many neighbours have a mine: none, one, or at least two; a node with a mine says that it has one."""

    inputs = ("free", "mine")
    classes = ("0", "1", "2", "mine")
    graphs = "connected"
    splits = small_and_large()

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_connected(size, rng)

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        return [self.inputs[mark] for mark in few_or_many(graph.num_nodes, rng)]

    def label(self, graph, inputs):
        near = [[inputs[other] for other in graph.neighbours(node)] for node in graph.nodes]
        return ["mine" if inputs[node] == "mine" else str(min(2, near[node].count("mine"))) for node in graph.nodes]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return (MinesSpecification(self),)


class Tank(CustomTask):
    """Whether one can drive from the root to a node on a shortest path, with fuel for two steps between stations."""

    inputs = ("node", "root", "station")
    classes = ("no", "yes")
    graphs = "connected"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large()
    _full = 2

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return any_connected(size, rng)

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        names = ["station" if some else "node" for some in some_share(graph.num_nodes, rng)]
        names[rng.integers(graph.num_nodes)] = "root"
        return names

    def label(self, graph, inputs):
        away = graph.distances(inputs.index("root"))
        fuel = [-1] * graph.num_nodes
        for node in sorted(graph.nodes, key=lambda node: away[node]):
            nearer = [fuel[other] for other in graph.neighbours(node) if away[other] < away[node]]
            left = max(nearer, default=self._full + 1) - 1
            fuel[node] = self._full if left >= 0 and inputs[node] == "station" else max(left, -1)
        return [yes_or_no(left >= 0) for left in fuel]

    def specifications(self) -> tuple[WaveSpecification, ...]:
        return (TankSpecification(self, self._full),)


class TwoSides(CustomTask):
    """Whether all nodes can be put on two sides, so that neighbours are never on the same one; one node is the root."""

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
        inside = any((away[node] - away[other]) % 2 == 0 for node in graph.nodes for other in near[node])
        return [yes_or_no(not inside)] * graph.num_nodes


TASKS: tuple[type[CustomTask], ...] = (
    CommonLetters,
    WaysDown,
    Level,
    Pairs,
    Ends,
    Blocks,
    LongestPaths,
    Mines,
    Tank,
    TwoSides,
)


def _along(graph: TaskGraph) -> list[int]:
    """The nodes of a path from one end to the other."""
    away = graph.distances(int(np.argmin(graph.degrees)))
    return sorted(graph.nodes, key=lambda node: away[node])
