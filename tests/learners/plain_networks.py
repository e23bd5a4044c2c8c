"""What the networks are by definition: one node and one arc at a time, in torch's float64, so that it has gradients."""

import numpy as np
import pytest

from graphfsa.learners.gnca import GNCA
from graphfsa.learners.recurrent_gnn import RecurrentGNN

torch = pytest.importorskip("torch")


def doubles(network):
    """The weights of a network, which gradients are wanted of."""
    return {
        name: torch.tensor(array, dtype=torch.float64, requires_grad=True) for name, array in network.weights.items()
    }


def plain_scores(network, graph, inputs, steps, weights=None):
    """Scores of all classes, float64 [nodes, classes]; the numbers of all states before the sigmoid for a GNCA."""
    follow = {RecurrentGNN: _recurrent, GNCA: _gnca}[type(network.learner)]
    nodes = [int(given) for given in inputs]
    return torch.stack(follow(weights or doubles(network), graph, nodes, steps, network.task))


def linear(weights, name, values):
    return weights[f"{name}.weight"] @ values + weights[f"{name}.bias"]


def three_layers(weights, name, values, last):
    values = torch.relu(linear(weights, f"{name}.0", values))
    values = torch.relu(linear(weights, f"{name}.1", values))
    values = linear(weights, f"{name}.2", values)
    return torch.relu(values) if last else values


def one_hot(place, width):
    return torch.tensor(np.eye(width)[place])


def _recurrent(weights, graph, inputs, steps, task):
    raw = [one_hot(given, len(task.inputs)) for given in inputs]
    if task.kind == "evolution" and len(task.inputs) == 2:
        raw = [torch.tensor([float(given)], dtype=torch.float64) for given in inputs]
    states = [three_layers(weights, "encoder", given, last=True) for given in raw]
    for _ in range(steps):
        states = [
            three_layers(weights, "skip", torch.cat([state, given]), last=True)
            for state, given in zip(states, raw, strict=True)
        ]
        after = []
        for receiver, own in enumerate(states):
            total = torch.zeros(len(own), dtype=torch.float64)
            for sender in graph.neighbours(receiver).tolist():
                total = total + three_layers(weights, "edge", torch.cat([states[sender], own]), last=True)
            after.append(gated(weights, total, own))
        states = after
    return [three_layers(weights, "decoder", state, last=False) for state in states]


def gated(weights, taken, own):
    """The gated recurrent unit of Cho et al. as torch defines it."""
    reset_in, update_in, new_in = (weights["gates.input.weight"] @ taken + weights["gates.input.bias"]).split(len(own))
    reset_own, update_own, new_own = (
        weights["gates.hidden.weight"] @ own + weights["gates.hidden.bias"]
    ).split(len(own))  # fmt: skip
    reset, update = torch.sigmoid(reset_in + reset_own), torch.sigmoid(update_in + update_own)
    return (1 - update) * torch.tanh(new_in + reset * new_own) + update * own


def _gnca(weights, graph, inputs, steps, task):
    extra = len(task.inputs) if task.kind == "classes" else 0
    width, first = len(task.classes) + extra, len(task.classes) if extra else 0
    numbers = [one_hot(first + given, width) for given in inputs]
    logits = [torch.where(own > 0, 10.0, -10.0) for own in numbers]
    for own in logits if extra else ():
        own[:first] = -torch.inf
    for _ in range(steps):
        own = [three_layers(weights, "own", number, last=True) for number in numbers]
        logits = []
        for receiver in range(graph.num_nodes):
            total = torch.zeros(len(own[receiver]), dtype=torch.float64)
            for sender in graph.neighbours(receiver).tolist():
                total = total + torch.relu(linear(weights, "message", own[sender]))
            logits.append(three_layers(weights, "next", torch.cat([own[receiver], total]), last=False))
        numbers = [torch.sigmoid(row) for row in logits]
    return logits


def plain_loss(network, rows, labels):
    """The loss of each node, from its scores."""
    found = []
    for row, label in zip(rows, labels.tolist(), strict=True):
        if isinstance(network.learner, RecurrentGNN):
            found.append(torch.logsumexp(row, 0) - row[label])
        elif network.task.kind == "classes":
            numbers = 1 / (1 + torch.exp(-row))
            found.append(torch.logsumexp(numbers, 0) - numbers[label])
        else:
            numbers = 1 / (1 + torch.exp(-row))
            wanted = one_hot(label, len(row))
            found.append(-(wanted * numbers.log() + (1 - wanted) * (1 - numbers).log()).sum() / len(row))
    return torch.stack(found)
