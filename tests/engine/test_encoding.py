"""Aggregations without a compiled encode: kernels look values up in tables that agree with the reference."""

from dataclasses import dataclass
from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import Aggregation, CountingAggregation, Graph, GraphFSA, PositionalAggregation, families, run
from graphfsa.datasets import Examples, Task
from graphfsa.engine import arcs_of, encoder_of, encoding, neighbourhood_values
from graphfsa.engine.reference import reference_run, reference_values
from graphfsa.errors import AutomatonError, GraphFSAError, LimitError
from graphfsa.graphs import GraphBatch
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.searches import evaluate
from own_aggregations import HighestNeighbour, LonelyMajority, RemainderAggregation, SameSides
from strategies import SEEDS, plain_graphs, random_automaton, slotted_graphs

WAYS = {
    LonelyMajority(): encoding._by_counts,
    RemainderAggregation(): encoding._by_counts,
    RemainderAggregation(modulus=2): encoding._by_counts,
    HighestNeighbour(): encoding._by_steps,
    SameSides(): encoding._by_slots,
}
every = pytest.mark.parametrize("aggregation", WAYS, ids=repr)


@every
@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.data(), st.integers(1, 4), SEEDS)
def test_every_kernel_agrees_with_the_reference(aggregation, data, num_states, seed):
    graph = data.draw(slotted_graphs(num_slots=4) if aggregation.uses_slots else plain_graphs())
    assert encoder_of(aggregation, num_states, graph).function is WAYS[aggregation]
    fsa = random_automaton(num_states, aggregation, seed, stay=0.3)
    states = np.random.default_rng(seed).integers(0, num_states, graph.num_nodes)
    frames = reference_run(fsa, graph, states.tolist(), 5)
    for kernel in ("event", "dense", "auto"):
        found = run(fsa, graph, states, 5, kernel=kernel, record="all")
        assert found.states.tolist() == frames
    seen = [reference_values(fsa, graph, frame) for frame in frames]
    assert neighbourhood_values(fsa, graph, np.array(frames, np.uint8)).tolist() == seen
    entries = np.zeros(fsa.transition_table.shape, int)
    np.add.at(entries, (np.array(frames[:-1], int), np.array(seen[:-1], int)), 1)
    assert run(fsa, graph, states, 5, entries=True).entries.tolist() == entries.tolist()


@every
def test_lattice_kernels_are_not_used_and_lattices_run(aggregation):
    graph = families.von_neumann(20, 20, torus=True, slots=aggregation.uses_slots)
    fsa = random_automaton(3, aggregation, 1)
    states = np.random.default_rng(0).integers(0, 3, 400)
    assert run(fsa, graph, states, 3).last.tolist() == reference_run(fsa, graph, states.tolist(), 3)[-1]
    for kernel in ("lattice", "bits"):
        with pytest.raises(GraphFSAError, match="can't run"):
            run(fsa, graph, states, 3, kernel=kernel)


def test_searches_evaluate_it():
    """The search core of the learners runs it as the reference does."""
    aggregation, rng = RemainderAggregation(modulus=3), np.random.default_rng(0)
    graphs = [families.random_tree(7, rng) for _ in range(5)]
    task = Task("small", "evolution", ("a", "b", "c"), ("a", "b", "c"))
    inputs, labels = rng.integers(0, 3, (2, 35))
    examples = Examples(task, GraphBatch.of(graphs), inputs, labels, steps=np.full(5, 4))
    problem = Problem.of(examples, Shape(0, 3, 0, aggregation))
    fsa = random_automaton(3, aggregation, 5)
    wrong, _, last = evaluate(problem, fsa.transition_table)
    expected = reference_run(fsa, GraphBatch.of(graphs).graph, inputs.tolist(), 4)[-1]
    assert last.tolist() == expected
    assert wrong.sum() == (np.array(expected) != labels).sum()


def test_a_hub_is_no_problem_with_few_states():
    """Only degrees that occur are tabulated: a star of 5,000 leaves has two."""
    fsa = GraphFSA(["no", "yes"], LonelyMajority(), [[0, 1], [0, 1]])
    states = np.zeros(5_001, int)
    states[2_000:4_502] = 1
    assert run(fsa, families.star(5_001), states, 1).last.tolist() == [1] + [0] * 5_000
    states[4_501] = 0
    states[4_500] = 0
    assert run(fsa, families.star(5_001), states, 1).last[0] == 0


