"""Traces: data that give a state for each node and step, and so show every step of an automaton by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.checks import check_type
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._node_values import YOUR_DATA
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphBatch

MAX_TOTAL = 2**27


def from_traces(
    graphs: Sequence[Graph],
    traces: Sequence[ArrayLike],
    state_names: Sequence[str],
    *,
    masks: Sequence[ArrayLike] | None = None,
    name: str = YOUR_DATA,
) -> Examples:
    """Single steps to learn from, out of the states of graphs over time.

    The task is an evolution. Each two consecutive rows of a trace are one example: its inputs are the first row, its
    labels the second, and its number of steps is 1. Examples are in the order of the graphs, then of the rows.

    Args:
        graphs: The graphs.
        traces: For each graph its states, integers [steps + 1, num_nodes], with at least one step: row t holds
            the states after t steps.
        state_names: Name of each state; all states of the automaton, whether they occur or not.
        masks: For each graph which nodes count, booleans [num_nodes], in every row; all if not given.
        name: Name of the task.

    Raises:
        LimitError: The graphs, each counted once for each of its steps, are too large.
        GraphFSAError: Graphs, traces, names and masks do not fit together; the message names the graph.

    Example:
        >>> from graphfsa import families
        >>> examples = from_traces([families.path(3)], [[[1, 0, 0], [1, 1, 0], [1, 1, 1]]], ["well", "ill"])
        >>> len(examples), examples.inputs.tolist(), examples.labels.tolist()
        (2, [1, 0, 0, 1, 1, 0], [1, 1, 0, 1, 1, 1])
    """
    names = tuple(state_names)
    task = Task(name, "evolution", names, names)
    _check_numbers(graphs, traces, masks)
    states = [_states(*given, len(names)) for given in zip(range(len(graphs)), graphs, traces, strict=True)]
    steps = np.array([len(rows) - 1 for rows in states], np.int64)
    sizes = (graph.num_nodes + graph.num_arcs for graph in graphs)
    check_total(sum(size * number for size, number in zip(sizes, steps.tolist(), strict=True)))
    mask = None
    if masks is not None:
        given = [_mask(*given) for given in zip(range(len(graphs)), graphs, masks, strict=True)]
        mask = np.concatenate([np.tile(one, len(rows) - 1) for one, rows in zip(given, states, strict=True)])
    return Examples(
        task,
        repeated(GraphBatch.of(graphs), steps),
        np.concatenate([rows[:-1].reshape(-1) for rows in states]),
        np.concatenate([rows[1:].reshape(-1) for rows in states]),
        mask=mask,
        steps=1,
    )


def repeated(graphs: GraphBatch, times: Array) -> GraphBatch:
    """Each graph a number of times, one after the other."""
    return graphs.select(np.repeat(np.arange(len(graphs)), times))


def check_total(total: int, where: str = "traces") -> None:
    """Refuse traces whose graphs, each repeated for each step, would not fit in memory.

    Args:
        total: Nodes and arcs of all graphs, each counted once for each of its steps.
        where: What is too large, for the error message.
    """
    if total > MAX_TOTAL:
        raise LimitError(
            f"{where}: nodes and arcs, counted once for each step, must be at most {MAX_TOTAL} in all; got {total}. "
            "Give fewer steps or fewer graphs"
        )


def _check_numbers(graphs: Sequence[Graph], traces: Sequence[ArrayLike], masks: Sequence[ArrayLike] | None) -> None:
    if not len(graphs):
        raise GraphFSAError("at least one graph must be given; got none")
    for place, graph in enumerate(graphs):
        check_type(f"graph {place}", graph, Graph, "graphfsa.graphs.from_networkx converts one of NetworkX")
    for what, given in (("traces", traces), ("masks", masks)):
        if given is not None and len(given) != len(graphs):
            raise GraphFSAError(f"{what} must have one entry per graph, {len(graphs)}; got {len(given)}")


def _states(place: int, graph: Graph, trace: ArrayLike, num_states: int) -> Array:
    rows = _array(place, "trace", trace)
    if rows.ndim != 2 or rows.shape[1] != graph.num_nodes or (rows.size and rows.dtype.kind not in "iu"):
        wanted = f"integers [steps + 1, {graph.num_nodes}]"
        raise GraphFSAError(f"graph {place}: trace must be {wanted}; got {rows.dtype} of shape {list(rows.shape)}")
    if len(rows) < 2:
        raise GraphFSAError(f"graph {place}: trace must have at least 2 rows; got {len(rows)}")
    if rows.size and not 0 <= rows.min() <= rows.max() < num_states:
        row, node = np.argwhere((rows < 0) | (rows >= num_states))[0]
        raise GraphFSAError(
            f"graph {place}: trace[{row}][{node}] must be a state, 0 .. {num_states - 1}; got {rows[row, node]}"
        )
    return rows.astype(np.uint8)


def _mask(place: int, graph: Graph, mask: ArrayLike) -> Array:
    array = _array(place, "mask", mask)
    if array.shape != (graph.num_nodes,) or (array.size and array.dtype != np.bool_):
        wanted = f"booleans, one per node, {graph.num_nodes}"
        raise GraphFSAError(f"graph {place}: mask must be {wanted}; got {array.dtype} of shape {list(array.shape)}")
    return array.astype(bool)


def _array(place: int, what: str, values: ArrayLike) -> Array:
    try:
        return np.asarray(values)
    except (ValueError, TypeError):
        # Rows of different lengths, or something that is no list of lists at all.
        raise GraphFSAError(f"graph {place}: {what} must be an array; its rows differ in length") from None
