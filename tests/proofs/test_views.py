"""Proofs by views: what is proved is right, and the checker notices whatever is missing or changed."""

import json
from importlib import import_module
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_tasks import DATASETS, every, mutants, right_for_ever, statement

from graphfsa import CountingAggregation, GraphFSA, LettersAggregation, prove
from graphfsa.aggregations import Sum
from graphfsa.errors import FormatError, LimitError
from graphfsa.proofs import check_certificate, explain, save_proof
from graphfsa.proofs._contract_words import senders
from graphfsa.proofs._local import LocalAutomaton
from graphfsa.proofs._view_words import view_points
from graphfsa.proofs._views import StuckCase, ViewProof, ViewProver, view_certificate
from graphfsa.proofs.tree_checker import Rejected
from graphfsa.proofs.view_checker import check_view_proof


def by_views(name, fsa, history=1, limit=10**6):
    return ViewProver(LocalAutomaton(fsa, statement(name)), statement(name), history, limit).prove()


def certificate(name, history=1):
    found = by_views(name, DATASETS[name].automaton(), history)
    assert isinstance(found, ViewProof)
    return json.loads(json.dumps(view_certificate(found)))


@every
@pytest.mark.parametrize("history", [1, 2])
def test_library_automata_are_proved(name, history):
    facts = certificate(name, history)
    assert facts["changes"] >= 1
    assert check_view_proof(facts, DATASETS[name].automaton(), statement(name)) > 0


@every
def test_the_checker_notices_every_fact_that_is_missing(name):
    whole, fsa = certificate(name), DATASETS[name].automaton()
    for what in ("views", "levels"):
        for number in range(len(whole[what])):
            facts = {**whole, what: whole[what][:number] + whole[what][number + 1 :]}
            with pytest.raises(Rejected):
                check_view_proof(facts, fsa, statement(name))


@every
def test_the_checker_notices_levels_that_are_too_high_or_too_low(name):
    """A level may be raised as long as no step rises to it, but never by so much, and never above the bound."""
    whole, fsa = certificate(name), DATASETS[name].automaton()
    for number, (*end, level) in enumerate(whole["levels"]):
        for other in (level + whole["changes"] + 1, -1):
            facts = {**whole, "levels": [*whole["levels"]]}
            facts["levels"][number] = [*end, other]
            with pytest.raises(Rejected):
                check_view_proof(facts, fsa, statement(name))
    flat = [[*end, 0] for *end, _ in whole["levels"]]
    with pytest.raises(Rejected, match=r"come to rest|circles"):
        check_view_proof({**whole, "levels": flat}, fsa, statement(name))
    with pytest.raises(Rejected, match="above 0"):
        check_view_proof({**whole, "changes": 0}, fsa, statement(name))


@every
def test_the_certificate_of_one_automaton_does_not_prove_a_wrong_one(name):
    """Even if all possible views are added, and any levels."""
    whole, table = certificate(name), statement(name)
    for mutant in mutants(name, 5, 8):
        if right_for_ever(name, mutant, 5) is None:
            continue
        with pytest.raises(Rejected):
            check_view_proof(whole, mutant, table)
        ends = [
            [x, y, [s]]
            for x, y, s in product(range(len(table.inputs)), range(len(table.classes)), range(mutant.num_states))
        ]
        messages = range(len(table.messages))
        views = [[a, b, one, two] for a in messages for b in messages for one in ends for two in ends]
        for order in (1, -1):
            ranks = [*range(mutant.num_states)][::order]
            facts = {
                "history": 1,
                "changes": mutant.num_states,
                "views": views,
                "levels": [[*end, ranks[end[2][0]]] for end in ends],
            }
            with pytest.raises(Rejected):
                check_view_proof(facts, mutant, table)


