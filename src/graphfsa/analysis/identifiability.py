"""Do data determine an automaton? If not: another one that fits, and the smallest graph whose labels would tell.

Is there a table of the same size that gives every node of the data its label, and a small graph other answers? That is
searched for each small graph, exhaustively. If there is none, all automata of this size that fit agree on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.analysis.coverage import labelled_graphs
from graphfsa.analysis.instances import class_of, plan, portions
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_integer, check_number
from graphfsa.datasets import Dataset, Examples, Task, as_dataset, deduplicate, is_task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, all_graphs, all_inputs
from graphfsa.graphs.enumeration import check_class, num_graphs
from graphfsa.graphs.isomorphism import duplicate_groups
from graphfsa.graphs.rooted import knows_family
from graphfsa.learners import as_model
from graphfsa.search.budget import Budget
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
        task: The inputs and classes that suggestions number.
        determined: True: every automaton with as many states and this aggregation that fits the data gives the same
            answers on all graphs that were checked. False: another one is known. None: the budget was spent before
            either was shown.
        checked: Number of graphs with inputs for which it was shown that the answers are determined.
        max_nodes: Size up to which all graphs were checked; less than was asked for where there are too many graphs.
        alternative: Another automaton that fits all of the data.
        suggestions: Graphs whose labels would tell the two apart, smallest first.
    """

    task: Task
    determined: bool | None
    checked: int
    max_nodes: int
    alternative: GraphFSA | None
    suggestions: tuple[Suggestion, ...]


