"""Distance: is a node at an even or an odd distance from the root?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, library
from graphfsa.checks import check_choice
from graphfsa.datasets._base import Dataset, Specification, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._rooted import RootedSpecification
from graphfsa.datasets._structure import (
    checked_inputs,
    distances,
    marked_nodes,
    shortest_paths,
    tree_edges,
    with_extra_edges,
)
from graphfsa.datasets._task import Task
from graphfsa.datasets._wave_specification import WaveSpecification
from graphfsa.graphs import Graph, GraphBatch


class _Parity(WaveSpecification):
    """The statement about all connected graphs."""

    name = "distance"
    inputs, classes, sources = ("node", "root"), ("even", "odd"), {"root": "root"}
    period, one_source = 2, True

    def join(self, given: str, colours: frozenset[str]) -> str:
        """There is one colour."""
        return "root"

    def label(self, distance: int, colour: str) -> str:
        """Even or odd."""
        return self.classes[distance]


@dataclass(frozen=True)
class Distance(Dataset):
    """Random connected graphs with a random root; the label is the distance from the root modulo 2.

    Attributes:
        graphs: ``paper``: a uniform random tree with a fifth of n more random edges; ``tree``: without them.
    """

    name: ClassVar[str] = "distance"

    graphs: str = "paper"

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(((6, 300), (8, 100), (4, 100), (1, 20), (2, 20))),
        "validation": Split(((7, 20),)),
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
        "learn": Split(
            ((1, 10), (2, 30), (3, 60), (4, 100), (5, 300), (6, 500), (7, 1000), (8, 1000), (9, 1000), (10, 1000))
        ),
    }

    def __post_init__(self) -> None:
        check_choice("graphs", self.graphs, ("paper", "tree"))

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(self.name, "classes", ("node", "root"), ("even", "odd"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.distance()

    def specifications(self) -> tuple[Specification, ...]:  # noqa: D102
        task, other = self.task, {"even": "odd", "odd": "even"}
        turn = lambda _given, before: other[before]  # noqa: E731
        on_trees = RootedSpecification(self.name, task.inputs, task.classes, {"root": "even"}, turn, path=False)
        return (on_trees,) if self.graphs == "tree" else (_Parity(), on_trees)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a graph with a root", size, 1, count)
        edges = tree_edges("uniform", size, count, rng)
        extra = size // 5 if self.graphs == "paper" else 0
        graphs = with_extra_edges(edges, size, count, extra, rng)
        inputs = np.zeros(count * size, np.uint8)
        inputs[np.arange(count) * size + rng.integers(0, size, count)] = 1
        return self.examples(graphs, inputs, steps=steps)

    @property
    def graph_class(self) -> str:  # noqa: D102
        return "connected" if self.graphs == "paper" else "tree"

    def num_instances(self, size: int) -> int:  # noqa: D102
        return size

    def instances(self, graph: Graph) -> Array:
        """The root may be anywhere."""
        return np.eye(graph.num_nodes, dtype=np.uint8)

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """Distances from the root in undirected, connected graphs."""
        inputs = checked_inputs(self.task, graphs, inputs)
        roots = marked_nodes(self.task, graphs, inputs, 1)[:, 0]
        labels = distances(shortest_paths(self.name, graphs, roots)) % 2
        own = np.diff(graphs.offsets) + 1
        return Examples(self.task, graphs, inputs, labels, steps=check_steps(steps, own))
