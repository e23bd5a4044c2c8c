"""Whether two automata give the same answers: by renaming their states, or by trying every small graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from graphfsa.analysis.minimisation import minimise
from graphfsa.analysis.renaming import same_up_to_renaming
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.library import find_automaton
from graphfsa.checks import check_integer, shorten
from graphfsa.engine import run
from graphfsa.errors import AutomatonError, LimitError
from graphfsa.graphs import Graph, GraphBatch, all_graphs, all_inputs
from graphfsa.graphs.enumeration import MAX_INPUTS, check_class, num_graphs
from graphfsa.learners import as_model

_MAX_STEPS = 2**14


@dataclass(frozen=True)
class Difference:
    """A graph on which two automata answer differently.

    Attributes:
        graph: The graph; none of those compared has fewer nodes.
        inputs: For each node, which starting state it starts in: 0 for the first.
        answers: Of each automaton, for each node, which final state it is in; -1 for no answer. Without final states:
            the states, as the first automaton numbers them.
        steps: The step at which these are the answers.
    """

    graph: Graph
    inputs: tuple[int, ...]
    answers: tuple[tuple[int, ...], tuple[int, ...]]
    steps: int


@dataclass(frozen=True)
class Question:
    """Two automata and when and where their answers count."""

    fsas: tuple[GraphFSA, GraphFSA]
    steps: int | None
    where_answered: bool

    @property
    def num_inputs(self) -> int:
        """Number of inputs: of starting states."""
        return len(self.fsas[0].starting_states)

    @property
    def in_order(self) -> bool:
        """Whether the states that belong together are in the same order in both."""
        second = self.fsas[1]
        shown = second.final_states or tuple(range(second.num_states))
        return self.starting(second) == second.starting_states and self.shown(second) == shown

    def starting(self, fsa: GraphFSA) -> tuple[int, ...]:
        """The starting states of one of the automata, in the order of the first one's names."""
        first = self.fsas[0]
        if first.final_states:
            return _ordered(first, fsa, first.starting_states, fsa.starting_states)
        # The states show, so those in which nodes start are matched in the same way.
        places = self.shown(fsa)
        return tuple(places[state] for state in first.starting_states)

    def shown(self, fsa: GraphFSA) -> tuple[int, ...]:
        """The states of one of the automata that are answers, in the order of the first one's names.

        Those are its final states; without final states all of them.
        """
        first = self.fsas[0]
        if first.final_states:
            return _ordered(first, fsa, first.final_states, fsa.final_states)
        return _ordered(first, fsa, tuple(range(first.num_states)), tuple(range(fsa.num_states)))

    def answers(self, fsa: GraphFSA, batch: GraphBatch, inputs: Array) -> Array:
        """The answers of an automaton, int16 [graphs, nodes]; all graphs have one size."""
        start = np.array(self.starting(fsa), np.uint8)[inputs]
        if self.steps is not None:
            last = run(fsa, batch.graph, start.reshape(-1), self.steps).last.reshape(inputs.shape)
        else:
            last = last_states(fsa, batch, start)
        return _meaning(fsa, self.shown(fsa))[last]

    def differ(self, batch: GraphBatch, inputs: Array) -> Array:
        """Which graphs have a node that counts with different answers, bool [graphs]."""
        left, right = (self.answers(fsa, batch, inputs) for fsa in self.fsas)
        counts = left >= 0 if self.where_answered else True
        return ((left != right) & counts).any(axis=1)

    def difference(self, graph: Graph, inputs: Array) -> Difference:
        """What the automata answer on one graph."""
        steps = self.steps
        if steps is None:
            starts = [np.array(self.starting(fsa))[inputs] for fsa in self.fsas]
            pairs = zip(self.fsas, starts, strict=True)
            steps = max(run(fsa, graph, start, "stable", max_steps=4 * _MAX_STEPS).steps for fsa, start in pairs)
        batch = GraphBatch.of([graph])
        fixed = Question(self.fsas, steps, self.where_answered)
        left, right = (tuple(fixed.answers(fsa, batch, inputs[None])[0].tolist()) for fsa in self.fsas)
        return Difference(graph, tuple(inputs.tolist()), (left, right), steps)


