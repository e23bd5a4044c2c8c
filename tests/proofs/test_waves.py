import json
from itertools import islice

import numpy as np
import pytest

from graphfsa import Graph, GraphFSA, library, run
from graphfsa.aggregations import AverageThresholdAggregation, CountingAggregation, PositionalAggregation
from graphfsa.datasets import Distance
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.proofs import _wave_search
from graphfsa.proofs._wave_model import Window
from graphfsa.proofs._waves import closed_sets, prove_waves
from stress import waves
from stress._wave_tasks import TRUE, Modulo, Nearest, RootBit, counter, nearest


@pytest.mark.parametrize("name", TRUE)
def test_what_is_right_is_proved_in_time(name):
    fsa, spec = TRUE[name]
    found = prove_waves(fsa, spec)
    assert found.proved, found.reason
    assert found.lag == (4 if "late" in name else 1)
    assert len(json.dumps(found.certificate)) < (4000 if "step" in name else 1300)
    assert found.seconds < 1


def test_the_theorem_is_said_in_words():
    found = prove_waves(library.distance(), Distance().specifications()[0])
    assert found.reason == (
        "on every connected graph that is an instance of distance, every node has its class from step d + 1 on, where "
        "d is its distance from the nearest source"
    )
    assert prove_waves(*TRUE["reached"]).reason.endswith("; a node that no source reaches never answers")


def test_a_wrong_automaton_is_not_proved_and_the_reason_says_where():
    fsa = library.distance().with_entry("node", 1, "even")
    found = prove_waves(fsa, Distance().specifications()[0])
    assert (found.verdict, found.lag, found.certificate) == ("undecided", None, None)
    assert "a node with input node at distance 1 from the nearest source" in found.reason
    assert "whose class is odd, is in state even 24 or more steps after" in found.reason


def test_an_answer_of_a_node_that_nobody_reaches_is_named():
    fsa, spec = TRUE["reached"]
    found = prove_waves(fsa.with_entry("node", 0, "yes"), spec)
    assert found.reason == "a node with input node that no source reaches may answer yes"


def test_waves_that_slow_down_stay_undecided():
    def move(state, counts):
        following = {"root": "even", "to odd": "odd", "to even": "even"}
        if state in following:
            return following[state]
        seen = [name for name in ("even", "odd") if state == "node" and counts[name]]
        return {"even": "to odd", "odd": "to even"}[seen[0]] if seen else state

    names = ["even", "odd", "node", "root", "to odd", "to even"]
    slow = GraphFSA.from_rule(
        names, CountingAggregation(bound=1), move, starting_states=names[2:4], final_states=names[:2]
    )
    assert prove_waves(slow, Distance().specifications()[0]).verdict == "undecided"


def test_one_source_has_one_input():
    # The wave of root0 is a step earlier than that of root1; they never meet.
    early = library.root_value()
    for value in range(early.num_values):
        seen = early.aggregation.digits(value, early.num_states)
        if seen[3] and not seen[0] and not seen[1]:
            early = early.with_entry("node", value, "0")
    assert prove_waves(early, RootBit()).proved
    assert prove_waves(early, RootBit("directed")).proved


def test_in_directed_graphs_nodes_far_ahead_are_seen():
    # The root waits until it sees somebody at distance 2.
    fsa, spec = counter(3), Modulo(3, "directed")
    weights = {name: 2**place for place, name in enumerate(fsa.state_names)}
    table = fsa.transition_table.copy()
    for value in range(fsa.num_values):
        table[fsa.index("root"), value] = fsa.index("d0" if value & weights["d2"] else "root")
        if value & weights["root"]:
            table[fsa.index("node"), value] = fsa.index("d1")
    fsa = GraphFSA(fsa.state_names, fsa.aggregation, table, starting_states=("node", "root"), final_states=range(3))
    ring = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True)
    assert run(fsa, ring, ["root", "node", "node"], 4).last.tolist() == [0, 1, 2]
    rows = closed_sets(fsa, spec, Window(1, 1, 4))[1]
    assert rows[0, 1, 0, False, False][-1] == {fsa.index("root"), fsa.index("d0")}


def test_states_are_matched_by_their_names():
    fsa = library.distance()
    order = [3, 1, 0, 2]
    names = [fsa.state_names[state] for state in order]

    def move(state, counts):
        value = sum(min(counts[name], 1) << place for place, name in enumerate(fsa.state_names))
        return fsa.state_names[fsa.transition_table[fsa.index(state), value]]

    turned = GraphFSA.from_rule(
        names, fsa.aggregation, move, starting_states=["root", "node"], final_states=["odd", "even"]
    )
    assert prove_waves(turned, Distance().specifications()[0]).proved
    with pytest.raises(GraphFSAError, match="no final state of the automaton is called"):
        prove_waves(fsa, Modulo(2))


def test_aggregations_that_do_not_fit_are_refused_with_the_reason():
    spec = Distance().specifications()[0]
    stays = {"starting_states": ["node", "root"], "final_states": ["even", "odd"]}
    names = ["even", "odd", "node", "root"]
    thresholds = GraphFSA.from_rule(names, AverageThresholdAggregation(), lambda state, _: state, **stays)
    assert "does not say what it becomes with one more neighbour" in prove_waves(thresholds, spec).reason
    slots = GraphFSA.from_rule(names, PositionalAggregation(), lambda state, _: state, **stays)
    assert "positional aggregation tells them apart" in prove_waves(slots, spec).reason


def test_too_much_is_refused_before_it_is_done(monkeypatch):
    with pytest.raises(LimitError, match="use a smaller period or fewer colours"):
        prove_waves(counter(2), Modulo(2), windows=[Window(1, 1, 10**5)])
    monkeypatch.setattr(_wave_search, "MAX_NEIGHBOURHOODS", 10)
    with pytest.raises(LimitError, match="no more than 10 neighbourhoods"):
        prove_waves(nearest(), Nearest())


def test_what_blew_up_later_is_said():
    wrong = library.distance().with_entry("node", 1, "even")
    spec = Distance().specifications()[0]
    found = prove_waves(wrong, spec, windows=[Window(1, 1, 2), Window(1, 1, 10**5)])
    assert "is in state even 2 or more steps after" in found.reason
    assert "; with more told apart, distance has" in found.reason


def test_proofs_agree_with_brute_force(tmp_path):
    kinds = list(islice(waves.cases(np.random.default_rng(7), tmp_path), 60))
    assert {"mutant proved", "mutant refuted", "sets"} <= set(kinds)
