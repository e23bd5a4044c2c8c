"""To and from the graphs of NetworkX, SciPy and PyTorch Geometric; ``as_graph`` takes any of them.

An arc ``u -> v`` means the same everywhere: ``v`` sees ``u``. In SciPy it is ``A[u, v]``, in PyTorch Geometric a column
``(u, v)`` of ``edge_index``. Each conversion and its opposite give back an equal graph, except that a matrix has no
place for slots and kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import is_integer, type_name
from graphfsa.errors import GraphError, LimitError, MissingExtraError
from graphfsa.graphs.graph import Graph

MAX_ARCS = 2**31
GraphLike = Graph | Any
"""A Graph, or what ``as_graph`` makes one of."""


def as_graph(given: GraphLike) -> Graph:
    """The graph itself, or what a graph of NetworkX, a sparse matrix of SciPy or a PyG ``Data`` is here.

    None of these libraries is imported to find out what was given.

    Raises:
        GraphError: It is no such graph.

    Example:
        >>> import networkx as nx
        >>> as_graph(nx.Graph([("ann", "bob")])).node_names
        ('ann', 'bob')
    """
    if isinstance(given, Graph):
        return given
    homes = {".".join(ancestor.__module__.split(".")[:2]) for ancestor in type(given).__mro__}
    if any(home.partition(".")[0] == "networkx" for home in homes):
        return from_networkx(given)
    if "scipy.sparse" in homes and hasattr(given, "tocoo"):
        return from_scipy(given)
    if "torch_geometric.data" in homes:
        return from_pyg(given)
    raise GraphError(f"graph must be a graphfsa.Graph or a NetworkX, SciPy or PyG graph; got {type_name(type(given))}")


def from_networkx(nxgraph: Any, *, relation: str | None = None, kinds: Iterable[str] | None = None) -> Graph:
    """Convert a ``networkx`` Graph, DiGraph, MultiGraph or MultiDiGraph.

    Nodes are numbered in the order in which NetworkX lists them, and ``node_names`` says which is which. If every arc
    of a directed graph has an integer attribute ``slot``, it is the arc's slot; other attributes are left out.

    Args:
        nxgraph: The graph to convert.
        relation: An attribute of all edges that says of which kind they are, directed or not: ``"bond"``, for example.
            For the two directions of a directed graph see ``both_ways``.
        kinds: With ``relation``: all its values that there may be; by default those in this graph, sorted. Values that
            are no strings are written as strings.

    Example:
        >>> import networkx as nx
        >>> graph = from_networkx(nx.star_graph(3))
        >>> graph.num_nodes, graph.num_arcs, graph.neighbours(0).tolist()
        (4, 6, [1, 2, 3])
        >>> carbon_dioxide = nx.Graph([("O", "C", {"bond": 2}), ("C", "O'", {"bond": 2})])
        >>> from_networkx(carbon_dioxide, relation="bond", kinds=["1", "2"])
        Graph(3 nodes, 4 arcs, kinds '1', '2')
    """
    import networkx as nx

    if not isinstance(nxgraph, nx.Graph):
        raise GraphError(f"from_networkx needs a NetworkX graph; got {type_name(type(nxgraph))}")
    number = {node: place for place, node in enumerate(nxgraph.nodes)}
    if kinds is not None and relation is None:
        raise GraphError("kinds go with relation: the attribute that says of which kind an edge is")
    directed = nxgraph.is_directed()
    pairs = None if relation is not None or nxgraph.is_multigraph() else _plain_edges(nxgraph, number)
    if pairs is not None:
        return Graph.from_edges(len(number), pairs, directed=directed, node_names=number)
    edges = list(nxgraph.edges(data="slot" if relation is None else relation))
    pairs = np.array([(number[u], number[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    slots = _networkx_slots(nxgraph, edges) if relation is None else _networkx_kinds(relation, edges)
    return Graph.from_edges(
        len(number), pairs, directed=directed, slots=slots or None, kinds=kinds if slots else None, node_names=number
    )


def to_networkx(graph: GraphLike) -> Any:
    """Convert to ``networkx``: nodes with their names, or ``0 .. n - 1``, and as simple a class as holds the graph.

    Args:
        graph: The graph to convert.

    Returns:
        A ``Graph`` if ``graph`` is symmetric and has no slots, otherwise a ``DiGraph`` whose arcs carry their ``slot``
        or, if slots are kinds, their ``kind``; ``MultiGraph`` or ``MultiDiGraph`` where arcs repeat.
    """
    import networkx as nx

    graph = as_graph(graph)
    sources, targets = graph.indices, graph.targets()
    repeated = bool(((sources[1:] == sources[:-1]) & (targets[1:] == targets[:-1])).any())
    undirected = graph.symmetric and graph.slots is None
    kinds = (nx.MultiGraph, nx.MultiDiGraph) if repeated else (nx.Graph, nx.DiGraph)
    result: Any = kinds[0]() if undirected else kinds[1]()
    names = range(graph.num_nodes) if graph.node_names is None else graph.node_names
    result.add_nodes_from(names)
    if undirected:
        once = sources <= targets
        sources, targets = sources[once], targets[once]
    ends = [[names[node] for node in nodes.tolist()] for nodes in (sources, targets)]
    if graph.slots is None:
        result.add_edges_from(zip(*ends, strict=True))
    else:
        result.add_edges_from(zip(*ends, map(_networkx_mark(graph), graph.slots.tolist()), strict=True))
    return result


def from_scipy(matrix: Any) -> Graph:
    """Convert an adjacency matrix: ``A[u, v]`` is the number of arcs ``u -> v``, as in NetworkX.

    Args:
        matrix: A sparse or dense square matrix of non-negative integers.
    """
    from scipy import sparse

    if not sparse.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"an adjacency matrix must be square; got shape {matrix.shape}")
    if matrix.dtype.kind not in "biuf":
        raise GraphError(f"entries of an adjacency matrix must be integers; got {matrix.dtype}")
    # Wide numbers first: equal positions are added up, which must not wrap around.
    rows = sparse.csr_array(matrix.astype(np.float64 if matrix.dtype.kind == "f" else np.int64))
    rows.sum_duplicates()
    matrix = rows.tocoo()
    wrong = np.flatnonzero((matrix.data < 0) | ~np.isfinite(matrix.data) | (matrix.data != np.floor(matrix.data)))
    if len(wrong):
        place = f"A[{matrix.row[wrong[0]]}, {matrix.col[wrong[0]]}]"
        raise GraphError(
            f"entries of an adjacency matrix must be non-negative integers; {place} is {matrix.data[wrong[0]]}"
        )
    if matrix.data.sum(dtype=np.float64) > MAX_ARCS:
        raise LimitError(f"an adjacency matrix must have at most {MAX_ARCS} arcs; got {matrix.data.sum():.3g}")
    counts = matrix.data.astype(np.int64)
    ends = np.stack((matrix.row, matrix.col)).astype(np.int64)
    return Graph.from_edges(matrix.shape[0], np.repeat(ends, counts, axis=1).T, directed=True)


def to_scipy(graph: GraphLike) -> Any:
    """Convert to an adjacency matrix, a ``csr_array`` of int64: ``A[u, v]`` is the number of arcs ``u -> v``.

    Args:
        graph: The graph to convert; its slots or kinds, if any, are left out.
    """
    from scipy import sparse

    graph = as_graph(graph)
    shape = (graph.num_nodes, graph.num_nodes)
    # Lists of in-neighbours are the columns of the matrix.
    columns = sparse.csc_array((np.ones(graph.num_arcs, np.int64), graph.indices, graph.indptr), shape=shape)
    rows = columns.tocsr()
    rows.sum_duplicates()
    return rows


def from_pyg(data: Any, *, relation: str | None = None, kinds: Sequence[str] | None = None) -> Graph:
    """Convert a ``torch_geometric.data.Data``: its ``edge_index``, ``num_nodes`` and, if it has one, ``slot``.

    Args:
        data: The graph to convert; ``slot`` holds one integer per arc, and ``kinds``, if it has any, their names.
        relation: A tensor of the data that says of which kind each arc is: ``"edge_type"``, with an integer for each
            arc, or ``"edge_attr"``, with an integer or with a row that is 1 at its kind and 0 elsewhere.
        kinds: With ``relation``: the name of each kind, in the order of their numbers; by default "0", "1", ...
    """
    edge_index, num_nodes = getattr(data, "edge_index", None), getattr(data, "num_nodes", None)
    if edge_index is None or num_nodes is None:
        raise GraphError(f"from_pyg needs a Data with edge_index and num_nodes; got {type_name(type(data))}")
    ends = _from_torch(edge_index)
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise GraphError(f"edge_index must have shape [2, num_arcs]; got {list(ends.shape)}")
    if kinds is not None and relation is None:
        raise GraphError("kinds go with relation: the tensor that says of which kind an arc is")
    slot, names = getattr(data, "slot", None), getattr(data, "kinds", None)
    slots = None if slot is None else _from_torch(slot)
    if relation is not None:
        slots, names = _pyg_kinds(data, relation, ends.shape[1], kinds)
    return Graph.from_edges(num_nodes, ends.T, directed=True, slots=slots, kinds=names)


def to_pyg(graph: GraphLike) -> Any:
    """Convert to a ``torch_geometric.data.Data`` with ``edge_index``, ``num_nodes`` and, if there are slots, ``slot``.

    If slots are kinds, ``kinds`` has their names.

    Args:
        graph: The graph to convert.

    Raises:
        MissingExtraError: PyTorch Geometric is not installed.
    """
    try:
        import torch
        from torch_geometric.data import Data
    except ImportError as error:
        raise MissingExtraError("torch_geometric", "pyg") from error

    graph = as_graph(graph)
    ends = np.stack((graph.indices, graph.targets())).astype(np.int64)
    slots: dict[str, Any] = {}
    if graph.slots is not None:
        slots = {"slot": torch.from_numpy(graph.slots.astype(np.int64))}
    if graph.kinds is not None:
        slots["kinds"] = list(graph.kinds)
    return Data(edge_index=torch.from_numpy(ends), num_nodes=graph.num_nodes, **slots)


def to_tensor(array: Array) -> Any:
    """A torch tensor with the content of an array.

    Raises:
        MissingExtraError: torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "train") from error

    return torch.from_numpy(array)


