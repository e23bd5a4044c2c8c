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

_ROUNDS = 4
_MAX_COPIED = 2.0**23
"""Nodes of all graphs, each once for each of its numbers, at most."""

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


def mended(data: FeatureData, discretiser: Discretiser, fsa: GraphFSA) -> tuple[Discretiser, int]:
    """Move thresholds to where an automaton gives the most graphs all of their labels.

    Args:
        data: Graphs, of which the automaton gives most their labels already.
        discretiser: The thresholds.
        fsa: The automaton.

    Returns:
        The thresholds, and how many graphs still have a wrong label; all of them, if the graphs are too large to be run
        once for each of their numbers.
    """
    sizes = data.examples.sizes.astype(float)
    if float((sizes * (sizes + 1)).sum()) > _MAX_COPIED:
        return discretiser, len(data.examples)
    found, fewest = discretiser, len(data.examples)
    for _ in range(_ROUNDS):
        before = fewest
        for key in dict.fromkeys((cut.feature, cut.at) for cut in found.cuts):
            at, fewest = _best(data, found, fsa, key)
            narrow = at, float(np.nextafter(at, inf))
            found = replace(found, trees=tuple(_moved(tree, key, at, narrow) for tree in found.trees))
        if fewest in (0, before):
            break
    return found, fewest


def _best(data: FeatureData, discretiser: Discretiser, fsa: GraphFSA, key: Key) -> tuple[float, int]:
    """The place of one threshold for which the fewest graphs are wrong, the widest such place; how many they are."""
    feature, at = key
    least, most = _room(discretiser, key)
    column, offsets = data.measured.features[:, feature], data.examples.graphs.offsets
    own = [np.unique(part[(part > least) & (part <= most)]) for part in np.split(column, offsets[1:-1])]
    graphs = np.repeat(np.arange(len(own)), [len(part) + 1 for part in own])
    begins = np.concatenate([np.r_[-inf, part] for part in own])
    ends = np.concatenate([np.r_[part, inf] for part in own])
    wrong = _wrong(data, discretiser, fsa, key, graphs, begins)
    places = np.unique(np.concatenate((begins, ends)))
    change = np.zeros(len(places), np.int64)
    np.add.at(change, np.searchsorted(places, begins[wrong]), 1)
    np.add.at(change, np.searchsorted(places, ends[wrong]), -1)
    number = np.cumsum(change)[1:-2]  # Between two numbers: not below all of them, and not above.
    if not len(number):
        return at, int(wrong.sum())
    good = np.flatnonzero(number == number.min()) + 1
    place = int(good[np.argmax(places[good + 1] - places[good])])
    return between(float(places[place]), float(places[place + 1])), int(number.min())


def _room(discretiser: Discretiser, key: Key) -> tuple[float, float]:
    """The neighbouring thresholds of the same feature."""
    feature, at = key
    others = {cut.at for cut in discretiser.cuts if cut.feature == feature} - {at}
    return max([-inf, *(k for k in others if k < at)]), min([inf, *(k for k in others if k > at)])


def _end(data: FeatureData, discretiser: Discretiser, fsa: GraphFSA, key: Key, *, up: bool) -> float:
    """The nearest number above or below a threshold that must stay on its side.

    Each graph is asked about its own numbers, the nearest first, and no graph beyond what another one allows.
    """
    feature, at = key
    offsets = data.examples.graphs.offsets
    column = data.measured.features[:, feature]
    least, most = _room(discretiser, key)
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
        below = turns if up else np.nextafter(-turns, -inf)
        wrong = _wrong(data, discretiser, fsa, key, np.array(asked), below)
        end = min(end, float(turns[wrong].min(initial=inf)))
        turn += 1
    if end == inf:  # Nothing must stay on this side: as far as there are numbers.
        values = data.values[feature]
        if up:
            return min(most, float(np.nextafter(max(values[-1], at), inf)))
        return max(least, float(min(values[0], at)))
    return end if up else -end


def _wrong(data: FeatureData, discretiser: Discretiser, fsa: GraphFSA, key: Key, graphs: Array, places: Array) -> Array:
    """Which graphs get a wrong label if a threshold is at a place of its own for each, bool."""
    feature, at = key
    least, most = _room(discretiser, key)
    part = data.measured.select(graphs)
    examples = part.examples
    data.budget.spend(float((examples.sizes * (np.minimum(examples.steps, examples.sizes) + 1)).sum()))
    limits = np.repeat(places, examples.sizes)
    own, values = part.features[:, feature], part.features.copy()
    # What changes sides is shown as a number on the other side of this threshold, and of no other.
    inside = (own > least) & (own <= most)
    values[inside & (own > at) & (own <= limits), feature] = at
    values[inside & (own <= at) & (own > limits), feature] = np.nextafter(at, inf)
    inputs, labels = classes_of(examples, values, discretiser)
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
