"""One node after the other, in a fixed order, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine._described import as_nodes, tuples
from graphfsa.engine.schedulers._base import Moment, Scheduler
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    place = step % len(chosen)
    chosen[0] = int(numbers[place]) if len(numbers) else place
    return 1


@dataclass(frozen=True)
class RoundRobin(Scheduler):
    """In each step one node moves, in turns.

    Attributes:
        order: The nodes in their order, each once; if not given, 0, 1, 2, ...
    """

    order: Sequence[Any] | None = None
    compiled_choose = _choose

    def __post_init__(self) -> None:
        if self.order is not None:
            object.__setattr__(self, "order", tuples("order", self.order))

    def check(self, graph: Graph) -> None:
        """Raise if this can't be done on a graph."""
        if self.order is None:
            return
        missing = sorted(set(range(graph.num_nodes)) - set(as_nodes("order", graph, self.order)))
        if missing:
            raise GraphFSAError(f"order must have every node, or some would starve; node {missing[0]} is missing")

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        place = moment.step % moment.graph.num_nodes
        return [place if self.order is None else moment.graph.node_index(self.order[place])]

    def parameters(self, graph: Graph) -> Array:
        """What the compiled form needs."""
        return np.array([] if self.order is None else as_nodes("order", graph, self.order), np.float64)
