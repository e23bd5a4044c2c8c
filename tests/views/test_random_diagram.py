"""Diagrams of automata that move at random."""

import numpy as np
import pytest

from graphfsa import CountingAggregation, StochasticFSA, library
from graphfsa.analysis import transitions
from graphfsa.automaton.library import RANDOM, find_any_automaton
from graphfsa.errors import GraphFSAError
from graphfsa.learners import SoftTable
from graphfsa.views import diagram


def arrows(fsa):
    found = transitions(fsa)
    names = fsa.state_names
    return {(names[arrow.state], names[arrow.successor]): found.lines(arrow) for arrow in found.arrows}


def test_what_is_written_at_arrows():
    found = arrows(library.tree_leader())
    assert found["candidate", "offering"] == ["0.5 if exactly one neighbour is candidate or offering"]
    assert sorted(found["candidate", "candidate"]) == [
        "0.5 if exactly one neighbour is candidate or offering",
        "otherwise",
    ]
    assert found["offering", "lost"] == ["otherwise"]
    assert arrows(library.sir())["ill", "immune"] == ["0.1"]
    assert arrows(library.sir())["well", "ill"] == ["0.3 to > 0.9999, by what is seen"]
    assert arrows(library.colouring(3))["colour 1", "colour 2"] == ['0.3333 if some neighbour is "colour 1"']


@pytest.mark.parametrize("name", [name for name in RANDOM if name != "mis"])
def test_every_probability_is_at_an_arrow(name):
    fsa = find_any_automaton(name)
    total = np.zeros((fsa.num_states, fsa.num_values))
    for arrow in transitions(fsa).arrows:
        for weight, part in arrow.odds:
            total[arrow.state, part.values] += weight / 2**53
            outcomes = fsa.outcomes[fsa.transition_table[arrow.state, part.values]]
            assert (outcomes[:, arrow.successor] == weight).all()
    possible = fsa.aggregation.possible_values(range(fsa.num_states), fsa.num_states)
    for state in range(fsa.num_states):
        assert total[state, possible] == pytest.approx(np.full(possible.sum(), state not in fsa.final_states, float))
    drawn = diagram(fsa)
    assert "<svg" in drawn.svg()


def test_without_coins_the_arrows_are_those_of_the_plain_automaton():
    plain = library.distance()
    assert arrows(StochasticFSA.of(plain)) == arrows(plain)


def test_vectors_have_no_probabilities():
    with pytest.raises(GraphFSAError, match="labels must be words"):
        diagram(library.sir(), labels="values")


def test_a_soft_table_is_an_automaton_with_coins():
    probabilities = np.array([[[0.25, 0.75]] * 4, [[0, 1]] * 4], np.float32)
    soft = SoftTable(("a", "b"), CountingAggregation(bound=1), probabilities, np.ones(4, bool))
    fsa = soft.stochastic(final_states=["b"])
    assert fsa.probabilities("a", 2) == {"a": 0.25, "b": 0.75}
    assert fsa.final_states == (1,)