def suggest(
    model: Any,
    data: Any = None,
    *,
    max_nodes: int = 6,
    steps: int | None = None,
    seed: int = 0,
    dataset: Dataset | None = None,
    graph_class: str | None = None,
    choose: Callable[[Examples], Array] | None = None,
    count: int = 1,
    budget: float = 60.0,
    seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> Identification:
    """Do data determine an automaton? If not, suggest the smallest graphs to label next.

    Looks for another automaton of the same size that fits the data, and for graphs on which the two disagree.

    Args:
        model: A model that fits the data, an automaton, the name of a library automaton, or a file.
        data: Labelled graphs, or a task whose training graphs are drawn; by default those of the model's task.
        max_nodes: The largest size of graphs to look at.
        steps: With labelled graphs: their labels are states after this number of steps.
        seed: With a task: seed of its training graphs.
        dataset: With labelled graphs: the task that says which inputs there are; by default they are like those of the
            data.
        graph_class: The class of graphs; by default that of the task, or of the data.
        choose: Tells which graphs may be asked about, bool [number of graphs]; all if not given.
        count: The largest number of graphs to suggest.
        budget: Work, in units that take about a second each, as for the exact learner; the same budget gives the same
            answer on every machine.
        seconds: Time limit in seconds; by default none.
        progress: Called with the number of graphs for which the answers are shown to be determined.

    Raises:
        GraphFSAError: The automaton does not fit the data.

    Example:
        >>> from graphfsa.datasets import Distance
        >>> task = Distance(graphs="tree")
        >>> few = task.generate(2, 4, np.random.default_rng(0))
        >>> found = suggest("distance", few, max_nodes=3, dataset=task)
        >>> found.determined, found.suggestions[0].graph.num_nodes
        (False, 1)
    """
    check_integer("max_nodes", max_nodes, 1)
    check_number("budget", budget, below=1e9, above=True)
    if seconds is not None:
        check_number("seconds", seconds, below=1e9, above=True)
    known = as_model(model)
    if dataset is None and (data is None or is_task(data)):
        dataset = known.load_dataset() if data is None else as_dataset(data)
    fsa, examples = known.automaton, labelled_graphs(known, data, steps=steps, seed=seed)
    task = examples.task.with_states_of(fsa)
    examples = examples.matched(task)
    _check_fit(fsa, examples)
    work = Budget(budget, seconds)
    shape = _shape(fsa, examples)
    kept = deduplicate(examples) if shape.num_final else examples
    kept = kept.select(np.argsort(kept.sizes, kind="stable"))
    checked, largest = 0, 0
    for size, listed in candidates(examples, max_nodes, dataset, graph_class):
        largest = size - 1
        asked = listed if choose is None else listed.select(np.flatnonzero(choose(listed)))
        question = _Question(fsa, shape, kept, asked)
        for place in range(len(asked)):
            outcome = "paused" if work.over else question.ask(place, work)
            if outcome == "found":
                other = question.alternative()
                return Identification(task, False, checked, largest, other, question.suggestions(other, count))
            if outcome != "exhausted":
                return Identification(task, None, checked, largest, None, ())
            checked += 1
            if progress is not None:
                progress(checked)
    return Identification(task, True, checked, largest, None, ())


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

    def ask(self, place: int, budget: Budget) -> str:
        """Look for a table that fits the data and gives a graph other answers: by lazy assignment, then by clauses."""
        graph = self._first + place
        for mode, work in ((0, _WORK), (3, _WORK)):
            lazy = LazySearch(self._problem, mode, place, (graph, self._answers, np.arange(self._first)))
            if lazy.advance(work, budget) in ("found", "exhausted"):
                self._table = lazy.table
                return lazy.outcome
        clauses = SatSearch(self._problem)
        clauses.ask_for_difference([graph], self._answers)
        while clauses.advance(_CONFLICTS, budget) == "paused" and not budget.over:
            pass
        self._table = clauses.table
        return clauses.outcome

    def alternative(self) -> GraphFSA:
        """The automaton that was found."""
        assert self._table is not None
        table = completed(self._table, self._shape)
        names = [self._fsa.state_names[state] for state in _order(self._fsa, self._asked.task)]
        aggregation = self._shape.aggregation
        if not self._shape.num_final:
            return GraphFSA(names, aggregation, table)
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


def _order(fsa: GraphFSA, task: Task) -> list[int]:
    """The states as a problem numbers them: those of the classes, those of the inputs, others."""
    reading = task.reading(fsa)
    named = list(dict.fromkeys((*reading.answers, *reading.starting)))
    return [*named, *(state for state in range(fsa.num_states) if state not in named)]


def _shape(fsa: GraphFSA, examples: Examples) -> Shape:
    if examples.task != examples.task.with_states_of(fsa):
        raise GraphFSAError("the data must name all inputs and classes of the automaton")
    evolution = examples.task.kind == "evolution"
    if not evolution and set(fsa.final_states) & set(fsa.starting_states):
        raise GraphFSAError("an automaton whose starting states are final has nothing to identify")
    num_final, num_starting = 0 if evolution else len(examples.task.classes), len(examples.task.inputs)
    aggregation, order = fsa.aggregation, _order(fsa, examples.task)
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


_MAX_INSTANCES = 200_000
_MAX_GROUPED = 8


def candidates(
    examples: Examples, max_nodes: int, dataset: Dataset | None, graph_class: str | None
) -> Iterator[tuple[int, Examples]]:
    """Instances without labels with their size, small ones first; none is isomorphic to another or to one of the data.

    A size may come in several portions. After the last one, the size up to which all were listed comes without any.

    Args:
        examples: The data.
        max_nodes: The largest size.
        dataset: The task; by default the graphs are like those of the data: input classes (also several together) that
            occur equally often in all graphs do so, and none has more neighbours than it ever has.
        graph_class: The class of graphs; by default that of the task, or the narrowest that all graphs of the data are
            in.
    """
    found = (
        _of_task(dataset, max_nodes, graph_class) if dataset is not None else _like(examples, max_nodes, graph_class)
    )
    listed = 0
    for size, instances in found:
        listed = size
        if len(instances):
            # A task may number its inputs in another way than the data do.
            yield size, _new(examples, instances.matched(examples.task))
    yield (listed if dataset is None else max_nodes) + 1, examples.select([])


def _new(examples: Examples, instances: Examples) -> Examples:
    """The instances that are not in the data with a label for every node, each once."""
    settled = np.bincount(examples.graphs.owners[examples.mask], minlength=len(examples)) == examples.sizes
    if examples.task.kind == "evolution":
        settled &= np.isin(examples.steps, instances.steps)  # What holds after two steps does not say what one does.
    # Fewest steps first: an answer stays, so it holds at every later step too, but not at an earlier one.
    places = np.flatnonzero(settled)
    known = examples.select(places[np.argsort(examples.steps[places], kind="stable")])
    graphs = GraphBatch.concatenate([known.graphs, instances.graphs])
    first = duplicate_groups(graphs, np.r_[known.inputs, instances.inputs])[len(known) :]
    since = np.r_[known.steps, instances.steps + 1][first]
    alone = np.zeros(len(instances), bool)
    alone[np.unique(first, return_index=True)[1]] = True
    return instances.select(alone & (since > instances.steps))


def class_of_data(examples: Examples) -> str:
    """The narrowest class that all graphs of the data are in."""
    union, sizes = examples.graphs.graph, examples.sizes
    if not _connected(examples):
        return "connected"
    arcs = np.diff(union.indptr[examples.graphs.offsets])
    degree = np.diff(union.indptr).max(initial=0)
    loops = bool((union.indices == union.targets()).any())
    slots = union.slots is not None
    if union.kinds is not None:
        if knows_family(union) and (arcs == 2 * (sizes - 1)).all():
            return "rooted-tree"
        raise GraphFSAError(
            "graphs with kinds of arcs are listed only where they are rooted trees, with the kinds parent and child; "
            "these are not"
        )
    if union.symmetric and not loops and (arcs == 2 * (sizes - 1)).all():
        return ("row" if slots else "path") if degree <= 2 else "tree"
    if union.symmetric and not loops and (arcs == 2 * sizes).all() and degree == 2:
        return "ring" if slots else "cycle"
    return "connected"


def _connected(examples: Examples) -> bool:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    union = examples.graphs.graph
    arcs = csr_array((np.ones(union.num_arcs, bool), union.indices, union.indptr), shape=(union.num_nodes,) * 2)
    return connected_components(arcs, directed=False)[0] == len(examples)


def _of_task(dataset: Dataset, max_nodes: int, graph_class: str | None) -> Iterator[tuple[int, Examples]]:
    kind = class_of(dataset, graph_class)
    steps = 1 if dataset.task.kind == "evolution" else None
    for portion in portions(dataset, kind, plan(dataset, kind, max_nodes)):
        number = dataset.examples(portion.graphs, portion.inputs, steps=steps).steps
        yield portion.size, _unlabelled(dataset.task, portion.graphs, portion.inputs, number)


def _like(examples: Examples, max_nodes: int, graph_class: str | None) -> Iterator[tuple[int, Examples]]:
    kind = class_of_data(examples) if graph_class is None else graph_class
    check_class(kind)
    graph = examples.graphs.graph
    allowed, what = ("path", "cycle", "tree", "connected"), "no neighbour slots"
    if graph.kinds is not None:
        allowed, what = ("rooted-tree",), "kinds of arcs"
    elif graph.slots is not None:
        allowed, what = ("row", "ring"), "neighbour slots"
    if kind not in allowed and graph.num_arcs:
        known = " and ".join([", ".join(allowed[:-1]), allowed[-1]]).removeprefix(" and ")
        raise GraphFSAError(f"the data have {what}; the classes of such graphs are {known}; got {kind}")
    classes = len(examples.task.inputs)
    steady, most = _habits(examples)
    for size in range(1, max_nodes + 1):
        if num_graphs(kind, size) * classes**size > _MAX_INSTANCES:
            return
        graphs = all_graphs(kind, size)
        rows = all_inputs(size, classes)
        fits = np.ones(len(rows), bool)
        for group, number in steady:
            fits &= np.isin(rows, group).sum(axis=1) == number
        rows = rows[fits]
        graph, row = np.divmod(np.arange(len(graphs) * len(rows)), max(1, len(rows)))
        found = _unlabelled(examples.task, graphs.select(graph), rows[row].reshape(-1), _steps(examples, size))
        crowded = np.diff(found.graphs.graph.indptr) > most[found.inputs]
        yield size, found.select(np.setdiff1d(np.arange(len(found)), found.graphs.owners[crowded]))


def _habits(examples: Examples) -> tuple[list[tuple[list[int], int]], Array]:
    """What the inputs of the data have in common.

    Returns:
        Groups of input classes that together occur equally often in all graphs, with that number; and the most
        neighbours that a node of each input class has.
    """
    classes = len(examples.task.inputs)
    amounts = np.zeros((len(examples), classes), np.int64)
    np.add.at(amounts, (examples.graphs.owners, examples.inputs), 1)
    steady: list[tuple[list[int], int]] = []
    if len(np.unique(examples.sizes)) > 1 and classes <= _MAX_GROUPED:
        for number in range(1, 2**classes - 1):
            group = [k for k in range(classes) if number >> k & 1]
            totals = amounts[:, group].sum(axis=1)
            if (totals == totals[0]).all():
                steady.append((group, int(totals[0])))
    degrees = np.diff(examples.graphs.graph.indptr)
    most = np.zeros(classes, np.int64)
    np.maximum.at(most, examples.inputs, degrees)
    # A class whose nodes have as many neighbours as any others may have more in other graphs.
    return steady, np.where(most == degrees.max(initial=0), np.iinfo(np.int64).max, most)


def _steps(examples: Examples, size: int) -> int:
    """After how many steps the labels of a graph of a size hold, by the example of the data."""
    if examples.task.kind == "evolution":
        return int(examples.steps.min(initial=1))
    same = examples.steps[examples.sizes == size]
    return int(same.max()) if len(same) else 2 * size + 2


def _unlabelled(task: Any, graphs: GraphBatch, inputs: Array, steps: Any) -> Examples:
    nothing = np.zeros(len(inputs), np.uint8)
    return Examples(task, graphs, inputs, nothing, mask=np.zeros(len(inputs), bool), steps=steps)
