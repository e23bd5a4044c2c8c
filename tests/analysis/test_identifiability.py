"""Do data determine an automaton? Against a plain search over all tables, and as a loop that ends with the truth."""

from itertools import chain, combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from graphfsa import AverageThresholdAggregation, CountingAggregation, GraphFSA, library
from graphfsa.analysis import identifiability
from graphfsa.analysis.identifiability import candidates, class_of_data, labelled, suggest
from graphfsa.analysis.verification import verify
from graphfsa.datasets import CustomTask, Examples, dataset_class
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, all_graphs, all_inputs, to_networkx
from graphfsa.learners.exact import ExactLearner
from graphfsa.search.problem import Problem, Shape
from learners.small_problems import TooManyError, aggregations, every_fit, frames_of, random_table, task_of
from strategies import SEEDS

EXAMPLES = settings(max_examples=40, deadline=None, derandomize=True)
PAIR = Graph.from_edges(2, [(0, 1)])


def automaton(shape, table):
    """The automaton of a table whose states are numbered as in a problem."""
    kind = "classes" if shape.num_final else "evolution"
    task = task_of(kind, shape.num_starting, shape.num_final or shape.num_starting)
    names = task.state_names(shape.num_extra) if shape.num_final else task.classes
    if not shape.num_final:
        return GraphFSA(names, shape.aggregation, table)
    starting = range(shape.num_final, shape.num_final + shape.num_starting)
    finals = list(range(shape.num_final))
    return GraphFSA(names, shape.aggregation, table, starting_states=list(starting), final_states=finals)


def unlabelled(task, graphs, inputs, steps):
    nothing = np.zeros(len(inputs), int)
    return Examples(task, graphs, inputs, nothing, mask=np.zeros(len(inputs), bool), steps=steps)


def answered(examples, fsa):
    """The same graphs with the answers of an automaton; nodes without one do not count."""
    answers = examples.predict(fsa)
    return Examples(
        examples.task,
        examples.graphs,
        examples.inputs,
        np.maximum(answers, 0),
        mask=answers >= 0,
        steps=examples.steps,
    )


def all_instances(task, kind, size, steps):
    graphs, rows = all_graphs(kind, size), all_inputs(size, len(task.inputs))
    graph, row = np.divmod(np.arange(len(graphs) * len(rows)), len(rows))
    return unlabelled(task, graphs.select(graph), rows[row].reshape(-1), steps)


def coloured(example):
    graph = nx.MultiDiGraph(to_networkx(example.graph).to_directed())
    nx.set_node_attributes(graph, dict(enumerate(np.asarray(example.inputs).tolist())), "input")
    return graph


def isomorphic(one, two):
    same = {"node_match": lambda a, b: a["input"] == b["input"]}
    if one.graph.slots is not None and one.graph.num_arcs:
        # A row is the same only as it is: its nodes tell left from right.
        return one.graph.num_nodes == two.graph.num_nodes and list(one.inputs) == list(two.inputs)
    return nx.is_isomorphic(coloured(one), coloured(two), **same)


@st.composite
def cases(draw):
    """A hidden automaton, and a few of the graphs of one size with its answers."""
    rng = np.random.default_rng(draw(SEEDS))
    evolution = draw(st.integers(0, 3)) == 0
    aggregation = draw(aggregations(max_bound=2))
    classes, inputs, extra = draw(st.sampled_from([(2, 1, 0), (2, 2, 0), (1, 1, 1), (2, 1, 1)]))
    if evolution:
        classes = inputs = 2
    shape = Shape(0 if evolution else classes, inputs, 0 if evolution else extra, aggregation)
    task = task_of("evolution" if evolution else "classes", inputs, classes)
    hidden = automaton(shape, random_table(shape, rng, draw(st.sampled_from([0.0, 0.3]))))
    kind = "row" if aggregation.uses_slots else draw(st.sampled_from(["path", "tree", "connected"]))
    size = draw(st.integers(1, 3))
    everything = all_instances(task, kind, size, 1 if evolution else 2 * size + 2)
    chosen = rng.choice(len(everything), min(len(everything), draw(st.integers(1, 4))), replace=False)
    return shape, hidden, kind, answered(everything.select(chosen), hidden)


