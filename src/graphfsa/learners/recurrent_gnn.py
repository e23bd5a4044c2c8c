"""The recurrent GNN of the paper's comparisons: a hidden state per node that a gated unit updates in every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graphfsa.checks import check_integer, check_number
from graphfsa.datasets import Task
from graphfsa.learners._neural import Arcs, NeuralLearner, Shapes, State, Weights, layer, mlp
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class RecurrentGNN(NeuralLearner):
    """Encodes the input class of each node, updates a hidden state in every step, and decodes a class.

    An edge MLP makes a message of the hidden states of both ends of an arc. A gated recurrent unit takes the sum of the
    messages of a node and its encoded input (the skip connection) and updates the node's hidden state.

    Attributes:
        hidden: Width of the hidden state.
        factor: The inner layer of each MLP is this many times as wide.
        dropout: Chance of a number of the summed messages to be dropped while training.
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
        wide, inner = self.hidden, self.hidden * self.factor
        return {
            **mlp("encoder", len(task.inputs), inner, wide),
            "sender.weight": (inner, wide),
            **layer("receiver", wide, inner),
            **layer("message", inner, wide),
            "gates.input.weight": (3 * wide, 2 * wide),
            "gates.input.bias": (3 * wide,),
            "gates.hidden.weight": (3 * wide, wide),
            "gates.hidden.bias": (3 * wide,),
            **mlp("decoder", wide, inner, len(task.classes)),
        }

    def begin(self, weights: Weights, inputs: Tensor, task: Task) -> State:
        """The hidden state is the encoded input; it is kept beside it for the skip connection."""
        every = torch().eye(len(task.inputs))
        encoded = weights.mlp("encoder", every).index_select(0, inputs)
        return encoded, encoded

    def step(self, weights: Weights, state: State, arcs: Arcs) -> State:
        """Messages, their sum, and the gated update."""
        hidden, encoded = state
        # The first layer of the edge MLP is linear in both ends, and its second commutes with the sum: both are
        # computed for nodes, which are fewer than arcs.
        sent = hidden @ weights["sender.weight"].T
        received = weights.linear("receiver", hidden)
        inner = (sent.index_select(0, arcs.sources) + received.index_select(0, arcs.targets)).relu_()
        summed = arcs.total(inner) @ weights["message.weight"].T + arcs.degrees * weights["message.bias"]
        summed = weights.dropout(summed, self.dropout)
        gates = torch().gru_cell(
            torch().cat((summed, encoded), 1),
            hidden,
            weights["gates.input.weight"],
            weights["gates.hidden.weight"],
            weights["gates.input.bias"],
            weights["gates.hidden.bias"],
        )
        return gates, encoded

    def scores(self, weights: Weights, state: State, task: Task) -> Tensor:
        """The decoded hidden state."""
        del task
        return weights.mlp("decoder", state[0])
