"""Graph files, by suffix: ``.json``, and ``.edges`` or ``.txt`` for edge lists.

JSON::

    {"schema": "graphfsa.graph/1", "num_nodes": 3, "directed": false, "edges": [[0, 1], [1, 2]]}
    {"schema": "graphfsa.graph/1", "num_nodes": 2, "directed": true, "edges": [[0, 1]], "slots": [0]}
    {"schema": "graphfsa.graph/1", "num_nodes": 2, "directed": false, "edges": [[0, 1]], "slots": [0],
     "kinds": ["double"]}
    {"schema": "graphfsa.graph/1",
     "lattice": {"kind": "moore", "height": 8, "width": 8, "torus": true, "slotted": false}}

Edge list: what follows ``#`` is a comment. Before the first edge there may be lines ``nodes N`` (otherwise there are as
many nodes as the largest number needs), ``directed``, and ``kinds`` with a JSON list of names. Then one edge per line:
``u v``, or ``u v slot`` in a directed graph or one with kinds, where a slot is the number of a kind.

Whatever a file holds, reading it returns a graph or raises a ``GraphFSAError`` that names the place.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.files import MAX_BYTES, PathLike, atomic_write, read_bytes, read_json
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.edge_lists import EdgeList
from graphfsa.graphs.graph import MAX_SLOTS, Graph
from graphfsa.graphs.lattice import Lattice

SCHEMA = "graphfsa.graph/1"
MAX_NODES = 2**26

_FIELDS = {"schema": str, "num_nodes": int, "directed": bool, "edges": list}
_LATTICE = {"kind": str, "height": int, "width": int, "torus": bool, "slotted": bool}
_HASH = "\\u0023"
"""The sign that begins a comment, as it stands in a JSON string."""
_TYPE_NAMES = {str: "a string", int: "an integer", bool: "true or false", list: "a list", dict: "an object"}


def read_graph(path: PathLike) -> Graph:
    """Read a graph from a file of at most 1 GiB.

    Args:
        path: A file whose suffix says its format: ``.json``, ``.edges`` or ``.txt``.

    Raises:
        FormatError: The suffix is not known or the content is malformed; the message names the line or the field.
        LimitError: The file or the graph is too large.
        GraphFSAError: The file cannot be read.
    """
    read, _ = _format(path)
    try:
        return read(path)
    except MemoryError:
        raise LimitError(f"{path}: the graph does not fit in memory") from None


def write_graph(path: PathLike, graph: GraphLike) -> None:
    """Write a graph to a file, atomically: if anything fails, an old file stays as it was.

    Args:
        path: A file whose suffix says its format: ``.json``, ``.edges`` or ``.txt``. Only JSON remembers that a graph
            is a lattice; :func:`read_graph` gives back an equal graph in any case.
        graph: The graph to write, without its node names; one of NetworkX, SciPy or PyG will do.
    """
    text = _format(path)[1](_check_size(str(path), as_graph(graph)))
    if len(text) > MAX_BYTES:
        raise LimitError(f"{path}: a graph file must have at most {MAX_BYTES} bytes; this one would have {len(text)}")
    atomic_write(path, text)


def _read_json(path: PathLike) -> Graph:
    return graph_from_json(read_json(path), str(path))


def _read_edges(path: PathLike) -> Graph:
    source = str(path)
    reader = EdgeList(source)
    parts = list(reader.tables(BytesIO(read_bytes(path))))
    table = np.concatenate(parts) if parts else np.empty((0, 2), np.int32)
    edges, slots = table[:, :2], table[:, 2] if reader.width == 3 else None
    num_nodes = reader.header.get("nodes", int(edges.max(initial=-1)) + 1)
    _check_nodes(source, num_nodes)
    return _build(source, num_nodes, edges, reader.directed, slots, reader.kinds)


def _to_json(graph: Graph) -> str:
    if graph.lattice is not None:
        return json.dumps({"schema": SCHEMA, "lattice": asdict(graph.lattice)}) + "\n"
    directed, pairs = _pairs(graph)
    content = {"schema": SCHEMA, "num_nodes": graph.num_nodes, "directed": directed, "edges": pairs.tolist()}
    if graph.slots is not None:
        content["slots"] = graph.slots.tolist()
    if graph.kinds is not None:
        content["kinds"] = list(graph.kinds)
    return json.dumps(content) + "\n"


def _to_edges(graph: Graph) -> str:
    directed, pairs = _pairs(graph)
    lines = [f"nodes {graph.num_nodes}"] + ["directed"] * directed
    if graph.kinds is not None:
        lines.append(f"kinds {json.dumps(graph.kinds).replace('#', _HASH)}")
    if graph.slots is None:
        lines += map("{} {}".format, *pairs.T.tolist())
    else:
        lines += map("{} {} {}".format, *pairs.T.tolist(), graph.slots.tolist())
    return "\n".join(lines) + "\n"


def _pairs(graph: Graph) -> tuple[bool, Array]:
    """Whether to write the graph as directed, and its edges [num_edges, 2], each once."""
    pairs = np.stack((graph.indices, graph.targets()), axis=1)
    if graph.slots is not None or not graph.symmetric:
        return True, pairs
    return False, pairs[pairs[:, 0] <= pairs[:, 1]]


_FORMATS: dict[str, tuple[Callable[[PathLike], Graph], Callable[[Graph], str]]] = {
    ".json": (_read_json, _to_json),
    ".edges": (_read_edges, _to_edges),
    ".txt": (_read_edges, _to_edges),
}


def _format(path: PathLike) -> tuple[Callable[[PathLike], Graph], Callable[[Graph], str]]:
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise FormatError(
            f"{path}: the suffix of a graph file must be one of {', '.join(_FORMATS)}; got {suffix!r} (what NetworkX "
            "reads is taken from Python as it is)"
        )
    return _FORMATS[suffix]


def _check_size(source: str, graph: Graph) -> Graph:
    """Refuse a graph with more nodes than files may have; return it otherwise."""
    _check_nodes(source, graph.num_nodes)
    return graph


def graph_from_json(data: Any, source: str) -> Graph:
    """Build a graph from parsed JSON.

    Args:
        data: What the JSON parser returned.
        source: Where it came from, for error messages.
    """
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        got = data.get("schema") if isinstance(data, dict) else data
        raise FormatError(f"{source}: field 'schema' must be {SCHEMA!r}; got {shown(got)}")
    if "lattice" in data:
        _check_fields(source, "", data, {"schema": str, "lattice": dict})
        return _lattice(source, data["lattice"])
    optional = {name: list for name in ("slots", "kinds") if name in data}
    _check_fields(source, "", data, _FIELDS | optional)
    num_nodes = data["num_nodes"]
    if num_nodes < 0:
        raise FormatError(f"{source}: field 'num_nodes' must be at least 0; got {shown(num_nodes)}")
    _check_nodes(source, num_nodes)
    edges = parse_edges(source, data["edges"], num_nodes)
    slots = None
    if "slots" in data:
        if len(data["slots"]) != len(edges):
            raise FormatError(
                f"{source}: field 'slots' must have one entry per edge, {len(edges)}; got {len(data['slots'])}"
            )
        slots = parse_numbers(source, "slots", data["slots"], MAX_SLOTS)
    return _build(source, num_nodes, edges, data["directed"], slots, data.get("kinds"))


def _build(
    source: str, num_nodes: int, edges: Array, directed: bool, slots: Array | None, kinds: list[Any] | None
) -> Graph:
    try:
        return Graph.from_edges(num_nodes, edges, directed=directed, slots=slots, kinds=kinds)
    except GraphFSAError as error:
        raise FormatError(f"{source}: {error}") from None


def _lattice(source: str, fields: dict[str, Any]) -> Graph:
    _check_fields(source, "lattice.", fields, _LATTICE)
    _check_nodes(source, fields["height"] * fields["width"])
    try:
        lattice = Lattice(**fields)
    except GraphFSAError as error:
        raise FormatError(f"{source}: field 'lattice': {str(error)[:300]}") from None
    return Graph.from_lattice(lattice)


def _check_fields(source: str, prefix: str, data: dict[str, Any], fields: dict[str, type]) -> None:
    for name, kind in fields.items():
        if name not in data:
            raise FormatError(f"{source}: field {prefix + name!r} is missing")
        if type(data[name]) is not kind:
            raise FormatError(f"{source}: field {prefix + name!r} must be {_TYPE_NAMES[kind]}; got {shown(data[name])}")
    unknown = sorted(data.keys() - fields.keys())
    if unknown:
        raise FormatError(f"{source}: unknown field {shown(prefix + unknown[0])}; the fields are {', '.join(fields)}")


def _check_nodes(source: str, num_nodes: int) -> None:
    if num_nodes > MAX_NODES:
        raise LimitError(f"{source}: a graph file must have at most {MAX_NODES} nodes; got {shown(num_nodes)}")


def parse_edges(source: str, edges: list[Any], num_nodes: int) -> Array:
    """Pairs of nodes as an array [num_edges, 2]; an error names the edge."""
    # Whole lists are checked at once; only a list with a fault is walked, to name its place.
    if set(map(type, edges)) - {list} or set(map(len, edges)) - {2}:
        for place, pair in enumerate(edges):
            if type(pair) is not list or len(pair) != 2:
                raise FormatError(f"{source}: edges[{place}] must be a pair of nodes; got {shown(pair)}")
    flat = list(chain.from_iterable(edges))
    return parse_numbers(source, "edges", flat, num_nodes, width=2).reshape(-1, 2)


def parse_numbers(source: str, field: str, values: list[Any], size: int, width: int = 1) -> Array:
    """Integers in ``0 .. size - 1`` as an array; an entry of the field is ``width`` of them."""
    integers = not set(map(type, values)) - {int}
    if not integers or (values and not 0 <= min(values) <= max(values) < size):
        for place, value in enumerate(values):
            if type(value) is not int or not 0 <= value < size:
                what = f"{source}: {field}[{place // width}]"
                raise FormatError(f"{what} must hold integers >= 0 and < {size}; got {shown(value)}")
    return np.array(values, np.int64)
