"""Kinds of arcs: slots with names, which several arcs of a node may share (parent and child, single and double)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import GraphError

if TYPE_CHECKING:
    from graphfsa.graphs.graph import Graph

MAX_KINDS = 256
MAX_KIND_NAME = 200


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Names of kinds as a tuple; they must be distinct strings, and some."""
    if isinstance(kinds, str) or not isinstance(kinds, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise GraphError(f"kinds must be a list of names; got {shown(kinds)}")
    names = tuple(kinds)
    for name in names:
        if not isinstance(name, str) or not 0 < len(name) <= MAX_KIND_NAME or not name.isprintable():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise GraphError(f"a kind must be a printable string of 1 to {MAX_KIND_NAME} characters; got {shown(name)}")
    if len(set(names)) != len(names):
        raise GraphError(f"kinds must be distinct; got {shown(list(names))}")
    if not 0 < len(names) <= MAX_KINDS:
        raise GraphError(f"there must be 1 to {MAX_KINDS} kinds; got {len(names)}")
    return names


def numbers_of(slots: Array, kinds: Iterable[str] | None) -> tuple[Array, tuple[str, ...] | None]:
    """The numbers of kinds that are given by name, and the names; integers stay what they are.

    Args:
        slots: Integers or names, one for each arc.
        kinds: The names, if slots are kinds; by default those in ``slots``, sorted.
    """
    names = None if kinds is None else check_kinds(kinds)
    if slots.dtype.kind not in "UO" or slots.ndim != 1 or not len(slots):
        return slots, names
    given: list[Any] = slots.tolist()
    wrong = [name for name in given if not isinstance(name, str)]
    if wrong:
        raise GraphError(f"slots must be integers or names of kinds; got {shown(wrong[0])}")
    names = check_kinds(sorted(set(given))) if names is None else names
    number = {name: place for place, name in enumerate(names)}
    unknown = next((name for name in given if name not in number), None)
    if unknown is not None:
        raise GraphError(f"a kind must be one of {', '.join(map(shown, names[:8]))}; got {shown(unknown)}")
    return np.array([number[name] for name in given], np.int64), names


def renumbered(slots: Array, kinds: tuple[str, ...] | None, names: tuple[str, ...]) -> Array:
    """The number among new names of the kind of each arc; slots without names get them in their order."""
    used = np.unique(slots).tolist()
    if kinds is None:
        if used[-1] >= len(names):
            raise GraphError(f"there must be a name for each slot, {used[-1] + 1}; got {len(names)}")
        return slots
    missing = [kinds[number] for number in used if kinds[number] not in names]
    if missing:
        known = ", ".join(map(shown, names[:8]))
        raise GraphError(f"the graph must have only arcs of the kinds {known}; it has the kind {shown(missing[0])}")
    return np.array([names.index(name) if name in names else 0 for name in kinds], np.int64)[slots]


def united(kinds: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """All kinds of several graphs: those of the first, then what each other adds; so equal ones stay as they are."""
    return tuple(dict.fromkeys(name for names in kinds for name in names))


def both_ways(graph: Graph, inward: str = "in", outward: str = "out") -> Graph:
    """A directed graph whose arcs are seen from both ends, each from a kind of its own.

    Where ``v`` sees ``u``, it then sees it as ``inward``, and ``u`` sees ``v`` as ``outward``.

    Args:
        graph: The graph, with slots that have no names left out. If it has kinds, each becomes two:
            ``bond`` becomes ``bond in`` and ``bond out``.
        inward: What a node calls those that it saw before.
        outward: What a node calls those that saw it.

    Example:
        >>> from graphfsa import Graph
        >>> family = both_ways(Graph.from_edges(3, [(0, 1), (0, 2)], directed=True), "parent", "child")
        >>> family
        Graph(3 nodes, 4 arcs, kinds 'parent', 'child')
        >>> family.neighbours(0).tolist(), family.slots.tolist()
        ([1, 2], [1, 1, 0, 0])
    """
    sources, targets = graph.indices, graph.targets()
    names = [inward, outward]
    slots = np.zeros(graph.num_arcs, np.int64)
    if graph.kinds is not None and graph.slots is not None:
        slots = 2 * graph.slots.astype(np.int64)
        names = [f"{kind} {way}" for kind in graph.kinds for way in (inward, outward)]
    arcs = np.stack((np.r_[sources, targets], np.r_[targets, sources]), axis=1)
    return type(graph).from_edges(
        graph.num_nodes, arcs, directed=True, slots=np.r_[slots, slots + 1], kinds=names, node_names=graph.node_names
    )
