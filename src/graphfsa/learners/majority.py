"""Majority: the most frequent class, for every node. What any learner should beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from graphfsa.datasets import Examples
from graphfsa.learners._floor import FloorLearner, frequencies


@dataclass(frozen=True)
class Majority(FloorLearner):
    """Answers the class that most training nodes have; the first of them if several are as frequent.

    Example:
        >>> import numpy as np
        >>> from graphfsa.datasets import dataset_class
        >>> trees = dataset_class("path-finding")().generate(30, 20, np.random.default_rng(0))
        >>> found = Majority().fit(trees)
        >>> found.task.classes[int(found.predict(trees.graphs.graph, trees.inputs, steps=1)[0])]
        'off'
    """

    name: ClassVar[str] = "majority"

    def answers(self, train: Examples) -> Sequence[int]:
        """The most frequent class, for all."""
        best = int(frequencies(train).sum(0).argmax())
        return [best] * len(train.task.inputs)
