"""Dense steps over columns, for aggregations that count, compare shares, tell places apart or add up, and products."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from graphfsa.aggregations import (
    Aggregation,
    PositionalAggregation,
    ProductAggregation,
    RelationsAggregation,
    WeightedSumAggregation,
)
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._column_kernels import count_step, move_run, sum_step
from graphfsa.engine._columns import Columns, columns_of
from graphfsa.engine._levels import Levels, levels_of
from graphfsa.engine._stepper import DenseStepper
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.graph import Graph


@cache
def _kernel(counts: bool) -> Any:
    return compile_kernel(count_step if counts else sum_step, move_nodes=move_run)


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of an aggregation: how its values come about, and its place in the value of the whole."""

    how: Levels | tuple[Array, Array]
    slotted: bool
    place: int


def _parts(fsa: GraphFSA, graph: Graph) -> list[_Part] | None:
    """The parts, if this stepper knows them all."""
    aggregation, parts, place = fsa.aggregation, list[_Part](), 1
    for each in aggregation.parts if type(aggregation) is ProductAggregation else (aggregation,):
        slotted = type(each) in (RelationsAggregation, PositionalAggregation)
        how = None if slotted and graph.slots is None else _how(each, fsa.num_states, graph)
        if how is None:
            return None
        parts.append(_Part(how, slotted, place))
        place *= each.num_values(fsa.num_states)
    return parts


def _how(aggregation: Aggregation, num_states: int, graph: Graph) -> Levels | tuple[Array, Array] | None:
    """Levels, or weights [slots * states] and thresholds."""
    if type(aggregation) is PositionalAggregation:
        digits = np.arange(1, num_states + 1)
        return np.outer(aggregation.parameters(num_states), digits).astype(np.int32).reshape(-1), np.empty(0, np.int64)
    if type(aggregation) is not WeightedSumAggregation:
        return levels_of(aggregation, num_states)
    weights = np.array([aggregation.weight(state) for state in range(num_states)], np.int64)
    largest = int(np.abs(weights).max()) * graph.cached("largest_degree", lambda: int(graph.degrees.max(initial=0)))
    return weights.astype(np.int32 if largest < 2**31 else np.int64), np.array(aggregation.thresholds, np.int64)


def fits_columns(fsa: GraphFSA, graph: Graph) -> bool:
    """Whether steps over columns can run this automaton on this graph."""
    return _parts(fsa, graph) is not None


class ColumnStepper(DenseStepper):
    """Dense steps over columns, part by part."""

    kernel = "dense"

    def __init__(self, fsa: GraphFSA, graph: Graph, threads: int, quiet: int = 0) -> None:
        super().__init__(quiet)
        parts, n = _parts(fsa, graph), graph.num_nodes
        assert parts is not None
        columns = columns_of(graph, threads, slots=any(part.slotted for part in parts))
        self._shares = len(columns.shares) - 1
        self._table = fsa.transition_table
        self._threads = threads if graph.num_arcs + n > 1 << 16 else 1
        self._now, self._next = np.empty((2, n), np.uint8)
        self._values = np.zeros(n if len(parts) > 1 else 0, np.int32)  # A table has at most 2^26 entries: values fit.
        # One part without slots gathers bits that are kept for each node; otherwise they are looked up by state.
        alone = parts[0].how if len(parts) == 1 and not parts[0].slotted else None
        self._masks = alone.masks[0] if isinstance(alone, Levels) else np.empty(0, np.uint8)
        self._bits, self._next_bits = np.empty((2, n if len(self._masks) else 0), self._masks.dtype)
        self._parts = [_arguments(part, columns) for part in parts]

    def load(self, states: Array) -> None:
        super().load(states)
        if len(self._masks):
            np.take(self._masks, states, out=self._bits)

    def replace(self, first: int, states: Array) -> None:
        replaced = slice(first, first + len(states))
        self._now[replaced] = states
        if len(self._masks):
            np.take(self._masks, states, out=self._bits[replaced])

    def _step(self) -> int:
        moving = (self._values, self._now, self._table, self._masks, self._next, self._next_bits)
        changed = 0
        for number, (counts, layout, how, place) in enumerate(self._parts):
            before = (layout, *how)
            if counts:
                shown, levels = how
                before = (layout, (self._bits if len(self._masks) else shown[:0], shown), levels)
            last = number == len(self._parts) - 1
            changed = run_ranges(_kernel(counts), self._shares, self._threads, *before, moving, place, last)
        self._bits, self._next_bits = self._next_bits, self._bits
        return changed


def _arguments(part: _Part, columns: Columns) -> tuple[bool, tuple[Array, ...], tuple[Any, ...], int]:
    *layout, slots = columns.arrays
    layout = (*layout, slots if part.slotted else slots[:0])
    if not isinstance(part.how, Levels):
        return False, layout, part.how, part.place
    levels = part.how
    zeros = _zeros(levels, columns.largest)
    return True, layout, (levels.masks.reshape(-1), (zeros, levels.least, levels.relative, levels.adds)), part.place


def _zeros(levels: Levels, largest: int) -> Array:
    """For each digit of what must be reached the bits for which it is 0, [degrees, levels, planes]; see ``count_step``.

    Numbers that no degree can reach are as good as one that is a little larger than all degrees.
    """
    if levels.relative:
        needed = np.stack([_least_counts(levels.least, degree) for degree in range(largest + 1)])
    else:
        needed = np.minimum(levels.least, largest + 1).astype(np.int64)[None]
    width = max(0, int(needed.max(initial=1)) - 1).bit_length()
    bits = 1 << np.arange(levels.least.shape[1], dtype=np.int64)
    digits = needed[..., None, :] >> np.arange(width + 1)[:, None] & 1
    return ((digits == 0) * bits).sum(axis=-1).astype(levels.masks.dtype)


def _least_counts(shares: Array, degree: int) -> Array:
    """The smallest numbers of neighbours whose shares, rounded as ``encode`` rounds them, reach those given."""
    counts = np.arange(max(1, degree) + 1)
    return np.searchsorted(counts / max(1, degree), shares)
