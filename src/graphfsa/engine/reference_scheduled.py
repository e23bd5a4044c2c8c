"""The specification of runs with schedulers and faults, in plain Python, node by node.

A step of such a run:

1. Faults strike, in the order in which they are given: they set states, stop nodes, take arcs away for this step. Then
   nodes that lie show what they show.
2. If no node is enabled, and no fault is still to come, the run is at rest.
3. If no round is under way and some node is enabled, a round begins: all nodes that are enabled now are owed a move.
4. The scheduler chooses nodes. Those that have not crashed and do not lie look at their neighbours and move, all at
   once. They are owed nothing any more.

A node that is not enabled any more is owed nothing either, whatever made it so; a round ends as soon as no node is owed
a move. This is the usual definition of asynchronous rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import ONE, StochasticFSA
from graphfsa.engine.coins import MOVES, coin, key_of
from graphfsa.engine.faults import Fault, Source, World
from graphfsa.engine.faults._base import NEVER
from graphfsa.engine.schedulers import Moment, Scheduler
from graphfsa.graphs.graph import Graph


class PlainStepper:
    """A run with a scheduler and faults, step by step. What is not said here is as for ``ScheduledStepper``.

    Args:
        fsa: The automaton.
        graph: The graph.
        states: The states at step 0.
        scheduler: Who moves when.
        faults: What goes wrong.
        seed: The seed.
        replicate: Number of the run.
        changes: Whether to keep a list of all changes.
    """

    kernel = "plain"

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
        assert isinstance(fsa, GraphFSA | StochasticFSA)
        self._fsa, self._graph, self._scheduler, self._faults = fsa, graph, scheduler, faults
        self._key = (np.uint64(replicate), *key_of(seed))
        self._sources = [Source(place, self._key) for place in range(len(faults))]
        self._states = [int(state) for state in states]
        self._crashed = [False] * graph.num_nodes
        self._owed: set[int] = set()
        self._in_round = False
        self._keeps = changes
        self._changes: list[tuple[int, int, int]] = []
        self._quiet = quiet_from(faults)
        self.time = self.moves = self.rounds = 0
        self.clock = 0.0
        self._world = self._new_world()

    @property
    def states(self) -> Array:
        """The current states."""
        return np.array(self._states, np.uint8)

    @property
    def num_changes(self) -> int:
        """The number of changes that are kept."""
        return len(self._changes)

    def logged_changes(self) -> tuple[Array, Array, Array]:
        """Step, node and new state of every change so far."""
        times, nodes, states = np.array(self._changes, np.int64).reshape(-1, 3).T
        return times, nodes.astype(np.int32), states.astype(np.uint8)

    def at_rest(self) -> bool:
        """Whether no node is enabled and no fault is still to come, as far as that has been seen."""
        if not self._graph.num_nodes:
            return True
        # At the first quiet step itself, what faults took away has not been given back yet.
        return (self.time > self._quiet or self._quiet == 0) and not self.enabled()

    def enabled(self) -> list[int]:
        """The nodes that can leave their state, in the world of the last strike."""
        world = self._world
        return [
            node
            for node in range(self._graph.num_nodes)
            if not world.crashed[node] and node not in world.lies and self._can_leave(node)
        ]

    def advance(self, limit: int) -> bool:
        """Make steps until step ``limit``; False if the run came to rest before."""
        while self.time < limit:
            if not self._step():
                return False
        return True

    def _step(self) -> bool:
        if not self._graph.num_nodes:
            return False
        self._strike()
        self._discharge([])
        enabled = self.enabled()
        if not enabled and self.time >= self._quiet:
            return False
        if enabled and not self._in_round:
            self._in_round, self._owed = True, set(enabled)
        moment = Moment(self._graph, self.time, enabled, self._key, self.clock)
        chosen = [
            node for node in self._scheduler.choose(moment) if not self._crashed[node] and node not in self._world.lies
        ]
        self.clock = moment.clock
        following = [self._next(node) for node in chosen]
        for node, state in zip(chosen, following, strict=True):
            self.moves += state != self._states[node]
            self._set(node, state)
        self._discharge(chosen)
        self.time += 1
        return True

    def _strike(self) -> None:
        before = list(self._states)
        self._world = world = self._new_world()
        for fault, source in zip(self._faults, self._sources, strict=True):
            fault.strike(world, source)
        for node, state in list(world.lies.items()):
            if world.crashed[node]:
                del world.lies[node]
            elif state is not None:
                world.states[node] = state
        for node, state in enumerate(world.states):
            if state != before[node]:
                self._states[node] = before[node]
                self._set(node, state)

    def _new_world(self) -> World:
        absent = [False] * self._graph.num_arcs
        return World(self._fsa, self._graph, self.time, self._states, self._crashed, absent)

    def _discharge(self, moved: Sequence[int]) -> None:
        if self._in_round:
            self._owed -= set(moved)
            self._owed &= set(self.enabled())
            if not self._owed:
                self._in_round = False
                self.rounds += 1

    def _set(self, node: int, state: int) -> None:
        if state != self._states[node] and self._keeps:
            self._changes.append((self.time + 1, node, state))
        self._states[node] = state

    def _value(self, node: int, *, looks: bool) -> int:
        """What a node would see of the arcs that are there; or what it does see when it looks."""
        graph, world = self._graph, self._world
        seen: list[int] = []
        slots: list[int] = []
        for arc in range(int(graph.indptr[node]), int(graph.indptr[node + 1])):
            lost = looks and any(
                fault.loses(world, source, arc) for fault, source in zip(self._faults, self._sources, strict=True)
            )
            if world.absent[arc] or lost:
                continue
            seen.append(self._states[int(graph.indices[arc])])
            slots += [] if graph.slots is None else [int(graph.slots[arc])]
        return self._fsa.aggregation.encode(seen, slots, self._fsa.num_states)

    def _can_leave(self, node: int) -> bool:
        state = self._states[node]
        entry = self._fsa.transition_table[state, self._value(node, looks=False)]
        if isinstance(self._fsa, GraphFSA):
            return bool(entry != state)
        return bool(self._fsa.outcomes[entry, state] != ONE)

    def _next(self, node: int) -> int:
        state = self._states[node]
        entry = self._fsa.transition_table[state, self._value(node, looks=True)]
        if isinstance(self._fsa, GraphFSA):
            return int(entry)
        number = int(coin(np.uint64(MOVES), np.uint64(node), np.uint64(self.time), *self._key))
        for successor, weight in enumerate(self._fsa.outcomes[entry].tolist()):
            number -= weight
            if number < 0:
                return successor
        raise AssertionError("the weights of an outcome sum to 2^53, and a coin is below")


def quiet_from(faults: Sequence[Fault]) -> int:
    """The first step from which on no fault does anything."""
    ends: list[Any] = [fault.end() for fault in faults]
    return NEVER if None in ends else max(ends, default=0)
