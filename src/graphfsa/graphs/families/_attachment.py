"""Preferential attachment: those who have many neighbours get more."""

from __future__ import annotations

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs.families import _check
from graphfsa.graphs.graph import Graph


def barabasi_albert(n: int, m: int, rng: np.random.Generator) -> Graph:
    """Preferential attachment: a star of ``m + 1`` nodes, then each node joins ``m`` different earlier nodes.

    A target is drawn with probability proportional to its degree before the node arrived, and drawn again if the node
    has it already. Drawing by degree is drawing an end of an earlier edge (Batagelj and Brandes, 2005); that end may be
    a target which is itself not known yet. Nodes are settled in blocks of doubling size by following such references.

    Args:
        n: Number of nodes, at least ``m + 1``.
        m: Edges that each new node brings, at least 1.
        rng: Source of randomness.
    """
    m = _check.integer("m", m, 1)
    n = _check.size(f"Barabasi-Albert with m={m}", n, minimum=m + 1)
    _check.arcs("a Barabasi-Albert graph", 2 * m * (n - m), _check.MAX_ARCS // (2 * m) + m)
    # Row i holds the targets of node m + i; row 0 stands for the star, whose m edges all end in node 0.
    targets = np.zeros((n - m, m), np.int64)
    settled = 1
    while settled < n - m:
        # Blocks double, up to a size whose draws fit in memory even when most targets are drawn many times.
        stop = min(settled + min(settled, 1 + 2**22 // m), n - m)
        _settle(targets, settled, stop, rng)
        settled = stop
    return _check.undirected(n, _sources(np.arange(targets.size), m), targets.reshape(-1))


def _sources(edges: Array, m: int) -> Array:
    """The node that brought each edge; the edges of the star belong to its leaves."""
    return np.where(edges < m, edges + 1, edges // m + m)


def _settle(targets: Array, start: int, stop: int, rng: np.random.Generator) -> None:
    """Fill ``targets[start:stop]``, given the rows before, as if the nodes arrived one after the other.

    A node draws ends of earlier edges until it has ``m`` different targets. End ``2 e`` is the node that brought edge
    ``e``, end ``2 e + 1`` its target. A target that is not known yet stands for itself as a unique negative number, so
    a node can choose among its draws before it knows them; whenever a target changes, the nodes that drew it choose
    again. A row depends on earlier rows only, so this ends, with what attachment one by one would give.
    """
    m = targets.shape[1]
    flat = targets.reshape(-1)
    first = start * m
    flat[first : stop * m] = -1 - np.arange(first, stop * m)
    limits = 2 * m * np.arange(start, stop)[:, None]
    ends = rng.integers(0, limits, (stop - start, m + (m > 1)))
    open_rows, open_edges = _open(ends, first)
    active = np.arange(stop - start)
    while len(active):
        drawn = ends[active]
        edges = drawn >> 1
        chosen = _first_different(np.where(drawn & 1, flat[edges], _sources(edges, m)), m)
        if chosen is None:
            ends = np.concatenate((ends, rng.integers(0, limits, ends.shape)), axis=1)
            open_rows, open_edges = _open(ends, first)
            continue
        changed = np.zeros((stop - start, m), bool)
        changed[active] = chosen != targets[start + active]
        targets[start + active] = chosen
        again = np.zeros(stop - start, bool)
        again[open_rows[changed.reshape(-1)[open_edges - first]]] = True
        active = np.flatnonzero(again)


def _open(ends: Array, first: int) -> tuple[Array, Array]:
    """The draws that are targets of edges ``first`` and later, which are not known: row of the draw, and edge."""
    rows, columns = np.nonzero((ends & 1 == 1) & (ends >> 1 >= first))
    return rows, ends[rows, columns] >> 1


def _first_different(values: Array, m: int) -> Array | None:
    """The first ``m`` different numbers of each row, in order; None if a row has fewer."""
    chosen = values[:, :m].copy()
    ordered = np.sort(chosen, axis=1)
    twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if not len(twice):
        return chosen
    rest = values[twice]
    order = np.argsort(rest, axis=1, kind="stable")
    ordered = np.take_along_axis(rest, order, axis=1)
    new = np.ones(rest.shape, bool)
    np.put_along_axis(new, order[:, 1:], ordered[:, 1:] != ordered[:, :-1], axis=1)
    count = np.cumsum(new, axis=1)
    if (count[:, -1] < m).any():
        return None
    chosen[twice] = rest[new & (count <= m)].reshape(-1, m)
    return chosen
