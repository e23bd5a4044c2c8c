"""Writes graphs to disk in memory of a fixed size: edge lists by an external sort, other graphs row by row.

Edges are read in chunks; each chunk is sorted by where its arcs go and kept as a run. Then the runs are merged, some
rows of tiles at a time. An arc is one number, so that sorting is sorting of numbers: block of the target, block of the
source, target and source within their blocks (15, 15, 16 and 16 bits).
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import GraphError, LimitError
from graphfsa.files import PathLike
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.edge_sources import EdgeSource, edge_source
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.stored import PAGE, FileTiles, open_graph, page_of
from graphfsa.graphs.tiled import TiledGraph
from graphfsa.graphs.tiles import BITS, PIECE, SIDE, blocks_of, words_of
from graphfsa.memory import check_memory
from graphfsa.spooling import Spool

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, and how many arcs of how many are done (None: not known)."""
_RUN = 1 << 25
"""Arcs that are sorted at once: 256 MiB."""
_INDEX = {"rows": "<u4", "sums": "<u4", "sizes": "<u4", "columns": "<u2"}


def pack(
    source: GraphLike | PathLike, out: PathLike, *, directed: bool = False, progress: Progress | None = None
) -> TiledGraph:
    """Write a graph to a ``.gfsa`` file, from which it can be run without being in memory.

    The file is there as a whole or not at all. If packing stops on the way, the same call goes on where it stopped.

    Args:
        source: A graph; or an edge list: a ``.txt``, ``.edges`` or ``.tsv`` file, also compressed (``.gz``; ``.zst`` if
            ``zstandard`` is installed), ``.graphml``, or ``.parquet`` if ``pyarrow`` is installed.
        out: The file to write.
        directed: Whether each edge of an edge list is one arc, as in one with a line ``directed``; a graph knows.
        progress: Called now and then with what is being done.

    Returns:
        The graph, opened.

    Raises:
        GraphError: The graph has slots or kinds of arcs, which such files do not keep.
        LimitError: There is too little room on the disk.
        GraphFSAError: A file is malformed, can't be read, or can't be written.
    """
    tell = progress or (lambda _what, _done, _of: None)
    if isinstance(source, str | Path):
        edges = edge_source(source, directed=directed)
        with Spool(out, {"schema": "graphfsa.packing/1", **edges.plan}) as spool:
            _sort_runs(edges, spool, tell)
            _write(spool, _Merge(spool), tell)
    else:
        graph = as_graph(source)
        if graph.slots is not None:
            raise GraphError("a graph on disk has no slots and no kinds of arcs; this one has")
        _check_room(out, graph)
        plan = {"graph": graph.tiles.name if isinstance(graph, TiledGraph) else graph.digest}
        with Spool(out, {"schema": "graphfsa.packing/1", **plan}) as spool:
            _write(spool, _Rows(graph), tell)
    return open_graph(out)


def _check_room(out: PathLike, graph: Graph) -> None:
    blocks = blocks_of(graph.num_nodes)
    needed = 4 * graph.num_arcs + 12 * min(blocks * blocks, graph.num_arcs)
    parent = Path(out).resolve().parent
    if needed > 2**20 and parent.is_dir() and (free := shutil.disk_usage(parent).free) < needed:
        raise LimitError(
            f"{str(out)!r} would take up to {needed / 2**30:,.1f} GiB, and {free / 2**30:,.1f} are free on its disk; "
            "choose another disk or a smaller graph"
        )


