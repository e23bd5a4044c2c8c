"""Runs with coins on a small graph, exactly: the Markov chain of its configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.library import find_any_automaton
from graphfsa.automaton.states import node_states
from graphfsa.automaton.stochastic import ONE
from graphfsa.checks import check_integer
from graphfsa.engine import neighbourhood_values
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphLike

MAX_CONFIGURATIONS = 200_000
MAX_ARCS = 20_000_000


@dataclass(frozen=True, eq=False)
class Chain:
    """Every configuration that can be reached from a start, and how likely each leads to each.

    Attributes:
        fsa: The automaton.
        graph: The graph.
        configurations: The states of all nodes, uint8 [configurations, num_nodes]; the start is the first.
        matrix: Probabilities from each to each in one step, SciPy CSR [configurations, configurations].

    Example:
        >>> from graphfsa import families, library
        >>> from graphfsa.analysis import chain
        >>> found = chain("colouring", families.complete(2), [0, 0])
        >>> int(found.resting.sum()), round(found.expected_steps(), 6)
        (6, 1.5)
    """

    fsa: StochasticFSA
    graph: Graph
    configurations: Array
    matrix: Any

    def __len__(self) -> int:
        return len(self.configurations)

    @cached_property
    def resting(self) -> Array:
        """Which configurations are never left, bool [configurations]."""
        return self.matrix.diagonal() >= 1

    def distribution(self, steps: int) -> Array:
        """How likely each configuration is after a number of steps, float64 [configurations]."""
        check_integer("steps", steps, 0)
        now = np.zeros(len(self))
        now[0] = 1
        for _ in range(steps):
            now = now @ self.matrix
        return now

    def shares(self, steps: int) -> Array:
        """The expected share of the nodes in each state after a number of steps, float64 [num_states]."""
        return self.distribution(steps) @ self._counts / max(1, self.graph.num_nodes)

    def absorption(self) -> Array:
        """How likely the chain ends in each resting configuration, float64 [configurations]; 0 for others.

        The sum is below 1 if with some probability it never rests.
        """
        result = np.zeros(len(self))
        if self.resting[0]:
            result[0] = 1
            return result
        visits = self._visits()
        result[self.resting] = visits @ self.matrix[self._passing][:, self.resting]
        return result

    def expected_steps(self) -> float:
        """The expected number of steps until it rests; infinite if with some probability it never does."""
        if self.resting[0]:
            return 0.0
        if self.absorption().sum() < 1 - 1e-6:
            return float("inf")
        return float(self._visits().sum())

    def stationary(self) -> Array:
        """The share of the time that it spends in each configuration in the long run, float64 [configurations].

        Raises:
            GraphFSAError: It depends on chance: there are several sets of configurations that are never left.
        """
        from scipy.sparse.csgraph import connected_components

        number, part = connected_components(self.matrix, connection="strong")
        sources, targets = self.matrix.nonzero()
        closed = np.ones(number, bool)
        closed[part[sources[part[sources] != part[targets]]]] = False
        if closed.sum() != 1:
            raise GraphFSAError(f"the long run depends on chance: {closed.sum()} sets of configurations are never left")
        inside = np.flatnonzero(part == np.flatnonzero(closed)[0])
        result = np.zeros(len(self))
        result[inside] = _stationary(self.matrix[inside][:, inside])
        return result

    @cached_property
    def _counts(self) -> Array:
        states = np.arange(self.fsa.num_states)
        return (self.configurations[:, :, None] == states).sum(axis=1)

    @cached_property
    def _passing(self) -> Array:
        """Configurations from which a resting one can be reached, but which are none."""
        from scipy.sparse.csgraph import breadth_first_order

        backward = self.matrix.T.tocsr()
        known = self.resting.copy()
        for place in np.flatnonzero(self.resting):
            known[breadth_first_order(backward, place, return_predecessors=False)] = True
        return np.flatnonzero(known & ~self.resting)

    def _visits(self) -> Array:
        """How often each passing configuration is visited before it rests or never will, on average."""
        from scipy.sparse import eye
        from scipy.sparse.linalg import spsolve

        inner = self.matrix[self._passing][:, self._passing]
        start = (self._passing == 0).astype(float)
        if not start.any():
            return start
        return np.asarray(spsolve((eye(len(start)) - inner.T).tocsc(), start), float).reshape(-1)  # type: ignore[arg-type]


def chain(
    fsa: Any,
    graph: GraphLike,
    states: ArrayLike | Sequence[str] | Mapping[Any, str | int],
    *,
    default: str | int | None = None,
) -> Chain:
    """The Markov chain of an automaton on a small graph, from one start.

    The number of configurations may grow as ``num_states ** num_nodes``.

    Args:
        fsa: An automaton that moves at random, or any other; the name of one in the library, or a file.
        graph: The graph.
        states: Where it starts, as for ``run``.
        default: As for ``run``.

    Raises:
        LimitError: More than 200,000 configurations can be reached, or they lead to too many others.
    """
    found = find_any_automaton(fsa)
    automaton = StochasticFSA.of(found) if isinstance(found, GraphFSA) else found
    network = automaton.aggregation.fitting(graph)
    start = node_states(automaton, network, states, default)
    index = {start.tobytes(): 0}
    waiting, rows = [start], list[tuple[Array, Array]]()
    arcs = 0
    while len(rows) < len(waiting):
        targets, chances = _successors(automaton, network, waiting[len(rows)])
        places = np.empty(len(targets), np.int64)
        for place, target in enumerate(targets):
            key = target.tobytes()
            if key not in index:
                index[key] = len(waiting)
                waiting.append(target)
            places[place] = index[key]
        rows.append((places, chances))
        arcs += len(places)
        if len(waiting) > MAX_CONFIGURATIONS or arcs > MAX_ARCS:
            raise LimitError(
                f"an exact answer looks at {MAX_CONFIGURATIONS:,} configurations at most; more can be reached here. "
                "Take a smaller graph, or estimate with simulate"
            )
    from scipy.sparse import csr_array

    indptr = np.cumsum([0, *(len(places) for places, _ in rows)])
    indices = np.concatenate([places for places, _ in rows])
    data = np.concatenate([chances for _, chances in rows])
    matrix = csr_array((data, indices, indptr), shape=(len(rows), len(rows)))
    matrix.sum_duplicates()
    return Chain(automaton, network, np.stack(waiting), matrix)


def _successors(fsa: StochasticFSA, graph: Graph, states: Array) -> tuple[Array, Array]:
    """Where a configuration leads, uint8 [ways, num_nodes], and how likely each is, float64 [ways]."""
    if not len(states):
        return states[None], np.ones(1)
    values = neighbourhood_values(fsa, graph, states[None])[0]
    weights = fsa.outcomes[fsa.transition_table[states, values]]
    choices = [np.flatnonzero(row) for row in weights]
    ways = int(np.prod([float(len(choice)) for choice in choices]))
    if ways > MAX_ARCS:
        raise LimitError(f"a configuration leads to {ways:,} others; an exact answer looks at {MAX_ARCS:,} at most")
    targets = np.array(list(product(*choices)), np.uint8)
    chances = np.ones(1)
    for row, choice in zip(weights, choices, strict=True):
        chances = np.multiply.outer(chances, row[choice] / ONE).reshape(-1)
    return targets, chances


def _stationary(matrix: Any) -> Array:
    """The distribution that one step of an irreducible chain does not change."""
    from scipy.sparse import eye, vstack
    from scipy.sparse.linalg import spsolve

    size = matrix.shape[0]
    # One equation follows from the others; that the sum is 1 takes its place.
    system = vstack([(matrix.T - eye(size)).tocsr()[:-1], np.ones((1, size))]).tocsc()
    wanted = np.zeros(size)
    wanted[-1] = 1
    return np.asarray(spsolve(system, wanted), float).reshape(-1)  # type: ignore[arg-type]
