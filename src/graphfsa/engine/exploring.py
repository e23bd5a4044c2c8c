"""Every configuration of an automaton on a small graph that some starts lead to, whoever moves when.

A *configuration* says which state each node is in. Where a set of nodes moves is an *action*: it leads to one
configuration, or to several if the nodes flip coins. Configurations that a symmetry of the graph turns into each other
are one, if symmetries are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.stochastic import ONE
from graphfsa.checks import check_name
from graphfsa.engine._exploring import (
    ACTIONS,
    ARCS,
    CONFIGURATIONS,
    NEED_ACTIONS,
    NEED_ARCS,
    NUM_COUNTS,
    emit_action,
    enter_code,
    expand,
    seed,
    tabulate,
)
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of, encoder_of
from graphfsa.errors import LimitError
from graphfsa.graphs import Graph

SCHEDULERS = ("synchronous", "central", "distributed", "locally-central")
"""Which nodes may move in one step: all; one; any that can; any that can and no two of them neighbours."""
MAX_CODES = 2**27
MAX_ARCS = 2**23
"""Moves that are kept, and configurations."""
MAX_NODES = 30
_CHUNK = 1 << 16
_MAX_LOCAL = 1 << 16
"""Entries of tables that say what a node does for all states of what it sees."""


@dataclass(frozen=True, eq=False)
class Space:
    """Configurations and what follows from each.

    Attributes:
        graph: The graph.
        num_states: Number of states of the automaton.
        num_starts: The first configurations are those that were started from.
        codes: A number for each configuration, whose digits to the base ``num_states`` are its states, int64 [n].
        sizes: How many configurations each stands for, int32 [n].
        enabled: Which nodes can move, as bits, int64 [n].
        first_action: Where the actions of each configuration begin, int64 [n + 1].
        movers: Which nodes move in each action, as bits, int64 [actions].
        first_arc: Where the arcs of each action begin, int64 [actions + 1].
        targets: Where each arc leads, int32 [arcs].
        chances: How likely each arc is if its action is taken, float64 [arcs]; empty without coins.
        index: The configuration of each number, int32 [num_states ** num_nodes]; -1 if it was not found.
    """

    graph: Graph
    num_states: int
    num_starts: int
    codes: Array
    sizes: Array
    enabled: Array
    first_action: Array
    movers: Array
    first_arc: Array
    targets: Array
    chances: Array
    index: Array

    def __len__(self) -> int:
        return len(self.codes)

    def states(self, begin: int = 0, end: int | None = None) -> Array:
        """The states of configurations in a row, uint8 [configurations, num_nodes]."""
        return decoded(self.codes[begin:end], self.graph.num_nodes, self.num_states)

    def can_move(self, begin: int = 0, end: int | None = None) -> Array:
        """Which nodes can move in configurations in a row, bool [configurations, num_nodes]."""
        return (self.enabled[begin:end, None] >> np.arange(self.graph.num_nodes) & 1).astype(bool)


def explore(
    fsa: GraphFSA | StochasticFSA,
    graph: Graph,
    starts: Iterable[Array],
    scheduler: str = "synchronous",
    symmetries: Array | None = None,
    *,
    max_arcs: int = MAX_ARCS,
) -> Space:
    """Find every configuration that starts lead to.

    Args:
        fsa: The automaton.
        graph: The graph.
        starts: Numbers of configurations as ``encoded`` makes them, int64, in portions.
        scheduler: One of ``SCHEDULERS``.
        symmetries: A group of numberings of the nodes that leave the graph as it is, [symmetries, num_nodes]; the first
            changes nothing. Only that one, if it is not given.
        max_arcs: How many arcs may be kept, and how many configurations.

    Raises:
        LimitError: It is too much.
    """
    check_name("scheduler", scheduler, SCHEDULERS)
    graph = fsa.aggregation.fitting(graph)
    check_space(fsa.num_states, graph.num_nodes)
    explorer = _Explorer(fsa, graph, SCHEDULERS.index(scheduler), symmetries, max_arcs)
    for portion in starts:
        explorer.seed(np.ascontiguousarray(portion, np.int64))
    return explorer.finish()


def check_space(num_states: int, num_nodes: int) -> None:
    """Raise if an automaton has too many configurations on a graph to number them."""
    if num_nodes > MAX_NODES:
        raise LimitError(f"configurations of graphs with at most {MAX_NODES} nodes are explored; got {num_nodes}")
    if num_states**num_nodes > MAX_CODES:
        raise LimitError(
            f"{num_states} states on {num_nodes} nodes make {num_states**num_nodes:,} configurations; "
            f"at most {MAX_CODES:,} are explored"
        )


def encoded(states: Array, num_states: int) -> Array:
    """Numbers of configurations, int64 [configurations], from states [configurations, num_nodes]."""
    return states.astype(np.int64) @ num_states ** np.arange(states.shape[1], dtype=np.int64)


def decoded(codes: Array, num_nodes: int, num_states: int) -> Array:
    """The states that numbers stand for, uint8 [configurations, num_nodes]."""
    powers = num_states ** np.arange(num_nodes, dtype=np.int64)
    return (codes[:, None] // powers % num_states).astype(np.uint8)


def outcomes_of(fsa: GraphFSA | StochasticFSA) -> tuple[Array, Array, Array, Array]:
    """The table of an automaton as places of outcomes; where each outcome begins, its states, and their chances."""
    if isinstance(fsa, GraphFSA):
        states = np.arange(fsa.num_states)
        return fsa.transition_table.astype(np.uint16), np.r_[states, len(states)], states, np.ones(len(states))
    rows, states = np.nonzero(fsa.outcomes)
    begins = np.searchsorted(rows, np.arange(fsa.num_outcomes + 1))
    return np.array(fsa.transition_table), begins, states, fsa.outcomes[rows, states] / ONE


class _Explorer:
    """What was found so far, in arrays that grow."""

    def __init__(
        self, fsa: GraphFSA | StochasticFSA, graph: Graph, scheduler: int, symmetries: Array | None, max_arcs: int
    ) -> None:
        self.graph, self.base, self.scheduler, self.max_arcs = graph, fsa.num_states, scheduler, max_arcs
        nodes = np.arange(graph.num_nodes)
        group = nodes[None] if symmetries is None else np.asarray(symmetries, np.int64)
        self.weights = np.ascontiguousarray((self.base ** nodes.astype(np.int64))[group])
        self.index = np.full(self.base**graph.num_nodes, -1, np.int32)
        self.random = isinstance(fsa, StochasticFSA)
        self.counts = np.zeros(NUM_COUNTS, np.int64)
        encoder = encoder_of(fsa.aggregation, self.base, graph)
        self.kernels = _kernels(encoder.function)
        arcs, outcomes = arcs_of(graph), outcomes_of(fsa)
        begins, local = _local_places(graph, self.base)
        if len(local):
            self.kernels[2](begins, *arcs, outcomes[0], encoder.parameters, self.base, local)
        self.about = (*arcs, _near(graph), begins, local, *outcomes, encoder.parameters, self.base, self.weights)
        self.codes = np.empty(1024, np.int64)
        self.sizes = np.empty(1024, np.int32)
        self.movers, self.first_arc = np.empty(4096, np.int64), np.zeros(4097, np.int64)
        self.targets, self.chances = np.empty(4096, np.int32), np.empty(4096 * self.random)

    def seed(self, starts: Array) -> None:
        """Start from configurations."""
        place = 0
        while place < len(starts):
            self._grow_configurations(1)
            place = self.kernels[0](
                place, starts, self.base, self.weights, self.index, self.codes, self.sizes, self.counts
            )

    def finish(self) -> Space:
        """Find everything that follows."""
        starts, done = int(self.counts[CONFIGURATIONS]), 0
        enabled, first_action = np.empty(len(self.codes), np.int64), np.zeros(len(self.codes) + 1, np.int64)
        while done < self.counts[CONFIGURATIONS]:
            if len(enabled) < len(self.codes):
                enabled, first_action = _grown(enabled, len(self.codes)), _grown(first_action, len(self.codes) + 1)
            end = min(done + _CHUNK, int(self.counts[CONFIGURATIONS]))
            reached = self.kernels[1](
                done, end, self.scheduler, *self.about, self.index, self.codes, self.sizes, enabled, first_action,
                self.movers, self.first_arc, self.targets, self.chances, self.counts,
            )  # fmt: skip
            if reached < end:
                self._make_room(int(self.counts[NEED_ACTIONS]), int(self.counts[NEED_ARCS]))
            done = reached
        found, actions, arcs = (int(self.counts[what]) for what in (CONFIGURATIONS, ACTIONS, ARCS))
        return Space(
            self.graph, self.base, starts, self.codes[:found], self.sizes[:found], enabled[:found],
            first_action[: found + 1], self.movers[:actions], self.first_arc[: actions + 1], self.targets[:arcs],
            self.chances[: arcs * self.random], self.index,
        )  # fmt: skip

    def _make_room(self, actions: int, arcs: int) -> None:
        wanted = int(self.counts[ARCS]) + max(arcs, actions)
        if wanted > self.max_arcs:
            raise LimitError(
                f"{int(self.counts[CONFIGURATIONS]):,} configurations or more have {wanted:,} moves or more on a graph "
                f"of {self.graph.num_nodes} nodes; at most {self.max_arcs:,} are kept"
            )
        self._grow_configurations(arcs)
        if self.counts[ACTIONS] + actions > len(self.movers):
            room = max(2 * len(self.movers), int(self.counts[ACTIONS]) + actions)
            self.movers, self.first_arc = _grown(self.movers, room), _grown(self.first_arc, room + 1)
        if self.counts[ARCS] + arcs > len(self.targets):
            room = max(2 * len(self.targets), int(self.counts[ARCS]) + arcs)
            self.targets = _grown(self.targets, room)
            self.chances = _grown(self.chances, room * self.random)

    def _grow_configurations(self, more: int) -> None:
        wanted = int(self.counts[CONFIGURATIONS]) + more
        if wanted > self.max_arcs:
            raise LimitError(
                f"a graph of {self.graph.num_nodes} nodes has {wanted:,} configurations or more; at most "
                f"{self.max_arcs:,} are kept"
            )
        if wanted > len(self.codes):
            room = max(2 * len(self.codes), wanted)
            self.codes, self.sizes = _grown(self.codes, room), _grown(self.sizes, room)


def _grown(array: Array, room: int) -> Array:
    larger = np.empty(room, array.dtype)
    larger[: len(array)] = array
    return larger


def _near(graph: Graph) -> Array:
    """The neighbours of each node, whoever sees whom, as bits, int64 [num_nodes]."""
    near = np.zeros(graph.num_nodes, np.int64)
    targets, sources = graph.targets().astype(np.int64), graph.indices.astype(np.int64)
    proper = targets != sources
    np.bitwise_or.at(near, targets[proper], 1 << sources[proper])
    np.bitwise_or.at(near, sources[proper], 1 << targets[proper])
    return near


def _local_places(graph: Graph, num_states: int) -> tuple[Array, Array]:
    """Where the table of each node begins that says what it does, and room for all; none if they would be large."""
    sizes = [float(num_states) ** (degree + 1) for degree in graph.degrees.tolist()]
    total = sum(sizes)
    begins = np.zeros(graph.num_nodes + 1, np.int64)
    if total > min(_MAX_LOCAL, num_states**graph.num_nodes):
        return begins, np.empty(0, np.uint16)
    begins[1:] = np.cumsum(sizes)
    return begins, np.empty(int(total), np.uint16)


@lru_cache(maxsize=64)
def _kernels(encode: Callable[..., int]) -> tuple[Any, Any, Any]:
    expanding = compile_kernel(expand, encode_node=encode, enter=enter_code, emit=emit_action)
    return compile_kernel(seed, enter=enter_code), expanding, compile_kernel(tabulate, encode_node=encode)
