"""PrefixSum: the sum modulo 2 of the bits from the root to each node of a path."""

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
from graphfsa.graphs import Graph, GraphBatch, all_inputs


@dataclass(frozen=True)
class PrefixSum(Dataset):
    """Paths with a random bit at each node, the first node being the root; labels are sums that include both ends.

    No bit string is drawn twice if there are enough of them.
    """

    name: ClassVar[str] = "prefix-sum"

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(tuple((size, min(2**size, 350)) for size in range(1, 10))),
        "validation": Split(((7, 70), (8, 70))),  # Smaller sizes have too few paths to keep any apart.
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
        "learn": Split(tuple((size, min(2**size, 512)) for size in range(1, 11))),
    }

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(self.name, "classes", ("bit0", "bit1", "root0", "root1"), ("0", "1"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.prefix_sum()

    def specifications(self) -> tuple[TreeSpecification, ...]:  # noqa: D102
        task, root = self.task, {"root0": "0", "root1": "1"}
        return (RootedSpecification(self.name, task.inputs, task.classes, root, _added, path=True),)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a path with a root", size, 1, count)
        inputs = _bits(size, count, rng)
        inputs[:, 0] += 2
        return self.examples(paths(size, count), inputs.reshape(-1), steps=steps)

    @property
    def graph_class(self) -> str:  # noqa: D102
        return "path"

    def num_instances(self, size: int) -> int:  # noqa: D102
        return min(size, 2) * 2**size

    def instances(self, graph: Graph) -> Array:
        """The root is at either end, with every choice of bits."""
        ends = path_ends(self.name, graph)
        bits = all_inputs(graph.num_nodes, 2)
        inputs = np.tile(bits, (len(ends), 1))
        inputs[np.arange(len(inputs)), np.repeat(ends, len(bits))] += 2
        return inputs

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """Sums along paths, from the root at one end."""
        inputs = checked_inputs(self.task, graphs, inputs)
        places = places_on_paths(self.name, graphs, roots_of(self.task, graphs, inputs, (2, 3)))
        sums = np.zeros(len(inputs) + 1, np.int64)
        sums[places + 1] = inputs % 2
        np.cumsum(sums, out=sums)
        sizes = np.diff(graphs.offsets)
        labels = (sums[places + 1] - np.repeat(sums[graphs.offsets[:-1]], sizes)) % 2
        return Examples(self.task, graphs, inputs, labels, steps=check_steps(steps, sizes + 1))


def _added(given: str, before: str) -> str:
    """The sum modulo 2 after one more bit."""
    return str((int(before) + int(given[-1])) % 2)


def _bits(size: int, count: int, rng: np.random.Generator) -> Array:
    if size > 16 or count > 2**size:
        return rng.integers(0, 2, (count, size))
    numbers = rng.choice(2**size, count, replace=False)
    return numbers[:, None] >> np.arange(size) & 1
