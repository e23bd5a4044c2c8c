"""Many graphs as one disjoint union, and back: an automaton runs on all of them in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.errors import GraphError
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.graph import Graph, NodeNames
from graphfsa.graphs.kinds import check_kinds, united


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """The disjoint union of several graphs.

    Attributes:
        graph: The union; the nodes of graph ``k`` are ``offsets[k] .. offsets[k + 1] - 1``, in order.
        offsets: First node of each graph, int64 [number of graphs + 1], read-only.
        node_names: The node names of each graph; None if no graph has names. (The union itself has none: two graphs may
            use one name.)

    Example:
        >>> batch = GraphBatch.of([Graph.from_edges(2, [(0, 1)]), Graph.from_edges(1, [])])
        >>> batch.offsets.tolist(), batch.owners.tolist(), len(batch.graphs())
        ([0, 2, 3], [0, 0, 1], 2)
    """

    graph: Graph
    offsets: Array
    node_names: tuple[NodeNames, ...] | None = None

    @classmethod
    def of(cls, graphs: Sequence[GraphLike]) -> GraphBatch:
        """Unite graphs, also of NetworkX, SciPy or PyG; one graph alone stays what it is.

        Those that have arcs must all have slots, all kinds, or all neither; kinds are matched by their names.
        """
        graphs = [as_graph(graph) for graph in graphs]
        names = _some(graph.node_names for graph in graphs)
        if len(graphs) == 1:
            return cls(graphs[0], _offsets(np.array([graphs[0].num_nodes], np.int64)), names)
        slotted = [graph.slots is not None for graph in graphs if graph.num_arcs]
        if any(slotted) and not all(slotted):
            raise GraphError("graphs with and without neighbour slots must not be united")
        kinds = _united_kinds(graphs)
        if kinds is not None:
            graphs = [graph.with_kinds(kinds) for graph in graphs]
        offsets = _offsets(np.array([graph.num_nodes for graph in graphs], np.int64))
        if offsets[-1] >= 2**31:
            raise GraphError(f"a graph must have fewer than 2^31 nodes; the union would have {offsets[-1]}")
        num_arcs = np.array([graph.num_arcs for graph in graphs], np.int64)
        indptr = np.zeros(offsets[-1] + 1, np.int64)
        if graphs:
            # Where a list of offsets begins, one minus the last of the list before stands between two nodes.
            degrees = np.diff(np.concatenate([graph.indptr for graph in graphs]))
            np.cumsum(np.delete(degrees, offsets[1:-1] + np.arange(len(graphs) - 1)), out=indptr[1:])
        rows = [graph.indices for graph in graphs]
        indices = np.concatenate([np.empty(0, np.int64), *rows]) + np.repeat(offsets[:-1], num_arcs)
        slots = None
        if any(slotted):
            slots = np.concatenate([graph.slots for graph in graphs if graph.slots is not None])
        return cls(Graph(indptr, indices, slots, kinds), offsets, names)

    @classmethod
    def repeat(cls, graph: GraphLike, times: int) -> GraphBatch:
        """The same graph several times; once, it stays what it is."""
        graph = as_graph(graph)
        if times == 1:
            return cls.of([graph])
        shift = np.repeat(np.arange(times, dtype=np.int64), graph.num_arcs)
        indptr = np.zeros(times * graph.num_nodes + 1, np.int64)
        np.cumsum(np.tile(np.diff(graph.indptr), times), out=indptr[1:])
        indices = np.tile(graph.indices.astype(np.int64), times) + shift * graph.num_nodes
        slots = None if graph.slots is None else np.tile(graph.slots, times)
        sizes = _offsets(np.full(times, graph.num_nodes))
        return cls(Graph(indptr, indices, slots, graph.kinds), sizes, _some([graph.node_names] * times))

    @classmethod
    def from_edges(cls, sizes: ArrayLike, edges: ArrayLike) -> GraphBatch:
        """Undirected graphs of the given sizes from edges between nodes of their union, [num_edges, 2]."""
        offsets = _offsets(np.asarray(sizes, np.int64))
        return cls(Graph.from_edges(int(offsets[-1]), edges), offsets)

    @classmethod
    def concatenate(cls, batches: Sequence[GraphBatch]) -> GraphBatch:
        """The graphs of several unions, as one union."""
        union = cls.of([batch.graph for batch in batches])
        sizes = [np.diff(batch.offsets) for batch in batches]
        names = _some(each for batch in batches for each in batch.node_names or [None] * len(batch))
        return cls(union.graph, _offsets(np.concatenate([np.empty(0, np.int64), *sizes])), names)

    def select(self, chosen: ArrayLike) -> GraphBatch:
        """The union of the graphs with the given indices, in that order."""
        places = picked(chosen, len(self))
        indptr = self.graph.indptr
        begins, sizes = self.offsets[:-1][places], np.diff(self.offsets)[places]
        offsets = _offsets(sizes)
        nodes = np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], sizes)
        degrees = indptr[nodes + 1] - indptr[nodes]
        new_indptr = _offsets(degrees)
        arcs = np.arange(new_indptr[-1]) + np.repeat(indptr[nodes] - new_indptr[:-1], degrees)
        shift = np.repeat(np.repeat(begins - offsets[:-1], sizes), degrees)
        slots = None if self.graph.slots is None else self.graph.slots[arcs]
        union = Graph(new_indptr, self.graph.indices[arcs] - shift, slots, self.graph.kinds)
        names = None if self.node_names is None else _some(self.node_names[place] for place in places.tolist())
        return GraphBatch(union, offsets, names)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def owners(self) -> Array:
        """The graph of each node of the union, int64 [number of nodes]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def graphs(self) -> list[Graph]:
        """The graphs that were united, in order."""
        if len(self) == 1:
            names = None if self.node_names is None else self.node_names[0]
            return [self.graph if names == self.graph.node_names else self.graph.with_names(names)]
        indptr, indices, slots = self.graph.indptr, self.graph.indices, self.graph.slots
        parts: list[Graph] = []
        for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            arcs = slice(indptr[start], indptr[stop])
            part_slots = None if slots is None else slots[arcs]
            offsets = indptr[start : stop + 1] - indptr[start]
            parts.append(Graph(offsets, indices[arcs] - start, part_slots, self.graph.kinds))
        if self.node_names is None:
            return parts
        return [part.with_names(names) for part, names in zip(parts, self.node_names, strict=True)]

    def split(self, values: ArrayLike) -> list[Array]:
        """Cut an array with one entry per node of the union (along its last axis) into one array per graph."""
        array = np.asarray(values)
        if array.ndim == 0 or array.shape[-1] != self.graph.num_nodes:
            raise GraphError(
                f"values must have one entry per node, {self.graph.num_nodes}, in the last axis; "
                f"got shape {array.shape}"
            )
        parts = np.split(array, self.offsets[1:-1], axis=-1)
        return parts[: len(self)]


def picked(chosen: ArrayLike, count: int) -> Array:
    """Indices in ``0 .. count - 1`` from a list of indices or of booleans."""
    given = np.asarray(chosen)
    return np.arange(count)[given if given.size else given.astype(np.int64)]


def _united_kinds(graphs: Sequence[Graph]) -> tuple[str, ...] | None:
    found = [graph.kinds for graph in graphs if graph.num_arcs]
    given = [kinds for kinds in found if kinds is not None]
    if not given:
        return None
    if len(given) < len(found):
        raise GraphError("graphs whose slots are kinds of arcs must not be united with others")
    return check_kinds(united(given))


def _some(names: Iterable[NodeNames]) -> tuple[NodeNames, ...] | None:
    given = tuple(names)
    return None if all(name is None for name in given) else given


def _offsets(sizes: Array) -> Array:
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    offsets.setflags(write=False)
    return offsets
