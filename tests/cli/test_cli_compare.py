import pytest

from graphfsa import Graph, GraphFSA, library
from graphfsa.engine.reference import reference_run
from graphfsa.graphs import GRAPH_CLASSES


def changed(fsa, state, value, successor):
    table = fsa.transition_table.copy()
    table[state, value] = successor
    return GraphFSA(
        fsa.state_names, fsa.aggregation, table, starting_states=fsa.starting_states, final_states=fsa.final_states
    )


@pytest.fixture
def wrong(tmp_path):
    """The distance automaton with one wrong entry: a node that sees only odd neighbours says odd."""
    fsa = library.distance()
    changed(fsa, fsa.index("node"), 2, fsa.index("odd")).save(tmp_path / "wrong.json")
    return tmp_path / "wrong.json"


def test_the_same_automaton_is_equivalent_on_all_graphs(cli):
    answer = cli("compare", "distance", "distance", "--json")
    assert answer.code == 0
    facts = answer.json
    seconds = facts.pop("seconds")
    assert seconds >= 0
    assert facts == {
        "equivalent": True,
        "by": "renaming",
        "checked": 0,
        "graph_class": "connected",
        "max_nodes": 8,
        "distinguishing_graph": None,
    }
    assert "yes, on all graphs" in cli("compare", "distance", "distance").out


def test_a_difference_is_shown_on_the_smallest_graph_and_is_real(cli, wrong):
    answer = cli("compare", "distance", wrong, "--max-nodes", 5, "--json")
    assert answer.code == 1
    facts = answer.json
    assert not facts["equivalent"]
    found = facts["distinguishing_graph"]
    assert found["num_nodes"] == 3
    graph = Graph.from_edges(found["num_nodes"], found["edges"])
    for path, answers in zip(("distance", wrong), found["answers"], strict=True):
        fsa = library.distance() if path == "distance" else GraphFSA.load(path)
        start = [fsa.starting_states[place] for place in found["inputs"]]
        last = reference_run(fsa, graph, start, found["steps"])[-1]
        assert [fsa.final_states.index(s) if s in fsa.final_states else None for s in last] == answers
    assert found["answers"][0] != found["answers"][1]


def test_a_difference_in_words(cli, wrong):
    answer = cli("compare", "distance", wrong)
    assert answer.code == 1
    for words in ("no, on graphs of the class connected", "root", "answers of A", "answers of B", "after steps", "0-1"):
        assert words in answer.out


def test_family_size_steps_and_where_answered(cli, wrong):
    on_two = cli("compare", "distance", wrong, "--family", "path", "--max-nodes", 2, "--json")
    assert (on_two.code, on_two.json["by"], on_two.json["checked"]) == (0, "exhaustive check", 2 + 4)
    assert "up to 2 nodes" in cli("compare", "distance", wrong, "--max-nodes", 2).out
    assert cli("compare", "distance", wrong, "--steps", 1, "--json").json["equivalent"]
    assert not cli("compare", "distance", wrong, "--steps", 9, "--where-answered", "--json").json["equivalent"]


def test_slots_are_given_with_the_graph(cli):
    found = cli("compare", "rule110", "rule46", "--family", "ring", "--json").json["distinguishing_graph"]
    graph = Graph.from_edges(found["num_nodes"], found["edges"], directed=found["directed"], slots=found["slots"])
    for name, answers in zip(("rule110", "rule46"), found["answers"], strict=True):
        fsa = library.library_automaton(name)
        assert reference_run(fsa, graph, found["inputs"], found["steps"])[-1] == answers


def test_every_graph_class_is_named_in_the_help(cli):
    text = cli("compare", "--help").out
    assert all(name in text for name in GRAPH_CLASSES)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["distance", "root-value"], "the same number of starting states; got 2 and 3"),
        (["distance", "life"], "the same number of final states; got 2 and 0"),
        (["distance", "nothing"], "unknown automaton 'nothing'"),
        (["distance", "distance", "--family", "forest"], "unknown graph class 'forest'"),
        (["rule1", "rule2"], "needs a graph with neighbour slots"),
        (["life", "hex-life", "--family", "path", "--max-nodes", "40"], "choose at most 22 nodes"),
        (["distance", "missing.json"], "missing.json"),
        (["distance", "distance", "--max-nodes", "0"], "max-nodes"),
        (["distance", "distance", "--steps", "-1"], "steps"),
        (["distance"], "Missing argument 'b'"),
    ],
)
def test_bad_input(cli, arguments, words):
    answer = cli("compare", *arguments)
    assert answer.code == 2
    assert words in answer.err
    assert "Traceback" not in answer.err
