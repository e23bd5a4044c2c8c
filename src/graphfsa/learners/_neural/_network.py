"""A trained network: weights that answer for every node of a graph; and its file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import Task
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import PathLike, parse_json, read_tensors, tensors_schema, write_tensors
from graphfsa.graphs import Graph
from graphfsa.learners._base import Learner
from graphfsa.learners._model import Model
from graphfsa.learners._model_files import about_model, read_about
from graphfsa.learners._neural._batches import Arcs
from graphfsa.learners._neural._learner import NeuralLearner
from graphfsa.learners._neural._rollout import Run, answers_at
from graphfsa.learners._neural._weights import Weights
from graphfsa.learners._torch import steady, torch
from graphfsa.plugins import known_plugin, plugin_reference

SCHEMA = "graphfsa.network/2"
_EARLIER = ("graphfsa.network/1",)


@dataclass(frozen=True, eq=False)
class Network:
    """Weights, and the learner that says what a step is.

    Attributes:
        learner: How it was trained, and what a step is.
        task: The task.
        weights: The weights, float32 arrays by name.
    """

    learner: NeuralLearner
    task: Task
    weights: Mapping[str, Array]

    @property
    def num_weights(self) -> int:
        """How many numbers were learned."""
        return sum(array.size for array in self.weights.values())

    @property
    def digest(self) -> str:
        """SHA-256 of what the network computes: its learner, its options, its task and its weights."""
        config = {"learner": self.learner.name, "options": self.learner.options(), "task": self.task.config()}
        hasher = sha256(json.dumps(config, sort_keys=True).encode())
        for name in sorted(self.weights):
            hasher.update(name.encode())
            hasher.update(np.ascontiguousarray(self.weights[name].astype("<f4")).data)
        return hasher.hexdigest()

    def predict(self, graph: Graph, inputs: Array, *, steps: int) -> Array:
        """The class of each node after this number of steps, int16; -1 for no answer."""
        return self.predict_at(graph, inputs, [steps])[0]

    def predict_at(self, graph: Graph, inputs: Array, steps: Sequence[int]) -> Array:
        """The class of each node after each of several numbers of steps, from one run.

        A step costs time in proportion to nodes and arcs. Memory is the states of all nodes twice and 24 bytes for each
        arc; what a step needs beside that is bounded, because large graphs make it piece by piece.

        Args:
            graph: The graph.
            inputs: Number of the input of each node.
            steps: Numbers of steps, in any order.

        Returns:
            Classes, int16 [number of them, number of nodes]; -1 for no answer.
        """
        if not len(steps):
            return np.empty((0, graph.num_nodes), np.int16)
        with steady(), torch().inference_mode():
            given = torch().as_tensor(np.asarray(inputs).astype(np.int64))
            run = Run(self.learner, Weights(self.weights), self.task, Arcs.of(graph), given)
            return answers_at(run, list(steps))

    def __repr__(self) -> str:
        return f"Network({self.learner.name}, {self.num_weights:,} weights)"


def save_network(model: Model, path: PathLike) -> None:
    """Write a model that is a network to a safetensors file, atomically."""
    network = model.network
    about = {
        "schema": SCHEMA,
        "learner": plugin_reference(type(network.learner)),
        "options": json.dumps(network.learner.options()),
        "about": json.dumps(about_model(model)),
        "history": json.dumps(model.history),
    }
    write_tensors(path, network.weights, about)


def load_network(path: PathLike) -> Model:
    """Read what ``save_network`` wrote."""
    if tensors_schema(path) in _EARLIER:
        raise FormatError(
            f"{path}: a network of an earlier version, whose layers were others, is no longer read; train it again"
        )
    tensors, strings = read_tensors(path, SCHEMA)
    source = str(path)
    try:
        parsed = {name: parse_json(strings[name]) for name in ("options", "about", "history")}
        kind = _learner(strings["learner"])
        about = read_about(parsed["about"], source)
        learner = _built(kind, parsed["options"])
        shapes = learner.shapes(about["task"])
        model = Model(body=Network(learner, about["task"], tensors), history=_history(parsed["history"]), **about)
    except FormatError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        text = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise FormatError(f"{path}: not a network that can be read: {json.dumps(text[:500])[1:-1]}") from None
    _check_weights(tensors, shapes, source)
    return model


def _learner(reference: str) -> type[NeuralLearner]:
    found = known_plugin(Learner, reference)
    if not issubclass(found, NeuralLearner):
        raise GraphFSAError(f"the learner {reference} makes no networks")
    return found


def _built(kind: type[NeuralLearner], options: Any) -> NeuralLearner:
    known = kind.option_defaults()
    if not isinstance(options, dict) or set(options) != set(known):
        raise GraphFSAError(f"options must be {', '.join(known)}")
    return kind.from_options(options)


def _history(history: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(history, list) or not all(isinstance(record, dict) for record in history):
        raise GraphFSAError("history must be a list of records")
    return tuple(history)


def _check_weights(tensors: Mapping[str, Array], shapes: Mapping[str, tuple[int, ...]], source: str) -> None:
    if set(tensors) != set(shapes):
        wrong = sorted(set(tensors) ^ set(shapes))[0]
        raise FormatError(f"{source}: weights must be {', '.join(shapes)}; {wrong!r} is missing or not one of them")
    for name, shape in shapes.items():
        array = tensors[name]
        if array.shape != shape or array.dtype != np.float32:
            got = f"{array.dtype} {list(array.shape)}"
            raise FormatError(f"{source}: weight {name!r} must be float32 {list(shape)}; got {got}")
        if not np.isfinite(array).all():
            raise FormatError(f"{source}: weight {name!r} must be finite numbers; some are not")
