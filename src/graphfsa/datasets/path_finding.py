"""PathFinding: does a node of a tree lie on the path between the two marked nodes?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, library
from graphfsa.checks import check_choice
from graphfsa.datasets._base import Dataset, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._specification import TreeSpecification
from graphfsa.datasets._structure import check_trees, checked_inputs, marked_nodes, shortest_paths, tree_edges
from graphfsa.datasets._task import Task
from graphfsa.graphs import Graph, GraphBatch


class _Marks(TreeSpecification):
    """A branch tells which marks it has; a node lies between them if two of its branches have one each.

    Marks that look the same are told apart by nothing but their number.
    """

    name = "path-finding"

    def __init__(self, task: Task) -> None:
        self.inputs, self.classes = task.inputs, task.classes
        self._marks: dict[str, tuple[int, ...]]
        self._names: dict[tuple[int, ...], str]
        if len(task.inputs) == 2:
            self._marks = {"node": (0,), "marked": (1,)}
            self._names = {(0,): "none", (1,): "one", (2,): "two"}
        else:
            self._marks = {"node": (0, 0), "first": (1, 0), "second": (0, 1)}
            self._names = {(0, 0): "none", (1, 0): "first", (0, 1): "second", (1, 1): "both"}
        self.messages = tuple(self._names.values())
        self.bounds = dict.fromkeys(self.messages, 3) | {"none": 0}

    def _total(self, given: str, counts: Mapping[Any, int]) -> tuple[int, ...]:
        """How many marks of each kind there are at a node and in the branches that are counted."""
        parts = [self._marks[given]]
        parts += [marks for marks, name in self._names.items() for _ in range(counts[name])]
        return tuple(sum(column) for column in zip(*parts, strict=True))

    def send(self, given: str, counts: Mapping[Any, int]) -> str | None:
        return self._names.get(self._total(given, counts))

    def label(self, given: str, counts: Mapping[Any, int]) -> str | None:
        *_, everything = self._names
        if self._total(given, counts) != everything:
            return None
        # All marks are here and in the branches: they are apart unless one branch has both.
        return "off" if counts[self._names[everything]] else "on"


@dataclass(frozen=True)
class PathFinding(Dataset):
    """Random trees with two marked nodes; nodes on the path between them are ``on``, the marks included.

    Attributes:
        colours: 1 if both marks look the same; 2 if they are told apart, as in the authors' scripts.
        trees: ``uniform`` over labelled trees, ``recursive`` (flat), ``deep`` (nearly paths), ``mixed``: all three; or
            ``maze``: the free cells of a maze, 31 on a board of 9 x 9 pixels, 1,681 on one of 59 x 59.
    """

    name: ClassVar[str] = "path-finding"

    colours: int = 1
    trees: str = "uniform"

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(tuple((size, 120) for size in range(2, 8))),
        "validation": Split(((7, 40), (8, 40))),  # Smaller sizes have too few graphs to keep any apart.
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
        "learn": Split(((2, 20), (3, 60), (4, 120), (5, 300), (6, 500), (7, 1000), (8, 1000), (9, 1000), (10, 1000))),
    }

    def __post_init__(self) -> None:
        check_choice("colours", self.colours, (1, 2))
        check_choice("trees", self.trees, ("uniform", "recursive", "deep", "mixed", "maze"))

    @property
    def task(self) -> Task:  # noqa: D102
        marks = ("marked",) if self.colours == 1 else ("first", "second")
        return Task(self.name, "classes", ("node", *marks), ("off", "on"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.path_finding(colours=self.colours)

    def specifications(self) -> tuple[TreeSpecification, ...]:  # noqa: D102
        return (_Marks(self.task),)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a tree with two marked nodes", size, 2, count)
        kinds = ("uniform", "recursive", "deep") if self.trees == "mixed" else (self.trees,)
        shares = [count // len(kinds) + (place < count % len(kinds)) for place in range(len(kinds))]
        starts = np.cumsum([0, *shares])[:-1] * size
        edges = [
            tree_edges(kind, size, share, rng) + start for kind, share, start in zip(kinds, shares, starts, strict=True)
        ]
        graphs = GraphBatch.from_edges(np.full(count, size), np.concatenate(edges))
        first = rng.integers(0, size, count)
        second = (first + rng.integers(1, size, count)) % size
        first, second = (np.arange(count) * size + nodes for nodes in (first, second))
        inputs = np.zeros(count * size, np.uint8)
        inputs[first], inputs[second] = 1, self.colours
        return self.examples(graphs, inputs, steps=steps)

    @property
    def graph_class(self) -> str:  # noqa: D102
        return "tree"

    def num_instances(self, size: int) -> int:  # noqa: D102
        return size * (size - 1) * self.colours // 2

    def instances(self, graph: Graph) -> Array:
        """Every pair of nodes is marked; both ways round if the marks are told apart."""
        nodes = range(graph.num_nodes)
        pairs = [*(combinations(nodes, 2) if self.colours == 1 else permutations(nodes, 2))]
        first, second = np.array(pairs, np.int64).reshape(-1, 2).T
        inputs = np.zeros((len(pairs), graph.num_nodes), np.uint8)
        every = np.arange(len(pairs))
        inputs[every, first], inputs[every, second] = 1, self.colours
        return inputs

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """Paths in trees."""
        inputs = checked_inputs(self.task, graphs, inputs)
        check_trees(self.name, graphs)
        marks = [marked_nodes(self.task, graphs, inputs, mark, 3 - self.colours) for mark in range(1, self.colours + 1)]
        first, here = np.concatenate(marks, axis=1).T
        before = shortest_paths(self.name, graphs, first)
        labels = np.zeros(len(inputs), np.uint8)
        labels[first] = 1
        # Walk back from every second mark at once; those that have arrived stay at the first.
        while (here != first).any():
            labels[here] = 1
            here = before[here]
        return Examples(self.task, graphs, inputs, labels, steps=check_steps(steps, 2 * np.diff(graphs.offsets)))
