"""Faults, compiled: what happens to nodes and arcs before the moves of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.engine.faults import Fault, Harm, Source
from graphfsa.engine.faults._base import CRASH, LIE, SET
from graphfsa.engine.faults.edges import edge_numbers
from graphfsa.graphs.graph import Graph

enqueue: Any = None
flip: Any = None
"""Bound when a kernel is compiled."""
EVENT, LOGGED = 6, 7
"""Places of what a run keeps: the next event, and how many changes are in the log."""


def strike_all(
    step: int,
    arcs: Any,
    num_states: int,
    states: Any,
    queue: Any,
    queued: Any,
    harm: Any,
    log: Any,
    key: Any,
    about: Any,
) -> int:
    """The faults of a step; returns how many nodes have to be looked at again."""
    crashed, lying, absent, _, events, liars, rates, churn, edges, away = harm
    log_time, log_node, log_state = log
    indptr, out_indptr, out_indices = arcs[0], arcs[3], arcs[4]
    num_queue = 0
    while about[EVENT] < len(events) and events[about[EVENT], 0] <= step:
        kind, target, value = events[about[EVENT], 1], events[about[EVENT], 2], events[about[EVENT], 3]
        about[EVENT] += 1
        node = target
        if kind == SET:
            if states[node] == value:
                continue
            states[node] = value
            num_queue = enqueue(node, num_queue, out_indptr, out_indices, queue, queued)
            if len(log_time):
                log_time[about[LOGGED]], log_node[about[LOGGED]] = step + 1, node
                log_state[about[LOGGED]] = value
                about[LOGGED] += 1
        elif kind == CRASH:
            crashed[node] = 1
        elif kind == LIE:
            lying[node] += value
        else:
            absent[target] += value
            node = np.searchsorted(indptr, target, side="right") - 1
        if not queued[node]:
            queued[node] = 1
            queue[num_queue] = node
            num_queue += 1
    for place in range(len(liars)):
        node = liars[place, 0]
        if crashed[node] or not liars[place, 2] <= step < liars[place, 3]:
            continue
        purpose, rate = np.uint64(liars[place, 1]), rates[place]
        share = float(flip(purpose, np.uint64(node), np.uint64(step), key[0], key[1], key[2])) * 2.0**-53
        if share < rate:
            state = min(int(share / rate * num_states), num_states - 1)
            if states[node] != state:
                states[node] = state
                num_queue = enqueue(node, num_queue, out_indptr, out_indices, queue, queued)
                if len(log_time):
                    log_time[about[LOGGED]], log_node[about[LOGGED]] = step + 1, node
                    log_state[about[LOGGED]] = state
                    about[LOGGED] += 1
    for fault in range(len(churn)):
        first, stop = churn[fault, 2], churn[fault, 3]
        if not first <= step <= stop:
            continue
        purpose, bound = np.uint64(churn[fault, 0]), np.uint64(churn[fault, 1])
        node = 0
        for arc in range(len(edges)):
            while indptr[node + 1] <= arc:
                node += 1
            gone = 0
            if step < stop:
                number = flip(purpose, np.uint64(edges[arc]), np.uint64(step), key[0], key[1], key[2])
                gone = int(number >= bound)
            if gone != away[fault, arc]:
                absent[arc] += gone - np.int64(away[fault, arc])
                away[fault, arc] = gone
                if not queued[node]:
                    queued[node] = 1
                    queue[num_queue] = node
                    num_queue += 1
    return num_queue


def strike_nobody(
    step: int,
    arcs: Any,
    num_states: int,
    states: Any,
    queue: Any,
    queued: Any,
    harm: Any,
    log: Any,
    key: Any,
    about: Any,
) -> int:
    """``strike_all`` without faults: less to compile."""
    return 0


def harm_arrays(
    fsa: Automaton, graph: Graph, faults: Sequence[Fault], key: tuple[Any, Any, Any], hidden: bool
) -> tuple[Array, ...]:
    """All faults as arrays for the kernel."""
    n = graph.num_nodes if faults else 0
    harms = [fault.harm(fsa, graph, Source(place, key)) for place, fault in enumerate(faults)]
    events = np.concatenate([np.empty((0, 4), np.int64), *(harm.events for harm in harms)])
    events = np.ascontiguousarray(events[np.argsort(events[:, 0], kind="stable")])
    liars = [_liars(harm) for harm in harms]
    losses = [harm.losses for harm in harms if harm.losses is not None]
    churn = [harm.churn for harm in harms if harm.churn is not None]
    edges = edge_numbers(graph) if churn else np.empty(0, np.int64)
    return (
        np.zeros(n, np.uint8),
        np.zeros(n, np.int32),
        np.zeros(graph.num_arcs if hidden else 0, np.int32),
        np.array(losses, np.int64).reshape(-1, 4),
        events,
        np.concatenate([np.empty((0, 4), np.int64), *liars]),
        np.concatenate([np.empty(0), *(np.full(len(harm.liars), harm.lying[1]) for harm in harms)]),
        np.array(churn, np.int64).reshape(-1, 4),
        edges,
        np.zeros((len(churn), len(edges)), np.uint8),
    )


def _liars(harm: Harm) -> Array:
    """Node, purpose, first step and end of each liar of a fault."""
    nodes, ones = harm.liars, np.ones_like(harm.liars)
    return np.stack((nodes, harm.lying[0] * ones, harm.lying[2] * ones, harm.lying[3] * ones), axis=1)
