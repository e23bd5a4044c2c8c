"""Event-driven steps: only nodes whose own state or neighbourhood changed are looked at again.

The cost of a step is the number of arcs into such nodes, not the size of the graph: a wave that crosses a path of a
million nodes in a million steps costs a million small updates. The kernel also keeps, at the same cost,

- how many nodes differ from the mark, so a return to it is noticed exactly;
- on request the changes themselves, and which (state, value) entry each node uses and since when, so that entry
  counts over any number of steps are exact without touching resting nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._stepper import Outcome, Stepper
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of, encoder_of
from graphfsa.graphs.graph import Graph

encode_node: Any = None
"""Bound when a kernel is compiled: the function of an encoder."""

_PAUSE = 1 << 22
"""Nodes to look at before the kernel comes back, so that interrupts and progress are served."""
_LOG = 1 << 16


def _event_steps(
    limit: int,
    busy: int,
    time: int,
    num_frontier: int,
    differing: int,
    arcs: tuple[Any, Any, Any, Any, Any],
    rule: tuple[Any, Any, Any],
    states: Any,
    mark: Any,
    frontier: Any,
    queue: Any,
    queued: Any,
    following: Any,
    tracking: tuple[Any, Any, Any],
    log: tuple[Any, Any, Any],
) -> tuple[int, int, int, int, int]:
    """Make up to ``limit`` steps from the nodes in ``frontier``, those that changed last.

    Empty arrays in ``mark``, ``tracking`` and ``log`` switch the feature off. Returns the steps made, the outcome, the
    size of the frontier, the number of nodes that differ from the mark and the number of logged changes.
    """
    indptr, indices, slots, out_indptr, out_indices = arcs
    table, parameters, absorbing = rule
    entry, since, totals = tracking
    log_time, log_node, log_state = log
    scratch = np.zeros(table.shape[0], np.int64)
    num_values = table.shape[1]
    logged = 0
    work = 0
    for done in range(limit):
        if num_frontier == 0:
            return done, 1, 0, differing, logged
        if work > _PAUSE or num_frontier > busy:
            return done, 3 if num_frontier > busy else 0, num_frontier, differing, logged
        num_queue = 0
        for place in range(num_frontier):
            node = frontier[place]
            if not queued[node] and not absorbing[states[node]]:
                queued[node] = 1
                queue[num_queue] = node
                num_queue += 1
            for arc in range(out_indptr[node], out_indptr[node + 1]):
                seer = out_indices[arc]
                if not queued[seer] and not absorbing[states[seer]]:
                    queued[seer] = 1
                    queue[num_queue] = seer
                    num_queue += 1
        work += num_queue
        if len(log_time) and logged + num_queue > len(log_time):
            for place in range(num_queue):
                queued[queue[place]] = 0
            return done, 0, num_frontier, differing, logged
        num_frontier = 0
        for place in range(num_queue):
            node = queue[place]
            queued[node] = 0
            value = encode_node(states, indices, slots, indptr[node], indptr[node + 1], parameters, scratch)
            state = table[states[node], value]
            if len(entry):
                used = np.int64(states[node]) * num_values + value
                if used != entry[node]:
                    if entry[node] >= 0:
                        totals[entry[node]] += time + done - since[node]
                    entry[node] = used
                    since[node] = time + done
            if state != states[node]:
                frontier[num_frontier] = node
                following[num_frontier] = state
                num_frontier += 1
        for place in range(num_frontier):
            node = frontier[place]
            if len(mark):
                differing += int(following[place] != mark[node]) - int(states[node] != mark[node])
            states[node] = following[place]
            if len(log_time):
                log_time[logged] = time + done + 1
                log_node[logged] = node
                log_state[logged] = following[place]
                logged += 1
        if num_frontier == 0:
            return done, 1, 0, differing, logged
        if len(mark) and differing == 0:
            return done + 1, 2, num_frontier, differing, logged
    return limit, 0, num_frontier, differing, logged


@lru_cache(maxsize=64)
def _kernel(encode: Callable[..., int]) -> Any:
    return compile_kernel(_event_steps, encode_node=encode)


class EventStepper(Stepper):
    """Event-driven steps for any aggregation.

    Args:
        fsa: The automaton.
        graph: The graph.
        busy: When more nodes than this change in a step, ask for a handover to a dense path.
        entries: Whether to count how often each table entry is used.
        changes: Whether to log every change.
    """

    kernel = "event"

    def __init__(
        self, fsa: GraphFSA, graph: Graph, *, busy: int | None = None, entries: bool = False, changes: bool = False
    ) -> None:
        n, table = graph.num_nodes, fsa.transition_table
        encoder = encoder_of(fsa.aggregation, fsa.num_states, graph)
        self._kernel = _kernel(encoder.function)
        self._arcs = (*arcs_of(graph), *graph.out_arcs())
        stays = (table == np.arange(fsa.num_states)[:, None]).all(axis=1)
        # A node in an absorbing state need not be looked at, unless we count which of its entries it uses.
        absorbing = np.zeros_like(stays) if entries else stays
        self._rule = (table, encoder.parameters, absorbing)
        self._busy = n if busy is None else busy
        self._states = np.empty(n, np.uint8)
        self._mark = np.empty(0, np.uint8)
        self._frontier, self._queue = np.empty((2, n), np.int32)
        self._queued = np.zeros(n, np.uint8)
        self._following = np.empty(n, np.uint8)
        self._num_frontier = self._differing = self._time = 0
        tracked, counted = (n, table.size) if entries else (0, 0)
        self._tracking = (np.full(tracked, -1, np.int32), np.zeros(tracked, np.int64), np.zeros(counted, np.int64))
        size = max(_LOG, n) if changes else 0
        self._log = (np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.uint8))
        self._logged: list[tuple[Array, Array, Array]] = []
        self.num_changes = 0

    def load(self, states: Array) -> None:
        self.load_frontier(states, np.arange(len(states), dtype=np.int32))

    def load_frontier(self, states: Array, changed: Array) -> None:
        """Start from these states, knowing that all but the given nodes did not change in the step before."""
        self._states[:] = states
        self._num_frontier = len(changed)
        self._frontier[: len(changed)] = changed

    def replace(self, first: int, states: Array) -> None:
        changed = first + np.flatnonzero(self._states[first : first + len(states)] != states).astype(np.int32)
        frontier = np.union1d(self._frontier[: self._num_frontier], changed)
        self._states[first : first + len(states)] = states
        self._num_frontier = len(frontier)
        self._frontier[: len(frontier)] = frontier
        self.set_mark(self._mark if len(self._mark) else None)

    def states(self) -> Array:
        return self._states.copy()

    def set_mark(self, states: Array | None) -> None:
        self._mark = np.empty(0, np.uint8) if states is None else states
        self._differing = 0 if states is None else int((self._states != states).sum())

    def advance(self, limit: int) -> tuple[int, Outcome]:
        done, outcome, self._num_frontier, self._differing, logged = self._kernel(
            limit,
            self._busy,
            self._time,
            self._num_frontier,
            self._differing,
            self._arcs,
            self._rule,
            self._states,
            self._mark,
            self._frontier,
            self._queue,
            self._queued,
            self._following,
            self._tracking,
            self._log,
        )
        self._time += done
        if logged:
            times, nodes, states = self._log
            self._logged.append((times[:logged].copy(), nodes[:logged].copy(), states[:logged].copy()))
            self.num_changes += logged
        return done, Outcome(outcome)

    @property
    def counts_entries(self) -> bool:
        """Whether the use of table entries is counted."""
        return len(self._tracking[2]) > 0

    def stop_log(self) -> None:
        """Log no more changes."""
        self._log = (self._log[0][:0], self._log[1][:0], self._log[2][:0])

    def logged_changes(self) -> tuple[Array, Array, Array]:
        """Step, node and new state of every change so far."""
        empty = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8))
        times, nodes, states = zip(empty, *self._logged, strict=True)
        return np.concatenate(times), np.concatenate(nodes), np.concatenate(states)

    def entry_counts(self, time: int) -> Array:
        """How often each (state, value) entry was used in all steps before ``time``, int64 [num_states, num_values].

        At a fixed point ``time`` may be ahead of the steps that were made.
        """
        entry, since, totals = self._tracking
        np.add.at(totals, entry[entry >= 0], time - since[entry >= 0])
        since[:] = time
        self._time = time
        return totals.reshape(self._rule[0].shape).copy()

    def skip_periods(self, period: int, times: int) -> None:
        """Make one period of steps, then count its entries ``times`` times more without making the steps."""
        before = self.entry_counts(self._time)
        self.advance_fully(period)
        used = self.entry_counts(self._time) - before
        totals, since = self._tracking[2], self._tracking[1]
        totals += used.reshape(-1) * times
        self._time += period * times
        since[:] = self._time
