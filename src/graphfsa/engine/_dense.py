"""One dense step for any aggregation: every node walks over its arcs."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of, encoder_of
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.graph import Graph

encode_node: Any = None
"""Bound when a kernel is compiled: the function of an encoder."""


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
def _kernel(encode: Callable[..., int]) -> Any:
    return compile_kernel(_dense_step, encode_node=encode)


class ListStepper(DenseStepper):
    """Dense steps over neighbour lists, for any aggregation."""

    kernel = "dense"

    def __init__(self, fsa: GraphFSA, graph: Graph, threads: int, quiet: int = 0) -> None:
        super().__init__(quiet)
        encoder = encoder_of(fsa.aggregation, fsa.num_states, graph)
        self._kernel = _kernel(encoder.function)
        self._arcs = arcs_of(graph)
        self._rule = (fsa.transition_table, encoder.parameters)
        self._threads = threads if graph.num_arcs + graph.num_nodes > 1 << 16 else 1
        self._now, self._next = np.empty((2, graph.num_nodes), np.uint8)

    def replace(self, first: int, states: Array) -> None:
        self._now[first : first + len(states)] = states

    def _step(self) -> int:
        table, parameters = self._rule
        arguments = (*self._arcs, self._now, table, parameters, self._next)
        return run_ranges(self._kernel, len(self._now), self._threads, *arguments)