def differences(shape, hidden, data, asked):
    """Whether some table that fits the data gives a graph other answers; every table is tried."""
    problem = Problem.of(Examples.concatenate([data, asked]), shape)
    known = asked.predict(hidden).tolist()
    for fit in every_fit(problem, limit=20_000):
        table = shape.empty_table()
        for state, value, successor in fit:
            table[state, value] = successor
        last = frames_of(problem, len(data), table)[0][-1]
        if [state if state < shape.num_final or not shape.num_final else -1 for state in last] != known:
            return True
    return False


@EXAMPLES
@given(cases())
def test_against_every_table(case):
    shape, hidden, kind, data = case
    found = suggest(hidden, data, max_nodes=3, graph_class=kind, budget=60)
    smallest = None
    try:
        for size in (1, 2, 3):
            steps = 1 if not shape.num_final else 2 * size + 2
            asked = all_instances(data.task, kind, size, steps)
            new = [
                place
                for place, example in enumerate(asked)
                if like(example, data)
                and not any(isomorphic(example, other) for other in data if settled(other, data.task, steps))
            ]
            if any(differences(shape, hidden, data, asked.select([place])) for place in new):
                smallest = size
                break
    except TooManyError:
        assume(False)
    assert found.determined == (smallest is None)
    if smallest is None:
        assert (found.max_nodes, found.suggestions, found.alternative) == (3, (), None)
        return
    assert found.max_nodes == smallest - 1
    (suggestion,) = found.suggestions
    assert suggestion.graph.num_nodes == smallest
    check_alternative(found, hidden, data)


def settled(example, task, steps):
    """Whether every node has its label, after as many steps as are asked about."""
    return example.mask.all() and (task.kind == "classes" or example.steps == steps)


def like(example, data):
    """Whether inputs occur as in the data: groups of classes as often, none with more neighbours than ever."""
    examples = list(data)
    classes = range(len(data.task.inputs))
    if len({other.graph.num_nodes for other in examples}) > 1:
        for group in chain.from_iterable(combinations(classes, k) for k in range(1, len(classes))):
            totals = {sum(int(x) in group for x in other.inputs) for other in examples}
            if len(totals) == 1 and sum(int(x) in group for x in example.inputs) not in totals:
                return False
    pairs = [(int(x), int(d)) for e in examples for x, d in zip(e.inputs, np.diff(e.graph.indptr), strict=True)]
    most = {c: max((d for x, d in pairs if x == c), default=0) for c in classes}
    top = max(most.values())
    degrees = np.diff(example.graph.indptr)
    return all(most[int(x)] == top or d <= most[int(x)] for x, d in zip(example.inputs, degrees, strict=True))


def check_alternative(found, fsa, data):
    """The other automaton fits the data, has the same shape, and answers as it is said."""
    other = found.alternative
    assert not ((data.predict(other) != data.labels) & data.mask).any()
    assert (other.num_states, other.aggregation.name) == (fsa.num_states, fsa.aggregation.name)
    assert len(other.final_states) == len(fsa.final_states)
    for suggestion in found.suggestions:
        asked = unlabelled(data.task, GraphBatch.of([suggestion.graph]), suggestion.inputs, suggestion.steps)
        (one,) = asked
        assert not any(isomorphic(one, example) for example in data if settled(example, data.task, suggestion.steps))
        assert suggestion.answers[0] != suggestion.answers[1]
        for automaton_, answers in zip((fsa, other), suggestion.answers, strict=True):
            assert asked.predict(automaton_).tolist() == list(answers)


TRUTHS = [
    ("distance", {"graphs": "tree"}),
    ("grab", {"truth_seed": "23"}),
    ("grab", {"truth_seed": "61"}),
    ("grab", {"truth_seed": "3", "truth": "sparse"}),
    ("grab", {"truth_seed": "77", "aggregation": "average-threshold"}),
]


