"""What shares of the nodes are in which states, if neighbours were drawn anew in every step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.library import find_any_automaton
from graphfsa.checks import check_integer, shown
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphLike, as_graph


def mean_field(
    fsa: Any, graph: GraphLike | Mapping[int, float], shares: ArrayLike | Mapping[str, float], steps: int
) -> Array:
    """Expected shares of the states over time, by the mean-field approximation for nodes of different degrees.

    A node with d neighbours sees d states that are drawn independently, each from the nodes in proportion to their
    degrees. For large random graphs that is close; where neighbours depend on each other, as on lattices, it is not.

    Args:
        fsa: An automaton that moves at random, or any other, without slots.
        graph: A graph, of which only the degrees matter, or the share of the nodes of each degree.
        shares: The share of each state at the start, by name or in the order of the states.
        steps: Number of steps.

    Returns:
        float64 [steps + 1, num_states].

    Example:
        >>> from graphfsa.analysis import mean_field
        >>> found = mean_field("sis", {4: 1.0}, {"well": 0.99, "ill": 0.01}, 100)
        >>> bool(abs(found[-1] - found[-2]).max() < 1e-6), round(float(found[-1, 1]), 2)
        (True, 0.88)
    """
    found = find_any_automaton(fsa)
    automaton = StochasticFSA.of(found) if isinstance(found, GraphFSA) else found
    check_integer("steps", steps, 0)
    degrees, weights = _degrees(graph)
    chances = automaton.outcomes / automaton.outcomes[0].sum()
    each = np.tile(_shares(shares, automaton), (len(degrees), 1))
    seen = weights * degrees
    seen = seen / seen.sum() if seen.sum() else weights
    grow = _growth(automaton)
    result = np.empty((steps + 1, automaton.num_states))
    for step in range(steps + 1):
        # What rounding adds grows with each neighbour that is drawn, so every distribution is made to sum to 1 again.
        each /= each.sum(axis=1, keepdims=True)
        result[step] = weights @ each
        values = _values(automaton, grow, seen @ each, degrees)
        each = np.stack([_moved(automaton, chances, now, seen_by) for now, seen_by in zip(each, values, strict=True)])
    return result


def _moved(fsa: StochasticFSA, chances: Array, now: Array, values: Array) -> Array:
    """The distribution of a node's next state, from those of its state and of what it sees."""
    used = np.zeros(len(chances))
    np.add.at(used, fsa.transition_table.reshape(-1), np.outer(now, values).reshape(-1))
    return used @ chances


def _values(fsa: StochasticFSA, grow: Array, neighbour: Array, degrees: Array) -> Array:
    """For each degree the distribution of the value, float64 [degrees, num_values]."""
    now = np.zeros(fsa.num_values)
    now[fsa.aggregation.encode([], [], fsa.num_states)] = 1
    rows: dict[int, Array] = {}
    for degree in range(int(degrees.max(initial=0)) + 1):
        rows[degree] = now
        following = np.zeros(fsa.num_values)
        for state in np.flatnonzero(neighbour):
            np.add.at(following, grow[:, state], now * neighbour[state])
        now = following
    return np.stack([rows[degree] for degree in degrees.tolist()])


def _growth(fsa: StochasticFSA) -> Array:
    """The value after one more neighbour, int64 [num_values, num_states]."""
    grown = np.zeros((fsa.num_values, fsa.num_states), np.int64)
    for value in range(fsa.num_values):
        for state in range(fsa.num_states):
            later = None
            if not fsa.aggregation.uses_slots:
                later = fsa.aggregation.with_neighbour(value, state, 0, fsa.num_states)
            if later is None:
                raise GraphFSAError(
                    f"{fsa.aggregation.name} aggregation must tell what one more neighbour makes of a value, for a "
                    "mean field; it does not"
                )
            grown[value, state] = later
    return grown


def _degrees(graph: Any) -> tuple[Array, Array]:
    """Degrees, and the share of the nodes of each."""
    if isinstance(graph, Mapping):
        degrees = np.array([check_integer("a degree", degree, 0) for degree in graph], np.int64)
        weights = np.array([*graph.values()], float)
        if not len(degrees) or not (weights >= 0).all() or abs(weights.sum() - 1) > 1e-9:
            raise GraphFSAError(f"the shares of the degrees must be at least 0 and sum to 1; got {shown(dict(graph))}")
        return degrees, weights
    network = as_graph(graph)
    if not network.num_nodes:
        raise GraphFSAError("graph must have a node, for a mean field; it has none")
    degrees, counts = np.unique(network.degrees, return_counts=True)
    return degrees, counts / counts.sum()


def _shares(given: Any, fsa: StochasticFSA) -> Array:
    numbers = np.zeros(fsa.num_states)
    if isinstance(given, Mapping):
        for name, share in given.items():
            numbers[fsa.index(name)] = share
    else:
        numbers = np.asarray(given, float)
    if numbers.shape != (fsa.num_states,) or not (numbers >= 0).all() or abs(numbers.sum() - 1) > 1e-9:
        raise GraphFSAError(
            f"shares must be {fsa.num_states} numbers of at least 0 that sum to 1; got {shown(numbers.tolist())}"
        )
    return numbers
