"""Nodes that look alike for too long: the bound holds for every automaton, and is not far from the best."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphfsa as gf
from graphfsa import CountingAggregation, GraphFSA
from graphfsa.analysis import lookalike
from graphfsa.datasets import CustomTask
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError


class OnCycle(CustomTask):
    """Whether a connected graph has a cycle."""

    inputs = ("node",)
    classes = ("tree", "cycle")
    graphs = "connected"

    def label(self, graph, inputs):
        return [self.classes[len(graph.edges) >= graph.num_nodes]] * graph.num_nodes


class Peeled(CustomTask):
    """One round of peeling: nodes with fewer than two neighbours that are still in go out."""

    states = ("in", "out")
    graphs = "connected"

    def label(self, graph, inputs):
        return [
            "in" if name == "in" and sum(inputs[other] == "in" for other in graph.neighbours(node)) >= 2 else "out"
            for node, name in enumerate(inputs)
        ]


class Marked(CustomTask):
    """Whether some node is marked: news travels, and nobody knows when it has arrived."""

    inputs = ("plain", "marked")
    classes = ("no", "yes")
    graphs = "connected"

    def label(self, graph, inputs):
        return ["yes" if "marked" in inputs else "no"] * graph.num_nodes


def answers(fsa, found, steps):
    """The state of the node and of the root in the end."""
    start = fsa.starting_states[0]
    ends = []
    for graph, node in ((found.graph, found.node), (found.tree, 0)):
        ends.append(fsa.state_names[run(fsa, graph, np.full(graph.num_nodes, start), steps).last[node]])
    return ends


def test_the_pair_is_what_it_claims_to_be():
    found = lookalike(OnCycle(), limit=9)
    assert (found.graph.num_nodes, found.label, found.tree_label) == (3, "cycle", "tree")
    assert (found.tree.num_nodes, found.distance, found.max_states) == (9, 4, 5)
    assert sorted(found.tree.degrees.tolist()) == [1, 1] + [2] * 7
    assert found.tree.degrees[0] == 2


@settings(max_examples=300, deadline=None, derandomize=True)
@given(states=st.integers(3, 5), bound=st.integers(1, 2), seed=st.integers(0, 2**32))
def test_no_automaton_within_the_bound_is_right_about_both(states, bound, seed):
    found = lookalike(OnCycle(), limit=9)
    aggregation = CountingAggregation(bound=bound)
    rng = np.random.default_rng(seed)
    table = rng.integers(0, states, (states, aggregation.num_values(states)))
    table[:2] = [[0], [1]]
    names = ("tree", "cycle", *(f"s{k}" for k in range(states - 2)))
    fsa = GraphFSA(names, aggregation, table, starting_states=(2,), final_states=(0, 1))
    assert answers(fsa, found, 200) != ["cycle", "tree"]


def test_a_few_more_states_are_right_about_both():
    """A clock that waits a little longer than news from the ends of the tree takes."""
    found = lookalike(OnCycle(), limit=9)
    ticks = [f"tick{k}" for k in range(found.distance + 2)]

    def rule(state, seen):
        if state in ("tree", "cycle"):
            return state
        if seen["tree"] or (state == "tick0" and sum(seen.values()) < 2):
            return "tree"
        return "cycle" if state == ticks[-1] else ticks[ticks.index(state) + 1]

    fsa = GraphFSA.from_rule(
        ("tree", "cycle", *ticks),
        CountingAggregation(bound=2),
        rule,
        starting_states=("tick0",),
        final_states=("tree", "cycle"),
    )
    assert fsa.num_states == found.max_states + 3
    assert answers(fsa, found, 50) == ["cycle", "tree"]


def test_all_states_that_an_automaton_may_have_are_excluded_by_default():
    assert lookalike(OnCycle()).max_states == 256


def test_tasks_that_can_be_solved_have_none():
    assert lookalike(Marked()) is None  # Walks copy all inputs, so classes agree.
    assert lookalike(Peeled()) is None
    with pytest.raises(GraphFSAError, match="max_nodes"):
        lookalike(OnCycle(), max_nodes=7)


def test_the_evolution_that_is_offered_is_learned_and_leaves_the_core():
    model = gf.learn(Peeled(), sizes=[2, 3, 4, 5], count=200)
    assert model.verdict == "exact"
    graph = gf.Graph.from_edges(7, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (4, 6)])
    last = run(model.automaton, graph, np.zeros(7, np.uint8), "stable").last
    assert [model.automaton.state_names[state] for state in last] == ["in"] * 3 + ["out"] * 4
