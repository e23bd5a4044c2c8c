"""Where the edges of a large graph come from: text, plain or compressed, GraphML, or Parquet; a chunk at a time."""

from __future__ import annotations

import gzip
from abc import ABC, abstractmethod
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import PathLike, reason_of
from graphfsa.graphs.edge_lists import EdgeList

TEXT = (".txt", ".edges", ".tsv")
_CHUNK = 1 << 20
_MAX_NODES = 2**31 - 1


class EdgeSource(ABC):
    """Edges that are read once, from the beginning or from where somebody stopped.

    Attributes:
        path: The file.
        directed: Whether each edge is one arc; known after the first chunk.
    """

    def __init__(self, path: Path, *, directed: bool) -> None:
        self.path = path
        self.directed = directed
        self._skip = 0
        self._read = 0

    @property
    def plan(self) -> dict[str, Any]:
        """What tells this source from others, and from what it was before somebody changed it."""
        status = self.path.stat()
        size = {"bytes": status.st_size, "changed": status.st_mtime_ns}
        return {"file": str(self.path.resolve()), **size, "directed": self.directed}

    @abstractmethod
    def tables(self) -> Iterator[Array]:
        """The edges, integers [number of edges, 2], in chunks."""

    def num_nodes(self, needed: int) -> int:
        """The number of nodes, of which ``needed`` are known from the edges."""
        return needed

    def state(self) -> Any:
        """How far it is; :meth:`resume` goes on from there."""
        return {"edges": self._read, "directed": self.directed}

    def resume(self, state: Any) -> None:
        """Begin where another one was."""
        if state is not None:
            self._skip, self.directed = state["edges"], state["directed"]

    def _rest(self, tables: Iterator[Array]) -> Iterator[Array]:
        """What comes after the edges that were read before; for sources without places to begin at."""
        for table in tables:
            before, self._read = self._read, self._read + len(table)
            if self._read > self._skip:
                yield table[max(0, self._skip - before) :]


def edge_source(path: PathLike, *, directed: bool) -> EdgeSource:
    """The edges in a file; its suffix says its format.

    Raises:
        FormatError: The suffix is not known.
        GraphFSAError: There is no such file, or a module that reads it is missing.
    """
    file = Path(path)
    try:
        found = file.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise GraphFSAError(f"cannot read {str(path)!r}: there is no such file")
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes[-1:] == [".parquet"]:
        return _Parquet(file, directed=directed)
    if suffixes[-1:] == [".graphml"]:
        return _GraphML(file, directed=directed)
    plain = suffixes[:-1] if suffixes[-1:] in ([".gz"], [".zst"]) else suffixes
    if plain[-1:] and plain[-1] in TEXT:
        return _Text(file, directed=directed)
    raise FormatError(
        f"{path}: an edge list must end in {', '.join(TEXT)} (these also with .gz or .zst), .graphml or .parquet"
    )


class _Text(EdgeSource):
    """Lines ``u v``; see ``graphfsa.graphs.edge_lists``."""

    def __init__(self, path: Path, *, directed: bool) -> None:
        super().__init__(path, directed=directed)
        self._list = EdgeList(str(path))

    def tables(self) -> Iterator[Array]:
        try:
            with _opened(self.path) as stream:
                _skip(stream, self._list.done)
                for table in self._list.tables(stream):
                    self.directed |= self._list.directed
                    if self._list.width == 3 or self._list.kinds is not None:
                        raise FormatError(f"{self.path}: a graph on disk has no slots and no kinds; the lines have")
                    yield table
        except (OSError, EOFError, ValueError) as error:
            if isinstance(error, GraphFSAError):
                raise
            raise GraphFSAError(f"cannot read {str(self.path)!r}: {reason_of(error)}") from error

    def num_nodes(self, needed: int) -> int:
        nodes = self._list.header.get("nodes", needed)
        if nodes > _MAX_NODES:
            raise FormatError(f"{self.path}: a graph must have fewer than 2^31 nodes; got {nodes}")
        return nodes

    def state(self) -> Any:
        edges = self._list
        return {"done": edges.done, "line": edges.line, "width": edges.width, "header": edges.header}

    def resume(self, state: Any) -> None:
        if state is not None:
            edges = self._list
            edges.done, edges.line, edges.width = state["done"], state["line"], state["width"]
            edges.header = dict(state["header"])
            self.directed |= edges.directed


