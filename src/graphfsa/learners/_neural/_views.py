"""Nodes that have seen the same so far are in the same state: a step is made once for all of them.

The graphs of a batch are small and look alike, so that after the first steps there are few different states. What is
the same is told by 64-bit hashes of what nodes have seen, round by round, as in colour refinement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphfsa.graphs.refinement import combine, mix, ragged, segment_sums
from graphfsa.learners._neural._batches import Arcs, Batch
from graphfsa.learners._torch import torch

if TYPE_CHECKING:
    from torch import Tensor


class Views:
    """The different states of the nodes of a batch, one row each, and the arcs between them from step to step.

    Args:
        batch: The batch.
    """

    def __init__(self, batch: Batch) -> None:
        self._whole = batch.arcs
        self._sources = batch.arcs.sources.numpy()
        degrees = np.bincount(batch.arcs.targets.numpy(), minlength=batch.arcs.num_nodes)
        self._indptr = np.concatenate([[0], np.cumsum(degrees)])
        _, first, self._rows = np.unique(batch.inputs.numpy(), return_index=True, return_inverse=True)
        self.inputs: Tensor = batch.inputs[torch().from_numpy(first)]
        """The input of each row, before the first step."""
        self._num_rows, self._in_order = len(first), False

    def rows(self, begin: int = 0) -> Tensor:
        """The row of each node now, from a node on."""
        return torch().from_numpy(self._rows[begin:])

    def step(self, num_nodes: int) -> Arcs:
        """The arcs of the next step, which the first nodes take part in: all nodes of their graphs."""
        rows, indptr = self._rows[:num_nodes], self._indptr[: num_nodes + 1]
        if self._in_order and self._num_rows == num_nodes:
            return self._whole.first(num_nodes, int(indptr[-1]))
        near = rows[self._sources[: indptr[-1]]]
        if self._num_rows == len(self._rows):  # All are different, and what differs once does so ever after.
            chosen = self._rows = np.arange(num_nodes)
            self._in_order = True
        else:
            keys = combine(mix(rows), segment_sums(mix(near), indptr))
            _, chosen, self._rows = np.unique(keys, return_index=True, return_inverse=True)
        self._num_rows = len(chosen)
        degrees = np.diff(indptr)[chosen]
        arrays = near[ragged(indptr[chosen], degrees)], np.repeat(np.arange(len(chosen)), degrees), rows[chosen]
        sources, targets, own = map(torch().from_numpy, arrays)
        return Arcs(sources, targets, len(chosen), own)
