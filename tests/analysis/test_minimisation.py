"""The smaller automaton gives the same answers at every step, and what was planted is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    Graph,
    GraphFSA,
    LettersAggregation,
    PositionalAggregation,
    library,
    run,
)
from graphfsa.aggregations import Aggregation, Sum
from graphfsa.analysis import minimisation
from graphfsa.analysis.minimisation import minimise
from graphfsa.analysis.reachability import possible_entries, possible_states
from graphfsa.engine.reference import reference_run
from graphfsa.errors import AutomatonError
from strategies import SEEDS, plain_graphs, slotted_graphs

EXAMPLES = settings(max_examples=150, deadline=None, derandomize=True)


@st.composite
def small_automata(draw, slotted):
    """A random automaton of 3 to 5 states; one or two start, one or two are final, entries often stay."""
    num_states = draw(st.integers(3, 5))
    if slotted:
        aggregation = PositionalAggregation(num_slots=2)
    else:
        choices = [
            CountingAggregation(bound=1),
            AverageThresholdAggregation(0.5),
            AverageThresholdAggregation({1: 0.5}),
            LettersAggregation((Sum("count", 2, (1, 1)), Sum("modulo", 2, (0, 0, 1)))),
            LettersAggregation((Sum("highest", 2, (0, 1, 2)),)),
        ]
        aggregation = draw(st.sampled_from([*choices, *([CountingAggregation(bound=2)] if num_states < 5 else [])]))
    rng = np.random.default_rng(draw(SEEDS))
    shape = (num_states, aggregation.num_values(num_states))
    table = rng.integers(0, num_states, shape)
    stay = rng.random(shape) < draw(st.sampled_from([0.0, 0.6]))
    table = np.where(stay, np.arange(num_states)[:, None], table)
    if draw(st.booleans()):  # Two states that do the same, and may or may not be seen as the same.
        table[0] = table[1]
    final = sorted(draw(st.sets(st.integers(0, num_states - 1), min_size=1, max_size=2)))
    table[final] = np.array(final)[:, None]
    starting = draw(st.sets(st.integers(0, num_states - 1), min_size=1, max_size=2))
    return GraphFSA(
        [f"s{k}" for k in range(num_states)], aggregation, table, starting_states=[*starting], final_states=final
    )


def with_twin(fsa, original, rng):
    """The automaton with one more state that does what ``original`` does and is seen as it; entries choose between."""
    twin, total = fsa.num_states, fsa.num_states + 1
    stand_in = [*range(twin), original]
    kind = fsa.aggregation
    if isinstance(kind, LettersAggregation):  # The twin shows the same letters.
        shown = [tuple(part.weight(state) for state in stand_in) for part in kind.sums]
        sums = zip(kind.sums, shown, strict=True)
        kind = LettersAggregation(tuple(Sum(part.kind, part.limit, weights) for part, weights in sums))
    table = np.empty((total, kind.num_values(total)), int)
    for value in range(table.shape[1]):
        digits = kind.digits(value, total)
        if isinstance(kind, CountingAggregation):
            together = [min(kind.bound, digits[m] + (digits[twin] if m == original else 0)) for m in range(twin)]
            old = sum(count * (kind.bound + 1) ** m for m, count in enumerate(together))
        elif isinstance(kind, LettersAggregation):
            old = value
        else:
            sides = [0 if digit == 0 else stand_in[digit - 1] + 1 for digit in digits]
            old = sum(digit * total**slot for slot, digit in enumerate(sides))
        table[:, value] = fsa.transition_table[stand_in, old]
    swap = (table == original) & (rng.random(table.shape) < 0.5)
    return GraphFSA(
        [*fsa.state_names, "twin"],
        kind,
        np.where(swap, twin, table),
        starting_states=fsa.starting_states,
        final_states=fsa.final_states,
    )


def check_same_answers(fsa, graph, seed, steps=7):
    found = minimise(fsa)
    small = found.automaton
    assert len(small.starting_states) == len(fsa.starting_states)
    assert [small.state_names[s] for s in small.final_states] == [fsa.state_names[s] for s in fsa.final_states]
    inputs = np.random.default_rng(seed).integers(0, len(fsa.starting_states), graph.num_nodes)
    large_run = reference_run(fsa, graph, np.array(fsa.starting_states)[inputs].tolist(), steps)
    small_run = reference_run(small, graph, np.array(small.starting_states)[inputs].tolist(), steps)
    class_of = {
        small_state: found.classes[large] for large, small_state in enumerate(found.mapping) if small_state >= 0
    }
    for before, after in zip(large_run, small_run, strict=True):
        assert [found.classes[state] for state in before] == [class_of[state] for state in after]
        answers = [fsa.final_states.index(s) if s in fsa.final_states else None for s in before]
        assert answers == [small.final_states.index(s) if s in small.final_states else None for s in after]


@EXAMPLES
@given(small_automata(slotted=False), plain_graphs(), SEEDS)
def test_answers_are_unchanged_at_every_step(fsa, graph, seed):
    check_same_answers(fsa, graph, seed)


@EXAMPLES
@given(small_automata(slotted=True), slotted_graphs(num_slots=2), SEEDS)
def test_answers_with_slots_are_unchanged_at_every_step(fsa, graph, seed):
    check_same_answers(fsa, graph, seed)


@EXAMPLES
@given(st.data(), st.booleans(), SEEDS)
def test_a_planted_twin_is_found_and_its_removal_changes_nothing(data, slotted, seed):
    plain = data.draw(
        small_automata(slotted).filter(lambda fsa: not isinstance(fsa.aggregation, AverageThresholdAggregation))
    )
    others = [m for m in range(plain.num_states) if m not in plain.final_states]
    if not others:
        return
    original = data.draw(st.sampled_from(others))
    fsa = with_twin(plain, original, np.random.default_rng(seed))
    found = minimise(fsa)
    if found.classes[-1] >= 0 and found.classes[original] >= 0:
        assert found.classes[-1] == found.classes[original]
    assert found.automaton.num_states <= plain.num_states
    assert found.automaton.num_states == minimise(plain).automaton.num_states
    graph = data.draw(slotted_graphs(num_slots=2) if slotted else plain_graphs())
    check_same_answers(fsa, graph, seed)


@EXAMPLES
@given(st.data(), st.booleans())
def test_it_is_idempotent(data, slotted):
    once = minimise(data.draw(small_automata(slotted))).automaton
    again = minimise(once)
    assert again.automaton == once
    assert again.mapping == tuple(range(once.num_states))


@EXAMPLES
@given(st.data(), st.booleans(), SEEDS)
def test_no_roll_out_uses_an_entry_that_is_called_impossible(data, slotted, seed):
    fsa = data.draw(small_automata(slotted))
    graph = data.draw(slotted_graphs(num_slots=2) if slotted else plain_graphs())
    start = np.random.default_rng(seed).choice(fsa.starting_states, graph.num_nodes)
    entries = run(fsa, graph, start, 9, entries=True).entries
    possible = possible_entries(fsa)
    assert not (entries > 0)[~possible].any()
    assert possible.any(axis=1).nonzero()[0].tolist() == possible_states(fsa)


def waiting_room(extra=()):
    """Starts, waits one step in either of two rooms, and is done; further states lead nowhere."""

    def move(state, seen):
        if state == "start":
            return "left" if seen["start"] else "right"
        return {"left": "done", "right": "done"}.get(state, state)

    names = ["start", "left", "right", "done", *extra]
    return GraphFSA.from_rule(
        names, CountingAggregation(bound=2), move, starting_states=["start"], final_states=["done"]
    )


def test_twins_and_states_that_never_occur_go():
    found = minimise(waiting_room(["island", "desert"]))
    assert found.automaton.state_names == ("start", "left", "done")
    assert found.mapping == (0, 1, 1, 2, -1, -1)
    assert found.automaton == minimise(waiting_room()).automaton


def test_a_difference_that_only_others_see_keeps_twins_apart():
    """Both rooms do the same themselves; but a watcher next to ``left`` gives another answer."""

    def move(state, seen):
        if state == "watcher":
            return "no" if seen["left"] else "yes" if seen["right"] else "watcher"
        return {"start": "left" if seen["start"] else "right", "left": "yes", "right": "yes"}.get(state, state)

    fsa = GraphFSA.from_rule(
        ["start", "watcher", "left", "right", "yes", "no"],
        CountingAggregation(bound=1),
        move,
        starting_states=["start", "watcher"],
        final_states=["yes", "no"],
    )
    assert np.array_equal(fsa.transition_table[2], fsa.transition_table[3])
    assert minimise(fsa).automaton == fsa


def test_a_starting_state_stands_for_its_class_even_if_another_comes_first():
    fsa = GraphFSA.from_rule(
        ["wait", "start", "done"],
        CountingAggregation(bound=1),
        lambda state, seen: "done" if state == "done" or seen["done"] else "wait",
        starting_states=["start", "done"],
        final_states=["done"],
    )
    found = minimise(fsa)
    assert found.automaton.state_names == ("start", "done")
    assert found.mapping == (0, 0, 1)


def test_starting_states_are_never_merged_away():
    fsa = GraphFSA.from_rule(
        ["a", "b", "done"],
        CountingAggregation(),
        lambda state, seen: "done",
        starting_states=["a", "b"],
        final_states=["done"],
    )
    found = minimise(fsa)
    assert found.automaton.state_names == ("a", "b", "done")
    assert found.classes[0] == found.classes[1] != found.classes[2]


def test_final_states_stay_even_if_they_never_occur():
    fsa = GraphFSA.from_rule(
        ["a", "b", "yes", "no"],
        CountingAggregation(),
        lambda state, seen: "yes" if state == "a" else "no" if state == "b" else state,
        starting_states=["a"],
        final_states=["yes", "no"],
    )
    found = minimise(fsa)
    assert found.automaton.state_names == ("a", "yes", "no")
    assert found.mapping == (0, -1, 1, 2)


def test_without_final_states_only_what_never_occurs_goes():
    fsa = GraphFSA.from_rule(
        ["a", "b", "c", "d"],
        CountingAggregation(),
        lambda state, seen: {"a": "b", "b": "c", "c": "b", "d": "a"}[state],
        starting_states=["a"],
    )
    assert minimise(fsa).automaton.state_names == ("a", "b", "c")


@pytest.mark.parametrize("name", ["distance", "path-finding", "prefix-sum", "life", "wireworld", "rule110"])
def test_the_automata_of_the_library_are_minimal(name):
    fsa = library.library_automaton(name)
    assert minimise(fsa).automaton == fsa


def test_watched_states_are_renumbered_when_others_go():
    fsa = GraphFSA.from_rule(
        ["island", "a", "b", "yes"],
        AverageThresholdAggregation({0: 0.5, 2: 0.5}),
        lambda state, seen: {"a": "b", "b": "yes" if seen["b"] else "b"}.get(state, state),
        starting_states=["a"],
        final_states=["yes"],
    )
    small = minimise(fsa).automaton
    assert small.state_names == ("a", "b", "yes")
    assert small.aggregation == AverageThresholdAggregation({1: 0.5})
    pair = Graph.from_edges(2, [(0, 1)])
    assert run(small, pair, [0, 0], 2).last.tolist() == [2, 2]


def test_where_no_watched_state_is_left_neighbours_do_not_matter():
    fsa = GraphFSA.from_rule(
        ["island", "a", "yes"],
        AverageThresholdAggregation({0: 0.5}),
        lambda state, seen: {"a": "island" if seen["island"] else "yes"}.get(state, state),
        starting_states=["a"],
        final_states=["yes"],
    )
    small = minimise(fsa).automaton
    assert small.state_names == ("a", "yes")
    assert (small.transition_table == 1).all()


class Silent(CountingAggregation):
    """Counts, but says nothing about one more neighbour or fewer states."""

    with_neighbour = Aggregation.with_neighbour
    possible_values = Aggregation.possible_values
    restricted = Aggregation.restricted


def test_an_aggregation_that_says_nothing_is_left_alone():
    talkative = waiting_room(["island"])
    fsa = GraphFSA(
        talkative.state_names, Silent(bound=2), talkative.transition_table, starting_states=[0], final_states=["done"]
    )
    assert minimise(fsa).automaton is fsa


def test_too_many_values_are_not_merged_but_still_dropped(monkeypatch):
    monkeypatch.setattr(minimisation, "MAX_JOINS", 10)
    assert minimise(waiting_room(["island"])).automaton.state_names == ("start", "left", "right", "done")


def test_bad_input():
    with pytest.raises(AutomatonError, match="minimise needs a GraphFSA; got str"):
        minimise("distance")
    nobody = GraphFSA(["a"], CountingAggregation(), [[0, 0]], starting_states=[])
    assert minimise(nobody).automaton is nobody
