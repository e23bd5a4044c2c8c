"""Graphs whose arcs are not in memory: they are on disk, or made by a formula when they are needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.tiles import Tiles
from graphfsa.memory import check_memory


class TiledGraph(Graph):
    """A graph that gives its arcs a row of tiles at a time; see :func:`graphfsa.graphs.open`.

    It is a :class:`Graph` in every other respect, and equal to one with the same arcs. ``run`` streams its arcs if the
    aggregation counts (counting and letters). Whatever else asks for ``indptr`` or ``indices`` gets them, if they fit
    in memory; they are built then, and kept.

    Args:
        tiles: What gives the arcs.
        digest: The digest of the graph, if it is known.
    """

    __slots__ = ("_tiles",)

    def __init__(self, tiles: Tiles, digest: str | None = None) -> None:
        self._tiles = tiles
        self._num_nodes = tiles.num_nodes
        self._num_arcs = tiles.num_arcs
        self._arrays = None
        self._kinds = None
        self._lattice = None
        self._node_names = None
        self._cache: dict[str, Any] = {"symmetric": True} if tiles.symmetric else {}
        if digest is not None:
            self._cache["digest"] = digest

    @property
    def tiles(self) -> Tiles:
        """What gives the arcs."""
        return self._tiles

    @property
    def slots(self) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """None: arcs in tiles have neither slots nor kinds."""
        return None

    @property
    def num_slots(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """No slots: 0."""
        return 0

    def in_memory(self) -> Graph:
        """An equal graph with all its arcs in memory.

        Raises:
            LimitError: They do not fit.
        """
        graph = Graph.__new__(Graph)
        graph._fill(self._num_nodes, self._csr())
        graph._cache |= {key: self._cache[key] for key in ("digest", "symmetric") if key in self._cache}
        graph._node_names = self._node_names
        return graph

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._tiles, self._cache.get("digest"), self._node_names)

    def __copy__(self) -> TiledGraph:
        graph = TiledGraph(self._tiles)
        graph._arrays, graph._node_names, graph._cache = self._arrays, self._node_names, self._cache
        return graph

    def __repr__(self) -> str:
        return f"TiledGraph({self._num_nodes} nodes, {self._num_arcs} arcs, {self._tiles.name})"

    def _csr(self) -> tuple[Array, Array, Array | None]:
        if self._arrays is None:
            check_memory(
                f"{self._tiles.name} with all its {self._num_arcs} arcs",
                4 * self._num_arcs + 16 * self._num_nodes + 2**28,
                "run streams such a graph if the automaton counts (counting or letters aggregation), without a "
                "scheduler, faults, coins, changes and entries",
            )
            indptr, indices = np.zeros(self._num_nodes + 1, np.int64), np.empty(self._num_arcs, np.int32)
            place, node = 0, 0
            for block in range(self._tiles.blocks):
                degrees, sources = self._tiles.sources_of(block)
                indices[place : place + len(sources)] = sources
                indptr[node + 1 : node + 1 + len(degrees)] = degrees
                place, node = place + len(sources), node + len(degrees)
            self._tiles.check_symmetry()
            np.cumsum(indptr, out=indptr)
            indptr.setflags(write=False)
            indices.setflags(write=False)
            self._arrays = indptr, indices, None
        return self._arrays

    def _digest(self) -> str:
        return self._tiles.digest() if self._arrays is None else super()._digest()


def _again(tiles: Tiles, digest: str | None, names: Any) -> TiledGraph:
    graph = TiledGraph(tiles, digest)
    graph._node_names = names  # pyright: ignore[reportPrivateUsage]
    return graph
