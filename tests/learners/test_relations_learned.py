"""Graphs with kinds of arcs are learned from, verified and compared like others."""

import numpy as np
import pytest

from graphfsa import (
    CountingAggregation,
    CustomTask,
    ExactLearner,
    GraphFSA,
    ProductAggregation,
    RelationsAggregation,
    WeightedSumAggregation,
    compare,
    learn,
    verify,
)
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch
from graphfsa.search.capacity import Capacity
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.searches import evaluate
from strategies import random_automaton


class Below(CustomTask):
    """Is this node marked, or a node below it?"""

    inputs = ("plain", "marked")
    classes = ("clear", "above")
    graphs = "rooted-tree"

    def label(self, graph, inputs):
        found = ["clear"] * graph.num_nodes
        for node in graph.nodes:
            upwards = [node] if inputs[node] == "marked" else []
            while upwards:
                found[upwards[0]] = "above"
                upwards = graph.neighbours(upwards[0], "parent").tolist()
        return found


def by_hand(kinds=("parent", "child"), bound=1):
    def move(state, seen):
        if state == "marked" or seen["child"]["marked"] or seen["child"]["above"]:
            return "above"
        return "clear" if state == "plain" and not seen["child"]["plain"] else state

    names = ["clear", "above", "plain", "marked"]
    final = lambda state, seen: state if state in names[:2] else move(state, seen)  # noqa: E731
    aggregation = RelationsAggregation(kinds, bound)
    return GraphFSA.from_rule(names, aggregation, final, starting_states=["plain", "marked"], final_states=names[:2])


def some(sizes=(1, 2, 3, 4, 5, 6), each=120):
    task, rng = Below(), np.random.default_rng(0)
    return type(task.generate(1, 1, rng)).concatenate([task.generate(size, each, rng) for size in sizes])


def test_the_exact_learner_takes_relations():
    model = learn(some(), ExactLearner(states=4, bound=1))
    assert model.verdict == "exact"
    assert model.automaton.aggregation == RelationsAggregation(("parent", "child"), 1)
    assert verify(model, Below(), max_nodes=5).verified


def test_the_aggregation_may_know_kinds_in_another_order():
    turned = RelationsAggregation(("child", "aunt", "parent"), (1, 0, 1))
    model = learn(some(), ExactLearner(states=4, aggregation=turned))
    assert (model.verdict, model.automaton.aggregation) == ("exact", turned)
    assert verify(model, Below(), max_nodes=5).verified


def test_counting_can_not_tell_up_from_down():
    assert learn(some(), ExactLearner(aggregation="counting", budget=5)).verdict == "impossible"


def test_verification_finds_the_smallest_wrong_tree():
    fsa = by_hand()
    assert verify(fsa, Below(), max_nodes=6).verified
    marked = fsa.with_entry(fsa.index("plain"), fsa.aggregation.encode([3], [0], 4), fsa.index("above"))
    found = verify(marked, Below(), max_nodes=6)
    assert not found.verified
    assert (found.counterexample.graph.num_nodes, found.counterexample.graph.kinds) == (2, ("parent", "child"))


def test_kinds_are_compared_by_name():
    turned = by_hand(("child", "parent"))
    assert verify(turned, Below(), max_nodes=5).verified
    found = compare(by_hand(), turned, graph_class="rooted-tree", max_nodes=5)
    assert (found.equivalent, found.by) == (True, "exhaustive check")
    # The same table under the other order of kinds does something else: no renaming may hide that.
    other = GraphFSA(
        turned.state_names,
        RelationsAggregation(("parent", "child")),
        turned.transition_table,
        starting_states=turned.starting_states,
        final_states=turned.final_states,
    )
    assert not compare(turned, other, graph_class="rooted-tree", max_nodes=4).equivalent


