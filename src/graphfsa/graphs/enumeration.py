"""Every small graph of a class, up to the numbering of its nodes, and every choice of inputs for its nodes.

What holds for all of these holds for every graph of that size: an automaton does not see how nodes are numbered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer, check_name
from graphfsa.errors import GraphError, LimitError
from graphfsa.graphs.batch import GraphBatch
from graphfsa.graphs.families import cycle, path, ring, row
from graphfsa.graphs.graph import Graph
from graphfsa.graphs.isomorphism import duplicate_groups
from graphfsa.graphs.rooted import rooted_batch

GRAPH_CLASSES = ("path", "cycle", "tree", "rooted-tree", "connected", "row", "ring")
_COUNTS = {
    "tree": (1, 1, 1, 2, 3, 6, 11, 23, 47, 106, 235, 551, 1301, 3159, 7741, 19320),
    "rooted-tree": (1, 1, 2, 4, 9, 20, 48, 115, 286, 719, 1842, 4766),
    "connected": (1, 1, 2, 6, 21, 112, 853, 11117),
}
"""How many graphs of 1, 2, ... nodes there are, for each size that is listed: A000055, A000081 and A001349 of the
OEIS."""
MAX_SIZES = dict.fromkeys(GRAPH_CLASSES, 2**20) | {kind: len(counts) for kind, counts in _COUNTS.items()}
"""The largest size of each class that is listed."""
MAX_INPUTS = 2**22

_SINGLE: dict[str, tuple[int, Callable[[int], Graph]]] = {
    "path": (1, path),
    "cycle": (3, cycle),
    "row": (1, row),
    "ring": (1, ring),
}
"""Classes with one graph per size: the smallest size, and the graph."""


def all_graphs(kind: str, size: int) -> GraphBatch:
    """Every graph of a class with exactly ``size`` nodes, each once up to isomorphism, always in the same order.

    ``row`` and ``ring`` are paths and cycles whose nodes tell left from right; a ring may have one or two nodes, as
    :func:`~graphfsa.graphs.families.ring` says, while a cycle has at least three. Nodes of a ``rooted-tree`` see their
    parent and their children by arcs of two kinds.

    Args:
        kind: One of ``GRAPH_CLASSES``.
        size: Number of nodes, at least 1.

    Returns:
        The graphs; none where the class has none of this size.

    Raises:
        LimitError: There are too many graphs of this size: trees above 16 nodes, rooted ones above 12, connected graphs
            above 8.

    Example:
        >>> [len(all_graphs("tree", size)) for size in range(1, 9)]
        [1, 1, 1, 2, 3, 6, 11, 23]
        >>> [len(all_graphs("connected", size)) for size in range(1, 6)]
        [1, 1, 2, 6, 21]
    """
    return _all_graphs(kind, _checked(kind, size))


def num_graphs(kind: str, size: int) -> int:
    """How many graphs :func:`all_graphs` lists; none is made."""
    if kind in _SINGLE:
        return int(size >= _SINGLE[kind][0])
    number = _checked(kind, size)
    return _COUNTS[kind][number - 1]


def all_inputs(size: int, num_inputs: int) -> Array:
    """Every way to give one of ``num_inputs`` inputs to each of ``size`` nodes, uint8 [num_inputs ** size, size].

    Rows are in lexicographic order.

    Raises:
        LimitError: There are more than 2^22 rows.

    Example:
        >>> all_inputs(2, 2).tolist()
        [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    nodes = check_integer("size", size, 1, error=GraphError)
    choices = check_integer("num_inputs", num_inputs, 1, 256, error=GraphError)
    # Sizes that could not even be raised to a power here are refused first.
    if choices > 1 and (nodes > MAX_INPUTS.bit_length() or choices**nodes > MAX_INPUTS):
        raise LimitError(
            f"{nodes} nodes with {choices} inputs each have {choices}^{nodes} inputs; at most {MAX_INPUTS:,} are "
            "listed. Choose a smaller size"
        )
    rows = np.zeros((choices**nodes, nodes), np.uint8)
    if choices > 1:
        # Column by column: all at once the integers would take eight times the memory.
        number = np.arange(len(rows))
        for node in range(nodes - 1, -1, -1):
            number, rows[:, node] = np.divmod(number, choices)
    return rows


def check_class(kind: Any) -> None:
    """Raise unless there is such a class of graphs."""
    check_name("graph class", kind, GRAPH_CLASSES)


def _checked(kind: str, size: Any) -> int:
    """The size, or an error if the graphs of this class and size are not listed."""
    check_class(kind)
    number, limit = check_integer("size", size, 1, error=GraphError), MAX_SIZES[kind]
    if number > limit:
        smaller = {"connected": ", or trees", "tree": ", or paths", "rooted-tree": ", or trees"}.get(kind, "")
        raise LimitError(
            f"graphs of the class {kind} are listed up to {limit:,} nodes; got {number}. Choose a smaller size{smaller}"
        )
    return number


@lru_cache(maxsize=64)
def _all_graphs(kind: str, size: int) -> GraphBatch:
    if kind in _SINGLE:
        smallest, build = _SINGLE[kind]
        return GraphBatch.of([build(size)] if size >= smallest else [])
    if size == 1:
        return GraphBatch.of([path(1)])
    if kind == "rooted-tree":
        return _all_rooted(_all_graphs("tree", size), size)
    # Every tree but the smallest has a leaf, and every connected graph a node that the others stay connected without:
    # so each comes from a smaller one and a new node.
    smaller = _all_graphs(kind, size - 1)
    chosen = np.eye(size - 1, dtype=np.uint8) if kind == "tree" else all_inputs(size - 1, 2)[1:]
    grown = _with_new_node(smaller, size - 1, chosen.astype(bool))
    first = duplicate_groups(grown, np.zeros(grown.graph.num_nodes, np.uint8))
    return grown.select(np.flatnonzero(first == np.arange(len(grown))))


def _all_rooted(trees: GraphBatch, size: int) -> GraphBatch:
    """Each tree with each of its nodes as the root, once up to isomorphism."""
    every = trees.select(np.repeat(np.arange(len(trees)), size))
    roots = every.offsets[:-1] + np.tile(np.arange(size), len(trees))
    colours = np.zeros(every.graph.num_nodes, np.uint8)
    colours[roots] = 1
    kept = np.flatnonzero(duplicate_groups(every, colours) == np.arange(len(every)))
    chosen = every.select(kept)
    return rooted_batch(chosen, chosen.offsets[:-1] + kept % size)


def _with_new_node(graphs: GraphBatch, size: int, chosen: Array) -> GraphBatch:
    """Each graph of ``size`` nodes with a new node, once for each row of ``chosen``: the new node's neighbours."""
    adjacent = np.zeros((len(graphs), size, size), bool)
    targets = graphs.graph.targets()
    adjacent[targets // size, targets % size, graphs.graph.indices % size] = True
    wider = np.zeros((len(graphs), len(chosen), size + 1, size + 1), bool)
    wider[:, :, :size, :size] = adjacent[:, None]
    wider[:, :, :size, size] = chosen
    count = len(graphs) * len(chosen)
    owner, left, right = np.nonzero(np.triu(wider.reshape(count, size + 1, size + 1)))
    edges = np.stack((left, right), axis=1) + (owner * (size + 1))[:, None]
    return GraphBatch.from_edges(np.full(count, size + 1), edges)
