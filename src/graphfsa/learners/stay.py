"""Stay: every node answers by its own input alone. What a learner should beat that looks at neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import numpy as np

from graphfsa.datasets import Examples
from graphfsa.learners._base import Learner
from graphfsa.learners._floor import Floor, floor_of, frequencies
from graphfsa.learners._options import check_examples, check_seed


@dataclass(frozen=True)
class Stay(Learner):
    """In an evolution a node keeps its state; in a task with classes it takes the most frequent one for its input.

    A node whose input class no training node has takes the most frequent class of all.
    """

    def fit(self, train: Examples, validation: Examples | None = None, *, seed: int = 0) -> Floor:
        """Count the classes of each input class.

        Args:
            train: The graphs to learn from.
            validation: Only scored.
            seed: Not used: there is nothing random.
        """
        began = monotonic()
        check_examples(train, validation)
        check_seed(seed)
        table = frequencies(train)
        answers = np.where(table.sum(1) > 0, table.argmax(1), table.sum(0).argmax()).tolist()
        if train.task.kind == "evolution":
            answers = list(range(len(answers)))
        return floor_of(answers, train, validation, began)
