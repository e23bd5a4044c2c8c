"""Labelled graphs from whatever people have: NetworkX and PyTorch Geometric graphs and files; and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shorten, shown, type_name
from graphfsa.datasets._discretiser import ONE_INPUT
from graphfsa.datasets._examples import Example, Examples
from graphfsa.datasets._features import FeatureExamples
from graphfsa.datasets._jsonl import UserData, read_jsonl
from graphfsa.datasets._lines import MAX_FLOAT
from graphfsa.datasets._node_values import SOME_LABELLED_PYTHON, YOUR_DATA, Columns, Fail, scalars_of
from graphfsa.errors import GraphError, GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, from_networkx, from_pyg, to_networkx, to_pyg

_OTHER_INPUTS = (
    "use as_examples(graphs, inputs=NAME) for another attribute, or as_feature_examples(graphs, NAMES) for numbers"
)


def as_examples(
    given: Any,
    *,
    inputs: str | None = None,
    labels: str | None = None,
    mask: str | None = None,
    relation: str | None = None,
    steps: int | None = None,
    name: str = YOUR_DATA,
) -> Examples:
    """Labelled graphs from whatever holds them.

    Args:
        given: Examples, the path of a .jsonl file, NetworkX graphs with node attributes, or PyG ``Data``; one graph
            alone will do.
        inputs: Node attribute with the input; by default ``input``, for PyG ``x``.
        labels: Node attribute with the label; by default ``label``, for PyG ``y``.
        mask: Node attribute that says whether a node counts; by default all do.
        relation: Edge attribute that says of which kind an edge is; for PyG ``edge_type`` or ``edge_attr``. By
            default edges have no kinds. Files say it themselves.
        steps: If given, the task is an evolution: inputs and labels are states, and the labels hold after this number
            of steps. Otherwise labels are classes, and hold after ``2 * num_nodes + 2`` steps unless a graph says
            ``steps``.
        name: Name of the task, for messages and reports.

    Raises:
        GraphFSAError: It is none of these, or something is missing; the message names the graph and the node.

    Example:
        >>> import networkx as nx
        >>> graph = nx.path_graph(3)
        >>> nx.set_node_attributes(graph, {0: "root", 1: "node", 2: "node"}, "input")
        >>> nx.set_node_attributes(graph, {0: "even", 1: "odd", 2: "even"}, "label")
        >>> as_examples([graph])
        Examples(your data: 1 graph, 3 nodes)
    """
    if isinstance(given, Examples):
        return given
    if isinstance(given, FeatureExamples | UserData | str | PathLike):
        labelled = as_labelled(given, steps=steps, name=name)
        if isinstance(labelled, FeatureExamples):
            raise GraphFSAError(
                f"these graphs have features ({shorten(', '.join(labelled.names), 200)}), which are no inputs; learn "
                'from them with inputs="continuous" (--inputs continuous)'
            )
        return labelled
    graphs: list[Any] = [given] if _home(given) or not isinstance(given, Iterable) else list(given)
    homes = {_home(graph) for graph in graphs}
    options: dict[str, Any] = {"mask": mask, "relation": relation, "steps": steps, "name": name}
    if homes == {"networkx"}:
        return from_networkx_graphs(graphs, inputs=inputs or "input", labels=labels or "label", **options)
    if homes == {"torch_geometric"}:
        return from_pyg_data(graphs, inputs=inputs or "x", labels=labels or "y", **options)
    if homes == {"graphfsa"}:
        return Examples.concatenate([_alone(example) for example in graphs])
    if not homes:
        raise GraphFSAError("at least one graph must be given; got none")
    kinds = sorted({type_name(type(graph)) for graph in graphs})
    raise GraphFSAError(
        "labelled graphs must be Examples, a .jsonl file, NetworkX graphs with node attributes or PyG Data; got "
        + ", ".join(kinds)
    )


def as_labelled(given: Any, *, steps: int | None = None, name: str = YOUR_DATA) -> Examples | FeatureExamples:
    """Labelled graphs from whatever holds them, with the features of their nodes if there are any.

    Args:
        given: FeatureExamples, or whatever :func:`as_examples` takes.
        steps: As for :func:`as_examples`.
        name: Name of the task.
    """
    if isinstance(given, str | PathLike):
        if Path(given).suffix.lower() != ".jsonl":
            raise GraphFSAError(f"a file of labelled graphs must end in .jsonl; got {shown(str(given))}")
        given = read_jsonl(given, steps=steps, name=name)
    if isinstance(given, UserData):
        return given.examples if given.measured is None else given.measured
    return given if isinstance(given, FeatureExamples) else as_examples(given, steps=steps, name=name)


def as_feature_examples(
    given: Any,
    features: Sequence[str] | None = None,
    *,
    inputs: str | None = None,
    labels: str = "label",
    mask: str | None = None,
    steps: int | None = None,
    name: str = YOUR_DATA,
) -> FeatureExamples:
    """Labelled graphs whose nodes have features.

    Args:
        given: FeatureExamples, the path of a .jsonl file with features, or NetworkX graphs with node attributes.
        features: With NetworkX graphs: the node attributes that are features.
        inputs: With NetworkX graphs: a node attribute with an input beside the features; by default there is none.
        labels: With NetworkX graphs: the node attribute with the label.
        mask: With NetworkX graphs: the node attribute that says whether the node counts; by default all do.
        steps: As for :func:`as_examples`.
        name: Name of the task.

    Example:
        >>> import networkx as nx
        >>> graph = nx.path_graph(2)
        >>> nx.set_node_attributes(graph, {0: {"x": 0.9, "label": "even"}, 1: {"x": 0.2, "label": "odd"}})
        >>> as_feature_examples([graph], ["x"])
        FeatureExamples(your data: 1 graph, 2 nodes with x)
    """
    if features is None:
        labelled = as_labelled(given, steps=steps, name=name)
        if isinstance(labelled, Examples):
            raise GraphFSAError("the nodes of these graphs have no features; a line of a file has them as 'features'")
        return labelled
    if isinstance(features, str):
        raise GraphFSAError(f"features must be a list of names; got {shown(features)}")
    graphs: list[Any] = [given] if _home(given) else list(given)
    if {_home(graph) for graph in graphs} != {"networkx"}:
        raise GraphFSAError("features goes with NetworkX graphs, whose nodes have them as attributes")
    marked = graphs
    if inputs is None:
        marked = [graph.copy() for graph in graphs]
        for graph in marked:
            for node in graph.nodes:
                graph.nodes[node]["input"] = ONE_INPUT
    examples = from_networkx_graphs(marked, inputs=inputs or "input", labels=labels, mask=mask, steps=steps, name=name)
    rows = [_feature_row(place, graph, node, features) for place, graph in enumerate(graphs) for node in graph.nodes]
    return FeatureExamples(examples, np.array(rows, np.float64).reshape(len(rows), len(features)), features)


def _feature_row(place: int, nxgraph: Any, node: Any, features: Sequence[str]) -> list[float]:
    """The features of one node."""
    row: list[float] = []
    for feature in features:
        value = _plain(nxgraph.nodes[node].get(feature))
        if type(value) not in (bool, int, float) or not abs(value) <= MAX_FLOAT:
            got = "nothing" if value is None else shown(value)
            _fail_node(place, [node], feature, 0, f"must be a finite number; got {got}")
        row.append(float(value))
    return row


def from_networkx_graphs(
    graphs: Iterable[Any],
    *,
    inputs: str = "input",
    labels: str = "label",
    mask: str | None = None,
    relation: str | None = None,
    steps: int | None = None,
    name: str = YOUR_DATA,
) -> Examples:
    """Labelled graphs from NetworkX graphs whose nodes have attributes.

    Inputs and labels are strings, numbers or booleans, with the same meaning as in a JSON lines file. A graph attribute
    ``steps`` says after how many steps the labels of that graph hold.

    Args:
        graphs: NetworkX graphs of any class.
        inputs: Node attribute with the input.
        labels: Node attribute with the label.
        mask: Node attribute that says whether the node counts; by default all do. Those that do not need no label.
        relation: Edge attribute that says of which kind an edge is; by default edges have no kinds.
        steps: As for :func:`as_examples`: if given, the task is an evolution.
        name: Name of the task.
    """
    columns = Columns((inputs, labels, str(mask), "steps"), steps, name, python=True)
    nxgraphs = list(graphs)
    convert = partial(from_networkx, relation=relation)
    converted = [_converted(place, convert, nxgraph) for place, nxgraph in enumerate(nxgraphs)]
    some = None if mask is None else _some_label(nxgraphs, labels)
    for place, nxgraph in enumerate(nxgraphs):
        nodes = list(nxgraph.nodes)
        fail = partial(_fail_node, place, nodes)
        given = _attribute(nxgraph, nodes, inputs, f"; {_OTHER_INPUTS}", fail)
        counts = None if mask is None else _attribute(nxgraph, nodes, mask, "", fail)
        if counts is None:
            found = _attribute(nxgraph, nodes, labels, f"; {SOME_LABELLED_PYTHON}", fail)
        else:
            found = _labels_where(nxgraph, nodes, labels, counts, some, fail)
        columns.add(len(nodes), (given, found, counts, _steps(nxgraph.graph.get("steps"))), fail)
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
    graphs: Iterable[Any],
    *,
    inputs: str = "x",
    labels: str = "y",
    mask: str | None = None,
    relation: str | None = None,
    steps: int | None = None,
    name: str = YOUR_DATA,
) -> Examples:
    """Labelled graphs from PyTorch Geometric ``Data``.

    Inputs and labels are numbers of classes: integers (also as floats) or booleans [num_nodes] or [num_nodes, 1], or
    one-hot rows [num_nodes, classes].

    Args:
        graphs: ``Data`` objects with ``edge_index``; their ``steps``, if they have it, says when the labels hold.
        inputs: Attribute with the inputs.
        labels: Attribute with the labels.
        mask: Attribute that says which nodes count, booleans [num_nodes]; by default all do.
        relation: ``edge_type`` or ``edge_attr``, if it says of which kind each arc is; see ``from_pyg``.
        steps: As for :func:`as_examples`: if given, the task is an evolution.
        name: Name of the task.
    """
    columns = Columns((inputs, labels, str(mask), "steps"), steps, name, python=True)
    converted: list[Graph] = []
    for place, data in enumerate(graphs):
        graph = _converted(place, partial(from_pyg, relation=relation), data)
        fail = partial(_fail_node, place, None)
        read = [_classes(data, attribute, fail) for attribute in (inputs, labels)]
        counts = None if mask is None else _classes(data, mask, fail)
        columns.add(graph.num_nodes, (read[0], read[1], counts, _steps(getattr(data, "steps", None))), fail)
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


def _home(given: Any) -> str:
    """The library that a labelled graph is of, found without importing any; empty if it is none."""
    if isinstance(given, Example):
        return "graphfsa"
    homes = {ancestor.__module__.partition(".")[0]: ancestor.__name__ for ancestor in reversed(type(given).__mro__)}
    if "networkx" in homes:
        return "networkx"
    # Data sets of PyG are lists of Data, which have an edge_index.
    return "torch_geometric" if "torch_geometric" in homes and hasattr(given, "edge_index") else ""


def _alone(example: Example) -> Examples:
    graphs = GraphBatch.of([example.graph])
    return Examples(example.task, graphs, example.inputs, example.labels, mask=example.mask, steps=example.steps)


def _examples(columns: Columns, graphs: Sequence[Graph]) -> Examples:
    if not graphs:
        raise GraphFSAError("at least one graph must be given; got none")
    return columns.examples(GraphBatch.of(graphs))


def _converted(place: int, convert: Any, graph: Any) -> Graph:
    try:
        return convert(graph)
    except GraphFSAError as error:
        raise GraphError(f"graph {place}: {error}") from None


def _attribute(nxgraph: Any, nodes: list[Any], name: str, hint: str, fail: Fail) -> list[Any]:
    values: list[Any] = []
    for place, node in enumerate(nodes):
        attributes = nxgraph.nodes[node]
        if name not in attributes:
            fail(
                name,
                place,
                f"is missing; the node has {shorten(', '.join(map(str, attributes)) or 'no attributes', 60)}{hint}",
            )
        values.append(_plain(attributes[name]))
    return values


def _some_label(nxgraphs: list[Any], name: str) -> Any:
    """Any label that occurs, for nodes that do not count."""
    found = (value for nxgraph in nxgraphs for _, value in nxgraph.nodes(data=name))
    return _plain(next((value for value in found if value is not None), None))


def _labels_where(nxgraph: Any, nodes: list[Any], name: str, counts: list[Any], some: Any, fail: Fail) -> list[Any]:
    """The labels of a graph of which only the nodes that count need one."""
    found = [_plain(nxgraph.nodes[node].get(name)) for node in nodes]
    for place, label in enumerate(found):
        if label is None and counts[place]:
            fail(name, place, "is missing, and the mask says that the node counts")
    return [some if label is None else label for label in found]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _classes(data: Any, name: str, fail: Fail) -> list[Any]:
    """The numbers of classes that a tensor holds, as Python has them."""
    tensor: Any = getattr(data, name, None)
    if tensor is None:
        fail(name, None, "is missing")
    array = np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 2 and array.dtype.kind in "iufb" and _one_hot(array):
        array = array.argmax(axis=1)
    if array.ndim == 1 and array.dtype.kind == "f" and (np.isfinite(array) & (array == np.round(array))).all():
        array = array.astype(np.int64)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        fail(
            name,
            None,
            "must be one integer per node, or one-hot rows (a single 1, the rest 0): an automaton has a finite "
            f"number of inputs and classes; got {array.dtype} of shape {list(array.shape)}",
        )
    return array.tolist()


def _one_hot(array: Array) -> bool:
    return bool(array.shape[1] and np.isin(array, (0, 1)).all() and (array.sum(axis=1) == 1).all())


def _steps(value: Any) -> Any:
    """A number of steps as Python has it, if it is a number at all."""
    size = getattr(value, "numel", None)
    single = isinstance(value, np.generic) or (callable(size) and size() == 1)
    return value.item() if single else value


def _fail_node(graph: int, nodes: list[Any] | None, attribute: str, place: int | None, problem: str) -> NoReturn:
    node = "" if place is None else f" node {shown(place if nodes is None else nodes[place])}:"
    raise GraphFSAError(f"graph {graph}:{node} attribute {attribute!r} {problem}")
