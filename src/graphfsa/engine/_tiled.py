"""One dense step at the speed of the cache, for aggregations that count: see ``_planes``.

Arcs are sorted into tiles of 2^16 targets x 2^16 sources and packed into 32 bits each (target and source within the
tile), so that both ends of every access stay in the second-level cache at any graph size: 4 bytes per arc, no padding.

A state shows a few bits, with counting one of its own. While a tile is walked, plane ``k`` of a target collects the
bits seen more than ``k`` times: ``plane[k] |= plane[k - 1] & bits``, a saturating count of all bits at once that no hub
can overflow. The value of a node is then the sum over the planes of what their bits add: with counting the weights
``(b + 1)^m``, because ``min(b, count)`` is the number of planes in which a state occurs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._planes import planes_of
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.graph import Graph

# Unsigned constants: signed indices would make the compiler check every access for a negative one.
SHIFT = np.uint32(16)
MASK = np.uint32(0xFFFF)
TILE = 1 << 16


def _build_tiles(
    begin: int, end: int, indptr: Any, indices: Any, slots: Any, kinds: int, pointers: Any, arcs: Any
) -> int:
    """Sort the arcs into tiles, those of each kind apart; within a tile they stay in the order of their targets."""
    num_nodes = len(indptr) - 1
    columns = pointers.shape[1] - 1
    cursor = np.empty(columns, np.int64)
    for block in range(begin, end):
        first = block * TILE
        last = min(num_nodes, first + TILE)
        cursor[:] = 0
        for arc in range(indptr[first], indptr[last]):
            cursor[(indices[arc] >> 16) * kinds + (np.int64(slots[arc]) if kinds > 1 else 0)] += 1
        place = indptr[first]
        for column in range(columns):
            pointers[block, column] = place
            size = cursor[column]
            cursor[column] = place
            place += size
        pointers[block, columns] = place
        for node in range(first, last):
            for arc in range(indptr[node], indptr[node + 1]):
                source = indices[arc]
                column = (source >> 16) * kinds + (np.int64(slots[arc]) if kinds > 1 else 0)
                arcs[cursor[column]] = (node - first) << 16 | (source & 0xFFFF)
                cursor[column] += 1
    return 0


def _tiled_step(
    begin: int,
    end: int,
    bound: int,
    pointers: Any,
    arcs: Any,
    bits: Any,
    states: Any,
    table: Any,
    masks: Any,
    adds: Any,
    following_bits: Any,
    following: Any,
) -> int:
    num_nodes = len(states)
    columns = pointers.shape[1] - 1
    planes = np.zeros((bound, TILE), bits.dtype)
    seen = planes[0]
    twice = planes[min(1, bound - 1)]
    thrice = planes[min(2, bound - 1)]
    changed = 0
    for block in range(begin, end):
        planes[:] = 0
        for column in range(columns):
            sources = bits[column * TILE :]
            if bound == 1:
                for arc in range(pointers[block, column], pointers[block, column + 1]):
                    word = arcs[arc]
                    seen[word >> SHIFT] |= sources[word & MASK]
            elif bound == 2:
                for arc in range(pointers[block, column], pointers[block, column + 1]):
                    word = arcs[arc]
                    target = word >> SHIFT
                    bit = sources[word & MASK]
                    twice[target] |= seen[target] & bit
                    seen[target] |= bit
            elif bound == 3:
                for arc in range(pointers[block, column], pointers[block, column + 1]):
                    word = arcs[arc]
                    target = word >> SHIFT
                    bit = sources[word & MASK]
                    thrice[target] |= twice[target] & bit
                    twice[target] |= seen[target] & bit
                    seen[target] |= bit
            else:
                for arc in range(pointers[block, column], pointers[block, column + 1]):
                    word = arcs[arc]
                    target = word >> SHIFT
                    bit = sources[word & MASK]
                    for plane in range(bound - 1, 0, -1):
                        planes[plane, target] |= planes[plane - 1, target] & bit
                    seen[target] |= bit
        first = block * TILE
        for node in range(first, min(num_nodes, first + TILE)):
            value = np.int64(seen[node - first])
            if adds.shape[1]:
                value = adds[0, value]
                for plane in range(1, bound):
                    value += adds[plane, planes[plane, node - first]]
            state = table[states[node], value]
            changed += state != states[node]
            following[node] = state
            following_bits[node] = masks[state]
    return changed


@cache
def _kernels() -> tuple[Any, Any]:
    return compile_kernel(_build_tiles), compile_kernel(_tiled_step)


def fits_tiles(fsa: GraphFSA, graph: Graph) -> bool:
    """Whether the tiled path can run this automaton on this graph."""
    return planes_of(fsa.aggregation, fsa.num_states) is not None and tiles_fit(graph)


def build_tiles(graph: Graph, threads: int, kinds: int = 1) -> tuple[Array, Array]:
    """Tiles of a graph: ``pointers`` int64 [blocks, blocks x kinds + 1] into ``arcs`` uint32 [num_arcs].

    With several kinds of arcs, those of kind ``k`` from the ``b``-th sources are in column ``b x kinds + k``.
    """
    blocks = -(-graph.num_nodes // TILE)
    pointers = np.zeros((blocks, blocks * kinds + 1), np.int64)
    arcs = np.empty(graph.num_arcs, np.uint32)
    run_ranges(_kernels()[0], blocks, threads, *arcs_of(graph), kinds, pointers, arcs)
    return pointers, arcs


def tiles_fit(graph: Graph, kinds: int = 1) -> bool:
    """Whether there are enough arcs for the number of tiles."""
    blocks = -(-graph.num_nodes // TILE)
    return blocks * blocks * kinds * 8 <= max(4 * graph.num_arcs, 1 << 16)


class TiledStepper(DenseStepper):
    """Dense steps over tiles of arcs."""

    kernel = "dense"

    def __init__(self, fsa: GraphFSA, graph: Graph, threads: int, quiet: int = 0) -> None:
        super().__init__(quiet)
        planes = planes_of(fsa.aggregation, fsa.num_states)
        assert planes is not None
        self._planes = planes
        self._table = fsa.transition_table
        self._tiles = graph.cached("tiles", lambda: build_tiles(graph, threads))
        self._threads = threads if graph.num_arcs + graph.num_nodes > 1 << 16 else 1
        self._now, self._next = np.empty((2, graph.num_nodes), np.uint8)
        self._bits, self._next_bits = np.empty((2, graph.num_nodes), planes.masks.dtype)

    def load(self, states: Array) -> None:
        super().load(states)
        np.take(self._planes.masks, states, out=self._bits)

    def replace(self, first: int, states: Array) -> None:
        self._now[first : first + len(states)] = states
        np.take(self._planes.masks, states, out=self._bits[first : first + len(states)])

    def _step(self) -> int:
        pointers, arcs = self._tiles
        planes = self._planes
        current = (planes.count, pointers, arcs, self._bits, self._now, self._table, planes.masks, planes.adds)
        kernel = _kernels()[1]
        changed = run_ranges(kernel, len(pointers), self._threads, *current, self._next_bits, self._next)
        self._bits, self._next_bits = self._next_bits, self._bits
        return changed
