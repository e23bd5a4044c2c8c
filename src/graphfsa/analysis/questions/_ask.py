"""Ask about every run of an automaton on every graph of a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import comb
from time import perf_counter
from typing import Any

from graphfsa.analysis.instances import class_of, graphs_of
from graphfsa.analysis.predicates import Predicate, predicate
from graphfsa.analysis.questions._answers import Answer, Kind, SizeAnswer
from graphfsa.analysis.questions._judging import Instance, Judgement, Question, counterexample, judged
from graphfsa.analysis.questions._sampling import MAX_SAMPLES, sample_runs
from graphfsa.analysis.questions._starts import STARTING, Starts, find_starts
from graphfsa.analysis.questions._worst import worst_run
from graphfsa.automaton import StochasticFSA
from graphfsa.automaton.library import find_any_automaton
from graphfsa.checks import any_of, check_integer, check_name, check_seed, shown
from graphfsa.datasets import Dataset, as_dataset
from graphfsa.engine.exploring import MAX_ARCS, SCHEDULERS, check_space
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, all_graphs, as_graph
from graphfsa.graphs.enumeration import GRAPH_CLASSES, MAX_SIZES, check_class, num_graphs

MAX_WORK = 2**34
"""Moves that may have to be looked at, on all graphs together."""
YOUR_GRAPHS = "your graphs"
Progress = Callable[[int, int | None], None]


def ask(
    model: Any,
    *,
    always: str | Callable[..., Any] | Predicate | None = None,
    eventually: str | Callable[..., Any] | Predicate | None = None,
    eventually_always: str | Callable[..., Any] | Predicate | None = None,
    graphs: str | Any = None,
    max_nodes: int = 6,
    start: str | Callable[..., Any] | Predicate = STARTING,
    scheduler: str = "synchronous",
    fair: bool = False,
    task: Any = None,
    samples: int | None = None,
    steps: int = 1000,
    confidence: float = 0.99,
    seed: int = 0,
    progress: Progress | None = None,
) -> Answer:
    """Does something hold always, eventually, or eventually always, in every run that a scheduler may choose?

    Every configuration that runs come to is looked at, on every graph of a class up to a size; those that a symmetry of
    the graph turns into each other are one. Nothing is drawn, unless ``samples`` says so.

    - ``always``: in every configuration that a run comes to.
    - ``eventually``: every run comes to a configuration in which it holds.
    - ``eventually_always``: every run comes to a configuration from which on it holds for ever, whatever happens
      (convergence and closure). From every configuration this is self-stabilisation.

    A run goes on as long as some node can move. If nodes flip coins, ``always`` is meant surely, and the others with
    probability 1, whatever the scheduler does.

    Args:
        model: An automaton, also one that moves at random, a model, the name of one in the library, or a file.
        always: A predicate: words as in docs/questions.md, or a function of a graph and the names of the states of
            its nodes. One of these three must be given.
        eventually: Likewise.
        eventually_always: Likewise.
        graphs: A class of graphs such as ``tree``, a graph, or a list of graphs. By default the class of the task,
            else ``connected``, or ``ring`` if neighbours are told apart by their slots.
        max_nodes: With a class of graphs: the largest size.
        start: ``starting``: all assignments of starting states, or the inputs of the task; ``every`` configuration;
            or a predicate, for every configuration in which it holds.
        scheduler: Who may move in one step: ``synchronous`` (all nodes), ``central`` (one that can), ``distributed``
            (any that can) or ``locally-central`` (any that can, no two of them neighbours).
        fair: Whether only weakly fair runs count: those in which no node can move from some time on and never does.
        task: A data set, whose inputs are the starts; needed for predicates about labels, if the model has none.
        samples: Do not explore but draw this number of runs, and say what share of them it is: an estimate.
        steps: With ``samples``: number of steps of a run.
        confidence: With ``samples``: how likely the estimate is to be right.
        seed: With ``samples``: seed of the runs.
        progress: Called with the number of graphs that were looked at, and of all.

    Raises:
        LimitError: There is too much to look at; the message says what to choose instead.
        FormatError: A predicate is not understood.

    Example:
        >>> question = {"always": "every 0 sees only 3, 0 or 1", "scheduler": "central"}
        >>> found = ask("unison", **question, graphs="cycle", max_nodes=5)
        >>> found.holds, found.graphs, found.configurations, found.explored
        (True, 3, 308, 76)
    """
    began = perf_counter()
    fsa = find_any_automaton(model)
    kind, wanted = _question(always, eventually, eventually_always)
    condition = predicate(wanted, fsa)
    if not isinstance(scheduler, str):
        wanted = f"a name, and the question is about whatever {any_of(SCHEDULERS)} may choose"
        raise GraphFSAError(f"scheduler must be {wanted}; got {shown(scheduler)}")
    check_name("scheduler", scheduler, SCHEDULERS)
    if not isinstance(fair, bool):
        raise GraphFSAError(f"fair must be True or False; got {shown(fair)}")
    dataset = _task(model, task, condition)
    starts = find_starts(fsa, start, dataset, condition.condition.needs_task)
    name, portions = _graphs(fsa, graphs, max_nodes, dataset)
    if not portions:
        which = "" if name == YOUR_GRAPHS else f" of the class {name} up to {max_nodes} nodes"
        raise GraphFSAError(f"there are no graphs{which} to look at")
    question = Question(fsa, kind, condition, scheduler, fair)
    about: dict[str, Any] = {
        "question": f"{kind} {condition}",
        "start": starts.words,
        "scheduler": scheduler,
        "fair": fair,
        "coins": isinstance(fsa, StochasticFSA),
        "graph_class": name,
    }
    if samples is not None:
        check_integer("samples", samples, 1, MAX_SAMPLES)
        if starts.labels:
            raise GraphFSAError("runs are not drawn for labels of a task; evaluate measures them")
        counts = {size: number for size, (number, _) in portions.items()}
        listed = [graph for _, graphs_of_size in portions.values() for graph in graphs_of_size()]
        sample = sample_runs(
            question, starts, listed, samples, check_integer("steps", steps, 1), confidence, check_seed(seed)
        )
        sizes = tuple(SizeAnswer(size, number, 0, 0) for size, number in counts.items())
        return Answer(None, sizes=sizes, sample=sample, seconds=perf_counter() - began, **about)
    _check_work(starts, {size: number for size, (number, _) in portions.items()}, scheduler, fair, name)
    found = _look(question, starts, portions, name, progress)
    return Answer(seconds=perf_counter() - began, **about, **found)


def _question(always: Any, eventually: Any, eventually_always: Any) -> tuple[Kind, Any]:
    given: dict[Kind, Any] = {"always": always, "eventually": eventually, "eventually always": eventually_always}
    chosen: list[tuple[Kind, Any]] = [(kind, wanted) for kind, wanted in given.items() if wanted is not None]
    if len(chosen) != 1:
        raise GraphFSAError(f"ask one of always, eventually and eventually_always; got {len(chosen)}")
    return chosen[0]


def _task(model: Any, task: Any, condition: Predicate) -> Dataset | None:
    named = task if task is not None else condition.task
    if named is not None:
        dataset = as_dataset(named)
    elif condition.condition.needs_task:
        from graphfsa.learners import as_model

        dataset = as_model(model).load_dataset()
    else:
        return None
    if dataset.task.kind != "classes":
        raise GraphFSAError(f"{dataset.name} is an evolution, whose labels are never final; verify compares its steps")
    return dataset


_Portions = Mapping[int, tuple[int, Callable[[], Iterable[Graph]]]]
"""For each size, how many graphs there are, and what makes them."""


def _graphs(fsa: Any, graphs: Any, max_nodes: Any, dataset: Dataset | None) -> tuple[str, _Portions]:
    if graphs is None or isinstance(graphs, str):
        check_integer("max_nodes", max_nodes, 1)
        if dataset is not None:
            kind = class_of(dataset, graphs)
        else:
            kind = graphs or ("ring" if fsa.aggregation.uses_slots else "connected")
            check_class(kind)
        return kind, dict(_class(kind, int(max_nodes), dataset))
    listed = [as_graph(graph) for graph in graphs] if isinstance(graphs, list | tuple) else [as_graph(graphs)]
    sizes = sorted({graph.num_nodes for graph in listed})
    of_size = {size: [graph for graph in listed if graph.num_nodes == size] for size in sizes}
    return YOUR_GRAPHS, {size: (len(some), lambda some=some: some) for size, some in of_size.items()}


def _class(
    kind: str, max_nodes: int, dataset: Dataset | None
) -> Iterator[tuple[int, tuple[int, Callable[[], Iterable[Graph]]]]]:
    for size in range(1, max_nodes + 1):
        if size > MAX_SIZES.get(kind, size):
            raise LimitError(f"graphs of the class {kind} are listed up to {size - 1} nodes; got max_nodes={max_nodes}")
        if kind in GRAPH_CLASSES:
            number = num_graphs(kind, size)
            make = lambda size=size: all_graphs(kind, size).graphs()  # noqa: E731
        else:
            assert dataset is not None
            number = len(dataset.every_graph(size))
            make = lambda size=size: graphs_of(dataset, kind, size).graphs()  # noqa: E731
        if number:
            yield size, (number, make)


def _check_work(starts: Starts, counts: Mapping[int, int], scheduler: str, fair: bool, name: str) -> None:
    """Raise if it is known beforehand that there is too much to look at."""
    total, states = 0.0, starts.fsa.num_states
    for size, graphs in counts.items():
        try:
            check_space(states, size)
            # What is one up to symmetry is counted once: there are at least this many if all nodes can be exchanged.
            known = starts.number(size)
            least = known if fair or starts.given == STARTING else comb(size + states - 1, size)
            if least > MAX_ARCS:
                raise LimitError(
                    f"graphs of {size} nodes have {least:,} configurations or more; at most {MAX_ARCS:,} are kept"
                )
            total += graphs * least * (2**size - 1 if scheduler == "distributed" else 1)
            if total > MAX_WORK:
                raise LimitError(
                    f"graphs up to {size} nodes have {total:,.0f} moves or more to look at; at most {MAX_WORK:,}"
                )
        except LimitError as error:
            raise _advised(error, size, name) from None


def _advised(error: LimitError, size: int, name: str) -> LimitError:
    """What is too large, and what to choose instead."""
    smaller = "smaller graphs" if name == YOUR_GRAPHS or size == 1 else f"max_nodes of at most {size - 1}"
    estimate = "or an estimate from runs that are drawn: samples=1000 (--samples 1000)"
    return LimitError(f"{error}. Choose {smaller}, {estimate}")


@dataclass
class _Tally:
    """What was found so far on graphs of one size."""

    size: int
    graphs: int = 0
    configurations: int = 0
    explored: int = 0
    worst: dict[str, int | None] = field(default_factory=lambda: {"steps": 0, "moves": 0, "rounds": 0})
    mean: float | None = 0.0
    slowest: float = 0.0
    starts: int = 0

    def add(self, found: Judgement) -> None:
        """Add how long it takes, if it is known to hold."""
        rows = {"steps": found.worst_steps(), "moves": found.worst_moves(), "rounds": found.worst_rounds()}
        for name, number in rows.items():
            known = self.worst[name]
            self.worst[name] = None if known is None or number is None else max(known, number)
        weight = int(found.space.sizes[found.starts].sum())
        means = found.means()
        if means is None or self.mean is None:
            self.mean = None
        else:
            self.mean += means[0] * weight
            self.slowest = max(self.slowest, means[1])
        self.starts += weight

    def answer(self, timed: bool) -> SizeAnswer:
        """As it is told."""
        counts = self.size, self.graphs, self.configurations, self.explored
        if not timed:
            return SizeAnswer(*counts)
        mean = None if self.mean is None else self.mean / max(1, self.starts)
        worst = self.worst["steps"], self.worst["moves"], self.worst["rounds"]
        return SizeAnswer(*counts, *worst, mean, None if mean is None else self.slowest)


def _look(
    question: Question, starts: Starts, portions: _Portions, name: str, progress: Progress | None
) -> dict[str, Any]:
    """Look at one graph after the other until it does not hold."""
    timed = question.kind != "always"
    total, done = sum(number for number, _ in portions.values()), 0
    sizes: list[SizeAnswer] = []
    slowest: tuple[tuple[int, ...], Instance] | None = None
    for size, (_, make) in portions.items():
        tally = _Tally(size)
        for graph in make():
            tally.graphs += 1
            for instance in starts.instances(graph):
                try:
                    found = judged(question, instance)
                except LimitError as error:
                    raise _advised(error, size, name) from None
                tally.configurations += int(found.space.sizes.sum())
                tally.explored += len(found.space)
                if not found.holds:
                    return {"holds": False, "sizes": (*sizes, tally.answer(False)), **_counterexample(found)}
                if timed:
                    tally.add(found)
                    took = _rank(found)
                    if slowest is None or took > slowest[0]:
                        slowest = took, instance
            done += 1
            if progress is not None:
                progress(done, total)
        sizes.append(tally.answer(timed))
    if not any(size.configurations for size in sizes):
        raise GraphFSAError(f"no configuration of these graphs is a start, which must be {starts.words}")
    worst = None if slowest is None or isinstance(question.fsa, StochasticFSA) else worst_run(question, slowest[1])
    return {"holds": True, "sizes": tuple(sizes), "worst": worst}


def _counterexample(found: Judgement) -> dict[str, Any]:
    try:
        return counterexample(found)
    except LimitError as error:
        size = found.space.graph.num_nodes
        raise LimitError(f"it does not hold on a graph of {size} nodes, but no run can be shown: {error}") from None


def _rank(found: Judgement) -> tuple[int, ...]:
    """How long it takes on a graph, to be compared: without limit is longest, and then rounds count."""
    steps = found.worst_steps()
    return (0, steps) if steps is not None else (1, found.worst_rounds() or 0)
