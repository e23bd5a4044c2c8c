"""Where runs may start: in starting states, inputs of a task, every configuration, or those of a predicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.analysis.predicates import Configurations, Predicate, predicate
from graphfsa.analysis.predicates._predicate import movable
from graphfsa.analysis.questions._judging import Instance
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, StochasticFSA
from graphfsa.checks import shown
from graphfsa.datasets import Dataset
from graphfsa.engine.exploring import MAX_CODES, decoded, encoded
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphBatch

EVERY, STARTING = "every", "starting"
_CHUNK = 1 << 16


@dataclass(frozen=True, eq=False)
class Starts:
    """Where runs may start on any graph.

    Attributes:
        fsa: The automaton.
        given: ``every``, ``starting``, or a predicate that configurations must have.
        dataset: The task whose inputs are meant by ``starting``, if it is one.
        labels: Whether the labels of the task matter.
    """

    fsa: GraphFSA | StochasticFSA
    given: str | Predicate
    dataset: Dataset | None = None
    labels: bool = False

    @property
    def words(self) -> str:
        """In words."""
        if isinstance(self.given, Predicate):
            return f"every configuration with: {self.given}"
        if self.given == EVERY:
            return "every configuration"
        return "the starting states" if self.dataset is None else f"the inputs of {self.dataset.name}"

    def number(self, graph_size: int) -> int:
        """How many starts there are at most on a graph of a size."""
        if self.given != STARTING:
            return self.fsa.num_states**graph_size
        if self.dataset is not None:
            return self.dataset.num_instances(graph_size)
        return len(self.fsa.starting_states) ** graph_size

    def instances(self, graph: Graph) -> Iterator[Instance]:
        """A graph with its starts; several times if labels differ between them."""
        if isinstance(self.given, Predicate):
            yield Instance(graph, lambda: self._chosen(graph), symmetric=self.given.condition.symmetric)
        elif self.given == EVERY:
            yield Instance(graph, lambda: _ranges(self.fsa.num_states**graph.num_nodes))
        elif self.dataset is not None:
            yield from self._inputs(graph, self.dataset)
        else:
            yield Instance(graph, lambda: [self._products(graph.num_nodes)])

    def _products(self, num_nodes: int) -> Array:
        """Every way to put the nodes into starting states."""
        states = self.fsa.starting_states
        if len(states) ** num_nodes > MAX_CODES // 8:
            raise LimitError(
                f"{len(states)} starting states on {num_nodes} nodes make {len(states) ** num_nodes:,} starts"
            )
        codes = np.zeros(1, np.int64)
        for node in range(num_nodes):
            codes = (codes[:, None] + np.array(states, np.int64) * self.fsa.num_states**node).reshape(-1)
        return codes

    def _chosen(self, graph: Graph) -> Iterator[Array]:
        assert isinstance(self.given, Predicate)
        for codes in _ranges(self.fsa.num_states**graph.num_nodes):
            states = decoded(codes, graph.num_nodes, self.fsa.num_states)
            view = Configurations(graph, self.fsa.state_names, states, movable(self.fsa, graph, states))
            yield codes[self.given.condition.holds(view)]

    def _inputs(self, graph: Graph, dataset: Dataset) -> Iterator[Instance]:
        assert isinstance(self.fsa, GraphFSA)
        rows = dataset.instances(graph)
        if not len(rows):
            return
        reading = dataset.task.reading(self.fsa)
        codes = encoded(reading.starting_states(rows.reshape(-1)).reshape(rows.shape), self.fsa.num_states)
        if not self.labels:
            yield Instance(graph, lambda: [codes], symmetric=False)
            return
        examples = dataset.examples(GraphBatch.of([graph] * len(rows)), rows.reshape(-1))
        states = np.array(reading.answers, np.int64)
        answers = np.where(examples.mask, states[examples.labels], -1).reshape(rows.shape)
        different, which = np.unique(answers, axis=0, return_inverse=True)
        for place, wanted in enumerate(different):
            chosen = codes[which.reshape(-1) == place]
            yield Instance(graph, lambda chosen=chosen: [chosen], wanted, symmetric=False)


def find_starts(
    fsa: GraphFSA | StochasticFSA, given: str | Callable[..., Any] | Predicate, dataset: Dataset | None, labels: bool
) -> Starts:
    """Where to start from, checked."""
    if given in (EVERY, STARTING):
        chosen: str | Predicate = str(given)
    else:
        chosen = _predicate(fsa, given)
        if chosen.condition.needs_task:
            raise GraphFSAError("start can't be about labels; give the task, whose inputs are the starts then")
    if chosen == STARTING and dataset is None and not fsa.starting_states:
        raise GraphFSAError("this automaton has no starting states; start from 'every' configuration or a predicate")
    if labels and (dataset is None or chosen != STARTING):
        raise GraphFSAError("labels are those of a task for its inputs: give the task, and start from 'starting'")
    if dataset is not None:
        if not isinstance(fsa, GraphFSA):
            raise GraphFSAError("a task needs an automaton without coins")
        if chosen != STARTING:
            raise GraphFSAError("the starts of a task are its inputs: start must be 'starting'")
        dataset.task.check_automaton(fsa)
    return Starts(fsa, chosen, dataset, labels)


def _predicate(fsa: GraphFSA | StochasticFSA, given: Any) -> Predicate:
    try:
        return predicate(given, fsa)
    except FormatError:
        if isinstance(given, str) and len(given.split()) == 1:
            raise GraphFSAError(f"start must be 'starting', 'every' or a predicate; got {shown(given)}") from None
        raise


def _ranges(number: int) -> Iterable[Array]:
    return (np.arange(begin, min(begin + _CHUNK, number)) for begin in range(0, number, _CHUNK))
