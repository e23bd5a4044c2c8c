"""Graph files, by suffix: ``.json``, and ``.edges`` or ``.txt`` for edge lists.

JSON::

    {"schema": "graphfsa.graph/1", "num_nodes": 3, "directed": false, "edges": [[0, 1], [1, 2]]}
    {"schema": "graphfsa.graph/1", "num_nodes": 2, "directed": true, "edges": [[0, 1]], "slots": [0]}
    {"schema": "graphfsa.graph/1",
     "lattice": {"kind": "moore", "height": 8, "width": 8, "torus": true, "slotted": false}}

Edge list: what follows ``#`` is a comment. Before the first edge there may be lines ``nodes N`` (otherwise there are as
many nodes as the largest number needs) and ``directed``. Then one edge per line: ``u v``, or ``u v slot`` in a directed
graph.

Whatever a file holds, reading it returns a graph or raises a ``GraphFSAError`` that names the place.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import FormatError, LimitError
from graphfsa.files import MAX_BYTES, PathLike, atomic_write, read_bytes, read_json
from graphfsa.graphs import _parse
from graphfsa.graphs.graph import Graph


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


def write_graph(path: PathLike, graph: Graph) -> None:
    """Write a graph to a file, atomically: if anything fails, an old file stays as it was.

    Args:
        path: A file whose suffix says its format: ``.json``, ``.edges`` or ``.txt``. Only JSON remembers that a graph
            is a lattice; :func:`read_graph` gives back an equal graph in any case.
        graph: The graph to write.
    """
    text = _format(path)[1](_parse.check_size(str(path), graph))
    if len(text) > MAX_BYTES:
        raise LimitError(f"{path}: a graph file must have at most {MAX_BYTES} bytes; this one would have {len(text)}")
    atomic_write(path, text)


def _read_json(path: PathLike) -> Graph:
    return _parse.graph_from_json(read_json(path), str(path))


def _read_edges(path: PathLike) -> Graph:
    return _parse.graph_from_edge_list(read_bytes(path), str(path))


def _to_json(graph: Graph) -> str:
    if graph.lattice is not None:
        return json.dumps({"schema": _parse.SCHEMA, "lattice": asdict(graph.lattice)}) + "\n"
    directed, pairs = _pairs(graph)
    content = {"schema": _parse.SCHEMA, "num_nodes": graph.num_nodes, "directed": directed, "edges": pairs.tolist()}
    if graph.slots is not None:
        content["slots"] = graph.slots.tolist()
    return json.dumps(content) + "\n"


def _to_edges(graph: Graph) -> str:
    directed, pairs = _pairs(graph)
    lines = [f"nodes {graph.num_nodes}"] + ["directed"] * directed
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
        raise FormatError(f"{path}: the suffix of a graph file must be one of {', '.join(_FORMATS)}; got {suffix!r}")
    return _FORMATS[suffix]
