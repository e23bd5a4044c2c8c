"""What can be said about one row of a table: more than about all rows, where it depends on a few counts only.

With 8 states there are 255 sets of them, too many to ask for the count of each at each of 6,561 values. But a row that
depends on the counts of 3 states has only 27 different values, and 7 sets that matter.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graphfsa.aggregations._features import Features
from graphfsa.arrays import Array
from graphfsa.automaton.rules._vocabulary import Vocabulary, vocabulary


class RowWords:
    """Vocabularies for the rows of a table.

    Args:
        features: What can be asked about values.
        num_values: Number of values.
    """

    def __init__(self, features: Features, num_values: int) -> None:
        self.features = features
        self.whole = vocabulary(features, num_values)
        self._every = np.arange(num_values)

    def of(self, successors: Array, matters: Array) -> tuple[Vocabulary, Array]:
        """The vocabulary for a row, and the values that it is about: what is right at those is right everywhere.

        Args:
            successors: Where each value leads, [num_values].
            matters: Which values matter, bool [num_values].
        """
        features = self.features
        if self.whole.complete or features.counts is None or features.parts or features.shares or not matters.any():
            return self.whole, self._every
        told = deciding_states(features.counts, successors, matters)
        if len(told) == len(features.counts):
            return self.whole, self._every
        values = _one_of_each(features.counts[list(told)], np.flatnonzero(matters))
        words = vocabulary(replace(features, counts=features.counts[:, values]), len(values), told)
        return (words, values) if words.complete else (self.whole, self._every)


def deciding_states(counts: Array, successors: Array, matters: Array) -> tuple[int, ...]:
    """States whose counts alone say where each value leads that matters; none of them can be left out.

    Args:
        counts: Neighbours in each state at each value, [num_states, num_values].
        successors: Where each value leads, [num_values].
        matters: Which values matter, bool [num_values].
    """
    values = np.flatnonzero(matters)
    left = list(range(len(counts)))
    for state in reversed(range(len(counts))):
        fewer = [other for other in left if other != state]
        cells = _cells(counts[fewer], values)
        both = cells * 256 + successors[values]
        if len(np.unique(both)) == len(np.unique(cells)):
            left = fewer
    return tuple(left)


def _cells(counts: Array, values: Array) -> Array:
    """A number for each value, the same where all counts are, int64 [values]."""
    base = int(counts.max(initial=0)) + 1
    cells = np.zeros(len(values), np.int64)
    for row in counts:
        cells = cells * base + row[values]
    return cells


def _one_of_each(counts: Array, values: Array) -> Array:
    """Of the values with the same counts the first, rising."""
    _, first = np.unique(_cells(counts, values), return_index=True)
    return values[np.sort(first)]
