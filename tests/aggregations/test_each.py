"""The three aggregations of the paper, value by value."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from graphfsa import AverageThresholdAggregation, CountingAggregation, PositionalAggregation
from graphfsa.aggregations import Counts
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError


def test_counting_saturates_at_the_bound():
    aggregation = CountingAggregation(bound=2)
    assert aggregation.num_values(3) == 27
    for neighbours, digits in [
        ([], (0, 0, 0)),
        ([0], (1, 0, 0)),
        ([2, 0, 2], (1, 0, 2)),
        ([1] * 3, (0, 2, 0)),
        ([1] * 1000 + [0], (1, 2, 0)),
    ]:
        value = aggregation.encode(neighbours, [], 3)
        assert aggregation.digits(value, 3) == digits
        assert value == digits[0] + 3 * digits[1] + 9 * digits[2]


def test_counting_with_bound_one_is_the_set_of_states():
    aggregation = CountingAggregation()
    assert aggregation.bound == 1
    for subset in range(8):
        neighbours = [state for state in range(3) if subset >> state & 1] * 2
        assert aggregation.encode(neighbours, [], 3) == subset


def test_counting_ignores_slots():
    assert CountingAggregation(bound=3).encode([1, 1], [0, 5], 2) == 2 * 4


def test_counting_in_words_and_for_rules():
    aggregation = CountingAggregation(bound=2)
    value = aggregation.encode([0, 1, 1, 1], [], 3)
    assert aggregation.decode(value, ["dead", "alive", "gone"]) == "1 dead, 2+ alive, 0 gone"
    seen = aggregation.observation(value, ["dead", "alive", "gone"])
    assert dict(seen) == {"dead": 1, "alive": 2, "gone": 0}
    assert (seen[0], seen[1], seen["alive"], seen[np.int64(2)]) == (1, 2, 2, 0)
    assert len(seen) == 3
    assert repr(seen) == "Counts({'dead': 1, 'alive': 2, 'gone': 0})"


def test_counts_prefer_names_to_numbers():
    """States named by digits: a text is a name, a number is an index."""
    seen = Counts(["1", "0"], [5, 7])
    assert (seen["1"], seen[1], seen["0"], seen[0]) == (5, 7, 7, 5)
    with pytest.raises(KeyError):
        seen["2"]
    with pytest.raises(KeyError):
        seen[2]


@pytest.mark.parametrize("bound", [0, -1, True, 1.0, "2", None])
def test_counting_refuses(bound):
    with pytest.raises(AutomatonError, match="bound must be an integer >= 1; got "):
        CountingAggregation(bound=bound)


def test_positional_tells_slots_apart():
    aggregation = PositionalAggregation(num_slots=3)
    assert aggregation.num_values(2) == 27
    assert aggregation.digits(aggregation.encode([1, 0], [0, 2], 2), 2) == (2, 0, 1)
    assert aggregation.encode([1, 0], [0, 2], 2) == 2 + 9
    assert aggregation.encode([], [], 2) == 0


def test_positional_in_words_and_for_rules():
    aggregation = PositionalAggregation()
    assert aggregation.num_slots == 2
    value = aggregation.encode([1], [1], 2)
    assert aggregation.decode(value, ["off", "on"]) == "[-, on]"
    assert aggregation.observation(value, ["off", "on"]) == (None, "on")


def test_positional_a_missing_neighbour_is_not_state_zero():
    aggregation = PositionalAggregation(num_slots=1)
    assert aggregation.encode([], [], 2) != aggregation.encode([0], [0], 2)


@pytest.mark.parametrize("num_slots", [0, -1, 257, True, 2.0, "2", None])
def test_positional_refuses(num_slots):
    with pytest.raises(AutomatonError, match=r"num_slots must be an integer from 1 to 256; got "):
        PositionalAggregation(num_slots=num_slots)


@pytest.mark.parametrize(("threshold", "degree"), [(0.1, 30), (0.3, 10), (0.7, 10), (1 / 3, 9), (0.6, 5), (0.29, 100)])
def test_a_threshold_is_reached_by_exactly_its_fraction(threshold, degree):
    """3 of 30 is 0.1 although 0.1 is not a binary number: one neighbour less does not reach it."""
    aggregation = AverageThresholdAggregation({1: threshold})
    enough = round(threshold * degree)
    assert aggregation.encode([1] * enough + [0] * (degree - enough), [], 2) == 1
    assert aggregation.encode([1] * (enough - 1) + [0] * (degree - enough + 1), [], 2) == 0


@pytest.mark.parametrize("degree", range(1, 60))
def test_every_fraction_reaches_itself(degree):
    for number in range(1, degree + 1):
        aggregation = AverageThresholdAggregation({1: number / degree})
        for seen in range(degree + 1):
            assert aggregation.encode([1] * seen + [0] * (degree - seen), [], 2) == (seen >= number)


def test_without_neighbours_every_fraction_is_zero():
    for aggregation in (AverageThresholdAggregation(), AverageThresholdAggregation({0: (1e-9, 1.0)})):
        assert aggregation.encode([], [], 2) == 0


def test_the_default_is_a_half_of_every_state():
    aggregation = AverageThresholdAggregation()
    assert aggregation.thresholds == (0.5,)
    assert aggregation.num_values(3) == 8
    assert aggregation.digits(aggregation.encode([0, 1], [], 3), 3) == (1, 1, 0)
    assert aggregation.digits(aggregation.encode([0, 1, 2], [], 3), 3) == (0, 0, 0)


def test_several_levels():
    aggregation = AverageThresholdAggregation((0.25, 0.5, 1.0))
    assert aggregation.num_values(2) == 16
    for ones, level in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3)]:
        value = aggregation.encode([1] * ones + [0] * (4 - ones), [], 2)
        assert aggregation.digits(value, 2)[1] == level


def test_each_watched_state_has_its_own_levels():
    aggregation = AverageThresholdAggregation({200: (0.2, 0.8), 3: 0.5})
    assert aggregation.thresholds == ((3, (0.5,)), (200, (0.2, 0.8)))
    assert aggregation.num_values(256) == 2 * 3
    assert aggregation.digits(aggregation.encode([200, 3, 3, 7], [], 256), 256) == (1, 1)
    assert aggregation.digits(aggregation.encode([200] * 4 + [3], [], 256), 256) == (0, 2)
    with pytest.raises(AutomatonError, match=r"watched state must be in 0 \.\. 199; got 200"):
        aggregation.num_values(200)


def test_thresholds_in_words_and_for_rules():
    aggregation = AverageThresholdAggregation({1: (0.25, 0.75), 0: 0.5})
    names = ["no", "yes", "maybe"]
    words = [aggregation.decode(value, names) for value in range(6)]
    assert words == [
        "< 0.5 no, < 0.25 yes",
        ">= 0.5 no, < 0.25 yes",
        "< 0.5 no, >= 0.25 and < 0.75 yes",
        ">= 0.5 no, >= 0.25 and < 0.75 yes",
        "< 0.5 no, >= 0.75 yes",
        ">= 0.5 no, >= 0.75 yes",
    ]
    seen = aggregation.observation(4, names)
    assert dict(seen) == {"no": 0, "yes": 2}
    assert seen[1] == 2
    with pytest.raises(KeyError):
        seen["maybe"]


def test_the_forms_of_thresholds_are_one():
    forms = [{1: 0.5}, {1: (0.5,)}, {1: [0.5]}, {np.int64(1): 0.5}, ((1, (0.5,)),)]
    assert len({AverageThresholdAggregation(form) for form in forms}) == 1
    assert AverageThresholdAggregation(0.5) == AverageThresholdAggregation([0.5]) == AverageThresholdAggregation((0.5,))
    assert AverageThresholdAggregation(1).thresholds == (1.0,)


@pytest.mark.parametrize("value", [0, 0.0, -0.5, 1.5, float("nan"), float("inf"), True, "0.5", None, [], [0.5, "x"]])
def test_thresholds_outside_of_zero_to_one_are_refused(value):
    for given in (value, {0: value}):
        with pytest.raises(AutomatonError, match=r"thresholds must be numbers in \(0, 1\]; got "):
            AverageThresholdAggregation(given)


@pytest.mark.parametrize(
    "value",
    ["half", [[0.5]], [[0, 0.5, 1]], ["ab", "cd"], 10**400, [10**400], {0: 10**400}],
    ids=["text", "short pair", "long pair", "texts", "huge", "huge level", "huge watched"],
)
def test_thresholds_of_a_wrong_form_are_refused_by_our_own_error(value):
    with pytest.raises(GraphFSAError):
        AverageThresholdAggregation(value)


@pytest.mark.parametrize("value", [(0.5, 0.5), (0.9, 0.1)])
def test_thresholds_must_rise(value):
    with pytest.raises(AutomatonError, match="thresholds of a state must be sorted and distinct; got "):
        AverageThresholdAggregation(value)


@pytest.mark.parametrize("state", [-1, 1.5, True, "1"])
def test_a_watched_state_is_an_integer(state):
    with pytest.raises(AutomatonError, match="a watched state must be an integer >= 0; got "):
        AverageThresholdAggregation({state: 0.5})


def test_somebody_must_be_watched():
    with pytest.raises(AutomatonError, match="thresholds must watch at least one state"):
        AverageThresholdAggregation({})


@pytest.mark.parametrize("state", ["one", "1.0", "", "-1"])
def test_watched_states_in_files_are_integers(state):
    with pytest.raises((AutomatonError, FormatError), match="watched state"):
        AverageThresholdAggregation.from_config({"thresholds": {state: 0.5}})


def test_watched_states_in_files_are_not_given_twice():
    """In a file the states are texts, and "1" and "01" are one state."""
    with pytest.raises(GraphFSAError):
        AverageThresholdAggregation.from_config({"thresholds": {"1": 0.5, "01": 0.7}})


def reachable_values(aggregation, states, num_states, most):
    """The values of all neighbourhoods of up to so many nodes, by trying them."""
    found = {aggregation.encode([], [], num_states)}
    for number in range(1, most + 1):
        for chosen in combinations_with_replacement(states, number):
            found.add(aggregation.encode(chosen, [], num_states))
    return found


@pytest.mark.parametrize(
    ("thresholds", "num_states", "most"),
    [
        (0.5, 3, 8),
        ((0.25, 0.5, 1.0), 3, 12),
        (1 / 3, 3, 8),
        (0.1, 3, 20),
        ((0.3, 0.7), 3, 12),
        ({0: (1 / 3, 2 / 3), 2: 0.5}, 4, 8),
        ({1: 1.0}, 3, 4),
    ],
)
def test_possible_thresholds_are_exactly_those_that_some_neighbourhood_reaches(thresholds, num_states, most):
    aggregation = AverageThresholdAggregation(thresholds)
    for number in range(num_states + 1):
        for states in combinations(range(num_states), number):
            possible = np.flatnonzero(aggregation.possible_values(states, num_states)).tolist()
            assert set(possible) == reachable_values(aggregation, states, num_states, most), states


def test_ten_states_can_each_be_a_tenth_although_ten_times_the_number_is_more_than_one():
    aggregation = AverageThresholdAggregation(0.1)
    assert aggregation.possible_values(range(10), 10)[aggregation.encode(range(10), [], 10)]
    assert not aggregation.possible_values(range(11), 11)[2**11 - 1]


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_possible_counts_are_those_of_the_given_states(bound):
    aggregation = CountingAggregation(bound=bound)
    possible = aggregation.possible_values([0, 2], 3)
    assert set(np.flatnonzero(possible).tolist()) == reachable_values(aggregation, [0, 2], 3, 2 * bound)
    assert possible.sum() == (bound + 1) ** 2


def test_possible_positions_hold_given_states_or_nobody():
    possible = PositionalAggregation(num_slots=2).possible_values([1], 2)
    assert np.flatnonzero(possible).tolist() == [0, 2, 6, 8]


def test_one_more_neighbour():
    assert CountingAggregation(bound=2).with_neighbour(0, 1, 0, 2) == 3
    assert CountingAggregation(bound=2).with_neighbour(6, 1, 0, 2) == 6
    assert PositionalAggregation(num_slots=2).with_neighbour(1, 1, 1, 2) == 7
    assert PositionalAggregation(num_slots=2).with_neighbour(1, 1, 0, 2) is None
    assert PositionalAggregation(num_slots=2).with_neighbour(1, 1, 2, 2) is None
    assert AverageThresholdAggregation().with_neighbour(0, 1, 0, 2) is None
    with pytest.raises(AutomatonError, match=r"value must be in 0 \.\. 8; got 9"):
        CountingAggregation(bound=2).with_neighbour(9, 1, 0, 2)


def test_watched_states_keep_their_thresholds_among_fewer_states():
    aggregation = AverageThresholdAggregation({1: 0.5, 3: (0.2, 0.8)})
    smaller, values = aggregation.restricted([3, 0], 4)
    assert smaller == AverageThresholdAggregation({0: (0.2, 0.8)})
    assert values.tolist() == [0, 2, 4]
    smaller, values = aggregation.restricted([0, 2], 4)
    assert smaller.num_values(2) == len(values)
    assert values.tolist() == [0, 0]
    for states in ([], [1, 1]):
        with pytest.raises(AutomatonError, match="states must be distinct and at least one; got "):
            aggregation.restricted(states, 4)
