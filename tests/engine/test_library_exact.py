"""The library's graph algorithms are exact: against breadth-first search, arithmetic and plain walks on trees."""

from collections import deque
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest

from graphfsa import Graph, GraphBatch, families, library, run
from graphfsa.graphs import from_networkx

SEEDS = range(5)
SIZE = 1000


def parents_from(graph, root):
    """The parent of each node in a breadth-first tree, the root's being itself, and the distances."""
    parents, distances = {root: root}, {root: 0}
    queue = deque([root])
    while queue:
        node = queue.popleft()
        for other in graph.neighbours(node).tolist():
            if other not in parents:
                parents[other] = node
                distances[other] = distances[node] + 1
                queue.append(other)
    return parents, distances


def connected(rng, extra):
    tree = [(node, int(rng.integers(0, node))) for node in range(1, SIZE)]
    labels = rng.permutation(SIZE)
    return Graph.from_edges(SIZE, np.r_[labels[np.array(tree)], rng.integers(0, SIZE, (extra, 2))])


def settled(fsa, graph, states):
    """The last states of a run to the end; all nodes must have reached a final state by then."""
    trajectory = run(fsa, graph, states, "stable")
    assert trajectory.period == 1
    assert np.isin(trajectory.last, fsa.final_states).all()
    return trajectory


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("extra", [0, 50, 3000])
def test_distance_on_random_connected_graphs(seed, extra):
    rng = np.random.default_rng(seed)
    graph = connected(rng, extra)
    root = int(rng.integers(SIZE))
    states = ["node"] * SIZE
    states[root] = "root"
    _, distances = parents_from(graph, root)
    trajectory = settled(library.distance(), graph, states)
    assert trajectory.last.tolist() == [distances[node] % 2 for node in range(SIZE)]
    assert trajectory.stable_at == max(distances.values()) + 1


def test_distance_does_not_reach_another_component():
    graph = GraphBatch.of([families.path(5), families.cycle(4)]).graph
    trajectory = run(library.distance(), graph, ["root"] + ["node"] * 8, "stable")
    assert trajectory.last.tolist() == [0, 1, 0, 1, 0, 2, 2, 2, 2]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bit", [0, 1])
def test_root_value(seed, bit):
    """On a path from any root, and on any connected graph."""
    rng = np.random.default_rng(seed)
    for graph in (families.path(SIZE), connected(rng, 200)):
        root = int(rng.integers(SIZE))
        states = ["node"] * SIZE
        states[root] = f"root{bit}"
        assert settled(library.root_value(), graph, states).last.tolist() == [bit] * SIZE


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("root", [0, SIZE - 1, 333])
def test_prefix_sum(seed, root):
    bits = np.random.default_rng(seed).integers(0, 2, SIZE)
    states = [f"bit{bit}" for bit in bits]
    states[root] = f"root{bits[root]}"
    expected = [bits[min(root, node) : max(root, node) + 1].sum() % 2 for node in range(SIZE)]
    assert settled(library.prefix_sum(), families.path(SIZE), states).last.tolist() == expected


def tree_path(graph, first, second):
    """The nodes between two nodes of a tree: walk from one towards the other."""
    parents, _ = parents_from(graph, first)
    walk = [second]
    while walk[-1] != first:
        walk.append(parents[walk[-1]])
    return walk


def marked(num_nodes, first, second, colours):
    states = ["node"] * num_nodes
    states[first], states[second] = ("marked", "marked") if colours == 1 else ("first", "second")
    return states


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("colours", [1, 2])
@pytest.mark.parametrize("family", [families.random_tree, families.recursive_tree, families.caterpillar])
def test_path_finding_on_random_trees(family, colours, seed):
    rng = np.random.default_rng(seed)
    graph = family(SIZE, rng)
    first, second = rng.choice(SIZE, 2, replace=False).tolist()
    expected = np.zeros(SIZE, int)
    expected[tree_path(graph, first, second)] = 1
    trajectory = settled(library.path_finding(colours=colours), graph, marked(SIZE, first, second, colours))
    assert trajectory.last.tolist() == expected.tolist()


@pytest.mark.parametrize("colours", [1, 2])
def test_path_finding_on_a_long_path_and_a_star(colours):
    for graph, first, second in (
        (families.path(SIZE), 0, SIZE - 1),
        (families.path(SIZE), 400, 401),
        (families.star(SIZE), 5, 900),
        (families.star(SIZE), 0, 900),
        (families.binary_tree(SIZE), 511, 998),
    ):
        expected = np.zeros(SIZE, int)
        expected[tree_path(graph, first, second)] = 1
        last = settled(library.path_finding(colours=colours), graph, marked(SIZE, first, second, colours)).last
        assert last.tolist() == expected.tolist()


def all_trees():
    """Every tree of 2 to 7 nodes, up to isomorphism."""
    return [from_networkx(tree) for order in range(2, 8) for tree in nx.nonisomorphic_trees(order)]


def test_there_are_24_trees():
    assert len(all_trees()) == 1 + 1 + 2 + 3 + 6 + 11


@pytest.mark.parametrize("colours", [1, 2])
def test_path_finding_on_all_small_trees_and_pairs(colours):
    pairs = combinations if colours == 1 else permutations
    cases = [(tree, *pair) for tree in all_trees() for pair in pairs(range(tree.num_nodes), 2)]
    batch = GraphBatch.of([tree for tree, _, _ in cases])
    states = [state for tree, *pair in cases for state in marked(tree.num_nodes, *pair, colours)]
    last = settled(library.path_finding(colours=colours), batch.graph, states).last
    for (tree, first, second), found in zip(cases, batch.split(last), strict=True):
        assert set(np.flatnonzero(found)) == set(tree_path(tree, first, second))


def test_distance_on_all_small_trees_and_roots():
    cases = [(tree, root) for tree in all_trees() for root in range(tree.num_nodes)]
    batch = GraphBatch.of([tree for tree, _ in cases])
    states = np.concatenate([np.where(np.arange(tree.num_nodes) == root, 3, 2) for tree, root in cases])
    last = settled(library.distance(), batch.graph, states).last
    for (tree, root), found in zip(cases, batch.split(last), strict=True):
        _, distances = parents_from(tree, root)
        assert found.tolist() == [distances[node] % 2 for node in range(tree.num_nodes)]


def test_distance_on_all_connected_graphs_of_the_atlas():
    """All graphs of up to 7 nodes; where a graph is not connected, its first component is used."""
    graphs = [from_networkx(graph) for graph in nx.graph_atlas_g()[1:]]
    assert len(graphs) == 1252
    batch = GraphBatch.of(graphs)
    states = np.full(batch.graph.num_nodes, 2)
    states[batch.offsets[:-1]] = 3
    for kernel in ("event", "dense"):
        last = run(library.distance(), batch.graph, states, "stable", kernel=kernel).last
        for graph, found in zip(graphs, batch.split(last), strict=True):
            _, distances = parents_from(graph, 0)
            assert found.tolist() == [distances[node] % 2 if node in distances else 2 for node in range(len(found))]
