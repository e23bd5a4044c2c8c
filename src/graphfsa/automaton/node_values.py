"""One value for each node of a graph, from whatever people write: arrays, names, one-hot features, or a dict by node.

States of an automaton and inputs of a task are read in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import state_index
from graphfsa.checks import article, shown
from graphfsa.errors import AutomatonError, GraphError, StateError
from graphfsa.graphs import Graph


def node_values(what: str, names: Sequence[str], graph: Graph, given: Any, default: str | int | None = None) -> Array:
    """The number of the value of each node, a fresh uint8 [num_nodes].

    Args:
        what: What the values are, for messages: ``"state"`` or ``"input"``.
        names: Name of each value.
        graph: The graph.
        given: One of: values by number or name, [num_nodes] or [num_nodes, 1] (integers in floating point and torch
            tensors too); one-hot rows, [num_nodes, number of names]; a dict from node name (or number, if nodes have no
            names) to value; the name of one value for all nodes.
        default: With a dict: the value of the nodes that it leaves out.

    Raises:
        StateError: A node has no value, or what was given is no value or no node.
    """
    if default is None and _is_plain(given, graph.num_nodes, len(names)):
        return given.copy()
    if isinstance(given, Mapping):
        return _by_node(what, names, graph, given, default)
    if default is not None:
        raise StateError(f"default goes with {what}s that are a dict")
    if isinstance(given, str):
        return np.full(graph.num_nodes, _number(given, names, f"the {what} of all nodes"), np.uint8)
    return _of_array(what, names, graph.num_nodes, given)


def _is_plain(given: Any, num_nodes: int, count: int) -> bool:
    """Whether values are as they shall be; a short run takes no longer than to find that out in the general way."""
    if type(given) is not np.ndarray or given.dtype != np.uint8 or given.shape != (num_nodes,):
        return False
    return given.max(initial=0) < count


def _by_node(
    what: str, names: Sequence[str], graph: Graph, given: Mapping[Any, Any], default: str | int | None
) -> Array:
    fallback = 0 if default is None else _number(default, names, "default")
    values = np.full(graph.num_nodes, fallback, np.uint8)
    known = np.zeros(graph.num_nodes, bool)
    for name, value in given.items():
        try:
            node = graph.node_index(name)
        except GraphError as error:
            raise StateError(f"{what}s: {error}") from None
        values[node], known[node] = _number(value, names, f"{what} of node {shown(name)}"), True
    if default is None and not known.all():
        missing = np.flatnonzero(~known)
        name = int(missing[0]) if graph.node_names is None else graph.node_names[missing[0]]
        more = len(missing) - 1
        others = f" and {more:,} others have" if more > 1 else " and 1 other has" if more else " has"
        every = f"{what}s must name {article(what)} {what} for every node, or give a default"
        raise StateError(f"{every}; node {shown(name)}{others} none")
    return values


def _number(value: Any, names: Sequence[str], what: str) -> int:
    try:
        return state_index(value, names, what)
    except AutomatonError as error:
        raise StateError(str(error)) from None


def _of_array(what: str, names: Sequence[str], num_nodes: int, given: Any) -> Array:
    try:
        array = np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)
        array = array.astype(str) if array.dtype.kind == "S" else array
    except (ValueError, TypeError):
        raise StateError(f"{what}s must be an array or a list of {what} names or integers") from None
    if array.ndim == 2 and len(array) == num_nodes:
        array = _column(what, array, len(names))
    if array.size == 0 and array.ndim == 1:
        array = array.astype(np.int64)
    if array.shape != (num_nodes,):
        raise StateError(f"{what}s must have one entry per node, shape [{num_nodes}]; got shape {list(array.shape)}")
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    if array.dtype.kind == "U":
        array = _numbers(what, array, names)
    if array.dtype.kind not in "iuf":
        raise StateError(f"{what}s must be integers or {what} names; got {array.dtype}")
    if array.dtype.kind == "f":
        wrong = np.flatnonzero(~(np.isfinite(array) & (array == np.floor(array))))
        if len(wrong):
            raise StateError(f"{what} of node {wrong[0]} must be an integer; got {array[wrong[0]]}")
    wrong = np.flatnonzero((array < 0) | (array >= len(names)))
    if len(wrong):
        raise StateError(f"{what} of node {wrong[0]} must be in 0 .. {len(names) - 1}; got {array[wrong[0]]}")
    return array.astype(np.uint8)


def _column(what: str, array: Array, count: int) -> Array:
    """Features of nodes [num_nodes, 1] or one-hot rows [num_nodes, count] as one entry per node."""
    if array.shape[1] == count and array.dtype.kind in "biuf":
        wrong = np.flatnonzero((((array != 0) & (array != 1)).any(axis=1)) | (array.sum(axis=1) != 1))
        if not len(wrong):
            return array.argmax(axis=1)
        if count > 1:
            row = shown(array[wrong[0]].tolist())
            raise StateError(f"{what}s of node {wrong[0]} must be one-hot: a single 1 and zeros; got {row}")
    if array.shape[1] == 1:
        return array[:, 0]
    wanted = f"shape [{len(array)}, 1], or one-hot, shape [{len(array)}, {count}]"
    raise StateError(f"{what}s in two dimensions must be one column, {wanted}; got shape {list(array.shape)}")


def _numbers(what: str, given: Array, names: Sequence[str]) -> Array:
    distinct, places = np.unique(given, return_inverse=True)
    unknown = [name for name in distinct if name not in names]
    if unknown:
        node = int(np.flatnonzero(given == unknown[0])[0])
        raise StateError(f"{what} of node {node} must be one of {', '.join(names)}; got {str(unknown[0])!r}")
    return np.array([names.index(name) for name in distinct], np.int64)[places]
