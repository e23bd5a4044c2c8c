"""The graph that a task of one's own labels."""

from __future__ import annotations

from collections import deque

from graphfsa.graphs import Graph


class TaskGraph(Graph):
    """The graph that a task of one's own labels: a :class:`~graphfsa.Graph` with a few more conveniences.

    Example:
        >>> graph = TaskGraph.of(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)]))
        >>> list(graph.nodes), graph.edges, graph.distances(1), graph.neighbours(1).tolist()
        ([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)], [1, 0, 1, 2], [0, 2])
    """

    __slots__ = ()

    @classmethod
    def of(cls, graph: Graph) -> TaskGraph:
        """The same graph with the conveniences."""
        return cls(graph.indptr, graph.indices, graph.slots, graph.kinds)

    @property
    def nodes(self) -> range:
        """The nodes: 0, 1, 2, ..."""
        return range(self.num_nodes)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The edges of an undirected graph, each once; otherwise the arcs ``(u, v)``: ``v`` sees ``u``."""
        arcs = zip(self.indices.tolist(), self.targets().tolist(), strict=True)
        return [(u, v) for u, v in arcs if not self.symmetric or u <= v]

    def distances(self, *roots: int) -> list[int | None]:
        """For each node, how far the nearest root is; None if it can't be reached, or if there is no root."""
        indptr, seen_by = self.out_arcs()
        found: list[int | None] = [None] * self.num_nodes
        queue = deque(dict.fromkeys(int(root) for root in roots))
        for root in queue:
            found[root] = 0
        while queue:
            node = queue.popleft()
            for other in seen_by[indptr[node] : indptr[node + 1]].tolist():
                if found[other] is None:
                    found[other] = (found[node] or 0) + 1
                    queue.append(other)
        return found
