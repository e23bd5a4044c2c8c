"""One graph: does it hold in every run there, how long may that take, and which run is the shortest without it?

*Eventually* is a matter of places to stay: without fairness a run avoids the goal for ever exactly if it comes to rest
outside of it, or if somebody can keep it in a set of configurations outside of it, whatever the coins say: an end
component, which without coins is a strongly connected component. A weakly fair run can stay in a component exactly if
each node moves there in some action or can't move in some configuration. *Eventually always* is the same with another
goal: the configurations from which nothing leads to one where the predicate does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphfsa.analysis.predicates import Configurations, Predicate
from graphfsa.analysis.questions._answers import Kind, Run
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.engine.exploring import MAX_ARCS, Space, decoded, explore
from graphfsa.engine.spaces import MAX_PAIRS, Paths
from graphfsa.errors import LimitError
from graphfsa.graphs import Graph
from graphfsa.graphs.automorphisms import automorphisms

_CHUNK = 1 << 18


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of every graph.

    Attributes:
        fsa: The automaton.
        kind: What must be so.
        predicate: Of what.
        scheduler: Who may move in one step.
        fair: Whether only weakly fair runs count.
    """

    fsa: GraphFSA | StochasticFSA
    kind: Kind
    predicate: Predicate
    scheduler: str
    fair: bool


@dataclass(frozen=True, eq=False)
class Instance:
    """A graph with starts.

    Attributes:
        graph: The graph.
        starts: Makes the numbers of the configurations to start from, in portions.
        answers: The state in which each node is labelled right, int [num_nodes], if the question is about labels.
        symmetric: Whether the starts are the same whatever the nodes are called.
    """

    graph: Graph
    starts: Callable[[], Iterable[Array]]
    answers: Array | None = None
    symmetric: bool = True


@dataclass(frozen=True, eq=False)
class Judgement:
    """An instance, and what follows from all of its configurations."""

    question: Question
    instance: Instance
    space: Space

    @cached_property
    def paths(self) -> Paths:
        """Ways through the space."""
        return Paths(self.space)

    @cached_property
    def right(self) -> Array:
        """Where the predicate holds, bool [configurations]."""
        found = np.empty(len(self.space), bool)
        names = self.question.fsa.state_names
        for begin in range(0, len(found), _CHUNK):
            part = slice(begin, begin + _CHUNK)
            states, movable = self.space.states(part.start, part.stop), self.space.can_move(part.start, part.stop)
            view = Configurations(self.space.graph, names, states, movable, self.instance.answers)
            found[part] = self.question.predicate.condition.holds(view)
        return found

    @cached_property
    def goal(self) -> Array:
        """Where nothing is left to wait for, bool [configurations]."""
        if self.question.kind == "eventually always":
            return ~self.paths.reaching(~self.right)
        return self.right

    @cached_property
    def starts(self) -> Array:
        """Which configurations are starts, bool [configurations]."""
        return np.arange(len(self.space)) < self.space.num_starts

    @cached_property
    def ways(self) -> tuple[Array, Array]:
        """Steps from the starts, outside of the goal (for ``always``: anywhere), and the last arc of each way."""
        if self.question.kind == "always":
            return self.paths.from_starts(self.starts, np.ones(len(self.space), bool))
        return self.paths.from_starts(self.starts & ~self.goal, ~self.goal)

    @cached_property
    def waiting(self) -> Array:
        """Where runs come before they reach the goal, bool [configurations]."""
        return self.ways[0] >= 0

    @cached_property
    def components(self) -> tuple[Array, Array]:
        """Where runs can stay without reaching the goal, as ``Paths.end_components`` says it."""
        return self.paths.end_components(self.waiting, self.question.fair)

    @cached_property
    def bad(self) -> Array:
        """Where it is decided that it does not hold, bool [configurations]."""
        if self.question.kind == "always":
            return self.waiting & ~self.right
        return self.resting | (self.components[0] >= 0)

    @cached_property
    def resting(self) -> Array:
        """Where runs come to rest before they reach the goal, bool [configurations]."""
        return self.waiting & (np.diff(self.space.first_action) == 0)

    @property
    def holds(self) -> bool:
        """Whether it holds in every run; with coins and unless it is ``always``: with probability 1."""
        return not self.bad.any()

    # ---- how long it takes

    @cached_property
    def order(self) -> Array | None:
        """What is waiting, sorted; None if runs may wait for any time."""
        return self.paths.sorted(self.waiting)

    @cached_property
    def steps(self) -> Array | None:
        """The largest number of steps from each configuration, int64 [configurations]."""
        ones = np.ones(len(self.space.movers), np.int64)
        return None if self.order is None else self.paths.longest(self.waiting, self.order, ones)

    def worst_moves(self) -> int | None:
        """The largest number of moves of single nodes from any start."""
        if self.order is None:
            return None
        weights = np.bitwise_count(self.space.movers).astype(np.int64)
        return int(self.paths.longest(self.waiting, self.order, weights)[self.starts].max(initial=0))

    def worst_steps(self) -> int | None:
        """The largest number of steps from any start."""
        return None if self.steps is None else int(self.steps[self.starts].max(initial=0))

    @cached_property
    def rounds(self) -> tuple[Array, Array, Array] | None:
        """Numbers of rounds, as ``Paths.rounds`` says it; needs a space without symmetries."""
        if isinstance(self.question.fsa, StochasticFSA):
            return None
        return self.paths.rounds(np.flatnonzero(self.starts & self.waiting), self.waiting)

    def worst_rounds(self) -> int | None:
        """The largest number of rounds from any start, one that was begun included."""
        if self.question.scheduler == "synchronous":
            return self.worst_steps()
        if isinstance(self.question.fsa, StochasticFSA):
            return None
        number = int(self.space.sizes.sum())
        if number << self.space.graph.num_nodes > MAX_PAIRS:
            return None
        try:
            plain = self if number == len(self.space) else judged(self.question, self.instance, symmetric=False)
        except LimitError:
            return None
        if plain.rounds is None:
            return None
        return int(plain.rounds[0].max(initial=0))

    def means(self) -> tuple[float, float] | None:
        """The expected number of steps from a start drawn among all, and from the worst one."""
        mean = self.paths.mean(self.waiting, self.order)
        if mean is None:
            return None
        weights = self.space.sizes[self.starts]
        return float(mean[self.starts] @ weights) / max(1, int(weights.sum())), float(mean[self.starts].max(initial=0))


