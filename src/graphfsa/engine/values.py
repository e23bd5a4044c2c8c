"""What every node saw at each recorded step: equation 1 by itself, for those who explain a run."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._compile import compile_kernel
from graphfsa.engine._dense import slots_of
from graphfsa.graphs.graph import Graph

if TYPE_CHECKING:
    from graphfsa.aggregations.counting import (
        _compiled_encode as encode_node,  # pyright: ignore[reportPrivateUsage]  # bound when compiled
    )


def _values(indptr: Any, indices: Any, slots: Any, frames: Any, parameters: Any, num_states: int, values: Any) -> None:
    scratch = np.zeros(num_states, np.int64)
    for frame in range(frames.shape[0]):
        states = frames[frame]
        for node in range(states.shape[0]):
            value = encode_node(states, indices, slots, indptr[node], indptr[node + 1], parameters, scratch)
            values[frame, node] = value


@lru_cache(maxsize=64)
def _kernel(aggregation: type[Aggregation]) -> Any:
    return compile_kernel(_values, encode_node=aggregation.compiled_encode)


def neighbourhood_values(fsa: GraphFSA, graph: Graph, frames: Array) -> Array:
    """The aggregated value of every node (equation 1) in each of some frames, int32 [frames, num_nodes].

    Args:
        fsa: The automaton; only its aggregation and its number of states matter.
        graph: The graph.
        frames: States, uint8 [frames, num_nodes], as a trajectory records them.

    Example:
        >>> from graphfsa import families, library
        >>> import numpy as np
        >>> neighbourhood_values(library.distance(), families.path(3), np.array([[3, 2, 2]], np.uint8)).tolist()
        [[4, 12, 4]]
    """
    fsa.aggregation.check_graph(graph)
    values = np.empty(frames.shape, np.int32)  # A table has at most 2^26 entries: every value fits.
    _kernel(type(fsa.aggregation))(
        graph.indptr,
        graph.indices,
        slots_of(graph),
        np.ascontiguousarray(frames, np.uint8),
        fsa.aggregation.parameters(fsa.num_states),
        fsa.num_states,
        values,
    )
    return values
