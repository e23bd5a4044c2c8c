"""Automata with as many states as there can be: what is written of them stays short, and is read back."""

import json

import numpy as np
import pytest

from graphfsa import (
    GraphFSA,
    LettersAggregation,
    ProductAggregation,
    WeightedSumAggregation,
    families,
    load,
    rollout,
    run,
)
from graphfsa.aggregations import Sum
from graphfsa.automaton.rules import parse_rules
from graphfsa.errors import FormatError

STATES = 256
NAMES = [f"state {number}" for number in range(STATES)]
SUMS = (
    Sum("highest", 8, tuple(1 + number // 32 for number in range(STATES))),
    Sum("count", 2, (1,) * 128),
)


def clock(aggregation=None):
    """A node goes on while some neighbour is in a later eighth, or while two are in the first half."""

    def move(state, seen):
        number = NAMES.index(state)
        later = seen[0] > 1 + number // 32 or seen[1] == 2
        return NAMES[(number + 1) % STATES] if later else state

    return GraphFSA.from_rule(NAMES, aggregation or LettersAggregation(SUMS), move)


FSA = clock()


def test_rules_are_short_and_are_read_back():
    rules = FSA.rules()
    text = rules.text()
    assert len(text) < 100_000
    # Eight levels, and what is at least one of them, unless what is left has a name.
    assert text.count("\n@") == 13
    assert max(map(len, text.splitlines()[20:])) < 120
    assert parse_rules(text) == rules
    assert GraphFSA.from_rules(text).digest == rules.automaton().digest
    for other in (rules.markdown(), rules.latex(), rules.html()):
        assert len(str(other)) < 200_000


def test_rules_of_products_name_the_same_sets():
    fsa = GraphFSA.from_rule(
        NAMES,
        ProductAggregation((LettersAggregation(SUMS[1:]), WeightedSumAggregation((1, -1) * 128, (0,)))),
        lambda state, seen: NAMES[0] if seen[0][0] and seen[1] else state,
    )
    text = str(fsa.rules())
    assert len(text) < 60_000
    assert "if the weighted sum is at least 0 and some neighbour is @1" in text
    assert GraphFSA.from_rules(text).rules() == fsa.rules()


def test_files_are_small(tmp_path):
    FSA.save(tmp_path / "clock.json")
    assert (tmp_path / "clock.json").stat().st_size < 50_000
    assert load(tmp_path / "clock.json").automaton == FSA
    (tmp_path / "clock.rules").write_text(str(FSA.rules()))
    assert load(tmp_path / "clock.rules").automaton.num_states == STATES


def test_values_are_said_briefly():
    words = [FSA.aggregation.decode(value, NAMES) for value in range(FSA.num_values)]
    assert len(set(words)) == FSA.num_values
    assert max(map(len, words)) < 200
    first, second = words[-1].split(", 2+ of ")
    assert first == "highest {state 224, state 225, state 226, ... (32 states)}"
    assert second == "{state 0, state 1, state 2, ... (128 states)}"
    assert max(len(name) for name, _ in FSA.aggregation.digit_labels(NAMES)) < 400


def test_a_run_and_its_player(tmp_path):
    tree = families.random_tree(60, np.random.default_rng(0))
    assert run(FSA, tree, "random", 50).steps == 50
    page = tmp_path / "run.html"
    rollout(FSA, tree, "random", steps=20).save(page)
    assert page.stat().st_size < 200_000


def test_it_is_shown_in_notebooks():
    assert len(FSA._repr_html_()) < 100_000
    assert len(json.dumps(FSA.aggregation.config())) < 5_000


HEAD = "states: a, b, c\n@x: a, b\naggregation: letters count @x up to 2\n"
END = "a stays\nb stays\nc stays\n"


def test_sets_have_names():
    read = parse_rules(f"{HEAD}c -> a if at least 2 neighbours are @x\n{END}")
    plain = "states: a, b, c\naggregation: letters count a or b up to 2\nc -> a if at least 2 neighbours are a or b\n"
    assert read == parse_rules(plain + END)
    for words in ("not @x", "c, @x or a"):
        with pytest.raises(FormatError, match="the aggregation must have a sum that counts"):
            parse_rules(f"{HEAD}c -> a if at least 2 neighbours are {words}\n{END}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{HEAD}c -> a if some neighbour is @y\n{END}",
            "line 4: a line '@y: NAME, NAME, ...' must come before; it has",
        ),
        (f"{HEAD}@x: c\n{END}", "line 4: '@x:' must be given once"),
        (f"{HEAD}{END}@y: a\n", "line 7: '@y:' must come before the rules"),
        ("states: a, b\n@x: a, d\n", "line 2: the members of a set must be states, at least one; got 'd'"),
        ("states: a, b\n@x:\n", "line 2: the members of a set must be states, at least one; got nothing"),
        ("@x: a\nstates: a, b\n", "a line 'states: NAME, NAME, ...' must come before the rules"),
        ("states: a, b\naggregation: counting bound=1\na -> @x\nb stays\n", "a state must be one of"),
    ],
)
def test_what_is_wrong_with_a_set_is_said(text, message):
    with pytest.raises(FormatError) as error:
        parse_rules(text)
    assert message in str(error.value)


def test_a_state_may_be_called_like_a_set():
    fsa = GraphFSA(["@1", "b"], LettersAggregation((Sum("count", 1, (1,)),)), [[0, 1], [1, 0]])
    assert GraphFSA.from_rules(str(fsa.rules())) == fsa
