"""The specification: equations 1 and 2 in plain Python, node by node. Every fast path must agree with this."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphfsa.automaton.base import Automaton
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import StochasticFSA
from graphfsa.engine.coins import MOVES, coin, key_of
from graphfsa.graphs import GraphLike


def reference_values(fsa: Automaton, graph: GraphLike, states: Sequence[int]) -> list[int]:
    """The aggregated value of every node (equation 1)."""
    graph = fsa.aggregation.fitting(graph)
    values: list[int] = []
    for node in range(graph.num_nodes):
        begin, end = int(graph.indptr[node]), int(graph.indptr[node + 1])
        seen = [states[int(source)] for source in graph.indices[begin:end]]
        slots = [] if graph.slots is None else [int(slot) for slot in graph.slots[begin:end]]
        values.append(fsa.aggregation.encode(seen, slots, fsa.num_states))
    return values


def reference_step(fsa: GraphFSA, graph: GraphLike, states: Sequence[int]) -> list[int]:
    """The states after one step of all nodes at once (equation 2)."""
    values = reference_values(fsa, graph, states)
    return [int(fsa.transition_table[state, value]) for state, value in zip(states, values, strict=True)]


def reference_run(fsa: GraphFSA, graph: GraphLike, states: Sequence[int], steps: int) -> list[list[int]]:
    """The states at steps 0, 1, ..., ``steps``."""
    frames = [[int(state) for state in states]]
    for _ in range(steps):
        frames.append(reference_step(fsa, graph, frames[-1]))
    return frames


def reference_random_step(
    fsa: StochasticFSA, graph: GraphLike, states: Sequence[int], *, seed: int, step: int, replicate: int = 0
) -> list[int]:
    """The states after one step of all nodes at once, each with a coin of its own for this step of this replicate."""
    following: list[int] = []
    for node, (state, value) in enumerate(zip(states, reference_values(fsa, graph, states), strict=True)):
        about = (np.uint64(MOVES), np.uint64(node), np.uint64(step), np.uint64(replicate))
        number = int(coin(*about, *key_of(seed)))
        for successor, weight in enumerate(fsa.outcomes[fsa.transition_table[state, value]].tolist()):
            number -= weight
            if number < 0:
                following.append(successor)
                break
    return following
