"""What spreads: held to theory."""

import networkx as nx
import numpy as np
import pytest

from graphfsa import Graph, families, library, run, simulate
from graphfsa.analysis import chain
from graphfsa.errors import GraphFSAError


def test_thresholds_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    for needed in (1, 2, 3):
        network = nx.gnp_random_graph(60, 0.08, seed=needed)
        on = {int(node) for node in rng.choice(60, 8, replace=False)}
        found = run(library.threshold(needed), network, dict.fromkeys(on, "on"), "stable", default="off")
        while more := {n for n in network if n not in on and len(on & set(network[n])) >= needed}:
            on |= more
        assert {node for node, state in found.by_node().items() if state == "on"} == on


def test_majorities_rest_or_come_again_after_two_steps():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        graph = families.erdos_renyi(50, mean_degree=5, rng=rng)
        found = run(library.majority(), graph, rng.integers(0, 2, 50), "stable")
        assert found.period in (1, 2)
    tie = Graph.from_edges(3, [(0, 1), (0, 2)])
    assert run(library.majority(), tie, ["no", "yes", "no"], 1).by_node()[0] == "no"
    assert run(library.majority(), tie, ["yes", "yes", "no"], 1).by_node()[0] == "yes"


def test_voters_agree_in_proportion_to_degrees():
    graph = Graph.from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])  # Not bipartite, so they do agree.
    for start in ([1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 1]):
        found = chain("voter", graph, start)
        yes = found.absorption()[(found.configurations == 1).all(axis=1)].sum()
        assert yes == pytest.approx(graph.degrees[np.array(start) == 1].sum() / graph.num_arcs)
        assert found.absorption().sum() == pytest.approx(1)


def test_a_rumour_ends_with_nobody_who_spreads_it():
    fsa = library.rumour(0.5, 0.25)
    pair = chain(fsa, Graph.from_edges(2, [(0, 1)]), ["spreader", "ignorant"])
    # The only spreader never tires before the other has heard it, and then both tire.
    assert [row.tolist() for row in pair.configurations[pair.absorption() > 0]] == [[2, 2]]
    found = simulate(
        fsa, families.erdos_renyi(300, mean_degree=9, rng=np.random.default_rng(0)), "spreader:0", 400, replicates=20
    )
    assert (found.rest >= 0).all()
    assert (found.counts[:, -1, 1] == 0).all() or (found.counts[:, -1, 2] == 0).any()
    assert fsa.probabilities("ignorant", fsa.aggregation.encode([1, 1], [], 3))["spreader"] == pytest.approx(0.75)
    assert fsa.probabilities("spreader", fsa.aggregation.encode([1, 2], [], 3))["stifler"] == pytest.approx(0.4375)


@pytest.mark.parametrize(
    "wrong", [lambda: library.threshold(0), lambda: library.voter(bound=0), lambda: library.rumour(tell=1.5)]
)
def test_bad_parameters(wrong):
    with pytest.raises(GraphFSAError):
        wrong()
