"""Many graphs as arrays that torch can run on, graphs with more steps first: whoever is done drops off at the end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import Examples
from graphfsa.graphs import Graph
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor


class Arcs:
    """Who sees whom.

    Args:
        sources: The node that is seen, int64 [number of arcs].
        targets: The node that sees it, int64 [number of arcs], sorted.
        num_nodes: Number of nodes.
        own: Which of the states before the step is that of each node, int64 [number of nodes]; their order if None.
    """

    def __init__(self, sources: Tensor, targets: Tensor, num_nodes: int, own: Tensor | None = None) -> None:
        self.sources, self.targets, self.num_nodes, self.own = sources, targets, num_nodes, own

    @classmethod
    def of(cls, graph: Graph) -> Arcs:
        """The arcs of a graph."""
        library = torch()
        sources = library.as_tensor(graph.indices.astype(np.int64))
        return cls(sources, library.as_tensor(graph.targets().astype(np.int64)), graph.num_nodes)

    def first(self, num_nodes: int, num_arcs: int) -> Arcs:
        """The first nodes and the first arcs, which must be all of theirs."""
        if num_nodes == self.num_nodes:
            return self
        return Arcs(self.sources[:num_arcs], self.targets[:num_arcs], num_nodes)

    def total(self, messages: Tensor) -> Tensor:
        """For each node the sum over its arcs, [number of nodes, width], of messages [number of arcs, width]."""
        return messages.new_zeros((self.num_nodes, messages.shape[1])).index_add_(0, self.targets, messages)

    def of_own(self, values: Tensor) -> Tensor:
        """For each node the values of its own state before the step."""
        return values if self.own is None else values.index_select(0, self.own)

    def total_seen(self, values: Tensor) -> Tensor:
        """For each node the sum of the values of the nodes that it sees, [number of nodes, width]."""
        return self.total(values.index_select(0, self.sources))

    @cached_property
    def degrees(self) -> Tensor:
        """For each node the number of its arcs, float32 [number of nodes, 1]."""
        return torch().bincount(self.targets, minlength=self.num_nodes).to(torch().float32)[:, None]


@dataclass(frozen=True, eq=False)
class Stage:
    """Some steps during which the same graphs take part.

    Attributes:
        steps: How many.
        num_nodes: The nodes that take part: the first ones.
        num_arcs: Their arcs.
    """

    steps: int
    num_nodes: int
    num_arcs: int


@dataclass(frozen=True, eq=False)
class Batch:
    """A union of graphs, those with more steps first.

    Attributes:
        arcs: Who sees whom.
        inputs: Input class of each node, int64.
        labels: Class of each node, int64.
        weights: How much each node counts, float32; 0 for nodes that don't.
        stages: The steps; graphs that have made theirs leave after a stage.
        nodes: Place of each node among those of the examples, int64, a NumPy array.
    """

    arcs: Arcs
    inputs: Tensor
    labels: Tensor
    weights: Tensor
    stages: tuple[Stage, ...]
    nodes: Array


class Batches:
    """Takes batches out of examples, by slices of arrays that are made once.

    Args:
        examples: Labelled graphs.
    """

    def __init__(self, examples: Examples) -> None:
        union = examples.graphs.graph
        self.examples = examples
        self._begins = examples.graphs.offsets
        self._arc_begins = union.indptr[self._begins]
        self._sources = union.indices.astype(np.int64)
        self._targets = union.targets().astype(np.int64)
        self._weights = (np.repeat(examples.counts, examples.sizes) * examples.mask).astype(np.float32)
        self._inputs = examples.inputs.astype(np.int64)
        self._labels = examples.labels.astype(np.int64)

    @property
    def counted(self) -> Array:
        """The graphs that have a node that counts."""
        return np.unique(self.examples.graphs.owners[self._weights > 0])

    def take(self, chosen: Array, extra: int = 0, steps: Array | None = None) -> Batch:
        """A batch of some graphs.

        Args:
            chosen: Their indices.
            extra: How many steps every graph makes in addition.
            steps: For each graph of the examples, how many steps it makes; by default those of its labels.
        """
        library = torch()
        wanted = (self.examples.steps if steps is None else steps)[chosen] + extra
        order = np.argsort(-wanted, kind="stable")
        chosen, wanted = chosen[order], wanted[order]
        nodes, node_ends, shift = _ranges(self._begins, chosen)
        arcs, arc_ends, _ = _ranges(self._arc_begins, chosen)
        shifts = np.repeat(shift, self._arc_begins[chosen + 1] - self._arc_begins[chosen])
        tensors = [
            library.from_numpy(array)
            for array in (
                self._sources[arcs] - shifts,
                self._targets[arcs] - shifts,
                self._inputs[nodes],
                self._labels[nodes],
                self._weights[nodes],
            )
        ]
        around = Arcs(tensors[0], tensors[1], len(nodes))
        return Batch(around, tensors[2], tensors[3], tensors[4], _stages(wanted, node_ends, arc_ends), nodes)


def _ranges(begins: Array, chosen: Array) -> tuple[Array, Array, Array]:
    """The places of some parts, one after the other; where each ends there; and how far each was moved."""
    starts, sizes = begins[chosen], begins[chosen + 1] - begins[chosen]
    ends = np.cumsum(sizes)
    shift = starts - (ends - sizes)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(shift, sizes), ends, shift


def _stages(steps: Array, node_ends: Array, arc_ends: Array) -> tuple[Stage, ...]:
    """Stages of graphs whose numbers of steps fall."""
    stages: list[Stage] = []
    done = 0
    for number in np.unique(steps).tolist():
        last = int(np.searchsorted(-steps, -number, side="right")) - 1
        stages.append(Stage(number - done, int(node_ends[last]), int(arc_ends[last])))
        done = number
    return tuple(stages)
