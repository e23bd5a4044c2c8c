"""What predicates are made of, and how each is decided for many configurations of one graph at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.asking import asked
from graphfsa.automaton.rules import plain_name
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph


@dataclass(frozen=True, eq=False)
class Configurations:
    """Some configurations of one graph.

    Attributes:
        graph: The graph.
        state_names: Names of the states.
        states: The states of all nodes, uint8 [configurations, num_nodes].
        can_move: Which nodes can move, bool [configurations, num_nodes]; None if no automaton says so.
        answers: The state in which each node is labelled right, int [num_nodes], -1 where any is; None without a task.
    """

    graph: Graph
    state_names: tuple[str, ...]
    states: Array
    can_move: Array | None = None
    answers: Array | None = None


class Condition(ABC):
    """The contract: whether something holds."""

    @abstractmethod
    def holds(self, view: Configurations) -> Array:
        """Whether it holds in each configuration, bool [configurations]."""

    def parts(self) -> tuple[Condition, ...]:
        """The conditions that it is made of."""
        return ()

    @property
    def symmetric(self) -> bool:
        """Whether it can't depend on how nodes are numbered."""
        return all(part.symmetric for part in self.parts())

    @property
    def needs_task(self) -> bool:
        """Whether it is about the labels of a task."""
        return any(part.needs_task for part in self.parts())


@dataclass(frozen=True)
class Among:
    """Some states by name, or all but these."""

    names: tuple[str, ...]
    others: bool = False

    def members(self, view: Configurations) -> Array:
        """Which nodes are in one of them, bool [configurations, num_nodes]."""
        chosen = np.array([(name in self.names) != self.others for name in view.state_names])
        return chosen[view.states]

    def __str__(self) -> str:
        words = [plain_name(name) for name in self.names]
        if self.others:
            return f"not {words[0]}" if len(words) == 1 else f"neither {' nor '.join(words)}"
        return " or ".join(words)


@dataclass(frozen=True)
class Amount:
    """A range of numbers, or those that are even or odd; ``every`` is as many as there are."""

    least: int = 0
    most: int | None = None
    parity: int | None = None
    every: bool = False

    def contains(self, numbers: Array, total: Array) -> Array:
        """Whether each number is one of them."""
        if self.every:
            return numbers == total
        if self.parity is not None:
            return numbers % 2 == self.parity
        found = numbers >= self.least
        return found if self.most is None else found & (numbers <= self.most)


@dataclass(frozen=True)
class Property:
    """What is said about single nodes: their states, whether they can move, what they see. All of it must hold.

    Attributes:
        states: The states that they may be in; any if None.
        can_move: Whether they can move; either if None.
        amount: How many of their neighbours are in ``seen``; any number if None.
        seen: Those states.
    """

    states: Among | None = None
    can_move: bool | None = None
    amount: Amount | None = None
    seen: Among | None = None

    def nodes(self, view: Configurations) -> Array:
        """Which nodes it holds for, bool [configurations, num_nodes]."""
        found = np.ones(view.states.shape, bool) if self.states is None else self.states.members(view)
        if self.can_move is not None:
            if view.can_move is None:
                raise GraphFSAError("who can move is known of an automaton: predicate(text, fsa)")
            found &= view.can_move == self.can_move
        if self.amount is not None:
            arcs = _arc_counts(view.graph)
            seen = np.ones(view.states.shape, bool) if self.seen is None else self.seen.members(view)
            found &= self.amount.contains((arcs @ seen.T).T, view.graph.degrees)
        return found


@dataclass(frozen=True)
class Nodes(Condition):
    """So many of some nodes have a property, in the whole graph or in each of its components."""

    amount: Amount
    subject: Property
    also: Property = Property()
    in_each_component: bool = False

    def holds(self, view: Configurations) -> Array:
        subject = self.subject.nodes(view)
        found = subject & self.also.nodes(view)
        if not self.in_each_component:
            return self.amount.contains(found.sum(axis=1), subject.sum(axis=1))
        member = _components(view.graph)
        return np.asarray(self.amount.contains((member @ found.T).T, (member @ subject.T).T).all(axis=1))


