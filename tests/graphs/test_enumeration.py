"""Every small graph, each once: against the counts of the OEIS and against networkx."""

import networkx as nx
import numpy as np
import pytest

from graphfsa.errors import GraphFSAError, LimitError, UnknownNameError
from graphfsa.graphs import GRAPH_CLASSES, all_graphs, all_inputs, families, to_networkx
from graphfsa.graphs.enumeration import MAX_SIZES, num_graphs
from graphfsa.graphs.isomorphism import duplicate_groups

TREES = [1, 1, 1, 2, 3, 6, 11, 23, 47, 106, 235, 551, 1301]  # A000055 from 1
CONNECTED = [1, 1, 2, 6, 21, 112, 853, 11117]  # A001349 from 1


@pytest.mark.parametrize(("kind", "counts"), [("tree", TREES), ("connected", CONNECTED[:7])])
def test_counts_are_those_of_the_oeis(kind, counts):
    assert [len(all_graphs(kind, size)) for size in range(1, len(counts) + 1)] == counts


@pytest.mark.slow
def test_counts_of_the_largest_sizes():
    assert [len(all_graphs("tree", size)) for size in (14, 15, 16)] == [3159, 7741, 19320]
    assert len(all_graphs("connected", 8)) == CONNECTED[7]


@pytest.mark.parametrize(("kind", "largest"), [("tree", 13), ("rooted-tree", 10), ("connected", 7)])
def test_as_many_are_counted_as_are_listed(kind, largest):
    sizes = range(1, largest + 1)
    assert [num_graphs(kind, size) for size in sizes] == [len(all_graphs(kind, size)) for size in sizes]


@pytest.mark.parametrize("kind", ["path", "cycle", "row", "ring"])
def test_single_graphs_are_counted(kind):
    assert [num_graphs(kind, size) for size in range(1, 6)] == [len(all_graphs(kind, size)) for size in range(1, 6)]


@pytest.mark.slow
def test_the_largest_sizes_are_counted_as_they_are_listed():
    for kind in ("tree", "rooted-tree", "connected"):
        assert num_graphs(kind, MAX_SIZES[kind]) == len(all_graphs(kind, MAX_SIZES[kind]))


@pytest.mark.parametrize("size", range(1, 8))
def test_connected_graphs_are_those_of_the_atlas(size):
    """Without our own test of isomorphism: both lists are connected, of the same length, and each finds a partner."""
    atlas = [graph for graph in nx.graph_atlas_g() if len(graph) == size and nx.is_connected(graph)]
    ours = [nx.Graph(to_networkx(graph)) for graph in all_graphs("connected", size).graphs()]
    assert len(ours) == len(atlas)
    keys = [{}, {}]
    for table, graphs in zip(keys, (atlas, ours), strict=True):
        for graph in graphs:
            table.setdefault(tuple(sorted(degree for _, degree in graph.degree)), []).append(graph)
    for key, graphs in keys[1].items():
        for place, graph in enumerate(graphs):
            assert sum(nx.is_isomorphic(graph, other) for other in keys[0][key]) == 1
            assert not any(nx.is_isomorphic(graph, other) for other in graphs[:place])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 9])
def test_trees_are_trees(size):
    for graph in all_graphs("tree", size).graphs():
        assert nx.is_tree(to_networkx(graph).to_undirected())


@pytest.mark.parametrize(("kind", "build"), [(kind, getattr(families, kind)) for kind in ("path", "row", "ring")])
def test_classes_with_one_graph_per_size(kind, build):
    for size in (1, 2, 3, 10):
        assert all_graphs(kind, size).graphs() == [build(size)]


def test_cycles_begin_with_three_nodes():
    assert [len(all_graphs("cycle", size)) for size in (1, 2, 3, 4)] == [0, 0, 1, 1]
    assert all_graphs("cycle", 5).graphs() == [families.cycle(5)]


@pytest.mark.parametrize("kind", GRAPH_CLASSES)
def test_graphs_of_a_class_are_distinct_and_always_the_same(kind):
    graphs = all_graphs(kind, 6)
    assert graphs is all_graphs(kind, np.int64(6))
    assert (np.diff(graphs.offsets) == 6).all()
    assert graphs.graph.slots is None or kind in ("row", "ring", "rooted-tree")
    assert duplicate_groups(graphs, np.zeros(graphs.graph.num_nodes, int)).tolist() == list(range(len(graphs)))


def test_the_order_is_pinned():
    """Certificates rely on it."""
    assert all_graphs("tree", 9).graph.digest.startswith("ac1b09ca45ad2176")
    assert all_graphs("connected", 6).graph.digest.startswith("8f5a09da9dfb62eb")


def test_all_inputs():
    for size, choices in ((1, 1), (5, 1), (1, 256), (3, 4), (10, 2)):
        rows = all_inputs(size, choices)
        assert rows.shape == (choices**size, size)
        assert rows.dtype == np.uint8
        listed = rows.tolist()
        assert listed == sorted(listed)
        assert len({tuple(row) for row in listed}) == choices**size
        assert rows.max() == choices - 1


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: all_graphs("wheel", 3), UnknownNameError, "connected, cycle, path, ring, rooted-tree, row, tree"),
        (lambda: all_graphs(None, 3), UnknownNameError, "graph class 'None'"),
        (lambda: all_graphs(["tree"], 3), UnknownNameError, "graph class"),
        (lambda: all_graphs("tree", 0), GraphFSAError, "an integer >= 1; got 0"),
        (lambda: all_graphs("tree", "3"), GraphFSAError, "got '3'"),
        (lambda: all_graphs("tree", True), GraphFSAError, "got True"),
        (lambda: all_graphs("tree", 17), LimitError, "up to 16 nodes; got 17. Choose a smaller size, or paths"),
        (lambda: all_graphs("connected", 9), LimitError, "up to 8 nodes; got 9"),
        (lambda: all_graphs("path", 10**30), LimitError, "smaller size"),
        (lambda: num_graphs("tree", 17), LimitError, "up to 16 nodes; got 17"),
        (lambda: num_graphs("connected", 0), GraphFSAError, "an integer >= 1; got 0"),
        (lambda: num_graphs("wheel", 3), UnknownNameError, "graph class 'wheel'"),
        (lambda: all_inputs(23, 2), LimitError, "2^23 inputs"),
        (lambda: all_inputs(10**9, 2), LimitError, "at most 4,194,304"),
        (lambda: all_inputs(3, 256), LimitError, "256^3"),
        (lambda: all_inputs(3, 257), GraphFSAError, "an integer from 1 to 256; got 257"),
        (lambda: all_inputs(0, 2), GraphFSAError, "size must be"),
        (lambda: all_inputs(2, 0), GraphFSAError, "num_inputs must be"),
    ],
)
def test_what_can_not_be_listed_is_refused(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)


def test_every_class_has_a_limit():
    assert MAX_SIZES.keys() == set(GRAPH_CLASSES)
