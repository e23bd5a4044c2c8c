"""Clean splits: duplicates counted, overlaps between splits removed, contradictions found.

Graphs are compared up to the numbering of their nodes, and exactly: see :mod:`graphfsa.graphs.isomorphism`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets._examples import Examples
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch
from graphfsa.graphs.isomorphism import duplicate_groups, refine_colours

MAX_SHOWN = 100


@dataclass(frozen=True)
class Contradiction:
    """Two nodes that no automaton can tell apart, with different labels.

    Attributes:
        graphs: Index of the graph of each of the two nodes; they may be the same graph.
        nodes: Number of each node within its graph.
        labels: Class of each node. The first is the most frequent one among all nodes that look the same.
    """

    graphs: tuple[int, int]
    nodes: tuple[int, int]
    labels: tuple[int, int]


class Contradictions(list[Contradiction]):
    """A list of contradictions, and how many there are when not all of them are listed.

    Attributes:
        total: Number of nodes whose label is not the most frequent one among the nodes that look the same. Any
            automaton gets at least this number of nodes wrong.
    """

    def __init__(self, found: Iterable[Contradiction] = (), total: int = 0) -> None:
        super().__init__(found)
        self.total = total


def deduplicate(examples: Examples) -> Examples:
    """Unite isomorphic graphs with the same inputs, labels, mask and steps; the first stays and has their counts.

    Args:
        examples: Labelled graphs.
    """
    # Ranks instead of the numbers themselves: a number of steps may need 62 bits.
    steps = np.unique(examples.steps, return_inverse=True)[1].reshape(-1)
    colours = np.repeat(steps.astype(np.int64) << 17, examples.sizes)
    colours += (examples.mask.astype(np.int64) << 16) + (examples.labels.astype(np.int64) << 8) + examples.inputs
    first = duplicate_groups(examples.graphs, colours)
    # A graph without nodes has no colour that could hold its steps.
    empty = np.flatnonzero(examples.sizes == 0)
    leaders = {number: place for place, number in zip(empty[::-1].tolist(), steps[empty][::-1].tolist(), strict=True)}
    first[empty] = [leaders[number] for number in steps[empty].tolist()]
    counts = np.zeros(len(examples), np.int64)
    np.add.at(counts, first, examples.counts)
    kept = examples.select(np.unique(first))
    return Examples(
        kept.task,
        kept.graphs,
        kept.inputs,
        kept.labels,
        mask=kept.mask,
        steps=kept.steps,
        counts=counts[np.unique(first)],
    )


def overlap(train: Examples, other: Examples) -> Array:
    """Which graphs of ``other`` are isomorphic, with their inputs, to a graph of ``train``; bool [len(other)].

    Labels do not count: a graph with known inputs is known, whatever is asked about it.

    Args:
        train: The graphs to learn from.
        other: The graphs to validate or test with.
    """
    if train.task.inputs != other.task.inputs:
        raise GraphFSAError(
            f"only examples with the same input classes can overlap; got {train.task.inputs} and {other.task.inputs}"
        )
    graphs = GraphBatch.concatenate([train.graphs, other.graphs])
    first = duplicate_groups(graphs, np.r_[train.inputs, other.inputs])
    return first[len(train) :] < len(train)


def without_overlap(train: Examples, other: Examples) -> Examples:
    """The graphs of ``other`` that are not isomorphic, with their inputs, to any graph of ``train``.

    Args:
        train: The graphs to learn from.
        other: The graphs to validate or test with.
    """
    return other.select(~overlap(train, other))


def contradictions(examples: Examples, *, limit: int = MAX_SHOWN) -> Contradictions:
    """Nodes that count, that no automaton of any kind can tell apart, and that have different labels.

    In an evolution the labels hold after exactly ``steps`` steps, so only graphs with as many steps are compared, and
    their nodes look the same if they do so for as many rounds of colour refinement. In a task of the kind ``classes``
    the answer is final: nodes look the same if they do so for ever.

    Args:
        examples: Labelled graphs; their counts do not matter here.
        limit: How many contradictions to list, in the order of the graphs.

    Returns:
        At most ``limit`` contradictions; the total is its attribute ``total``.
    """
    everything = np.arange(len(examples))
    if examples.task.kind == "classes":
        return _contradictions(examples, [(everything, None)], limit)
    parts = [(np.flatnonzero(examples.steps == number), int(number)) for number in np.unique(examples.steps)]
    return _contradictions(examples, parts, limit)


def _contradictions(examples: Examples, parts: Sequence[tuple[Array, int | None]], limit: int) -> Contradictions:
    pairs: list[Array] = [np.empty((2, 0), np.int64)]
    nodes = np.arange(examples.graphs.graph.num_nodes)
    owners = examples.graphs.owners
    for places, rounds in parts:
        chosen = np.zeros(len(examples), bool)
        chosen[places] = True
        inside = nodes[chosen[owners]]
        colours = refine_colours(examples.graphs.select(places), examples.inputs[inside], rounds)
        counted = examples.mask[inside]
        pairs.append(_clashes(inside[counted], colours[counted], examples.labels))
    found = np.concatenate(pairs, axis=1)
    found = found[:, np.argsort(found[1], kind="stable")]
    shown = found[:, :limit]
    graphs, labels = owners[shown], examples.labels[shown]
    columns = (graphs, shown - examples.graphs.offsets[graphs], labels)
    rows = zip(*(map(tuple, column.T.tolist()) for column in columns), strict=True)
    return Contradictions((Contradiction(*row) for row in rows), found.shape[1])


def _clashes(nodes: Array, colours: Array, labels: Array) -> Array:
    """For each node without the most frequent label of its colour, the first node that has it; int64 [2, number]."""
    own = labels[nodes].astype(np.int64)
    colour = np.unique(colours, return_inverse=True)[1].reshape(-1)
    kinds, first, kind, counts = np.unique(
        colour * 256 + own, return_index=True, return_inverse=True, return_counts=True
    )
    # Kinds are sorted by colour, then label: a stable sort by frequency puts the lowest of the frequent ones first.
    order = np.lexsort((-counts, kinds // 256))
    leading = order[np.unique(kinds[order] // 256, return_index=True)[1]]
    usual = leading[colour]
    wrong = np.flatnonzero(kind.reshape(-1) != usual)
    return np.stack((nodes[first[usual[wrong]]], nodes[wrong]))
