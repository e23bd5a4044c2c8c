"""Labelled graphs for the search among letters, and the roll-outs that it needs of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import Examples
from graphfsa.engine import compile_kernel
from graphfsa.search.budget import Budget
from graphfsa.search.colours import Reduction, ripe_steps
from graphfsa.search.letters import kernels
from graphfsa.search.letters.kernels import LetterArrays, Proposal, Room

_BATCH = 40
"""Wrong graphs that are explained before the solver is asked again."""


@dataclass(frozen=True, eq=False)
class Uses:
    """What roll-outs of a proposal show.

    Attributes:
        users: How many graphs use each entry, int64 [num_states, num_values].
        shown: Which states are seen by a neighbour, bool [num_states].
        wrong: Number of wrong nodes of each graph, int64.
    """

    users: Array
    shown: Array
    wrong: Array


class LetterData:
    """Labelled graphs as flat arrays.

    Args:
        examples: The labelled graphs, without duplicates, small ones first.
    """

    def __init__(self, examples: Examples) -> None:
        self.examples = examples
        self.target = np.where(examples.mask, examples.labels.astype(np.int64), -1)
        self.num_final = len(examples.task.classes) if examples.task.kind == "classes" else 0
        self._ripe: dict[Reduction, Array] = {}

    def ripe(self, reduction: Reduction) -> Array:
        """From which step on each node may be final: before, it looks like a node with another label."""
        if reduction not in self._ripe:
            graphs, inputs = self.examples.graphs, self.examples.inputs
            last = int(self.examples.steps.max(initial=0))
            nothing = np.zeros(len(inputs), np.int32)
            found = ripe_steps(graphs, inputs, self.target, last, reduction) if self.num_final else nothing
            self._ripe[reduction] = found.astype(np.int64)
        return self._ripe[reduction]

    def is_hopeless(self, reduction: Reduction) -> bool:
        """Whether some node looks like one with another label until it is too late."""
        due = np.repeat(self.examples.steps, self.examples.sizes)
        return bool(((self.target >= 0) & (self.ripe(reduction) > due)).any())

    def labels_of(self, given: int) -> list[int]:
        """The labels of the nodes with an input."""
        labels = self.target[self.examples.inputs == given]
        return np.unique(labels[labels >= 0]).tolist()

    @cached_property
    def max_degree(self) -> int:
        """The largest number of neighbours of a node, at least 1."""
        return max(1, int(np.diff(self.examples.graphs.graph.indptr).max(initial=1)))

    def arrays(self, ripe: Array) -> LetterArrays:
        """What the kernels get."""
        graphs = self.examples.graphs
        return LetterArrays(
            offsets=graphs.offsets.astype(np.int64),
            indptr=graphs.graph.indptr,
            indices=graphs.graph.indices,
            inputs=self.examples.inputs.astype(np.int64),
            target=self.target,
            ripe=ripe,
            steps=self.examples.steps.astype(np.int64),
            num_final=self.num_final,
        )

    def room(self, num_unknowns: int) -> Room:
        """Where graphs are rolled out."""
        sizes = self.examples.sizes
        largest = int(sizes.max(initial=0))
        longest = int((sizes * (self.examples.steps + 1)).max(initial=0))
        return Room(
            states=np.zeros(largest, np.int64),
            following=np.zeros(largest, np.int64),
            history=np.zeros(longest, np.int32),
            marks=np.zeros(longest, np.int8),
            stamps=np.full(num_unknowns, -1, np.int64),
        )


class RollOuts:
    """Roll-outs of proposals on the same graphs.

    Args:
        data: The graphs.
        ripe: From which step on each node may be final.
        num_unknowns: Number of entries, letters and starts.
    """

    def __init__(self, data: LetterData, ripe: Array, num_unknowns: int) -> None:
        self._arrays, self._room = data.arrays(ripe), data.room(num_unknowns)
        self._unknowns = np.zeros(_BATCH * num_unknowns, np.int64)
        self._ends = np.zeros(_BATCH, np.int64)

    def lemmas(self, proposal: Proposal, budget: Budget) -> list[Array]:
        """For each of the first wrong graphs the unknowns that its first wrong node follows from; none if all fit."""
        self._room.stamps[:] = -1
        work = np.zeros(1, np.int64)
        kernel = _compiled("find_lemmas")
        count = kernel(self._arrays, proposal, self._room, self._unknowns, self._ends, work)
        budget.spend(int(work[0]))
        return np.split(self._unknowns[: self._ends[count - 1]].copy(), self._ends[: count - 1]) if count else []

    def uses(self, proposal: Proposal, budget: Budget) -> Uses:
        """Roll out every graph to its end."""
        self._room.stamps[:] = -1
        states, values = proposal.table.shape
        users, shown = np.zeros((states, values), np.int64), np.zeros(states, bool)
        wrong, work = np.zeros(len(self._arrays.steps), np.int64), np.zeros(1, np.int64)
        _compiled("letter_uses")(self._arrays, proposal, self._room, users, shown, wrong, work)
        budget.spend(int(work[0]))
        return Uses(users, shown, wrong)


@lru_cache(maxsize=2)
def _compiled(name: str) -> Any:
    return compile_kernel(getattr(kernels, name), **kernels.HELPERS[name])
