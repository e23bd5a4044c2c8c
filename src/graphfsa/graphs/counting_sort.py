"""Neighbour lists of large graphs, from edges in any order, in little memory: at most 12 bytes for each arc.

An undirected graph is half as much work as it seems. Its edges are sorted as pairs (larger end, smaller end), which are
the lower halves of all lists, in order. The upper halves are the same matrix transposed, which a counting sort does in
one pass, and a list is its lower half and then its upper half.
"""

from __future__ import annotations

import numpy as np

from graphfsa.arrays import Array

LARGE = 1 << 16
"""Edges from which on this is faster than sorting all arcs at once."""
_CHUNK = 1 << 20
_LOW = np.uint64(2**32 - 1)


def undirected_lists(num_nodes: int, sources: Array, targets: Array) -> tuple[Array, Array]:
    """``indptr`` and ``indices`` of the undirected graph of the edges ``sources[i] - targets[i]``."""
    keys = np.empty(len(sources), np.uint64)
    for part in _chunks(len(keys)):
        ends = sources[part].astype(np.uint64), targets[part].astype(np.uint64)
        keys[part] = np.maximum(*ends) << np.uint64(32) | np.minimum(*ends)
    return mirrored(num_nodes, *_sorted_lists(num_nodes, keys))


def directed_lists(num_nodes: int, sources: Array, targets: Array) -> tuple[Array, Array]:
    """``indptr`` and ``indices`` of the arcs ``sources[i] -> targets[i]``."""
    keys = np.empty(len(sources), np.uint64)
    for part in _chunks(len(keys)):
        keys[part] = targets[part].astype(np.uint64) << np.uint64(32) | sources[part].astype(np.uint64)
    return _sorted_lists(num_nodes, keys)


def mirrored(num_nodes: int, indptr: Array, lower: Array) -> tuple[Array, Array]:
    """The lists of an undirected graph from their lower halves.

    Args:
        num_nodes: Number of nodes.
        indptr: Where the lower half of each node's list begins, int64 [num_nodes + 1].
        lower: Neighbours up to the node itself (a self-loop), sorted within each node, int32.
    """
    upper_ptr, upper = _transposed(num_nodes, *_without_loops(num_nodes, indptr, lower))
    indices = np.empty(len(lower) + len(upper), np.int32)
    # Where a list begins, both halves before it are complete; behind a lower half comes the upper one.
    _spread(lower, indptr, upper_ptr[:-1], indices)
    _spread(upper, upper_ptr, indptr[1:], indices)
    return indptr + upper_ptr, indices


def add_sorted(counts: Array, nodes: Array) -> None:
    """Count nodes that are sorted: ``counts[v]`` grows by how often ``v`` is among them."""
    if len(nodes):
        first = int(nodes[0])
        found = np.bincount(nodes - first)
        counts[first : first + len(found)] += found


def _sorted_lists(num_nodes: int, keys: Array) -> tuple[Array, Array]:
    """The lists from ``node << 32 | neighbour``; sorts the keys."""
    keys.sort()
    indptr, indices = np.zeros(num_nodes + 1, np.int64), np.empty(len(keys), np.int32)
    for part in _chunks(len(keys)):
        indices[part] = keys[part] & _LOW
        add_sorted(indptr[1:], (keys[part] >> np.uint64(32)).astype(np.int64))
    np.cumsum(indptr, out=indptr)
    return indptr, indices


def _without_loops(num_nodes: int, indptr: Array, lower: Array) -> tuple[Array, Array]:
    ends = indptr[1:]
    last = lower[np.maximum(ends - 1, 0)] if len(lower) else np.full(num_nodes, -1)
    looped = np.flatnonzero((ends > indptr[:-1]) & (last == np.arange(num_nodes, dtype=np.int32)))
    if not len(looped):
        return indptr, lower
    nodes = np.repeat(np.arange(num_nodes, dtype=np.int32), np.diff(indptr))
    kept = lower != nodes
    counts = np.zeros(num_nodes + 1, np.int64)
    counts[1:] = np.bincount(nodes[kept], minlength=num_nodes)
    return np.cumsum(counts), lower[kept]


def _transposed(num_nodes: int, indptr: Array, indices: Array) -> tuple[Array, Array]:
    """For each node the sorted nodes whose lists it is in: SciPy sorts by counting."""
    from scipy import sparse

    kind = np.int32 if max(len(indices), num_nodes) < 2**31 else np.int64
    parts = np.zeros(len(indices), np.int8), indices.astype(kind, copy=False), indptr.astype(kind)
    rows = sparse.csc_array(parts, shape=(num_nodes, num_nodes)).tocsr()
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False)


def _spread(values: Array, begins: Array, shifts: Array, result: Array) -> None:
    """Write each node's values, which begin at ``begins``, at ``begins + shifts`` of the result; a chunk at a time."""
    start = 0
    while start < len(shifts):
        stop = int(np.searchsorted(begins, begins[start] + _CHUNK, side="right")) - 1
        stop = min(max(stop, start + 1), len(shifts), start + _CHUNK)
        part = slice(begins[start], begins[stop])
        places = np.arange(part.start, part.stop)
        places += np.repeat(shifts[start:stop], np.diff(begins[start : stop + 1]))
        result[places] = values[part]
        start = stop


def _chunks(size: int) -> list[slice]:
    return [slice(place, min(place + _CHUNK, size)) for place in range(0, size, _CHUNK)]
