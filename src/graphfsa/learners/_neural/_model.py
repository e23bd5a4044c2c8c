"""What training a network gives: weights that answer for every node of a graph."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.datasets import Task
from graphfsa.files import PathLike, write_tensors
from graphfsa.graphs import Graph
from graphfsa.learners._base import check_inputs, check_steps
from graphfsa.learners._neural._batches import Arcs
from graphfsa.learners._neural._learner import NeuralLearner
from graphfsa.learners._neural._rollout import Run, answers_at
from graphfsa.learners._neural._weights import Weights
from graphfsa.learners._torch import steady, torch


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network.

    Attributes:
        learner: How it was trained, and what a step is.
        task: The task.
        weights: The weights, float32 arrays by name.
        history: One record for each epoch: ``epoch``, ``loss``, ``validation_loss``, ``validation_accuracy``, ``rate``.
        seconds: How long the training took.
        epochs: Epochs that were made.
        updates: Updates that were made.
        train_accuracy: Share of the nodes that count that get their label, on the training graphs.
        validation_accuracy: The same on the validation graphs; None without any.
        interrupted: Whether the user interrupted the training.
    """

    learner: NeuralLearner
    task: Task
    weights: Mapping[str, Array]
    history: tuple[dict[str, Any], ...] = ()
    seconds: float = 0.0
    epochs: int = 0
    updates: int = 0
    train_accuracy: float | None = None
    validation_accuracy: float | None = None
    interrupted: bool = False

    @property
    def verdict(self) -> Literal["exact", "best-effort"]:
        """``"exact"``: all labels of the training and validation graphs are right. ``"best-effort"``: not all."""
        return "exact" if self.train_accuracy == 1 and self.validation_accuracy in (None, 1) else "best-effort"

    @property
    def num_weights(self) -> int:
        """How many numbers were learned."""
        return sum(array.size for array in self.weights.values())

    @property
    def digest(self) -> str:
        """SHA-256 of what the network computes: its kind, its options, its task and its weights."""
        config = {"learner": self.learner.name, "options": self.learner.options(), "task": self.task.config()}
        hasher = sha256(json.dumps(config, sort_keys=True).encode())
        for name in sorted(self.weights):
            hasher.update(name.encode())
            hasher.update(np.ascontiguousarray(self.weights[name].astype("<f4")).data)
        return hasher.hexdigest()

    def predict(self, graph: Graph, inputs: ArrayLike, *, steps: int) -> Array:
        """The class of each node after so many steps, int16; -1 where there is no answer."""
        return self.predict_at(graph, inputs, [steps])[0]

    def predict_at(self, graph: Graph, inputs: ArrayLike, steps: Sequence[int]) -> Array:
        """The class of each node after each of some numbers of steps, from one run.

        A step costs time in proportion to nodes and arcs. Memory is the states of all nodes twice and 24 bytes for each
        arc; what a step needs beside that is bounded, because large graphs make it piece by piece.

        Args:
            graph: The graph.
            inputs: Input class of each node.
            steps: Numbers of steps, in any order.

        Returns:
            Classes, int16 [number of them, number of nodes]; -1 where there is no answer.
        """
        classes = check_inputs(self.task, graph, inputs)
        numbers = [check_steps(number) for number in steps]
        if not numbers:
            return np.empty((0, graph.num_nodes), np.int16)
        with steady(), torch().inference_mode():
            given = torch().as_tensor(classes.astype(np.int64))
            run = Run(self.learner, Weights(self.weights), self.task, Arcs.of(graph), given)
            return answers_at(run, numbers)

    def save(self, path: PathLike) -> None:
        """Write a safetensors file, in one step; ``load_model`` reads it."""
        from graphfsa import __version__

        facts = ("seconds", "epochs", "updates", "train_accuracy", "validation_accuracy", "interrupted")
        about = {
            "schema": f"graphfsa.{self.learner.name}/1",
            "version": __version__,
            "config": json.dumps(self.learner.options()),
            "task": json.dumps(self.task.config()),
            "training": json.dumps({name: getattr(self, name) for name in facts}),
            "history": json.dumps(self.history),
        }
        write_tensors(path, self.weights, about)
