"""Floors: automata that answer by a node's own input alone, so that every score can be compared with them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

import numpy as np

from graphfsa.aggregations import CountingAggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples, Task
from graphfsa.errors import LimitError
from graphfsa.learners._base import AutomatonModel, Learner
from graphfsa.learners._options import check_examples, check_seed
from graphfsa.learners._states import state_names

_MOST_STATES = 20


@dataclass(frozen=True, eq=False)
class Floor(AutomatonModel):
    """An automaton that does not look at neighbours.

    Attributes:
        verdict: ``"exact"``: all labels of the training and validation graphs are right. ``"best-effort"``: not all.
        task: The task.
        automaton: The automaton: every starting state moves to the state of its answer at once; before there is none.
        train_accuracy: Share of the nodes that count that get their label, strictly, on the training graphs.
        validation_accuracy: The same on the validation graphs; None without any.
        seconds: How long it took.
        interrupted: Never: it takes no time.
    """

    verdict: Literal["exact", "best-effort"]
    task: Task
    automaton: GraphFSA
    train_accuracy: float
    validation_accuracy: float | None
    seconds: float
    interrupted: bool = False


def frequencies(examples: Examples) -> Array:
    """How many nodes that count, over all occurrences, have each input and each class: int64 [inputs, classes]."""
    task = examples.task
    weights = np.repeat(examples.counts, examples.sizes) * examples.mask
    table = np.zeros((len(task.inputs), len(task.classes)), np.int64)
    np.add.at(table, (examples.inputs, examples.labels), weights)
    return table


class FloorLearner(Learner):
    """A learner that chooses a class for each input class, and looks no further."""

    @abstractmethod
    def answers(self, train: Examples) -> Sequence[int]:
        """The class for each input class."""

    def fit(self, train: Examples, validation: Examples | None = None, *, seed: int = 0) -> Floor:
        """Count classes.

        Args:
            train: The graphs to learn from.
            validation: Only scored.
            seed: Not used: there is nothing random.
        """
        began = monotonic()
        check_examples(train, validation)
        check_seed(seed)
        return _floor_of(self.answers(train), train, validation, began)


def _floor_of(answers: Sequence[int], train: Examples, validation: Examples | None, began: float) -> Floor:
    """The automaton that answers by the input class."""
    task = train.task
    evolution = task.kind == "evolution"
    states = len(task.classes) + (0 if evolution else len(task.inputs))
    if states > _MOST_STATES:
        raise LimitError(f"an automaton that counts may have at most {_MOST_STATES} states here; it needs {states}")
    aggregation = CountingAggregation(1)
    next_state = np.array(answers if evolution else [*range(len(task.classes)), *answers])
    table = np.repeat(next_state[:, None], aggregation.num_values(states), axis=1)
    classes = range(0 if evolution else len(task.classes))
    fsa = GraphFSA(
        list(task.classes) if evolution else state_names(task, 0),
        aggregation,
        table,
        starting_states=None if evolution else list(range(len(classes), states)),
        final_states=list(classes),
    )
    scores: list[Any] = [None if part is None else part.accuracy(fsa) for part in (train, validation)]
    return Floor(
        verdict="exact" if scores[0] == 1 and scores[1] in (None, 1) else "best-effort",
        task=task,
        automaton=fsa,
        train_accuracy=scores[0],
        validation_accuracy=scores[1],
        seconds=monotonic() - began,
    )
