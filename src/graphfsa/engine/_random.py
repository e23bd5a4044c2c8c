"""Steps of automata that move at random: several runs on one graph at once.

While many nodes move, a step looks at all of them; otherwise at those with a mark: nodes that could have moved in the
step before, or see one that did. All others would find what they found then: that they stay, for certain.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.stochastic import ONE, StochasticFSA
from graphfsa.engine.coins import MOVES, coin, key_of, philox, thresholds
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of, encoder_of
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.graph import Graph

encode_node: Any = None
flip: Any = None
"""Bound when a kernel is compiled: the function of an encoder, and ``coin``."""

_MOVES = np.uint64(MOVES)
_FEW = 1 << 14
"""Nodes and arcs below which one thread is faster than several."""
_BUSY = 0.5
"""If a larger share of the nodes could move in a step, the next one makes no marks: most would be looked at anyway."""


def _random_step(
    begin: int,
    end: int,
    indptr: Any,
    indices: Any,
    slots: Any,
    out_indptr: Any,
    out_indices: Any,
    states: Any,
    table: Any,
    sure: Any,
    blind: Any,
    sums: Any,
    parameters: Any,
    clock: Any,
    numbers: Any,
    rest: Any,
    marked: bool,
    marking: bool,
    marks: Any,
    next_marks: Any,
    following: Any,
) -> int:
    """One step of the nodes ``begin .. end - 1``, counted over all runs; returns how many could have moved.

    ``numbers`` are those by which coins know the nodes, if they are others than here.
    ``rest[run]`` is one more than the last step in which some node of the run could; all threads write the same there.
    With ``marked`` only nodes with a mark are looked at, and their marks are taken away. With ``marking`` those get one
    for the next step that could move, and those that see a change; all threads write the same there, too.
    """
    num_nodes = states.shape[1]
    scratch = np.zeros(table.shape[0], np.int64)
    total = 0
    for run in range(begin // num_nodes, (end + num_nodes - 1) // num_nodes):
        row = states[run]
        first, last = max(begin - run * num_nodes, 0), min(end - run * num_nodes, num_nodes)
        following[run, first:last] = row[first:last]
        if rest[run] < clock[0]:
            continue
        restless = 0
        for node in range(first, last):
            if marked:
                if not marks[run, node]:
                    continue
                marks[run, node] = 0
            state = row[node]
            value = 0
            if not blind[state]:
                value = encode_node(row, indices, slots, indptr[node], indptr[node + 1], parameters, scratch)
            place = table[state, value]
            following_state = sure[place]
            if following_state == state:
                continue
            restless += 1
            if following_state < 0:
                name = np.uint64(numbers[node]) if len(numbers) else np.uint64(node)
                number = flip(_MOVES, name, clock[0], clock[1] + np.uint64(run), clock[2], clock[3])
                following_state = 0
                while sums[place, following_state] <= number:
                    following_state += 1
            following[run, node] = following_state
            if marking:
                next_marks[run, node] = 1
                if following_state != state:
                    for arc in range(out_indptr[node], out_indptr[node + 1]):
                        next_marks[run, out_indices[arc]] = 1
        if restless:
            rest[run] = clock[0] + np.uint64(1)
            total += restless
    return total


def _count_states(begin: int, end: int, states: Any, counts: Any) -> int:
    """The number of nodes in each state, of the runs ``begin .. end - 1``."""
    for run in range(begin, end):
        for state in range(counts.shape[1]):
            counts[run, state] = 0
        for node in range(states.shape[1]):
            counts[run, states[run, node]] += 1
    return 0


@lru_cache(maxsize=64)
def _kernel(encode: Callable[..., int]) -> Any:
    return compile_kernel(_random_step, encode_node=encode, philox=philox, flip=coin)


@lru_cache(maxsize=1)
def _counter() -> Any:
    return compile_kernel(_count_states)


class RandomStepper:
    """Runs of one automaton on one graph that move together, one step after another.

    Args:
        fsa: The automaton.
        graph: The graph.
        states: Where each run starts, uint8 [runs, num_nodes].
        seed: The seed.
        first: Number of the first run; the coins of run k are those of the run with this number plus k.
        threads: Number of threads.
        numbers: If the graph is a part of another: the numbers of its nodes there, by which coins know them.
        moving: If only the first nodes move, and the others are told their states: how many.

    Attributes:
        time: The current step.
        rest: For each run the step from which on no node could move, as far as it was run, uint64 [runs].
    """

    def __init__(
        self,
        fsa: StochasticFSA,
        graph: Graph,
        states: Array,
        seed: int,
        first: int,
        threads: int,
        *,
        numbers: Array | None = None,
        moving: int | None = None,
    ) -> None:
        encoder = encoder_of(fsa.aggregation, fsa.num_states, graph)
        sure = np.where(fsa.outcomes.max(axis=1) == ONE, fsa.outcomes.argmax(axis=1), -1).astype(np.int16)
        self._kernel = _kernel(encoder.function)
        table = fsa.transition_table
        blind = (table == table[:, :1]).all(axis=1)
        self._arcs = (*arcs_of(graph), *graph.out_arcs())
        self._rule = (table, sure, blind, thresholds(fsa.outcomes), encoder.parameters)
        self._key = (np.uint64(first), *key_of(seed))
        self._numbers = np.empty(0, np.int32) if numbers is None else numbers
        self._moving = moving
        self._now = np.ascontiguousarray(states, np.uint8).copy()
        self._next = np.empty_like(self._now)
        self._marks, self._next_marks = np.zeros_like(self._now), np.zeros_like(self._now)
        self._marked, self._restless = False, 0
        self._counts = np.empty((len(states), fsa.num_states), np.int64)
        self.rest = np.zeros(len(states), np.uint64)
        self._threads = threads if len(states) * (graph.num_arcs + graph.num_nodes) > _FEW else 1
        self.time = 0

    @property
    def states(self) -> Array:
        """The current states, uint8 [runs, num_nodes]; changed by the next step."""
        return self._now

    def counts(self) -> Array:
        """The number of nodes in each state, int64 [runs, num_states]."""
        run_ranges(_counter(), len(self._now), self._threads, self._now, self._counts)
        return self._counts.copy()

    def step(self) -> bool:
        """Make a step; False, and no step, if no node of any run could move."""
        clock = (np.uint64(self.time), *self._key)
        size = self._now.size if self._moving is None else self._moving
        marking = self._moving is None and self._restless < _BUSY * size
        marks = (self._marked, marking, self._marks, self._next_marks)
        arguments = (*self._arcs, self._now, *self._rule, clock, self._numbers, self.rest, *marks, self._next)
        self._restless = run_ranges(self._kernel, size, self._threads, *arguments) if size else 0
        if not self._restless:
            return False
        self._now, self._next = self._next, self._now
        self._marks, self._next_marks, self._marked = self._next_marks, self._marks, marking
        self.time += 1
        return True

    def advance(self, limit: int) -> bool:
        """Make up to ``limit`` steps, at least one; False, and no step, if no node of any run could move."""
        del limit  # One at a time: somebody may want to see each.
        return self.step()
