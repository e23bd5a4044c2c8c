"""Proofs about trees: what is proved is right, what is refuted is wrong, and the checker notices what is missing."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_tasks import DATASETS, every, mutants, padded, right_for_ever, statement

from graphfsa import AverageThresholdAggregation, CountingAggregation, GraphFSA, LettersAggregation, library, prove, run
from graphfsa.aggregations import Sum
from graphfsa.datasets import CustomTask, PathFinding, PrefixSum, TreeSpecification
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.graphs import Graph
from graphfsa.proofs import check_certificate, check_specification, save_proof, specification_of
from graphfsa.proofs._contracts import ContractProver, OpenCase, TreeProof, tree_certificate
from graphfsa.proofs._local import LocalAutomaton
from graphfsa.proofs._refuter import NotRefuted, Refuted, Refuter, tree_edges
from graphfsa.proofs.tree_checker import Rejected, check_tree_proof


@every
def test_library_automata_are_proved_and_checked(name, tmp_path):
    dataset = DATASETS[name]
    found = prove(dataset.automaton(), dataset)
    assert (found.verdict, found.method, found.graph_class) == ("proved", "contracts", dataset.graph_class)
    assert found.certificate["changes"] == 1
    save_proof(found, tmp_path / "c.json")
    check = check_certificate(tmp_path / "c.json", dataset.automaton())
    assert check.holds, check.reason
    assert "after at most n steps" in check.reason


@pytest.mark.parametrize("name", ["path-finding", "root-value"])
def test_states_that_never_occur_do_not_matter(name, tmp_path):
    fsa = padded(DATASETS[name].automaton())
    found = prove(fsa, DATASETS[name])
    assert found.proved
    assert check_tree_proof(found.certificate, fsa, statement(name)) > 0


@every
def test_the_checker_notices_every_fact_that_is_missing(name):
    fsa = DATASETS[name].automaton()
    whole = prove(fsa, DATASETS[name]).certificate
    number = 0
    for place, contract in enumerate(whole["rounds"][0]):
        for what in ("begins", "moves", "recurs"):
            for fact in range(len(contract[what])):
                copy = json.loads(json.dumps(whole))
                del copy["rounds"][0][place][what][fact]
                with pytest.raises(Rejected):
                    check_tree_proof(copy, fsa, statement(name))
                number += 1
    assert number > 40


def test_the_checker_notices_other_lies():
    fsa = library.path_finding()
    whole = prove(fsa, PathFinding()).certificate
    for change, words in [
        ({"cap": 1}, "cap and period must be 2 and 1; got 1 and 1"),
        ({"changes": 0}, "more than 0 times"),
    ]:
        with pytest.raises(Rejected, match=words):
            check_tree_proof({**whole, **change}, fsa, statement("path-finding"))
    for change in ({"rounds": []}, {"history": 0}, {"cap": "many"}, {"rounds": [[{}]]}, {"rounds": [[5]]}):
        with pytest.raises(FormatError):
            check_tree_proof({**whole, **change}, fsa, statement("path-finding"))
    for bad in ([[[0, 99]]], [[0, 1]], [5], [[[0, 0], [1, 1]]], [[["a", 0]]]):
        copy = json.loads(json.dumps(whole))
        copy["rounds"][0][0]["begins"] = bad
        with pytest.raises(FormatError, match="a place must be 1 to 1 pairs of states"):
            check_tree_proof(copy, fsa, statement("path-finding"))


def test_more_facts_than_needed_are_still_a_proof_or_leave_something_open():
    """Contracts may say too much, as long as they are closed: they never make a wrong automaton right."""
    fsa = library.path_finding()
    wrong = next(m for m in mutants("path-finding", 3, 200) if right_for_ever("path-finding", m, 5))
    whole = prove(fsa, PathFinding()).certificate
    everything = [[s, t] for s in range(4) for t in range(4)]
    for contract in whole["rounds"][0]:
        contract["begins"] = [[pair] for pair in everything]
        contract["recurs"] = [[pair] for pair in everything]
        contract["moves"] = [[[pair], other] for pair in everything for other in everything if pair != other]
    with pytest.raises(Rejected):
        check_tree_proof(whole, wrong, statement("path-finding"))


@every
def test_mutants_are_never_proved_if_they_are_wrong(name):
    verdicts = []
    for mutant in [*mutants(name, 1, 12), *mutants(name, 2, 6, changes=2)]:
        smallest = right_for_ever(name, mutant, 6)
        refuted = Refuter(LocalAutomaton(mutant, statement(name)), statement(name)).search(6, 10**6)
        assert (refuted.num_nodes if isinstance(refuted, Refuted) else None) == smallest
        found = prove(mutant, DATASETS[name], max_nodes=6)
        verdicts.append(found.verdict)
        if found.proved:
            assert smallest is None
            assert check_tree_proof(found.certificate, mutant, statement(name))
    # Trees on which a mutant of PathFinding is wrong may have ten nodes: benchmarks/mutants.py goes as far.
    assert {"proved", "refuted"} <= set(verdicts)
    assert verdicts.count("undecided") <= 2


@every
def test_wrong_automata_are_never_proved_straight_away(name):
    """Without the refuter before it."""
    for mutant in mutants(name, 4, 10):
        if right_for_ever(name, mutant, 6) is not None:
            automaton = LocalAutomaton(mutant, statement(name))
            assert isinstance(ContractProver(automaton, statement(name), 1, 10**6).prove(), OpenCase)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    name=st.sampled_from(["distance", "root-value", "path-finding"]),
    kind=st.sampled_from(["counting", "letters", "modulo"]),
)
def test_random_automata_are_never_proved_if_they_are_wrong(seed, name, kind):
    """Straight to the prover: tangled tables that nobody would learn, with two extra states."""
    rng = np.random.default_rng(seed)
    task = DATASETS[name].task
    names = task.state_names(1)
    number = len(names)
    if kind == "counting":
        aggregation = CountingAggregation(1)
    else:
        weights = tuple(rng.integers(0, 2, number).tolist())
        other = tuple(rng.integers(0, 3, number).tolist())
        first = Sum("modulo", 2, weights) if kind == "modulo" else Sum("count", 2, weights)
        aggregation = LettersAggregation((first, Sum("highest", 2, other)))
    table = rng.integers(0, number, (number, aggregation.num_values(number)))
    final = len(task.classes)
    table[:final] = np.arange(final)[:, None]
    starts = list(range(final, final + len(task.inputs)))
    fsa = GraphFSA(names, aggregation, table, starting_states=starts, final_states=list(range(final)))
    smallest = right_for_ever(name, fsa, 4)
    automaton = LocalAutomaton(fsa, statement(name))
    refuted = Refuter(automaton, statement(name)).search(4, 10**6)
    assert (refuted.num_nodes if isinstance(refuted, Refuted) else None) == smallest
    try:
        found = ContractProver(automaton, statement(name), 1, 50_000).prove()
    except LimitError:
        return
    assert isinstance(found, OpenCase) or smallest is None


def parity():
    """How many marks there are below, modulo 2: an automaton with a sum modulo 2, on rooted trees."""
    names = ["even", "odd", "plain", "marked", "root plain", "root marked"]

    class Parity(TreeSpecification):
        inputs = tuple(names[2:])
        classes = ("even", "odd")
        messages = ("root", "even", "odd")
        bounds = {"root": 2, "odd": 2, "even": 0}  # noqa: RUF012

        def send(self, given, counts):
            if counts["root"] + ("root" in given) > 1 or counts["odd"] > 1:
                return None
            if counts["root"] or "root" in given:
                return "root"
            return "odd" if (counts["odd"] + ("marked" in given)) % 2 else "even"

        def label(self, given, counts):
            if counts["root"] + ("root" in given) != 1 or counts["odd"] > 1:
                return None
            return "odd" if (counts["odd"] + ("marked" in given)) % 2 else "even"

    waits = (0, 0, 1, 1, 1, 1)
    aggregation = LettersAggregation((Sum("modulo", 2, (0, 1, 0, 0, 0, 0)), Sum("count", 2, waits)))

    def rule(state, seen):
        odd, waiting = aggregation.digits(seen, 6)
        if state in ("even", "odd") or waiting > (0 if "root" in state else 1):
            return state
        return "odd" if (odd + ("marked" in state)) % 2 else "even"

    table = [[names.index(rule(name, value)) for value in range(aggregation.num_values(6))] for name in names]
    return GraphFSA(names, aggregation, table, starting_states=names[2:], final_states=names[:2]), Parity()


def test_letters_with_a_sum_modulo_two():
    fsa, spec = parity()
    assert prove(fsa, spec=spec).proved
    automaton = LocalAutomaton(fsa, spec.table)
    found = ContractProver(automaton, spec.table, 1, 10**6).prove()
    assert isinstance(found, TreeProof)
    facts = tree_certificate(found, automaton)
    assert facts["period"] == 2
    assert check_tree_proof(facts, fsa, spec.table)
    assert not isinstance(Refuter(LocalAutomaton(fsa, spec.table), spec.table).search(5, 10**6), Refuted)


def test_a_refuted_automaton_has_a_smallest_tree_that_the_engine_finds_wrong():
    for wrong in [m for m in mutants("path-finding", 7, 8) if right_for_ever("path-finding", m, 6)][:3]:
        found = prove(wrong, PathFinding())
        assert found.verdict == "refuted"
        example = found.counterexample
        assert example.graph.num_nodes == right_for_ever("path-finding", wrong, 6) == found.checked_nodes + 1
        assert example.labels != example.predictions
        last = run(wrong, example.graph, list(found.starting_states(wrong)), example.steps).last
        named = [wrong.state_names[state] for state in last]
        assert [name if name in ("on", "off") else None for name in named] == list(example.predictions)


def test_the_refuter_goes_on_from_where_it_was_and_says_why_it_ends():
    automaton = LocalAutomaton(library.path_finding(), statement("path-finding"))
    refuter = Refuter(automaton, statement("path-finding"))
    assert refuter.search(5, 10**6) == NotRefuted(5, "all trees up to 5 nodes are right")
    assert refuter.search(7, 10**6).num_nodes == 7
    stopped = Refuter(automaton, statement("path-finding")).search(12, 5000)
    assert stopped.num_nodes < 12
    assert "too many ways" in stopped.reason


def test_edges_of_a_tree():
    assert tree_edges((1, ((0, ()), (0, ((1, ()),))))) == ([1, 0, 0, 1], [(0, 1), (0, 2), (2, 3)])


# ---- bad input


class NearMark(CustomTask):
    """Without a specification."""

    inputs, classes, graphs = ("node", "marked"), ("off", "on"), "tree"

    def label(self, graph, inputs):
        return ["on" if name == "marked" else "off" for name in inputs]


class Wrong(TreeSpecification):
    """Says that nobody lies on the path."""

    inputs = ("node", "marked")
    classes = ("off", "on")
    messages = (0, 1, 2)
    bounds = {0: 0, 1: 3, 2: 2}  # noqa: RUF012

    def send(self, given, counts):
        total = (given == "marked") + counts[1] + 2 * counts[2]
        return total if total <= 2 else None

    def label(self, given, counts):
        return None if (given == "marked") + counts[1] + 2 * counts[2] != 2 else "off"


def test_a_specification_that_disagrees_with_the_data_set_is_refused():
    words = "on the graph with edges 0-1 and inputs 0: marked, 1: marked it says off, off, and path-finding on, on"
    with pytest.raises(GraphFSAError, match=words):
        check_specification(Wrong(), PathFinding())
    with pytest.raises(GraphFSAError, match="must have the inputs and classes of prefix-sum"):
        check_specification(Wrong(), PrefixSum())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label": lambda *_: None}, "must admit some instance; it admits none of"),
        ({"send": lambda *_: 7}, r"send\('node', \{0: 0, 1: 0, 2: 0\}\) must be one of 0, 1, 2 or None; got 7"),
        ({"send": lambda *_: 1 / 0}, "failed: ZeroDivisionError"),
        ({"messages": ()}, "messages must be distinct strings or integers, at least one"),
        ({"inputs": "node"}, "inputs must be distinct names"),
        ({"bounds": {9: 1}}, "9 is none of"),
        ({"bounds": {0: -1}}, "the bound of 0 must be an integer from 0 to 255; got -1"),
        ({"max_degree": 0}, "max_degree must be an integer from 1 to 65536; got 0"),
        ({"bounds": {0: 60, 1: 60, 2: 60}}, "surroundings of a node apart"),
    ],
)
def test_bad_specifications(changes, words):
    kind = type("Bad", (Wrong,), changes)
    with pytest.raises(GraphFSAError, match=words):
        check_specification(kind())


def test_what_can_not_be_proved_is_said():
    with pytest.raises(GraphFSAError, match="has no specification"):
        prove("path-finding", NearMark())
    with pytest.raises(GraphFSAError, match="path-finding has the classes off, on"):
        prove("distance", PathFinding())
    names = ["off", "on", "node", "marked"]
    average = AverageThresholdAggregation()
    stay = np.tile(np.arange(4)[:, None], (1, average.num_values(4)))
    fsa = GraphFSA(names, average, stay, starting_states=names[2:], final_states=names[:2])
    with pytest.raises(GraphFSAError, match="what one more neighbour makes of them"):
        prove(fsa, PathFinding())
    many = GraphFSA(
        names, CountingAggregation(12), np.tile(np.arange(4)[:, None], (1, 13**4)),
        starting_states=names[2:], final_states=names[:2],
    )  # fmt: skip
    with pytest.raises(LimitError, match="a proof looks at no more than"):
        prove(many, PathFinding())


def test_certificates_of_another_automaton_or_task(tmp_path):
    found = prove("path-finding", PathFinding())
    save_proof(found, tmp_path / "c.json")
    other = padded(library.path_finding())
    assert "another automaton" in check_certificate(tmp_path / "c.json", other).reason
    data = json.loads((tmp_path / "c.json").read_text())
    for change, words in [
        ({"digest": "0" * 64}, "no specification with the digest"),
        ({"source": {"task": "nothing"}}, "unknown data set"),
        ({"source": {"spec": "mine.py:Spec"}}, r"spec must be given.*mine.py:Spec"),
        ({"method": "magic"}, "method"),
    ]:
        (tmp_path / "d.json").write_text(json.dumps(data | change))
        with pytest.raises(GraphFSAError, match=words):
            check_certificate(tmp_path / "d.json", "path-finding")
    with pytest.raises(GraphFSAError, match="only what is proved can be certified"):
        save_proof(replace(found, verdict="undecided", certificate=None), tmp_path / "e.json")


def test_labels_of_a_specification_are_about_trees():
    spec = specification_of(PathFinding())
    assert spec.labels(Graph.from_edges(3, [(0, 1), (1, 2)]), ["marked", "node", "marked"]) == ["on"] * 3
    assert spec.labels(Graph.from_edges(2, [(0, 1)]), ["node", "node"]) is None
    for edges, size in (([(0, 1), (1, 2), (2, 0)], 3), ([(0, 1)], 3), ([], 0)):
        with pytest.raises(GraphFSAError, match="is about trees"):
            spec.labels(Graph.from_edges(size, edges), ["node"] * size)


def test_facts_about_states_that_no_node_can_be_in_do_no_harm():
    text = str(library.root_value().rules()).replace("states: ", "states: spare, ", 1) + "\n\nspare stays\n"
    wide = GraphFSA.from_rules(text)
    proof = prove(wide, "root-value")
    facts, spare = proof.certificate, wide.index("spare")
    contract = facts["rounds"][0][0]
    contract["begins"].append([[spare, contract["begins"][0][0][1]]])
    assert check_tree_proof(facts, wide, proof.statement.table)
