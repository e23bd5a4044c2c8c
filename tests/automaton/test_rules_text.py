"""The notation: what it accepts, what it says when it does not, and that no name of a state gets out of hand."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rule_automata import EXAMPLES, GOOD_NAMES, NASTY, OTHER_WORDS, automata

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    GraphFSA,
    LettersAggregation,
    PositionalAggregation,
    library,
)
from graphfsa.aggregations import Sum
from graphfsa.automaton.rules import CountIs, GradeIs, PartIs, SumIs, parse_rules
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError, LimitError

HEAD = "states: a, b, c\naggregation: counting bound=3\n"


def guard(words, head=HEAD):
    """The guard of a rule with these words."""
    rest = "".join(f"{name} stays\n" for name in parse_rules_names(head)[1:])
    return parse_rules(f"{head}a -> b if {words}\na stays\n{rest}").lists[0][0].guard


def parse_rules_names(head):
    return head.splitlines()[0].removeprefix("states: ").split(", ")


@pytest.mark.parametrize(
    ("words", "states", "numbers"),
    [
        ("some neighbour is b", (1,), (1, 2, 3)),
        ("no neighbour is b", (1,), (0,)),
        ("every neighbour is b", (0, 2), (0,)),
        ("every neighbour is not b", (1,), (0,)),
        ("no neighbour is not b", (0, 2), (0,)),
        ("exactly one neighbour is b or c", (1, 2), (1,)),
        ("exactly 1 neighbour is b or c", (1, 2), (1,)),
        ("at most one neighbour is not b", (0, 2), (0, 1)),
        ("at most 2 neighbours are neither a nor b", (2,), (0, 1, 2)),
        ("at least 2 neighbours are a, b or c", (0, 1, 2), (2, 3)),
        ("it has at least 3 neighbours", (0, 1, 2), (3,)),
        ("it has no neighbour", (0, 1, 2), (0,)),
        ("1 or 2 neighbours are c", (2,), (1, 2)),
        ("0 to 2 neighbours are c", (2,), (0, 1, 2)),
        ("0, 2 or 3+ neighbours are c", (2,), (0, 2, 3)),
        ('  some   neighbour is "b"', (1,), (1, 2, 3)),
    ],
)
def test_what_counts_may_be_asked(words, states, numbers):
    assert guard(words) == (CountIs(states, numbers),)


FAMILY = 'states: a, b, c\naggregation: relations kinds=["parent", "a b", "is"] bound=[1, 3, 2]\n'


@pytest.mark.parametrize(
    ("words", "states", "numbers", "census"),
    [
        ("some neighbour by parent is b", (1,), (1,), 0),
        ('every neighbour by "a b" is b', (0, 2), (0,), 1),
        ('at least 2 neighbours by "is" are a or b', (0, 1), (2,), 2),
        ('it has no neighbour by "a b"', (0, 1, 2), (0,), 1),
        ('it has at least 2 neighbours by "a b"', (0, 1, 2), (2, 3), 1),
    ],
)
def test_what_may_be_asked_by_kind(words, states, numbers, census):
    assert guard(words, FAMILY) == (CountIs(states, numbers, census),)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("some neighbour is b", 'it must be said which neighbours are meant: by parent or by "a b" or by "is"'),
        (
            "some neighbour by child is b",
            'neighbours must be counted by parent or by "a b" or by "is"; got by \'child\'',
        ),
        ("some neighbour by is is b", "got by 'is'"),
        ("some neighbour by", "expected a kind of neighbours; got the end of the line"),
        ("at least 2 neighbours by parent are b", "the number must be at most 1"),
    ],
)
def test_what_can_not_be_asked_by_kind(words, message):
    with pytest.raises(FormatError) as error:
        guard(words, FAMILY)
    assert message in str(error.value)


def test_a_kind_needs_an_aggregation_that_knows_it():
    with pytest.raises(FormatError, match="neighbours must be counted together; got by 'parent'"):
        guard("some neighbour by parent is b")


VOTE = "states: a, b, c\naggregation: weighted-sum weights=[1, -2] thresholds=[-1, 0, 4]\n"


@pytest.mark.parametrize(
    ("words", "lowest", "highest"),
    [
        ("the weighted sum is at least 0", 2, 3),
        ("the weighted sum is less than -1", 0, 0),
        ("the weighted sum is at least -1 but less than 4", 1, 2),
    ],
)
def test_what_weighted_sums_may_be_asked(words, lowest, highest):
    assert guard(words, VOTE) == (GradeIs(0, lowest, highest),)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("the weighted sum is at least 1", "the threshold must be one of -1, 0, 4; got '1'"),
        ("the weighted sum is 0", "expected 'less'; got '0'"),
        ("the weighted sum is at least 4 but less than 0", "must not hold always or never"),
        ("some neighbour is b", "expected 'the weighted sum is ...'"),
    ],
)
def test_what_weighted_sums_can_not_be_asked(words, message):
    with pytest.raises(FormatError) as error:
        guard(words, VOTE)
    assert message in str(error.value)


def test_products_say_it_all():
    parts = '[{"name": "weighted-sum", "weights": [1], "thresholds": [2]}, ' * 2 + '{"name": "counting", "bound": 1}]'
    head = f"states: a, b, c\naggregation: product parts={parts.replace('}, [', '}, ')}\n"
    words = "the weighted sum is less than 2 and the weighted sum 2 is at least 2 and some neighbour is b"
    assert guard(words, head) == (GradeIs(0, 0, 0), GradeIs(1, 1, 1), CountIs((1,), (1,)))


def test_conditions_are_joined_by_and():
    assert guard("no neighbour is b and some neighbour is b or c") == (
        CountIs((1,), (0,)),
        CountIs((1, 2), (1, 2, 3)),
    )


@pytest.mark.parametrize(
    ("words", "part", "labels"),
    [
        ("left is a", 0, (1,)),
        ("right is missing", 1, (0,)),
        ('right is "missing" or missing', 1, (0, 2)),
        ("left is not missing", 0, (1, 2)),
        ('left is neither missing nor "missing"', 0, (1,)),
    ],
)
def test_a_missing_neighbour_is_no_state_of_that_name(words, part, labels):
    head = 'states: a, "missing"\naggregation: positional num_slots=2\n'
    rules = parse_rules(f'{head}a -> "missing" if {words}\na stays otherwise\n"missing" stays')
    assert rules.lists[0][0].guard == (PartIs(part, labels),)


THRESHOLDS = 'states: x, y\naggregation: average-threshold thresholds={"1": [0.3333333333333333, 0.5, 1.0]}\n'


@pytest.mark.parametrize(
    ("words", "lowest", "highest"),
    [
        ("at least 1/3 of the neighbours are y", 1, 3),
        ("at least 0.3333333333333333 of the neighbours are y", 1, 3),
        ("less than half of the neighbours are y", 0, 1),
        ("at least half but not all of the neighbours are y", 2, 2),
        ("all of the neighbours are y", 3, 3),
        ("not all of the neighbours are y", 0, 2),
        ("at least 1/3 but less than 1/2 of the neighbours are y", 1, 1),
    ],
)
def test_fractions_may_be_compared_with_thresholds(words, lowest, highest):
    (atom,) = parse_rules(f"{THRESHOLDS}x -> y if {words}\nx stays\ny stays").lists[0][0].guard
    assert (atom.lowest, atom.highest) == (lowest, highest)


LETTERS = "states: a, b, c, d\naggregation: letters count a or b up to 3; highest of b < c or d; "
LETTERS += "count c modulo 2; count neighbours modulo 3; count c once, d twice, up to 3\n"


@pytest.mark.parametrize(
    ("words", "tally", "levels"),
    [
        ("at least 2 neighbours are a or b", 0, (2, 3)),
        ("at most 2 neighbours are neither c nor d", 0, (0, 1, 2)),
        ("every neighbour is c or d", 0, (0,)),
        ("some neighbour is c or d", 1, (2,)),
        ("every neighbour is a or b", 1, (0, 1)),
        ("no neighbour is b, c or d", 1, (0,)),
        ("the highest neighbour is b", 1, (1,)),
        ("the highest neighbour is c or d", 1, (2,)),
        ("the highest neighbour is not b", 1, (0, 2)),
        ("the highest neighbour is missing, c or d", 1, (0, 2)),
        ("the highest neighbour of b < c or d is b", 1, (1,)),
        ("the number of neighbours that are c is odd", 2, (1,)),
        ("the number of neighbours that are c is 0 modulo 2", 2, (0,)),
        ("the number of neighbours is 0 or 2 modulo 3", 3, (0, 2)),
        ("the number of neighbours is not 1 modulo 3", 3, (0, 2)),
        ("the number of neighbours is neither 0 nor 1 modulo 3", 3, (2,)),
        ("the sum of c once, d twice is at least 2", 4, (2, 3)),
        ("the sum of d 2 times, c 1 times is at most 1", 4, (0, 1)),
        ("the sum of c once, d twice is 0 or 2", 4, (0, 2)),
        ("the sum of c once, d twice is exactly 1", 4, (1,)),
    ],
)
def test_sums_may_be_asked_for(words, tally, levels):
    assert guard(words, LETTERS) == (SumIs(tally, levels),)


@pytest.mark.parametrize(
    ("header", "sums"),
    [
        ("no sums", ()),
        ("count a up to 2", (Sum("count", 2, (1,)),)),
        ("count b or c modulo 2", (Sum("modulo", 2, (0, 1, 1)),)),
        ("count neighbours up to 1", (Sum("count", 1, (1, 1, 1)),)),
        ("count no neighbours up to 1", (Sum("count", 1, ()),)),
        ("count not b up to 1", (Sum("count", 1, (1, 0, 1)),)),
        ("count a twice, b or c 3 times, up to 5", (Sum("count", 5, (2, 3, 3)),)),
        ("count b once, a twice modulo 3", (Sum("modulo", 3, (2, 1)),)),
        ("highest of c < a or b", (Sum("highest", 2, (2, 2, 1)),)),
        ("highest of c < no neighbours < a < no neighbours", (Sum("highest", 4, (3, 0, 1)),)),
        ('count "a" up to 2;highest of "b"', (Sum("count", 2, (1,)), Sum("highest", 1, (0, 1)))),
        ('sums=[{"kind": "count", "limit": 2, "weights": [1]}]', (Sum("count", 2, (1,)),)),
    ],
)
def test_sums_of_letters_have_words(header, sums):
    """The line may come before the names of the states, and is written back in words."""
    rules = parse_rules(f"aggregation: letters {header}\nstates: a, b, c\na stays\nb stays\nc stays")
    assert rules.aggregation == LettersAggregation(sums)
    assert parse_rules(rules.text()) == rules
    assert "sums=" not in rules.text()


def test_a_letters_automaton_reads_like_a_sentence():
    aggregation = LettersAggregation(
        (Sum("count", 2, (0, 0, 1, 1)), Sum("modulo", 2, (0, 1)), Sum("highest", 2, (1, 2)))
    )
    fsa = GraphFSA.from_rule(
        ["low", "high", "node", "marked"],
        aggregation,
        lambda state, seen: {"node": "low" if seen[0] < 2 else "high" if seen[1] else "node"}.get(state, state),
        final_states=["low", "high"],
    )
    assert (
        str(fsa.rules())
        == """\
