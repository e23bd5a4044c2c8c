"""What a learner is: a frozen configuration whose ``fit`` turns labelled graphs into a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples, Task
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph

Array = np.ndarray[Any, Any]


class Model(Protocol):
    """Anything that answers for every node of a graph."""

    def predict(self, graph: Graph, inputs: ArrayLike, *, steps: int) -> Array:
        """The class of each node after so many steps, int16; -1 where there is no answer."""
        ...


class Learner(ABC):
    """The contract. A new learner is one new module in this room with one frozen dataclass that extends this.

    Its fields are the options of the learner, and it must be constructible without arguments.
    """

    @abstractmethod
    def fit(self, train: Examples, validation: Examples | None = None, *, seed: int = 0) -> Model:
        """Learn from labelled graphs.

        Args:
            train: The graphs to learn from.
            validation: Graphs to choose between models with, if the learner does so.
            seed: Seed of all randomness; the same seed gives the same model.
        """


def predict_with(fsa: GraphFSA, task: Task, graph: Graph, inputs: ArrayLike, steps: int) -> Array:
    """What an automaton answers for each node of one graph, int16; -1 where it ends in a state that is no answer."""
    classes = np.asarray(inputs)
    if classes.shape != (graph.num_nodes,) or (classes.size and classes.dtype.kind not in "iu"):
        raise GraphFSAError(f"inputs must be one input class per node, {graph.num_nodes} whole numbers")
    if classes.size and not 0 <= classes.min() <= classes.max() < len(task.inputs):
        raise GraphFSAError(f"input classes must be in 0 .. {len(task.inputs) - 1}; got {classes.max()}")
    last = run(fsa, graph, task.starting_states(fsa, classes), steps).last
    return task.predictions(fsa, last)