def last_states(fsa: GraphFSA, batch: GraphBatch, start: Array) -> Array:
    """States of roll-outs that repeat from there on, uint8 [graphs, nodes]; all graphs have one size.

    Each roll-out is over when it is back at its mark; marks are set at steps that grow by powers of two (Brent). The
    others need not be waited for, so periods of different graphs do not multiply.
    """
    now, result = start, start.copy()
    waiting = np.arange(len(batch))
    over = np.zeros(len(batch), bool)
    mark, window = now, 1
    final = np.isin(np.arange(fsa.num_states), fsa.final_states)
    for time in count(1):
        if time > _MAX_STEPS:
            raise LimitError(
                f"{len(waiting)} roll-outs on graphs of {start.shape[1]} nodes do not repeat within {_MAX_STEPS:,} "
                "steps; compare after a fixed number of steps, or on smaller graphs"
            )
        now = run(fsa, batch.graph, now.reshape(-1), 1).last.reshape(now.shape)
        over |= (now == mark).all(axis=1) | final[now].all(axis=1)
        if over.all():
            result[waiting] = now
            return result
        if 2 * over.sum() >= len(over):
            result[waiting] = now
            left = np.flatnonzero(~over)
            batch, now, mark, waiting, over = batch.select(left), now[left], mark[left], waiting[left], over[left]
        if time == 2 * window - 1:
            mark, window = now, 2 * window
    raise AssertionError


def _meaning(fsa: GraphFSA, shown: tuple[int, ...]) -> Array:
    """The answer that each state stands for, int16; -1 for none."""
    meaning = np.full(fsa.num_states, -1, np.int16)
    meaning[list(shown)] = np.arange(len(shown))
    return meaning


def _ordered(first: GraphFSA, fsa: GraphFSA, wanted: tuple[int, ...], states: tuple[int, ...]) -> tuple[int, ...]:
    """States of an automaton in the order in which the first one has their names; as they are if the names differ."""
    names = {fsa.state_names[state]: state for state in states}
    order = [first.state_names[state] for state in wanted]
    return tuple(names[name] for name in order) if set(order) == set(names) else states


__all__ = ["Comparison", "Difference", "compare", "same_up_to_renaming"]

MAX_NODE_RUNS = 2**30
_BATCH_NODES = 2**19
_TYPICAL = 3
"""Graphs of up to this number of nodes show which slots the graphs of a class have."""


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        graph_class: The class of graphs that were compared.
        equivalent: Whether no difference was found.
        by: ``renaming``: the automata do the same on every graph whatsoever. ``exhaustive check``: on every graph of
            the class up to the size, from all inputs.
        checked: Number of pairs (graph, inputs) that were run.
        distinguishing: The difference, if there is one.
    """

    graph_class: str
    equivalent: bool
    by: str
    checked: int
    distinguishing: Difference | None


def compare(
    a: Any,
    b: Any,
    *,
    graph_class: str | None = None,
    max_nodes: int = 8,
    steps: int | None = None,
    where_answered: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Compare the answers of two automata on all small graphs of a class, from all inputs, smallest graphs first.

    Starting states with the same name are the same input, final states with the same name the same answer; if the
    names differ, the k-th is the k-th. Compared are the answers in the end: each roll-out is run until it repeats, and
    then no node gets an answer any more. Automata without final states are compared by all their states, matched in the
    same way, after one step from any states; if that agrees, all steps do.

    If the automata, or what :func:`~graphfsa.analysis.minimisation.minimise` leaves of them, are the same up to the
    names of their states, no graph is run: they agree on all graphs of any size.

    Args:
        a: A model, an automaton, the name of a library automaton, or a file.
        b: Another, with the same numbers of starting and final states.
        graph_class: One of ``graphfsa.graphs.GRAPH_CLASSES``; by default that of the models' task, else ``tree``.
        max_nodes: The largest number of nodes.
        steps: Compare what holds after exactly this number of steps instead.
        where_answered: Whether nodes for which ``a`` has no answer do not count.
        progress: Called with the number of graphs with inputs that were compared.

    Raises:
        AutomatonError: The automata can't be compared.
        LimitError: There are too many graphs and inputs, or a roll-out does not repeat for very long.

    Example:
        >>> found = compare("B3/S23", "B3/S2", max_nodes=5)
        >>> found.equivalent, found.distinguishing.graph.num_nodes
        (False, 4)
    """
    left, right = find_automaton(a), find_automaton(b)
    _check_pair(left, right, steps)
    graph_class = _common_class(a, b) if graph_class is None else graph_class
    check_class(graph_class)
    check_integer("max_nodes", max_nodes, 1, error=AutomatonError)
    # Without final states the states show, and one step from all of them tells everything.
    after = 1 if steps is None and not left.final_states else steps
    question = Question((left, right), after, where_answered)
    if question.in_order and _renamed(left, right):
        return Comparison(graph_class, True, "renaming", 0, None)
    _check_work(question, graph_class, max_nodes)
    checked = 0
    for size in range(1, max_nodes + 1):
        for batch, inputs in _instances(all_graphs(graph_class, size), size, question.num_inputs):
            differing = np.flatnonzero(question.differ(batch, inputs))
            if len(differing):
                place = int(differing[0])
                graph = batch.select([place]).graphs()[0]
                found = question.difference(graph, inputs[place])
                return Comparison(graph_class, False, "exhaustive check", checked + place + 1, found)
            checked += len(batch)
            if progress is not None:
                progress(checked)
    return Comparison(graph_class, True, "exhaustive check", checked, None)


