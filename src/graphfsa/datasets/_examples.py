"""Labelled graphs: many of them in one disjoint union, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets._task import Task
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch
from graphfsa.graphs.batch import picked
from graphfsa.html import facts_html


@dataclass(frozen=True)
class Example:
    """One labelled graph: inputs, labels and which nodes count; the labels hold after ``steps`` steps."""

    graph: Graph
    inputs: Array
    labels: Array
    mask: Array
    steps: int


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
        self.inputs = _column("inputs", inputs, nodes, np.uint8, len(task.inputs))
        self.labels = _column("labels", labels, nodes, np.uint8, len(task.classes))
        self.mask = np.ones(nodes, bool) if mask is None else np.array(mask)
        if self.mask.shape != (nodes,) or self.mask.dtype != np.bool_:
            got = f"{self.mask.dtype} of shape {list(self.mask.shape)}"
            raise GraphFSAError(f"mask must be truth values, one per node, {nodes}; got {got}")
        number = np.asarray(steps)
        spread = np.full(count, number) if number.ndim == 0 else number
        self.steps = _column("steps", spread, count, np.int64, 2**62)
        self.counts = _column("counts", np.ones(count, int) if counts is None else counts, count, np.int64, 2**62)
        for array in (self.inputs, self.labels, self.mask, self.steps, self.counts):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.graphs)

    def __iter__(self) -> Iterator[Example]:
        parts = [self.graphs.split(array) for array in (self.inputs, self.labels, self.mask)]
        for graph, inputs, labels, mask, steps in zip(self.graphs.graphs(), *parts, self.steps, strict=True):
            yield Example(graph, inputs, labels, mask, int(steps))

    def __repr__(self) -> str:
        return f"Examples({self.task.name}: {len(self)} graphs, {self.graphs.graph.num_nodes} nodes)"

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

    def predict(self, fsa: GraphFSA, *, steps: ArrayLike | None = None) -> Array:
        """What an automaton answers for each node, int16; -1 where it ends in a state that is no answer.

        Args:
            fsa: The automaton.
            steps: For each graph, the number of steps to make; by default that of the labels.
        """
        start = self.task.starting_states(fsa, self.inputs)
        wanted = np.broadcast_to(np.asarray(self.steps if steps is None else steps), len(self))
        last = start.copy()
        for number in np.unique(wanted):
            chosen = np.flatnonzero(wanted == number)
            everything = len(chosen) == len(self)
            part = self if everything else self.select(chosen)
            nodes = np.repeat(wanted == number, self.sizes)
            last[nodes] = run(fsa, part.graphs.graph, start[nodes], int(number)).last
        return self.task.predictions(fsa, last)

    def wrong(self, answers: ArrayLike) -> Array:
        """Which nodes count and have another answer than their label, bool [number of nodes]."""
        return self.mask & (np.asarray(answers) != self.labels)

    def accuracy(self, fsa: GraphFSA, *, steps: ArrayLike | None = None) -> float:
        """Share of the nodes that count, over all occurrences, that get their label; strict: no answer is wrong."""
        return self.share_right(self.predict(fsa, steps=steps))

    def share_right(self, answers: ArrayLike) -> float:
        """Share of the nodes that count, over all occurrences, whose answer is their label."""
        weights = np.repeat(self.counts, self.sizes) * self.mask
        return float(weights[~self.wrong(answers)].sum() / max(1, weights.sum()))


def _column(name: str, values: ArrayLike, length: int, kind: Any, limit: int) -> Array:
    array = np.asarray(values)
    if array.shape != (length,):
        raise GraphFSAError(f"{name} must have {length} entries; got shape {list(array.shape)}")
    if array.size and array.dtype.kind not in "iu":
        raise GraphFSAError(f"{name} must be whole numbers; got {array.dtype}")
    wrong = np.flatnonzero((array < 0) | (array >= limit)) if array.size else array
    if len(wrong):
        raise GraphFSAError(f"{name}[{wrong[0]}] must be in 0 .. {limit - 1}; got {array[wrong[0]]}")
    return array.astype(kind)


def _span(numbers: Array) -> str | None:
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    return (f"{low:,} to {high:,}" if low < high else f"{low:,}") if len(numbers) else None
