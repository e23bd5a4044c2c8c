"""Checks that every family shares: sizes it cannot have, and sizes that would not fit in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer, shown
from graphfsa.errors import GraphError, LimitError
from graphfsa.graphs.counting_sort import LARGE, undirected_lists
from graphfsa.graphs.graph import Graph
from graphfsa.memory import ON_DISK, check_memory

MAX_NODES = 2**31
MAX_ARCS = 2**31


def integer(name: str, value: Any, minimum: int = 0) -> int:
    """``value`` as an int, which must be an integer of at least ``minimum``."""
    return check_integer(name, value, minimum, error=GraphError)


def size(family: str, n: Any, minimum: int = 0) -> int:
    """The number of nodes of a family that exists from ``minimum`` nodes on."""
    nodes = integer("the number of nodes", n)
    if nodes < minimum:
        raise GraphError(f"{family} needs at least {minimum} node{'s' * (minimum > 1)}; got {nodes}, try {minimum}")
    if nodes >= MAX_NODES:
        raise LimitError(f"{family} of {nodes} nodes is too large; choose at most {MAX_NODES - 1} nodes")
    return nodes


def fraction(name: str, value: Any) -> float:
    """``value`` as a float, which must be a number in 0 .. 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1:  # pyright: ignore[reportOperatorIssue]
        raise GraphError(f"{name} must be a number in 0 .. 1; got {shown(value)}")
    return float(value)  # pyright: ignore[reportArgumentType]


def arcs(family: str, count: float, largest: int, limit: int = MAX_ARCS, *, peak: int = 32) -> None:
    """Refuse a graph of ``count`` arcs before anything is allocated, and name the largest number of nodes that fits.

    Args:
        family: What it is, for the message.
        count: Number of arcs.
        largest: The largest number of nodes, or nearly, that has ``limit`` arcs.
        limit: The largest number of arcs.
        peak: Bytes that building needs for each arc.
    """
    if count > limit:
        raise LimitError(
            f"{family} would have {int(count)} arcs, and at most {limit} are built; choose at most {largest} nodes"
        )
    check_memory(f"{family} with {int(max(count, 0))} arcs", peak * max(count, 0), f"choose fewer nodes, or {ON_DISK}")


def undirected(n: int, sources: Array, targets: Array) -> Graph:
    """The graph of the edges ``sources[i] - targets[i]``."""
    if len(sources) < LARGE:
        return Graph.from_edges(n, np.stack((sources, targets)).T)
    return Graph.from_lists(*undirected_lists(n, sources, targets))


def pair_keys(n: int, sources: Array, targets: Array) -> Array:
    """One number per undirected pair of nodes: equal pairs, in either order, have equal keys."""
    return np.minimum(sources, targets) * n + np.maximum(sources, targets)


def fresh(n: int, sources: Array, targets: Array, taken: Array) -> Array:
    """Which edges can be added at once to a graph so that it stays simple, bool [number of edges].

    Args:
        n: Number of nodes.
        sources: One end of each proposed edge.
        targets: The other end.
        taken: Sorted keys of the edges of the graph.
    """
    keys = pair_keys(n, sources, targets)
    order = np.argsort(keys)
    ordered = keys[order]
    twice = ordered[1:] == ordered[:-1]
    # Of equal proposals none is accepted: which one came first would depend on how the machine sorts.
    unique = ~np.r_[twice, False] & ~np.r_[False, twice] if len(keys) else np.empty(0, bool)
    place = np.minimum(np.searchsorted(taken, ordered), len(taken) - 1)
    result = np.empty(len(keys), bool)
    result[order] = unique & (taken[place] != ordered)
    return result & (sources != targets)
