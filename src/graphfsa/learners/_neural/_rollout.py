"""Runs of a network: many graphs with steps of their own, or one graph at several times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.datasets import Task
from graphfsa.learners._neural._batches import Arcs, Batch
from graphfsa.learners._neural._learner import NeuralLearner, State
from graphfsa.learners._neural._weights import Weights
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor

Array = np.ndarray[Any, Any]


def scores_of(learner: NeuralLearner, weights: Weights, batch: Batch, task: Task) -> Tensor:
    """Scores of all nodes of a batch, [nodes, classes], each after the steps of its graph."""
    state = learner.begin(weights, batch.inputs, task)
    done: list[State] = []
    left = batch.arcs.num_nodes
    for stage in batch.stages:
        if stage.num_nodes < left:
            done.append(tuple(part[stage.num_nodes :] for part in state))
            state = tuple(part[: stage.num_nodes] for part in state)
            left = stage.num_nodes
        around = batch.arcs.first(stage.num_nodes, stage.num_arcs)
        for _ in range(stage.steps):
            state = learner.step(weights, state, around)
    if done:
        state = tuple(torch().cat(parts) for parts in zip(state, *reversed(done), strict=True))
    return learner.scores(weights, state, task)


def answers_at(
    learner: NeuralLearner, weights: Weights, arcs: Arcs, inputs: Tensor, task: Task, steps: Sequence[int]
) -> Array:
    """Answers of one graph after each of some numbers of steps, int16 [number of them, nodes], from one run."""
    answers = np.empty((len(steps), arcs.num_nodes), np.int16)
    order = np.argsort(np.asarray(steps, np.int64), kind="stable")
    state = learner.begin(weights, inputs, task)
    done = 0
    for place in order.tolist():
        for _ in range(steps[place] - done):
            state = learner.step(weights, state, arcs)
        done = max(done, steps[place])
        answers[place] = answers_of(learner.scores(weights, state, task))
    return answers


def answers_of(scores: Tensor) -> Array:
    """The class with the highest score, int16 [nodes]; -1 where nothing speaks for any."""
    best, place = scores.max(1)
    return torch().where(best == -float("inf"), -1, place).numpy().astype(np.int16)
