"""Equal automata are found equal; a changed entry is found out on a smallest graph, confirmed by the specification."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import AverageThresholdAggregation, CountingAggregation, GraphFSA, PositionalAggregation, library
from graphfsa.analysis import equivalence
from graphfsa.analysis.equivalence import compare, same_up_to_renaming
from graphfsa.analysis.minimisation import minimise
from graphfsa.analysis.reachability import possible_entries
from graphfsa.datasets.grab import Grab
from graphfsa.engine.reference import reference_run
from graphfsa.errors import AutomatonError, GraphFSAError, LimitError, UnknownNameError
from graphfsa.graphs import all_graphs, all_inputs
from strategies import SEEDS

EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True)


def changed(fsa, state, value, successor):
    table = fsa.transition_table.copy()
    table[state, value] = successor
    return like(fsa, fsa.state_names, fsa.aggregation, table)


def like(fsa, names, aggregation, table):
    return GraphFSA(names, aggregation, table, starting_states=fsa.starting_states, final_states=fsa.final_states)


def renumbered(fsa, order):
    """The automaton whose state ``k`` is state ``order[k]``; named states must keep their order."""
    aggregation, values = fsa.aggregation.restricted(order, fsa.num_states)
    place = np.argsort(order)
    return GraphFSA(
        [fsa.state_names[state] for state in order],
        aggregation,
        place[fsa.transition_table[order][:, values]],
        starting_states=[int(place[state]) for state in fsa.starting_states],
        final_states=[int(place[state]) for state in fsa.final_states],
    )


def end_by_reference(fsa, graph, inputs):
    """The answers in the end, by plain Python: run until a configuration occurs twice."""
    states = [fsa.starting_states[k] for k in inputs]
    seen = set()
    while tuple(states) not in seen:
        seen.add(tuple(states))
        states = reference_run(fsa, graph, states, 1)[-1]
    return tuple(fsa.final_states.index(s) if s in fsa.final_states else -1 for s in states)


def first_difference(a, b, graph_class, max_nodes, where_answered=False):
    """The smallest difference, by plain Python; also how many were looked at."""
    number = 0
    for size in range(1, max_nodes + 1):
        for graph in all_graphs(graph_class, size).graphs():
            for inputs in all_inputs(size, len(a.starting_states)).tolist():
                number += 1
                left, right = (end_by_reference(fsa, graph, inputs) for fsa in (a, b))
                if any(p != q and not (where_answered and p < 0) for p, q in zip(left, right, strict=True)):
                    return number, graph, tuple(inputs), (left, right)
    return number, None, None, None


@EXAMPLES
@given(
    SEEDS,
    st.sampled_from(["tree", "cycle", "connected"]),
    st.sampled_from(["counting", "average-threshold"]),
    st.booleans(),
)
def test_a_changed_entry_is_judged_as_by_plain_python(seed, graph_class, aggregation, where_answered):
    rng = np.random.default_rng(seed)
    a = Grab(truth_seed=seed % 1000, aggregation=aggregation, truth="sparse").automaton()
    state, value = int(rng.integers(2, 4)), int(rng.integers(a.num_values))
    b = changed(a, state, value, (int(a.transition_table[state, value]) + 1) % 4)
    found = compare(a, b, graph_class=graph_class, max_nodes=4, where_answered=where_answered)
    number, graph, inputs, answers = first_difference(a, b, graph_class, 4, where_answered)
    assert found.equivalent == (graph is None)
    if found.by == "renaming":
        assert found.checked == 0
        return
    assert found.checked == number
    if graph is not None:
        difference = found.distinguishing
        assert (difference.graph, difference.inputs, difference.answers) == (graph, inputs, answers)
        for fsa, side in zip((a, b), difference.answers, strict=True):
            last = reference_run(fsa, graph, [fsa.starting_states[k] for k in inputs], difference.steps)[-1]
            assert tuple(fsa.final_states.index(s) if s in fsa.final_states else -1 for s in last) == side


def test_every_change_of_a_used_entry_of_the_distance_automaton_is_found():
    """Each of its entries that a tree of up to four nodes uses: some successor shows."""
    fsa = library.distance()
    shown = 0
    for state, value in np.argwhere(possible_entries(fsa)).tolist():
        if state in fsa.final_states:
            continue
        for successor in set(range(4)) - {int(fsa.transition_table[state, value])}:
            found = compare(fsa, changed(fsa, state, value, successor), max_nodes=4)
            shown += not found.equivalent
            if not found.equivalent:
                left, right = found.distinguishing.answers
                assert left == end_by_reference(fsa, found.distinguishing.graph, found.distinguishing.inputs)
                assert left != right
    assert shown > 30


@EXAMPLES
@given(SEEDS, st.permutations(range(2, 6)))
def test_renumbered_states_are_recognised(seed, order):
    kind = [
        CountingAggregation(bound=1),
        PositionalAggregation(num_slots=2),
        AverageThresholdAggregation({0: 0.5, 3: 0.5}),
    ]
    aggregation = kind[seed % 3]
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 6, (6, aggregation.num_values(6)))
    table[0] = 0
    fsa = GraphFSA([f"s{k}" for k in range(6)], aggregation, table, starting_states=[1], final_states=[0])
    other = renumbered(fsa, [0, 1, *order])
    renaming = same_up_to_renaming(fsa, other)
    assert renaming is not None
    reached = np.flatnonzero(possible_entries(fsa).any(axis=1)).tolist()
    assert [other.state_names[renaming[state]] for state in reached] == [fsa.state_names[state] for state in reached]
    assert sorted(renaming) == list(range(6))
    family = "row" if aggregation.uses_slots else "tree"
    assert compare(fsa, other, graph_class=family, max_nodes=3).by == "renaming"


@EXAMPLES
@given(SEEDS)
def test_a_renaming_is_not_claimed_after_a_change_of_an_entry_that_can_be_used(seed):
    rng = np.random.default_rng(seed)
    fsa = Grab(truth_seed=seed % 1000, num_states=5).automaton()
    usable = [entry for entry in np.argwhere(possible_entries(fsa)).tolist() if entry[0] not in fsa.final_states]
    state, value = usable[rng.integers(len(usable))]
    other = changed(fsa, state, value, (int(fsa.transition_table[state, value]) + 1) % 5)
    # Only m0 is free to be renamed, and it is the only one of its kind.
    assert same_up_to_renaming(fsa, other) is None


def test_a_larger_bound_that_makes_no_difference_is_a_renaming():
    fsa = library.distance()
    lifted = CountingAggregation(bound=2)
    table = [
        fsa.transition_table[:, sum(min(1, d) << m for m, d in enumerate(lifted.digits(value, 4)))]
        for value in range(lifted.num_values(4))
    ]
    other = like(fsa, fsa.state_names, lifted, np.array(table).T)
    assert same_up_to_renaming(fsa, other) == same_up_to_renaming(other, fsa) == (0, 1, 2, 3)
    assert compare(fsa, other).by == "renaming"
    two_even = lifted.encode([0, 0], [], 4)
    third = changed(other, 2, two_even, 2)
    assert same_up_to_renaming(fsa, third) is None
    found = compare(fsa, third, max_nodes=5)
    assert (found.equivalent, found.distinguishing.graph.num_nodes) == (False, 3)


def test_states_that_merge_make_automata_of_different_sizes_equal():
    fsa = library.distance()
    names = [*fsa.state_names, "twin"]

    def move(state, seen):
        own = "node" if state == "twin" else state
        counts = {name: max(seen[name], seen["twin"] if name == "node" else 0) for name in fsa.state_names}
        value = sum(counts[name] << m for m, name in enumerate(fsa.state_names))
        following = fsa.state_names[fsa.transition_table[fsa.index(own), value]]
        return "twin" if following == "node" else following

    larger = GraphFSA.from_rule(
        names, CountingAggregation(), move, starting_states=["node", "root"], final_states=["even", "odd"]
    )
    assert same_up_to_renaming(fsa, larger) is None
    assert minimise(larger).automaton == fsa
    assert compare(fsa, larger).by == "renaming"


def test_where_a_has_no_answer_does_not_count_if_so_asked():
    fsa = library.distance()
    eager = changed(fsa, 2, 0, 0)  # A lone node that is no root says "even".
    strict, lenient = (compare(fsa, eager, max_nodes=4, where_answered=choice) for choice in (False, True))
    assert (strict.equivalent, strict.distinguishing.graph.num_nodes) == (False, 1)
    assert strict.distinguishing.answers == ((-1,), (0,))
    assert lenient.equivalent
    assert not compare(eager, fsa, max_nodes=4, where_answered=True).equivalent


def test_after_so_many_steps():
    """One automaton waits a step longer: the same in the end, not after one step."""
    names = ["yes", "start", "wait"]
    options = {"starting_states": ["start"], "final_states": ["yes"]}
    slow = {"start": "wait", "wait": "yes", "yes": "yes"}
    a = GraphFSA.from_rule(names, CountingAggregation(), lambda state, seen: slow[state], **options)
    b = GraphFSA.from_rule(names, CountingAggregation(), lambda state, seen: "yes", **options)
    assert compare(a, b, max_nodes=5).equivalent
    assert compare(a, b, max_nodes=5, steps=2).equivalent
    found = compare(a, b, max_nodes=5, steps=1).distinguishing
    assert (found.steps, found.answers) == (1, ((-1,), (0,)))


def test_roll_outs_that_never_rest_are_compared_where_they_repeat():
    """Blinkers of different lengths: the answer comes after ever more steps, the others blink on."""
    names = ["yes", "a", "b", "c"]
    turn = {"a": "b", "b": "c", "c": "a"}

    def move(late):
        return lambda state, seen: "yes" if state == "yes" or (state == late and seen["a"]) else turn[state]

    options = {"starting_states": ["a", "b"], "final_states": ["yes"]}
    a, b = (GraphFSA.from_rule(names, CountingAggregation(), move(late), **options) for late in "bc")
    for first, second in ((a, b), (a, a), (b, a)):
        number, graph, inputs, answers = first_difference(first, second, "path", 5)
        found = compare(first, second, graph_class="path", max_nodes=5)
        assert found.equivalent == (graph is None)
        if graph is not None:
            assert (found.checked, found.distinguishing.inputs, found.distinguishing.answers) == (
                number,
                inputs,
                answers,
            )


def test_a_roll_out_that_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(equivalence, "_MAX_STEPS", 2)
    a = library.distance()
    with pytest.raises(LimitError, match="do not repeat within 2 steps; compare after a fixed number of steps"):
        compare(a, changed(a, 2, 3, 3), max_nodes=6)


@pytest.mark.parametrize(("one", "two", "family"), [("rule110", "rule111", "ring"), ("B3/S23", "B3/S2", "tree")])
def test_cellular_automata_are_compared_by_their_states_after_one_step(one, two, family):
    a, b = library.library_automaton(one), library.library_automaton(two)
    assert compare(a, a, graph_class=family).by == "renaming"
    found = compare(a, b, graph_class=family).distinguishing
    assert found.steps == 1
    for fsa, side in zip((a, b), found.answers, strict=True):
        assert tuple(reference_run(fsa, found.graph, found.inputs, 1)[-1]) == side
    assert found.answers[0] != found.answers[1]


def test_rules_that_differ_only_off_the_class_are_equal_on_it():
    """On a ring every cell has both neighbours, so what lies beyond the end of a row does not matter."""
    a, b = library.elementary(110), library.elementary(110, boundary="one")
    on_rings = compare(a, b, graph_class="ring", max_nodes=6)
    assert (on_rings.equivalent, on_rings.by, on_rings.checked) == (
        True,
        "exhaustive check",
        sum(2**n for n in range(1, 7)),
    )
    assert not compare(a, b, graph_class="row", max_nodes=6).equivalent


def test_progress_counts_up(monkeypatch):
    monkeypatch.setattr(equivalence, "_BATCH_NODES", 64)
    calls = []
    a = library.elementary(110)
    found = compare(a, library.elementary(110, boundary="one"), graph_class="ring", max_nodes=6, progress=calls.append)
    assert calls == sorted(calls)
    assert calls[-1] == found.checked
    assert len(calls) > 6


def test_automata_that_cannot_be_compared():
    distance, root = library.distance(), library.root_value()
    with pytest.raises(AutomatonError, match="the same number of starting states; got 2 and 3"):
        compare(distance, root)
    with pytest.raises(AutomatonError, match="the same number of final states; got 0 and 2"):
        compare(GraphFSA(["a", "b"], CountingAggregation(), [[0] * 4, [1] * 4]), distance)
    with pytest.raises(GraphFSAError, match="a model, a library name or a file; got int"):
        compare(distance, 3)
    assert compare(distance, "distance").by == "renaming"
    with pytest.raises(
        AutomatonError, match="without final states are compared by their states and must have the same"
    ):
        half = GraphFSA(["a", "b", "c"], CountingAggregation(), [[0] * 8, [1] * 8, [2] * 8], starting_states=[0, 1])
        compare(library.life_like(), half)
    with pytest.raises(AutomatonError, match="able to start in each state, or be compared after a given number"):
        compare(half, half)
    assert compare(half, half, steps=3).equivalent
    nobody = GraphFSA(["a"], CountingAggregation(), [[0, 0]], starting_states=[], final_states=["a"])
    with pytest.raises(AutomatonError, match="must have a starting state; got none"):
        compare(nobody, nobody)
    assert same_up_to_renaming(nobody, nobody) == (0,)


@pytest.mark.parametrize("number", [0, -1, True, 2.0, "3", None])
def test_a_size_is_a_whole_number(number):
    with pytest.raises(AutomatonError, match="max_nodes must be an integer >= 1; got "):
        compare(library.distance(), library.distance(), max_nodes=number)


@pytest.mark.parametrize("number", [-1, True, 2.0, "3"])
def test_steps_are_a_whole_number(number):
    with pytest.raises(AutomatonError, match="steps must be an integer >= 0; got "):
        compare(library.distance(), library.distance(), steps=number)


def test_graphs_that_do_not_suit():
    with pytest.raises(UnknownNameError, match="unknown graph class 'forest'"):
        compare(library.distance(), library.distance(), graph_class="forest")
    with pytest.raises(AutomatonError, match="positional aggregation needs a graph with neighbour slots"):
        compare(library.elementary(1), library.elementary(2), graph_class="tree")


def test_too_much_is_refused_before_anything_runs():
    a = library.root_value()
    with pytest.raises(LimitError, match=r"too many: at most 1,073,741,824 nodes are run.*choose at most 11 nodes"):
        compare(a, changed(a, 2, 3, 3), max_nodes=16)
    # What needs no run is not refused.
    assert compare(a, a, max_nodes=16).by == "renaming"
    assert compare(a, a, max_nodes=10**9).by == "renaming"
    one = GraphFSA(["a", "b"], CountingAggregation(), [[0] * 4, [1] * 4], starting_states=[0], final_states=[1])
    with pytest.raises(LimitError, match="listed up to 16 nodes; got 17"):
        compare(one, one.with_entry(0, 0, 1), max_nodes=17)
    a = library.path_finding()
    with pytest.raises(LimitError, match="choose at most 22 nodes"):
        compare(a, changed(a, 2, 40, 3), graph_class="path", max_nodes=40)


def test_states_that_show_are_matched_by_their_names_too():
    """Both never change anything; that one lists its states the other way round must not matter."""
    stay = [[0] * 4, [1] * 4]
    a, b = (GraphFSA(names, CountingAggregation(), stay) for names in (["x", "y"], ["y", "x"]))
    for steps in (None, 3):
        assert compare(a, b, max_nodes=3, steps=steps).equivalent
    flip = GraphFSA(["y", "x"], CountingAggregation(), stay[::-1])
    found = compare(a, flip, max_nodes=3).distinguishing
    assert (found.inputs, found.answers) == ((0,), ((0,), (1,)))  # From x to x, and to y: as the first numbers them.
    other = GraphFSA(["p", "q"], CountingAggregation(), stay)
    assert compare(a, other, max_nodes=3).equivalent  # Other names: by their places.


def test_states_that_show_must_start_alike():
    stay = [[0] * 4, [1] * 4]
    a, b, c = (
        GraphFSA(names, CountingAggregation(), stay, starting_states=[start])
        for names, start in ((["x", "y"], "x"), (["y", "x"], "x"), (["y", "x"], "y"))
    )
    assert compare(a, b, steps=2).equivalent
    with pytest.raises(AutomatonError, match="must have the same; got 2 and 2 states, starting in x and y"):
        compare(a, c, steps=2)