def _sort_runs(edges: EdgeSource, spool: Spool, tell: Progress) -> None:
    """Read the edges into sorted runs; nothing if that is done."""
    notes = spool.notes
    if "arcs" in notes and _whole(spool):
        return
    if not _whole(spool):
        spool.notes.clear()
    edges.resume(notes.get("reader"))
    runs: list[int] = list(notes.get("runs", []))
    nodes = int(notes.get("nodes", 0))
    waiting: list[Array] = []

    def flush() -> None:
        keys = np.concatenate(waiting) if waiting else np.empty(0, np.uint64)
        waiting.clear()
        if len(keys):
            keys.sort()
            spool.write(f"run-{len(runs)}", keys.astype("<u8", copy=False), 0)
            runs.append(len(keys))
        spool.note(runs=runs, nodes=nodes, reader=edges.state())

    for table in edges.tables():
        waiting.append(_keys(table, edges.directed))
        nodes = max(nodes, int(table.max(initial=-1)) + 1)
        size = sum(map(len, waiting))
        tell("reading edges", sum(runs) + size, None)
        if size >= _RUN:
            flush()
    flush()
    spool.note(arcs=sum(runs), nodes=edges.num_nodes(nodes), symmetric=not edges.directed)


def _whole(spool: Spool) -> bool:
    return all(spool.size(f"run-{run}") == 8 * size for run, size in enumerate(spool.notes.get("runs", [])))


def _keys(table: Array, directed: bool) -> Array:
    """The arcs of some edges as numbers."""
    sources, targets = table[:, 0].astype(np.uint64), table[:, 1].astype(np.uint64)
    keys = _key(sources, targets)
    if directed:
        return keys
    proper = sources != targets
    return np.concatenate((keys, _key(targets[proper], sources[proper])))


def _key(sources: Array, targets: Array) -> Array:
    bits, mask = np.uint64(BITS), np.uint64(SIDE - 1)
    keys = (targets >> bits << bits) | (sources >> bits)
    return ((keys << bits) | (targets & mask)) << bits | (sources & mask)


