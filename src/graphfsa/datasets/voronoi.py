"""Voronoi: of which colour is the nearest source?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from graphfsa.aggregations import CountingAggregation, Counts
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets._base import Specification, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._features import FeatureDataset
from graphfsa.datasets._structure import checked_inputs, tree_edges, with_extra_edges
from graphfsa.datasets._task import Task
from graphfsa.datasets._wave_specification import WaveSpecification
from graphfsa.datasets.noisy_distance import beside, check_gap
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphBatch

_MAX_INSTANCES = 2**22
_FAR = 2**31 - 1


class _Nearest(WaveSpecification):
    """The statement about all connected graphs."""

    name = "voronoi"
    inputs, classes = ("node", "red source", "blue source"), ("red", "blue", "both")
    sources = MappingProxyType({"red source": "red", "blue source": "blue"})

    def join(self, given: str, colours: frozenset[str]) -> str:
        """The one colour of the nearest sources, or both."""
        return next(iter(colours)) if len(colours) == 1 else "both"

    def label(self, distance: int, colour: str) -> str:
        """The colour."""
        return colour


@dataclass(frozen=True)
class Voronoi(FeatureDataset):
    """Random connected graphs with sources of two colours; the label is the colour of the nearest ones, or both.

    The features: the strength of sources is above 0.6, that of other nodes below; the hue of blue sources is above 0.5,
    that of red ones below, and that of other nodes anything.

    Attributes:
        gap: No feature that matters is nearer to its threshold than half of this.
        sources: Probability that a node is a source.
    """

    name: ClassVar[str] = "voronoi"
    feature_names = ("strength", "hue")

    gap: float = 0.1
    sources: float = 0.3

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(((6, 300), (8, 100), (4, 100))),
        "validation": Split(((7, 50),)),
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
        "learn": Split(
            ((1, 20), (2, 60), (3, 100), (4, 200), (5, 300), (6, 500), (7, 500), (8, 500), (9, 500), (10, 500))
        ),
    }

    def __post_init__(self) -> None:
        check_gap(self.gap, 0.6, 0.5)
        if not 0 < self.sources < 1:
            raise GraphFSAError(f"sources must be above 0 and below 1; got {self.sources}")

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(self.name, "classes", _Nearest.inputs, _Nearest.classes)

    def automaton(self) -> GraphFSA:  # noqa: D102
        def move(state: str, counts: Counts) -> str:
            if state in _Nearest.sources:
                return str(_Nearest.sources[state])
            seen = [colour for colour in _Nearest.classes if counts[colour]]
            if state != "node" or not seen:
                return state
            return seen[0] if len(seen) == 1 else "both"

        names = [*self.task.classes, *self.task.inputs]
        aggregation = CountingAggregation(bound=1)
        return GraphFSA.from_rule(
            names, aggregation, move, starting_states=self.task.inputs, final_states=self.task.classes
        )

    def specifications(self) -> tuple[Specification, ...]:  # noqa: D102
        return (_Nearest(),)

    def measure(self, inputs: Array, rng: np.random.Generator) -> Array:  # noqa: D102
        strength, hue = beside(0.6, self.gap, inputs > 0, rng), beside(0.5, self.gap, inputs == 2, rng)
        return np.stack((strength, np.where(inputs > 0, hue, rng.random(len(inputs)))), axis=1)

    @property
    def graph_class(self) -> str:  # noqa: D102
        return "connected"

    def num_instances(self, size: int) -> int:  # noqa: D102
        return 3**size - 1

    def instances(self, graph: Graph) -> Array:
        """Every choice of sources with at least one."""
        size = graph.num_nodes
        if self.num_instances(size) > _MAX_INSTANCES:
            raise LimitError(f"{self.num_instances(size):,} inputs of {size} nodes are too many to list")
        return (np.arange(1, 3**size)[:, None] // 3 ** np.arange(size) % 3).astype(np.uint8)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a graph with a source", size, 1, count)
        graphs = with_extra_edges(tree_edges("uniform", size, count, rng), size, count, size // 5, rng)
        sources = rng.random((count, size)) < self.sources
        sources[np.arange(count), rng.integers(0, size, count)] = True
        inputs = np.where(sources, rng.integers(1, 3, (count, size)), 0)
        return self.examples(graphs, inputs.reshape(-1), steps=steps)

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """The colours of the nearest sources in undirected, connected graphs."""
        inputs = checked_inputs(self.task, graphs, inputs)
        if not graphs.graph.symmetric:
            raise GraphFSAError(f"{self.name} is defined on undirected graphs; got one with arcs that go one way")
        red, blue = (_nearest(graphs.graph, inputs == mark) for mark in (1, 2))
        if (np.minimum(red, blue) == _FAR).any():
            where = int(graphs.owners[np.argmax(np.minimum(red, blue))])
            raise GraphFSAError(
                f"{self.name} is defined on connected graphs with a source; graph {where} has nodes that reach none"
            )
        labels = np.where(red < blue, 0, np.where(blue < red, 1, 2))
        return Examples(self.task, graphs, inputs, labels, steps=check_steps(steps, np.diff(graphs.offsets) + 1))


def _nearest(graph: Graph, sources: Array) -> Array:
    """Distance of each node from the nearest source, int64."""
    away = np.where(sources, 0, _FAR).astype(np.int64)
    targets, near = graph.targets(), sources
    step = 0
    while near.any():
        step += 1
        reached = np.zeros(graph.num_nodes, bool)
        reached[targets[near[graph.indices]]] = True
        near = reached & (away == _FAR)
        away[near] = step
    return away
