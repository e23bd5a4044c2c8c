"""Unlabelled graphs to ask about: all small ones that a task admits, or that look like those of a data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from graphfsa.analysis._exhaustive import class_of, plan, portions
from graphfsa.datasets import Dataset, Examples
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch, all_graphs, all_inputs
from graphfsa.graphs.enumeration import check_class, num_graphs
from graphfsa.graphs.isomorphism import duplicate_groups

Array = np.ndarray[Any, Any]
_MAX_INSTANCES = 200_000


def candidates(
    examples: Examples, max_nodes: int, dataset: Dataset | None, graph_class: str | None
) -> Iterator[tuple[int, Examples]]:
    """Instances without labels with their size, small ones first; none is isomorphic to another or to one of the data.

    A size may come in several portions. After the last one, the size up to which all were listed comes without any.

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
    listed = 0
    for size, instances in found:
        listed = size
        if len(instances):
            yield size, _new(examples, instances)
    yield (listed if dataset is None else max_nodes) + 1, examples.select([])


def _new(examples: Examples, instances: Examples) -> Examples:
    graphs = GraphBatch.concatenate([examples.graphs, instances.graphs])
    first = duplicate_groups(graphs, np.r_[examples.inputs, instances.inputs])[len(examples) :]
    return instances.select(first == np.arange(len(instances)) + len(examples))


def class_of_data(examples: Examples) -> str:
    """The narrowest class that all graphs of the data are in."""
    union, sizes = examples.graphs.graph, examples.sizes
    if not _connected(examples):
        return "connected"
    arcs = np.diff(union.indptr[examples.graphs.offsets])
    degree = np.diff(union.indptr).max(initial=0)
    loops = bool((union.indices == union.targets()).any())
    slots = union.slots is not None
    if union.symmetric and not loops and (arcs == 2 * (sizes - 1)).all():
        return ("row" if slots else "path") if degree <= 2 else "tree"
    if union.symmetric and not loops and (arcs == 2 * sizes).all() and degree == 2:
        return "ring" if slots else "cycle"
    return "connected"


def _connected(examples: Examples) -> bool:
    union = examples.graphs.graph
    arcs = csr_array((np.ones(union.num_arcs, bool), union.indices, union.indptr), shape=(union.num_nodes,) * 2)
    return connected_components(arcs, directed=False)[0] == len(examples)


def _of_task(dataset: Dataset, max_nodes: int, graph_class: str | None) -> Iterator[tuple[int, Examples]]:
    kind = class_of(dataset, graph_class)
    steps = 1 if dataset.task.kind == "evolution" else None
    for portion in portions(dataset, kind, plan(dataset, kind, max_nodes)):
        number = dataset.label(portion.graphs, portion.inputs, steps=steps).steps
        yield portion.size, _unlabelled(dataset.task, portion.graphs, portion.inputs, number)


def _like(examples: Examples, max_nodes: int, graph_class: str | None) -> Iterator[tuple[int, Examples]]:
    kind = class_of_data(examples) if graph_class is None else graph_class
    check_class(kind)
    slots = examples.graphs.graph.slots is not None
    if slots != (kind in ("row", "ring")) and examples.graphs.graph.num_arcs:
        known = "row and ring" if slots else "path, cycle, tree and connected"
        raise GraphFSAError(
            f"the data have {'' if slots else 'no '}neighbour slots; the classes of such graphs are {known}; got {kind}"
        )
    classes = len(examples.task.inputs)
    owners = np.repeat(np.arange(len(examples)), examples.sizes)
    amounts = np.zeros((len(examples), classes), np.int64)
    np.add.at(amounts, (owners, examples.inputs), 1)
    low, high = amounts.min(axis=0), amounts.max(axis=0)
    steady = np.flatnonzero((low == high) & (len(np.unique(examples.sizes)) > 1))
    for size in range(1, max_nodes + 1):
        if num_graphs(kind, size) * classes**size > _MAX_INSTANCES:
            return
        graphs = all_graphs(kind, size)
        rows = all_inputs(size, classes)
        fits = np.ones(len(rows), bool)
        for number in steady:
            fits &= (rows == number).sum(axis=1) == low[number]
        rows = rows[fits]
        graph, row = np.divmod(np.arange(len(graphs) * len(rows)), max(1, len(rows)))
        yield size, _unlabelled(examples.task, graphs.select(graph), rows[row].reshape(-1), _steps(examples, size))


def _steps(examples: Examples, size: int) -> int:
    """After how many steps the labels of a graph of a size hold, by the example of the data."""
    if examples.task.kind == "evolution":
        return int(examples.steps.min(initial=1))
    same = examples.steps[examples.sizes == size]
    return int(same.max()) if len(same) else 2 * size + 2


def _unlabelled(task: Any, graphs: GraphBatch, inputs: Array, steps: Any) -> Examples:
    nothing = np.zeros(len(inputs), np.uint8)
    return Examples(task, graphs, inputs, nothing, mask=np.zeros(len(inputs), bool), steps=steps)
