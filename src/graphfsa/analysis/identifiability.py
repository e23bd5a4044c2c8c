"""Do data determine an automaton? If not: another one that fits, and the smallest graph whose labels would tell.

Is there a table of the same size that gives every node of the data its label, and a small graph other answers? That is
searched for each small graph, exhaustively. If there is none, all automata of this size that fit agree on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from graphfsa.analysis._candidates import candidates
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, Examples, deduplicate
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph
from graphfsa.search.completion import completed
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.sat import SatSearch
from graphfsa.search.searches import LazySearch

_WORK = 3_000_000
_CONFLICTS = 5_000


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A graph without labels on which automata that fit the data disagree.

    Attributes:
        graph: The graph.
        inputs: Input class of each node.
        steps: After how many steps the labels are wanted.
        answers: What each of two automata answers at each node, as numbers of classes; -1 for none.
    """

    graph: Graph
    inputs: tuple[int, ...]
    steps: int
    answers: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Identification:
    """Whether data determine an automaton.

    Attributes:
        determined: True: every automaton with as many states and this aggregation that fits the data gives the same
            answers on all graphs that were checked. False: another one is known. None: the budget was spent before
            either was shown.
        checked: Number of graphs with inputs for which it was shown that the answers are determined.
        max_nodes: Size up to which all graphs were checked; less than was asked for where there are too many graphs.
        alternative: Another automaton that fits all of the data.
        suggestions: Graphs whose labels would tell the two apart, smallest first.
    """

    determined: bool | None
    checked: int
    max_nodes: int
    alternative: GraphFSA | None
    suggestions: tuple[Suggestion, ...]


def identify(
    fsa: GraphFSA,
    examples: Examples,
    *,
    max_nodes: int = 6,
    dataset: Dataset | None = None,
    graph_class: str | None = None,
    choose: Callable[[Examples], Array] | None = None,
    count: int = 1,
    budget: float = 60.0,
    progress: Callable[[int], None] | None = None,
) -> Identification:
    """Look for another automaton that fits the same data, and for the smallest graphs on which the two disagree.

    Args:
        fsa: An automaton that fits the data.
        examples: The data.
        max_nodes: The largest size of graphs to look at.
        dataset: The task, which says which inputs there are; by default they are like those of the data.
        graph_class: The class of graphs; by default that of the task, or of the data.
        choose: Tells which graphs may be asked about, bool [number of graphs]; all if not given.
        count: How many graphs to suggest at most.
        budget: Seconds.
        progress: Called with the number of graphs for which the answers are shown to be determined.

    Raises:
        GraphFSAError: The automaton does not fit the data.

    Example:
        >>> from graphfsa import library
        >>> from graphfsa.datasets import dataset_class
        >>> task = dataset_class("distance")(graphs="tree")
        >>> few = task.generate(2, 4, np.random.default_rng(0))
        >>> found = identify(library.distance(), few, max_nodes=3, dataset=task)
        >>> found.determined, found.suggestions[0].graph.num_nodes
        (False, 1)
    """
    _check_fit(fsa, examples)
    if isinstance(max_nodes, bool) or not isinstance(max_nodes, int) or max_nodes < 1:
        raise GraphFSAError(f"max_nodes must be a whole number of at least 1; got {max_nodes!r}")
    until = monotonic() + budget
    shape = _shape(fsa, examples)
    kept = deduplicate(examples) if shape.num_final else examples
    kept = kept.select(np.argsort(kept.sizes, kind="stable"))
    checked, largest = 0, 0
    for size, found in candidates(examples, max_nodes, dataset, graph_class):
        largest = size - 1
        asked = found if choose is None else found.select(np.flatnonzero(choose(found)))
        question = _Question(fsa, shape, kept, asked)
        for place in range(len(asked)):
            outcome = question.ask(place, lambda: monotonic() > until)
            if outcome == "found":
                other = question.alternative()
                return Identification(False, checked, largest, other, question.suggestions(other, count))
            if outcome != "exhausted":
                return Identification(None, checked, largest, None, ())
            checked += 1
            if progress is not None:
                progress(checked)
    return Identification(True, checked, largest, None, ())


def _check_fit(fsa: GraphFSA, examples: Examples) -> None:
    wrong = np.flatnonzero(examples.wrong(examples.predict(fsa)))
    if len(wrong):
        graph = examples.graphs.owners[wrong[0]]
        raise GraphFSAError(
            f"the automaton must fit the data; it gives {len(wrong)} of {int(examples.mask.sum())} nodes that count "
            f"another answer than their label, first node {wrong[0] - examples.graphs.offsets[graph]} of graph {graph}"
        )


