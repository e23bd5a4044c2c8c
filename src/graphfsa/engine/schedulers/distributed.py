"""The distributed daemon: some enabled nodes in each step, by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.stochastic import ONE, weight_of
from graphfsa.checks import check_share
from graphfsa.engine.coins import ACTIVATIONS, below
from graphfsa.engine.schedulers._base import Moment, Scheduler, flip, next_enabled, nth_enabled
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph

_ACTIVATIONS = np.uint64(ACTIVATIONS)


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    bound = np.uint64(numbers[0])
    count = 0
    node = next_enabled(0, *crowd)
    while node < len(chosen):
        if flip(_ACTIVATIONS, np.uint64(node), np.uint64(step), key[0], key[1], key[2]) < bound:
            chosen[count] = node
            count += 1
        node = next_enabled(node + 1, *crowd)
    if count == 0 and size > 0:
        number = flip(_ACTIVATIONS, np.uint64(len(chosen)), np.uint64(step), key[0], key[1], key[2])
        chosen[0] = nth_enabled(below(number, size), *crowd)
        count = 1
    return count


@dataclass(frozen=True)
class Distributed(Scheduler):
    """In each step every enabled node moves with a probability of its own; if none does, one of them, drawn at random.

    Attributes:
        p: The probability.
    """

    p: float = 0.5
    one_by_one = False
    compiled_choose = _choose

    def __post_init__(self) -> None:
        check_probability(self.p)

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        moving = [node for node in moment.enabled if moment.coin(node) < weight_of(self.p)]
        if moving or not moment.enabled:
            return moving
        return [moment.enabled[below(moment.coin(moment.graph.num_nodes), len(moment.enabled))]]

    def parameters(self, graph: Graph) -> Array:
        """What the compiled form needs."""
        return np.array([weight_of(self.p)], np.float64)


def check_probability(p: Any) -> None:
    """Raise unless this is a probability with which something happens at all."""
    if weight_of(check_share("p", p)) == 0:
        raise GraphFSAError(f"p must be a probability above 2^-54, or nodes would starve; got {p}")
    assert ONE == 2**53
