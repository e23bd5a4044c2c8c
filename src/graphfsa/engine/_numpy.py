"""Dense steps of small graphs by NumPy alone: a process that makes one short run need not load the compiler."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from graphfsa.aggregations import Aggregation, CountingAggregation, PositionalAggregation, ProductAggregation
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._stepper import DenseStepper
from graphfsa.graphs.graph import Graph

_ASKED = 200
"""What one call of ``encode`` costs, in units of what NumPy does with one arc."""
_STEP = 600
"""What a step costs beside its nodes and arcs, in the same units."""


def fits_numpy(fsa: GraphFSA) -> bool:
    """Whether these steps can be made: for all aggregations of this package, whose ``encode`` is known to be right."""
    return _is_own(fsa.aggregation)


def _is_own(aggregation: Aggregation) -> bool:
    parts = aggregation.parts if isinstance(aggregation, ProductAggregation) else ()
    return type(aggregation).__module__.startswith("graphfsa.aggregations.") and all(map(_is_own, parts))


class NumpyStepper(DenseStepper):
    """Dense steps over whole arrays.

    Attributes:
        cost: What one step costs, in units of what NumPy does with one arc: about 25 ns.
    """

    kernel = "numpy"

    def __init__(self, fsa: GraphFSA, graph: Graph) -> None:
        super().__init__()
        kind = type(fsa.aggregation)
        vectorised = _VALUES.get(kind)
        self.cost = _STEP + graph.num_arcs + graph.num_nodes * (1 if vectorised else _ASKED)
        self._values = (vectorised or _asked)(fsa, graph)
        self._table = fsa.transition_table
        self._now, self._next = np.empty((2, graph.num_nodes), np.uint8)

    def _step(self) -> int:
        self._next[:] = self._table[self._now, self._values(self._now)]
        return int(np.count_nonzero(self._next != self._now))


def _counting(fsa: GraphFSA, graph: Graph) -> Callable[[Array], Array]:
    assert isinstance(fsa.aggregation, CountingAggregation)
    num_nodes, num_states, bound = graph.num_nodes, fsa.num_states, fsa.aggregation.bound
    sources, rows = graph.indices, graph.targets() * np.int64(num_states)
    weights = (bound + 1) ** np.arange(num_states, dtype=np.int64)

    def values(states: Array) -> Array:
        counts = np.bincount(rows + states[sources], minlength=num_nodes * num_states)
        return np.minimum(counts, bound).reshape(num_nodes, num_states) @ weights

    return values


def _positional(fsa: GraphFSA, graph: Graph) -> Callable[[Array], Array]:
    sources, targets, num_nodes = graph.indices, graph.targets(), graph.num_nodes
    slots = np.empty(0, np.uint8) if graph.slots is None else graph.slots
    weights = fsa.aggregation.parameters(fsa.num_states)[slots]

    def values(states: Array) -> Array:
        # Sums of numbers below 2^26, so they are exact although NumPy makes them with a point.
        places = (states[sources] + np.int64(1)) * weights
        return np.bincount(targets, places, minlength=num_nodes).astype(np.int64)

    return values


def _asked(fsa: GraphFSA, graph: Graph) -> Callable[[Array], Array]:
    """The values as the specification gives them, node by node."""
    encode, num_states, ends = fsa.aggregation.encode, fsa.num_states, graph.indptr.tolist()
    sources = graph.indices
    slots: list[int] = [] if graph.slots is None else graph.slots.tolist()

    def values(states: Array) -> Array:
        seen = states[sources].tolist()
        found = (encode(seen[begin:end], slots[begin:end], num_states) for begin, end in pairwise(ends))
        return np.fromiter(found, np.int64, graph.num_nodes)

    return values


_VALUES: dict[type, Callable[[GraphFSA, Graph], Callable[[Array], Array]]] = {
    CountingAggregation: _counting,
    PositionalAggregation: _positional,
}
