"""What every node saw at each recorded step: equation 1 by itself, for those who explain a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.engine.compiling import compile_kernel
from graphfsa.engine.encoding import arcs_of, encoder_of
from graphfsa.graphs.convert import GraphLike

encode_node: Any = None
"""Bound when the kernel is compiled: the function of an encoder."""


def _values(indptr: Any, indices: Any, slots: Any, frames: Any, parameters: Any, num_states: int, values: Any) -> None:
    scratch = np.zeros(num_states, np.int64)
    for frame in range(frames.shape[0]):
        states = frames[frame]
        for node in range(states.shape[0]):
            value = encode_node(states, indices, slots, indptr[node], indptr[node + 1], parameters, scratch)
            values[frame, node] = value


@lru_cache(maxsize=64)
def _kernel(encode: Callable[..., int]) -> Any:
    return compile_kernel(_values, encode_node=encode)


def neighbourhood_values(fsa: Automaton, graph: GraphLike, frames: Array) -> Array:
    """The aggregated value of every node (equation 1) in each of some frames, int32 [frames, num_nodes].

    Args:
        fsa: The automaton; only its aggregation and its number of states matter.
        graph: The graph; one of NetworkX, SciPy or PyG will do.
        frames: States, uint8 [frames, num_nodes], as a trajectory records them.

    Example:
        >>> from graphfsa import families, library
        >>> import numpy as np
        >>> neighbourhood_values(library.distance(), families.path(3), np.array([[3, 2, 2]], np.uint8)).tolist()
        [[4, 12, 4]]
    """
    graph = fsa.aggregation.fitting(graph)
    encoder = encoder_of(fsa.aggregation, fsa.num_states, graph)
    values = np.empty(frames.shape, np.int32)  # A table has at most 2^26 entries: every value fits.
    seen = np.ascontiguousarray(frames, np.uint8)
    _kernel(encoder.function)(*arcs_of(graph), seen, encoder.parameters, fsa.num_states, values)
    return values
