"""Rules mean what the table says, in every form and for every aggregation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_automata import EXAMPLES, automata

from benchmarks.views import ruled_automaton
from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    GraphFSA,
    ProductAggregation,
    WeightedSumAggregation,
    library,
)
from graphfsa.analysis import transitions
from graphfsa.automaton.rules import CountIs, GradeIs, PartIs, SumIs, guard_holds, matrix_product, parse_rules
from graphfsa.automaton.rules._vocabulary import deciding_states
from graphfsa.errors import AutomatonError, LimitError


def possible(fsa):
    return fsa.aggregation.possible_values(range(fsa.num_states), fsa.num_states)


@EXAMPLES
@given(automata())
def test_rules_say_what_the_table_says_and_can_be_read_back(fsa):
    rules = fsa.rules()
    matters = np.broadcast_to(possible(fsa), fsa.transition_table.shape)
    assert np.array_equal(rules.transition_table()[matters], fsa.transition_table[matters])
    read = parse_rules(rules.text())
    assert read == rules
    assert GraphFSA.from_rules(str(rules)) == rules.automaton()
    if matters.all():
        assert GraphFSA.from_rules(str(rules)) == fsa


@EXAMPLES
@given(automata())
def test_the_rule_that_applies_is_the_first_whose_guard_holds(fsa):
    rules = fsa.rules()
    applied = rules.applied()
    written = str(rules).split("\n")
    for state, (listed, lines) in enumerate(zip(rules.lists, rules.lines(), strict=True)):
        assert len(listed) == len(lines)
        assert all(line in written for line in lines)
        holds = np.stack([guard_holds(rule.guard, rules.features, fsa.num_values) for rule in listed])
        assert (applied[state] == holds.argmax(axis=0)).all()


def step_of(rules):
    space = {}
    exec(compile(rules.python(), "step.py", "exec"), space)
    return space["step"]


@EXAMPLES
@given(automata())
def test_the_python_function_is_the_table(fsa):
    """Called with what ``from_rule`` shows; nothing of the guards' own evaluation is used."""
    step = step_of(fsa.rules())
    for value in np.flatnonzero(possible(fsa)).tolist():
        seen = fsa.aggregation.observation(value, fsa.state_names)
        for state, name in enumerate(fsa.state_names):
            assert step(name, seen) == fsa.state_names[fsa.transition_table[state, value]]
    with pytest.raises(ValueError, match="unknown state"):
        step("no such state", seen)


@EXAMPLES
@given(automata(max_states=4), st.data())
def test_guards_are_true_of_neighbourhoods(fsa, data):
    """Asked about the neighbours themselves, not about the value: counts above the bound included."""
    rules = fsa.rules()
    slots = []
    states = data.draw(st.lists(st.integers(0, fsa.num_states - 1), max_size=7))
    if fsa.aggregation.uses_kinds:
        slots = [data.draw(st.integers(0, fsa.aggregation.num_slots - 1)) for _ in states]
    elif fsa.aggregation.uses_slots:
        states = states[: fsa.aggregation.num_slots]
        slots = list(range(fsa.aggregation.num_slots))[-len(states) :] if states else []
    value = fsa.aggregation.encode(states, slots, fsa.num_states)
    for state in range(fsa.num_states):
        chosen = next(
            rule for rule in rules.lists[state] if all(true(atom, rules, states, slots) for atom in rule.guard)
        )
        assert chosen.successor == fsa.transition_table[state, value]


def true(atom, rules, states, slots):
    if isinstance(atom, CountIs):
        census = rules.features.censuses[atom.census]
        if census.kind is not None:
            kind = rules.aggregation.seen_kinds.index(census.kind)
            states = [state for state, slot in zip(states, slots, strict=True) if slot == kind]
        return min(sum(state in atom.states for state in states), census.bound) in atom.numbers
    if isinstance(atom, GradeIs):
        return atom.lowest <= graded(rules.aggregation, atom.grade, states) <= atom.highest
    if isinstance(atom, PartIs):
        there = dict(zip(slots, states, strict=True)).get(atom.part)
        return (0 if there is None else there + 1) in atom.labels
    if isinstance(atom, SumIs):
        return sum_of(rules.features.sums[atom.tally].sum, states) in atom.levels
    share = rules.features.shares[atom.share]
    fraction = states.count(share.state) / len(states) if states else 0
    return atom.lowest <= sum(fraction >= level for level in share.levels) <= atom.highest


def graded(aggregation, grade, states):
    """How many thresholds the weighted sum with a number reaches."""
    parts = aggregation.parts if isinstance(aggregation, ProductAggregation) else [aggregation]
    part = [part for part in parts if isinstance(part, WeightedSumAggregation)][grade]
    total = sum(part.weights[state] for state in states if state < len(part.weights))
    return sum(total >= threshold for threshold in part.thresholds)


