"""Unlabelled graphs to ask about: all small ones that a task admits, or that look like those of a data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphfsa.analysis._exhaustive import class_of, plan, portions
from graphfsa.datasets import Dataset, Examples
from graphfsa.datasets._hygiene import without_overlap
from graphfsa.graphs import GraphBatch, all_graphs, all_inputs
from graphfsa.graphs.enumeration import check_class

Array = np.ndarray[Any, Any]
_MAX_INSTANCES = 200_000


def candidates(
    examples: Examples, max_nodes: int, dataset: Dataset | None, graph_class: str | None
) -> Iterator[Examples]:
    """Instances without labels, size by size, none of which is isomorphic to a graph of the data.

    Args:
        examples: The data.
        max_nodes: The largest size.
        dataset: The task; by default the inputs are like those of the data: an input class that occurs equally often in
            all graphs does so here.
        graph_class: The class of graphs; by default that of the task, or the narrowest that all graphs of the data are
            in.
    """
    found = (
        _of_task(dataset, max_nodes, graph_class) if dataset is not None else _like(examples, max_nodes, graph_class)
    )
    for instances in found:
        if len(instances):
            yield without_overlap(examples, instances)


def class_of_data(examples: Examples) -> str:
    """The narrowest class that all graphs of the data are in."""
    union, sizes = examples.graphs.graph, examples.sizes
    arcs = np.diff(union.indptr[examples.graphs.offsets])
    degree = np.diff(union.indptr).max(initial=0)
    loops = bool((union.indices == union.targets()).any())
    slots = union.slots is not None
    if union.symmetric and not loops and (arcs == 2 * (sizes - 1)).all():
        return ("row" if slots else "path") if degree <= 2 else "tree"
    if union.symmetric and not loops and (arcs == 2 * sizes).all() and degree == 2:
        return "ring" if slots else "cycle"
    return "connected"


def _of_task(dataset: Dataset, max_nodes: int, graph_class: str | None) -> Iterator[Examples]:
    kind = class_of(dataset, graph_class)
    steps = 1 if dataset.task.kind == "evolution" else None
    for portion in portions(dataset, kind, plan(dataset, kind, max_nodes)):
        number = dataset.label(portion.graphs, portion.inputs, steps=steps).steps
        yield _unlabelled(dataset.task, portion.graphs, portion.inputs, number)


def _like(examples: Examples, max_nodes: int, graph_class: str | None) -> Iterator[Examples]:
    kind = class_of_data(examples) if graph_class is None else graph_class
    check_class(kind)
    classes = len(examples.task.inputs)
    owners = np.repeat(np.arange(len(examples)), examples.sizes)
    amounts = np.zeros((len(examples), classes), np.int64)
    np.add.at(amounts, (owners, examples.inputs), 1)
    low, high = amounts.min(axis=0), amounts.max(axis=0)
    steady = np.flatnonzero((low == high) & (len(np.unique(examples.sizes)) > 1))
    for size in range(1, max_nodes + 1):
        graphs = all_graphs(kind, size)
        if len(graphs) * classes**size > _MAX_INSTANCES:
            return
        rows = all_inputs(size, classes)
        fits = np.ones(len(rows), bool)
        for number in steady:
            fits &= (rows == number).sum(axis=1) == low[number]
        rows = rows[fits]
        if len(rows) and len(graphs):
            graph, row = np.divmod(np.arange(len(graphs) * len(rows)), len(rows))
            yield _unlabelled(examples.task, graphs.select(graph), rows[row].reshape(-1), _steps(examples, size))


def _steps(examples: Examples, size: int) -> int:
    """After how many steps the labels of a graph of a size hold, by the example of the data."""
    if examples.task.kind == "evolution":
        return int(examples.steps.min(initial=1))
    same = examples.steps[examples.sizes == size]
    return int(same.max()) if len(same) else 2 * size + 2


def _unlabelled(task: Any, graphs: GraphBatch, inputs: Array, steps: Any) -> Examples:
    nothing = np.zeros(len(inputs), np.uint8)
    return Examples(task, graphs, inputs, nothing, mask=np.zeros(len(inputs), bool), steps=steps)
