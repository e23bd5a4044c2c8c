"""What a learner is: a frozen configuration whose ``fit`` turns labelled graphs into a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples, Task
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph
from graphfsa.plugins import Plugin


class Model(Protocol):
    """Anything that answers for every node of a graph, by what is within reach of the node.

    Parts of a graph that are not connected don't see each other: so many graphs can be asked about as one union.
    """

    def predict(self, graph: Graph, inputs: ArrayLike, *, steps: int) -> Array:
        """The class of each node after so many steps, int16; -1 where there is no answer."""
        ...


class Learner(Plugin, ABC):
    """The contract. A new learner is one frozen dataclass that extends this, in this room or in a file of your own.

    Its fields are the options of the learner, and it must be constructible without arguments.
    """

    kind = "learner"
    room = "graphfsa.learners"

    suffix: ClassVar[str] = ".json"
    """How the file of a model ends: ``.json`` if the model has an ``automaton``, another if it has a ``save``."""

    @abstractmethod
    def fit(self, train: Examples, validation: Examples | None = None, *, seed: int = 0) -> Model:
        """Learn from labelled graphs.

        Args:
            train: The graphs to learn from.
            validation: Graphs to choose between models with, if the learner does so.
            seed: Seed of all randomness; the same seed gives the same model.
        """


def check_inputs(task: Task, graph: Graph, inputs: ArrayLike) -> Array:
    """The input class of each node as an array, if that is what was given."""
    classes = np.asarray(inputs)
    if classes.shape != (graph.num_nodes,) or (classes.size and classes.dtype.kind not in "iu"):
        raise GraphFSAError(f"inputs must be one input class per node, {graph.num_nodes} whole numbers")
    if classes.size and not 0 <= classes.min() <= classes.max() < len(task.inputs):
        wrong = classes.min() if classes.min() < 0 else classes.max()
        raise GraphFSAError(f"input classes must be in 0 .. {len(task.inputs) - 1}; got {wrong}")
    return classes


def check_steps(steps: int) -> int:
    """The number of steps, if it is one."""
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or not 0 <= steps < 2**62:
        raise GraphFSAError(f"steps must be a whole number of at least 0; got {steps!r}")
    return int(steps)


def predict_with(fsa: GraphFSA, task: Task, graph: Graph, inputs: ArrayLike, steps: int) -> Array:
    """What an automaton answers for each node of one graph, int16; -1 where it ends in a state that is no answer."""
    classes = check_inputs(task, graph, inputs)
    last = run(fsa, graph, task.starting_states(fsa, classes), steps).last
    return task.predictions(fsa, last)


class AutomatonModel:
    """What a model does that is an automaton.

    Attributes:
        task: The task.
        automaton: The automaton.
    """

    task: Task
    automaton: GraphFSA

    @property
    def found(self) -> GraphFSA:
        """The automaton, as other learners name it that may find none."""
        return self.automaton

    def predict(self, graph: Graph, inputs: ArrayLike, *, steps: int) -> Array:
        """The class of each node after so many steps, int16; -1 where there is no answer."""
        return predict_with(self.automaton, self.task, graph, inputs, steps)


def answers(model: Model, examples: Examples, *, steps: ArrayLike | None = None) -> Array:
    """What a model answers for each node of labelled graphs, int16; -1 where there is no answer.

    Args:
        model: The model.
        examples: Labelled graphs.
        steps: For each graph, the number of steps to make; by default that of the labels.
    """
    wanted = np.broadcast_to(np.asarray(examples.steps if steps is None else steps), len(examples))
    given = np.full(len(examples.inputs), -1, np.int16)
    for number in np.unique(wanted).tolist():
        part = examples.select(np.flatnonzero(wanted == number))
        nodes = np.repeat(wanted == number, examples.sizes)
        given[nodes] = model.predict(part.graphs.graph, part.inputs, steps=number)
    return given


def accuracy(model: Model, examples: Examples, *, steps: ArrayLike | None = None) -> float:
    """Share of the nodes that count, over all occurrences, that get their label; strict: no answer is wrong.

    Args:
        model: The model.
        examples: Labelled graphs.
        steps: For each graph, the number of steps to make; by default that of the labels.
    """
    return examples.share_right(answers(model, examples, steps=steps))
