"""What every network that takes steps on graphs has in common: options, and how it begins, steps and answers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_name
from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError
from graphfsa.learners._base import Learner, Watch, check_examples
from graphfsa.learners._model import Model
from graphfsa.learners._neural._schedule import CHOICES, NOT_IN_EVOLUTIONS, PRESETS, Presets, Schedule, check_choice
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
        preset: How it is trained: ``paper``, the schedule of the authors' scripts, or ``tuned``, for longer and with
            more steps. All further choices are by default as the preset has them for this kind of task.
        epochs: Passes over the training graphs at most.
        batch: Graphs of one update.
        updates: Updates at most; 0 for any number.
        rate: First learning rate of Adam.
        patience: The rate is multiplied by 0.8 after more epochs than this without a lower loss.
        stop: Training ends after this number of epochs without a lower loss; 0 for never.
        clip: Largest norm of the gradient; 0 for any.
        training_steps: Steps that each graph makes: a number, or ``data`` for as many as its label takes; evolutions
            always make those of the data.
        offset: In each update all graphs make up to this number of further steps, at random; not in evolutions.
    """

    suffix: ClassVar[str] = ".safetensors"
    presets: ClassVar[Presets] = PRESETS

    preset: str = "paper"
    epochs: int | None = None
    batch: int | None = None
    updates: int | None = None
    rate: float | None = None
    patience: int | None = None
    stop: int | None = None
    clip: float | None = None
    training_steps: int | str | None = None
    offset: int | None = None

    def __post_init__(self) -> None:
        check_name("preset", self.preset, list(self.presets))
        for name, given in self._chosen.items():
            check_choice(name, given)

    @property
    def split(self) -> str:
        """The paper's graphs for its schedule."""
        return "train" if self.preset == "paper" else "learn"

    @property
    def _chosen(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in CHOICES}
        return {name: value for name, value in given.items() if value is not None}

    def schedule(self, task: Task) -> Schedule:
        """How it is trained on a task: as the preset says for this kind, but for what was chosen.

        Raises:
            GraphFSAError: A choice has no meaning for this kind of task, or the preset has nothing for it.
        """
        preset = self.presets[self.preset]
        if task.kind not in preset:
            raise GraphFSAError(f"preset {self.preset!r} of {self.name} is for {', '.join(preset)}; got {task.kind}")
        for name in NOT_IN_EVOLUTIONS if task.kind == "evolution" else ():
            if name in self._chosen:
                raise GraphFSAError(f"{name} has no meaning where labels are states at a given step; leave it out")
        return replace(preset[task.kind], **self._chosen)

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
        """How much speaks for each class, [nodes, classes]; minus infinity for none.

        Further columns are for the loss only.
        """

    def merges(self, weights: Weights) -> bool:
        """Whether a step may be made once for all nodes that have seen the same.

        Then ``step`` gets the different states, of which ``arcs.sources`` and ``arcs.own`` are places, and returns a
        state for each of ``arcs.num_nodes``.
        """
        del weights
        return False

    def losses(self, scores: Tensor, labels: Tensor, task: Task) -> Tensor:
        """How wrong the scores of each node are, [nodes]; cross-entropy if not said otherwise."""
        del task
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
