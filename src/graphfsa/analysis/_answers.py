"""What two automata answer on many small graphs at once, in the end or after so many steps."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.engine import run
from graphfsa.errors import LimitError
from graphfsa.graphs import Graph, GraphBatch

_MAX_STEPS = 2**14


@dataclass(frozen=True)
class Difference:
    """A graph on which two automata answer differently.

    Attributes:
        graph: The graph; none of those compared has fewer nodes.
        inputs: For each node, which starting state it starts in: 0 for the first.
        answers: Of each automaton, for each node, which final state it is in; -1 for no answer. Without final states:
            the states.
        steps: The step at which these are the answers.
    """

    graph: Graph
    inputs: tuple[int, ...]
    answers: tuple[tuple[int, ...], tuple[int, ...]]
    steps: int


@dataclass(frozen=True)
class Question:
    """Two automata and when and where their answers count."""

    fsas: tuple[GraphFSA, GraphFSA]
    steps: int | None
    where_answered: bool

    @property
    def num_inputs(self) -> int:
        """Number of inputs: of starting states."""
        return len(self.fsas[0].starting_states)

    def answers(self, fsa: GraphFSA, batch: GraphBatch, inputs: Array) -> Array:
        """The answers of an automaton, int16 [graphs, nodes]; all graphs have one size."""
        start = np.array(fsa.starting_states, np.uint8)[inputs]
        if self.steps is not None:
            last = run(fsa, batch.graph, start.reshape(-1), self.steps).last.reshape(inputs.shape)
        else:
            last = last_states(fsa, batch, start)
        return _meaning(fsa)[last]

    def differ(self, batch: GraphBatch, inputs: Array) -> Array:
        """Which graphs have a node that counts with different answers, bool [graphs]."""
        left, right = (self.answers(fsa, batch, inputs) for fsa in self.fsas)
        counts = left >= 0 if self.where_answered else True
        return ((left != right) & counts).any(axis=1)

    def difference(self, graph: Graph, inputs: Array) -> Difference:
        """What the automata answer on one graph."""
        steps = self.steps
        if steps is None:
            starts = [np.array(fsa.starting_states)[inputs] for fsa in self.fsas]
            pairs = zip(self.fsas, starts, strict=True)
            steps = max(run(fsa, graph, start, "stable", max_steps=4 * _MAX_STEPS).steps for fsa, start in pairs)
        batch = GraphBatch.of([graph])
        fixed = Question(self.fsas, steps, self.where_answered)
        left, right = (tuple(fixed.answers(fsa, batch, inputs[None])[0].tolist()) for fsa in self.fsas)
        return Difference(graph, tuple(inputs.tolist()), (left, right), steps)


def last_states(fsa: GraphFSA, batch: GraphBatch, start: Array) -> Array:
    """States of roll-outs that repeat from there on, uint8 [graphs, nodes]; all graphs have one size.

    Each roll-out is over when it is back at its mark; marks are set at steps that grow by powers of two (Brent). The
    others need not be waited for, so periods of different graphs do not multiply.
    """
    now, result = start, start.copy()
    waiting = np.arange(len(batch))
    over = np.zeros(len(batch), bool)
    mark, window = now, 1
    final = np.isin(np.arange(fsa.num_states), fsa.final_states)
    for time in count(1):
        if time > _MAX_STEPS:
            raise LimitError(
                f"{len(waiting)} roll-outs on graphs of {start.shape[1]} nodes do not repeat within {_MAX_STEPS:,} "
                "steps; compare after a fixed number of steps, or on smaller graphs"
            )
        now = run(fsa, batch.graph, now.reshape(-1), 1).last.reshape(now.shape)
        over |= (now == mark).all(axis=1) | final[now].all(axis=1)
        if over.all():
            result[waiting] = now
            return result
        if 2 * over.sum() >= len(over):
            result[waiting] = now
            left = np.flatnonzero(~over)
            batch, now, mark, waiting, over = batch.select(left), now[left], mark[left], waiting[left], over[left]
        if time == 2 * window - 1:
            mark, window = now, 2 * window
    raise AssertionError


def _meaning(fsa: GraphFSA) -> Array:
    """The answer that each state stands for, int16; -1 for none. Without final states each is its own."""
    if not fsa.final_states:
        return np.arange(fsa.num_states, dtype=np.int16)
    meaning = np.full(fsa.num_states, -1, np.int16)
    meaning[list(fsa.final_states)] = np.arange(len(fsa.final_states))
    return meaning
