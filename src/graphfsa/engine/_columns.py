"""The arcs of a graph in the order in which a step reads them: by columns, for many nodes of one degree at once.

The nodes of a window are sorted by their degrees and cut into runs of one degree. Column ``j`` of a run has the
``j``-th source of each of its nodes, one after the other, so the inner loop of a step goes over many nodes: it has no
end that the processor would have to guess, what is kept of each node lies side by side, and loads don't wait for one
another.
Runs of few nodes, such as hubs, are stored row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of
from graphfsa.engine.threads import run_ranges
from graphfsa.graphs.graph import Graph

LONGEST = 1024
"""Nodes of a run, at most: what is kept of them fits in the first-level cache."""
SHORTEST = 32
"""Nodes from which on a run is stored in columns."""
DEGREES = 256
"""Degrees below which nodes are sorted; every other node is a run of its own."""
_SMALL, _LARGE = 1 << 12, 1 << 14
_SMALL_GRAPH = 1 << 17
_SHARES = 256


@dataclass(frozen=True, eq=False)
class Columns:
    """The layout.

    Attributes:
        shares: Runs at which shares of about equal work begin, int64 [_SHARES + 1].
        runs: First place among the nodes, number of nodes, degree and first arc of each run, int64 [runs, 4].
        nodes: The nodes, run by run, int32 [num_nodes].
        sources: The sources of the arcs, run by run, uint32 [num_arcs].
        slots: Their slots or kinds, uint8; empty if they are not asked for.
        largest: The largest degree of a run that is stored in columns.
    """

    shares: Array
    runs: Array
    nodes: Array
    sources: Array
    slots: Array
    largest: int

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What kernels get."""
        return self.shares, self.runs, self.nodes, self.sources, self.slots


def columns_of(graph: Graph, threads: int, *, slots: bool = False) -> Columns:
    """The layout of a graph, which is kept with it."""
    return graph.cached("columns with slots" if slots else "columns", lambda: _build(graph, threads, slots))


def _build(graph: Graph, threads: int, with_slots: bool) -> Columns:
    indptr, indices, slots = arcs_of(graph)
    if not with_slots:
        slots = slots[:0]
    n = graph.num_nodes
    window = _SMALL if n <= _SMALL_GRAPH else _LARGE
    windows = -(-n // window)
    count, fill = _kernels()
    heads = np.zeros(windows + 1, np.int64)
    run_ranges(count, windows, threads, window, indptr, heads)
    np.cumsum(heads, out=heads)
    runs = np.empty((int(heads[-1]), 4), np.int64)
    nodes = np.empty(n, np.int32)
    found, found_slots = np.empty(graph.num_arcs, np.uint32), np.empty(len(slots), np.uint8)
    run_ranges(fill, windows, threads, window, indptr, indices, slots, heads, runs, nodes, found, found_slots)
    in_columns = runs[runs[:, 1] >= SHORTEST, 2]
    return Columns(_shares(runs), runs, nodes, found, found_slots, int(in_columns.max(initial=0)))


def _shares(runs: Array) -> Array:
    """Where to cut the runs: a node costs about as much as four arcs."""
    work = np.cumsum(runs[:, 1] * (runs[:, 2] + 4))
    total = int(work[-1]) if len(work) else 0
    cuts = np.searchsorted(work, np.arange(_SHARES + 1) * total // _SHARES)
    cuts[-1] = len(runs)
    return cuts


def _count_runs(begin: int, end: int, window: int, indptr: Any, heads: Any) -> int:
    """``heads[w + 1]``: the number of runs in window ``w``."""
    num_nodes = len(indptr) - 1
    sizes = np.empty(DEGREES, np.int64)
    for place in range(begin, end):
        sizes[:] = 0
        runs = 0
        for node in range(place * window, min(num_nodes, (place + 1) * window)):
            degree = indptr[node + 1] - indptr[node]
            if degree < DEGREES:
                sizes[degree] += 1
            else:
                runs += 1
        for degree in range(DEGREES):
            runs += (sizes[degree] + LONGEST - 1) // LONGEST
        heads[place + 1] = runs
    return 0


def _fill(
    begin: int, end: int, window: int, indptr: Any, indices: Any, slots: Any, heads: Any, runs: Any, nodes: Any,
    sources: Any, found_slots: Any,
) -> int:  # fmt: skip
    """Sort the nodes of each window into runs, and their arcs with them."""
    num_nodes = len(indptr) - 1
    sizes = np.empty(DEGREES, np.int64)
    own = np.empty(LONGEST, np.int64)
    for place in range(begin, end):
        first, last = place * window, min(num_nodes, (place + 1) * window)
        sizes[:] = 0
        for node in range(first, last):
            degree = indptr[node + 1] - indptr[node]
            if degree < DEGREES:
                sizes[degree] += 1
        # Where the nodes of each degree begin; hubs come after all others.
        run, rank, arc = heads[place], first, indptr[first]
        for degree in range(DEGREES):
            size = sizes[degree]
            sizes[degree] = rank
            for done in range(0, size, LONGEST):
                some = min(LONGEST, size - done)
                runs[run, 0], runs[run, 1], runs[run, 2], runs[run, 3] = rank, some, degree, arc
                run += 1
                rank += some
                arc += some * degree
        for node in range(first, last):
            degree = indptr[node + 1] - indptr[node]
            if degree < DEGREES:
                nodes[sizes[degree]] = node
                sizes[degree] += 1
            else:
                runs[run, 0], runs[run, 1], runs[run, 2], runs[run, 3] = rank, 1, degree, arc
                run += 1
                nodes[rank] = node
                rank += 1
                arc += degree
        for run in range(heads[place], heads[place + 1]):
            rank, size, degree, arc = runs[run, 0], runs[run, 1], runs[run, 2], runs[run, 3]
            for index in range(size):
                own[index] = indptr[nodes[rank + index]]
            rows = 1 if size >= SHORTEST else size
            for row in range(rows):
                begins = own[row : row + size // rows]
                for number in range(degree):
                    for index in range(len(begins)):
                        sources[arc + index] = indices[begins[index] + number]
                    if len(slots):
                        for index in range(len(begins)):
                            found_slots[arc + index] = slots[begins[index] + number]
                    arc += len(begins)
    return 0


@cache
def _kernels() -> tuple[Any, Any]:
    return compile_kernel(_count_runs), compile_kernel(_fill)
