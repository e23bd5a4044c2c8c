"""The player of a refutation shows the graph, what is wrong on it, and begins there."""

import pytest

from graphfsa import Graph, families, library, prove
from graphfsa.automaton.rules import StateNames, plain_name, sight_words
from graphfsa.learners import as_model
from graphfsa.views import rollout, wrong_rollout
from tests.views.test_rollout import unpacked


@pytest.fixture
def hasty():
    """Marked nodes answer at once, and that is no answer of theirs."""
    fsa = library.path_finding()
    for value in range(fsa.num_values):
        fsa = fsa.with_entry("marked", value, "off")
    return fsa


def test_a_counterexample_is_drawn_node_by_node_with_what_is_right(hasty, tmp_path):
    found = prove(hasty, "path-finding")
    wrong = found.counterexample
    shown = wrong_rollout(hasty, found.starting_states(hasty), wrong, title="wrong", out=tmp_path / "x.html")
    page = unpacked(tmp_path / "x.html")
    assert page["kind"] == "graph" == shown.layout.kind
    known = page["example"]
    assert known["inputs"] == list(wrong.inputs)
    assert known["labels"] == list(wrong.labels)
    assert known["answers"] == list(wrong.predictions)
    answers = zip(wrong.labels, wrong.predictions, strict=True)
    assert known["wrong"] == [node for node, (label, answer) in enumerate(answers) if label not in (None, answer)]
    assert known["wrong"]
    assert known["step"] == wrong.steps in page["times"]
    at = page["times"].index(wrong.steps)
    states = [page["states"][page["entry_state"][entry]] for entry in page["used"][at]]
    task = as_model(hasty).task
    answers = [state if state in task.classes else None for state in states]
    assert answers == list(wrong.predictions)


def test_a_path_is_a_row_unless_nodes_are_asked_about(hasty):
    found = prove(hasty, "path-finding")
    shown = wrong_rollout(hasty, found.starting_states(hasty), found.counterexample)
    assert rollout("distance", families.path(5), "root:0").kind == "line"
    assert shown.kind == "graph"


@pytest.mark.parametrize(
    ("graph", "edges"),
    [(families.star(5), 4), (Graph.from_edges(3, [(0, 1), (1, 1), (1, 2)]), 3), (families.path(2), 1)],
)
def test_edges_are_counted_once(graph, edges, tmp_path):
    rollout("distance", graph, "root:0", out=tmp_path / "x.html")
    page = unpacked(tmp_path / "x.html")
    assert page["edges"] == edges
    assert page["example"] is None


def test_what_a_node_sees_in_words():
    def words(name):
        fsa = library.library_automaton(name)
        return sight_words(fsa.aggregation, StateNames(fsa.state_names, plain_name))

    assert words("life") == "the number of neighbours in each state, up to 4"
    assert words("distance") == "which states neighbours are in"
    assert words("rule30") == "the state of the neighbour in each of 2 slots"
