"""GraphFSA: what it refuses, with what words, and what it is."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    GraphFSA,
    PositionalAggregation,
    library,
)
from graphfsa.errors import AutomatonError, GraphFSAError, LimitError

BOTH = CountingAggregation(bound=1)  # Over two states: nobody, only 0, only 1, both.


def automaton(table=((0, 0, 1, 1), (1, 1, 1, 1)), names=("well", "ill"), **options):
    return GraphFSA(names, BOTH, np.array(table), **options)


def test_what_it_is():
    fsa = automaton(starting_states=["ill", 0], final_states=["ill"])
    assert fsa.state_names == ("well", "ill")
    assert fsa.aggregation == BOTH
    assert (fsa.num_states, fsa.num_values) == (2, 4)
    assert fsa.transition_table.tolist() == [[0, 0, 1, 1], [1, 1, 1, 1]]
    assert fsa.transition_table.dtype == np.uint8
    assert (fsa.starting_states, fsa.final_states) == ((0, 1), (1,))
    assert fsa.index("ill") == fsa.index(1) == 1
    assert repr(fsa) == "GraphFSA(2 states: well, ill; CountingAggregation(bound=1); 4 values)"


def test_all_states_are_starting_states_and_none_is_final_by_default():
    fsa = automaton()
    assert (fsa.starting_states, fsa.final_states) == ((0, 1), ())
    assert automaton(starting_states=[]).starting_states == ()


def test_finals_absorb():
    with pytest.raises(AutomatonError) as caught:
        automaton([[0, 0, 1, 1], [1, 1, 1, 0]], final_states=["ill"])
    assert str(caught.value) == ("final state 1 (ill) must be absorbing; value 3 (1+ well, 1+ ill) leads to state 0")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[0, 0, 0, 0], [1, 1, 2, 1]], r"transition_table[1, 2] must be in 0 .. 1; got 2"),
        ([[0, -1, 0, 0], [1, 1, 1, 1]], r"transition_table[0, 1] must be in 0 .. 1; got -1"),
        ([[0, 256, 0, 0], [1, 1, 1, 1]], r"transition_table[0, 1] must be in 0 .. 1; got 256"),
        ([[0, 0, 0, 0]], r"transition_table must have shape [states, values] = [2, 4]; got [1, 4]"),
        ([[0, 0, 0], [1, 1, 1]], r"transition_table must have shape [states, values] = [2, 4]; got [2, 3]"),
        ([0] * 8, r"transition_table must have shape [states, values] = [2, 4]; got [8]"),
        ([[[0]] * 4] * 2, r"transition_table must have shape [states, values] = [2, 4]; got [2, 4, 1]"),
        ([[0.0] * 4] * 2, r"transition_table must hold integers; got float64"),
        ([[np.nan] * 4] * 2, r"transition_table must hold integers; got float64"),
        ([[True] * 4] * 2, r"transition_table must hold integers; got bool"),
        ([["0"] * 4] * 2, r"transition_table must hold integers; got <U1"),
    ],
)
def test_tables_that_do_not_fit(table, words):
    with pytest.raises(AutomatonError) as caught:
        automaton(table)
    assert str(caught.value) == words


def test_rows_of_different_lengths():
    with pytest.raises(AutomatonError):
        GraphFSA(["well", "ill"], BOTH, [[0, 0, 0, 0], [1, 1, 1]])


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a", "b", "a"], "state names must be distinct; 'a' occurs more than once"),
        ([], "an automaton must have 1 to 256 states; got 0"),
        (list(map(str, range(257))), "an automaton must have 1 to 256 states; got 257"),
        ("ab", "state_names must be a list of strings; got 'ab'"),
        (["a", 1], "state_names must be a list of strings; got ['a', 1]"),
        (["a", ""], "a state name must be printable, without blanks at its ends; got ''"),
        (["a", " b"], "a state name must be printable, without blanks at its ends; got ' b'"),
        (["a", "b\n"], "a state name must be printable, without blanks at its ends; got 'b\\n'"),
        (["a", "\x07"], "a state name must be printable, without blanks at its ends; got '\\x07'"),
        (["a", "\ud800"], "a state name must be printable, without blanks at its ends; got '\\ud800'"),
    ],
)
def test_names_that_are_refused(names, words):
    for build in (
        lambda: GraphFSA(names, AverageThresholdAggregation({0: 0.5}), np.zeros((len(names), 2), int)),
        lambda: GraphFSA.from_rule(names, AverageThresholdAggregation({0: 0.5}), lambda state, _: state),
    ):
        with pytest.raises(AutomatonError) as caught:
            build()
        assert str(caught.value) == words


def test_names_that_are_accepted():
    for names in (["schläft", "wacht auf"], ["\N{SNOWMAN}", "雪"], ["<b>", "&"], ["0", "1"]):
        assert automaton(names=names).state_names == tuple(names)


def test_the_most_states():
    names = [f"s{k}" for k in range(256)]
    fsa = GraphFSA.from_rule(names, PositionalAggregation(num_slots=1), lambda _, seen: seen[0] or "s255")
    assert (fsa.num_states, fsa.num_values) == (256, 257)
    assert fsa.transition_table[7].tolist() == [255, *range(256)]
    assert repr(fsa).startswith("GraphFSA(256 states: s0, s1, s2, s3, s4, s5, s6, s7, ...; PositionalAggregation")


@pytest.mark.parametrize(
    ("aggregation", "num_states", "words"),
    [
        (CountingAggregation(bound=2), 64, "CountingAggregation(bound=2) over 64 states needs a table of"),
        (CountingAggregation(bound=2), 64, "about 10^32 entries"),  # 64 * 3^64 = 2.2 * 10^32
        (CountingAggregation(bound=1), 22, "92,274,688 entries (88 MiB)"),  # 22 * 2^22
        (CountingAggregation(bound=1), 256, "the limit is 67,108,864"),
        (PositionalAggregation(num_slots=256), 256, "PositionalAggregation(num_slots=256) over 256 states"),
        (AverageThresholdAggregation(), 200, "Choose fewer states, a smaller bound or fewer slots, or an aggregation"),
    ],
)
def test_huge_tables_are_refused_before_they_are_made(aggregation, num_states, words):
    names = [f"s{k}" for k in range(num_states)]
    tracemalloc.start()
    for build in (
        lambda: GraphFSA(names, aggregation, [[0]]),
        lambda: GraphFSA.from_rule(names, aggregation, lambda state, _: state),
    ):
        with pytest.raises(LimitError) as caught:
            build()
        assert words in str(caught.value)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_a_table_with_thousands_of_digits_is_refused_by_our_own_error():
    """Its size cannot be written in decimal: Python refuses to print such numbers."""
    names = [f"s{k}" for k in range(256)]
    with pytest.raises(LimitError, match=r"about 10\^"):
        GraphFSA(names, CountingAggregation(bound=10**20), [[0]])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"final_states": ["dead"]}, "final state must be one of well, ill; got 'dead'"),
        ({"final_states": [2]}, "final state must be a state name or an integer from 0 to 1; got 2"),
        ({"starting_states": [-1]}, "starting state must be a state name or an integer from 0 to 1; got -1"),
        ({"starting_states": [True]}, "starting state must be a state name or an integer from 0 to 1; got True"),
        ({"starting_states": [1.0]}, "starting state must be a state name or an integer from 0 to 1; got 1.0"),
        ({"starting_states": ["ill", 1]}, "starting_states must not repeat a state; got ['ill', 1]"),
        ({"final_states": "ill"}, "final_states must be a list of states; got 'ill'"),
    ],
)
def test_starting_and_final_states_that_are_refused(options, words):
    with pytest.raises(AutomatonError) as caught:
        automaton(**options)
    assert str(caught.value) == words


def test_an_aggregation_is_needed():
    with pytest.raises(AutomatonError, match=r"aggregation must be a graphfsa\.Aggregation; got 'counting'"):
        GraphFSA(["a"], "counting", [[0]])


def test_from_rule_needs_an_aggregation_too():
    with pytest.raises(GraphFSAError):
        GraphFSA.from_rule(["a"], "counting", lambda state, _: state)


def test_from_rule_by_names_and_by_numbers():
    by_name = GraphFSA.from_rule(["a", "b"], BOTH, lambda state, seen: "b" if state == "b" or seen["b"] else "a")
    by_index = GraphFSA.from_rule(["a", "b"], BOTH, lambda state, seen: int(state == "b" or seen[1] > 0))
    by_numpy = GraphFSA.from_rule(["a", "b"], BOTH, lambda state, seen: np.int64(state == "b" or seen[1] > 0))
    assert by_name == by_index == by_numpy
    assert by_name.transition_table.tolist() == [[0, 0, 1, 1], [1, 1, 1, 1]]


def test_a_name_wins_over_a_number():
    """States called 1 and 0: a text is a name, a number is an index."""
    fsa = GraphFSA.from_rule(["1", "0"], BOTH, lambda state, seen: "0" if seen[0] else 0)
    assert fsa.transition_table.tolist() == [[0, 1, 0, 1], [0, 1, 0, 1]]


@pytest.mark.parametrize("result", ["c", 2, -1, None, 0.5, True])
def test_a_rule_must_answer_with_a_state(result):
    with pytest.raises(AutomatonError, match="the rule's result must be "):
        GraphFSA.from_rule(["a", "b"], BOTH, lambda *_: result)


def test_what_a_rule_raises_is_passed_on():
    with pytest.raises(KeyError):
        GraphFSA.from_rule(["a", "b"], BOTH, lambda _, seen: seen["c"])


def test_equal_automata_are_equal_and_hash_alike():
    one, other = library.distance(), library.distance()
    assert one is not other
    assert one == other
    assert hash(one) == hash(other)
    assert one.digest == other.digest
    assert len({one, other, library.root_value()}) == 2
    assert one != "distance"


@pytest.mark.parametrize(
    "other",
    [
        automaton(names=("well", "sick")),
        automaton([[0, 0, 1, 0], [1, 1, 1, 1]]),
        automaton(starting_states=["well"]),
        automaton(final_states=["ill"]),
        GraphFSA(["well", "ill"], AverageThresholdAggregation(), [[0, 0, 1, 1], [1, 1, 1, 1]]),
        GraphFSA(["well", "ill"], AverageThresholdAggregation(0.6), [[0, 0, 1, 1], [1, 1, 1, 1]]),
    ],
    ids=["names", "table", "starting", "final", "aggregation", "threshold"],
)
def test_every_part_counts_for_equality(other):
    assert other != automaton()
    assert other.digest != automaton().digest


def test_the_digest_is_pinned():
    """Digests are written beside results: a change here makes old results unverifiable."""
    assert library.distance().digest == "13e03acc1a7ab42e2d9a6e24974770b4427d55dbc04c13cf96c585ccdc12e416"


def test_the_digest_does_not_depend_on_the_type_of_the_table():
    table = [[0, 0, 1, 1], [1, 1, 1, 1]]
    layouts = [np.array(table, np.int8), np.array(table, np.uint64), np.asfortranarray(table), table]
    assert len({GraphFSA(["well", "ill"], BOTH, layout).digest for layout in layouts}) == 1


@pytest.mark.parametrize(
    "field", ["state_names", "aggregation", "transition_table", "starting_states", "final_states", "digest", "colour"]
)
def test_it_is_frozen(field):
    fsa = automaton()
    with pytest.raises(AttributeError):
        setattr(fsa, field, None)


def test_its_table_is_read_only_and_its_own():
    given = np.array([[0, 0, 1, 1], [1, 1, 1, 1]], np.uint8)
    fsa = GraphFSA(["well", "ill"], BOTH, given)
    with pytest.raises(ValueError, match="read-only"):
        fsa.transition_table[0, 0] = 1
    given[:] = 0
    assert fsa.transition_table.tolist() == [[0, 0, 1, 1], [1, 1, 1, 1]]


def test_one_entry_can_be_changed():
    fsa = automaton(starting_states=["well"], final_states=["ill"])
    changed = fsa.with_entry("well", np.int64(1), "ill")
    assert changed.transition_table.tolist() == [[0, 1, 1, 1], [1, 1, 1, 1]]
    assert fsa.transition_table.tolist() == [[0, 0, 1, 1], [1, 1, 1, 1]]
    assert (changed.starting_states, changed.final_states) == ((0,), (1,))
    assert changed.with_entry(0, 1, 0) == fsa


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (("ill", 0, "well"), "must be absorbing"),
        ((0, 4, 1), "value must be an integer from 0 to 3; got 4"),
        ((0, -1, 1), "value must be an integer from 0 to 3; got -1"),
        ((0, True, 1), "got True"),
        ((2, 0, 1), "state must be a state name or an integer from 0 to 1; got 2"),
        ((0, 0, -1), "state must be a state name or an integer from 0 to 1; got -1"),
    ],
)
def test_entries_that_can_not_be_changed(entry, words):
    with pytest.raises(AutomatonError) as caught:
        automaton(final_states=["ill"]).with_entry(*entry)
    assert words in str(caught.value)


def test_copies_are_equal():
    fsa = library.life_like()
    assert copy.copy(fsa) == copy.deepcopy(fsa) == pickle.loads(pickle.dumps(fsa)) == fsa


def test_html_escapes_markup():
    fsa = automaton(names=["<script>alert(1)</script>", 'a&b"'], starting_states=[0])
    html = fsa._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a&amp;b" in html
    assert "a&b" not in html
    assert html.count("<tr") == 2
    nasty = [f"<script>&{'x' * 300}{state}" for state in range(6)]
    for repetitive in (True, False):  # Rules for the first, the table for the second.
        table = np.zeros((6, 64), int) if repetitive else np.random.default_rng(0).integers(0, 6, (6, 64))
        html = GraphFSA(nasty, CountingAggregation(bound=1), table)._repr_html_()
        assert ("The first rule that applies" in html) == repetitive
        assert "<script" not in html
        assert "&x" not in html
        assert "x" * 200 not in html
        assert len(html) < (3000 if repetitive else 60_000)


def test_html_is_the_rules_where_they_are_short():
    html = library.distance()._repr_html_()
    for words in ("GraphFSA: 4 states, CountingAggregation(bound=1)", "even (final)</th>", "node (start)</th>"):
        assert words in html
    node = html[html.index("node (start)") :]
    assert "→ odd if some neighbour is even<br>→ even if some neighbour is odd<br>stays otherwise" in node
    assert "<p>The first rule that applies says where a node moves.</p>" in html


def chaos(num_states, bound):
    aggregation = CountingAggregation(bound=bound)
    table = np.random.default_rng(0).integers(0, num_states, (num_states, aggregation.num_values(num_states)))
    return GraphFSA([f"s{state}" for state in range(num_states)], aggregation, table, starting_states=[1])


def test_html_is_the_table_where_rules_would_be_long_and_long_tables_are_cut():
    html = chaos(5, 1)._repr_html_()
    assert "more values" not in html
    assert "<th>s0</th><th>s1 (start)</th><th>s2</th>" in html
    assert html.count("<tr>") == 1 + 32
    long = chaos(6, 2)._repr_html_()
    assert "<p>665 more values</p>" in long
    assert long.count("<tr>") == 1 + 64
