"""RootValue: the bit of the root reaches every node of a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Dataset, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._rooted import RootedSpecification
from graphfsa.datasets._specification import TreeSpecification
from graphfsa.datasets._structure import checked_inputs, path_ends, paths, places_on_paths, roots_of
from graphfsa.datasets._task import Task
from graphfsa.graphs import Graph, GraphBatch


@dataclass(frozen=True)
class RootValue(Dataset):
    """Paths whose first node is the root and has a random bit; the label of every node is that bit."""

    name: ClassVar[str] = "root-value"

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(tuple((size, 100) for size in range(1, 9))),
        "validation": Split(((9, 80),)),  # Each size has two graphs, so another size is the only way to be apart.
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
        "learn": Split(tuple((size, 100) for size in range(1, 11))),
    }

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(self.name, "classes", ("node", "root0", "root1"), ("0", "1"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.root_value()

    def specifications(self) -> tuple[TreeSpecification, ...]:  # noqa: D102
        task, root = self.task, {"root0": "0", "root1": "1"}
        same = lambda _given, before: before  # noqa: E731
        return (RootedSpecification(self.name, task.inputs, task.classes, root, same, path=True),)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a path with a root", size, 1, count)
        inputs = np.zeros((count, size), np.uint8)
        inputs[:, 0] = 1 + rng.integers(0, 2, count)
        return self.examples(paths(size, count), inputs.reshape(-1), steps=steps)

    @property
    def graph_class(self) -> str:  # noqa: D102
        return "path"

    def num_instances(self, size: int) -> int:  # noqa: D102
        return 2 * min(size, 2)

    def instances(self, graph: Graph) -> Array:
        """The root is at either end and has either bit."""
        ends = np.repeat(path_ends(self.name, graph), 2)
        inputs = np.zeros((len(ends), graph.num_nodes), np.uint8)
        inputs[np.arange(len(ends)), ends] = 1 + np.arange(len(ends)) % 2
        return inputs

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """The root's bit, everywhere on its path."""
        inputs = checked_inputs(self.task, graphs, inputs)
        roots = roots_of(self.task, graphs, inputs, (1, 2))
        places_on_paths(self.name, graphs, roots)
        sizes = np.diff(graphs.offsets)
        labels = np.repeat(inputs[roots] - 1, sizes)
        return Examples(self.task, graphs, inputs, labels, steps=check_steps(steps, sizes + 1))