states: low, high, node, marked
final states: low, high
aggregation: letters count node or marked up to 2; count high modulo 2; highest of low < high

# 12 of 36 entries are never used by the training graphs; there the rules were free to choose.

low stays

high stays

node -> low if at most one neighbour is node or marked
node -> high if the number of neighbours that are high is odd
node stays otherwise

marked stays
"""
    )
    assert "    # seen[0]: count node or marked up to 2\n" in fsa.rules().python()
    assert "        if seen[0] < 2:\n            return 'low'\n" in fsa.rules().python()
    assert "- aggregation: letters count `node` or `marked` up to 2; count `high` modulo 2;" in fsa.rules().markdown()


RULES = "a -> b if some neighbour is b\na stays otherwise\nb stays\nc stays\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "rules: a line 'states: NAME, NAME, ...' must come before the rules"),
        ("states: a\na stays", "a line such as 'aggregation: counting bound=1' must come before the rules"),
        (HEAD, "'a' must have a last rule without 'if'; it has none"),
        (HEAD + "a stays\nb stays", "'c' must have a last rule without 'if'; it has none"),
        (HEAD + "a stays\na -> b", "line 4: 'a' must have no rule after its last one, in line 3"),
        (HEAD + "d stays", "line 3: a state must be one of 'a', 'b', 'c'; got 'd'"),
        (HEAD + "a -> d", "line 3: a state must be one of 'a', 'b', 'c'; got 'd'"),
        (HEAD + "a ->", "line 3: expected the name of a state; got the end of the line"),
        (HEAD + "a goes b", "line 3: expected '->' or 'stays'; got 'goes'"),
        (HEAD + "a -> if", "line 3: expected the name of a state; the word 'if' is one only in quotes"),
        (HEAD + "a -> b iff", "line 3: expected 'if', 'otherwise' or the end of the line; got 'iff'"),
        (HEAD + "a -> b if", "line 3: expected 'no', 'some', 'every', 'exactly', 'at least', 'at most', 'it has' or a"),
        (HEAD + "a -> b if few neighbours are b", "'it has' or a number; got 'few'"),
        (HEAD + "a -> b if some friend is b", "expected 'neighbour' or 'neighbours'; got 'friend'"),
        (HEAD + "a -> b if some neighbour was b", "expected 'is' or 'are'; got 'was'"),
        (HEAD + "a -> b if some neighbour is b, c", "expected ',' or 'or'; got the end of the line"),
        (HEAD + "a -> b if some neighbour is neither b", "expected ',' or 'nor'; got the end of the line"),
        (HEAD + "a -> b if some neighbour is b c", "expected 'and' or the end of the line; got 'c'"),
        (HEAD + "a -> b if exactly 3 neighbours are b", "must be at most 2, as a count of 3 means 3 or more; got 3"),
        (HEAD + "a -> b if at most 3 neighbours are b", "must be at most 2, as a count of 3 means 3 or more; got 3"),
        (HEAD + "a -> b if at least 4 neighbours are b", "must be at most 3, as a count of 3 means 3 or more; got 4"),
        (HEAD + "a -> b if at least x neighbours are b", "expected a number; got 'x'"),
        (HEAD + "a -> b if at least 9999999999 neighbours are b", "expected a number; got '9999999999'"),
        (
            HEAD + "a -> b if 2 to 1 neighbours are b",
            "a range must go from low to high; got 2 to 1",
        ),
        (HEAD + "a -> b if at least 0 neighbours are b", "a condition must not hold always or never"),
        (HEAD + "a -> b if some neighbour is neither a, b nor c", "a condition must not hold always or never"),
        (HEAD + 'a -> "b', "line 3: quotes must be closed; got '\"b'"),
        (HEAD + '"\\x" stays', "a name in quotes must be written as in JSON"),
        (HEAD + "states: a", "line 3: 'states:' must be given once"),
        (HEAD + "a stays\nfinal states: a", "line 4: 'final states:' must come before the rules"),
        (HEAD + "final states: d\n" + RULES, "starting and final states must be among the states; got 'd'"),
        (HEAD + "final states: b, b\n" + RULES, "must not repeat a state"),
        (HEAD + "final states: a\n" + RULES, "final state 0 (a) must be absorbing"),
        ("states: a b\n", "line 1: expected ','; got 'b'"),
        ("states: a, a\naggregation: counting bound=1\na stays", "state names must be distinct; 'a' occurs more"),
        ("states: a, or\n", "line 1: the word 'or' is a name only in quotes"),
        ("aggregation: countin bound=1", "line 1: unknown aggregation 'countin' (did you mean 'counting'?)"),
        ("aggregation: counting bound", "an aggregation has a name and options as key=JSON"),
        ("aggregation: counting bound=1 bound=2", "an aggregation has a name and options as key=JSON"),
        ("aggregation: counting bound=[" + "[" * 100_000, "an aggregation has a name and options as key=JSON"),
        ("aggregation: counting bound=0", "line 1: bound must be an integer >= 1; got 0"),
        ("aggregation: counting colour=1", "aggregation fields do not fit"),
        ("aggregation:", "unknown aggregation ''"),
        (LETTERS + "a -> b if some neighbour is a", "the aggregation must have a sum that counts 'a'; it has none"),
        (LETTERS + "a -> b if exactly 3 neighbours are a or b", "must be at most 2, as a count of 3 means 3 or more"),
        (LETTERS + "a -> b if exactly 2 neighbours are c or d", "must have a sum that counts 'c or d'; it has none"),
        (LETTERS + "a -> b if the sum of c once is 2", "the aggregation must have this sum to compare it; it has none"),
        (
            LETTERS + "a -> b if the number of neighbours is odd",
            "must have this sum modulo 2 to compare it",
        ),
        (LETTERS + "a -> b if the number of neighbours is 3 modulo 3", "must be at most 2, as it is a rest modulo 3"),
        (LETTERS + "a -> b if the highest neighbour is c", "must be named together; 'd' is left out"),
        (LETTERS + "a -> b if the highest neighbour is a", "the highest neighbour must show a letter; 'a' has none"),
        (
            LETTERS + "a -> b if the lowest",
            "expected 'highest neighbour', 'number of neighbours' or 'sum of'",
        ),
        (LETTERS + "a -> b if the highest neighbour is not missing or b", "expected 'and' or the end of the line"),
        ("states: a\naggregation: letters count b up to 2\na stays", "line 2: a state must be one of 'a'; got 'b'"),
        ("states: a\naggregation: letters count a up to 0\na stays", "line 2: the limit of a sum must be an integer"),
        ("states: a\naggregation: letters count a 2\na stays", "line 2: expected 'up' or 'modulo'; got '2'"),
        ("states: a\naggregation: letters count a up to 2 b\na stays", "line 2: expected ';' or the end of the line"),
        ("states: a\naggregation: letters highest of a < a\na stays", "a state must have one letter; 'a' has two"),
        ("states: a, b\naggregation: letters count a once, b once, up to 2\na stays", "must be listed together"),
        (
            "states: a, b\naggregation: letters count a once, b, up to 2\na stays",
            "a state must be one of 'a', 'b'",
        ),
        ("states: a\naggregation: letters count a 3 times, up to 2\na stays", "weight of state 0 must be an integer"),
        ("states: a\naggregation: letters count\na stays", "an aggregation has a name and options as key=JSON"),
        ("states: a\naggregation: counting count a up to 2\na stays", "aggregation fields do not fit"),
        ("states: a\naggregation: letters no sums\na -> a if some", "expected no condition, as nothing is seen"),
        (THRESHOLDS + "x -> y if some neighbour is y", "expected 'at least ... of the neighbours are ...'; got 'some'"),
        (
            THRESHOLDS + "x -> y if at least 0.4 of the neighbours are y",
            "must be a threshold of the state (1/3, half, all)",
        ),
        (THRESHOLDS + "x -> y if at least half of the neighbours are x", "the aggregation must watch 'x'"),
        (THRESHOLDS + "x -> y if at least a lot of the neighbours are y", "such as half, 1/3 or 0.3; got 'a'"),
        (THRESHOLDS + "x -> y if at least half but all of the neighbours are y", "what follows 'but' must be"),
    ],
)
def test_errors_name_the_line_and_what_was_expected(text, words):
    with pytest.raises(FormatError) as error:
        GraphFSA.from_rules(text)
    assert words in str(error.value)
    assert len(str(error.value)) < 400


def test_a_table_that_is_too_large_is_refused_before_it_is_made():
    with pytest.raises(LimitError, match="needs a table of about 10"):
        GraphFSA.from_rules("states: a, b, c\naggregation: counting bound=99999999\na stays")
    with pytest.raises(AutomatonError, match="rules must be a string; got bytes"):
        GraphFSA.from_rules(b"states: a")


@EXAMPLES
@given(
    st.lists(
        st.sampled_from(['"', "a", "->", "stays", "if", "some", "neighbour", "is", "1", ",", "\\", "\n", "of", "has"])
    )
)
def test_no_text_breaks_the_reader(words):
    try:
        GraphFSA.from_rules("states: a\naggregation: counting bound=1\n" + " ".join(words))
    except GraphFSAError as error:
        assert str(error).startswith("rules: ")
    else:
        assert {"a", "stays"} <= set(words)


def test_comments_order_and_line_ends_are_free():
    text = (
        "\ufeff# An infection.\r\naggregation: counting bound=1\r\nfinal states: ill\r\nstates: well, ill\r\n\r\n"
        "ill stays\r\n  well -> ill if some neighbour is ill\r\n# nothing else\r\nwell stays\r\n"
    )
    fsa = GraphFSA.from_rules(text)
    assert fsa.transition_table.tolist() == [[0, 0, 1, 1], [1, 1, 1, 1]]
    assert fsa.starting_states == (0, 1)
    assert fsa.final_states == (1,)


def check_latex(rules):
    """What is left without commands and escaped signs must be plain words, balanced braces, and our own signs."""
    text = rules.latex().split("\n", 1)[1]
    plain = re.sub(r"\\(?:[A-Za-z]+|[{}$&#_%])|\\\\(?=\n)|\\[\[\]]", "", text)
    assert not set("\\$#_^~%\"'`<>|") & set(plain)
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    assert plain.count("&") == sum(len(listed) for listed in rules.lists if len(listed) > 1)


@EXAMPLES
@given(automata(max_states=4))
def test_latex_has_no_sign_of_its_own_from_names(fsa):
    check_latex(fsa.rules())


@pytest.mark.parametrize("name", [*NASTY, "$&#_%{}~^", "a--b", "\\\\", "\\input{x}", "^^41"])
def test_latex_is_safe_with_every_name(name):
    rule = lambda state, seen: "other" if seen[name] else state  # noqa: E731
    check_latex(GraphFSA.from_rule([name, "other"], CountingAggregation(bound=1), rule).rules())


@EXAMPLES
@given(automata(max_states=4))
def test_markdown_shows_names_as_they_are(fsa):
    tokens = MarkdownIt("commonmark").parse(fsa.rules().markdown())
    inside = [child for token in tokens for child in token.children or []]
    assert not {token.type for token in [*tokens, *inside]} & {"html_block", "html_inline", "link_open", "fence"}
    spans = [token.content for token in inside if token.type == "code_inline"]
    assert tuple(spans[: fsa.num_states]) == fsa.state_names
    assert sum(token.type == "bullet_list_open" for token in tokens) == 2


@pytest.mark.parametrize("name", NASTY + OTHER_WORDS)
def test_every_name_can_be_asked_about(name):
    aggregations = (CountingAggregation(bound=2), PositionalAggregation(num_slots=2), AverageThresholdAggregation(0.5))
    for aggregation in aggregations:
        fsa = GraphFSA(
            [name, "other"], aggregation, [[0, *[1] * (aggregation.num_values(2) - 1)], [0] * aggregation.num_values(2)]
        )
        read = GraphFSA.from_rules(str(fsa.rules()))
        assert read.state_names == (name, "other")
        assert read.rules() == fsa.rules()


@EXAMPLES
@given(GOOD_NAMES)
def test_names_survive_the_python_source(name):
    fsa = GraphFSA.from_rule(
        [name, name + "x"], CountingAggregation(bound=1), lambda state, seen: name + "x" * seen[name]
    )
    space = {}
    exec(compile(fsa.rules().python(), "step.py", "exec"), space)
    assert space["step"](name, {name: 1, name + "x": 0}) == name + "x"


def test_the_python_source_takes_true_counts():
    """Without cutting them at the bound."""
    space = {}
    exec(library.life_like("B3/S238").rules().python(), space)
    found = {n for n in range(12) if space["step"]("alive", {"dead": 40, "alive": n}) == "alive"}
    assert found == {2, 3, *range(8, 12)}


def test_rules_are_shown_by_notebooks():
    rules = library.life_like().rules()
    assert rules._repr_markdown_() == rules.markdown()
    assert rules.as_dicts()[0] == {"state": "dead", "next": "alive", "if": "exactly 3 neighbours are alive"}
    assert rules.as_dicts()[1] == {"state": "dead", "next": "dead", "if": None}
    assert "\n\nThe first rule that applies says where a node moves.\n\n" in rules.latex()
    matters = np.ones((2, library.life_like().num_values), bool)
    matters[0, 0] = False
    free = library.life_like().rules(matters).latex()
    assert (
        " 1 of 50 entries are never used by the training graphs; there the rules were free to choose.\n"
        in free.partition("moves.")[2]
    )
    assert "\\textsf{alive} & \\text{if exactly 3 neighbours are \\textsf{alive}} \\\\\n" in rules.latex()
