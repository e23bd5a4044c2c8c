"""How well a model does: strictly, as the authors' scripts count, and graph by graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import Examples


@dataclass(frozen=True)
class Score:
    """How well a model does on some graphs.

    Attributes:
        accuracy: Share of the nodes that count that get their label; strict: a node without an answer is wrong.
        reference: The same where a node without an answer counts as the first class, as in the authors' scripts.
        perfect: Share of the graphs without a wrong node, strictly.
        nodes: Number of nodes that count.
        graphs: Number of graphs.
    """

    accuracy: float
    reference: float
    perfect: float
    nodes: int
    graphs: int


def answers_at(model: Any, examples: Examples, steps: Sequence[int]) -> Array:
    """What a model answers after several numbers of steps, int16 [number of steps, number of nodes].

    A model that has ``predict_at`` makes one run for all of them.
    """
    graph, inputs = examples.graphs.graph, examples.inputs
    if hasattr(model, "predict_at"):
        return model.predict_at(graph, inputs, list(steps))
    return np.stack([model.predict(graph, inputs, steps=int(number)) for number in steps])


def score(examples: Examples, found: Array) -> Score:
    """Compare answers with labels.

    Args:
        examples: Labelled graphs.
        found: The answers, int16; -1 for none.

    Example:
        >>> from graphfsa.datasets import Task
        >>> from graphfsa.graphs import Graph, GraphBatch
        >>> path = GraphBatch.of([Graph.from_edges(3, [(0, 1), (1, 2)])])
        >>> task = Task("distance", "classes", ("node", "root"), ("even", "odd"))
        >>> score(Examples(task, path, [1, 0, 0], [0, 1, 0], steps=3), np.array([0, 1, -1])).perfect
        0.0
    """
    wrong = examples.wrong(found)
    lenient = examples.wrong(np.where(found == -1, 0, found))
    weights = np.repeat(examples.counts, examples.sizes) * examples.mask
    total = max(1, int(weights.sum()))
    spoilt = np.unique(examples.graphs.owners[wrong])
    return Score(
        accuracy=1 - int(weights[wrong].sum()) / total,
        reference=1 - int(weights[lenient].sum()) / total,
        perfect=1 - int(examples.counts[spoilt].sum()) / max(1, int(examples.counts.sum())),
        nodes=int(weights.sum()),
        graphs=len(examples),
    )
