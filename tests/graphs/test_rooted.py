"""Rooted trees: what a node sees of its parent and its children, how many there are, and what is none."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa.errors import GraphError
from graphfsa.graphs import Graph, all_graphs, both_ways, families, from_networkx, rooted
from graphfsa.graphs.rooted import knows_family


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 30), st.integers(0, 2**32 - 1), st.data())
def test_the_family_of_each_node(size, seed, data):
    tree = families.random_tree(size, np.random.default_rng(seed))
    root = data.draw(st.integers(0, size - 1))
    found = rooted(tree, root)
    nxtree = nx.Graph(zip(tree.indices.tolist(), tree.targets().tolist(), strict=True))
    nxtree.add_node(root)
    parents = nx.predecessor(nxtree, root)
    for node in range(size):
        assert found.neighbours(node, "parent").tolist() == parents[node]
        children = [child for child, above in parents.items() if above == [node]]
        assert found.neighbours(node, "child").tolist() == sorted(children)
    assert knows_family(found)


def test_names_stay():
    assert rooted(nx.Graph([("a", "b"), ("b", "c")]), "b").neighbours(1, "child").tolist() == [0, 2]


def test_directions_of_a_digraph_are_the_same():
    arcs = [(0, 1), (0, 2), (2, 3)]
    by_hand = both_ways(from_networkx(nx.DiGraph(arcs)), "parent", "child")
    assert by_hand == rooted(nx.Graph(arcs), 0)


@pytest.mark.parametrize(
    ("graph", "root", "message"),
    [
        (families.cycle(4), 0, "an undirected graph with one edge less than nodes"),
        (Graph.from_edges(3, [(0, 1), (0, 2)], directed=True), 0, "an undirected graph with one edge less than nodes"),
        (Graph.from_edges(4, [(0, 1), (1, 2), (2, 0)]), 0, "some nodes can't be reached from it"),
        (families.path(3), 3, "node must be in 0 .. 2; got 3"),
    ],
)
def test_what_has_no_root_is_refused(graph, root, message):
    with pytest.raises(GraphError) as error:
        rooted(graph, root)
    assert message in str(error.value)


def test_neighbours_of_a_kind_need_kinds():
    with pytest.raises(GraphError, match="the graph must have kinds of arcs; it has none called 'child'"):
        families.path(2).neighbours(0, "child")
    with pytest.raises(Exception, match="unknown kind of arcs 'xyz'; valid names: child, parent"):
        rooted(families.path(2), 0).neighbours(0, "xyz")


def rooted_trees(size):
    """How many there are, by Otter's formula (1948)."""
    counts = [0, 1]
    for n in range(1, size):
        total = sum(
            sum(d * counts[d] for d in range(1, k + 1) if k % d == 0) * counts[n - k + 1] for k in range(1, n + 1)
        )
        counts.append(total // n)
    return counts[size]


@pytest.mark.parametrize("size", range(1, 10))
def test_all_are_listed_once(size):
    graphs = all_graphs("rooted-tree", size).graphs()
    assert len(graphs) == rooted_trees(size)
    assert all(knows_family(graph) for graph in graphs)
    roots = [sum(not len(graph.neighbours(node, "parent")) for node in range(size)) for graph in graphs]
    assert roots == [1] * len(graphs)
    # Written as nested brackets, in which the order of children does not count, no two are the same.
    assert len({brackets(graph) for graph in graphs}) == len(graphs)


def brackets(tree):
    def below(node):
        return f"({''.join(sorted(map(below, tree.neighbours(node, 'child').tolist())))})"

    return below(next(node for node in range(tree.num_nodes) if not len(tree.neighbours(node, "parent"))))


@pytest.mark.parametrize(
    "graph",
    [
        families.path(2),
        Graph.from_edges(2, [(0, 1)], slots=["parent"]),
        Graph.from_edges(3, [(0, 1), (1, 0), (1, 2), (2, 1)], directed=True, slots=["parent"] * 2 + ["child"] * 2),
        both_ways(Graph.from_edges(3, [(0, 2), (1, 2)], directed=True), "parent", "child"),
        both_ways(Graph.from_edges(2, [(0, 1)], directed=True), "parent", "aunt"),
    ],
)
def test_what_is_no_family(graph):
    assert not knows_family(graph)


def test_large_ones_are_quick():
    tree = families.rooted_tree(20_000, np.random.default_rng(0))
    assert (np.bincount(tree.targets()[tree.slots == 0], minlength=20_000) == 0).sum() == 1
