"""Runs with schedulers and faults, compiled: what a step costs is what happens in it.

The kernel keeps for each node the entry of the table that it would use, and the set of enabled nodes. After a move only
the node and those that see it are looked at again, so a step of one node on a sparse graph costs the same on a
thousand nodes and on a million.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import ONE, StochasticFSA
from graphfsa.engine._enabled import ENABLED, room_for_counts
from graphfsa.engine._scheduled_kernel import (
    AHEAD,
    AT_REST,
    MADE,
    NUMBERS,
    QUIET,
    ROUNDS,
    STEP,
    begin_kernel,
    steps_kernel,
)
from graphfsa.engine._strikes import LOGGED, harm_arrays
from graphfsa.engine.coins import key_of, thresholds
from graphfsa.engine.encoding import arcs_of, encoder_of
from graphfsa.engine.faults import Fault
from graphfsa.engine.reference_scheduled import quiet_from
from graphfsa.engine.schedulers import Scheduler
from graphfsa.graphs.graph import Graph

_PAUSE = 1 << 21
"""Nodes to look at before the kernel comes back, so that interrupts and progress are served."""
_LOG = 1 << 16


class ScheduledStepper:
    """A run with a scheduler and faults that all have compiled forms; the same to the bit as ``PlainStepper``.

    Args:
        fsa: The automaton.
        graph: The graph.
        states: The states at step 0.
        scheduler: Who moves when.
        faults: What goes wrong.
        seed: The seed.
        replicate: Number of the run.
        changes: Whether to keep a list of all changes.

    Attributes:
        clock: The time, of schedulers with clocks.
    """

    kernel = "scheduled"

    def __init__(
        self,
        fsa: Automaton,
        graph: Graph,
        states: Array,
        scheduler: Scheduler,
        faults: Sequence[Fault],
        seed: int,
        replicate: int = 0,
        *,
        changes: bool = False,
    ) -> None:
        n, hidden = graph.num_nodes, any(fault.hides for fault in faults)
        encoder = encoder_of(fsa.aggregation, fsa.num_states, graph, hidden=hidden)
        chooser = type(scheduler).compiled_choose
        assert chooser is not None
        self._kernel = steps_kernel(encoder.function, chooser, bool(faults))
        self._arcs = (*arcs_of(graph), *graph.out_arcs())
        self._rule = (*_rule_of(fsa), encoder.parameters)
        # A cell has the entry of a node, whether it is owed a move, and whether it is enabled, in one number: memory
        # is what a step of one node waits for.
        self._world = (np.array(states, np.uint8), np.zeros(n, np.int32))
        self._crowd = (self._world[1], *room_for_counts(n))
        self._numbers = scheduler.parameters(graph)
        most = int(graph.degrees.max(initial=0)) + 1 if hidden else 0
        slots = most if len(self._arcs[2]) else 0
        self._spare = (
            np.empty(max(n, 1), np.int32)[:n],
            np.empty(n, np.uint8),
            np.empty(n, np.int32),
            np.zeros(n, np.uint8),
            np.zeros(fsa.num_states, np.int64),
            np.empty(most, np.int32),
            np.empty(slots, np.uint8),
            np.zeros(AHEAD if type(scheduler).foreseen else 0, np.int32),
        )
        self._key = (np.uint64(replicate), *key_of(seed))
        self._harm = harm_arrays(fsa, graph, faults, self._key, hidden)
        size = max(_LOG, 2 * (n + len(self._harm[4]) + len(self._harm[5]))) if changes else 0
        self._log = (np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.uint8))
        self._logged: list[tuple[Array, Array, Array]] = []
        self.num_changes = 0
        self._about = np.zeros(NUMBERS, np.int64)
        self._about[QUIET] = quiet_from(faults)
        self._watch = np.zeros(1)
        begin_kernel(encoder.function, bool(faults))(
            self._arcs, self._rule, self._world, self._crowd, self._spare, self._harm, self._key, self._about
        )

    @property
    def states(self) -> Array:
        """The current states, uint8 [num_nodes]; changed by the next step."""
        return self._world[0]

    @property
    def time(self) -> int:
        """The current step."""
        return int(self._about[STEP])

    @property
    def moves(self) -> int:
        """How often a node has changed its state by the rules."""
        return int(self._about[MADE])

    @property
    def rounds(self) -> int:
        """How many rounds have ended."""
        return int(self._about[ROUNDS])

    @property
    def clock(self) -> float:
        """The time, of schedulers with clocks."""
        return float(self._watch[0])

    def at_rest(self) -> bool:
        """Whether no node is enabled and no fault is still to come, as far as that has been seen."""
        if not len(self.states):
            return True
        # At the first quiet step itself, what faults took away has not been given back yet.
        quiet = int(self._about[QUIET])
        return (self.time > quiet or quiet == 0) and self._about[ENABLED] == 0

    def advance(self, limit: int) -> bool:
        """Make steps until step ``limit``, or a pause; False if the run came to rest before."""
        if not len(self.states):
            return self.time >= limit
        outcome = self._kernel(
            limit,
            _PAUSE,
            self._arcs,
            self._rule,
            self._world,
            self._crowd,
            self._numbers,
            self._spare,
            self._harm,
            self._log,
            self._key,
            self._about,
            self._watch,
        )
        logged = int(self._about[LOGGED])
        if logged:
            times, nodes, states = self._log
            self._logged.append((times[:logged].copy(), nodes[:logged].copy(), states[:logged].copy()))
            self.num_changes += logged
            self._about[LOGGED] = 0
        return outcome != AT_REST

    def logged_changes(self) -> tuple[Array, Array, Array]:
        """Step, node and new state of every change so far."""
        empty = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8))
        times, nodes, states = zip(empty, *self._logged, strict=True)
        return np.concatenate(times), np.concatenate(nodes), np.concatenate(states)


def _rule_of(fsa: Automaton) -> tuple[Array, Array, Array]:
    """Which outcome each entry has, the state of those that are sure (-1: it is not), and the sums of the others."""
    if isinstance(fsa, GraphFSA):
        # Of the type that tables of places of outcomes have, so that one kernel serves both.
        table = fsa.transition_table.astype(np.uint16)
        table.setflags(write=False)
        return table, np.arange(fsa.num_states, dtype=np.int16), np.empty((0, 0), np.uint64)
    assert isinstance(fsa, StochasticFSA)
    sure = np.where(fsa.outcomes.max(axis=1) == ONE, fsa.outcomes.argmax(axis=1), -1).astype(np.int16)
    return fsa.transition_table, sure, thresholds(fsa.outcomes)
