"""Labelled graphs: many of them in one disjoint union, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import shorten
from graphfsa.datasets._task import Reading, Task
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch
from graphfsa.graphs.batch import picked
from graphfsa.html import facts_html


@dataclass(frozen=True)
class Example:
    """One labelled graph.

    Attributes:
        task: What the inputs and labels mean.
        graph: The graph.
        inputs: Input class of each node, uint8.
        labels: Class of each node, uint8.
        mask: Which nodes count, bool.
        steps: Number of steps after which the labels hold.
    """

    task: Task
    graph: Graph
    inputs: Array
    labels: Array
    mask: Array
    steps: int

    @property
    def input_names(self) -> list[str]:
        """The input of each node by name."""
        return [self.task.inputs[number] for number in self.inputs.tolist()]

    @property
    def label_names(self) -> list[str | None]:
        """The label of each node by name; None for a node that does not count."""
        labels = zip(self.labels.tolist(), self.mask.tolist(), strict=True)
        return [self.task.classes[number] if counts else None for number, counts in labels]


@dataclass(frozen=True)
class Score:
    """How well a model does on some graphs.

    Attributes:
        accuracy: Share of the nodes that count that get their label; strict: a node without an answer is wrong.
        reference: The same where a node without an answer counts as the first class, as in the authors' scripts.
        perfect: Share of the graphs without a wrong node, strictly.
        nodes: Number of nodes that count, over all occurrences of each graph.
        graphs: Number of graphs.
    """

    accuracy: float
    reference: float
    perfect: float
    nodes: int
    graphs: int


class Examples:
    """A frozen collection of labelled graphs.

    Args:
        task: What the inputs and labels mean.
        graphs: The graphs, united.
        inputs: Input class of each node of the union.
        labels: Class of each node of the union.
        mask: Which nodes count; all if not given.
        steps: For each graph, the number of steps after which its labels hold (or one number for all).
        counts: How often each graph occurs; once if not given.

    Example:
        >>> from graphfsa.automaton import library
        >>> task = Task("distance", "classes", ("node", "root"), ("even", "odd"))
        >>> path = GraphBatch.of([Graph.from_edges(3, [(0, 1), (1, 2)])])
        >>> examples = Examples(task, path, [1, 0, 0], [0, 1, 0], steps=5)
        >>> examples.accuracy(library.distance())
        1.0
    """

    def __init__(
        self,
        task: Task,
        graphs: GraphBatch,
        inputs: ArrayLike,
        labels: ArrayLike,
        *,
        steps: ArrayLike,
        mask: ArrayLike | None = None,
        counts: ArrayLike | None = None,
    ) -> None:
        nodes, count = graphs.graph.num_nodes, len(graphs)
        self.task = task
        self.graphs = graphs
        self.inputs = check_column("inputs", inputs, nodes, np.uint8, len(task.inputs))
        self.labels = check_column("labels", labels, nodes, np.uint8, len(task.classes))
        self.mask = np.ones(nodes, bool) if mask is None else np.array(mask)
        if self.mask.shape != (nodes,) or self.mask.dtype != np.bool_:
            got = f"{self.mask.dtype} of shape {list(self.mask.shape)}"
            raise GraphFSAError(f"mask must be booleans, one per node, {nodes}; got {got}")
        number = np.asarray(steps)
        spread = np.full(count, number) if number.ndim == 0 else number
        self.steps = check_column("steps", spread, count, np.int64, 2**62)
        self.counts = check_column("counts", np.ones(count, int) if counts is None else counts, count, np.int64, 2**62)
        for array in (self.inputs, self.labels, self.mask, self.steps, self.counts):
            array.setflags(write=False)

    def seen_by(self, aggregation: Aggregation) -> Examples:
        """The same with kinds of arcs numbered as an aggregation knows them; graphs that it can't see are refused."""
        graph = self.graphs.graph
        fitting = aggregation.fitting(graph)
        if fitting is graph:
            return self
        graphs = replace(self.graphs, graph=fitting)
        return Examples(
            self.task, graphs, self.inputs, self.labels, steps=self.steps, mask=self.mask, counts=self.counts
        )

    def __len__(self) -> int:
        return len(self.graphs)

    def __iter__(self) -> Iterator[Example]:
        parts = [self.graphs.split(array) for array in (self.inputs, self.labels, self.mask)]
        for graph, inputs, labels, mask, steps in zip(self.graphs.graphs(), *parts, self.steps, strict=True):
            yield Example(self.task, graph, inputs, labels, mask, int(steps))

    def __repr__(self) -> str:
        amounts = ((len(self), "graph"), (len(self.inputs), "node"))
        graphs, nodes = (f"{number} {what}{'s' * (number != 1)}" for number, what in amounts)
        return f"Examples({self.task.name}: {graphs}, {nodes})"

    def _repr_html_(self) -> str:
        """A few facts, for notebooks."""
        classes = np.bincount(self.labels[self.mask], minlength=len(self.task.classes)).tolist()
        facts = {
            "task": self.task.name,
            "graphs": len(self),
            "nodes of a graph": _span(self.sizes),
            "steps": _span(self.steps),
            "inputs": self.task.inputs,
            "labels": [f"{name}: {count:,}" for name, count in zip(self.task.classes, classes, strict=True)],
            "nodes that do not count": int((~self.mask).sum()) or None,
        }
        return facts_html("Examples", facts)

    @property
    def sizes(self) -> Array:
        """Number of nodes of each graph, int64."""
        return np.diff(self.graphs.offsets)

    @property
    def digest(self) -> str:
        """SHA-256 of everything: equal data have equal digests on every machine."""
        hasher = sha256(f"graphfsa.examples/1{self.task.config()}{self.graphs.graph.digest}".encode())
        for array in (self.graphs.offsets, self.inputs, self.labels, self.mask, self.steps, self.counts):
            kind = {"i": "<i8", "u": "<u1", "b": "<u1"}[array.dtype.kind]
            hasher.update(np.ascontiguousarray(array.astype(kind)).data)
        return hasher.hexdigest()

    def select(self, chosen: ArrayLike) -> Examples:
        """The graphs with the given indices, in that order."""
        places = picked(chosen, len(self))
        starts, sizes = self.graphs.offsets[:-1][places], self.sizes[places]
        offsets = np.zeros(len(places) + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        nodes = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
        return Examples(
            self.task,
            self.graphs.select(places),
            self.inputs[nodes],
            self.labels[nodes],
            mask=self.mask[nodes],
            steps=self.steps[places],
            counts=self.counts[places],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Examples]) -> Examples:
        """Several collections of one task, one after the other."""
        if not parts or any(part.task != parts[0].task for part in parts):
            raise GraphFSAError("only examples of one task can be put together, and at least one collection of them")
        columns = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("inputs", "labels", "mask", "steps", "counts")
        }
        return cls(parts[0].task, GraphBatch.concatenate([part.graphs for part in parts]), **columns)

    def matched(self, task: Task) -> Examples:
        """The same graphs as data of another task that has all of their inputs and classes, matched by name.

        Raises:
            GraphFSAError: The task is of the other kind, or a name is missing; the message lists both sides.
        """
        own = self.task
        if own == task:
            return self
        if own.kind != task.kind:
            raise GraphFSAError(f"{own.name} is of the kind {own.kind}, and {task.name} of the kind {task.kind}")
        for what, names, known in (("inputs", own.inputs, task.inputs), ("classes", own.classes, task.classes)):
            missing = [name for name in names if name not in known]
            if missing:
                raise GraphFSAError(
                    f"{own.name} has the {what} {shorten(', '.join(names), 300)}, but {task.name} has no "
                    f"{shorten(' or '.join(missing), 300)}; it has {shorten(', '.join(known), 300)}"
                )
        return Examples(
            task,
            self.graphs,
            np.array([task.inputs.index(name) for name in own.inputs])[self.inputs],
            np.array([task.classes.index(name) for name in own.classes])[self.labels],
            steps=self.steps,
            mask=self.mask,
            counts=self.counts,
        )

    def by_steps(self, steps: ArrayLike | None = None) -> Iterator[tuple[int, Examples, Array]]:
        """The graphs in groups of equal numbers of steps, fewest first.

        Args:
            steps: For each graph, the number of steps to make (or one number for all); by default that of the labels.

        Yields:
            The number of steps, the graphs, and which nodes of the union are theirs, bool [number of nodes].
        """
        wanted = np.broadcast_to(np.asarray(self.steps if steps is None else steps), len(self))
        for number in np.unique(wanted).tolist():
            chosen = wanted == number
            part = self if chosen.all() else self.select(np.flatnonzero(chosen))
            yield number, part, np.repeat(chosen, self.sizes)

    def predict(self, fsa: GraphFSA, *, steps: ArrayLike | None = None, reading: Reading | None = None) -> Array:
        """What an automaton answers for each node, int16; -1 where it ends in a state that is no answer.

        Args:
            fsa: The automaton.
            steps: For each graph, the number of steps to make; by default that of the labels.
            reading: Which states stand for inputs and classes; by default those with their names.
        """
        meaning = self.task.reading(fsa) if reading is None else reading
        last = meaning.starting_states(self.inputs)
        for number, part, nodes in self.by_steps(steps):
            last[nodes] = run(fsa, part.graphs.graph, last[nodes], number).last
        return meaning.predictions(last)

    def wrong(self, answers: ArrayLike) -> Array:
        """Which nodes count and have another answer than their label, bool [number of nodes]."""
        return self.mask & (np.asarray(answers) != self.labels)

    def score(self, answers: ArrayLike) -> Score:
        """Compare answers with the labels.

        Args:
            answers: The class of each node; -1 for no answer.

        Example:
            >>> path = GraphBatch.of([Graph.from_edges(3, [(0, 1), (1, 2)])])
            >>> task = Task("distance", "classes", ("node", "root"), ("even", "odd"))
            >>> Examples(task, path, [1, 0, 0], [0, 1, 0], steps=3).score([0, 1, -1])
            Score(accuracy=0.6666666666666667, reference=1.0, perfect=0.0, nodes=3, graphs=1)
        """
        given = np.asarray(answers)
        wrong = self.wrong(given)
        lenient = self.wrong(np.where(given == -1, 0, given))
        weights = np.repeat(self.counts, self.sizes) * self.mask
        total = max(1, int(weights.sum()))
        spoilt = np.unique(self.graphs.owners[wrong])
        return Score(
            accuracy=1 - int(weights[wrong].sum()) / total,
            reference=1 - int(weights[lenient].sum()) / total,
            perfect=1 - int(self.counts[spoilt].sum()) / max(1, int(self.counts.sum())),
            nodes=int(weights.sum()),
            graphs=len(self),
        )

    def accuracy(self, fsa: GraphFSA, *, steps: ArrayLike | None = None, reading: Reading | None = None) -> float:
        """Share of the nodes that count that get their label from an automaton; strict: no answer is wrong.

        Arguments are those of :meth:`predict`.
        """
        return self.score(self.predict(fsa, steps=steps, reading=reading)).accuracy


