"""One labelled graph as one line of JSON; what a line holds is said in ``graphfsa.datasets._jsonl``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.datasets._discretiser import MAX_FEATURES, ONE_INPUT, check_feature_names
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._features import FeatureExamples
from graphfsa.datasets._node_values import YOUR_DATA, Columns, scalars_of
from graphfsa.datasets._task import Task
from graphfsa.datasets._traces import check_total, repeated
from graphfsa.errors import FormatError, GraphError, GraphFSAError
from graphfsa.files import parse_json
from graphfsa.graphs import Graph, GraphBatch
from graphfsa.graphs.files import MAX_NODES, parse_edges, parse_numbers
from graphfsa.graphs.graph import MAX_SLOTS
from graphfsa.graphs.kinds import check_kinds

MAX_FLOAT = float(np.finfo(np.float64).max)
_REQUIRED = {"num_nodes": "an integer", "edges": "a list", "inputs": "a list", "labels": "a list"}
_OPTIONAL = {
    "directed": "true or false",
    "slots": "a list",
    "kinds": "a list",
    "mask": "a list",
    "steps": "an integer",
    "trace": "a list",
    "features": "an object",
}
_IN_TRACE = ("inputs", "labels", "steps")
_NAMES = ("inputs", "labels", "mask", "steps")
_TYPES = {"an integer": int, "a list": list, "true or false": bool, "an object": dict}


def parse_line(line: bytes, where: str) -> dict[str, Any]:
    """The JSON object of one line, its fields present and of the right types.

    Args:
        line: The line with its end.
        where: File and line, for error messages.
    """
    try:
        data = parse_json(line.decode())
    except UnicodeDecodeError as error:
        raise FormatError(f"{where}: must be UTF-8 text; byte {error.start} of the line is not") from None
    except json.JSONDecodeError as error:
        hint = "" if line.endswith(b"\n") else " (the file ends with this line; is it cut off?)"
        raise FormatError(f"{where}: not JSON: {error.msg} at column {error.colno}{hint}") from None
    except RecursionError:
        raise FormatError(f"{where}: its lists or objects are nested too deeply") from None
    except ValueError as error:
        # A constant that is not JSON, a field given twice, or a number with more digits than Python reads.
        raise FormatError(f"{where}: not JSON that can be read: {str(error)[:200]}") from None
    if type(data) is not dict:
        raise FormatError(f"{where}: must be an object with the fields {', '.join(_REQUIRED)}; got {shown(data)}")
    _check_fields(data, where)
    return data


def _check_fields(data: dict[str, Any], where: str) -> None:
    traced = "trace" in data
    for name in _REQUIRED:
        told = (traced and name in _IN_TRACE) or (name == "inputs" and "features" in data)
        if name not in data and not told:
            hint = "; a line has inputs and labels, or a trace" if name in _IN_TRACE else ""
            raise FormatError(f"{where}: field {name!r} is missing{hint}")
    for name in _IN_TRACE:
        if traced and name in data:
            raise FormatError(f"{where}: field {name!r} must not be given with a trace")
    for name, value in data.items():
        kind = _REQUIRED.get(name) or _OPTIONAL.get(name)
        if kind is None:
            fields = ", ".join([*_REQUIRED, *_OPTIONAL])
            raise FormatError(f"{where}: unknown field {shown(name)}; the fields are {fields}")
        if type(value) is not _TYPES[kind]:
            raise FormatError(f"{where}: field {name!r} must be {kind}; got {shown(value)}")


class Lines:
    """The graphs of the lines read so far.

    Args:
        steps: As for :func:`~graphfsa.datasets.read_jsonl`.
        name: Name of the task.
    """

    def __init__(self, steps: int | None, name: str = YOUR_DATA) -> None:
        self._columns = Columns(_NAMES, steps, name)
        self._task = name
        self._given_steps = steps
        self._traced: tuple[bool, str] | None = None
        self._times: list[int] = []
        self._total = 0
        self._sizes: list[int] = []
        self._edges: list[Array] = []
        self._slots: list[Array] = []
        self._directed: list[bool] = []
        self._slotted: tuple[str, str] | None = None
        self._kinds: dict[str, int] = {}
        self._feature_names: tuple[tuple[str, ...], str] | None = None
        self._features: list[Array] = []

    def add(self, data: dict[str, Any], where: str) -> None:
        """Check and keep the graph of one line, as :func:`parse_line` returned it."""
        num_nodes = data["num_nodes"]
        if not 0 <= num_nodes <= MAX_NODES:
            limits = f"at least 0 and at most {MAX_NODES}"
            raise FormatError(f"{where}: field 'num_nodes' must be {limits}; got {shown(num_nodes)}")
        self._check_traced("trace" in data, where)
        times = self._add_states(num_nodes, data, where)
        self._add_features(num_nodes, times, data.get("features"), where)
        edges = parse_edges(where, data["edges"], num_nodes)
        self._add_slots(data, edges, where)
        if self.traced:
            arcs = len(edges) * (1 if data.get("directed", False) else 2)
            self._total += (num_nodes + arcs) * times
            check_total(self._total, where)
        self._times.append(times)
        self._sizes.append(num_nodes)
        self._edges.append(edges)
        self._directed.append(data.get("directed", False))

    @property
    def traced(self) -> bool:
        """Whether the lines have traces."""
        return self._traced is not None and self._traced[0]

    @property
    def times(self) -> Array:
        """Number of examples of each line, int64: 1, or the steps of its trace."""
        return np.array(self._times, np.int64)

    def _check_traced(self, traced: bool, where: str) -> None:
        if self._traced is None:
            self._traced = traced, where.rpartition(": ")[2]
            if traced and self._given_steps not in (None, 1):
                _fail(
                    where, "trace", None, f"shows single steps; steps must be 1 or not given, got {self._given_steps}"
                )
            if traced:
                self._columns = Columns(_NAMES, 1, self._task)
        if self._traced[0] != traced:
            have = f"{self._traced[1]} has {'one' if self._traced[0] else 'none'}"
            _fail(where, "trace", None, f"must be given for all graphs or for none; {have}")

    def _add_states(self, num_nodes: int, data: dict[str, Any], where: str) -> int:
        fail = partial(_fail, where)
        if self.traced:
            return self._columns.add_trace(num_nodes, "trace", (data["trace"], data.get("mask")), fail)
        inputs = data.get("inputs", [ONE_INPUT] * num_nodes)
        self._columns.add(num_nodes, (inputs, data["labels"], data.get("mask"), data.get("steps")), fail)
        return 1

    def _add_features(self, num_nodes: int, times: int, given: dict[str, Any] | None, where: str) -> None:
        names = () if given is None else tuple(given)
        if self._feature_names is None:
            self._feature_names = names, where.rpartition(": ")[2]
        known, first = self._feature_names
        if given is None or set(names) != set(known) or not names:
            if not known and given is None:
                return
            have = f"{first} has {', '.join(map(shown, known)) or 'none'}"
            _fail(where, "features", None, f"must be the same for all graphs, and at least one; {have}")
        if len(names) > MAX_FEATURES:
            _fail(where, "features", None, f"must be at most {MAX_FEATURES}; got {len(names)}")
        try:
            check_feature_names(names)
        except GraphFSAError as error:
            raise FormatError(f"{where}: {error}") from None
        columns = [_feature_column(where, name, given[name], num_nodes) for name in known]
        self._features.append(np.tile(np.stack(columns, axis=1), (times, 1)))

    def _add_slots(self, data: dict[str, Any], edges: Array, where: str) -> None:
        kind = "kinds" if "kinds" in data else "slots" if "slots" in data else ""
        if kind:
            if "slots" not in data:
                raise FormatError(f"{where}: field 'kinds' has the names of slots; 'slots' is missing")
            if kind == "slots" and not data.get("directed", False):
                raise FormatError(f"{where}: field 'slots' belongs to arcs; 'directed' must be true")
            if len(data["slots"]) != len(edges):
                _fail(where, "slots", None, f"must have one entry per edge, {len(edges)}; got {len(data['slots'])}")
            names = self._kinds_of(data["kinds"], where) if kind == "kinds" else None
            size = MAX_SLOTS if names is None else len(names)
            slots = parse_numbers(where, "slots", data["slots"], size)
            if names is None:
                _check_once(edges, slots, where)
            self._slots.append(slots if names is None else names[slots])
        if len(edges):
            if self._slotted is not None and self._slotted[0] != kind:
                field = kind or self._slotted[0]
                raise FormatError(
                    f"{where}: field {field!r} must be given for all graphs or for none; "
                    f"{self._slotted[1]} has {'none' if self._slotted[0] != field else 'them'}"
                )
            self._slotted = self._slotted or (kind, where.rpartition(": ")[2])

    def _kinds_of(self, given: list[Any], where: str) -> Array:
        """The number of each kind of a line among those of all lines so far."""
        try:
            names = check_kinds(given)
            numbers = [self._kinds.setdefault(name, len(self._kinds)) for name in names]
            check_kinds(self._kinds)
        except GraphError as error:
            raise FormatError(f"{where}: field 'kinds': {error}") from None
        return np.array(numbers, np.int64)

    def examples(self) -> Examples:
        """All graphs with what is known about their nodes."""
        sizes = np.array(self._sizes, np.int64)
        offsets = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        counts = np.array([len(edges) for edges in self._edges])
        edges = np.concatenate(self._edges) + np.repeat(offsets[:-1], counts)[:, None]
        slots = np.concatenate(self._slots) if self._slotted is not None and self._slotted[0] else None
        directed = any(self._directed)
        if directed:
            back = ~np.repeat(np.array(self._directed), counts) & (edges[:, 0] != edges[:, 1])
            slots = None if slots is None else np.r_[slots, slots[back]]
            edges = np.concatenate((edges, edges[back][:, ::-1]))
        graph = Graph.from_edges(
            int(offsets[-1]), edges, directed=directed, slots=slots, kinds=tuple(self._kinds) or None
        )
        graphs = GraphBatch(graph, offsets)
        return self._columns.examples(repeated(graphs, self.times) if self.traced else graphs)

    def measured(self, examples: Examples) -> FeatureExamples | None:
        """The graphs with the features of their nodes, if the lines have features."""
        if not self._features or self._feature_names is None:
            return None
        return FeatureExamples(examples, np.concatenate(self._features), self._feature_names[0])


def _feature_column(where: str, name: str, given: Any, num_nodes: int) -> Array:
    """The numbers of one feature, float64, one for each node."""
    field = f"features.{name}"
    if type(given) is not list or len(given) != num_nodes:
        got = len(given) if isinstance(given, list) else shown(given)
        _fail(where, field, None, f"must be a list of one number per node, {num_nodes}; got {got}")
    for place, value in enumerate(given):
        right = type(value) in (int, float) and abs(value) <= MAX_FLOAT  # NaN is not.
        if not right:
            _fail(where, field, place, f"must be a finite number; got {shown(value)}")
    return np.array(given, np.float64)


def _check_once(edges: Array, slots: Array, where: str) -> None:
    """Raise if a node sees through a slot twice."""
    _, first, counts = np.unique(edges[:, 1] * MAX_SLOTS + slots, return_index=True, return_counts=True)
    if (counts > 1).any():
        place = int(first[counts > 1][0])
        node = int(edges[place, 1])
        _fail(where, "slots", place, f"must be used once by node {node}, which sees through slot {slots[place]} twice")


def _fail(where: str, field: str, place: int | None, problem: str) -> NoReturn:
    raise FormatError(f"{where}: {f'field {field!r}' if place is None else f'{field}[{place}]'} {problem}")


def lines_of(given: Examples | FeatureExamples) -> Iterator[bytes]:
    """The line of each graph, without its line end."""
    examples = given.examples if isinstance(given, FeatureExamples) else given
    task, offsets, union = examples.task, examples.graphs.offsets.tolist(), examples.graphs.graph
    evolution = task.kind == "evolution"
    inputs = [json.dumps(scalar) for scalar in scalars_of(task.inputs, one_kind=evolution)]
    labels = [json.dumps(scalar) for scalar in scalars_of(task.classes, one_kind=True)]
    undirected = _undirected(examples.graphs)
    bounds = union.indptr[examples.graphs.offsets].tolist()
    sources, targets, slots = union.indices, union.targets(), union.slots
    for place, steps in enumerate(examples.steps.tolist()):
        start, stop = offsets[place : place + 2]
        arcs = slice(*bounds[place : place + 2])
        pairs = np.stack((sources[arcs], targets[arcs]), axis=1) - start
        extra = ""
        if undirected[place]:
            pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
        else:
            extra = ', "directed": true'
            extra += "" if slots is None else f', "slots": {slots[arcs].tolist()}'
            extra += "" if union.kinds is None else f', "kinds": {json.dumps(union.kinds)}'
        mask = examples.mask[start:stop]
        featured = ""
        if isinstance(given, FeatureExamples):
            columns = given.features[start:stop].T.tolist()
            featured = f', "features": {json.dumps(dict(zip(given.names, columns, strict=True)))}'
        masked = "" if mask.all() else f', "mask": {json.dumps(mask.tolist())}'
        yield (
            f'{{"num_nodes": {stop - start}, "edges": {pairs.tolist()}{extra}, '
            f'"inputs": [{", ".join(map(inputs.__getitem__, examples.inputs[start:stop].tolist()))}], '
            f'"labels": [{", ".join(map(labels.__getitem__, examples.labels[start:stop].tolist()))}]'
            f'{masked}{featured}, "steps": {steps}}}'
        ).encode()


def _undirected(graphs: GraphBatch) -> Array:
    """Which graphs are symmetric and have no slots (or no arcs)."""
    union = graphs.graph
    bounds = union.indptr[graphs.offsets]
    if union.slots is not None:
        return np.diff(bounds) == 0
    indptr, indices = union.out_arcs()
    # A graph's arcs lie between the same bounds in both lists; it is symmetric if nothing between them differs.
    wrong_arcs = np.r_[0, np.cumsum(indices != union.indices)]
    wrong_nodes = np.r_[0, np.cumsum(np.diff(indptr) != union.degrees)]
    same_arcs = wrong_arcs[bounds[1:]] == wrong_arcs[bounds[:-1]]
    return same_arcs & (wrong_nodes[graphs.offsets[1:]] == wrong_nodes[graphs.offsets[:-1]])


def examples_from(graphs: Sequence[Any], task: Task, where: str) -> Examples:
    """Labelled graphs of a task that stand in a JSON file, each as in a line of a .jsonl file.

    Args:
        graphs: What the parser returned.
        task: The task.
        where: Where they were read, for errors.

    Raises:
        FormatError: One of them is malformed, or has inputs or labels that the task does not have.
    """
    lines = Lines(1 if task.kind == "evolution" else None)
    for place, graph in enumerate(graphs):
        lines.add(parse_line(json.dumps(graph).encode() + b"\n", f"{where}[{place}]"), f"{where}[{place}]")
    read = lines.examples()
    for field, names, wanted in (
        ("inputs", read.task.inputs, task.inputs),
        ("labels", read.task.classes, task.classes),
    ):
        unknown = [name for name in names if name not in wanted]
        if unknown:
            raise FormatError(f"{where}: {field} must be among {', '.join(wanted)}; got {unknown[0]!r}")
    return read.matched(task)
