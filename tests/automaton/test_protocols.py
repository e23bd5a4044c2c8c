"""Distributed algorithms of the library: on every small graph, with every outcome of the coins."""

from itertools import chain as joined
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from graphfsa import Graph, families, library, run, simulate
from graphfsa.analysis import chain
from graphfsa.engine import neighbourhood_values
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import all_graphs


def small(kind, largest):
    return [graph for size in range(1, largest + 1) for graph in all_graphs(kind, size).graphs()]


def ends(fsa, graph, start):
    """Every configuration in which it can rest; that it rests with probability 1 is checked."""
    found = chain(fsa, graph, [start] * graph.num_nodes)
    assert found.absorption().sum() == pytest.approx(1)
    return [[fsa.state_names[state] for state in row] for row in found.configurations[found.resting].tolist()]


def neighbours(graph, node):
    return graph.neighbours(node).tolist()


def is_independent_and_maximal(graph, states):
    inside = {node for node, state in enumerate(states) if state == "in"}
    assert set(states) <= {"in", "out"}
    return all((node in inside) != any(k in inside for k in neighbours(graph, node)) for node in range(len(states)))


@pytest.mark.parametrize(
    ("fsa", "start", "largest"),
    [(library.mis(2), "waiting", 5), (library.mis(3), "waiting", 4), (library.stone_age_mis(), "down 1", 4)],
)
def test_independent_sets_are_maximal(fsa, start, largest):
    for graph in small("connected", largest):
        assert all(is_independent_and_maximal(graph, states) for states in ends(fsa, graph, start))


@pytest.mark.parametrize(("fsa", "start"), [(library.mis(), "waiting"), (library.stone_age_mis(), "down 1")])
def test_independent_sets_of_large_graphs_are_maximal(fsa, start):
    graph = families.erdos_renyi(400, mean_degree=5, rng=np.random.default_rng(0))
    for seed in range(5):
        last = run(fsa, graph, start, "stable", seed=seed).last
        assert is_independent_and_maximal(graph, [fsa.state_names[state] for state in last])


def test_a_tree_has_one_leader():
    for tree in small("tree", 6):
        assert all(states.count("leader") == 1 for states in ends(library.tree_leader(), tree, "candidate"))
    tree = families.random_tree(500, rng=np.random.default_rng(1))
    assert (simulate("tree-leader", tree, "candidate", 2000, replicates=20, seed=1).counts[:, -1, 0] == 1).all()


def test_a_complete_graph_has_one_leader():
    for size in range(1, 6):
        found = ends(library.clique_leader(), families.complete(size), "candidate")
        assert len(found) == size
        assert all(states.count("leader") == 1 for states in found)


def test_matchings_of_rows_and_rings_are_maximal():
    for graph in [*(families.row(n) for n in range(1, 7)), *(families.ring(n) for n in range(3, 7))]:
        around = int(graph.degrees.min()) == 2
        size = graph.num_nodes
        for states in ends(library.ring_matching(), graph, "free"):
            assert set(states) <= {"matched left", "matched right", "single"}
            for node, state in enumerate(states):
                if state == "single":
                    assert "single" not in [states[k] for k in neighbours(graph, node)]
                    continue
                side, wanted = (-1, "matched right") if state == "matched left" else (1, "matched left")
                assert around or 0 <= node + side < size
                assert states[(node + side) % size] == wanted


def reached(fsa, graph, start):
    """Every configuration that is reached when any nodes that can move do, and which nodes can in each."""
    waiting, found = [tuple(start)], {}
    while waiting:
        states = waiting.pop()
        if states in found:
            continue
        values = neighbourhood_values(fsa, graph, np.array([states], np.uint8))[0]
        after = fsa.transition_table[np.array(states), values]
        able = [node for node in range(len(states)) if after[node] != states[node]]
        found[states] = able
        waiting += [
            tuple(int(after[k]) if k in moving else state for k, state in enumerate(states))
            for moving in joined.from_iterable(combinations(able, count) for count in range(1, len(able) + 1))
        ]
    return found


@pytest.mark.parametrize("period", [3, 4, 5])
def test_clocks_stay_within_an_hour_and_never_stop_whoever_moves(period):
    fsa = library.unison(period)
    for graph in small("connected", 4):
        for states, able in reached(fsa, graph, [0] * graph.num_nodes).items():
            assert able
            apart = [(states[a] - states[b]) % period for a in range(len(states)) for b in neighbours(graph, a)]
            assert {hours for hours in apart if 1 < hours < period - 1} == set()


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_core_is_that_of_networkx_whoever_moves(k):
    rng = np.random.default_rng(k)
    for _ in range(10):
        network = nx.gnp_random_graph(40, 0.1, seed=int(rng.integers(1000)))
        found = run(library.core(k), network, "in", "stable").by_node()
        assert {node for node, state in found.items() if state == "in"} == set(nx.k_core(network, k))
    fsa = library.core(k)
    for graph in small("connected", 4):
        ends = {states for states, able in reached(fsa, graph, [1] * graph.num_nodes).items() if not able}
        assert len(ends) == 1


def test_three_colours_in_nine_steps():
    fsa, rng = library.cole_vishkin(), np.random.default_rng(0)
    for size in (1, 2, 3, 10, 400):
        for _ in range(5):
            parents = [int(rng.integers(node)) for node in range(1, size)]
            colours = [int(rng.integers(64))]
            for parent in parents:
                colours.append(int(rng.choice([k for k in range(64) if k != colours[parent]])))
            tree = Graph.from_edges(size, [(p, node) for node, p in enumerate(parents, start=1)], directed=True)
            names = run(fsa, tree, colours, 9).by_node()
            assert set(names.values()) <= {"red", "green", "blue"}
            assert all(names[node] != names[parent] for node, parent in enumerate(parents, start=1))


@pytest.mark.parametrize(
    "wrong",
    [lambda: library.mis(1), lambda: library.unison(2), lambda: library.core(0), lambda: library.colouring(1)],
)
def test_bad_parameters(wrong):
    with pytest.raises(GraphFSAError):
        wrong()