def _opened(path: Path) -> Any:
    if path.suffix.lower() == ".gz":
        return gzip.open(path)
    if path.suffix.lower() != ".zst":
        return path.open("rb", buffering=0)
    for name in ("compression.zstd", "zstandard", "pyzstd"):
        try:
            return import_module(name).open(path, "rb")
        except ImportError:
            continue
    raise GraphFSAError(
        f"cannot read {str(path)!r}: this needs zstandard, which is not installed; run: pip install zstandard"
    )


def _skip(stream: Any, size: int) -> None:
    """Go to a place in a stream, which may be compressed."""
    if size and stream.seekable():
        stream.seek(size)
        return
    while size:
        size -= len(stream.read(min(size, 2**23)) or b"\0" * size)


class _GraphML(EdgeSource):
    """GraphML: nodes are numbered in the order in which the file names them."""

    def __init__(self, path: Path, *, directed: bool) -> None:
        super().__init__(path, directed=directed)
        self._numbers: dict[str, int] = {}

    def tables(self) -> Iterator[Array]:
        return self._rest(self._tables())

    def num_nodes(self, needed: int) -> int:
        return max(needed, len(self._numbers))

    def _tables(self) -> Iterator[Array]:
        found: list[tuple[int, int]] = []
        try:
            for event, element in ElementTree.iterparse(self.path, events=("start", "end")):
                tag = element.tag.rpartition("}")[2]
                if event == "start" and tag == "graph":
                    self.directed |= element.get("edgedefault") == "directed"
                elif event == "end" and tag == "node":
                    self._number(element.get("id"))
                elif event == "end" and tag == "edge":
                    found.append((self._number(element.get("source")), self._number(element.get("target"))))
                    if len(found) == _CHUNK:
                        yield np.array(found, np.int64)
                        found.clear()
                if event == "end" and tag in ("node", "edge", "data"):
                    element.clear()
        except ElementTree.ParseError as error:
            raise FormatError(f"{self.path}: not GraphML: {error}") from None
        except OSError as error:
            raise GraphFSAError(f"cannot read {str(self.path)!r}: {reason_of(error)}") from error
        yield np.array(found, np.int64).reshape(-1, 2)

    def _number(self, name: str | None) -> int:
        if name is None:
            raise FormatError(f"{self.path}: a node must have an id, and an edge a source and a target; one has none")
        return self._numbers.setdefault(name, len(self._numbers))


class _Parquet(EdgeSource):
    """Parquet: the first two columns are integers, source and target."""

    def tables(self) -> Iterator[Array]:
        return self._rest(self._tables())

    def _tables(self) -> Iterator[Array]:
        try:
            parquet: Any = import_module("pyarrow.parquet")
        except ImportError:
            raise GraphFSAError(
                f"cannot read {str(self.path)!r}: this needs pyarrow, which is not installed; run: pip install pyarrow"
            ) from None
        try:
            file = parquet.ParquetFile(self.path)
            names = file.schema_arrow.names[:2]
            batches = file.iter_batches(_CHUNK, columns=names)
            for batch in batches:
                yield self._checked([np.asarray(column) for column in batch.columns])
        except Exception as error:  # pyarrow has errors of its own, some of which are no subclass of ours to name.
            if isinstance(error, GraphFSAError | MemoryError):
                raise
            raise FormatError(f"{self.path}: not Parquet that can be read: {shown(str(error))}") from None

    def _checked(self, columns: list[Array]) -> Array:
        if len(columns) != 2 or any(column.dtype.kind not in "iu" for column in columns):
            raise FormatError(f"{self.path}: the first two columns must be integers, the ends of edges, without gaps")
        table = np.stack(columns, axis=1).astype(np.int64)
        if len(table) and (table.min() < 0 or table.max() >= _MAX_NODES):
            raise FormatError(
                f"{self.path}: nodes must be in 0 .. {_MAX_NODES - 1}; got {table.min()} to {table.max()}"
            )
        return table


def is_edge_list(text: str) -> bool:
    """Whether a name is that of an edge list that can be packed."""
    name = text.lower().removesuffix(".gz").removesuffix(".zst")
    return name.endswith((*TEXT, ".graphml", ".parquet"))
