"""Graphs on disk: ``.gfsa`` files, whose arcs are read when they are needed.

A file has a page of 4096 bytes, the words of all tiles (see ``graphfsa.graphs.tiles``), and an index; numbers are
little endian. The page: ``MAGIC``, the length of a JSON object and its CRC-32 (32 bits each), the object, zeros::

    {"schema": "graphfsa.tiles/1", "num_nodes": 4, "num_arcs": 6, "symmetric": true, "digest": "0ab1...", "tiles": 1,
     "pieces": 1, "index": "SHA-256 of the index"}

The index: for each row of tiles its number of tiles that are not empty; for each piece of 2^22 words or less, into
which rows are cut, its CRC-32; for each tile its number of words (all 32 bits); for each tile its column (16 bits). So
an arc takes 4 bytes, and a tile that is not empty 6 bytes more.

Opening checks the page and the index; the words of a piece are checked when they are read for the first time.
"""

from __future__ import annotations

import json
import os
import re
import stat
import weakref
import zlib
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import PathLike, file_kind, reason_of
from graphfsa.graphs.tiled import TiledGraph
from graphfsa.graphs.tiles import BITS, PIECE, SIDE, Piece, Tiles, blocks_of
from graphfsa.memory import check_memory

SCHEMA = "graphfsa.tiles/1"
SUFFIX = ".gfsa"
MAGIC = b"\x8aGFSA\r\n\x1a"
PAGE = 4096
_FIELDS = {"num_nodes": 31, "num_arcs": 62, "tiles": 31, "pieces": 31}
"""Numbers of the page, and how many bits each may have."""
_INDEX = (("rows", "<u4"), ("sums", "<u4"), ("sizes", "<u4"), ("columns", "<u2"))


def open_graph(path: PathLike) -> TiledGraph:
    """Open a graph that ``graphfsa graph pack`` or :func:`pack` has written. Its arcs stay on disk.

    Args:
        path: A ``.gfsa`` file.

    Raises:
        FormatError: It is no such file, or it is damaged.
        GraphFSAError: It can't be read.
    """
    source = _Source(path)
    page = _page(str(path), source.read(0, min(PAGE, source.size)))
    blocks, tiles, pieces = blocks_of(page["num_nodes"]), page["tiles"], page["pieces"]
    counts = {"rows": blocks, "sums": pieces, "sizes": tiles, "columns": tiles}
    lengths = [counts[name] * np.dtype(kind).itemsize for name, kind in _INDEX]
    expected = PAGE + 4 * page["num_arcs"] + sum(lengths)
    if source.size != expected:
        what = "it is cut off" if source.size < expected else "something was added"
        raise FormatError(f"{path}: the file must have {expected} bytes; it has {source.size}: {what}")
    check_memory(f"the index of {path}", 3 * sum(lengths), "use a machine with more memory")
    content = source.read(PAGE + 4 * page["num_arcs"], sum(lengths))
    if sha256(content).hexdigest() != page["index"]:
        raise FormatError(f"{path}: the index is damaged: its checksum is not the one that was written")
    places = np.concatenate(([0], np.cumsum(lengths)))
    index = {
        name: np.frombuffer(content[low:high], kind)
        for (name, kind), low, high in zip(_INDEX, places, places[1:], strict=False)
    }
    found = FileTiles(source, page["num_nodes"], page["num_arcs"], page["symmetric"], index)
    found.check_index()
    return TiledGraph(found, page["digest"])


