"""Labelled graphs from and to NetworkX and PyTorch Geometric."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NoReturn

import numpy as np

from graphfsa.datasets._columns import Columns, Fail
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._vocabulary import scalars_of
from graphfsa.errors import GraphError, GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, from_networkx, from_pyg, to_networkx, to_pyg


def from_networkx_graphs(
    graphs: Iterable[Any],
    *,
    inputs: str = "input",
    labels: str = "label",
    mask: str | None = None,
    steps: int | None = None,
) -> Examples:
    """Labelled graphs from NetworkX graphs whose nodes have attributes.

    Inputs and labels are strings, numbers or truth values, with the same meaning as in a JSON lines file. A graph
    attribute ``steps`` says after how many steps the labels of that graph hold.

    Args:
        graphs: NetworkX graphs of any class.
        inputs: Node attribute with the input.
        labels: Node attribute with the label.
        mask: Node attribute that says whether the node counts; by default all do.
        steps: As for :func:`graphfsa.datasets._user.read_jsonl`: if given, the task is an evolution.
    """
    columns = Columns((inputs, labels, str(mask), "steps"), steps)
    converted: list[Graph] = []
    for place, nxgraph in enumerate(graphs):
        graph = _converted(place, from_networkx, nxgraph)
        nodes = list(nxgraph.nodes)
        fail = partial(_fail_node, place, nodes)
        read = [[] if name is None else _attribute(nxgraph, nodes, name, fail) for name in (inputs, labels, mask)]
        columns.add(
            len(nodes), (read[0], read[1], None if mask is None else read[2], _steps(nxgraph.graph.get("steps"))), fail
        )
        converted.append(graph)
    return _examples(columns, converted)


def to_networkx_graphs(examples: Examples) -> list[Any]:
    """NetworkX graphs with the node attributes ``input``, ``label`` and ``mask`` and the graph attribute ``steps``.

    Args:
        examples: Labelled graphs; one that occurs several times is given once.
    """
    task = examples.task
    inputs = scalars_of(task.inputs, one_kind=task.kind == "evolution")
    labels = scalars_of(task.classes, one_kind=True)
    result: list[Any] = []
    for example in examples:
        nxgraph = to_networkx(example.graph)
        nxgraph.graph["steps"] = example.steps
        values = zip(example.inputs.tolist(), example.labels.tolist(), example.mask.tolist(), strict=True)
        for node, (given, label, counts) in enumerate(values):
            nxgraph.nodes[node].update(input=inputs[given], label=labels[label], mask=counts)
        result.append(nxgraph)
    return result


def from_pyg_data(
    graphs: Iterable[Any], *, inputs: str = "x", labels: str = "y", mask: str | None = None, steps: int | None = None
) -> Examples:
    """Labelled graphs from PyTorch Geometric ``Data``.

    Args:
        graphs: ``Data`` objects with ``edge_index``; their ``steps``, if they have it, says when the labels hold.
        inputs: Attribute with the inputs, whole numbers or truth values [num_nodes] or [num_nodes, 1].
        labels: Attribute with the labels, likewise.
        mask: Attribute that says which nodes count, truth values [num_nodes]; by default all do.
        steps: As for :func:`graphfsa.datasets._user.read_jsonl`: if given, the task is an evolution.
    """
    columns = Columns((inputs, labels, str(mask), "steps"), steps)
    converted: list[Graph] = []
    for place, data in enumerate(graphs):
        graph = _converted(place, from_pyg, data)
        fail = partial(_fail_node, place, None)
        read = [[] if name is None else _tensor(data, name, fail) for name in (inputs, labels, mask)]
        fields = read[0], read[1], None if mask is None else read[2], _steps(getattr(data, "steps", None))
        columns.add(graph.num_nodes, fields, fail)
        converted.append(graph)
    return _examples(columns, converted)


def to_pyg_data(examples: Examples) -> list[Any]:
    """PyTorch Geometric ``Data``: ``edge_index``, ``x``, ``y``, ``mask``, ``steps`` and, if there are slots, ``slot``.

    ``x`` holds the number of the input class, int64 [num_nodes, 1], ``y`` that of the class, int64 [num_nodes].

    Args:
        examples: Labelled graphs; one that occurs several times is given once.

    Raises:
        MissingExtraError: PyTorch Geometric is not installed.
    """
    result: list[Any] = []
    for example in examples:
        data = to_pyg(example.graph)
        # Tensors are made from one that is there, so that this room needs no torch of its own.
        tensor = data.edge_index.new_tensor
        data.x = tensor(example.inputs.astype(np.int64)).reshape(-1, 1)
        data.y = tensor(example.labels.astype(np.int64))
        data.mask = tensor(example.mask.astype(np.int64)).bool()
        data.steps = example.steps
        result.append(data)
    return result


def _examples(columns: Columns, graphs: list[Graph]) -> Examples:
    if not graphs:
        raise GraphFSAError("at least one graph must be given; got none")
    return columns.examples(GraphBatch.of(graphs))


def _converted(place: int, convert: Any, graph: Any) -> Graph:
    try:
        return convert(graph)
    except GraphFSAError as error:
        raise GraphError(f"graph {place}: {error}") from None


def _attribute(nxgraph: Any, nodes: list[Any], name: str, fail: Fail) -> list[Any]:
    values: list[Any] = []
    for place, node in enumerate(nodes):
        attributes = nxgraph.nodes[node]
        if name not in attributes:
            fail(name, place, "is missing")
        value = attributes[name]
        values.append(value.item() if isinstance(value, np.generic) else value)
    return values


def _tensor(data: Any, name: str, fail: Fail) -> list[Any]:
    tensor: Any = getattr(data, name, None)
    if tensor is None:
        fail(name, None, "is missing")
    array = np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        fail(name, None, f"must be whole numbers, one per node; got {array.dtype} of shape {list(array.shape)}")
    return array.tolist()


def _steps(value: Any) -> Any:
    """A number of steps as Python has it, if it is a number at all."""
    size = getattr(value, "numel", None)
    single = isinstance(value, np.generic) or (callable(size) and size() == 1)
    return value.item() if single else value


def _fail_node(graph: int, nodes: list[Any] | None, attribute: str, place: int | None, problem: str) -> NoReturn:
    node = "" if place is None else f" node {(place if nodes is None else nodes[place])!r:.60}:"
    raise GraphFSAError(f"graph {graph}:{node} attribute {attribute!r} {problem}")
