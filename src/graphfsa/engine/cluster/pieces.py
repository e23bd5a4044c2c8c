"""What one worker gets: its own nodes, the rim of others' nodes that they depend on, and who tells whom what.

With a rim of depth ``k`` a worker makes ``k`` steps by itself: it computes the inner levels of the rim as well, which
their owners compute, too. After ``k`` steps its own nodes are right, and the rim is told anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine.cluster.partition import Partition
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs import Graph, Lattice

MAX_DEPTH = 32
_CALL = 2e-3
"""What it costs to call all workers, in seconds, as far as calls overlap."""
_ARC = 3e-9
"""What an arc costs in a step, in seconds. Both only decide how deep the rim is, never what comes out."""
_INSERTED = 32
"""Arcs of a node up to which they are sorted by insertion."""


@dataclass(frozen=True, eq=False)
class Piece:
    """The part of a graph that one worker computes.

    Attributes:
        arrays: ``indptr``, ``indices`` and ``slots`` of its nodes by their numbers here; or the lattice that they are.
        kinds: Names of the kinds of arcs, if slots are kinds.
        numbers: What its nodes are called in the whole graph, int32; own nodes and the rim.
        begin: Number here of its first own node.
        end: One more than that of its last own node; all others are the rim.
        sends: For each part that must be told something: its number, and nodes here.
        hears: For each part that tells something: its number, and nodes here, in the order in which it sends them.
    """

    arrays: tuple[Array, Array, Array | None] | Lattice
    kinds: tuple[str, ...] | None
    numbers: Array
    begin: int
    end: int
    sends: tuple[tuple[int, Array], ...] = ()
    hears: tuple[tuple[int, Array], ...] = ()

    def graph(self) -> Graph:
        """The nodes of this piece as a graph of their own; outer nodes of the rim see nothing."""
        return Graph.from_lattice(self.arrays) if isinstance(self.arrays, Lattice) else Graph(*self.arrays, self.kinds)


@dataclass(frozen=True, eq=False)
class Plan:
    """How a graph is spread over workers.

    Attributes:
        cut: Number of arcs from one part into another.
        depth: Number of steps that workers make before they must be told about others.
        order: All nodes, those of each part together, int32 [num_nodes].
        bounds: Where each part begins in the order, and where the last ends, int64 [parts + 1].
        rims: Number of nodes in the rim of each part.
    """

    cut: int
    depth: int
    order: Array
    bounds: Array
    rims: tuple[int, ...]


def _grow(first: int, indptr: Any, indices: Any, members: Any, number: int, levels: Any) -> int:
    """Add what the members from ``first`` on see; returns the number of members. ``levels`` is -1 outside."""
    last = number
    for place in range(first, last):
        node = members[place]
        for arc in range(indptr[node], indptr[node + 1]):
            source = indices[arc]
            if levels[source] < 0:
                levels[source] = levels[node] + 1
                members[number] = source
                number += 1
    return number


def _fill_rows(
    begin: int, end: int, indptr: Any, indices: Any, slots: Any, numbers: Any, local: Any, starts: Any, found: Any,
    places: Any,
) -> int:  # fmt: skip
    """The arcs of the nodes here, by their numbers here, sorted by source and slot."""
    room = 0
    for row in range(begin, end):
        room = max(room, starts[row + 1] - starts[row])
    keys = np.empty(room, np.int64)
    for row in range(begin, end):
        size = starts[row + 1] - starts[row]
        first = indptr[numbers[row]]
        for arc in range(size):
            key = np.int64(local[indices[first + arc]]) << 8
            if len(slots):
                key |= np.int64(slots[first + arc])
            keys[arc] = key
            if size <= _INSERTED:
                place = arc
                while place > 0 and keys[place - 1] > key:
                    keys[place] = keys[place - 1]
                    place -= 1
                keys[place] = key
        if size > _INSERTED:
            keys[:size].sort()
        for arc in range(size):
            found[starts[row] + arc] = keys[arc] >> 8
            if len(slots):
                places[starts[row] + arc] = keys[arc] & 255
    return 0


@cache
def _kernels() -> tuple[Any, Any]:
    return compile_kernel(_grow), compile_kernel(_fill_rows)


class Cutter:
    """Makes the pieces of a graph, one at a time, and as often as they are needed.

    Args:
        graph: The graph.
        parts: How it is cut.
        deep: Whether rims may be deeper than one.
    """

    def __init__(self, graph: Graph, parts: Partition, *, deep: bool) -> None:
        self._graph = graph
        self._parts = parts
        self._levels = np.full(graph.num_nodes, -1, np.int32)
        self._members = np.empty(graph.num_nodes, np.int32)
        depth = self._best_depth() if deep and parts.parts > 1 else 1
        self._rims = [self._rim(part, depth)[0] for part in range(parts.parts)]
        sizes = tuple(len(rim) for rim in self._rims)
        self.plan = Plan(parts.cut, depth, parts.order, parts.bounds, sizes)

    def piece(self, part: int) -> Piece:
        """The piece of a part."""
        graph, parts = self._graph, self._parts
        rim, levels = self._rim(part, self.plan.depth)
        own = parts.nodes(part)
        numbers = np.concatenate((own, rim))
        rows = graph.degrees[numbers]
        rows[len(own) :][levels == self.plan.depth] = 0
        starts = np.concatenate(([0], np.cumsum(rows)))
        local = self._members  # Not used otherwise now; what it holds elsewhere is never read.
        local[numbers] = np.arange(len(numbers), dtype=np.int32)
        indptr, indices, slots = arcs_of(graph)
        found = np.empty(starts[-1], np.int32)
        places = np.empty(starts[-1] if len(slots) else 0, np.uint8)
        run_ranges(_kernels()[1], len(numbers), 1, indptr, indices, slots, numbers, local, starts, found, places)
        piece = Piece((starts, found, places if len(slots) else None), graph.kinds, numbers, 0, len(own))
        return replace(piece, sends=self._sends(part), hears=self._hears(part, len(own)))

    def _hears(self, part: int, own: int) -> tuple[tuple[int, Array], ...]:
        sizes = np.diff(self._split(part))
        ends = own + np.cumsum(sizes)
        ranges = ((int(end - size), int(end)) for size, end in zip(sizes, ends, strict=True))
        return tuple(
            (other, np.arange(*span, dtype=np.int32)) for other, span in enumerate(ranges) if span[0] < span[1]
        )

    def _sends(self, part: int) -> tuple[tuple[int, Array], ...]:
        parts, found = self._parts, list[tuple[int, Array]]()
        for other in range(parts.parts):
            begin, end = self._split(other)[part : part + 2]
            if begin < end:
                nodes = parts.places[self._rims[other][begin:end]] - parts.bounds[part]
                found.append((other, nodes.astype(np.int32)))
        return tuple(found)

    def _split(self, part: int) -> Array:
        """Where the nodes of each part begin in the rim of one, which is in the order of the parts."""
        return np.searchsorted(self._parts.places[self._rims[part]], self._parts.bounds)

    def _rim(self, part: int, depth: int) -> tuple[Array, Array]:
        """The nodes that the nodes of a part depend on in this number of steps, and how far away they are."""
        own = self._parts.nodes(part)
        members, levels = self._members, self._levels
        members[: len(own)] = own
        levels[own] = 0
        first, number = 0, len(own)
        for _ in range(depth):
            first, number = (
                number,
                _kernels()[0](first, self._graph.indptr, self._graph.indices, members, number, levels),
            )
        found = members[len(own) : number].copy()
        found = self._parts.order[np.sort(self._parts.places[found])]
        distances = levels[found].copy()
        levels[members[:number]] = -1
        return found, distances

    def _best_depth(self) -> int:
        """The depth at which a step is expected to cost least."""
        best, depth = self._cost(1), 1
        while depth < MAX_DEPTH and _CALL / depth > 0.02 * best:
            cost = self._cost(2 * depth)
            if cost >= best:
                break
            best, depth = cost, 2 * depth
        return depth

    def _cost(self, depth: int) -> float:
        """What a step costs, in seconds: the call, the rim, and the part with most arcs."""
        most = 0.0
        for part in range(self._parts.parts):
            rim, levels = self._rim(part, depth)
            inner = np.concatenate((self._parts.nodes(part), rim[levels < depth]))
            most = max(most, float(self._graph.degrees[inner].sum() + 4 * len(inner) + 4 * len(rim)))
        return _CALL / depth + _ARC * most
