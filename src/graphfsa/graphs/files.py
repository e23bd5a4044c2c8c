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
from array import array
from collections.abc import Callable
from dataclasses import asdict
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.files import MAX_BYTES, PathLike, atomic_write, read_bytes, read_json
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.graph import MAX_SLOTS, Graph
from graphfsa.graphs.lattice import Lattice

SCHEMA = "graphfsa.graph/1"
MAX_NODES = 2**26
MAX_LINE = 2**16

_FIELDS = {"schema": str, "num_nodes": int, "directed": bool, "edges": list}
_LATTICE = {"kind": str, "height": int, "width": int, "torus": bool, "slotted": bool}
_HEADERS = ("nodes", "directed", "kinds")
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
    return graph_from_edge_list(read_bytes(path), str(path))


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


def graph_from_edge_list(data: bytes, source: str) -> Graph:
    """Build a graph from the content of an edge list.

    Args:
        data: The content of the file.
        source: Where it came from, for error messages.
    """
    reader = _EdgeList(source)
    lines = BytesIO(data.removeprefix(b"\xef\xbb\xbf"))
    # Lines are read up to a limit: a file without line ends must not become one line of a billion words.
    for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE), b""), 1):
        if len(line) == MAX_LINE:
            raise FormatError(f"{source}: line {number}: a line must have fewer than {MAX_LINE} bytes")
        words = line.partition(b"#")[0].split()
        if words:
            reader.line(number, words)
    return reader.graph()


class _EdgeList:
    """What has been read of an edge list."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._header: dict[str, int] = {}
        self._width = 0
        self._kinds: list[Any] | None = None
        self._numbers = array("q")
        self._lines = array("q")

    def line(self, number: int, words: list[bytes]) -> None:
        """Read one line that is not empty."""
        if len(words) != self._width:
            if not self._width and not words[0][:1].isdigit():
                self._header_line(number, words)
                return
            self._check_width(number, words)
        for word in words:
            # Nine digits hold every node that a file may have, and keep int() away from absurd numbers.
            if not word.isdigit() or len(word) > 9:
                self._refuse(number, words, f"a node or a slot must be an integer below 10^9; got {_word(word)}")
            self._numbers.append(int(word))
        self._lines.append(number)

    def graph(self) -> Graph:
        """The graph that the lines describe."""
        table = np.frombuffer(self._numbers, np.int64) if self._numbers else np.empty(0, np.int64)
        table = table.reshape(-1, self._width or 2)
        edges, slots = table[:, :2], table[:, 2] if self._width == 3 else None
        num_nodes = self._header.get("nodes", int(edges.max(initial=-1)) + 1)
        self._check_column(edges.max(axis=1, initial=0), num_nodes, "a node")
        _check_nodes(self._source, num_nodes)
        if slots is not None:
            self._check_column(slots, MAX_SLOTS, "a slot")
        return _build(self._source, num_nodes, edges, "directed" in self._header, slots, self._kinds)

    def _header_line(self, number: int, words: list[bytes]) -> None:
        name = words[0].decode("ascii", "replace")
        if name not in _HEADERS or (name != "kinds" and len(words) != 1 + (name == "nodes")):
            expected = "a line must be 'nodes N', 'directed', 'kinds [...]', 'u v' or 'u v slot'"
            self._fail(number, f"{expected}; got {_word(b' '.join(words))}")
        if name in self._header:
            self._fail(number, f"{name!r} must be given once")
        if name == "nodes" and not (words[1].isdigit() and len(words[1]) <= 18):
            self._fail(number, f"'nodes' must be followed by an integer; got {_word(words[1])}")
        if name == "kinds":
            self._kinds = self._read_kinds(number, b" ".join(words[1:]))
        self._header[name] = int(words[1]) if name == "nodes" else 1

    def _read_kinds(self, number: int, text: bytes) -> list[Any]:
        try:
            kinds = json.loads(text)
        except (ValueError, RecursionError):
            kinds = None
        if not isinstance(kinds, list):
            self._fail(number, f"'kinds' must be followed by a JSON list of names; got {_word(text)}")
        return kinds

    def _check_width(self, number: int, words: list[bytes]) -> None:
        if self._width:
            shape = ("u v", "u v slot")[self._width - 2]
            self._refuse(number, words, f"an edge must be {shape!r} as the first is; got {_word(b' '.join(words))}")
        if len(words) not in (2, 3):
            self._fail(number, f"an edge must be 'u v' or 'u v slot'; got {_word(b' '.join(words))}")
        if len(words) == 3 and not self._header.keys() & {"directed", "kinds"}:
            self._fail(
                number,
                "an edge must be 'u v'; a third number is a slot, which needs a line 'directed' or 'kinds [...]' "
                f"before the first edge (edges have no weights); got {_word(b' '.join(words))}",
            )
        self._width = len(words)

    def _check_column(self, values: Array, size: int, what: str) -> None:
        wrong = np.flatnonzero(values >= size)
        if len(wrong):
            self._fail(self._lines[int(wrong[0])], f"{what} must be below {size}; got {values[wrong[0]]}")

    def _refuse(self, number: int, words: list[bytes], problem: str) -> NoReturn:
        late = words[0].decode("ascii", "replace")
        self._fail(number, f"{late!r} must come before the first edge" if late in _HEADERS else problem)

    def _fail(self, number: int, problem: str) -> NoReturn:
        raise FormatError(f"{self._source}: line {number}: {problem}")


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


def _word(word: bytes) -> str:
    return shown(word[:100].decode("utf-8", "replace"))
