"""Two nodes with different labels that no automaton tells apart, whatever it does: how to find and explain them.

What a node does in t steps follows from its colour after t rounds of refinement, which begins with the cells of the
nodes. Two graphs have few numbers, so all that matters of any thresholds is which neighbouring numbers they part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import FeatureExamples
from graphfsa.graphs import GraphBatch
from graphfsa.graphs.refinement import combine, mix
from graphfsa.search.budget import Budget
from graphfsa.search.colours import Reduction, refine_once

_STAGES = (500, 5_000, 50_000)
"""Conflicts are looked for among this number of nodes of small graphs first."""
_PYTHON = 60
"""Node-steps that a node takes in a round of refinement in plain Python."""
_REFINE = 4
"""The same for a node or an arc of a round on arrays."""

Gap = tuple[int, float, float]
"""A feature and two neighbouring numbers: thresholds from the first to below the second part them."""


@dataclass(frozen=True)
class Pair:
    """Two nodes of the data that must be told apart.

    Attributes:
        first: A node of the union.
        second: The other.
        rounds: Steps that there are to tell them apart.
    """

    first: int
    second: int
    rounds: int


class FeatureData:
    """Labelled graphs with features, small graphs first, to look for conflicts in.

    Args:
        measured: The graphs.
        budget: What the work is spent from.
    """

    def __init__(self, measured: FeatureExamples, budget: Budget) -> None:
        examples = measured.examples
        counted = examples.mask & (np.repeat(examples.counts, examples.sizes) > 0)
        some = np.unique(examples.graphs.owners[counted])
        self.measured = measured.select(some[np.argsort(examples.sizes[some], kind="stable")])
        self.examples = self.measured.examples
        self.budget = budget
        self.evolves = self.examples.task.kind == "evolution"
        self.due = np.repeat(self.examples.steps, self.examples.sizes)
        self.target = np.where(self.examples.mask, self.examples.labels.astype(np.int16), -1).astype(np.int16)
        self.values = [np.unique(column) for column in self.measured.features.T]
        graph = self.examples.graphs.graph
        self.degree = int(np.diff(graph.indptr).max(initial=0))
        self._parts: dict[int, GraphBatch] = {}

    def conflicts(self, start: Array, bound: int, limit: int) -> list[Pair]:
        """Pairs of nodes with different labels that look the same too long, in small graphs first.

        Args:
            start: The class in which each node starts.
            bound: How far automata count.
            limit: Number of pairs, at most.
        """
        offsets = self.examples.graphs.offsets
        before = -1
        for most in (*_STAGES, int(offsets[-1])):
            graphs = int(np.searchsorted(offsets, most, side="right")) - 1
            if graphs <= before or graphs == 0:
                continue
            before = graphs
            found = self._conflicts(graphs, start, bound, limit)
            if found or graphs == len(self.examples):
                return found
        return []

    def _conflicts(self, number: int, start: Array, bound: int, limit: int) -> list[Pair]:
        if number not in self._parts:
            self._parts[number] = self.examples.graphs.select(np.arange(number))
        graphs = self._parts[number]
        nodes = graphs.graph.num_nodes
        due, target, colours = self.due[:nodes], self.target[:nodes], mix(start[:nodes])
        found: dict[tuple[int, int], Pair] = {}
        dues, kinds = np.unique(due[target >= 0]), -1
        for step in range(int(dues.max(initial=0)) + 1):
            now = len(np.unique(colours))
            stable = now == kinds
            kinds = now
            if stable or step in dues:
                waiting = (due >= step) if stable else (due == step)
                keys = combine(colours, due.astype(np.uint64)) if self.evolves else colours
                for pair in _mixed(keys, target, waiting, due, limit - len(found)):
                    found[min(pair.first, pair.second), max(pair.first, pair.second)] = pair
            if stable or len(found) >= limit:
                break
            colours = refined(graphs, colours, bound)
            self.budget.spend(_REFINE * (nodes + graphs.graph.num_arcs))
        return sorted(found.values(), key=lambda pair: max(pair.first, pair.second))

    def explained(self, pair: Pair, cuts: Sequence[tuple[int, float]], bound: int) -> list[Gap]:
        """Gaps, one of which must be parted for a pair to be told apart; as few as were found.

        Whatever parts no other numbers of the two graphs than these cuts do, and those that are added here as long as
        the pair looks the same, does not tell it apart.

        Args:
            pair: The pair, which looks the same with the cuts.
            cuts: The cuts: a feature and a threshold each.
            bound: How far automata count.

        Returns:
            The gaps; none if the pair looks the same even where all numbers are told apart.
        """
        view = _View(self, pair, bound)
        parted = {gap for gap in view.gaps if any(j == gap[0] and gap[1] <= at < gap[2] for j, at in cuts)}
        waiting = [[gap for gap in view.gaps if gap not in parted]]
        needed: list[Gap] = []
        while waiting:
            some = waiting.pop()
            if not some:
                continue
            if view.alike(parted | set(some)):
                parted |= set(some)
            elif len(some) == 1:
                needed += some
            else:
                middle = len(some) // 2
                waiting += [some[middle:], some[:middle]]
        self.budget.spend(_PYTHON * view.work)
        return needed

    def alone(self, pair: Pair) -> FeatureExamples:
        """The one or two graphs of a pair."""
        owners = self.examples.graphs.owners
        return self.measured.select(np.unique(owners[[pair.first, pair.second]]))


class _View:
    """Two nodes and their graphs, small enough to be looked at again and again."""

    def __init__(self, data: FeatureData, pair: Pair, bound: int) -> None:
        graphs = data.examples.graphs
        owners = np.unique(graphs.owners[[pair.first, pair.second]])
        offsets = graphs.offsets.tolist()
        ranges = [np.arange(offsets[owner], offsets[owner + 1]) for owner in owners.tolist()]
        nodes = np.concatenate(ranges)
        place = {node: number for number, node in enumerate(nodes.tolist())}
        graph = graphs.graph
        self.first, self.second = place[pair.first], place[pair.second]
        self.rounds, self.bound, self.work = pair.rounds, bound, 0
        self.given = data.examples.inputs[nodes]
        self.features = data.measured.features[nodes]
        self.near: list[list[tuple[int, int]]] = []
        for node in nodes.tolist():
            arcs = range(int(graph.indptr[node]), int(graph.indptr[node + 1]))
            slots = [0 if graph.slots is None else int(graph.slots[arc]) for arc in arcs]
            self.near.append([(place[int(graph.indices[a])], slot) for a, slot in zip(arcs, slots, strict=True)])
        self.gaps: list[Gap] = []
        for feature, column in enumerate(self.features.T):
            values = np.unique(column).tolist()
            self.gaps += [(feature, low, high) for low, high in pairwise(values)]

    def alike(self, parted: set[Gap]) -> bool:
        """Whether the two nodes look the same if these gaps are parted, and no others."""
        cells = np.zeros(self.features.shape, np.int64)
        for feature, _, high in parted:
            cells[:, feature] += self.features[:, feature] >= high
        names: dict[object, int] = {}
        rows: list[list[int]] = np.column_stack((self.given, cells)).tolist()
        colours = [names.setdefault(tuple(row), len(names)) for row in rows]
        number = len(names)
        for _ in range(self.rounds):
            if colours[self.first] != colours[self.second]:
                return False
            names = {}
            colours = [
                names.setdefault((colours[node], self._seen(near, colours)), len(names))
                for node, near in enumerate(self.near)
            ]
            self.work += len(self.near)
            if len(names) == number:
                break
            number = len(names)
        return colours[self.first] == colours[self.second]

    def _seen(self, near: list[tuple[int, int]], colours: list[int]) -> frozenset[tuple[tuple[int, int], int]]:
        counts: dict[tuple[int, int], int] = {}
        for other, slot in near:
            key = (colours[other], slot)
            counts[key] = min(self.bound, counts.get(key, 0) + 1)
        return frozenset(counts.items())


def refined(graphs: GraphBatch, colours: Array, bound: int) -> Array:
    """One round of refinement that counts each colour to a bound, through each slot apart, uint64."""
    graph = graphs.graph
    if graph.slots is None:
        return refine_once(graphs, colours, Reduction(bound, 1))
    sums = np.zeros(graph.num_nodes, np.uint64)
    np.add.at(sums, graph.targets(), combine(mix(colours[graph.indices]), graph.slots.astype(np.uint64)))
    return combine(mix(colours), sums)


def _mixed(keys: Array, target: Array, waiting: Array, due: Array, limit: int) -> list[Pair]:
    """Nodes that are due now, each with the first node that has its key and another target."""
    counted = np.flatnonzero(target >= 0)
    _, kind = np.unique(keys[counted], return_inverse=True)
    kind = kind.reshape(-1)
    size = int(kind.max(initial=-1)) + 1
    low, high = np.full(size, 2**15 - 1, np.int16), np.full(size, -1, np.int16)
    np.minimum.at(low, kind, target[counted])
    np.maximum.at(high, kind, target[counted])
    asked = np.flatnonzero(waiting[counted] & (low < high)[kind])
    _, first = np.unique(kind[asked], return_index=True)
    pairs: list[Pair] = []
    for place in np.sort(asked[first])[:limit].tolist():
        node = int(counted[place])
        others = counted[(kind == kind[place]) & (target[counted] != target[node])]
        pairs.append(Pair(node, int(others[0]), int(due[node])))
    return pairs
