"""The recurrent GNN of the paper's comparisons: a hidden state per node that a gated unit updates in every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graphfsa.checks import check_integer, check_number
from graphfsa.datasets import Task
from graphfsa.learners._neural import Arcs, NeuralLearner, Shapes, State, Weights, mlp
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class RecurrentGNN(NeuralLearner):
    """Encodes the input of each node, updates a hidden state in every step, and decodes a class.

    A step: a skip MLP makes a new state of a node's state and its input; an edge MLP makes a message of the new states
    of both ends of each arc; a gated recurrent unit updates the state of a node by the sum of its messages. Every MLP
    has three linear layers with ReLU after the first two and, but for the decoder, after the last.

    Attributes:
        hidden: Width of the hidden state.
        factor: Inner layers are this many times as wide, those of the edge MLP twice as many times.
        dropout: Chance of a number to be dropped after the first ReLU of each MLP, while training.
    """

    name: ClassVar[str] = "recurrent-gnn"

    hidden: int = 16
    factor: int = 4
    dropout: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("hidden", self.hidden, 1, 4096)
        check_integer("factor", self.factor, 1, 64)
        check_number("dropout", self.dropout, below=1)

    def shapes(self, task: Task) -> Shapes:  # noqa: D102
        wide, inner, given = self.hidden, self.hidden * self.factor, _num_numbers(task)
        return {
            **mlp("encoder", given, inner, inner, wide),
            **mlp("skip", wide + given, inner, inner, wide),
            **mlp("edge", 2 * wide, 2 * inner, 2 * inner, wide),
            "gates.input.weight": (3 * wide, wide),
            "gates.input.bias": (3 * wide,),
            "gates.hidden.weight": (3 * wide, wide),
            "gates.hidden.bias": (3 * wide,),
            **mlp("decoder", wide, inner, inner, len(task.classes)),
        }

    def begin(self, weights: Weights, inputs: Tensor, task: Task) -> State:
        """The encoded input, and the input itself for the skip MLP."""
        given = torch().nn.functional.one_hot(inputs, len(task.inputs))[:, -_num_numbers(task) :].to(torch().float32)
        return weights.mlp("encoder", given, dropout=self.dropout, last=True), given

    def step(self, weights: Weights, state: State, arcs: Arcs) -> State:
        """The skip MLP, messages, their sum, and the gated update."""
        hidden = weights.mlp("skip", torch().cat(state, 1), dropout=self.dropout, last=True)
        # The first layer of the edge MLP is linear in both ends: it is computed for nodes, which are fewer than arcs.
        to_sender, to_receiver = weights["edge.0.weight"].split(self.hidden, 1)
        sent = hidden @ to_sender.T
        received = arcs.of_own(torch().nn.functional.linear(hidden, to_receiver, weights["edge.0.bias"]))
        inner = sent.index_select(0, arcs.sources) + received.index_select(0, arcs.targets)
        messages = weights.mlp_after_first("edge", inner, dropout=self.dropout, last=True)
        updated = torch().gru_cell(
            arcs.total(messages),
            arcs.of_own(hidden),
            weights["gates.input.weight"],
            weights["gates.hidden.weight"],
            weights["gates.input.bias"],
            weights["gates.hidden.bias"],
        )
        return updated, arcs.of_own(state[1])

    def merges(self, weights: Weights) -> bool:
        """Unless numbers are dropped, for each node by itself."""
        return weights.noise is None or self.dropout == 0

    def scores(self, weights: Weights, state: State, task: Task) -> Tensor:
        """The decoded hidden state."""
        del task
        return weights.mlp("decoder", state[0], dropout=self.dropout)


def _num_numbers(task: Task) -> int:
    """Numbers that say what the input of a node is: one for each input class; a cell of two states is one number."""
    return 1 if task.kind == "evolution" and len(task.inputs) == 2 else len(task.inputs)
