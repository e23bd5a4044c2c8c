"""What every network that takes steps on graphs has in common: options, and how it begins, steps and answers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer, check_number
from graphfsa.datasets import Examples, Task
from graphfsa.learners._base import Learner, Watch, check_examples
from graphfsa.learners._model import Model
from graphfsa.learners._neural._weights import Shapes, Weights, first_weights
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor

    from graphfsa.learners._neural._batches import Arcs

State = tuple[Any, ...]


@dataclass(frozen=True)
class NeuralLearner(Learner):
    """A network that all nodes share: a node has a state, sees the states of its neighbours, and takes steps.

    A subclass says what the weights are, how a node begins, what a step is, and how a class is read off. It is trained
    by Adam on batches of graphs, through all steps. The weights with the lowest loss on the validation graphs (or, if
    there are none, on the training graphs) are kept.

    Attributes:
        rate: Learning rate of Adam.
        batch: Graphs of one update.
        epochs: Passes over the training graphs at most.
        updates: Updates at most.
        patience: Training ends after this number of epochs without a lower loss.
        clip: Largest norm of the gradient; 0 for any.
        offset: In each update all graphs make up to this number of further steps, at random; not in evolutions.
    """

    suffix: ClassVar[str] = ".safetensors"

    rate: float = 0.001
    batch: int = 32
    epochs: int = 200
    updates: int = 1500
    patience: int = 50
    clip: float = 1.0
    offset: int = 2

    def __post_init__(self) -> None:
        check_number("rate", self.rate, below=1e3, above=True)
        check_number("clip", self.clip, below=1e9)
        for name in ("batch", "epochs", "updates", "patience"):
            check_integer(name, getattr(self, name), 1, 10**9)
        check_integer("offset", self.offset, 0, 10**9)

    # ---- what a subclass says

    @abstractmethod
    def shapes(self, task: Task) -> Shapes:
        """The shape of each weight, by name."""

    @abstractmethod
    def begin(self, weights: Weights, inputs: Tensor, task: Task) -> State:
        """The first state of each node from its input class, int64 [nodes]: tensors [nodes, ...]."""

    @abstractmethod
    def step(self, weights: Weights, state: State, arcs: Arcs) -> State:
        """The next state of each node."""

    @abstractmethod
    def scores(self, weights: Weights, state: State, task: Task) -> Tensor:
        """How much speaks for each class, [nodes, classes]; minus infinity for none."""

    def losses(self, scores: Tensor, labels: Tensor) -> Tensor:
        """How wrong the scores of each node are, [nodes]; cross-entropy if not said otherwise."""
        return torch().nn.functional.cross_entropy(scores, labels, reduction="none")

    def width(self, task: Task) -> int:
        """About how many numbers a step keeps for a node and each of its arcs while training, to know the memory."""
        return 8 * max(shape[0] for shape in self.shapes(task).values())

    # ---- what comes with it

    def first_weights(self, task: Task, rng: np.random.Generator) -> dict[str, Array]:
        """Weights to begin with, float32 by name."""
        return first_weights(self.shapes(task), rng)

    def check_libraries(self) -> None:
        """Raise if torch is missing."""
        torch()

    def fit(
        self,
        train: Examples,
        validation: Examples | None = None,
        *,
        seed: int = 0,
        watch: Watch | None = None,
    ) -> Model:
        """Train.

        Args:
            train: The graphs to learn from.
            validation: Graphs to choose between the weights of different epochs with.
            seed: Seed; the same seed gives the same weights on the same machine, whatever the number of threads.
            watch: Called with a record of how it goes after each epoch, and several times during a long one.

        Returns:
            The model. Interrupted from the keyboard, it returns the best so far.
        """
        from graphfsa.learners._neural._training import Training

        seed = check_examples(train, validation, seed)
        return Training(self, train, validation, seed, watch).run()
