"""Letters, sum by sum; what any aggregation must satisfy, for letters at random."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, LettersAggregation
from graphfsa.aggregations import Sum, aggregation_from_config
from graphfsa.errors import AutomatonError, FormatError
from strategies import letters

EXAMPLES = settings(max_examples=200, deadline=None, derandomize=True)
NAMES = ["low", "high", "node", "marked"]


@st.composite
def cases(draw):
    """An aggregation, a number of states, and neighbours."""
    num_states = draw(st.integers(1, 5))
    neighbours = draw(st.lists(st.integers(0, num_states - 1), max_size=12))
    return draw(letters(num_states)), num_states, neighbours


def defined(part, neighbours):
    """A sum as its docstring says."""
    weights = [part.weights[state] if state < len(part.weights) else 0 for state in neighbours]
    if part.kind == "highest":
        return max(weights, default=0)
    return sum(weights) % part.limit if part.kind == "modulo" else min(sum(weights), part.limit)


@EXAMPLES
@given(cases())
def test_each_digit_is_its_sum(case):
    aggregation, num_states, neighbours = case
    value = aggregation.encode(neighbours, [], num_states)
    sums = tuple(defined(part, neighbours) for part in aggregation.sums)
    assert aggregation.digits(value, num_states) == aggregation.observation(value, NAMES[:1] * num_states) == sums


@EXAMPLES
@given(cases(), st.integers(0, 4))
def test_one_more_neighbour_is_one_more_letter(case, more):
    aggregation, num_states, neighbours = case
    more %= num_states
    value = aggregation.encode(neighbours, [], num_states)
    assert aggregation.with_neighbour(value, more, 0, num_states) == aggregation.encode(
        [*neighbours, more], [], num_states
    )


@EXAMPLES
@given(cases(), st.data())
def test_exactly_the_values_that_occur_are_possible(case, data):
    aggregation, num_states, _ = case
    states = data.draw(st.sets(st.integers(0, num_states - 1)))
    found, waiting = {0}, [0]
    while waiting:
        value = waiting.pop()
        after = {aggregation.with_neighbour(value, state, 0, num_states) for state in states} - found
        found |= after
        waiting += after
    assert set(np.flatnonzero(aggregation.possible_values(sorted(states), num_states)).tolist()) == found


@EXAMPLES
@given(cases(), st.data())
def test_states_with_the_same_letters_can_be_swapped(case, data):
    aggregation, num_states, neighbours = case
    order = data.draw(st.permutations(range(num_states)))
    moved, values = aggregation.restricted(order, num_states)
    place = np.argsort(order)
    assert values[moved.encode(place[neighbours].tolist(), [], num_states)] == aggregation.encode(
        neighbours, [], num_states
    )
    alike = all(
        part.weight(state) == part.weight(other) for part in aggregation.sums for state, other in enumerate(order)
    )
    assert (moved == aggregation) == alike
    assert moved != aggregation or hash(moved) == hash(aggregation)


@EXAMPLES
@given(cases())
def test_levels_give_the_value_where_they_are_known(case):
    aggregation, num_states, neighbours = case
    levels = aggregation.levels(len(neighbours), num_states)
    simple = all(part.kind != "modulo" and len(part.states()) < 2 for part in aggregation.sums)
    assert (levels is not None) == simple
    if levels is None:
        return
    value, place = 0, 1
    for state, steps in levels:
        assert sorted(steps) == list(steps)
        value += place * sum(neighbours.count(state) >= step for step in steps)
        place *= len(steps) + 1
    assert value == aggregation.encode(neighbours, [], num_states)


@EXAMPLES
@given(cases())
def test_words_tell_values_apart_and_files_give_it_back(case):
    aggregation, num_states, _ = case
    names = [f"s{state}" for state in range(num_states)]
    words = {aggregation.decode(value, names) for value in range(aggregation.num_values(num_states))}
    assert len(words) == aggregation.num_values(num_states)
    assert aggregation_from_config(json.loads(json.dumps(aggregation.config()))) == aggregation


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_counting_is_a_case_of_it(bound):
    counting = CountingAggregation(bound)
    same = LettersAggregation(tuple(Sum("count", bound, (0,) * state + (1,)) for state in range(3)))
    assert same.num_values(3) == counting.num_values(3)
    assert same.levels(4, 3) == counting.levels(4, 3)
    for neighbours in product(range(3), repeat=4):
        assert same.encode(neighbours, [], 3) == counting.encode(neighbours, [], 3)


def test_the_number_of_values_does_not_depend_on_the_states():
    aggregation = LettersAggregation((Sum("count", 2, (1, 1)), Sum("modulo", 3, (0, 2)), Sum("highest", 4, (4,))))
    assert [aggregation.num_values(num_states) for num_states in (2, 50, 256)] == [45] * 3


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Sum("count", 2, (0, 0, 1, 1)), ["0 of {node, marked}", "1 of {node, marked}", "2+ of {node, marked}"]),
        (Sum("count", 1, (0, 0, 1)), ["0 node", "1+ node"]),
        (Sum("count", 1, (1, 1, 1, 1)), ["0 neighbours", "1+ neighbours"]),
        (Sum("count", 2, (1, 2)), [f"{n} of {{low once, high twice}}" for n in ("0", "1", "2+")]),
        (Sum("modulo", 2, (0, 1)), ["0 high (modulo 2)", "1 high (modulo 2)"]),
        (Sum("highest", 2, (1, 2, 0, 0)), ["no {low, high}", "highest low", "highest high"]),
        (Sum("highest", 2, (0, 2, 2)), ["no {high, node}", "highest letter 1", "highest {high, node}"]),
        (Sum("highest", 1, (0, 1)), ["no high", "highest high"]),
        (Sum("count", 1, ()), ["0 of {}", "1+ of {}"]),
    ],
)
def test_a_sum_in_words(part, words):
    aggregation = LettersAggregation((part,))
    assert [aggregation.decode(value, NAMES) for value in range(part.size)] == words


def test_without_sums_nothing_is_seen():
    aggregation = LettersAggregation(())
    assert aggregation.num_values(3) == 1
    assert aggregation.encode([0, 1, 2], [], 3) == 0
    assert aggregation.decode(0, NAMES) == "nothing"
    assert aggregation.levels(2, 3) == ()
    assert aggregation.possible_values([0, 1], 3).tolist() == [True]


def test_what_follows_from_another_sum_is_not_asked_for():
    two, three = Sum("count", 2, (1,)), Sum("count", 3, (1,))
    features = LettersAggregation((two, three, three, Sum("count", 3, ()), Sum("modulo", 3, (1,)))).features(NAMES)
    assert [(tally.sum, tally.source) for tally in features.sums] == [
        (three, "seen[1]"),
        (Sum("modulo", 3, (1,)), "seen[4]"),
    ]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (("most", 2, (1,)), "the kind of a sum must be one of count, modulo, highest; got 'most'"),
        ((None, 2, (1,)), "the kind of a sum must be one of count, modulo, highest; got None"),
        (("count", 0, (1,)), "the limit of a sum must be an integer from 1 to 255; got 0"),
        (("count", 2.0, (1,)), "the limit of a sum must be an integer from 1 to 255; got 2.0"),
        (("highest", 256, (1,)), "the limit of a sum must be an integer from 1 to 255; got 256"),
        (("modulo", 1, (0,)), "the modulus of a sum must be an integer from 2 to 255; got 1"),
        (("count", 2, (0, 3)), "the weight of state 1 must be an integer from 0 to 2; got 3"),
        (("modulo", 2, (2,)), "the weight of state 0 must be an integer from 0 to 1; got 2"),
        (("count", 2, (0, -1)), "the weight of state 1 must be an integer from 0 to 2; got -1"),
        (("count", 2, (True,)), "the weight of state 0 must be an integer from 0 to 2; got True"),
        (("count", 2, "11"), "weights must be a list of integers, one for each state; got '11'"),
        (("count", 2, 1), "weights must be a list of integers, one for each state; got 1"),
    ],
)
def test_a_wrong_sum_is_refused(fields, words):
    with pytest.raises(AutomatonError) as error:
        Sum(*fields)
    assert str(error.value) == words


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        ("count", "sums must be a list of graphfsa.aggregations.Sum; got 'count'"),
        (Sum("count", 1, (1,)), "sums must be a list of graphfsa.aggregations.Sum; got Sum(kind='count'"),
        ([Sum("count", 1, (1,)), 3], "sums must be a list of graphfsa.aggregations.Sum; got [Sum(kind='count'"),
        ([Sum("count", 1, (1,))] * 65, "there must be at most 64 sums; got 65"),
    ],
)
def test_wrong_sums_are_refused(sums, words):
    with pytest.raises(AutomatonError) as error:
        LettersAggregation(sums)
    assert str(error.value).startswith(words)


def test_letters_of_more_states_than_there_are_name_the_state():
    aggregation = LettersAggregation((Sum("count", 1, (1,)), Sum("count", 1, (0, 0, 0, 1, 0))))
    assert aggregation.num_values(4) == 4
    with pytest.raises(AutomatonError, match=r"only states 0 \.\. 2 can show a letter, as there are 3 states; state 3"):
        aggregation.num_values(3)


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        ([{"kind": "count"}], "sum 0 must have the fields kind, limit and weights; got {'kind': 'count'}"),
        ([{"kind": "count", "limit": 1, "weights": [1], "x": 1}], "sum 0 must have the fields kind, limit and weights"),
        ([3], "sum 0 must have the fields kind, limit and weights; got 3"),
        ([{"kind": [], "limit": 1, "weights": []}], "the kind of a sum must be one of count, modulo, highest; got []"),
        ({}, "sums must be a list of graphfsa.aggregations.Sum; got {}"),
    ],
)
def test_a_wrong_file_is_refused(sums, words):
    with pytest.raises((FormatError, AutomatonError)) as error:
        aggregation_from_config({"name": "letters", "sums": sums})
    assert str(error.value).startswith(words)
