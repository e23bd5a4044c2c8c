"""All thresholds that are as good as one that was found: as far as an automaton gives every label."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Cut, Discretiser, Examples, Tree
from graphfsa.search.cuts.clauses import between
from graphfsa.search.cuts.conflicts import FeatureData

Key = tuple[int, float]
"""A threshold: the number of its feature, and where it is."""


def widened(data: FeatureData, discretiser: Discretiser, fsa: GraphFSA) -> Discretiser:
    """Move every threshold to the middle of its gap, one after the other, and note the gap.

    The gap of a threshold reaches from the largest number that must be below to the smallest that must be above, as the
    automaton gives the labels of all graphs exactly so far.

    Args:
        data: Graphs whose labels the automaton gives.
        discretiser: The thresholds.
        fsa: The automaton.
    """
    found = discretiser
    for key in dict.fromkeys((cut.feature, cut.at) for cut in discretiser.cuts):
        gap = _end(data, found, fsa, key, up=False), _end(data, found, fsa, key, up=True)
        at = between(*gap)
        trees = tuple(_moved(tree, key, at, gap) for tree in found.trees)
        found = replace(found, trees=trees)
    return found


def _end(data: FeatureData, discretiser: Discretiser, fsa: GraphFSA, key: Key, *, up: bool) -> float:
    """The nearest number above or below a threshold that must stay on its side.

    Each graph is asked about its own numbers, the nearest first, and no graph beyond what another one allows.
    """
    feature, at = key
    offsets = data.examples.graphs.offsets
    column = data.measured.features[:, feature]
    # No further than to the next threshold of the same feature.
    others = {cut.at for cut in discretiser.cuts if cut.feature == feature} - {at}
    least, most = max([-inf, *(k for k in others if k < at)]), min([inf, *(k for k in others if k > at)])
    beyond = [
        np.unique(part[(part > at) & (part <= most)] if up else -part[(part <= at) & (part > least)])
        for part in np.split(column, offsets[1:-1])
    ]
    end, turn = inf, 0
    while True:
        asked = [graph for graph, own in enumerate(beyond) if turn < len(own) and own[turn] < end]
        if not asked:
            break
        turns = np.array([beyond[graph][turn] for graph in asked])
        wrong = _wrong(data, discretiser, fsa, key, np.array(asked), turns if up else -turns, up)
        end = min(end, float(turns[wrong].min(initial=inf)))
        turn += 1
    if end == inf:  # Nothing must stay on this side: as far as there are numbers.
        values = data.values[feature]
        if up:
            return min(most, float(np.nextafter(max(values[-1], at), inf)))
        return max(least, float(min(values[0], at)))
    return end if up else -end


def _wrong(
    data: FeatureData, discretiser: Discretiser, fsa: GraphFSA, key: Key, asked: Array, numbers: Array, up: bool
) -> Array:
    """Which graphs get a wrong label if their numbers up to these change sides, bool."""
    feature, at = key
    part = data.measured.select(asked)
    examples = part.examples
    data.budget.spend(float((examples.sizes * (examples.steps + 1)).sum()))
    limits = np.repeat(numbers, examples.sizes)
    own = part.features[:, feature]
    values = part.features.copy()
    # What changes sides is shown as a number on the other side of this threshold, and of no other.
    if up:
        values[(own > at) & (own <= limits), feature] = at
    else:
        values[(own <= at) & (own >= limits), feature] = np.nextafter(at, inf)
    inputs, labels = classes_of(part.examples, values, discretiser)
    moved = part.with_classes(discretiser.names, inputs, labels)
    answers = moved.predict(fsa)
    wrong = np.zeros(len(examples), bool)
    wrong[np.unique(moved.graphs.owners[moved.wrong(answers)])] = True
    return wrong


def classes_of(examples: Examples, values: Array, discretiser: Discretiser) -> tuple[Array, Array | None]:
    """The input class of each node and, in an evolution, the class of its label."""
    labels = discretiser.classes(values, examples.labels) if examples.task.kind == "evolution" else None
    return discretiser.classes(values, examples.inputs), labels


def _moved(tree: Tree, key: Key, at: float, gap: tuple[float, float]) -> Tree:
    if not isinstance(tree, Cut):
        return tree
    low, high = _moved(tree.low, key, at, gap), _moved(tree.high, key, at, gap)
    if (tree.feature, tree.at) != key:
        return replace(tree, low=low, high=high)
    return replace(tree, at=at, gap=gap, low=low, high=high)
