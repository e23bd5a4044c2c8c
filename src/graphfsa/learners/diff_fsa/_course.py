"""What a training has found so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.search.problem import Shape

Record = dict[str, Any]


@dataclass(eq=False)
class Candidate:
    """A discrete table and the soft one that it came from.

    Attributes:
        table: The discrete table, int16 [num_states, num_values]; -1 where no training graph uses an entry.
        soft: Probabilities, float32 [row, state that can be left, successor].
        values: The value of each row.
        key: The smaller the better: the number of wrong nodes, or the validation loss.
    """

    table: Array
    soft: Array
    values: Array
    key: float

    def probabilities(self, shape: Shape) -> tuple[Array, Array]:
        """Probabilities of all entries, [num_states, num_values, num_states], and which values were trained."""
        states = shape.num_states
        whole = np.zeros((states, shape.num_values, states), np.float32)
        whole[np.arange(states), :, np.arange(states)] = 1
        left = states - self.soft.shape[1]
        whole[left:, self.values] = self.soft.transpose(1, 0, 2)
        trained = np.zeros(shape.num_values, bool)
        trained[self.values] = True
        return whole, trained


@dataclass(eq=False)
class Course:
    """What has happened so far, apart from the tables in training.

    Attributes:
        size: Number of the size that is in training.
        updates: Updates so far, of all sizes.
        looks: Looks at the discrete tables so far.
        solved: Tables without an error on training and validation graphs, all different.
        first: Update of this size after which the first of them was found; -1 if none was.
        best: The best table so far.
        best_size: Number of its size.
        history: One record for each look.
        seconds: Time so far.
        lowest: Lowest validation loss so far.
        flat: Epochs since it was lower.
        accuracy: Share of labels that the best discrete table so far gets right.
        work: Units of the budget spent so far.
        began: Units that were spent when the current size began.
        cut: Whether the budget ended the training of a size.
    """

    size: int = 0
    updates: int = 0
    looks: int = 0
    solved: list[Candidate] = field(default_factory=list[Candidate])
    first: int = -1
    best: Candidate | None = None
    best_size: int = 0
    history: list[Record] = field(default_factory=list[Record])
    seconds: float = 0.0
    lowest: float = 1e300
    flat: int = 0
    accuracy: float = 0.0
    work: float = 0.0
    began: float = 0.0
    cut: bool = False