class FileTiles(Tiles):
    """Tiles in a file.

    Args:
        source: The file.
        num_nodes: Number of nodes.
        num_arcs: Number of arcs.
        symmetric: Whether the graph is undirected.
        index: The arrays of the index.
    """

    def __init__(
        self, source: _Source | PathLike, num_nodes: int, num_arcs: int, symmetric: bool, index: dict[str, Array]
    ) -> None:
        self._source = source if isinstance(source, _Source) else _Source(source)
        self.num_nodes, self.num_arcs, self.symmetric = num_nodes, num_arcs, symmetric
        self.name = f"the graph {str(self._source.path)!r}"
        self._sizes, self._columns, self._sums = index["sizes"], index["columns"], index["sums"]
        self._first_tile = np.concatenate(([0], np.cumsum(index["rows"], dtype=np.int64)))
        before = np.concatenate(([0], np.cumsum(self._sizes, dtype=np.int64)))
        self._begins = before[np.minimum(self._first_tile, len(self._sizes))]
        self._first_piece = np.concatenate(([0], np.cumsum(-(-np.diff(self._begins) // PIECE))))
        self._seen = np.zeros(len(self._sums), bool)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (str(self._source.path),)

    def check_index(self) -> None:
        """Raise unless the numbers of the index fit together: a file may come from anywhere."""
        total = self._first_tile[-1], self._begins[-1], self._first_piece[-1]
        if total != (len(self._sizes), self.num_arcs, len(self._sums)):
            raise self._damaged("its index does not add up to its numbers of tiles, arcs and pieces")
        if len(self._sizes) and (self._sizes.min() == 0 or self._columns.max() >= self.blocks):
            raise self._damaged("its index has an empty tile, or one outside the graph")
        rises = np.diff(self._columns.astype(np.int32)) > 0
        starts = self._first_tile[1:-1]
        rises[starts[(starts > 0) & (starts < len(self._sizes))] - 1] = True
        if not rises.all():
            raise self._damaged("the tiles of a row are not in order")

    def row(self, block: int) -> tuple[Array, Array]:  # noqa: D102
        tiles = slice(self._first_tile[block], self._first_tile[block + 1])
        return self._columns[tiles].astype(np.int64), self._sizes[tiles].astype(np.int64)

    def begin(self, block: int) -> int:  # noqa: D102
        return int(self._begins[block])

    def words(self, block: int, piece: Piece, buffer: Array) -> Array:  # noqa: D102
        words = buffer[: piece.size]
        if self._source.read_into(words, PAGE + 4 * piece.begin) < words.nbytes:
            raise self._damaged("it was cut off while it was in use")
        if not np.little_endian:
            words.byteswap(inplace=True)
        number = int(self._first_piece[block]) + (piece.begin - self.begin(block)) // PIECE
        if not self._seen[number]:
            self._check(block, piece, words, int(self._sums[number]))
            self._seen[number] = True
        return words

    def _check(self, block: int, piece: Piece, words: Array, expected: int) -> None:
        found = zlib.crc32(words.astype("<u4", copy=False).data)
        if found != expected:
            raise self._damaged(f"the checksum of arcs {piece.begin} to {piece.begin + piece.size - 1} does not hold")
        rest = self.num_nodes - ((self.blocks - 1) << BITS)
        last = piece.columns[-1] == self.blocks - 1
        outside = last and (words[piece.ends[-2] :] & np.uint32(SIDE - 1)).max() >= rest
        if outside or (block == self.blocks - 1 and (words >> np.uint32(BITS)).max() >= rest):
            raise self._damaged(f"an arc leads outside the {self.num_nodes} nodes")

    def check_symmetry(self) -> None:
        """Raise if the file says that the graph is undirected, and it is not. Goes over all arcs.

        The arcs and their reverses are the same set if their hashes have the same sum, but for one case in 2^64.
        """
        there = back = 0
        for block in range(self.blocks if self.symmetric else 0):
            degrees, sources = self.sources_of(block)
            first = block << BITS
            targets = np.repeat(np.arange(first, first + len(degrees), dtype=np.uint64), degrees)
            there += int(_mixed(sources.astype(np.uint64), targets).sum(dtype=np.uint64))
            back += int(_mixed(targets, sources.astype(np.uint64)).sum(dtype=np.uint64))
        if (there - back) % 2**64:
            raise self._damaged("it says that its graph is undirected, and an arc has no way back")

    def _damaged(self, problem: str) -> FormatError:
        return FormatError(f"{self._source.path}: the file is damaged: {problem}; pack it again")


def _mixed(high: Array, low: Array) -> Array:
    """A hash of pairs of 32-bit numbers, uint64."""
    found = (high << np.uint64(32) | low) * np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ found >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    return found ^ found >> np.uint64(32)


class _Source:
    """A file that several threads read at any place."""

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        self._lock = Lock()
        try:
            status = self.path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise GraphFSAError(f"cannot read {str(path)!r}: it is {file_kind(status.st_mode)}")
            self._descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except (OSError, ValueError) as error:
            if isinstance(error, GraphFSAError):
                raise
            raise GraphFSAError(f"cannot read {str(path)!r}: {reason_of(error)}") from error
        weakref.finalize(self, os.close, self._descriptor)
        self.size = status.st_size

    def read(self, offset: int, size: int) -> bytes:
        """Some bytes; fewer if the file ends."""
        found = np.empty(size, np.uint8)
        return found[: self.read_into(found, offset)].tobytes()

    def read_into(self, array: Array, offset: int) -> int:
        """Fill an array; returns the number of bytes that there were."""
        view, done = array.data.cast("B"), 0
        try:
            while done < len(view):
                got = self._read_some(view[done:], offset + done)
                if not got:
                    break
                done += got
        except OSError as error:
            raise GraphFSAError(f"cannot read {str(self.path)!r}: {reason_of(error)}") from error
        return done

    def _read_some(self, view: memoryview, offset: int) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self._descriptor, [view], offset)
        with self._lock:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            content = os.read(self._descriptor, min(len(view), 2**24))
        view[: len(content)] = content
        return len(content)


def page_of(fields: dict[str, Any]) -> bytes:
    """The first page of a file."""
    text = json.dumps({"schema": SCHEMA, **fields}).encode()
    head = MAGIC + len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little")
    return (head + text).ljust(PAGE, b"\0")


def _page(path: str, data: bytes) -> dict[str, Any]:
    if data[:8] != MAGIC:
        raise FormatError(f"{path}: not a graph that 'graphfsa graph pack' has written: it does not begin as one")
    length, checksum = (int.from_bytes(data[place : place + 4], "little") for place in (8, 12))
    text = data[16 : 16 + length]
    if len(data) < PAGE or length > PAGE - 16 or zlib.crc32(text) != checksum:
        raise FormatError(f"{path}: the file is damaged: the checksum of its first page does not hold; pack it again")
    try:
        page = json.loads(text)
    except (ValueError, RecursionError):
        page = None
    if not isinstance(page, dict) or page.get("schema") != SCHEMA:
        got = page.get("schema") if isinstance(page, dict) else page
        raise FormatError(f"{path}: field 'schema' must be {SCHEMA!r}; got {shown(got)}")
    for name, bits in _FIELDS.items():
        if type(page.get(name)) is not int or not 0 <= page[name] < 2**bits:
            raise FormatError(f"{path}: field {name!r} must be an integer below 2^{bits}; got {shown(page.get(name))}")
    for name in ("digest", "index"):
        if not isinstance(page.get(name), str) or not re.fullmatch("[0-9a-f]{64}", page[name]):
            raise FormatError(f"{path}: field {name!r} must be 64 hexadecimal digits; got {shown(page.get(name))}")
    if not isinstance(page.get("symmetric"), bool):
        raise FormatError(f"{path}: field 'symmetric' must be true or false; got {shown(page.get('symmetric'))}")
    return page


def _reopened(path: str) -> Tiles:
    return open_graph(path).tiles