def sum_of(part, states):
    weights = [part.weights[state] for state in states if state < len(part.weights)]
    if part.kind == "highest":
        return max(weights, default=0)
    return sum(weights) % part.limit if part.kind == "modulo" else min(sum(weights), part.limit)


@EXAMPLES
@given(automata(), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_rules_hold_wherever_entries_matter(fsa, seed, share):
    """Entries that matter are as in the table, whatever the others are."""
    matters = np.random.default_rng(seed).random(fsa.transition_table.shape) < share
    rules = fsa.rules(matters)
    table = rules.transition_table()
    assert np.array_equal(table[matters & possible(fsa)], fsa.transition_table[matters & possible(fsa)])
    assert rules.automaton().final_states == fsa.final_states
    if not rules.free:
        assert "never used" not in rules.text()


def test_what_does_not_matter_makes_rules_shorter():
    fsa = library.path_finding()
    matters = np.zeros(fsa.transition_table.shape, bool)
    matters[:, 0] = True
    rules = fsa.rules(matters)
    assert rules.num_rules == 4
    assert rules.free == 2 * 80
    assert "160 of 162 entries are never used by the training graphs; there the rules were free to choose." in str(
        rules
    )
    assert "node -> off\n" in str(rules)


@pytest.mark.parametrize(
    ("matters", "words"),
    [
        (np.ones((4, 81)), "float64"),
        (np.ones((81, 4), bool), r"\[4, 81\]; got bool \[81, 4\]"),
        (True, r"got bool \[\]"),
    ],
)
def test_what_matters_must_be_a_mask(matters, words):
    with pytest.raises(AutomatonError, match=words):
        library.path_finding().rules(matters)


def test_tables_that_are_too_large_are_refused():
    fsa = GraphFSA([f"s{k}" for k in range(9)], CountingAggregation(bound=2), np.zeros((9, 3**9), np.uint8))
    with pytest.raises(LimitError, match="at most 65,536 entries; got 177,147"):
        fsa.rules()


@pytest.mark.parametrize("shape", [(1, 1, 1), (8, 3, 5), (13, 700, 60), (5, 4, 0), (0, 3, 2), (3, 0, 2)])
def test_products_in_blocks_are_products(shape):
    rows, inner, columns = shape
    rng = np.random.default_rng(0)
    first, second = (rng.integers(0, 2, size).astype(np.float32) for size in ((rows, inner), (inner, columns)))
    assert np.array_equal(matrix_product(first, second), first @ second)


def test_the_same_automaton_has_the_same_rules():
    assert library.path_finding().rules().text() == library.path_finding().rules().text()


def lines(fsa):
    text = str(fsa.rules())
    return [line for line in text.splitlines() if line and ": " not in line]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "life",
            [
                "dead -> alive if exactly 3 neighbours are alive",
                "dead stays otherwise",
                "alive stays if 2 or 3 neighbours are alive",
                "alive -> dead otherwise",
            ],
        ),
        (
            "wireworld",
            [
                "empty stays",
                "head -> tail",
                "tail -> conductor",
                "conductor -> head if 1 or 2 neighbours are head",
                "conductor stays otherwise",
            ],
        ),
        (
            "brians-brain",
            ["off -> on if exactly 2 neighbours are on", "off stays otherwise", "on -> dying", "dying -> off"],
        ),
        (
            "distance",
            [
                "even stays",
                "odd stays",
                "node -> odd if some neighbour is even",
                "node -> even if some neighbour is odd",
                "node stays otherwise",
                "root -> even",
            ],
        ),
        (
            "path-finding",
            [
                "off stays",
                "on stays",
                "node -> off if at most one neighbour is not off",
                "node -> on if exactly one neighbour is on and exactly one neighbour is node or marked",
                "node -> on if no neighbour is node or marked",
                "node stays otherwise",
                "marked -> on if at most one neighbour is not off",
                "marked stays otherwise",
            ],
        ),
        (
            "rule90",
            [
                "0 -> 1 if exactly one neighbour is 1",
                "0 stays otherwise",
                "1 stays if exactly one neighbour is 1",
                "1 -> 0 otherwise",
            ],
        ),
        ("rule170", ["0 -> 1 if right is 1", "0 stays otherwise", "1 stays if right is 1", "1 -> 0 otherwise"]),
        (
            "B36/S125",
            [
                "dead -> alive if 3 or 6 neighbours are alive",
                "dead stays otherwise",
                "alive stays if 1, 2 or 5 neighbours are alive",
                "alive -> dead otherwise",
            ],
        ),
        (
            "B0/S8",
            [
                "dead -> alive if no neighbour is alive",
                "dead stays otherwise",
                "alive -> dead if at most 7 neighbours are alive",
                "alive stays otherwise",
            ],
        ),
    ],
)
def test_known_automata_read_as_a_person_would_write_them(name, expected):
    assert lines(library.library_automaton(name)) == expected