def test_problems_number_kinds_as_the_aggregation_does():
    """Or tables would be searched for, and suggestions made, with parents taken for children."""
    examples = some((4,), 3)
    shape = Shape(2, 2, 0, RelationsAggregation(("child", "parent")))
    problem = Problem.of(examples, shape)
    graph = problem.examples.graphs.graph
    assert (graph.kinds, examples.graphs.graph.kinds) == (("child", "parent"), ("parent", "child"))
    assert np.array_equal(graph.slots, 1 - examples.graphs.graph.slots)
    assert problem.examples.task == examples.task
    assert evaluate(problem, by_hand(("child", "parent")).transition_table.astype(np.int16))[0].sum() == 0


def test_counting_further_is_a_renaming():
    found = compare(by_hand(), by_hand(bound=(1, 2)), graph_class="rooted-tree")
    assert (found.equivalent, found.by) == (True, "renaming")


def test_products_that_tell_nothing_of_neighbours_are_run():
    parts = (RelationsAggregation(("parent", "child"), 1), WeightedSumAggregation((1,), (2,)))
    a, b = (random_automaton(2, ProductAggregation(order), 3) for order in (parts, parts[::-1]))
    for fsa in (a, b):
        assert compare(fsa, fsa, graph_class="rooted-tree", max_nodes=3).equivalent
    assert ProductAggregation(parts).with_neighbour(0, 0, 0, 2) is None
    known = ProductAggregation((parts[0], CountingAggregation(1)))
    assert known.with_neighbour(0, 1, 1, 2) == known.encode([1], [1], 2)


def test_what_is_tried_follows_from_the_data():
    star = Graph.from_edges(4, [(0, 1), (0, 2), (0, 3)], directed=True, slots=["a", "b", "b"]).with_kinds(["a", "b"])
    task = Below().generate(2, 1, np.random.default_rng(0)).task
    examples = type(some((1,), 1))(task, GraphBatch.of([star]), [0] * 4, [0] * 4, steps=3)
    assert Capacity().aggregations(examples) == [RelationsAggregation(("a", "b"), 1)]
    many = Graph.from_edges(4, [(1, 0), (2, 0), (3, 0)], directed=True, slots=["a", "b", "b"])
    examples = type(examples)(task, GraphBatch.of([many]), [0] * 4, [0] * 4, steps=3)
    found = Capacity().aggregations(examples)
    assert found == [RelationsAggregation(("a", "b"), bound) for bound in (1, (1, 2))]
    with pytest.raises(
        GraphFSAError,
        match="relations aggregation does not fit: the graph must have only arcs of the kinds 'x'; it has the kind 'a'",
    ):
        Capacity(aggregation=RelationsAggregation(("x",))).aggregations(examples)


@pytest.mark.parametrize("compiled", [True, False])
def test_soft_tables_that_are_certain_run_as_automata(compiled):
    torch = pytest.importorskip("torch")
    from graphfsa import run
    from graphfsa.learners.diff_fsa._rollout import Rollout

    rng = np.random.default_rng(0)
    arcs = rng.integers(0, 12, (30, 2))
    graph = Graph.from_edges(12, arcs, directed=True, slots=rng.integers(0, 2, 30), kinds=["a", "b"])
    for aggregation in (
        RelationsAggregation(("a", "b"), (1, 2)),
        WeightedSumAggregation((2, -1), (0, 2)),
        ProductAggregation((RelationsAggregation(("a", "b"), 1), CountingAggregation(1))),
    ):
        fsa = random_automaton(2, aggregation, 1)
        start = rng.integers(0, 2, 12)
        rollout = Rollout(GraphBatch.of([graph]), aggregation, 2, compiled=compiled)
        hot = fsa.transition_table[:, rollout.values].T[:, :, None] == np.arange(2)
        table = torch.as_tensor(hot[..., None]).to(torch.float32)
        last = rollout.run(table, rollout.batch(np.array([0]), start, np.array([3])))
        assert last[:, :, 0].argmax(1).tolist() == run(fsa, graph, start, 3).last.tolist()
