"""Which nodes of a graph automata can tell apart, and which colour refinement can."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.checks import check_integer
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphLike, as_graph


def distinguished(graph: GraphLike, colours: ArrayLike | None = None, *, bound: int | None = None) -> Array:
    """A class for each node: those that are never told apart have the same.

    Nodes begin with their colours, and in each round a node sees how many neighbours of each class it has, counted to
    the bound; without a bound this is colour refinement (1-WL). No automaton with counting aggregation of this bound,
    whatever its states, can have two nodes of a class in different states, and for as many steps as there were rounds
    one with enough states has all others in different states.

    Args:
        graph: The graph.
        colours: Integers, one for each node; by default all are alike.
        bound: Up to which number neighbours are counted; any number if not given.

    Returns:
        Classes 0, 1, ... in the order of their first nodes, int64 [num_nodes].

    Example:
        >>> import networkx as nx
        >>> star = nx.Graph([(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (1, 6)])  # two hubs, with 2 and 3 leaves
        >>> distinguished(star, bound=2).tolist(), distinguished(star, bound=3).tolist()
        ([0, 0, 1, 1, 1, 1, 1], [0, 1, 2, 2, 3, 3, 3])
    """
    graph = as_graph(graph)
    most = np.iinfo(np.int64).max if bound is None else check_integer("bound", bound, 1)
    given = np.zeros(graph.num_nodes, np.int64) if colours is None else np.asarray(colours)
    if given.shape != (graph.num_nodes,):
        raise GraphFSAError(f"colours must have one entry per node, {graph.num_nodes}; got {list(given.shape)}")
    classes, targets = _ranked(given[:, None]), graph.targets()
    while True:
        counts = np.zeros((graph.num_nodes, int(classes.max(initial=-1)) + 1), np.int64)
        np.add.at(counts, (targets, classes[graph.indices]), 1)
        finer = _ranked(np.column_stack([classes, np.minimum(counts, most)]))
        if finer.max(initial=-1) == classes.max(initial=-1):
            return classes
        classes = finer


def _ranked(rows: Array) -> Array:
    """A number for each distinct row, in the order of first occurrence."""
    _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number.reshape(-1)]
