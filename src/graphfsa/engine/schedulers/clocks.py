"""Asynchronous with clocks: every node moves when its own clock rings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_number
from graphfsa.engine._described import tuples
from graphfsa.engine.coins import ACTIVATIONS, below, waiting
from graphfsa.engine.schedulers._base import Moment, Scheduler, flip
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph

_ACTIVATIONS, _FIRST, _SECOND, _THIRD = np.uint64(ACTIVATIONS), np.uint64(0), np.uint64(1), np.uint64(2)
_SLOWEST, _FASTEST = 1e-100, 1e100


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    watch[0] += waiting(flip(_ACTIVATIONS, _FIRST, np.uint64(step), key[0], key[1], key[2])) / numbers[0]
    node = below(flip(_ACTIVATIONS, _SECOND, np.uint64(step), key[0], key[1], key[2]), len(chosen))
    if len(numbers) > 1:
        share = float(flip(_ACTIVATIONS, _THIRD, np.uint64(step), key[0], key[1], key[2])) * 2.0**-53
        if share >= numbers[1 + 2 * node]:
            node = int(numbers[2 + 2 * node])
    chosen[0] = node
    return 1


@dataclass(frozen=True)
class Clocks(Scheduler):
    """Every node has a Poisson clock, and moves when it rings: the times between are independent and exponential.

    A step is one ring of one clock, so a unit of time has as many steps as all rates together.

    Attributes:
        rates: How often each clock rings in a unit of time, one number per node, or one number for all.
    """

    rates: float | Sequence[float] = 1.0
    timed = True
    compiled_choose = _choose

    def __post_init__(self) -> None:
        for rate in tuples("rates", self.rates):
            # Not so large or small that sums of rates, or the time, are no numbers any more.
            check_number("rates: a rate, so that no node starves,", rate, _SLOWEST, _FASTEST)
        rates = float(self.rates) if isinstance(self.rates, Real) else tuples("rates", self.rates)
        object.__setattr__(self, "rates", rates)

    def check(self, graph: Graph) -> None:
        """Raise if this can't be done on a graph."""
        if not isinstance(self.rates, int | float) and len(self.rates) != graph.num_nodes:
            raise GraphFSAError(f"rates must have one per node, {graph.num_nodes}; got {len(self.rates)}")

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        numbers = self.parameters(moment.graph).tolist()
        moment.clock += waiting(moment.coin(0)) / numbers[0]
        node = below(moment.coin(1), moment.graph.num_nodes)
        if len(numbers) > 1 and moment.coin(2) * 2.0**-53 >= numbers[1 + 2 * node]:
            node = int(numbers[2 + 2 * node])
        return [node]

    def parameters(self, graph: Graph) -> Array:
        """The sum of all rates; then, if they differ, for each node the share that it keeps and who gets the rest."""
        if isinstance(self.rates, int | float):
            return np.array([self.rates * max(1, graph.num_nodes)], np.float64)
        return graph.cached(f"clocks {self.rates}", lambda: _aliases(np.array(self.rates, np.float64)))


def _aliases(rates: Array) -> Array:
    """Walker's tables: a node drawn from all alike, and then kept or not, is drawn in proportion to its rate."""
    total = float(rates.sum())
    shares = (rates / total * len(rates)).tolist()
    other = list(range(len(shares)))
    small = [node for node, share in enumerate(shares) if share < 1]
    large = [node for node, share in enumerate(shares) if share >= 1]
    kept = [1.0] * len(shares)
    while small and large:
        low, high = small.pop(), large[-1]
        kept[low], other[low] = shares[low], high
        shares[high] -= 1 - shares[low]
        if shares[high] < 1:
            small.append(large.pop())
    return np.r_[total, np.stack((kept, other), axis=1).reshape(-1)]
