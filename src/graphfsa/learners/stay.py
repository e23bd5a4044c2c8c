"""Stay: every node answers by its own input alone. What a learner should beat that looks at neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.datasets import Examples
from graphfsa.learners._floor import FloorLearner, frequencies


@dataclass(frozen=True)
class Stay(FloorLearner):
    """In an evolution a node keeps its state; in a task with classes it takes the most frequent one for its input.

    A node whose input class no training node has takes the most frequent class of all.
    """

    name: ClassVar[str] = "stay"

    def answers(self, train: Examples) -> Sequence[int]:
        """The most frequent class for each input class; itself in an evolution."""
        table = frequencies(train)
        if train.task.kind == "evolution":
            return list(range(len(table)))
        return np.where(table.sum(1) > 0, table.argmax(1), table.sum(0).argmax()).tolist()