def test_too_many_neighbourhoods_are_refused_with_advice():
    fsa = random_automaton(5, RemainderAggregation(), 0)
    count = comb(204, 4) + comb(5, 4)
    with pytest.raises(LimitError) as caught:
        run(fsa, families.star(201), np.zeros(201, int), 1)
    assert f"up to 200 neighbours in 5 states can have {count:,} different neighbourhoods" in str(caught.value)
    assert "give RemainderAggregation a method with_neighbour or a compiled_encode" in str(caught.value)
    many = random_automaton(60, SameSides(), 0)
    with pytest.raises(LimitError, match="neighbours in 4 slots and 60 states can have 13,845,841 different"):
        run(many, families.von_neumann(3, 3, slots=True), np.zeros(9, int), 1)


@pytest.mark.parametrize(("value", "words"), [(2, "got 2"), (-1, "got -1"), (0.5, "got 0.5"), (None, "got None")])
def test_a_value_that_is_none_is_refused(value, words):
    class Wrong(Aggregation):
        def num_values(self, num_states):
            return 2

        def encode(self, states, slots, num_states):
            return value if len(states) == 2 else 0

    with pytest.raises(AutomatonError, match=rf"encode of Wrong must return an integer from 0 to 1; {words}"):
        run(random_automaton(2, Wrong(), 0), families.path(3), [0, 0, 0], 1)


@pytest.mark.parametrize("parent", [CountingAggregation, HighestNeighbour])
def test_a_new_encode_makes_inherited_speed_void(parent):
    """A class that changes what is seen must not run with the compiled function or the steps of its parent."""

    @dataclass(frozen=True)
    class Blind(parent):
        def encode(self, states, slots, num_states):
            return 1 if len(states) > 1 else 0

    fsa = random_automaton(2, Blind(), 3)
    graph = families.moore(20, 20)
    states = np.random.default_rng(0).integers(0, 2, 400)
    assert run(fsa, graph, states, 4).last.tolist() == reference_run(fsa, graph, states.tolist(), 4)[-1]


def test_steps_that_are_not_known_everywhere_are_not_used():
    class Partial(LonelyMajority):
        def encode(self, states, slots, num_states):
            return super().encode(states, slots, num_states)

        def with_neighbour(self, value, state, slot, num_states):
            return None if value else int(state == num_states - 1)

    graph = families.complete(5)
    assert encoder_of(Partial(), 2, graph).function is encoding._by_counts
    fsa = random_automaton(2, Partial(), 1)
    assert run(fsa, graph, [0, 1, 1, 0, 1], 3).last.tolist() == reference_run(fsa, graph, [0, 1, 1, 0, 1], 3)[-1]


def test_compiled_ones_are_taken_as_they_are():
    for aggregation in (CountingAggregation(bound=2), PositionalAggregation()):
        encoder = encoder_of(aggregation, 2, families.row(3))
        assert encoder.function is type(aggregation).compiled_encode
        assert encoder.parameters.tolist() == aggregation.parameters(2).tolist()


def test_arcs_of_a_graph_without_slots():
    indptr, indices, slots = arcs_of(families.path(2))
    assert (indptr.tolist(), indices.tolist(), slots.tolist()) == ([0, 1, 2], [1, 0], [])
    assert not slots.flags.writeable


def test_an_option_needs_a_frozen_dataclass():
    @dataclass
    class Loose(Aggregation):
        bound: int = 1

        def num_values(self, num_states):
            return 2

        def encode(self, states, slots, num_states):
            return 0

    with pytest.raises(AutomatonError, match=r"Loose must be a frozen dataclass: write @dataclass\(frozen=True\)"):
        Loose()

    class Hidden(LonelyMajority):
        def __init__(self, share):
            self.share = share

    with pytest.raises(AutomatonError, match="Hidden has options, so it must be a frozen dataclass with fields"):
        Hidden(0.5).config()


def test_graphs_of_others_are_taken():
    fsa = GraphFSA(["no", "yes"], LonelyMajority(), [[0, 1], [1, 1]])
    ring = nx.cycle_graph(["a", "b", "c", "d"])
    trajectory = run(fsa, ring, {"a": "yes", "c": "yes"}, 1, default="no")
    assert trajectory.by_node() == dict.fromkeys("abcd", "yes")
    assert neighbourhood_values(fsa, ring, trajectory.first[None]).tolist() == [[0, 1, 0, 1]]
    fsa.aggregation.check_graph(ring)
    with pytest.raises(AutomatonError, match="needs a graph with neighbour slots"):
        PositionalAggregation().check_graph(ring)
    assert Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)]) == trajectory.graph
