"""Unlabelled graphs to ask about: all small ones that a task admits, or that look like those of a data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphfsa.analysis._exhaustive import class_of, plan, portions
from graphfsa.arrays import Array
from graphfsa.datasets import Dataset, Examples
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch, all_graphs, all_inputs
from graphfsa.graphs.enumeration import check_class, num_graphs
from graphfsa.graphs.isomorphism import duplicate_groups

_MAX_INSTANCES = 200_000
_MAX_GROUPED = 8


def candidates(
    examples: Examples, max_nodes: int, dataset: Dataset | None, graph_class: str | None
) -> Iterator[tuple[int, Examples]]:
    """Instances without labels with their size, small ones first; none is isomorphic to another or to one of the data.

    A size may come in several portions. After the last one, the size up to which all were listed comes without any.

    Args:
        examples: The data.
        max_nodes: The largest size.
        dataset: The task; by default the graphs are like those of the data: input classes (also several together) that
            occur equally often in all graphs do so, and none has more neighbours than it ever has.
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
    """The instances that are not in the data with a label for every node, each once."""
    settled = np.bincount(examples.graphs.owners[examples.mask], minlength=len(examples)) == examples.sizes
    if examples.task.kind == "evolution":
        settled &= np.isin(examples.steps, instances.steps)  # What holds after two steps does not say what one does.
    known = examples.select(np.flatnonzero(settled))
    graphs = GraphBatch.concatenate([known.graphs, instances.graphs])
    first = duplicate_groups(graphs, np.r_[known.inputs, instances.inputs])[len(known) :]
    return instances.select(first == np.arange(len(instances)) + len(known))


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
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

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
    steady, most = _habits(examples)
    for size in range(1, max_nodes + 1):
        if num_graphs(kind, size) * classes**size > _MAX_INSTANCES:
            return
        graphs = all_graphs(kind, size)
        rows = all_inputs(size, classes)
        fits = np.ones(len(rows), bool)
        for group, number in steady:
            fits &= np.isin(rows, group).sum(axis=1) == number
        rows = rows[fits]
        graph, row = np.divmod(np.arange(len(graphs) * len(rows)), max(1, len(rows)))
        found = _unlabelled(examples.task, graphs.select(graph), rows[row].reshape(-1), _steps(examples, size))
        crowded = np.diff(found.graphs.graph.indptr) > most[found.inputs]
        yield size, found.select(np.setdiff1d(np.arange(len(found)), found.graphs.owners[crowded]))


def _habits(examples: Examples) -> tuple[list[tuple[list[int], int]], Array]:
    """What the inputs of the data have in common.

    Returns:
        Groups of input classes that together occur equally often in all graphs, with that number; and the most
        neighbours that a node of each input class has.
    """
    classes = len(examples.task.inputs)
    amounts = np.zeros((len(examples), classes), np.int64)
    np.add.at(amounts, (examples.graphs.owners, examples.inputs), 1)
    steady: list[tuple[list[int], int]] = []
    if len(np.unique(examples.sizes)) > 1 and classes <= _MAX_GROUPED:
        for number in range(1, 2**classes - 1):
            group = [k for k in range(classes) if number >> k & 1]
            totals = amounts[:, group].sum(axis=1)
            if (totals == totals[0]).all():
                steady.append((group, int(totals[0])))
    degrees = np.diff(examples.graphs.graph.indptr)
    most = np.zeros(classes, np.int64)
    np.maximum.at(most, examples.inputs, degrees)
    # A class whose nodes have as many neighbours as any others may have more in other graphs.
    return steady, np.where(most == degrees.max(initial=0), np.iinfo(np.int64).max, most)


def _steps(examples: Examples, size: int) -> int:
    """After how many steps the labels of a graph of a size hold, by the example of the data."""
    if examples.task.kind == "evolution":
        return int(examples.steps.min(initial=1))
    same = examples.steps[examples.sizes == size]
    return int(same.max()) if len(same) else 2 * size + 2


def _unlabelled(task: Any, graphs: GraphBatch, inputs: Array, steps: Any) -> Examples:
    nothing = np.zeros(len(inputs), np.uint8)
    return Examples(task, graphs, inputs, nothing, mask=np.zeros(len(inputs), bool), steps=steps)