class _Question:
    """The data and some graphs without labels, as one problem for the solver."""

    def __init__(self, fsa: GraphFSA, shape: Shape, kept: Examples, asked: Examples) -> None:
        self._fsa, self._asked, self._shape = fsa, asked, shape
        self._first = len(kept)
        self._last = asked.predict(fsa)
        self._problem = Problem.of(Examples.concatenate([kept, asked]), shape)
        # States are numbered as in a problem: final ones first; so answers are states.
        self._answers = np.r_[np.full(len(kept.inputs), -1), self._last]
        self._table: Array | None = None

    def ask(self, place: int, over: Callable[[], bool]) -> str:
        """Look for a table that fits the data and gives a graph other answers: by lazy assignment, then by clauses."""
        graph = self._first + place
        for mode, work in ((0, _WORK), (3, _WORK)):
            lazy = LazySearch(self._problem, mode, place, (graph, self._answers, np.arange(self._first)))
            if lazy.advance(work) in ("found", "exhausted"):
                self._table = lazy.table
                return lazy.outcome
        clauses = SatSearch(self._problem)
        clauses.ask_for_difference([graph], self._answers)
        while clauses.advance(_CONFLICTS, over) == "paused" and not over():
            pass
        self._table = clauses.table
        return clauses.outcome

    def alternative(self) -> GraphFSA:
        """The automaton that was found."""
        assert self._table is not None
        table = completed(self._table, self._shape)
        if not self._shape.num_final:
            return GraphFSA(self._fsa.state_names, self._fsa.aggregation, table)
        order = _order(self._fsa)
        names = [self._fsa.state_names[state] for state in order]
        aggregation = self._shape.aggregation
        first, last = self._shape.num_final, self._shape.num_final + self._shape.num_starting
        starting = list(range(first, last))
        return GraphFSA(names, aggregation, table, starting_states=starting, final_states=list(range(first)))

    def suggestions(self, other: GraphFSA, count: int) -> tuple[Suggestion, ...]:
        """The first graphs on which two automata disagree."""
        answers = self._asked.predict(other)
        differ = np.add.reduceat(np.r_[answers != self._last, False], self._asked.graphs.offsets[:-1]) > 0
        found: list[Suggestion] = []
        for place in np.flatnonzero(differ)[:count].tolist():
            nodes = slice(*self._asked.graphs.offsets[place : place + 2].tolist())
            found.append(
                Suggestion(
                    self._asked.graphs.select([place]).graphs()[0],
                    tuple(self._asked.inputs[nodes].tolist()),
                    int(self._asked.steps[place]),
                    (tuple(self._last[nodes].tolist()), tuple(answers[nodes].tolist())),
                )
            )
        return tuple(found)


def _order(fsa: GraphFSA) -> list[int]:
    """The states as a problem numbers them: final ones, starting ones, others."""
    named = [*fsa.final_states, *(state for state in fsa.starting_states if state not in fsa.final_states)]
    return [*named, *(state for state in range(fsa.num_states) if state not in named)]


def _shape(fsa: GraphFSA, examples: Examples) -> Shape:
    examples.task.check_automaton(fsa)
    if examples.task.kind == "evolution":
        return Shape(0, fsa.num_states, 0, fsa.aggregation)
    if set(fsa.final_states) & set(fsa.starting_states):
        raise GraphFSAError("an automaton whose starting states are final has nothing to identify")
    num_final, num_starting = len(fsa.final_states), len(fsa.starting_states)
    aggregation, order = fsa.aggregation, _order(fsa)
    if order != list(range(fsa.num_states)):
        # An aggregation may treat states differently, and the problem numbers them in its own way.
        moved = aggregation.restricted(order, fsa.num_states)
        if moved is None:
            raise GraphFSAError(f"{aggregation.name} aggregation must know how states are renumbered; it does not")
        aggregation = moved[0]
    return Shape(num_final, num_starting, fsa.num_states - num_final - num_starting, aggregation)


def labelled(suggestion: Suggestion, task: Any, labels: Array) -> Examples:
    """A suggestion with labels, to be added to the data; -1 for a node that has none."""
    from graphfsa.graphs import GraphBatch

    given = np.asarray(labels)
    batch = GraphBatch.of([suggestion.graph])
    kept = np.maximum(given, 0)
    return Examples(task, batch, suggestion.inputs, kept, mask=given >= 0, steps=suggestion.steps)