@pytest.mark.parametrize(("name", "options"), TRUTHS)
def test_asking_and_learning_ends_with_the_truth(name, options):
    """Suggest, label with a hidden automaton, learn: until the data determine the automaton."""
    task = dataset_class(name).from_options(options)
    hidden = task.automaton()
    data = task.examples(GraphBatch.of([PAIR]), np.array([0, 1]))
    learner = ExactLearner(states=4, bound=1, aggregation=hidden.aggregation.name, merge="none", budget=20)
    for _ in range(60):
        learned = learner.fit(data)
        assert learned.verdict == "exact"
        found = suggest(learned.automaton, data, max_nodes=5, dataset=task, count=3)
        if found.determined:
            break
        assert found.determined is False
        check_alternative(found, learned.automaton, data)
        for suggestion in found.suggestions:
            answers = task.examples(GraphBatch.of([suggestion.graph]), np.array(suggestion.inputs))
            assert answers.mask.all()
            assert answers.steps.tolist() == [suggestion.steps]
            data = Examples.concatenate([data, labelled(suggestion, data.task, answers.labels)])
    assert found.determined
    assert found.max_nodes == 5
    assert 2 < len(data) < 60
    # All that fit agree with each other, and the hidden one fits.
    assert verify(learned.automaton, task, 5).verified


def test_suggestions_are_not_isomorphic_to_each_other():
    task = dataset_class("distance")(graphs="tree")
    data = task.generate(2, 1, np.random.default_rng(0))
    found = suggest(library.distance(), data, max_nodes=4, dataset=task, count=100)
    shown = [unlabelled(task.task, GraphBatch.of([s.graph]), s.inputs, s.steps) for s in found.suggestions]
    examples = [next(iter(one)) for one in shown]
    assert not any(isomorphic(a, b) for place, a in enumerate(examples) for b in examples[:place])
    check_alternative(found, library.distance(), data)


def test_all_graphs_of_a_class_determine_what_is_asked():
    """With nothing left to ask there is nothing to search, and the size is what was asked for."""
    task = dataset_class("distance")(graphs="tree")
    parts = [all_graphs("tree", size) for size in range(1, 5)]
    data = Examples.concatenate(
        [
            task.examples(
                batch.select(np.repeat(np.arange(len(batch)), size)),
                np.tile(np.eye(size, dtype=np.uint8), (len(batch), 1)).reshape(-1),
            )
            for size, batch in enumerate(parts, 1)
        ]
    )
    found = suggest(library.distance(), data, max_nodes=4, dataset=task)
    assert (found.determined, found.checked, found.max_nodes) == (True, 0, 4)


def test_inputs_look_like_those_of_the_data():
    """One root in every graph: one root in every candidate. In graphs of one size nobody can tell."""
    task = dataset_class("distance")(graphs="tree")
    data = Examples.concatenate([task.generate(n, 3, np.random.default_rng(n)) for n in (2, 3)])
    for size, found in candidates(data, 4, None, None):
        for example in found:
            assert example.graph.num_nodes == size
            assert np.sum(example.inputs == 1) == 1
    one = task.generate(3, 3, np.random.default_rng(1))
    assert any(np.sum(e.inputs) != 1 for _, found in candidates(one, 3, None, None) for e in found)


def test_classes_of_data():
    triangle = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)])
    star = Graph.from_edges(4, [(0, 1), (0, 2), (0, 3)])
    path = Graph.from_edges(3, [(0, 1), (1, 2)])
    apart = Graph.from_edges(4, [(0, 1), (1, 2), (2, 0)])  # As many edges as a tree has.
    arrow = Graph.from_edges(2, [(0, 1)], directed=True)
    row = Graph.from_edges(2, [(1, 0), (0, 1)], directed=True, slots=[1, 0])
    for graphs, kind in [
        ([path, PAIR], "path"),
        ([path, star], "tree"),
        ([triangle], "cycle"),
        ([triangle, path], "connected"),
        ([apart], "connected"),
        ([arrow], "connected"),
        ([row], "row"),
    ]:
        nodes = sum(graph.num_nodes for graph in graphs)
        data = unlabelled(task_of("classes", 2, 2), GraphBatch.of(graphs), [0] * nodes, 3)
        assert class_of_data(data) == kind


def test_sizes_with_too_many_graphs_are_not_claimed(monkeypatch):
    monkeypatch.setattr(identifiability, "_MAX_INSTANCES", 100)
    shape = Shape(1, 3, 0, CountingAggregation(1))
    done = automaton(shape, np.zeros((4, 16), np.int16))
    graphs = GraphBatch.of([Graph.from_edges(1, []), Graph.from_edges(3, [(0, 1), (1, 2)])])
    data = answered(unlabelled(task_of("classes", 3, 1), graphs, [0, 0, 1, 2], 3), done)
    # Trees of 4 nodes are 2 with 81 inputs each.
    assert [size for size, _ in candidates(data, 8, None, "tree")][-1] == 4
    found = suggest(done, data, max_nodes=8, graph_class="tree", choose=lambda asked: np.zeros(len(asked), bool))
    assert (found.determined, found.max_nodes) == (True, 3)