@dataclass(frozen=True)
class NoTwoNeighbours(Condition):
    """No two neighbours are both in some states, or in the same state."""

    states: Among | None = None

    def holds(self, view: Configurations) -> Array:
        targets, sources = view.graph.targets(), view.graph.indices
        proper = targets != sources
        left, right = view.states[:, targets[proper]], view.states[:, sources[proper]]
        if self.states is None:
            return np.asarray((left != right).all(axis=1))
        member = self.states.members(view)
        return np.asarray(~(member[:, targets[proper]] & member[:, sources[proper]]).any(axis=1))


@dataclass(frozen=True)
class LabelledRight(Condition):
    """Every node is in the final state that stands for its label."""

    def holds(self, view: Configurations) -> Array:
        if view.answers is None:
            raise GraphFSAError("labels are those of a task: say which, and start from its inputs")
        return np.asarray(((view.states == view.answers) | (view.answers < 0)).all(axis=1))

    @property
    def symmetric(self) -> bool:
        return False

    @property
    def needs_task(self) -> bool:
        return True


@dataclass(frozen=True)
class Every(Condition):
    """All of some conditions: and."""

    conditions: tuple[Condition, ...]

    def holds(self, view: Configurations) -> Array:
        return np.logical_and.reduce([part.holds(view) for part in self.conditions])

    def parts(self) -> tuple[Condition, ...]:
        return self.conditions


@dataclass(frozen=True)
class Some(Condition):
    """One of some conditions at least: or."""

    conditions: tuple[Condition, ...]

    def holds(self, view: Configurations) -> Array:
        return np.logical_or.reduce([part.holds(view) for part in self.conditions])

    def parts(self) -> tuple[Condition, ...]:
        return self.conditions


@dataclass(frozen=True)
class Not(Condition):
    """A condition does not hold."""

    condition: Condition

    def holds(self, view: Configurations) -> Array:
        return ~self.condition.holds(view)

    def parts(self) -> tuple[Condition, ...]:
        return (self.condition,)


@dataclass(frozen=True, eq=False)
class Called(Condition):
    """Whatever a Python function says of a graph and the names of the states of its nodes."""

    function: Callable[[Graph, tuple[str, ...]], Any]

    def holds(self, view: Configurations) -> Array:
        names = view.state_names
        what = f"the predicate {getattr(self.function, '__name__', 'given')!r}"
        return np.array([self._ask(view.graph, [names[state] for state in row], what) for row in view.states.tolist()])

    def _ask(self, graph: Graph, states: Sequence[str], what: str) -> bool:
        said = asked(what, self.function, graph, tuple(states))
        if not isinstance(said, bool | np.bool_):
            raise GraphFSAError(f"{what} must return True or False; got {type(said).__name__}")
        return bool(said)

    @property
    def symmetric(self) -> bool:
        # What a function looks at is not known: it may ask for node 0.
        return False


def _arc_counts(graph: Graph) -> Any:
    """How often each node sees each other, a sparse matrix of int32 [num_nodes, num_nodes]."""

    def count() -> Any:
        from scipy.sparse import csr_array

        ones, shape = np.ones(graph.num_arcs, np.int32), (graph.num_nodes, graph.num_nodes)
        return csr_array((ones, (graph.targets(), graph.indices)), shape=shape)

    return graph.cached("arc_counts", count)


def _components(graph: Graph) -> Any:
    """Which nodes are in each component, whoever sees whom, a sparse matrix of int32 [components, num_nodes]."""

    def build() -> Any:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        number, part = connected_components(_arc_counts(graph), directed=False)
        nodes = np.arange(graph.num_nodes)
        return csr_array((np.ones(len(nodes), np.int32), (part, nodes)), shape=(number, len(nodes)))

    return graph.cached("component_members", build)
