"""Majority: the most frequent class, for every node. What any learner should beat."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from graphfsa.datasets import Examples
from graphfsa.learners._base import Learner
from graphfsa.learners._floor import Floor, floor_of, frequencies
from graphfsa.learners._options import check_examples, check_seed


@dataclass(frozen=True)
class Majority(Learner):
    """Answers the class that most training nodes have; the first of them if several are as frequent.

    Example:
        >>> import numpy as np
        >>> from graphfsa.datasets import dataset_class
        >>> trees = dataset_class("path-finding")().generate(30, 20, np.random.default_rng(0))
        >>> found = Majority().fit(trees)
        >>> found.task.classes[int(found.predict(trees.graphs.graph, trees.inputs, steps=1)[0])]
        'off'
    """

    def fit(self, train: Examples, validation: Examples | None = None, *, seed: int = 0) -> Floor:
        """Count the classes.

        Args:
            train: The graphs to learn from.
            validation: Only scored.
            seed: Not used: there is nothing random.
        """
        began = monotonic()
        check_examples(train, validation)
        check_seed(seed)
        best = int(frequencies(train).sum(0).argmax())
        return floor_of([best] * len(train.task.inputs), train, validation, began)
