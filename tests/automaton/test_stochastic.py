"""Automata that move at random: what is refused, and that every way to write one down means the same."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, GraphFSA, StochasticFSA, library
from graphfsa.automaton.library import RANDOM, colouring, sir
from graphfsa.automaton.rules._search import Row
from graphfsa.automaton.rules._vocabulary import vocabulary
from graphfsa.automaton.stochastic import ONE, probability, weight_of
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError, LimitError

COUNTING = CountingAggregation(bound=1)
SIR = """
states: well, ill, immune
final states: immune
aggregation: counting bound=1
well -> ill with probability 0.3 if some neighbour is ill
well stays otherwise
ill -> immune with probability 0.1, well with probability 0.3333333333333333
immune stays
"""


@st.composite
def automata(draw):
    """Random ones, with few or many distributions, sure ones too."""
    num_states = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = rng.dirichlet(np.full(num_states, 0.4), draw(st.integers(1, 6)))
    rows[rng.random(len(rows)) < 0.4] = np.eye(num_states)[rng.integers(num_states)]
    names = [f"s{k}" for k in range(num_states)]
    places = rng.integers(0, len(rows), (num_states, COUNTING.num_values(num_states)))
    return StochasticFSA(names, COUNTING, rows[places])


@given(automata())
@settings(max_examples=60, deadline=None)
def test_rules_files_and_copies_give_the_same_automaton(tmp_path_factory, fsa):
    assert StochasticFSA.from_rules(str(fsa.rules())) == fsa
    file = tmp_path_factory.mktemp("automata") / "fsa.json"
    fsa.save(file)
    again = StochasticFSA.load(file)
    assert again == fsa
    assert again.digest == fsa.digest
    assert copy.deepcopy(fsa) == fsa
    source: dict = {}
    exec(fsa.rules().python(), source)
    assert StochasticFSA.from_rule(fsa.state_names, COUNTING, source["step"]) == fsa


@given(automata())
@settings(max_examples=60, deadline=None)
def test_probabilities_sum_to_one_exactly(fsa):
    assert (fsa.outcomes.sum(axis=1) == ONE).all()
    assert (fsa.outcomes >= 0).all()
    assert len(np.unique(fsa.outcomes, axis=0)) == fsa.num_outcomes
    again = StochasticFSA(fsa.state_names, COUNTING, fsa.all_probabilities())
    assert again == fsa


@given(st.floats(0, 1))
@settings(deadline=None)
def test_the_shortest_decimal_stands_for_the_number(number):
    weight = weight_of(number)
    assert weight_of(float(probability(weight))) == weight


def test_decimals_are_as_they_were_written():
    fsa = StochasticFSA.from_rules(SIR)
    assert fsa.probabilities("ill", 0) == {"well": 0.3333333333333333, "ill": pytest.approx(17 / 30), "immune": 0.1}
    assert "with probability 0.3 if some neighbour is ill" in str(fsa.rules())
    assert "0.1" in fsa.rules().latex()
    assert fsa.rules().as_dicts()[0]["next"] == {"ill": 0.3}


def test_an_automaton_without_coins_is_one_with_sure_outcomes():
    plain = library.distance()
    fsa = StochasticFSA.of(plain)
    assert fsa.num_outcomes == len(np.unique(plain.transition_table))
    assert fsa.most_likely() == plain
    assert str(fsa.rules()) == str(plain.rules())
    noisy = StochasticFSA.of(plain, noise=0.2)
    assert noisy.most_likely() == plain
    assert noisy.probabilities("node", 0)["node"] == pytest.approx(0.85)
    assert noisy.probabilities("even", 3) == {"even": 1.0}
    assert noisy != fsa


def test_three_thirds_leave_no_chance_to_stay():
    rule = lambda _state, _seen: dict.fromkeys("bcd", 1 / 3)  # noqa: E731
    fsa = StochasticFSA.from_rule(list("abcd"), COUNTING, rule)
    assert set(fsa.probabilities("a", 0)) == {"b", "c", "d"}


def test_order_of_outcomes_does_not_matter():
    one = StochasticFSA.from_outcomes(
        ["a", "b"], COUNTING, [{"a": 0.5, "b": 0.5}, {"a": 1}], [[0, 0, 1, 1], [1, 1, 0, 0]]
    )
    two = StochasticFSA.from_outcomes(
        ["a", "b"], COUNTING, [{"a": 1}, {"b": 0.5}, {"a": 0.5}], [[1, 1, 0, 0], [0, 0, 2, 2]]
    )
    assert one == two
    assert one.digest == two.digest


@pytest.mark.parametrize(
    ("probabilities", "words"),
    [
        (np.full((2, 4, 2), 0.4), "probabilities[0, 0] (state a, 0 a, 0 b) must sum to 1; got 0.8"),
        (np.full((2, 4), 0.5), "must have shape [states, values, states] = [2, 4, 2]; got [2, 4]"),
        (np.full((2, 4, 2), np.nan), "must be at least 0; got nan"),
        (np.array([[[2.0, -1.0]] * 4] * 2), "probabilities[0, 0, 1] must be at least 0; got -1"),
        ([[[0.5, 0.5], [1.0]]], "probabilities must be numbers, in rows of one length"),
    ],
)
def test_tables_that_are_no_distributions_are_refused(probabilities, words):
    with pytest.raises(AutomatonError) as error:
        StochasticFSA(["a", "b"], COUNTING, probabilities)
    assert words in str(error.value)


def test_final_states_must_stay_surely():
    with pytest.raises(AutomatonError, match=r"final state 0 \(a\) must be absorbing; with value 0 .* probability 0.5"):
        StochasticFSA(["a", "b"], COUNTING, np.full((2, 4, 2), 0.5), final_states=["a"])


def test_too_large_a_table_is_refused_before_it_is_made():
    with pytest.raises(LimitError, match="from_outcomes"):
        StochasticFSA([f"s{k}" for k in range(19)], COUNTING, [])


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"b": 0.7, "a": 0.6}, "outcome 0: probabilities must sum to at most 1; got 1.2999"),
        ({"c": 0.5}, "a next state must be one of a, b; got 'c'"),
        ({"b": "much"}, "a probability must be a number of at least 0; got 'much'"),
        ({"b": -0.1}, "a probability must be a number of at least 0; got -0.1"),
    ],
)
def test_rules_that_give_no_distribution_are_refused(rule, words):
    with pytest.raises(AutomatonError) as error:
        StochasticFSA.from_rule(["a", "b"], COUNTING, lambda _state, _seen: rule)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("well -> ill with probability 1.5", "line 4: a probability must be a number above 0 and at most 1; got '1.5'"),
        ("well -> ill with probability 0", "a probability must be a number above 0 and at most 1; got '0'"),
        ("well -> ill with probability often", "must be a number above 0 and at most 1; got 'often'"),
        ("well -> ill with chance 0.5", "expected 'probability'; got 'chance'"),
        ("well -> ill with probability 0.5, ill with probability 0.1", "'ill' must have one probability"),
        ("well -> ill with probability 0.9, well with probability 0.2", "probabilities must sum to at most 1; got 1.1"),
        ("well -> ill with probability 0.9, well", "expected 'with'; got the end of the line"),
    ],
)
def test_lines_of_rules_that_are_wrong(line, words):
    with pytest.raises(FormatError) as error:
        StochasticFSA.from_rules(f"states: well, ill\naggregation: counting bound=1\nill stays\n{line}\n")
    assert words in str(error.value)


def test_automata_without_coins_do_not_read_probabilities(tmp_path):
    file = tmp_path / "sir.rules"
    file.write_text(SIR)
    for read in (lambda: GraphFSA.from_rules(SIR), lambda: GraphFSA.load(file)):
        with pytest.raises(FormatError, match="these rules have probabilities"):
            read()
    StochasticFSA.load(file).save(tmp_path / "sir.json")
    with pytest.raises(FormatError, match="moves at random"):
        GraphFSA.load(tmp_path / "sir.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"outcomes": []}, "outcomes must hold at least one distribution"),
        ({"outcomes": [{"well": 0.5}], "transition_table": [[0] * 8] * 3}, "must sum to 1; got 0.5"),
        ({"outcomes": [{"good": 1}]}, "a next state must be one of the states; got 'good'"),
        ({"outcomes": [{"well": 2}]}, "a probability must be a number from 0 to 1; got 2"),
        ({"outcomes": [3]}, "must be an object of states and probabilities; got 3"),
        ({"transition_table": [[9] * 8] * 3}, "transition_table[0][0] must be in 0 .. 3; got 9"),
        ({"transition_table": [[0] * 8] * 3}, "final state 2 (immune) must be absorbing"),
    ],
)
def test_files_that_are_wrong(tmp_path, change, words):
    file = tmp_path / "sir.json"
    StochasticFSA.from_rules(SIR).save(file)
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(FormatError) as error:
        StochasticFSA.load(file)
    assert words in str(error.value)


def test_the_library_says_what_theory_says():
    fsa = sir(0.25, 0.1, bound=5)
    for neighbours in range(5):
        ill = fsa.aggregation.encode([1] * neighbours + [0, 2], [], 3)
        assert fsa.probabilities("well", ill).get("ill", 0) == pytest.approx(1 - 0.75**neighbours)
    assert fsa.probabilities("ill", 0)["immune"] == 0.1
    assert list(colouring(5).probabilities("colour 2", 31).values()) == pytest.approx([0.2] * 5)
    assert all(isinstance(make(), StochasticFSA) for make in RANDOM.values())
    for wrong in (lambda: sir(1.5), lambda: sir(recover=-1), lambda: colouring(1)):
        with pytest.raises(GraphFSAError):
            wrong()


def test_rules_are_found_where_a_state_has_more_outcomes_than_a_byte_can_number():
    words = vocabulary(CountingAggregation(17).features(["a", "b"]), 324)
    row = Row(words, np.arange(324), np.ones(324, bool))
    found = row.candidates(np.ones(324, bool), [299], triples=False)
    assert {(one.successor, *np.flatnonzero(one.covered)) for one in found} == {(299, 299)}
