"""Runs of a network: many graphs with steps of their own, or one graph, however large, at several times."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import Task
from graphfsa.learners._neural._batches import Arcs, Batch
from graphfsa.learners._neural._learner import NeuralLearner, State
from graphfsa.learners._neural._views import Views
from graphfsa.learners._neural._weights import Weights
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor

AT_ONCE = 2**17
"""Nodes and arcs of a graph that make a step at once; larger graphs go piece by piece."""


def scores_of(learner: NeuralLearner, weights: Weights, batch: Batch, task: Task) -> Tensor:
    """Scores of all nodes of a batch, [nodes, classes], each after the steps of its graph."""
    merged = Views(batch) if learner.merges(weights) else None
    state = learner.begin(weights, batch.inputs if merged is None else merged.inputs, task)
    done: list[State] = []
    left = batch.arcs.num_nodes
    for stage in batch.stages:
        if stage.num_nodes < left:
            done.append(_at(state, merged, stage.num_nodes))
            left = stage.num_nodes
            if merged is None:
                state = tuple(part[:left] for part in state)
        around = batch.arcs.first(stage.num_nodes, stage.num_arcs)
        for _ in range(stage.steps):
            state = learner.step(weights, state, around if merged is None else merged.step(left))
    state = _at(state, merged, 0)
    if done:
        state = _joined([state, *reversed(done)])
    return learner.scores(weights, state, task)


def _at(state: State, merged: Views | None, begin: int) -> State:
    """The states of the nodes from one on."""
    return tuple(part[begin:] if merged is None else part[merged.rows(begin)] for part in state)


class Run:
    """One graph, step by step; a large one piece by piece.

    Memory: the states of all nodes twice, 24 bytes for each arc, and what a step of one piece takes.

    Args:
        learner: What a step is.
        weights: The weights.
        task: The task.
        arcs: Who sees whom.
        inputs: Input class of each node, int64.
        at_once: Nodes and arcs of a piece.
    """

    def __init__(
        self, learner: NeuralLearner, weights: Weights, task: Task, arcs: Arcs, inputs: Tensor, at_once: int = AT_ONCE
    ) -> None:
        self._learner, self._weights, self._task, self._arcs = learner, weights, task, arcs
        self._pieces = _pieces(arcs, at_once) if arcs.num_nodes + len(arcs.sources) > at_once else []
        self._state = learner.begin(weights, inputs, task)

    def step(self) -> bool:
        """One step of all nodes; returns whether any number has changed. If none has, none ever will."""
        before, self._state = self._state, self._moved()
        return not all(torch().equal(old, new) for old, new in zip(before, self._state, strict=True))

    def _moved(self) -> State:
        if not self._pieces:
            return self._learner.step(self._weights, self._state, self._arcs)
        after: list[State] = []
        for begin, end, others, arcs in self._pieces:
            own = tuple(torch().cat((part[begin:end], part[others])) for part in self._state)
            moved = self._learner.step(self._weights, own, arcs)
            after.append(tuple(part[: end - begin] for part in moved))
        return _joined(after)

    def answers(self) -> Array:
        """The class of each node now, int16; -1 where there is no answer."""
        ranges = [(begin, end) for begin, end, _, _ in self._pieces] or [(0, self._arcs.num_nodes)]
        parts = [
            answers_of(
                self._learner.scores(self._weights, tuple(part[a:b] for part in self._state), self._task), self._task
            )
            for a, b in ranges
        ]
        return np.concatenate(parts)


def answers_at(run: Run, steps: Sequence[int]) -> Array:
    """Answers of one graph after each of some numbers of steps, int16 [number of them, nodes], from one run."""
    answers: dict[int, Array] = {}
    done = 0
    for number in sorted(set(steps)):
        for _ in range(number - done):
            if not run.step():
                break
        done = number
        answers[number] = run.answers()
    return np.stack([answers[number] for number in steps])


def answers_of(scores: Tensor, task: Task) -> Array:
    """The class with the highest score, int16 [nodes]; -1 where nothing speaks for any."""
    best, place = scores[:, : len(task.classes)].max(1)
    return torch().where(best == -float("inf"), -1, place).numpy().astype(np.int16)


def _joined(parts: list[State]) -> State:
    return tuple(torch().cat(tensors) for tensors in zip(*parts, strict=True))


def _pieces(arcs: Arcs, at_once: int) -> list[tuple[int, int, Tensor, Arcs]]:
    """Ranges of nodes with about ``at_once`` nodes and arcs each, the other nodes that they see, and their arcs.

    The nodes of a range come first there, then the others.
    """
    library = torch()
    sources, targets = arcs.sources.numpy(), arcs.targets.numpy()
    ends = np.searchsorted(targets, np.arange(arcs.num_nodes), side="right")
    place = (np.arange(1, arcs.num_nodes + 1) + ends) // at_once
    cuts = [0, *(np.flatnonzero(np.diff(place)) + 1).tolist(), arcs.num_nodes]
    pieces: list[tuple[int, int, Tensor, Arcs]] = []
    for begin, end in pairwise(cuts):
        first, last = int(ends[begin - 1]) if begin else 0, int(ends[end - 1])
        seen = sources[first:last]
        within = (begin <= seen) & (seen < end)
        others = np.unique(seen[~within])
        local = np.where(within, seen - begin, end - begin + np.searchsorted(others, seen))
        tensors = [library.from_numpy(array) for array in (others, local, targets[first:last] - begin)]
        pieces.append((begin, end, tensors[0], Arcs(tensors[1], tensors[2], end - begin + len(others))))
    return pieces