class _Rows:
    """The rows of a graph that has them, from any row on."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.num_nodes, self.num_arcs = graph.num_nodes, graph.num_arcs
        self.symmetric = graph.tiles.symmetric if isinstance(graph, TiledGraph) else graph.symmetric

    def rows(self, first: int) -> Iterator[tuple[Array, Array, Array]]:
        """Columns and sizes of the tiles, and words, of each row."""
        return (self._row(block) for block in range(first, blocks_of(self.num_nodes)))

    def _row(self, block: int) -> tuple[Array, Array, Array]:
        if isinstance(self._graph, TiledGraph):
            tiles = self._graph.tiles
            columns, sizes = tiles.row(block)
            words, place, buffer = np.empty(int(sizes.sum()), np.uint32), 0, np.empty(PIECE, np.uint32)
            for piece in tiles.pieces(block):
                words[place : place + piece.size] = tiles.words(block, piece, buffer)
                place += piece.size
            return columns, sizes, words
        first = block * SIDE
        ends = self._graph.indptr[first : first + SIDE + 1]
        sources = self._graph.indices[ends[0] : ends[-1]].astype(np.uint64)
        targets = np.repeat(np.arange(len(ends) - 1, dtype=np.uint64), np.diff(ends))
        keys = _key(sources, targets)
        columns = (sources >> np.uint64(BITS)).astype(np.uint16)
        return words_of(keys[np.argsort(columns, kind="stable")])


class _Merge:
    """The rows of sorted runs, from any row on."""

    def __init__(self, spool: Spool) -> None:
        notes = spool.notes
        self.num_nodes, self.num_arcs, self.symmetric = notes["nodes"], notes["arcs"], notes["symmetric"]
        self._runs = [
            np.memmap(spool.path(f"run-{run}"), "<u8", "r", shape=(size,)) for run, size in enumerate(notes["runs"])
        ]

    def rows(self, first: int) -> Iterator[tuple[Array, Array, Array]]:
        """Columns and sizes of the tiles, and words, of each row."""
        blocks = blocks_of(self.num_nodes)
        borders = np.arange(first, blocks + 1, dtype=np.uint64) << np.uint64(32 + BITS)
        places = np.array([np.searchsorted(run, borders) for run in self._runs]).reshape(len(self._runs), len(borders))
        before = places.sum(axis=0)
        start = 0
        while start < blocks - first:  # As many rows as fit, and one in any case.
            stop = max(start + 1, int(np.searchsorted(before, before[start] + _RUN, side="right")) - 1)
            check_memory("a row of tiles", 20 * int(before[stop] - before[start]), "use a machine with more memory")
            keys = np.concatenate(
                [np.empty(0, np.uint64)]
                + [run[place[start] : place[stop]] for run, place in zip(self._runs, places, strict=True)]
            )
            keys.sort()
            cuts = np.searchsorted(keys, borders[start : stop + 1])
            low = (np.uint64(1) << np.uint64(32 + BITS)) - np.uint64(1)
            for begin, end in pairwise(cuts):
                yield words_of(keys[begin:end] & low)
            start = stop


def _write(spool: Spool, source: _Rows | _Merge, tell: Progress) -> None:
    """Write the words and the index row by row, then the digest, then the page: with it the file is whole."""
    writer = _Writer(spool, source, tell)
    writer.rows()
    index = {name: np.fromfile(spool.path(name), kind) for name, kind in _INDEX.items()}
    tell("checking", 0, None)
    tiles = FileTiles(spool.path("arcs"), source.num_nodes, source.num_arcs, source.symmetric, index)
    digest = tiles.digest()
    del tiles
    at, hasher = PAGE + 4 * source.num_arcs, sha256()
    for name, array in index.items():
        hasher.update(array.data)
        at = spool.append("arcs", name, at)
    fields = {
        "num_nodes": source.num_nodes,
        "num_arcs": source.num_arcs,
        "symmetric": source.symmetric,
        "digest": digest,
        "tiles": len(index["sizes"]),
        "pieces": len(index["sums"]),
        "index": hasher.hexdigest(),
    }
    spool.write("arcs", page_of(fields), 0, last=False)
    spool.finish("arcs")


class _Writer:
    """Writes rows in batches, and notes how far it is."""

    def __init__(self, spool: Spool, source: _Rows | _Merge, tell: Progress) -> None:
        self._spool, self._source, self._tell = spool, source, tell
        self._done: dict[str, int] = dict(spool.notes.get("done", {}))
        begun = all(self._spool.size(name) >= self._begin(name) for name in ("arcs", *_INDEX))
        if not self._done or not begun:
            self._done = {"arcs": 0, **dict.fromkeys(_INDEX, 0)}
            for name in ("arcs", *_INDEX):
                spool.write(name, b"", 0)
            spool.write("arcs", bytes(PAGE), 0)
        self._waiting: dict[str, list[Array]] = {name: [] for name in self._done}
        self._size = 0

    def _begin(self, name: str) -> int:
        """Where the next part of a piece goes."""
        done = self._done.get(name, 0)
        return PAGE + 4 * done if name == "arcs" else np.dtype(_INDEX[name]).itemsize * done

    def rows(self) -> None:
        """Write all rows that are not written."""
        for columns, sizes, words in self._source.rows(self._done["rows"]):
            stored = words.astype("<u4", copy=False)
            sums = [zlib.crc32(stored[place : place + PIECE].data) for place in range(0, len(words), PIECE)]
            new = {"arcs": stored, "rows": [len(columns)], "sums": sums, "sizes": sizes, "columns": columns}
            for name, values in new.items():
                self._waiting[name].append(np.asarray(values, _INDEX.get(name, "<u4")))
            self._size += len(words)
            if self._size >= _RUN // 2 or len(self._waiting["rows"]) >= SIDE:
                self._flush()
        self._flush()

    def _flush(self) -> None:
        for name, parts in self._waiting.items():
            whole = np.concatenate(parts) if parts else np.empty(0, np.uint8)
            self._spool.write(name, whole, self._begin(name))
            self._done[name] += len(whole)
            parts.clear()
        self._size = 0
        self._spool.note(done=self._done)
        self._tell("writing arcs", self._done["arcs"], self._source.num_arcs)
