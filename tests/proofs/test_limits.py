"""What a certificate has no room for, and edited certificates that would keep a checker busy."""

import json
from dataclasses import replace
from importlib import import_module
from time import process_time

import pytest
from tree_tasks import DATASETS, statement

from graphfsa import GraphFSA, LettersAggregation, TreeSpecification, library, prove
from graphfsa.aggregations import Sum
from graphfsa.analysis.certificates import Check
from graphfsa.errors import FormatError, LimitError
from graphfsa.proofs import check_certificate, check_proof, save_proof
from graphfsa.proofs._local import LocalAutomaton
from graphfsa.proofs._views import ViewProver, view_certificate
from graphfsa.proofs.tree_checker import Rejected, check_tree_proof
from graphfsa.proofs.view_checker import check_view_proof


class Done(TreeSpecification):
    inputs, classes, messages = ("a",), ("done",), ("m",)

    def send(self, given, counts):
        return "m"

    def label(self, given, counts):
        return "done"


def done(*moduli):
    """Every node is right after one step, and what it sees is counted modulo these numbers."""
    aggregation = LettersAggregation(tuple(Sum("modulo", number, (1, 1)) for number in moduli))
    table = [[1] * aggregation.num_values(2)] * 2
    return GraphFSA(["a", "done"], aggregation, table, starting_states=["a"], final_states=["done"])


def test_a_state_that_never_occurs_may_be_counted_in_another_way():
    aggregation = LettersAggregation((Sum("modulo", 2, (0, 0, 1)),))
    table = [[1, 1], [1, 1], [2, 2]]
    fsa = GraphFSA(["a", "done", "never"], aggregation, table, starting_states=["a"], final_states=["done"])
    found = prove(fsa, spec=Done)
    assert (found.verdict, found.certificate["period"]) == ("proved", 1)
    assert check_proof(found, fsa).holds


@pytest.mark.parametrize("moduli", [(16, 17), (127, 128)])
def test_counts_that_no_certificate_has_room_for_are_proved_by_views(moduli):
    fsa = done(*moduli)
    with pytest.raises(LimitError, match=f"modulo {moduli[0] * moduli[1]:,}; contracts need both to be at most 255"):
        _ = LocalAutomaton(fsa, Done().table).period
    if moduli == (16, 17):  # The larger one takes some seconds.
        found = prove(fsa, spec=Done)
        assert (found.verdict, found.method) == ("proved", "views")
        assert check_proof(found, fsa).holds


def test_values_of_thousands_of_neighbours_are_added():
    automaton = LocalAutomaton(done(127, 128), Done().table)
    value = automaton.times(0, 5000)
    assert automaton.plus(value, value) == automaton.times(0, 10_000)
    assert automaton.plus(value, automaton.empty) == automaton.plus(automaton.empty, value) == value


def test_what_the_checker_refuses_is_not_proved(monkeypatch):
    monkeypatch.setattr(
        import_module("graphfsa.proofs.prove"), "check_facts", lambda *_: Check(False, "a beginning is missing")
    )
    for name in ("path-finding", "distance", "life"):
        found = prove(name, name)
        assert (found.verdict, found.certificate, found.method) == ("undecided", None, None)
        assert "the checker refused it: a beginning is missing" in found.reason


@pytest.mark.parametrize("change", [{"cap": 255}, {"period": 2}, {"cap": 255, "period": 255}])
def test_cap_and_period_are_the_smallest(change):
    found = prove("path-finding")
    began = process_time()
    with pytest.raises(Rejected, match="cap and period must be 2 and 1; got"):
        check_tree_proof({**found.certificate, **change}, library.path_finding(), statement("path-finding"))
    assert process_time() - began < 2


def test_the_work_of_the_checker_is_limited(monkeypatch):
    monkeypatch.setattr("graphfsa.proofs.tree_checker._MOST", 100)
    found = prove("path-finding")
    assert found.verdict == "undecided"
    assert "the checker refused it: there are more than 100 ways in which nodes" in found.reason


def test_a_level_of_a_trillion_is_no_work():
    fsa, table = DATASETS["distance"].automaton(), statement("distance")
    facts = view_certificate(ViewProver(LocalAutomaton(fsa, table), table, 1, 10**6).prove())
    began = process_time()
    assert check_view_proof({**facts, "changes": 10**12}, fsa, table)
    assert process_time() - began < 5


@pytest.mark.parametrize(
    ("field", "value"),
    [("claim", "on every graph whatever it is right"), ("specification", "other"), ("graph_class", "connected")],
)
def test_what_the_head_of_a_certificate_says_follows_from_the_specification(field, value, tmp_path):
    save_proof(prove("prefix-sum"), tmp_path / "c.json")
    said = json.loads((tmp_path / "c.json").read_text())
    (tmp_path / "c.json").write_text(json.dumps({**said, field: value}))
    check = check_certificate(tmp_path / "c.json", "prefix-sum")
    assert not check.holds
    assert check.reason.startswith(f"{field} must be ")


def test_a_method_that_does_not_fit_is_named():
    found = prove("prefix-sum")
    with pytest.raises(FormatError, match="method: a certificate by views has no field 'cap'"):
        check_proof(replace(found, method="views"), "prefix-sum")
    assert check_proof(replace(found, method="waves"), "prefix-sum").reason.startswith("method must be contracts or")
