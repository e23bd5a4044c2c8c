"""Graph neural cellular automata: networks whose next state is a function of the states around, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graphfsa.checks import check_integer
from graphfsa.datasets import Task
from graphfsa.learners._neural import Arcs, NeuralLearner, Shapes, State, Weights, layer, mlp
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor

_SURE = 10.0
"""What speaks for the state in which a node begins, before the sigmoid."""


@dataclass(frozen=True)
class GNCA(NeuralLearner):
    """A continuous cellular automaton: a node's state is one number between 0 and 1 for each state of the task.

    In an evolution these are the states; in a task with classes they are the input classes and the classes. A node
    begins with 1 for its input and 0 for the rest. In every step an MLP reads the state of each node, the ReLU of a
    linear layer of it is its message, and a second MLP makes the next state of the node's own and the sum of the
    messages, through a sigmoid. Nothing else is kept. The answer is the class with the largest number.

    Attributes:
        hidden: Width of all inner layers.
    """

    name: ClassVar[str] = "gnca"

    hidden: int = 256

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("hidden", self.hidden, 1, 4096)

    def shapes(self, task: Task) -> Shapes:  # noqa: D102
        states = _num_states(task)
        wide = self.hidden
        return {
            **mlp("own", states, wide, wide, wide),
            **layer("message", wide, wide),
            **mlp("next", 2 * wide, wide, wide, states),
        }

    def begin(self, weights: Weights, inputs: Tensor, task: Task) -> State:
        """One for the input class, 0 for the rest; and what the sigmoid gives that for."""
        del weights
        states = _num_states(task)
        first = states - len(task.inputs)
        numbers = torch().nn.functional.one_hot(inputs + first, states).to(torch().float32)
        logits = (2 * numbers - 1) * _SURE
        logits[:, :first] = -float("inf")
        return numbers, logits

    def step(self, weights: Weights, state: State, arcs: Arcs) -> State:
        """The next numbers, and what they were before the sigmoid."""
        own = weights.mlp("own", state[0], last=True)
        seen = arcs.total_seen(weights.linear("message", own).relu_())
        # The first layer of what follows is linear in both: for the own part it is computed for each state once.
        from_own, from_seen = weights["next.0.weight"].split(self.hidden, 1)
        inner = arcs.of_own(own @ from_own.T) + torch().nn.functional.linear(seen, from_seen, weights["next.0.bias"])
        logits = weights.mlp_after_first("next", inner)
        return logits.sigmoid(), logits

    def merges(self, weights: Weights) -> bool:
        """Always: nothing is dropped while training."""
        del weights
        return True

    def scores(self, weights: Weights, state: State, task: Task) -> Tensor:
        """What the numbers were before the sigmoid; without any step there is no class."""
        del weights, task
        return state[1]

    def losses(self, scores: Tensor, labels: Tensor, task: Task) -> Tensor:
        """As the authors' scripts have it.

        In a task with classes, cross-entropy whose logits are the numbers themselves, which are between 0 and 1. In an
        evolution, the mean binary cross-entropy of each number with 1 for the label and 0 for the other states.
        """
        library = torch()
        if task.kind == "classes":
            return library.nn.functional.cross_entropy(scores.sigmoid(), labels, reduction="none")
        wanted = library.nn.functional.one_hot(labels, scores.shape[1]).to(library.float32)
        each = library.nn.functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
        return each.mean(1)


def _num_states(task: Task) -> int:
    """Classes first, then input classes; the states of an evolution are both."""
    return len(task.classes) + (len(task.inputs) if task.kind == "classes" else 0)
