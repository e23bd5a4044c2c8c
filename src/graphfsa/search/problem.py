"""Labelled graphs as flat arrays for the compiled searches, and what follows from the labels alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton.base import MAX_TABLE_ENTRIES, check_table_size
from graphfsa.datasets import Examples
from graphfsa.engine import Encoder, encoder_of
from graphfsa.errors import AutomatonError
from graphfsa.search.colours import ripe_steps
from graphfsa.search.kernels import Arrays

NO_TARGET = -1
# Read-only as the slots of graphs are: kernels are compiled for either kind, and that takes seconds.
NO_SLOTS = np.zeros(0, np.uint8)
NO_SLOTS.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Shape:
    """Which automata are searched: how many states of which kind, and the aggregation.

    The states are numbered: final ones first, then those in which nodes start, then the others.

    Attributes:
        num_final: Number of final states; 0 if labels are states at a given step.
        num_starting: Number of starting states.
        num_extra: Number of further states.
        aggregation: How a node sees its neighbours.
    """

    num_final: int
    num_starting: int
    num_extra: int
    aggregation: Aggregation

    @property
    def num_states(self) -> int:
        """Number of all states."""
        return self.num_final + self.num_starting + self.num_extra

    @cached_property
    def num_values(self) -> int:
        """Number of values; raises if the table would be too large."""
        return check_table_size(self.aggregation, self.num_states)

    @property
    def num_entries(self) -> int:
        """Number of entries of the table that can be chosen."""
        return (self.num_states - self.num_final) * self.num_values

    @property
    def first_alike(self) -> int:
        """From here on states are alike: a table with two of them swapped can be written with this aggregation too."""
        named = self.num_final + self.num_starting
        return named if _are_alike(self.aggregation, named, self.num_states) else self.num_states

    def empty_table(self) -> Array:
        """A table, int16 [num_states, num_values], with -1 where nothing is decided; final states stay."""
        table = np.full((self.num_states, self.num_values), -1, np.int16)
        table[: self.num_final] = np.arange(self.num_final)[:, None]
        return table


def exists_for(aggregation: Aggregation, num_states: int) -> bool:
    """Whether automata with this number of states can have an aggregation; not if it is about further states."""
    try:
        aggregation.num_values(num_states)
    except AutomatonError:
        return False
    return True


def can_shift(shape: Shape) -> bool:
    """Whether states that are not final may move up to close a gap: it is not known that the aggregation minds.

    An aggregation that does not say how states are renumbered is asked later, about each value.
    """
    aggregation, first, total = shape.aggregation, shape.num_final, shape.num_states
    # What is too large to be searched is too large to be looked at here.
    if total - first < 2 or aggregation.num_values(total) * total > MAX_TABLE_ENTRIES:
        return True
    if aggregation.restricted(range(total), total) is None:
        return True
    return _are_alike(aggregation, first, total) and exists_for(aggregation, first + 1)


@lru_cache(maxsize=64)
def _are_alike(aggregation: Aggregation, first: int, num_states: int) -> bool:
    """Whether an aggregation treats all states from a first one on in the same way; no, if it does not say so."""
    for state in range(first, num_states - 1):
        order = [*range(state), state + 1, state, *range(state + 2, num_states)]
        swapped = aggregation.restricted(order, num_states)
        if swapped is None or swapped[0] != aggregation:
            return False
    return True


@dataclass(frozen=True, eq=False)
class Problem:
    """Graphs, starting states and targets, small graphs first.

    Attributes:
        examples: The labelled graphs, in the order of the arrays.
        shape: Which automata are searched.
        start: Starting state of each node, uint8.
        target: State in which each node must be after its graph's steps, int16; -1 if that does not matter.
        known: Entries that annealing must leave as they are, int16 as a table with -1 elsewhere; None for none.
    """

    examples: Examples
    shape: Shape
    start: Array
    target: Array
    known: Array | None = None

    @classmethod
    def of(cls, examples: Examples, shape: Shape, merged: tuple[int, ...] | None = None) -> Problem:
        """Pack examples for automata of a shape.

        Args:
            examples: The labelled graphs, small ones first.
            shape: Which automata are searched.
            merged: For each input class, the number of the starting state that it gets; by default one each.
        """
        if shape.aggregation.seen_kinds is not None:
            examples = examples.seen_by(shape.aggregation)
        places = np.arange(len(examples.task.inputs)) if merged is None else np.array(merged)
        start = (shape.num_final + places[examples.inputs]).astype(np.uint8)
        target = np.where(examples.mask, examples.labels.astype(np.int16), NO_TARGET).astype(np.int16)
        return cls(examples, shape, start, target)

    def with_shape(self, shape: Shape) -> Problem:
        """The same problem for automata with another number of extra states."""
        other = replace(self, shape=shape)
        other.__dict__["ripe"] = self.ripe
        return other

    def select(self, chosen: Array) -> Problem:
        """The problem for some of the graphs; what was concluded from the others is forgotten."""
        offsets = self.examples.graphs.offsets.tolist()
        inside = [np.arange(offsets[graph], offsets[graph + 1]) for graph in chosen.tolist()]
        nodes = np.concatenate([np.empty(0, np.int64), *inside])
        return replace(self, examples=self.examples.select(chosen), start=self.start[nodes], target=self.target[nodes])

    @cached_property
    def ripe(self) -> Array:
        """From which step on each node may be final, int32: before, it looks like a node with another target."""
        if not self.shape.num_final:
            return np.zeros(len(self.start), np.int32)
        last = int(self.examples.steps.max(initial=0))
        return ripe_steps(self.examples.graphs, self.start, self.target, last, self.shape.aggregation)

    @cached_property
    def encoder(self) -> Encoder:
        """The aggregation for kernels."""
        return encoder_of(self.shape.aggregation, self.shape.num_states, self.examples.graphs.graph)

    @cached_property
    def arrays(self) -> Arrays:
        """What every kernel gets."""
        graph, shape = self.examples.graphs.graph, self.shape
        return Arrays(
            offsets=self.examples.graphs.offsets.astype(np.int64),
            indptr=graph.indptr,
            indices=graph.indices,
            slots=NO_SLOTS if graph.slots is None else graph.slots,
            start=self.start,
            target=self.target,
            ripe=self.ripe,
            steps=self.examples.steps.astype(np.int64),
            order=np.arange(len(self.examples)),
            question=-1,
            answers=np.empty(0, np.int16),
            fixed=np.zeros(shape.num_states * shape.num_values, bool)
            if self.known is None
            else self.known.ravel() >= 0,
            parameters=self.encoder.parameters,
            num_values=shape.num_values,
            num_states=shape.num_states,
            num_final=shape.num_final,
        )

    @property
    def hopeless(self) -> Array:
        """Nodes that no automaton with this aggregation gets right: they look like others until it is too late."""
        due = np.repeat(self.examples.steps, self.examples.sizes)
        return np.flatnonzero((self.target >= 0) & (self.ripe > due))

    @cached_property
    def pass_work(self) -> int:
        """Node-steps that it takes to run all graphs once, about: most are still after a few steps per node."""
        return int((self.examples.sizes * np.minimum(self.examples.steps, self.examples.sizes)).sum())

    @property
    def max_history(self) -> int:
        """Room that the longest roll-out of a single graph takes, in node-steps."""
        if not len(self.examples):
            return 0
        return int(((self.examples.steps + 1) * self.examples.sizes).max())
