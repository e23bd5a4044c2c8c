"""ThresholdContagion: who is ill one step later, if people resist more or less?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from graphfsa.aggregations import CountingAggregation, Counts
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets._base import Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._features import FeatureDataset
from graphfsa.datasets._structure import checked_inputs, tree_edges, with_extra_edges
from graphfsa.datasets._task import Task
from graphfsa.datasets.noisy_distance import beside, check_gap
from graphfsa.errors import LimitError
from graphfsa.graphs import Graph, GraphBatch

_MAX_INSTANCES = 2**22


@dataclass(frozen=True)
class ThresholdContagion(FeatureDataset):
    """Random connected graphs; a weak node falls ill next to one ill neighbour, a strong one next to two.

    The feature, the resistance, is above a threshold for strong nodes and below it for weak ones. Data of features also
    say who is ill and who is well, but not who is strong.

    Attributes:
        cut: The threshold, between 0 and 1.
        gap: No resistance of a well node is nearer to the threshold than half of this.
    """

    name: ClassVar[str] = "threshold-contagion"
    feature_names = ("resistance",)
    given_inputs = MappingProxyType({"weak": "well", "strong": "well", "ill": "ill"})

    cut: float = 0.5
    gap: float = 0.1

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(((6, 100), (8, 100)), 1),
        "validation": Split(((7, 50),), 1),
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100)), 1),
        "learn": Split(
            ((1, 20), (2, 50), (3, 100), (4, 200), (5, 200), (6, 300), (7, 300), (8, 300), (9, 300), (10, 300)), 1
        ),
    }

    def __post_init__(self) -> None:
        check_gap(self.gap, self.cut)

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(self.name, "evolution", ("weak", "strong", "ill"), ("weak", "strong", "ill"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        def move(state: str, counts: Counts) -> str:
            return "ill" if counts["ill"] >= (2 if state == "strong" else 1) else state

        return GraphFSA.from_rule(list(self.task.inputs), CountingAggregation(bound=2), move)

    def measure(self, inputs: Array, rng: np.random.Generator) -> Array:  # noqa: D102
        known = beside(self.cut, self.gap, inputs == 1, rng)
        return np.where(inputs == 2, rng.random(len(inputs)), known)[:, None]

    @property
    def graph_class(self) -> str:  # noqa: D102
        return "connected"

    def num_instances(self, size: int) -> int:  # noqa: D102
        return 3**size

    def instances(self, graph: Graph) -> Array:
        """Every choice of states."""
        size = graph.num_nodes
        if self.num_instances(size) > _MAX_INSTANCES:
            raise LimitError(f"{self.num_instances(size):,} inputs of {size} nodes are too many to list")
        return (np.arange(3**size)[:, None] // 3 ** np.arange(size) % 3).astype(np.uint8)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a graph", size, 1, count)
        graphs = with_extra_edges(tree_edges("uniform", size, count, rng), size, count, size // 3, rng)
        return self.examples(graphs, rng.integers(0, 3, count * size), steps=steps)

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """What all nodes are some steps later, on any graphs."""
        inputs = checked_inputs(self.task, graphs, inputs)
        number = int(check_steps(steps, 1))
        graph, now = graphs.graph, inputs
        targets = graph.targets()
        for _ in range(number):
            seen = np.bincount(targets[now[graph.indices] == 2], minlength=graph.num_nodes)
            after = np.where(seen > now, 2, now)  # Weak is 0 and strong is 1: it takes one more than that.
            if (after == now).all():
                break
            now = after
        return Examples(self.task, graphs, inputs, now, steps=number)
