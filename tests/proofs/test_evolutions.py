from itertools import islice

import numpy as np
import pytest

from graphfsa import GraphFSA, library, run
from graphfsa.aggregations import AverageThresholdAggregation, CountingAggregation, PositionalAggregation
from graphfsa.datasets import BriansBrain, Elementary, HexLife, Life, WireWorld
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError
from graphfsa.proofs._evolution_checker import check_evolution
from graphfsa.proofs._evolutions import prove_evolution
from stress import evolutions

DATASETS = [
    *(kind(torus=torus) for kind in (Life, HexLife, WireWorld, BriansBrain) for torus in (False, True)),
    *(Elementary(rule=rule, ring=ring) for rule in (42, 110) for ring in (False, True)),
]


@pytest.mark.parametrize("dataset", DATASETS, ids=repr)
def test_library_automata_follow_their_rules_on_all_boards(dataset):
    for spec in dataset.specifications():
        found = prove_evolution(dataset.automaton(), spec)
        assert found.proved
        assert found.reason.startswith(f"on every {spec.graph_class} the automaton follows")
        assert check_evolution(found.certificate, dataset.automaton(), spec).holds
        assert found.seconds < 1


def test_every_used_entry_of_life_matters():
    fsa, (all_boards, large) = library.life_like(), Life().specifications()
    refuted = {all_boards: 0, large: 0}
    for state in range(2):
        for value in range(fsa.num_values):
            other = fsa.with_entry(state, value, 1 - int(fsa.transition_table[state, value]))
            for spec in (all_boards, large):
                found = prove_evolution(other, spec)
                refuted[spec] += not found.proved
                # A torus of 3 x 3 has all neighbourhoods with 8 cells.
                assert found.proved or found.counterexample.graph.num_nodes <= 9
    # With sides of 3 or more, the dead and the living counted to 4 are at least 8 together, or one of them is 4.
    assert refuted[large] == 2 * 9
    assert refuted[all_boards] > refuted[large]


def test_the_counterexample_is_the_smallest_and_was_run():
    spec = Elementary(ring=True).specifications()[0]
    fsa = library.elementary(42)
    alone = fsa.with_entry("1", fsa.aggregation.encode([1, 1], [0, 1], 2), "1")
    found = prove_evolution(alone, spec).counterexample
    assert (found.graph.num_nodes, found.inputs, found.labels, found.predictions) == (1, ("1",), ("0",), ("1",))
    value = fsa.aggregation.encode([0, 1], [0, 1], 2)
    three = fsa.with_entry("0", value, 1 - int(fsa.transition_table[0, value]))
    found = prove_evolution(three, spec).counterexample
    assert found.graph.num_nodes == 3
    last = run(three, found.graph, list(found.inputs), 1).last
    assert tuple(three.state_names[state] for state in last) == found.predictions != found.labels


def test_more_states_do_no_harm_unless_they_are_reached():
    def move(state, counts):
        return state if state == "ghost" else library_move(state, counts)

    def library_move(state, counts):
        alive = counts["alive"]
        return "alive" if alive == 3 or (state == "alive" and alive == 2) else "dead"

    names = ["ghost", "alive", "dead"]
    spec = Life().specifications()[0]
    fsa = GraphFSA.from_rule(names, CountingAggregation(bound=4), move)
    found = prove_evolution(fsa, spec)
    assert found.proved
    assert check_evolution(found.certificate, fsa, spec).holds
    haunted = fsa.with_entry("dead", fsa.aggregation.encode([2] * 8, [], 3), "ghost")
    found = prove_evolution(haunted, spec)
    assert found.counterexample.predictions == (None,) * 6


def test_any_aggregation_will_do_if_it_sees_enough():
    # 3 of 8 neighbours are between the thresholds.
    fsa = GraphFSA(["dead", "alive"], AverageThresholdAggregation({1: (0.3, 0.4)}), [[0, 1, 0], [0, 1, 0]])
    found = prove_evolution(fsa, Life(rule="B3/S3").specifications()[1])
    assert found.proved
    assert not prove_evolution(fsa, Life(rule="B2/S2").specifications()[1]).proved


def test_automata_that_do_not_fit_are_refused():
    spec = Life().specifications()[0]
    slots = GraphFSA.from_rule(["dead", "alive"], PositionalAggregation(8), lambda state, _: state)
    with pytest.raises(AutomatonError, match="needs a graph with neighbour slots"):
        prove_evolution(slots, spec)
    with pytest.raises(GraphFSAError, match="no state of the automaton is called"):
        prove_evolution(library.wireworld(), spec)


@pytest.mark.parametrize("field", ["task", "graph_class", "specification", "automaton", "moves"])
def test_every_change_of_a_certificate_is_noticed(field):
    fsa, spec = library.life_like(), Life().specifications()[0]
    certificate = prove_evolution(fsa, spec).certificate
    other = certificate[field] + 1 if field == "moves" else "other"
    assert not check_evolution(certificate | {field: other}, fsa, spec).holds
    with pytest.raises(FormatError, match="is missing"):
        check_evolution({name: value for name, value in certificate.items() if name != field}, fsa, spec)


def test_a_certificate_of_another_automaton_is_refused_with_the_move():
    fsa, spec = library.life_like(), Life().specifications()[0]
    wrong = fsa.with_entry("dead", 4, "alive")
    certificate = prove_evolution(fsa, spec).certificate | {"automaton": wrong.digest}
    found = check_evolution(certificate, wrong, spec)
    assert not found.holds
    assert found.reason == (
        "a cell in state dead that sees ['dead', 'dead', 'dead', 'dead', 'dead'] must become dead; got alive"
    )


def test_proofs_agree_with_the_definitions(tmp_path):
    kinds = set(islice(evolutions.cases(np.random.default_rng(3), tmp_path), 60))
    assert {kind.split()[1] for kind in kinds} == {"proved", "refuted"}
