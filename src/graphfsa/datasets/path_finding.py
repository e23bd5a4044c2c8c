"""PathFinding: does a node of a tree lie on the path between the two marked nodes?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Dataset, Split, check_choice, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.datasets._trees import predecessors, tree_edges
from graphfsa.graphs import GraphBatch


@dataclass(frozen=True)
class PathFinding(Dataset):
    """Random trees with two marked nodes; the label is 1 on the path between them, the marks included.

    Attributes:
        colours: 1 if both marks look the same; 2 if they are told apart, as in the authors' scripts.
        trees: ``uniform`` over labelled trees, ``recursive`` (flat), ``deep`` (nearly paths), or ``mixed``: all three.
    """

    colours: int = 1
    trees: str = "uniform"

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(tuple((size, 120) for size in range(2, 8))),
        "validation": Split(tuple((size, 20) for size in range(2, 6))),
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
    }

    def __post_init__(self) -> None:
        check_choice("colours", self.colours, (1, 2))
        check_choice("trees", self.trees, ("uniform", "recursive", "deep", "mixed"))

    @property
    def task(self) -> Task:  # noqa: D102
        marks = ("marked",) if self.colours == 1 else ("first", "second")
        return Task(self.name, "classes", ("node", *marks), ("off", "on"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.path_finding(colours=self.colours)

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
        labels = np.zeros(count * size, np.uint8)
        labels[first] = 1
        # Walk back from every second mark at once; those that have arrived stay at the first.
        before, here = predecessors(graphs, first), second
        while (here != first).any():
            labels[here] = 1
            here = before[here]
        return Examples(self.task, graphs, inputs, labels, steps=check_steps(steps, 2 * size))