def visited(truth: GraphFSA, examples: Examples) -> Array:
    """Which entries of the truth the roll-outs of some graphs use, bool [num_states, num_values]."""
    return entry_counts(truth, examples) > 0


def entry_counts(fsa: GraphFSA, examples: Examples) -> Array:
    """How often the roll-outs of some graphs use each entry within their steps, int64 [num_states, num_values]."""
    counts = np.zeros(fsa.transition_table.shape, np.int64)
    start = examples.task.starting_states(fsa, examples.inputs)
    for steps, part, nodes in examples.by_steps():
        entries = run(fsa, part.graphs.graph, start[nodes], steps, entries=True).entries
        if entries is not None:
            counts += entries
    return counts


def check_column(name: str, values: ArrayLike, length: int, kind: Any, limit: int) -> Array:
    array = np.asarray(values)
    if array.shape != (length,):
        raise GraphFSAError(f"{name} must have {length} entries; got shape {list(array.shape)}")
    if array.size and array.dtype.kind not in "iu":
        raise GraphFSAError(f"{name} must be integers; got {array.dtype}")
    wrong = np.flatnonzero((array < 0) | (array >= limit)) if array.size else array
    if len(wrong):
        raise GraphFSAError(f"{name}[{wrong[0]}] must be from 0 to {limit - 1}; got {array[wrong[0]]}")
    return array.astype(kind)


def _span(numbers: Array) -> str | None:
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    return (f"{low:,} to {high:,}" if low < high else f"{low:,}") if len(numbers) else None
