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
from graphfsa.automaton.base import MAX_STATES
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._stepper import Outcome, Stepper
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of, encoder_of
from graphfsa.graphs.graph import Graph

encode_node: Any = None
"""Bound when a kernel is compiled: the function of an encoder."""

_TICKS = 1 << 30
"""Steps of a call, and after which stamps begin anew."""
_PAUSE = 1 << 22
"""Arcs to look along before the kernel comes back, so that interrupts and progress are served."""
_LOG = 1 << 16
_OUTCOMES = tuple(Outcome)
_NEVER = np.zeros(MAX_STATES, bool)
_NEVER.setflags(write=False)
_NO_MARK = np.empty(0, np.uint8)
_NO_ENTRIES = (np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int64))
_NO_LOG = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8))
"""What switches a feature of the kernel off."""


def _event_steps(
    limit: int,
    busy: int,
    time: int,
    tick: int,
    num_frontier: int,
    differing: int,
    arcs: tuple[Any, Any, Any, Any, Any],
    rule: tuple[Any, Any, Any],
    states: Any,
    mark: Any,
    frontiers: Any,
    stamps: Any,
    following: Any,
    tracking: tuple[Any, Any, Any],
    log: tuple[Any, Any, Any],
) -> tuple[int, int, int, int, int]:
    """Make up to ``limit`` steps from the nodes in ``frontiers[tick % 2]``, those that changed last.

    Every step has a tick of its own, with which nodes are stamped that were looked at. Empty arrays in ``mark``,
    ``tracking`` and ``log`` switch the feature off. Returns the steps made, the outcome, the size of the frontier, the
    number of nodes that differ from the mark and the number of logged changes.
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
        # A place in an array of two rows: to take a row, or to change the names of two, would count references.
        now = (tick + done) & 1
        if len(log_time):
            most = num_frontier
            for place in range(num_frontier):
                node = frontiers[now, place]
                most += out_indptr[node + 1] - out_indptr[node]
            if logged + min(most, len(states)) > len(log_time):
                return done, 0, num_frontier, differing, logged
        stamp = tick + done + 1
        found = 0
        for place in range(num_frontier):
            node = frontiers[now, place]
            first, last = out_indptr[node], out_indptr[node + 1]
            work += last - first + 1
            for arc in range(first - 1, last):
                seer = node if arc < first else out_indices[arc]
                before = states[seer]
                if absorbing[before] or stamps[seer] == stamp:
                    continue
                stamps[seer] = stamp
                value = encode_node(states, indices, slots, indptr[seer], indptr[seer + 1], parameters, scratch)
                if len(entry):
                    used = np.int64(before) * num_values + value
                    if used != entry[seer]:
                        if entry[seer] >= 0:
                            totals[entry[seer]] += time + done - since[seer]
                        entry[seer] = used
                        since[seer] = time + done
                state = table[before, value]
                if state != before:
                    frontiers[1 - now, found] = seer
                    following[found] = state
                    found += 1
        num_frontier = found
        if num_frontier == 0:
            return done, 1, 0, differing, logged
        for place in range(num_frontier):
            node = frontiers[1 - now, place]
            if len(mark):
                differing += int(following[place] != mark[node]) - int(states[node] != mark[node])
            states[node] = following[place]
            if len(log_time):
                log_time[logged] = time + done + 1
                log_node[logged] = node
                log_state[logged] = following[place]
                logged += 1
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
        # A node in an absorbing state need not be looked at, unless we count which of its entries it uses.
        absorbing = _NEVER[: fsa.num_states] if entries else fsa.absorbing
        self._rule = (table, encoder.parameters, absorbing)
        self._busy = n if busy is None else busy
        self._states = np.empty(n, np.uint8)
        self._mark = _NO_MARK
        self._frontiers = np.empty((2, n), np.int32)
        self._stamps = np.zeros(n, np.int32)
        self._following = np.empty(n, np.uint8)
        self._num_frontier = self._differing = self._time = self._tick = 0
        self._tracking = _NO_ENTRIES
        if entries:
            self._tracking = (np.full(n, -1, np.int32), np.zeros(n, np.int64), np.zeros(table.size, np.int64))
        self._log = _NO_LOG
        if changes:
            size = max(_LOG, n)
            self._log = (np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.uint8))
        self._logged: list[tuple[Array, Array, Array]] = []
        self.num_changes = 0

    def load(self, states: Array) -> None:
        self.load_frontier(states, np.arange(len(states), dtype=np.int32))

    def load_frontier(self, states: Array, changed: Array) -> None:
        """Start from these states, knowing that all but the given nodes did not change in the step before."""
        self._states[:] = states
        self._follow(changed)

    def replace(self, first: int, states: Array) -> None:
        changed = first + np.flatnonzero(self._states[first : first + len(states)] != states)
        self._states[first : first + len(states)] = states
        self._follow(np.union1d(self._frontiers[self._tick % 2, : self._num_frontier], changed))
        self.set_mark(self._mark if len(self._mark) else None)

    def _follow(self, changed: Array) -> None:
        """Go on from these nodes."""
        self._tick += 1  # The last step may have been discarded, its stamps not.
        self._num_frontier = len(changed)
        self._frontiers[self._tick % 2, : len(changed)] = changed

    def states(self) -> Array:
        return self._states.copy()

    def set_mark(self, states: Array | None) -> None:
        self._mark = _NO_MARK if states is None else states
        self._differing = 0 if states is None else int(np.count_nonzero(self._states != states))

    def advance(self, limit: int) -> tuple[int, Outcome]:
        if self._tick > _TICKS:
            self._tick %= 2
            self._stamps[:] = 0
        limit = min(limit, _TICKS)
        done, outcome, self._num_frontier, self._differing, logged = self._kernel(
            limit,
            self._busy,
            self._time,
            self._tick,
            self._num_frontier,
            self._differing,
            self._arcs,
            self._rule,
            self._states,
            self._mark,
            self._frontiers,
            self._stamps,
            self._following,
            self._tracking,
            self._log,
        )
        self._time += done
        self._tick += done
        if logged:
            times, nodes, states = self._log
            self._logged.append((times[:logged].copy(), nodes[:logged].copy(), states[:logged].copy()))
            self.num_changes += logged
        return done, _OUTCOMES[outcome]

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
