"""Iteration stability: what becomes of the answers if an automaton runs on."""

import numpy as np
import pytest

from graphfsa import CountingAggregation, GraphFSA, GraphFSAError, library, run
from graphfsa.analysis.stability import iteration_stability, settled
from graphfsa.datasets import Examples, dataset_class


def test_final_states_are_final():
    graphs = dataset_class("path-finding")().generate(12, 20, np.random.default_rng(0))
    found = iteration_stability(library.path_finding(), graphs)
    assert [(s.beyond, s.accuracy, s.settled) for s in found] == [(k, 1.0, 1.0) for k in (0, 1, 2, 5, 10, 20, 50, 100)]


def test_an_automaton_that_blinks_never_settles():
    """Both starting states lead to each other: no node ever answers."""
    successors = np.repeat(np.array([[0], [1], [3], [2]]), 16, axis=1)
    names = ["even", "odd", "node", "root"]
    fsa = GraphFSA(names, CountingAggregation(1), successors, starting_states=[2, 3], final_states=[0, 1])
    graphs = dataset_class("distance")().generate(5, 4, np.random.default_rng(0))
    found = iteration_stability(fsa, graphs, [0, 1])
    assert [(s.accuracy, s.settled) for s in found] == [(0.0, 0.0), (0.0, 0.0)]


def test_evolutions_are_compared_with_later_states():
    dataset = dataset_class("life")()
    boards = dataset.generate(36, 10, np.random.default_rng(0), steps=1)
    assert [s.accuracy for s in iteration_stability(library.life_like(), boards, [0, 7], dataset=dataset)] == [1.0, 1.0]
    stay = GraphFSA(["dead", "alive"], CountingAggregation(1), [[0] * 4, [1] * 4])
    later = iteration_stability(stay, boards, [0, 7], dataset=dataset)
    truth = dataset.examples(boards.graphs, boards.inputs, steps=8)
    assert later[1].accuracy == pytest.approx(float((truth.labels == boards.inputs).mean()))
    assert [s.settled for s in later] == [1.0, 1.0]
    with pytest.raises(GraphFSAError, match="data set"):
        iteration_stability(stay, boards, [1])


def test_settled_graphs_are_fixed_points():
    dataset = dataset_class("life")()
    boards = dataset.generate(16, 60, np.random.default_rng(1), steps=6)
    got = settled(library.life_like(), boards)
    last = run(library.life_like(), boards.graphs.graph, boards.inputs, 6).last
    after = run(library.life_like(), boards.graphs.graph, last, 1).last
    plain = [bool((a == b).all()) for a, b in zip(boards.graphs.split(last), boards.graphs.split(after), strict=True)]
    assert got.tolist() == plain
    assert 0 < got.sum() < 60


def test_graphs_with_different_steps_and_none_at_all():
    dataset = dataset_class("distance")()
    mixed = Examples.concatenate([dataset.generate(n, 5, np.random.default_rng(n)) for n in (1, 4, 9)])
    assert settled(library.distance(), mixed).all()
    nothing = mixed.select(np.zeros(len(mixed), bool))
    assert iteration_stability(library.distance(), nothing, [3])[0].settled == 1.0


@pytest.mark.parametrize("beyond", [[-1], [True], [0.5]])
def test_bad_numbers_of_steps(beyond):
    graphs = dataset_class("distance")().generate(3, 2, np.random.default_rng(0))
    with pytest.raises(GraphFSAError, match="beyond"):
        iteration_stability(library.distance(), graphs, beyond)