def judged(question: Question, instance: Instance, *, symmetric: bool = True, starts: Array | None = None) -> Judgement:
    """Explore an instance.

    Args:
        question: What is asked.
        instance: The graph and its starts.
        symmetric: Whether what is equal up to symmetries may be taken for one.
        starts: Other starts than those of the instance.
    """
    # With symmetries a node has no identity, and fairness is about the identity of nodes.
    free = symmetric and instance.symmetric and not question.fair and question.predicate.condition.symmetric
    group = automorphisms(instance.graph) if free else None
    chosen = instance.starts() if starts is None else [starts]
    most = MAX_ARCS if symmetric else 2 * MAX_ARCS
    space = explore(question.fsa, instance.graph, chosen, question.scheduler, group, max_arcs=most)
    return Judgement(question, instance, space)


# ---- runs


def counterexample(found: Judgement) -> dict[str, Any]:
    """The shortest run in which it does not hold, and what else an answer says of it."""
    plain, surely = _without_symmetries(found)
    distance, via = plain.ways
    nearest = int(distance[plain.bad].min())
    entries = np.flatnonzero(plain.bad & (distance == nearest))
    if plain.question.kind == "always" or plain.resting[entries].any():
        if plain.question.kind != "always":
            entries = entries[plain.resting[entries]]
        end = int(entries[0])
        at_rest = plain.space.first_action[end] == plain.space.first_action[end + 1]
        run = _run(plain, end, _path(plain.paths, via, end), [], nearest if at_rest else None, surely)
        return {"counterexample": run, "broken": _only_breakable(plain, entries[:1])}
    part, actions = plain.components
    walk, known = plain.paths.loop(entries, part, actions, plain.question.fair)
    places = plain.paths.sources[np.array(walk)]
    begin = int(places[0])
    run = _run(plain, begin, _path(plain.paths, via, begin), walk, nearest, surely and known)
    random = isinstance(plain.question.fsa, StochasticFSA)
    trap = int((part == part[begin]).sum()) if random else None
    return {"counterexample": run, "trap": trap, "broken": _only_breakable(plain, places)}


def _only_breakable(found: Judgement, places: Array) -> bool:
    return found.question.kind == "eventually always" and bool(found.right[places].all())


def _without_symmetries(found: Judgement) -> tuple[Judgement, bool]:
    """The same, configuration by configuration; and whether all starts are still there."""
    if found.space.sizes.sum() == len(found.space):
        return found, True
    try:
        return judged(found.question, found.instance, symmetric=False), True
    except LimitError:
        distance, via = found.ways
        place = int(np.flatnonzero(found.bad & (distance == distance[found.bad].min()))[0])
        arcs = _path(found.paths, via, place)
        first = int(found.paths.sources[_action(found.space, arcs[0])]) if arcs else place
        start = found.space.codes[first : first + 1]
        return judged(found.question, found.instance, symmetric=False, starts=start), False


def _path(paths: Paths, via: Array, place: int) -> list[int]:
    """The arcs that lead to a configuration."""
    arcs = list[int]()
    while via[place] >= 0:
        arcs.append(int(via[place]))
        place = int(paths.sources[_action(paths.space, arcs[-1])])
    return arcs[::-1]


def _action(space: Space, arc: int) -> int:
    return int(np.searchsorted(space.first_arc, arc, side="right")) - 1


def _run(found: Judgement, place: int, path: list[int], walk: list[int], loop: int | None, surely: bool) -> Run:
    """The run along some arcs to a configuration, and along some actions from there."""
    space = found.space
    chosen = [_action(space, arc) for arc in path]
    places = [*(int(found.paths.sources[action]) for action in chosen), place]
    for action, following in zip(walk, [*walk[1:], *walk[:1]], strict=True):
        arcs = range(int(space.first_arc[action]), int(space.first_arc[action + 1]))
        target = int(found.paths.sources[following])
        assert any(int(space.targets[arc]) == target for arc in arcs), "a walk follows arcs"
        places.append(target)
    return run_along(found, places, chosen + walk, loop, surely)


def run_along(found: Judgement, places: list[int], actions: list[int], loop: int | None, surely: bool) -> Run:
    """The run through some configurations by some actions."""
    space = found.space
    nodes = range(space.graph.num_nodes)
    moves = tuple(tuple(node for node in nodes if int(space.movers[action]) >> node & 1) for action in actions)
    states = decoded(space.codes[np.array(places)], space.graph.num_nodes, space.num_states)
    return Run(found.question.fsa, space.graph, states, moves, loop, surely)
