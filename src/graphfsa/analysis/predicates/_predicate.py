"""Predicates as users have them: words or a function, and an answer for one configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.analysis.predicates._conditions import Called, Condition, Configurations
from graphfsa.analysis.predicates._parser import parse_predicate
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.automaton.library import find_any_automaton
from graphfsa.automaton.states import node_states
from graphfsa.checks import type_name
from graphfsa.engine import neighbourhood_values
from graphfsa.engine.exploring import outcomes_of
from graphfsa.errors import GraphFSAError, StateError
from graphfsa.graphs import Graph, GraphLike, as_graph


@dataclass(frozen=True, eq=False)
class Predicate:
    """Something that holds or does not hold in a configuration.

    Attributes:
        text: In words; the name of a Python function.
        condition: What it is made of.
        fsa: The automaton whose states it names, if it is known.
        task: The name of the task whose labels it is about, if it says so.
    """

    text: str
    condition: Condition
    fsa: GraphFSA | StochasticFSA | None = None
    task: str | None = None

    def __call__(self, graph: GraphLike, states: ArrayLike | Sequence[str] | Mapping[Any, str | int]) -> bool:
        """Whether it holds.

        Args:
            graph: The graph.
            states: The state of each node: as for ``run``, or by name if no automaton is known.
        """
        network = as_graph(graph)
        if self.fsa is None:
            names, numbers = _named(network, states)
            return bool(self.condition.holds(Configurations(network, names, numbers[None]))[0])
        network = self.fsa.aggregation.fitting(network)
        row = node_states(self.fsa, network, states, None)[None]
        view = Configurations(network, self.fsa.state_names, row, movable(self.fsa, network, row))
        return bool(self.condition.holds(view)[0])

    def __str__(self) -> str:
        return self.text


def predicate(given: str | Callable[..., Any] | Predicate, fsa: Any = None) -> Predicate:
    """A predicate over configurations, from words or from a Python function.

    Args:
        given: Words such as ``exactly one leader`` (docs/questions.md has all of them), or a function that gets a graph
            and the names of the states of its nodes, and returns True or False.
        fsa: The automaton whose states are named: unknown names are errors then, and it can be asked who can move. Any
            word is the name of a state if it is not given.

    Raises:
        FormatError: The words are not understood; the message says where, and what would be.

    Example:
        >>> from graphfsa import families
        >>> predicate("exactly one leader")(families.path(3), ["lost", "leader", "lost"])
        True
        >>> predicate("every 0 sees only 3, 0 or 1", "unison")(families.path(3), [3, 0, 1])
        True
    """
    automaton = None if fsa is None else find_any_automaton(fsa)
    if isinstance(given, Predicate):
        if automaton is None or given.fsa == automaton:
            return given
        if isinstance(given.condition, Called):
            return Predicate(given.text, given.condition, automaton)
        given = given.text
    if isinstance(given, str):
        names = None if automaton is None else automaton.state_names
        condition, task = parse_predicate(given, names)
        return Predicate(given, condition, automaton, task)
    if not callable(given):
        raise GraphFSAError(f"a predicate must be words or a function; got {type_name(type(given))}")
    return Predicate(getattr(given, "__name__", "a function"), Called(given), automaton)


def movable(fsa: GraphFSA | StochasticFSA, graph: Graph, states: Array) -> Array:
    """Which nodes can move in some configurations, bool [configurations, num_nodes]."""
    table, begins, support, _ = outcomes_of(fsa)
    which = table[states, neighbourhood_values(fsa, graph, states)]
    begins = begins[which.astype(np.int64)], begins[which.astype(np.int64) + 1]
    return (begins[1] - begins[0] > 1) | (support[begins[0]] != states)


def _named(graph: Graph, states: Any) -> tuple[tuple[str, ...], Array]:
    """The names that states have, and the number of each node's."""
    if isinstance(states, Mapping):
        rows = {graph.node_index(node): name for node, name in states.items()}
        states = [rows.get(node) for node in range(graph.num_nodes)]
    given = list(states) if isinstance(states, Iterable) else []
    if len(given) != graph.num_nodes or not all(isinstance(name, str) for name in given):
        raise StateError(
            f"states must be the name of the state of each of the {graph.num_nodes} nodes; states by number need an "
            "automaton: predicate(text, fsa)"
        )
    names = tuple(dict.fromkeys(given)) or ("",)
    return names, np.array([names.index(name) for name in given], np.uint8)
