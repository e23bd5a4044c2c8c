"""Distance: is a node at an even or an odd distance from the root?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Dataset, Split, check_choice, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.datasets._trees import distances, predecessors, tree_edges, with_extra_edges


@dataclass(frozen=True)
class Distance(Dataset):
    """Random connected graphs with a random root; the label is the distance from the root modulo 2.

    Attributes:
        graphs: ``paper``: a uniform random tree with a fifth of n more random edges; ``tree``: without them.
    """

    graphs: str = "paper"

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(((6, 300), (8, 100), (4, 100), (1, 20), (2, 20))),
        "validation": Split(((7, 20),)),
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
    }

    def __post_init__(self) -> None:
        check_choice("graphs", self.graphs, ("paper", "tree"))

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(self.name, "classes", ("node", "root"), ("even", "odd"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.distance()

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a graph with a root", size, 1, count)
        edges = tree_edges("uniform", size, count, rng)
        extra = size // 5 if self.graphs == "paper" else 0
        graphs = with_extra_edges(edges, size, count, extra, rng)
        roots = np.arange(count) * size + rng.integers(0, size, count)
        inputs = np.zeros(count * size, np.uint8)
        inputs[roots] = 1
        labels = distances(predecessors(graphs, roots)) % 2
        return Examples(self.task, graphs, inputs, labels, steps=check_steps(steps, size + 1))