@every
def test_wrong_mutants_are_never_proved(name):
    outcomes = set()
    for mutant in [*mutants(name, 6, 12), *mutants(name, 7, 8, changes=2)]:
        smallest = right_for_ever(name, mutant, 6)
        for history in (1, 2):
            found = by_views(name, mutant, history)
            outcomes.add(type(found))
            if isinstance(found, ViewProof):
                assert smallest is None
                assert check_view_proof(view_certificate(found), mutant, statement(name))
    assert StuckCase in outcomes


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    name=st.sampled_from(["distance", "root-value", "path-finding"]),
    kind=st.sampled_from(["counting", "letters", "modulo"]),
    history=st.integers(1, 2),
)
def test_random_automata_are_never_proved_if_they_are_wrong(seed, name, kind, history):
    """Half of the table is that of a right automaton, padded by a state; the rest is drawn."""
    rng = np.random.default_rng(seed)
    task = DATASETS[name].task
    names = task.state_names(1)
    number, final = len(names), len(task.classes)
    if kind == "counting":
        aggregation = CountingAggregation(1)
    else:
        first = Sum("modulo" if kind == "modulo" else "count", 2, tuple(rng.integers(0, 2, number).tolist()))
        aggregation = LettersAggregation((first, Sum("highest", 2, tuple(rng.integers(0, 3, number).tolist()))))
    table = rng.integers(0, number, (number, aggregation.num_values(number)))
    table[:final] = np.arange(final)[:, None]
    starts = list(range(final, final + len(task.inputs)))
    fsa = GraphFSA(names, aggregation, table, starting_states=starts, final_states=list(range(final)))
    found = by_views(name, fsa, history)
    if isinstance(found, ViewProof):
        assert right_for_ever(name, fsa, 5) is None
        assert check_view_proof(view_certificate(found), fsa, statement(name))


def test_they_prove_what_contracts_do_not_and_the_file_can_be_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("graphfsa.proofs._trees"), "_FEW_STEPS", 1)
    found = prove("path-finding")
    assert (found.verdict, found.method, found.steps) == (
        "proved",
        "views",
        "after at most n steps, where n is the number of nodes",
    )
    save_proof(found, tmp_path / "c.json")
    check = check_certificate(tmp_path / "c.json", "path-finding")
    assert check.holds
    assert "views checked" in check.reason
    data = json.loads((tmp_path / "c.json").read_text())
    (tmp_path / "d.json").write_text(json.dumps(data | {"method": "waves"}))
    check = check_certificate(tmp_path / "d.json", "path-finding")
    assert (check.holds, check.reason) == (
        False,
        "method must be contracts or views in a proof about trees; got 'waves'",
    )
    (tmp_path / "e.json").write_text(json.dumps(data | {"method": "contracts"}))
    with pytest.raises(FormatError):
        check_certificate(tmp_path / "e.json", "path-finding")


def test_they_have_limits():
    with pytest.raises(LimitError, match="too many ways to look at"):
        by_views("path-finding", DATASETS["path-finding"].automaton(), limit=100)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"views": [5]}, r"views\[0\] must be two messages and two ends"),
        ({"views": [[0, 99, [0, 0, [0]], [0, 0, [0]]]]}, "messages must be below 3"),
        ({"views": [[0, 0, [0, 0, []], [0, 0, [0]]]]}, "an end must be an input, a class and 1 to 1 states"),
        ({"views": [[0, 0, [0, 0, [77]], [0, 0, [0]]]]}, "an end must be an input"),
        ({"levels": [[0, 0, [0]]]}, r"levels\[0\] must be an end and a level"),
        ({"levels": [[0, 0, [True], 1]]}, "an end must be an input"),
        ({"changes": None}, "changes"),
        ({"history": 0}, "history"),
    ],
)
def test_certificates_that_are_no_certificates(change, words):
    facts = {**certificate("path-finding"), **change}
    with pytest.raises(FormatError, match=words):
        check_view_proof(facts, DATASETS["path-finding"].automaton(), statement("path-finding"))


def test_views_in_words(monkeypatch):
    monkeypatch.setattr(import_module("graphfsa.proofs._trees"), "_FEW_STEPS", 1)
    found = prove("path-finding")
    parts = explain(found, "path-finding")
    assert any("on 2 levels" in part.text for part in parts)
    messages = [str(message) for message in found.statement.table.messages]
    heads = {senders([(a, b)], messages) for a, b, _, _ in found.certificate["views"]}
    points = "\n".join(point for part in parts for point in part.points)
    assert all(word in points for head in heads for word in head.split(" and ")[0].split()[1:])
    facts = {"views": [[0, 1, [0, 0, [0]], [0, 0, [1]]], [0, 1, [0, 0, [2]], [0, 0, [1]]]]}
    assert view_points(facts, ["a", "b", "c"], ["x", "y"]) == [
        "A neighbour that sends `x` and receives `y` is in `a` or `c`.",
        "A neighbour that sends `y` and receives `x` is in `b`.",
    ]
