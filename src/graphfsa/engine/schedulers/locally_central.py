"""The locally central daemon: no two neighbours at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.stochastic import weight_of
from graphfsa.engine.coins import ACTIVATIONS
from graphfsa.engine.schedulers._base import Moment, Scheduler, flip, next_enabled
from graphfsa.engine.schedulers.distributed import check_probability
from graphfsa.graphs.graph import Graph

_ACTIVATIONS = np.uint64(ACTIVATIONS)


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    cells = crowd[0]
    bound = np.uint64(numbers[0])
    count = 0
    first = -1
    lowest = np.uint64(0)
    node = next_enabled(0, *crowd)
    while node < len(chosen):
        own = flip(_ACTIVATIONS, np.uint64(node), np.uint64(step), key[0], key[1], key[2])
        if first < 0 or own < lowest:
            first, lowest = node, own
        least = own < bound
        for direction in range(2 if least else 0):
            begins, others = (arcs[0], arcs[1]) if direction == 0 else (arcs[3], arcs[4])
            for arc in range(begins[node], begins[node + 1]):
                other = others[arc]
                if cells[other] & 1 and other != node:
                    theirs = flip(_ACTIVATIONS, np.uint64(other), np.uint64(step), key[0], key[1], key[2])
                    if theirs < own or (theirs == own and other < node):
                        least = False
                        break
            if not least:
                break
        if least:
            chosen[count] = node
            count += 1
        node = next_enabled(node + 1, *crowd)
    if count == 0 and size > 0:
        chosen[0] = first
        count = 1
    return count


@dataclass(frozen=True)
class LocallyCentral(Scheduler):
    """In each step every enabled node draws a number, and those move that drew less than all enabled neighbours.

    On directed graphs, neighbours are those that a node sees and those that see it.

    Attributes:
        p: A node moves only if its number is also among the lowest, of which there is this share; at least the node
            with the lowest number of all moves.
    """

    p: float = 1.0
    one_by_one = False
    compiled_choose = _choose

    def __post_init__(self) -> None:
        check_probability(self.p)

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        drawn = {node: (moment.coin(node), node) for node in moment.enabled}
        near: dict[int, set[int]] = {node: set() for node in drawn}
        for source, target in zip(moment.graph.indices.tolist(), moment.graph.targets().tolist(), strict=True):
            if source in drawn and target in drawn and source != target:
                near[source].add(target)
                near[target].add(source)
        least = [node for node in drawn if all(drawn[node] < drawn[other] for other in near[node])]
        moving = [node for node in least if drawn[node][0] < weight_of(self.p)]
        return moving or [min(drawn, key=drawn.__getitem__) for _ in range(min(1, len(drawn)))]

    def parameters(self, graph: Graph) -> Array:
        """What the compiled form needs."""
        return np.array([weight_of(self.p)], np.float64)
