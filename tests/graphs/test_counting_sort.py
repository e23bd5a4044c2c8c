"""Lists by counting sort are those of a plain sort, for every kind of edge list."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import Graph
from graphfsa.graphs import counting_sort
from graphfsa.graphs.counting_sort import directed_lists, undirected_lists

NODES = st.integers(0, 8)


@settings(deadline=None)  # The first example loads SciPy.
@given(st.lists(st.tuples(NODES, NODES), max_size=40), st.integers(0, 3), st.integers(1, 9))
def test_lists_are_those_of_a_plain_sort(edges, isolated, chunk):
    """With self-loops, repeated edges, hubs, isolated nodes, and no edges."""
    num_nodes = max([end for edge in edges for end in edge], default=-1) + 1 + isolated
    sources, targets = np.array(edges, np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting_sort, "_CHUNK", chunk)
        for directed, build in ((False, undirected_lists), (True, directed_lists)):
            expected = Graph.from_edges(num_nodes, edges, directed=directed)
            indptr, indices = build(num_nodes, sources, targets)
            assert (indptr.dtype, indices.dtype) == (np.int64, np.int32)
            assert indptr.tolist() == expected.indptr.tolist()
            assert indices.tolist() == expected.indices.tolist()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32])
def test_large_edge_lists(directed, kind):
    """As many edges as take the other way, with a hub and self-loops."""
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 5000, (counting_sort.LARGE + 5, 2)).astype(kind)
    edges[::3, 0] = 7
    graph = Graph.from_edges(5001, edges, directed=directed)
    plain = [Graph.from_edges(5001, part, directed=directed) for part in np.array_split(edges, 2)]
    degrees = plain[0].degrees + plain[1].degrees
    assert graph.degrees.tolist() == degrees.tolist()
    for node in (0, 7, 4999, 5000):
        seen = np.sort(np.concatenate([part.neighbours(node) for part in plain]))
        assert graph.neighbours(node).tolist() == seen.tolist()
    assert graph.symmetric or directed
