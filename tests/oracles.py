"""Independent implementations that the tests compare with: whole-array numpy, nothing of the engine."""

import numpy as np


def bounded_counts(graph, states, num_states):
    """How often each state occurs among the neighbours of each node, int64 [num_nodes, num_states]."""
    targets = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    key = targets * num_states + states[graph.indices]
    return np.bincount(key, minlength=graph.num_nodes * num_states).reshape(graph.num_nodes, num_states)


def counting_step(table, bound, graph, states):
    """One step of a counting automaton."""
    num_states = len(table)
    counts = np.minimum(bounded_counts(graph, states, num_states), bound)
    values = counts @ np.array([(bound + 1) ** m for m in range(num_states)])
    return np.asarray(table)[states, values]


def counting_run(fsa, graph, states, steps):
    """The states of a counting automaton after some steps."""
    states = np.asarray(states)
    for _ in range(steps):
        states = counting_step(fsa.transition_table, fsa.aggregation.bound, graph, states)
    return states


def around(board, torus=True):
    """The eight shifted copies of a board, [8, height, width]; beyond a bounded board there are zeros."""
    height, width = board.shape
    padded = np.pad(board, 1, mode="wrap" if torus else "constant")
    shifts = [(r, c) for r in (0, 1, 2) for c in (0, 1, 2) if (r, c) != (1, 1)]
    return np.stack([padded[r : r + height, c : c + width] for r, c in shifts])


def life_step(board, born=(3,), survive=(2, 3), torus=True):
    """One step of a Life-like rule on a board of zeros and ones."""
    live = around(board, torus).sum(axis=0)
    return np.where(board == 1, np.isin(live, survive), np.isin(live, born)).astype(board.dtype)


def fold(stable_at, period, step):
    """The step of the first pass that has the states of a later step."""
    return step if step < stable_at else stable_at + (step - stable_at) % period


def repeat(frames):
    """The first step whose states come again, and after how many steps: plain search."""
    seen = {}
    for step, states in enumerate(frames):
        key = tuple(states)
        if key in seen:
            return seen[key], step - seen[key]
        seen[key] = step
    return None
