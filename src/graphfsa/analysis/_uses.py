"""Which graph uses which entry of a table within its steps."""

from __future__ import annotations

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples
from graphfsa.engine._dense import dense_kernel, slots_of
from graphfsa.graphs import Graph


def entries_used(fsa: GraphFSA, graph: Graph, states: Array) -> Array:
    """The entry that each node uses in one step, as ``state * num_values + value``, int64 [num_nodes]."""
    # The dense step looks up the next state of each node; in a table of its own places it finds the place instead.
    places = np.arange(fsa.transition_table.size).reshape(fsa.transition_table.shape)
    places.setflags(write=False)
    used = np.empty(graph.num_nodes, np.int64)
    arcs = (graph.indptr, graph.indices, slots_of(graph))
    parameters = fsa.aggregation.parameters(fsa.num_states)
    dense_kernel(type(fsa.aggregation))(0, graph.num_nodes, *arcs, states, places, parameters, used)
    return used


def graphs_by_entry(fsa: GraphFSA, examples: Examples) -> dict[int, Array]:
    """For each entry that is used, ``state * num_values + value``, the graphs that use it."""
    found: list[Array] = []
    start = examples.task.starting_states(fsa, examples.inputs)
    for steps in np.unique(examples.steps):
        chosen = np.flatnonzero(examples.steps == steps)
        part = examples.select(chosen)
        states = start[np.repeat(examples.steps == steps, examples.sizes)]
        found.append(_pairs(fsa, part, states, int(steps), chosen))
    pairs = np.unique(np.concatenate([np.empty((0, 2), np.int64), *found]), axis=0)
    entries, begins = np.unique(pairs[:, 0], return_index=True)
    return dict(zip(entries.tolist(), np.split(pairs[:, 1], begins[1:]), strict=True)) if len(entries) else {}


def _pairs(fsa: GraphFSA, part: Examples, states: Array, steps: int, names: Array) -> Array:
    """Pairs (entry, graph) over all steps, each once."""
    owners = part.graphs.owners
    following = fsa.transition_table.reshape(-1)
    seen = np.empty(0, np.int64)
    for _ in range(steps):
        used = entries_used(fsa, part.graphs.graph, states)
        seen = np.union1d(seen, used * len(part) + owners)
        if np.array_equal(following[used], states):
            break
        states = following[used]
    entries, graphs = np.divmod(seen, max(1, len(part)))
    return np.stack((entries, names[graphs]), axis=1)
