"""One dense step over tiles for relations, weighted sums, and products of these with what counts.

Each part of the aggregation walks over the tiles by itself and adds to the values of the nodes; then all nodes move. A
part that counts collects planes of bits, as in ``_tiled``, with other bits for each kind of arcs; a part that weighs
adds up the weights of the states that are seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from graphfsa.aggregations import Aggregation, ProductAggregation, RelationsAggregation, WeightedSumAggregation
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._planes import planes_by_kind
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine._tiled import MASK, SHIFT, TILE, build_tiles, tiles_fit
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.graph import Graph


def _count(
    begin: int, end: int, count: int, pointers: Any, arcs: Any, states: Any, masks: Any, adds: Any, place: int,
    values: Any,
) -> int:  # fmt: skip
    """Add the value of a part that counts, times its place, to the value of each node."""
    num_nodes = len(states)
    columns, kinds = pointers.shape[1] - 1, masks.shape[0]
    planes = np.zeros((count, TILE), masks.dtype)
    seen = planes[0]
    twice = planes[min(1, count - 1)]
    for block in range(begin, end):
        planes[:] = 0
        for column in range(columns):
            sources = states[column // kinds * TILE :]
            shown = masks[column % kinds]
            if count == 1:
                for arc in range(pointers[block, column], pointers[block, column + 1]):
                    word = arcs[arc]
                    seen[word >> SHIFT] |= shown[sources[word & MASK]]
            elif count == 2:
                for arc in range(pointers[block, column], pointers[block, column + 1]):
                    word = arcs[arc]
                    target = word >> SHIFT
                    bit = shown[sources[word & MASK]]
                    twice[target] |= seen[target] & bit
                    seen[target] |= bit
            else:
                for arc in range(pointers[block, column], pointers[block, column + 1]):
                    word = arcs[arc]
                    target = word >> SHIFT
                    bit = shown[sources[word & MASK]]
                    for plane in range(count - 1, 0, -1):
                        planes[plane, target] |= planes[plane - 1, target] & bit
                    seen[target] |= bit
        first = block * TILE
        for node in range(first, min(num_nodes, first + TILE)):
            value = np.int64(seen[node - first])
            if adds.shape[1]:
                value = adds[0, value]
                for plane in range(1, count):
                    value += adds[plane, planes[plane, node - first]]
            values[node] += value * place
    return 0


def _weigh(
    begin: int, end: int, kinds: int, pointers: Any, arcs: Any, states: Any, weights: Any, thresholds: Any, place: int,
    values: Any,
) -> int:  # fmt: skip
    """Add the value of a weighted sum, times its place, to the value of each node."""
    num_nodes = len(states)
    columns = pointers.shape[1] - 1
    totals = np.zeros(TILE, weights.dtype)
    for block in range(begin, end):
        totals[:] = 0
        for column in range(columns):
            sources = states[column // kinds * TILE :]
            for arc in range(pointers[block, column], pointers[block, column + 1]):
                word = arcs[arc]
                totals[word >> SHIFT] += weights[sources[word & MASK]]
        first = block * TILE
        for node in range(first, min(num_nodes, first + TILE)):
            total = np.int64(totals[node - first])
            value = 0
            for level in range(len(thresholds)):
                value += np.int64(total >= thresholds[level])
            values[node] += value * place
    return 0


def _move(begin: int, end: int, states: Any, table: Any, values: Any, following: Any) -> int:
    """All nodes move, and values begin at 0 again; how many changed."""
    changed = 0
    for node in range(begin, end):
        state = table[states[node], values[node]]
        values[node] = 0
        changed += state != states[node]
        following[node] = state
    return changed


@cache
def _kernels() -> tuple[Any, Any, Any]:
    return compile_kernel(_count), compile_kernel(_weigh), compile_kernel(_move)


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of an aggregation: which kernel adds it to the values, and what that is given before and after states."""

    kernel: int
    before: tuple[Any, ...]
    after: tuple[Any, ...]


def _parts(fsa: GraphFSA, graph: Graph) -> list[_Part] | None:
    """The parts, if this stepper knows them all."""
    parts, place = list[_Part](), 1
    for each in _split(fsa.aggregation):
        found = _part(each, fsa.num_states, num_kinds(fsa), graph, place)
        if found is None:
            return None
        parts.append(found)
        place *= each.num_values(fsa.num_states)
    return parts


def _split(aggregation: Aggregation) -> tuple[Aggregation, ...]:
    return aggregation.parts if type(aggregation) is ProductAggregation else (aggregation,)


def num_kinds(fsa: GraphFSA) -> int:
    """The number of kinds that arcs are sorted by."""
    return max(each.num_slots if type(each) is RelationsAggregation else 1 for each in _split(fsa.aggregation))


def _part(aggregation: Aggregation, num_states: int, kinds: int, graph: Graph, place: int) -> _Part | None:
    if type(aggregation) is WeightedSumAggregation:
        weights = np.array([aggregation.weight(state) for state in range(num_states)], np.int64)
        largest = int(np.abs(weights).max()) * graph.cached("largest_degree", lambda: int(graph.degrees.max(initial=0)))
        narrow = weights.astype(np.int32 if largest < 2**31 else np.int64)
        return _Part(1, (kinds,), (narrow, np.array(aggregation.thresholds, np.int64), place))
    planes = planes_by_kind(aggregation, num_states, kinds)
    return None if planes is None else _Part(0, (planes.count,), (planes.masks, planes.adds, place))


def fits_parts(fsa: GraphFSA, graph: Graph) -> bool:
    """Whether the tiled path for parts can run this automaton on this graph."""
    kinds = num_kinds(fsa)
    sorted_by_kind = kinds == 1 or graph.slots is not None
    return sorted_by_kind and tiles_fit(graph, kinds) and _parts(fsa, graph) is not None


class TiledPartsStepper(DenseStepper):
    """Dense steps over tiles of arcs, part by part."""

    kernel = "dense"

    def __init__(self, fsa: GraphFSA, graph: Graph, threads: int, quiet: int = 0) -> None:
        super().__init__(quiet)
        parts, kinds = _parts(fsa, graph), num_kinds(fsa)
        assert parts is not None
        self._parts = parts
        self._table = fsa.transition_table
        key = "tiles" if kinds == 1 else f"tiles of {kinds} kinds"
        self._tiles = graph.cached(key, lambda: build_tiles(graph, threads, kinds))
        self._threads = threads if graph.num_arcs + graph.num_nodes > 1 << 16 else 1
        self._now, self._next = np.empty((2, graph.num_nodes), np.uint8)
        self._values = np.zeros(graph.num_nodes, np.int32)  # A table has at most 2^26 entries: every value fits.

    def replace(self, first: int, states: Array) -> None:
        self._now[first : first + len(states)] = states

    def _step(self) -> int:
        kernels, values = _kernels(), self._values
        for part in self._parts:
            arguments = (*part.before, *self._tiles, self._now, *part.after, values)
            run_ranges(kernels[part.kernel], len(self._tiles[0]), self._threads, *arguments)
        moving = (self._now, self._table, values, self._next)
        return run_ranges(kernels[2], len(values), self._threads, *moving)
