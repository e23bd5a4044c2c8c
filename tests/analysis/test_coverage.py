"""Entries that are used, can be used, and are settled by labels, against plain Python."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, Graph, GraphBatch, GraphFSA, families, library, run
from graphfsa.analysis.coverage import KINDS, coverage, entries_used, graphs_by_entry, wrong_nodes
from graphfsa.datasets import Examples, Grab, Task, dataset_class, entry_counts, visited
from graphfsa.engine.reference import reference_run, reference_values
from graphfsa.errors import GraphFSAError
from strategies import SEEDS, any_graphs, cases

EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True)


def graphs_of_different_steps(seed, count=12):
    """Examples that a random truth labels, of two sizes and different numbers of steps; some nodes do not count."""
    rng = np.random.default_rng(seed)
    grab = Grab(truth_seed=seed % 500, truth="sparse", keep=0)
    parts = [grab.generate(size, count, rng, steps=steps) for size, steps in ((1, 0), (3, 2), (5, 4))]
    return grab.automaton(), Examples.concatenate(parts)


def used_by_reference(fsa, examples):
    """How often each entry is used, and by which graphs, by plain Python."""
    counts = np.zeros(fsa.transition_table.shape, int)
    users = {}
    for number, example in enumerate(examples):
        start = examples.task.starting_states(fsa, example.inputs).tolist()
        for states in reference_run(fsa, example.graph, start, example.steps)[:-1]:
            for state, value in zip(states, reference_values(fsa, example.graph, states), strict=True):
                counts[state, value] += 1
                users.setdefault(state * fsa.num_values + value, set()).add(number)
    return counts, users


@EXAMPLES
@given(SEEDS)
def test_entries_are_counted_as_by_plain_python(seed):
    fsa, examples = graphs_of_different_steps(seed)
    counts, users = used_by_reference(fsa, examples)
    found = coverage(fsa, examples)
    assert np.array_equal(found.seen, counts)
    assert np.array_equal(entry_counts(fsa, examples), counts)
    assert np.array_equal(visited(fsa, examples), counts > 0)
    assert {entry: set(graphs.tolist()) for entry, graphs in graphs_by_entry(fsa, examples).items()} == users
    assert not (found.seen > 0)[~found.possible].any()


@EXAMPLES
@given(cases(any_graphs()))
def test_the_entry_of_each_node(case):
    fsa, graph, states = case
    expected = np.array(reference_values(fsa, graph, states.tolist()), int) + states * fsa.num_values
    assert np.array_equal(entries_used(fsa, graph, states.astype(np.uint8)), expected)


@EXAMPLES
@given(SEEDS)
def test_kinds_are_those_of_plain_python(seed):
    """Each other successor of each entry is tried on all graphs."""
    fsa, examples = graphs_of_different_steps(seed, count=4)
    found = coverage(fsa, examples)
    kinds = found.kinds()
    for state in range(fsa.num_states):
        for value in range(fsa.num_values):
            kind = KINDS[kinds[state, value]]
            if state in fsa.final_states:
                assert kind == "final"
            elif not found.seen[state, value]:
                assert kind == ("unseen" if found.possible[state, value] else "impossible")
            else:
                others = [s for s in range(fsa.num_states) if s != fsa.transition_table[state, value]]
                wrong = [wrong_nodes(with_entry(fsa, state, value, successor), examples) > 0 for successor in others]
                assert kind == ("pinned" if all(wrong) else "open")
    facts = found.as_dict()
    assert facts["pinned"] == (kinds == KINDS.index("pinned")).sum()
    assert facts["open"] == (kinds == KINDS.index("open")).sum()
    assert facts["unseen"] == (kinds == KINDS.index("unseen")).sum() == len(found.unseen_entries())
    assert facts["seen"] + facts["unseen"] == facts["possible"]


def with_entry(fsa, state, value, successor):
    table = fsa.transition_table.copy()
    table[state, value] = successor
    return GraphFSA(
        fsa.state_names, fsa.aggregation, table, starting_states=fsa.starting_states, final_states=fsa.final_states
    )


def one_path(length, labels=None, mask=None):
    """A path with its root at one end, labelled by the parity of the distance."""
    task = Task("distance", "classes", ("node", "root"), ("even", "odd"))
    labels = np.arange(length) % 2 if labels is None else labels
    inputs = np.arange(length) == 0
    return Examples(
        task, GraphBatch.of([families.path(length)]), inputs.astype(int), labels, steps=length + 1, mask=mask
    )


def test_the_distance_automaton_on_a_path_of_two():
    found = coverage(library.distance(), one_path(2))
    assert (found.num_seen, found.num_possible, found.num_unseen) == (3, 32, 29)
    names = library.distance().state_names
    used = {(names[m], library.distance().aggregation.decode(z, names)) for m, z in np.argwhere(found.seen) if m > 1}
    assert used == {
        ("root", "0 even, 0 odd, 1+ node, 0 root"),
        ("node", "0 even, 0 odd, 0 node, 1+ root"),
        ("node", "1+ even, 0 odd, 0 node, 0 root"),
    }
    assert ("node", "0 even, 0 odd, 0 node, 0 root", "node") in found.unseen_entries()


def test_masked_labels_settle_nothing():
    full = coverage(library.distance(), one_path(4)).as_dict()
    empty = coverage(library.distance(), one_path(4, mask=np.zeros(4, bool))).as_dict()
    assert full["pinned"] > 0
    assert (empty["pinned"], empty["open"], empty["seen"]) == (0, full["seen"], full["seen"])


def test_a_single_late_label_settles_what_it_needs():
    """Of many graphs only the last has labels that count."""
    alone = coverage(library.distance(), one_path(4)).pinned()
    many = [one_path(4, mask=np.zeros(4, bool))] * 100 + [one_path(4)]
    assert alone.any()
    assert np.array_equal(coverage(library.distance(), Examples.concatenate(many)).pinned(), alone)


def test_an_automaton_that_does_not_fit_settles_nothing():
    found = coverage(library.distance(), one_path(4, labels=[0, 1, 0, 0]))
    assert found.wrong == 1
    assert found.pinned() is None
    assert found.kinds() is None
    facts = found.as_dict()
    assert (facts["wrong_nodes"], facts["pinned"], facts["open"]) == (1, None, None)
    assert facts["seen"] > 0


def test_too_much_work_is_skipped():
    found = coverage(library.distance(), one_path(20))
    assert found.pinned(max_work=100) is None
    assert found.pinned() is not None
    many = coverage(library.brians_brain(), brain(200))
    assert many.pinned(max_work=64 * 200 * 16 - 1) is None
    assert many.pinned(max_work=64 * 200 * 16) is not None


def test_too_many_changes_are_skipped_even_if_the_roll_out_is_short(monkeypatch):
    found = coverage(library.distance(), one_path(5))
    monkeypatch.setattr(sys.modules[coverage.__module__], "_ROLL_OUT_COST", 1)
    assert found.pinned(max_work=5 * 6) is None
    assert found.pinned(max_work=5 * 6 * 3 * found.num_seen) is not None


@EXAMPLES
@given(SEEDS)
def test_labels_after_one_step_settle_the_entries_that_made_them(seed):
    rng = np.random.default_rng(seed)
    names = ("a", "b", "c")
    fsa = GraphFSA(names, CountingAggregation(1), rng.integers(0, 3, (3, 8)))
    graph = families.random_tree(int(rng.integers(1, 9)), rng)
    start = rng.integers(0, 3, graph.num_nodes)
    mask = rng.random(graph.num_nodes) < 0.7
    labels = run(fsa, graph, start, 1).last
    examples = Examples(
        Task("own", "evolution", names, names), GraphBatch.of([graph]), start, labels, steps=1, mask=mask
    )
    pinned = coverage(fsa, examples).pinned()
    for state in range(3):
        for value in range(8):
            others = [other for other in range(3) if other != fsa.transition_table[state, value]]
            wrong = [wrong_nodes(with_entry(fsa, state, value, other), examples) > 0 for other in others]
            assert pinned[state, value] == all(wrong)


def brain(number):
    return dataset_class("brians-brain")().generate(16, number, np.random.default_rng(0))


def test_an_evolution_may_start_in_any_state():
    """The inputs of an evolution are states, whatever the starting states of the automaton are."""
    table = [[0, 0, 1, 1], [1, 1, 1, 1]]
    fsa = GraphFSA(["0", "1"], CountingAggregation(), table, starting_states=["0"])
    task = Task("spread", "evolution", ("0", "1"), ("0", "1"))
    examples = Examples(task, GraphBatch.of([families.path(3)]), [1, 0, 0], [1, 1, 0], steps=1)
    found = coverage(fsa, examples)
    assert found.possible.all()
    assert found.as_dict()["pinned"] == 3


def test_states_that_never_occur_make_impossible_entries():
    fsa = GraphFSA.from_rule(
        ["yes", "a", "island"],
        CountingAggregation(),
        lambda state, seen: "yes" if state == "a" else state,
        starting_states=["a"],
        final_states=["yes"],
    )
    task = Task("t", "classes", ("a",), ("yes",))
    found = coverage(fsa, Examples(task, GraphBatch.of([Graph.from_edges(1, [])]), [0], [0], steps=1))
    assert (found.num_possible, found.num_seen) == (4, 1)
    kinds = found.kinds()
    assert all(KINDS[kind] == "impossible" for kind in kinds[2])
    assert KINDS[kinds[1, 0]] == "pinned"


def test_no_graphs_show_nothing():
    nothing = one_path(3).select([])
    facts = coverage(library.distance(), nothing).as_dict()
    assert facts == {"possible": 32, "seen": 0, "unseen": 32, "pinned": 0, "open": 0, "wrong_nodes": 0}


def test_an_automaton_of_another_task_is_refused():
    with pytest.raises(GraphFSAError, match=r"distance has the classes even, odd, .* its final states are 0, 1$"):
        coverage(library.root_value(), one_path(3))


@pytest.mark.parametrize("name", ["distance", "path-finding", "root-value", "prefix-sum"])
def test_more_graphs_see_and_settle_more(name):
    dataset = dataset_class(name)()
    examples = dataset.generate(6, 40, np.random.default_rng(0))
    few, many = (coverage(dataset.automaton(), examples.select(np.arange(number))) for number in (5, 40))
    assert few.wrong == many.wrong == 0
    assert (few.seen <= many.seen).all()
    assert (few.pinned() <= many.pinned()).all()
    assert few.num_seen <= many.num_seen < many.num_possible


@settings(max_examples=20, deadline=None, derandomize=True)
@given(SEEDS, st.integers(0, 39))
def test_every_other_successor_of_a_pinned_entry_makes_a_label_wrong(seed, place):
    dataset = dataset_class("path-finding")()
    examples = dataset.generate(6, 40, np.random.default_rng(seed))
    found = coverage(dataset.automaton(), examples)
    pinned = np.argwhere(found.pinned()).tolist()
    state, value = pinned[place % len(pinned)]
    for successor in set(range(4)) - {int(found.fsa.transition_table[state, value])}:
        assert wrong_nodes(with_entry(found.fsa, state, value, successor), examples) > 0


def test_a_graph_without_nodes_moves_nobody():
    """It counts as a graph, so those after it keep their places."""
    fsa = library.distance()
    task = dataset_class("distance")().task
    graphs = [Graph.from_edges(0, []), families.path(1), Graph.from_edges(0, []), families.path(3)]
    inputs, labels = [task.inputs.index("root")] * 2 + [task.inputs.index("node")] * 2, [0, 0, 1, 0]
    examples = Examples(task, GraphBatch.of(graphs), inputs, labels, steps=6)
    assert {place for users in graphs_by_entry(fsa, examples).values() for place in users.tolist()} == {1, 3}
    alone = examples.select([1, 3])
    assert np.array_equal(coverage(fsa, examples).kinds(), coverage(fsa, alone).kinds())
