"""Arrows hold every entry once, their conditions hold where they say, and partial ones count what nodes really do."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, GraphFSA, library
from graphfsa.analysis import transitions, used_transitions
from graphfsa.automaton.rules import guard_holds
from graphfsa.datasets import dataset_class
from graphfsa.engine.reference import reference_step, reference_values
from graphfsa.errors import AutomatonError, StateError
from strategies import SEEDS, automata, random_automaton


def words(found):
    names = found.fsa.state_names
    return {(names[arrow.state], names[arrow.successor]): found.lines(arrow) for arrow in found.arrows}


def check_conditions(found, matters):
    """Each arrow has the values that it should, and its guards hold at these and at no other that matters."""
    fsa, seen = found.fsa, set()
    features = fsa.aggregation.features(fsa.state_names)
    for arrow in found.arrows:
        inside = matters[arrow.state] & (fsa.transition_table[arrow.state] == arrow.successor)
        assert arrow.values.tolist() == np.flatnonzero(inside).tolist()
        assert arrow.of == matters[arrow.state].sum()
        seen.add((arrow.state, arrow.successor))
        if arrow.guards is not None:
            holds = np.any([guard_holds(guard, features, fsa.num_values) for guard in arrow.guards], axis=0)
            assert np.array_equal(holds & matters[arrow.state], inside)
        if arrow.otherwise:
            others = [other for other in found.arrows if other.state == arrow.state and other is not arrow]
            assert others
            assert all(other.guards is not None and not other.otherwise for other in others)
    free = [state for state in range(fsa.num_states) if state not in fsa.final_states]
    pairs = {(m, int(k)) for m in free for k in np.unique(fsa.transition_table[m][matters[m]])}
    assert seen == pairs


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 5))
def test_arrows_hold_every_entry_and_their_conditions_are_exact(data, num_states):
    fsa = data.draw(automata(num_slots=2, num_states=num_states))
    possible = fsa.aggregation.possible_values(range(fsa.num_states), fsa.num_states)
    check_conditions(transitions(fsa), np.broadcast_to(possible, fsa.transition_table.shape))


def test_what_a_person_would_write():
    assert words(transitions(library.life_like())) == {
        ("dead", "dead"): ["otherwise"],
        ("dead", "alive"): ["exactly 3 neighbours are alive"],
        ("alive", "dead"): ["otherwise"],
        ("alive", "alive"): ["2 or 3 neighbours are alive"],
    }
    assert words(transitions(library.wireworld()))["conductor", "head"] == ["1 or 2 neighbours are head"]
    assert words(transitions(library.wireworld()))["head", "tail"] == ["always"]
    assert words(transitions(library.library_automaton("rule110")))["0", "1"] == ["right is 1"]


def test_a_table_without_structure_has_numbers_instead_of_words():
    found = transitions(random_automaton(6, CountingAggregation(bound=2), 0))
    assert found.num_wordless > 20
    arrow = next(arrow for arrow in found.arrows if arrow.guards is None)
    assert found.lines(arrow) == [f"{len(arrow.values)} of 729 values"]


def test_a_table_that_is_too_large_for_words_still_has_arrows():
    fsa = GraphFSA([f"s{k}" for k in range(9)], CountingAggregation(bound=2), [[(k + 1) % 9] * 3**9 for k in range(9)])
    found = transitions(fsa)
    assert [(arrow.state, arrow.successor) for arrow in found.arrows] == [(k, (k + 1) % 9) for k in range(9)]
    assert found.lines(found.arrows[0]) == ["always"]


def plain_counts(fsa, examples, start):
    """How often each entry is used by nodes that begin in a state, by the reference, node by node."""
    counts = Counter()
    for example in examples:
        states = [int(state) for state in examples.task.starting_states(fsa, example.inputs)]
        nodes = [node for node, state in enumerate(states) if state == start]
        for _ in range(example.steps):
            values = reference_values(fsa, example.graph, states)
            counts.update((states[node], values[node]) for node in nodes)
            states = reference_step(fsa, example.graph, states)
    return counts


@pytest.mark.parametrize("name", ["distance", "path-finding", "prefix-sum"])
@pytest.mark.parametrize("place", [0, 1])
def test_used_transitions_are_those_that_the_reference_uses(name, place):
    fsa = library.library_automaton(name)
    data = dataset_class(name)()
    rng = np.random.default_rng(place)
    parts = [data.generate(size, 4, rng) for size in (3, 6, 9)]
    examples = type(parts[0]).concatenate(parts)
    start = fsa.starting_states[place]
    found = used_transitions(fsa, examples, fsa.state_names[start])
    expected = plain_counts(fsa, examples, start)
    assert {(m, z): int(found.counts[m, z]) for m, z in np.argwhere(found.counts).tolist()} == dict(expected)
    check_used(found, expected)


def check_used(found, expected):
    by_arrow = Counter()
    for (state, value), count in expected.items():
        if state not in found.fsa.final_states:
            by_arrow[state, int(found.fsa.transition_table[state, value])] += count
    assert {(arrow.state, arrow.successor): arrow.count for arrow in found.arrows} == dict(by_arrow)
    assert set(found.states) == {found.start} | {state for pair in by_arrow for state in pair}
    for arrow in found.arrows:
        inside = set(arrow.values.tolist())
        assert inside == {
            z for m, z in expected if m == arrow.state and found.fsa.transition_table[m, z] == arrow.successor
        }


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(0, 3))
def test_used_transitions_of_automata_that_never_come_to_rest(seed, start):
    """Steps without a fixed point are all counted."""
    examples = dataset_class("wireworld")().generate(6, 2, np.random.default_rng(seed), steps=5)
    fsa = random_automaton(4, library.wireworld().aggregation, seed)
    fsa = GraphFSA(library.wireworld().state_names, fsa.aggregation, fsa.transition_table)
    if start not in examples.task.starting_states(fsa, examples.inputs):
        with pytest.raises(StateError, match="no node of these graphs starts in"):
            used_transitions(fsa, examples, start)
        return
    found = used_transitions(fsa, examples, start)
    check_used(found, plain_counts(fsa, examples, start))


def test_a_partial_diagram_of_distance_is_that_of_the_paper():
    """A node waits until it sees a final state and takes the other one; the root is even at once."""
    fsa = library.distance()
    examples = dataset_class("distance")().generate(10, 20, np.random.default_rng(0))
    assert words(used_transitions(fsa, examples, "root")) == {("root", "even"): ["always"]}
    found = used_transitions(fsa, examples, "node")
    assert words(found) == {
        ("node", "even"): ["some neighbour is odd"],
        ("node", "odd"): ["some neighbour is even"],
        ("node", "node"): ["otherwise"],
    }
    assert (found.num_nodes, found.num_graphs) == (180, 20)
    with pytest.raises(StateError, match="starts in 'even'"):
        used_transitions(fsa, examples, "even")
    with pytest.raises(AutomatonError, match="must be one of"):
        used_transitions(fsa, examples, "leaf")