def test_only_what_may_be_asked_is_asked():
    task = dataset_class("distance")(graphs="tree")
    data = task.generate(2, 1, np.random.default_rng(0))
    found = suggest(library.distance(), data, max_nodes=4, dataset=task, choose=lambda asked: asked.sizes == 4)
    assert found.suggestions[0].graph.num_nodes == 4


def test_states_may_be_numbered_in_any_way():
    """An aggregation that watches one state must watch the same one in the alternative."""
    names = ["i0", "c0", "c1"]
    aggregation = AverageThresholdAggregation({0: 0.5})
    table = np.array([[1, 2], [1, 1], [2, 2]])
    fsa = GraphFSA(names, aggregation, table, starting_states=["i0"], final_states=["c0", "c1"])
    task = task_of("classes", 1, 2)
    data = answered(unlabelled(task, GraphBatch.of([PAIR]), [0, 0], 6), fsa)
    found = suggest(fsa, data, max_nodes=3, graph_class="path")
    assert found.determined is False
    assert found.suggestions[0].graph.num_nodes == 1
    assert found.alternative.aggregation == AverageThresholdAggregation({2: 0.5})
    assert found.alternative.state_names == ("c0", "c1", "i0")
    check_alternative(found, fsa, data)


def test_progress_and_budget():
    task = dataset_class("distance")()
    data = task.generate(4, 200, np.random.default_rng(0))
    told = []
    found = suggest(library.distance(), data, max_nodes=4, dataset=task, progress=told.append)
    assert told == list(range(1, found.checked + 1))


def test_what_the_searches_leave_open_is_undecided(monkeypatch):
    """No work, no conflicts, no time."""
    monkeypatch.setattr(identifiability, "_WORK", 0)
    monkeypatch.setattr(identifiability, "_CONFLICTS", 1)
    task = dataset_class("path-finding")()
    data = task.generate(6, 100, np.random.default_rng(0))
    found = suggest(library.path_finding(), data, max_nodes=6, dataset=task, budget=1e-9)
    assert (found.determined, found.alternative, found.suggestions) == (None, None, ())


def test_the_budget_is_work_and_seconds_are_a_limit_on_top(monkeypatch):
    task = dataset_class("distance")(graphs="tree")
    parts = [task.generate(size, 60, np.random.default_rng(size)) for size in range(1, 6)]
    data = Examples.concatenate(parts)

    def asked(**limits):
        return suggest(library.distance(), data, max_nodes=7, dataset=task, **limits)

    whole = asked()
    assert whole.determined is not None
    few = asked(budget=0.01)
    assert (few.determined, few.checked < whole.checked) == (None, True)
    assert asked(seconds=1e-9).determined is None
    monkeypatch.setattr("graphfsa.search.budget.monotonic", lambda: 0.0)
    assert asked(budget=0.01).checked == few.checked, "the clock does not matter"


def test_clauses_agree_with_lazy_assignment(monkeypatch):
    task = dataset_class("distance")(graphs="tree")
    data = task.generate(3, 5, np.random.default_rng(0))
    lazy = suggest(library.distance(), data, max_nodes=5, dataset=task)
    monkeypatch.setattr(identifiability, "_WORK", 0)
    clauses = suggest(library.distance(), data, max_nodes=5, dataset=task)
    assert (lazy.determined, lazy.checked, lazy.max_nodes) == (clauses.determined, clauses.checked, clauses.max_nodes)
    if clauses.alternative is not None:
        check_alternative(clauses, library.distance(), data)


def test_an_automaton_that_does_not_fit_is_refused():
    task = dataset_class("distance")()
    data = task.generate(4, 3, np.random.default_rng(0))
    wrong = Examples(data.task, data.graphs, data.inputs, 1 - data.labels, steps=data.steps)
    with pytest.raises(GraphFSAError, match=r"it gives 12 of 12 nodes that count another answer .* node 0 of graph 0"):
        suggest(library.distance(), wrong)


