"""Edges that come and go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.automaton.stochastic import weight_of
from graphfsa.checks import check_integer, check_share, shown
from graphfsa.engine._described import check_window, tuples
from graphfsa.engine.coins import MAX_STEPS
from graphfsa.engine.faults._base import ARC, NEVER, Fault, Harm, Source, World
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph


@dataclass(frozen=True)
class Edges(Fault):
    """Edges are there in some steps only: by chance, or at times that are given.

    Both directions of an edge come and go together; on a directed graph every arc does by itself.

    Attributes:
        p: The probability with which each edge is there in a step, drawn anew for each step.
        start: With ``p``: the first step in which edges may be away.
        stop: With ``p``: the first step in which all are there again; None for never.
        away: Instead: a list of (u, v, first, end): the edge between nodes u and v is away in the steps from ``first``
            until before ``end``. On a directed graph: the arc by which v sees u.
    """

    p: float | None = None
    start: int = 0
    stop: int | None = None
    away: Sequence[Any] | None = None
    compiled = True

    def __post_init__(self) -> None:
        check_window(self.start, self.stop)
        if (self.p is None) == (self.away is None):
            raise GraphFSAError("give either p=, how likely an edge is there, or away=, when which are not")
        if self.p is not None:
            check_share("p", self.p)
            return
        if self.start or self.stop is not None:
            raise GraphFSAError("start and stop go with p")
        given = tuples("away", self.away)
        if given and (isinstance(given[0], str) or not isinstance(given[0], Sequence)):
            given = (given,)
        for each in given:
            if not isinstance(each, Sequence) or isinstance(each, str) or len(each) != 4:  # pyright: ignore[reportUnknownArgumentType]
                raise GraphFSAError(f"away must be a list of (node, node, first step, end); got {shown(each)}")
            first = check_integer("away: a first step", each[2], 0, MAX_STEPS)
            check_integer("away: an end", each[3], first + 1, MAX_STEPS + 1)
        object.__setattr__(self, "away", tuple(tuple(each) for each in given))

    def check(self, fsa: Automaton, graph: Graph) -> None:
        """Raise if this can't be done on a graph."""
        for each in self.away or ():
            if not len(_arcs_between(graph, each)):
                raise GraphFSAError(f"away: there is no edge between {shown(each[0])} and {shown(each[1])}")

    def end(self) -> int | None:
        """The first step from which on it does nothing."""
        if self.away is not None:
            return max((each[3] for each in self.away), default=0)
        return 0 if weight_of(self._p) == 2**53 else self.stop

    def strike(self, world: World, source: Source) -> None:
        """What happens before the moves of a step."""
        for each in self.away or ():
            if each[2] <= world.step < each[3]:
                for arc in _arcs_between(world.graph, each).tolist():
                    world.absent[arc] = True
        if self.p is None or world.step < self.start or (self.stop is not None and world.step >= self.stop):
            return
        for arc, edge in enumerate(edge_numbers(world.graph).tolist()):
            if int(source.coin(edge, world.step)) >= weight_of(self._p):
                world.absent[arc] = True

    def harm(self, fsa: Automaton, graph: Graph, source: Source) -> Harm:
        """The same in numbers."""
        if self.p is not None:
            stop = NEVER if self.stop is None else self.stop
            return Harm(churn=(source.purpose(), weight_of(self._p), self.start, stop))
        rows: list[tuple[int, int, int, int]] = []
        for each in self.away or ():
            for arc in _arcs_between(graph, each).tolist():
                rows += [(each[2], ARC, arc, 1), (each[3], ARC, arc, -1)]
        return Harm(events=np.array(sorted(rows), np.int64).reshape(-1, 4))

    @property
    def _p(self) -> float:
        assert self.p is not None
        return self.p


def edge_numbers(graph: Graph) -> Array:
    """A number for each arc, int64 [num_arcs]: that of its edge; two arcs that are one edge have the same.

    On a graph with directions, each arc is an edge of its own.
    """
    if not graph.symmetric:
        return np.arange(graph.num_arcs, dtype=np.int64)
    return graph.cached("edge_numbers", lambda: _edge_numbers(graph))


def _edge_numbers(graph: Graph) -> Array:
    """Repeated arcs between two nodes are paired in their order: the first there with the first back."""
    sources, targets = graph.indices.astype(np.int64), graph.targets().astype(np.int64)
    low, high = np.minimum(sources, targets), np.maximum(sources, targets)
    order = np.lexsort((np.arange(len(low)), targets > sources, high, low))
    same = np.zeros(len(low), bool)
    same[1:] = np.logical_and.reduce([array[order][1:] == array[order][:-1] for array in (low, high, targets)])
    places = np.arange(len(low))
    begins = np.maximum.accumulate(np.where(same, 0, places))
    repeat = np.empty(len(low), np.int64)
    repeat[order] = places - begins
    _, numbers = np.unique(np.stack((low, high, repeat)), axis=1, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64)


def _arcs_between(graph: Graph, each: Sequence[Any]) -> Array:
    """The arcs of an edge that is given by its nodes."""
    u, v = graph.node_index(each[0]), graph.node_index(each[1])
    found: list[Array] = []
    for source, target in {(u, v), (v, u)} if graph.symmetric else {(u, v)}:
        begin, end = int(graph.indptr[target]), int(graph.indptr[target + 1])
        found.append(begin + np.flatnonzero(graph.indices[begin:end] == source))
    return np.concatenate(found)
