"""Floors: automata that answer by a node's own input alone, so that every score can be compared with them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from time import monotonic

import numpy as np

from graphfsa.aggregations import CountingAggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples, Task
from graphfsa.errors import LimitError
from graphfsa.learners._base import Learner, check_examples, learned
from graphfsa.learners._model import Model

_MOST_STATES = 20


def frequencies(examples: Examples) -> Array:
    """How many nodes that count, over all occurrences, have each input and each class: int64 [inputs, classes]."""
    task = examples.task
    weights = np.repeat(examples.counts, examples.sizes) * examples.mask
    table = np.zeros((len(task.inputs), len(task.classes)), np.int64)
    np.add.at(table, (examples.inputs, examples.labels), weights)
    return table


class FloorLearner(Learner):
    """A learner that chooses a class for each input, and looks no further."""

    @abstractmethod
    def answers(self, train: Examples) -> Sequence[int]:
        """The class for each input."""

    def fit(self, train: Examples, validation: Examples | None = None, *, seed: int = 0) -> Model:
        """Count classes.

        Args:
            train: The graphs to learn from.
            validation: Only scored.
            seed: Not used: there is nothing random.
        """
        began = monotonic()
        seed = check_examples(train, validation, seed)
        fsa = _automaton(train.task, self.answers(train))
        return learned(self, train, validation, seed, fsa, seconds=monotonic() - began)


def _automaton(task: Task, answers: Sequence[int]) -> GraphFSA:
    """Every starting state moves to the state of its answer at once; in an evolution, to the next state."""
    evolution = task.kind == "evolution"
    states = len(task.classes) + (0 if evolution else len(task.inputs))
    if states > _MOST_STATES:
        raise LimitError(f"an automaton that counts may have at most {_MOST_STATES} states here; it needs {states}")
    aggregation = CountingAggregation(1)
    next_state = np.array(answers if evolution else [*range(len(task.classes)), *answers])
    table = np.repeat(next_state[:, None], aggregation.num_values(states), axis=1)
    classes = range(0 if evolution else len(task.classes))
    return GraphFSA(
        list(task.classes) if evolution else task.state_names(),
        aggregation,
        table,
        starting_states=None if evolution else list(range(len(classes), states)),
        final_states=list(classes),
    )