@pytest.mark.parametrize("size", [0, -1, True, 2.0])
def test_bad_sizes(size):
    data = dataset_class("distance")().generate(3, 3, np.random.default_rng(0))
    with pytest.raises(GraphFSAError, match="max_nodes must be an integer >= 1"):
        suggest(library.distance(), data, max_nodes=size)


def test_slots_need_classes_with_slots():
    task = dataset_class("elementary")(rule=110)
    data = task.generate(4, 5, np.random.default_rng(0), steps=1)
    with pytest.raises(GraphFSAError, match="row and ring; got tree"):
        suggest(task.automaton(), data, graph_class="tree")
    trees = dataset_class("distance")().generate(3, 3, np.random.default_rng(0))
    with pytest.raises(GraphFSAError, match="no neighbour slots"):
        suggest(library.distance(), trees, graph_class="row")
    assert suggest(task.automaton(), data, max_nodes=2).determined is not None


class Marks(CustomTask):
    """One node, which is not marked; what is right is not asked here."""

    inputs = ("plain", "marked")
    classes = ("no", "yes")
    graphs = "path"

    def admits(self, graph, inputs):
        return "marked" not in inputs

    def label(self, graph, inputs):
        return ["no"] * len(inputs)


def always(answer, order):
    """An automaton that says the same to everybody after a step, with its inputs in some order."""
    names = ["no", "yes", *order]
    table = [[0] * 16, [1] * 16, [names.index(answer)] * 16, [names.index(answer)] * 16]
    return GraphFSA(names, CountingAggregation(1), table, starting_states=order, final_states=["no", "yes"])


@pytest.mark.parametrize("order", [["plain", "marked"], ["marked", "plain"]])
def test_inputs_of_the_task_are_those_of_the_data_by_name(order):
    """A marked node is known, a plain one is not, however the automaton numbers them."""
    task = Marks()
    point = GraphBatch.of([Graph.from_edges(1, [])])
    data = Examples(task.task, point, [1], [0], steps=3)
    found = suggest(always("no", order), data, max_nodes=1, dataset=task)
    assert found.determined is False
    assert [found.task.inputs[k] for k in found.suggestions[0].inputs] == ["plain"]
    assert suggest(
        always("no", order), Examples(task.task, point, [0], [0], steps=3), max_nodes=1, dataset=task
    ).determined


def test_an_answer_that_came_late_need_not_have_come_early():
    """That a node answers within nine steps does not say that it does so within four."""
    task = Marks()
    point = GraphBatch.of([Graph.from_edges(1, [])] * 2)
    late = Examples(task.task, point.select([0]), [0], [0], steps=9)
    early = Examples(task.task, point, [0, 0], [0, 0], steps=[9, 1])
    fsa = always("no", ["plain", "marked"])
    found = suggest(fsa, late, max_nodes=1, dataset=task)
    assert found.determined  # Two states and no neighbours: who has not answered after four steps never will.
    names = [*fsa.state_names, *(f"s{k}" for k in range(4))]
    table = np.tile(np.array([0, 1, 0, 0, 4, 5, 6, 7])[:, None], 256)
    larger = GraphFSA(names, CountingAggregation(1), table, starting_states=[2, 3], final_states=[0, 1])
    found = suggest(larger, late, max_nodes=1, dataset=task)
    assert (found.determined, found.suggestions[0].steps, found.suggestions[0].answers) == (False, 4, ((0,), (-1,)))
    check_alternative(found, larger, late.select([]))
    assert suggest(larger, early, max_nodes=1, dataset=task).determined


def test_states_that_are_not_alike_are_all_tried():
    """The pair has two steps: an alternative for the lone node must go at once to the one state that is watched."""
    shape = Shape(2, 1, 2, AverageThresholdAggregation({4: 0.5}))
    table = shape.empty_table()
    table[2], table[3], table[4] = [1, 1], [3, 3], [4, 4]
    fsa = automaton(shape, table)
    data = answered(unlabelled(task_of("classes", 1, 2), GraphBatch.of([PAIR]), [0, 0], 2), fsa)
    found = suggest(fsa, data, max_nodes=1, graph_class="path")
    assert found.determined is False
    check_alternative(found, fsa, data)