def _plain_edges(nxgraph: Any, number: dict[Any, int]) -> Array | None:
    """The edges of a graph without repeated ones, as pairs of numbers; None if some may have slots."""
    nodes, rows = list[Any](), list[Any]()
    for node, row in nxgraph.adjacency():
        nodes.append(node)
        rows.append(row)
    if "slot" in set(chain.from_iterable(chain.from_iterable(row.values() for row in rows))):
        return None
    degrees = np.fromiter(map(len, rows), np.int64, len(rows))
    sources = np.repeat(np.fromiter(map(number.__getitem__, nodes), np.int64, len(rows)), degrees)
    targets = np.fromiter(map(number.__getitem__, chain.from_iterable(rows)), np.int64, len(sources))
    pairs = np.stack((sources, targets), axis=1)
    # Both ends of an undirected edge list it.
    return pairs if nxgraph.is_directed() else pairs[sources <= targets]


def _networkx_slots(nxgraph: Any, edges: list[tuple[Any, Any, Any]]) -> list[int] | None:
    given = sum(slot is not None for _, _, slot in edges)
    if not given:
        return None
    if not nxgraph.is_directed():
        raise GraphError("slots belong to arcs: a networkx graph with the attribute 'slot' must be directed")
    for u, v, slot in edges:
        if not is_integer(slot):
            raise GraphError(
                f"either every arc or none must have an integer attribute 'slot'; arc {u!r} -> {v!r} has {slot!r}"
            )
    return [int(slot) for _, _, slot in edges]


