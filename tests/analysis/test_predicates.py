"""Predicates in words against the same in Python, and what is said of those that are not understood."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import CountingAggregation, Graph, GraphFSA, families, library, predicate
from graphfsa.errors import FormatError, GraphFSAError, StateError
from strategies import SEEDS, plain_graphs

NAMES = ["in", "out", "free", "drew 1", "drew 2"]
FSA = GraphFSA.from_rule(NAMES, CountingAggregation(1), lambda state, counts: "out" if counts["in"] else state)


def sees(graph, states, node, *names):
    return sum(states[u] in names for u in graph.neighbours(node).tolist())


def pairs(graph):
    return [(u, v) for u, v in zip(graph.indices.tolist(), graph.targets().tolist(), strict=True) if u != v]


def nodes(states, *names):
    return [node for node, state in enumerate(states) if state in names]


def moving(graph, states):
    return [v for v, state in enumerate(states) if state != "out" and sees(graph, states, v, "in")]


def components(graph):
    part = list(range(graph.num_nodes))
    for _ in part:
        for u, v in pairs(graph):
            part[u] = part[v] = min(part[u], part[v])
    return [[v for v in range(graph.num_nodes) if part[v] == root] for root in sorted(set(part))]


MEANINGS = {
    "exactly one in": lambda g, s: s.count("in") == 1,
    "exactly 1 node is in": lambda g, s: s.count("in") == 1,
    "at least two nodes are free or out": lambda g, s: len(nodes(s, "free", "out")) >= 2,
    "at most 1 out": lambda g, s: s.count("out") <= 1,
    "no node is in": lambda g, s: "in" not in s,
    "no ins": lambda g, s: "in" not in s,
    "some node is free": lambda g, s: "free" in s,
    "all nodes are in, out or free": lambda g, s: set(s) <= {"in", "out", "free"},
    "every node is not free": lambda g, s: "free" not in s,
    "every node is neither in nor free": lambda g, s: not {"in", "free"} & set(s),
    "an even number of out": lambda g, s: s.count("out") % 2 == 0,
    "an odd number of nodes are in": lambda g, s: s.count("in") % 2 == 1,
    "exactly 2 drew*": lambda g, s: len(nodes(s, "drew 1", "drew 2")) == 2,
    'some "drew 2"': lambda g, s: "drew 2" in s,
    "every free node has a neighbour in": lambda g, s: all(sees(g, s, v, "in") for v in nodes(s, "free")),
    "every node in free has a neighbour in in": lambda g, s: all(sees(g, s, v, "in") for v in nodes(s, "free")),
    "every out node has a neighbour in free": lambda g, s: all(sees(g, s, v, "free") for v in nodes(s, "out")),
    "every node that is out sees some in or free": lambda g, s: all(
        sees(g, s, v, "in", "free") for v in nodes(s, "out")
    ),
    "every free sees only free": lambda g, s: all(sees(g, s, v, *set(NAMES) - {"free"}) == 0 for v in nodes(s, "free")),
    "some in node has no neighbours": lambda g, s: any(not len(g.neighbours(v)) for v in nodes(s, "in")),
    "no node has at least 2 neighbours that are in": lambda g, s: all(sees(g, s, v, "in") < 2 for v in range(len(s))),
    "exactly one node sees exactly one out": lambda g, s: sum(sees(g, s, v, "out") == 1 for v in range(len(s))) == 1,
    "every node has an even number of neighbours": lambda g, s: all(
        len(g.neighbours(v)) % 2 == 0 for v in range(len(s))
    ),
    "no two neighbours both in": lambda g, s: not any(s[u] == s[v] == "in" for u, v in pairs(g)),
    "no two neighbours are both in in or out": lambda g, s: not any({s[u], s[v]} <= {"in", "out"} for u, v in pairs(g)),
    "no two neighbours alike": lambda g, s: all(s[u] != s[v] for u, v in pairs(g)),
    "exactly one in in each component": lambda g, s: all(sum(s[v] == "in" for v in c) == 1 for c in components(g)),
    "some node is out in each component": lambda g, s: all(any(s[v] == "out" for v in c) for c in components(g)),
    "stable": lambda g, s: not moving(g, s),
    "at rest": lambda g, s: not moving(g, s),
    "nobody can move": lambda g, s: not moving(g, s),
    "somebody can move": lambda g, s: bool(moving(g, s)),
    "exactly one enabled node": lambda g, s: len(moving(g, s)) == 1,
    "at least 2 nodes can move": lambda g, s: len(moving(g, s)) >= 2,
    "some in cannot move": lambda g, s: any(v not in moving(g, s) for v in nodes(s, "in")),
    "not exactly one in": lambda g, s: s.count("in") != 1,
    "no in or no out": lambda g, s: "in" not in s or "out" not in s,
    "no in and no out or some free": lambda g, s: ("in" not in s and "out" not in s) or "free" in s,
    "no in and (no out or some free)": lambda g, s: "in" not in s and ("out" not in s or "free" in s),
}


@pytest.mark.parametrize("text", MEANINGS)
@given(graph=plain_graphs(5), seed=SEEDS, few=st.booleans())
@settings(max_examples=25, deadline=None)
def test_words_mean_what_they_say(text, graph, seed, few):
    numbers = np.random.default_rng(seed).integers(0, 3 if few else len(NAMES), graph.num_nodes)
    names = [NAMES[number] for number in numbers]
    assert predicate(text, FSA)(graph, numbers.tolist()) is bool(MEANINGS[text](graph, names))
    assert predicate(text, FSA)(graph, names) is bool(MEANINGS[text](graph, names))


def test_words_without_an_automaton():
    assert predicate("exactly one leader")(families.path(3), ["lost", "leader", "lost"])
    assert not predicate("every lost node sees some leader")(families.path(3), {0: "leader", 1: "lost", 2: "lost"})
    assert predicate("no leader")(Graph.from_edges(0, []), [])
    with pytest.raises(GraphFSAError, match="who can move is known of an automaton"):
        predicate("stable")(families.path(2), ["a", "b"])
    with pytest.raises(StateError, match="states by number need an automaton"):
        predicate("no leader")(families.path(2), [0, 1])
    with pytest.raises(StateError, match="must be the name of the state of each of the 2 nodes"):
        predicate("no leader")(families.path(2), None)
    with pytest.raises(FormatError, match="a star stands for states of an automaton"):
        predicate("no lead*")


def test_functions_and_predicates():
    one = predicate(lambda graph, states: states.count("in") == 1, FSA)
    assert one(families.path(2), ["in", "out"])
    assert not one.condition.symmetric
    words = predicate("exactly one in", FSA)
    assert words.condition.symmetric
    assert predicate(words, FSA) is words
    assert str(words) == "exactly one in"
    assert predicate(predicate("some colour*", "colouring"), library.colouring(2)).fsa == library.colouring(2)
    with pytest.raises(GraphFSAError, match="inn"):
        words(families.path(2), ["in", "inn"])


@pytest.mark.parametrize("words", ["some node has at least 2 neighbours in il", "no two neighbours both in il"])
def test_a_misspelt_state_after_in_is_named(words):
    with pytest.raises(FormatError, match=r"must be one of 'well', 'ill', 'immune'; got 'il' \(did you mean 'ill'\?\)"):
        predicate(words, library.sir())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exactly one inn", "character 13: a state must be one of 'in', 'out', 'free', 'drew 1', 'drew 2'; got 'inn'"),
        ("exactly one inn", "did you mean 'in'?"),
        ("exactly", "character 8: expected a number; got the end"),
        ("exactly minus in", "character 9: expected a number; got 'minus'"),
        ("(stable", "character 8: expected ')'; got the end"),
        ("", "character 1: expected 'no', 'some'"),
        ("stable stable", "character 8: expected 'and', 'or' or the end; got 'stable'"),
        ("every node", "character 11: expected 'is', 'are', 'can move', 'has' or 'sees'; got the end"),
        ("every out", "expected 'is', 'are'"),
        ("some node", "expected 'is', 'are'"),
        ("no two neighbours", "expected 'alike' or 'both'"),
        ("some node is in, out,", "expected the name of a state"),
        ("no in or", "expected 'no', 'some'"),
        ('some "in', "character 6: quotes must be closed"),
        ('some "\\q"', "written as in JSON"),
        ("some in)", "character 8: expected 'and', 'or' or the end; got ')'"),
        ("some node is labelled right", "it must be every node that is labelled right"),
        ("labels of", "expected the name of a task"),
        ("some x*", "got 'x*'"),
        ("not " * 60 + "stable", "nested 50 deep"),
        ("stable and " * 600 + "stable", "1,000 words at most"),
        ("( " * 60 + "stable", "nested 50 deep"),
    ],
)
def test_what_is_not_understood(text, words):
    with pytest.raises(FormatError) as caught:
        predicate(text, FSA)
    assert words in str(caught.value)


def test_graphs_may_be_large():
    """What is kept of a graph grows with its arcs, not with the square of its nodes."""
    graph = families.path(200_000)
    states = ["even"] * 200_000
    for words in ("every node is even", "every even sees only even", "exactly one odd in each component"):
        said = predicate(words, library.distance())(graph, states)
        assert bool(said) == ("exactly" not in words)