def _common_class(*given: Any) -> str:
    """The class of graphs that the task of both models is defined on; trees if they have none in common."""
    models = [as_model(each) for each in given if not isinstance(each, GraphFSA)]
    classes = {model.load_dataset().graph_class for model in models if model.dataset is not None}
    found = classes.pop() if len(classes) == 1 else None
    return found or "tree"


def _renamed(a: GraphFSA, b: GraphFSA) -> bool:
    renaming = same_up_to_renaming(a, b)
    if not a.final_states:
        return renaming == tuple(range(a.num_states))
    return renaming is not None or same_up_to_renaming(minimise(a).automaton, minimise(b).automaton) is not None


def _instances(graphs: GraphBatch, size: int, num_inputs: int) -> Iterator[tuple[GraphBatch, Array]]:
    """Every graph with every choice of inputs, many at a time."""
    inputs = all_inputs(size, num_inputs)
    total = len(graphs) * len(inputs)
    length = max(1, _BATCH_NODES // size)
    for begin in range(0, total, length):
        graph, row = np.divmod(np.arange(begin, min(begin + length, total)), len(inputs))
        yield graphs.select(graph), inputs[row]


def _check_pair(a: GraphFSA, b: GraphFSA, steps: int | None) -> None:
    for what in ("starting", "final"):
        left, right = (len(getattr(fsa, f"{what}_states")) for fsa in (a, b))
        if left != right:
            raise AutomatonError(
                f"automata to compare must have the same number of {what} states; got {left} and {right}"
            )
    if not a.starting_states:
        raise AutomatonError("automata to compare must have a starting state; got none")
    if steps is not None:
        check_integer("steps", steps, error=AutomatonError)
    if a.final_states:
        return
    question = Question((a, b), steps, False)
    if a.num_states != b.num_states or set(question.starting(b)) != set(b.starting_states):
        starting = [", ".join(fsa.state_names[state] for state in fsa.starting_states) for fsa in (a, b)]
        raise AutomatonError(
            "automata without final states are compared by their states and must have the same; "
            f"got {a.num_states} and {b.num_states} states, starting in {shorten(starting[0], 200)} and "
            f"{shorten(starting[1], 200)}"
        )
    if steps is None and len(a.starting_states) < a.num_states:
        raise AutomatonError(
            "automata without final states must be able to start in each state, or be compared after a given number "
            f"of steps; got {len(a.starting_states)} starting states of {a.num_states}"
        )


def _check_work(question: Question, graph_class: str, max_nodes: int) -> None:
    """Raise if the graphs do not suit the automata or are too many; nothing is run."""
    for size in range(1, min(max_nodes, _TYPICAL) + 1):
        for fsa in question.fsas:
            fsa.aggregation.fitting(all_graphs(graph_class, size).graph)
    total = 0
    for size in range(1, max_nodes + 1):
        rows = question.num_inputs**size
        total += num_graphs(graph_class, size) * size * rows
        if rows > MAX_INPUTS or total > MAX_NODE_RUNS:
            raise LimitError(
                f"graphs of the class {graph_class} with up to {size} nodes of {question.num_inputs} inputs are too "
                f"many: at most {MAX_NODE_RUNS:,} nodes are run, and a graph has at most {MAX_INPUTS:,} choices of "
                f"inputs; choose at most {size - 1} nodes"
            )