def _networkx_kinds(relation: str, edges: list[tuple[Any, Any, Any]]) -> list[str]:
    for u, v, kind in edges:
        if kind is None:
            raise GraphError(f"every edge must have the attribute {relation!r}; {u!r} - {v!r} has none")
    return [str(kind) for _, _, kind in edges]


def _networkx_mark(graph: Graph) -> Callable[[int], dict[str, Any]]:
    kinds = graph.kinds
    return (lambda slot: {"slot": slot}) if kinds is None else lambda slot: {"kind": kinds[slot]}


def _pyg_kinds(data: Any, relation: str, num_arcs: int, kinds: Sequence[str] | None) -> tuple[Array, Sequence[str]]:
    """The number of the kind of each arc, and the names of the kinds."""
    tensor = getattr(data, relation, None)
    if tensor is None:
        raise GraphError(f"the data must have a tensor {relation!r}; it has none")
    given = _from_torch(tensor)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim == 2:
        if not (((given == 0) | (given == 1)).all() and (given.sum(1) == 1).all()):
            raise GraphError(f"each row of {relation!r} must be 1 at one kind and 0 elsewhere; some are not")
        kinds = [str(kind) for kind in range(given.shape[1])] if kinds is None else kinds
        given = given.argmax(1)
    if given.shape != (num_arcs,) or (given != np.floor(given)).any():
        raise GraphError(f"{relation!r} must have one kind, an integer, for each arc; got shape {list(given.shape)}")
    numbers = given.astype(np.int64)
    return numbers, [str(kind) for kind in range(int(numbers.max(initial=0)) + 1)] if kinds is None else kinds


def _from_torch(tensor: Any) -> Array:
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