@pytest.mark.parametrize("rule", range(0, 256, 5))
def test_elementary_rules_are_short(rule):
    """Each state of them is a function of two bits: at most three lines of two conditions."""
    rules = library.elementary(rule).rules()
    assert rules.num_rules <= 6
    assert all(len(rule.guard) <= 2 for listed in rules.lists for rule in listed)
    assert GraphFSA.from_rules(str(rules)) == library.elementary(rule)


def test_greed_alone_is_not_enough():
    """Always the rule that settles most at once ends with six lines here."""
    text = (
        "states: a, b, c, d\naggregation: counting bound=2\n\n"
        "a -> b if at least 2 neighbours are b\na -> b if at most one neighbour is not a\n"
        "a -> c if at least 2 neighbours are not b\na stays otherwise\n\nb stays\n\nc stays\n\nd stays\n"
    )
    assert str(GraphFSA.from_rules(text).rules()) == text


def test_majority_reads_as_such():
    fsa = GraphFSA.from_rule(
        ["no", "yes"],
        AverageThresholdAggregation({1: (0.5, 1.0)}),
        lambda state, seen: "yes" if seen["yes"] == 1 else state,
    )
    assert lines(fsa) == [
        "no -> yes if at least half but not all of the neighbours are yes",
        "no stays otherwise",
        "yes stays",
    ]


def test_a_bound_of_thousands_is_no_trouble():
    """One state with a large bound: thresholds and single numbers only."""
    fsa = GraphFSA.from_rule(["a"], CountingAggregation(bound=3000), lambda state, seen: state)
    assert lines(fsa) == ["a stays"]
    two = GraphFSA.from_rule(
        ["a", "b"], CountingAggregation(bound=60), lambda state, seen: "b" if seen["a"] > 41 else state
    )
    assert lines(two) == ["a -> b if at least 42 neighbours are a", "a stays otherwise", "b stays"]


def test_many_states_have_short_rules_if_each_depends_on_a_few():
    names = [f"s{k}" for k in range(8)]

    def move(state, seen):
        if state == "s0" and seen["s3"] + seen["s5"] >= 2:
            return "s7"
        if state == "s1" and seen["s0"] + seen["s2"] + seen["s6"] >= 1:
            return "s2" if seen["s4"] < 2 else "s1"
        return state

    fsa = GraphFSA.from_rule(names, CountingAggregation(bound=2), move)
    text = str(fsa.rules())
    assert "s0 -> s7 if at least 2 neighbours are s3 or s5\ns0 stays otherwise" in text
    assert "some neighbour is s0, s2 or s6" in text
    assert text.count("\n") <= 20
    assert GraphFSA.from_rules(text) == fsa
    found = transitions(fsa)
    assert found.num_wordless == 0
    assert found.lines(found.arrows[1]) == ["at least 2 neighbours are s3 or s5"]


def test_what_a_row_depends_on():
    counts = np.array([[value // 3**k % 3 for value in range(27)] for k in range(3)])
    successors = (counts[1] >= 1).astype(int)
    everything = np.ones(27, bool)
    assert deciding_states(counts, successors, everything) == (1,)
    assert deciding_states(counts, successors * 0, everything) == ()
    assert deciding_states(counts, (counts.sum(0) >= 2).astype(int), everything) == (0, 1, 2)
    assert deciding_states(counts, successors, counts[1] >= 1) == ()  # What does not matter decides nothing.


@pytest.mark.parametrize("seed", range(3))
def test_large_tables_with_structure_are_told_right(seed):
    rng = np.random.default_rng(seed)
    fsa = ruled_automaton(7, 2, 2, rng)
    matters = rng.random(fsa.transition_table.shape) < 0.3
    wanted = np.where(matters, fsa.transition_table, 255)
    assert (np.where(matters, fsa.rules(matters).transition_table(), 255) == wanted).all()
    features = fsa.aggregation.features(fsa.state_names)
    for arrow in transitions(fsa).arrows:
        if arrow.guards is not None:
            holds = np.any([guard_holds(guard, features, fsa.num_values) for guard in arrow.guards], axis=0)
            assert np.flatnonzero(holds).tolist() == arrow.values.tolist()
