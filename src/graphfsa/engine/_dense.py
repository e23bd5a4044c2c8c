"""One dense step for any aggregation: every node walks over its arcs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._compile import compile_kernel
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine._threads import run_ranges
from graphfsa.graphs.graph import Graph

if TYPE_CHECKING:
    from graphfsa.aggregations.counting import (
        _compiled_encode as encode_node,  # pyright: ignore[reportPrivateUsage]  # bound when compiled
    )


def _dense_step(
    begin: int,
    end: int,
    indptr: Any,
    indices: Any,
    slots: Any,
    states: Any,
    table: Any,
    parameters: Any,
    following: Any,
) -> int:
    scratch = np.zeros(table.shape[0], np.int64)
    changed = 0
    for node in range(begin, end):
        value = encode_node(states, indices, slots, indptr[node], indptr[node + 1], parameters, scratch)
        following[node] = table[states[node], value]
        changed += following[node] != states[node]
    return changed


@lru_cache(maxsize=64)
def dense_kernel(aggregation: type[Aggregation]) -> Any:
    """The compiled dense step of an aggregation."""
    return compile_kernel(_dense_step, encode_node=aggregation.compiled_encode)


def slots_of(graph: Graph) -> Array:
    """The slots of a graph for a kernel: an empty array where there are none."""
    if graph.slots is not None:
        return graph.slots
    nothing = np.empty(0, np.uint8)
    nothing.setflags(write=False)  # Read-only as real slots are: kernels are compiled for either kind of array.
    return nothing


class ListStepper(DenseStepper):
    """Dense steps over neighbour lists, for any aggregation."""

    path = "dense"

    def __init__(self, fsa: GraphFSA, graph: Graph, threads: int, quiet: int = 0) -> None:
        super().__init__(quiet)
        self._kernel = dense_kernel(type(fsa.aggregation))
        self._arcs = (graph.indptr, graph.indices, slots_of(graph))
        self._rule = (fsa.transition_table, fsa.aggregation.parameters(fsa.num_states))
        self._threads = threads if graph.num_arcs + graph.num_nodes > 1 << 16 else 1
        self._now, self._next = np.empty((2, graph.num_nodes), np.uint8)

    def _step(self) -> int:
        table, parameters = self._rule
        arguments = (*self._arcs, self._now, table, parameters, self._next)
        return run_ranges(self._kernel, len(self._now), self._threads, *arguments)
