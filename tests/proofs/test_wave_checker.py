import ast
import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import graphfsa.proofs._evolution_checker
import graphfsa.proofs._wave_checker
from graphfsa import GraphFSA, library
from graphfsa.aggregations import AverageThresholdAggregation, PositionalAggregation
from graphfsa.errors import FormatError, LimitError
from graphfsa.proofs import _wave_checker
from graphfsa.proofs._wave_checker import check_waves
from graphfsa.proofs._wave_model import UNREACHED, Group, WaveModel, Window
from graphfsa.proofs._wave_refuter import refute_connected
from graphfsa.proofs._wave_search import WaveSearch
from graphfsa.proofs._waves import prove_waves
from stress._wave_draws import mutated
from stress._wave_tasks import TRUE, Modulo, Nearest, Reached, counter, misled_by_nobody, misled_from_afar

CERTIFICATES = {name: prove_waves(*pair).certificate for name, pair in TRUE.items()}
SOME = [
    "distance",
    "distance, in step",
    "modulo 3, letters",
    "nearest, ties",
    "root bit",
    "from leaves",
    "nearest on paths",
    "reached",
]


def holds(certificate, name):
    try:
        return check_waves(certificate, *TRUE[name]).holds
    except FormatError:
        return False


@pytest.mark.parametrize("module", [graphfsa.proofs._wave_checker, graphfsa.proofs._evolution_checker])
def test_the_checkers_share_no_code_with_the_provers(module):
    path = Path(module.__file__)
    tree = ast.parse(path.read_text())
    names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in names if "proofs" in name or "search" in name]
    assert len(path.read_text().splitlines()) <= 300


@pytest.mark.parametrize("name", TRUE)
def test_proofs_hold(name):
    found = check_waves(CERTIFICATES[name], *TRUE[name])
    assert found.holds, found.reason
    assert "every node is in the state of its class from step d +" in found.reason


@pytest.mark.parametrize("name", SOME)
def test_every_state_and_row_that_is_missing_is_noticed(name):
    certificate = CERTIFICATES[name]
    for place, row in enumerate(certificate["sets"]):
        without = copy.deepcopy(certificate)
        del without["sets"][place]
        assert not holds(without, name)
        for clock, states in enumerate(row[-1]):
            for state in states:
                damaged = copy.deepcopy(certificate)
                damaged["sets"][place][-1][clock].remove(state)
                assert not holds(damaged, name), (place, clock, state)


@pytest.mark.parametrize("name", SOME)
def test_every_number_that_is_changed_is_noticed(name):
    certificate, after = CERTIFICATES[name], CERTIFICATES[name]["after"]
    for more in (-1, 1):
        for field in ("near", "before", "after", "early", "cycle", "lag"):
            # To claim the answer a step later is to claim less.
            weaker = field == "lag" and certificate["lag"] < certificate["lag"] + more <= after
            assert holds(certificate | {field: certificate[field] + more}, name) == weaker, (field, more)
        for place, row in enumerate(certificate["sets"]):
            for column in range(6):
                damaged = copy.deepcopy(certificate)
                damaged["sets"][place][column] += more
                assert not holds(damaged, name), (place, column)
            for clock, states in enumerate(row[-1]):
                for number in range(len(states)):
                    damaged = copy.deepcopy(certificate)
                    damaged["sets"][place][-1][clock][number] += more
                    assert not holds(damaged, name), (place, clock, number)


@pytest.mark.parametrize("name", [name for name in SOME if "step" not in name])
def test_more_states_are_a_proof_only_if_the_sets_stay_closed_and_right(name):
    fsa, spec = TRUE[name]
    certificate = CERTIFICATES[name]
    outcomes = set()
    for place, row in enumerate(certificate["sets"]):
        for clock in range(len(row[-1])):
            for state in set(range(fsa.num_states)) - set(row[-1][clock]):
                larger = copy.deepcopy(certificate)
                larger["sets"][place][-1][clock].append(state)
                right = holds(larger, name)
                outcomes.add(right)
                clocks = certificate["before"] + certificate["after"] + 1
                if row[1] >= 0 and clock % clocks - certificate["before"] >= certificate["lag"]:
                    label = spec.table.classes[spec.table.label[row[1] % spec.period, row[3]]]
                    assert not right or fsa.state_names[state] == label, "a wrong answer, late"
    assert False in outcomes


@pytest.mark.parametrize("field", ["task", "graph_class", "specification", "automaton"])
def test_another_task_or_automaton_is_noticed(field):
    found = check_waves(CERTIFICATES["distance"] | {field: "other"}, *TRUE["distance"])
    assert not found.holds
    assert "of the certificate must be" in found.reason


def test_a_certificate_is_no_proof_for_another_automaton_or_class():
    fsa, spec = TRUE["modulo 3 on trees"]
    stolen = CERTIFICATES["modulo 3 on trees"] | {"graph_class": "connected", "specification": Modulo(3).digest}
    assert "there must be sets for" in check_waves(stolen, fsa, Modulo(3)).reason
    wrong = fsa.with_entry("node", 1, "d2")
    found = check_waves(CERTIFICATES["modulo 3 on trees"] | {"automaton": wrong.digest}, wrong, spec)
    assert found.reason.startswith(
        "in state 'node' and seeing value 1, a node moves to state 'd2', which is not in the set at"
    )


@pytest.mark.parametrize("name", ["modulo 3, counting to 2", "nearest, ties", "from leaves", "reached"])
def test_the_errors_of_a_wrong_prover_are_noticed(name, monkeypatch):
    def missing(method, **changes):
        whole = getattr(WaveModel, method)

        def partly(self):
            for situation in whole(self):
                yield replace(situation, **{field: change(situation) for field, change in changes.items()})

        return method, partly

    wrong_models = [
        missing("situations", groups=lambda situation: situation.groups[:1]),
        missing("situations", groups=lambda situation: tuple(replace(g, single=True) for g in situation.groups)),
        missing("situations", groups=lambda situation: tuple(replace(g, least=1) for g in situation.groups)),
        missing("situations", first=lambda situation: situation.first + 1),
        missing("situations", last=lambda situation: situation.last - 2),
        missing("situations", most=lambda situation: 1),
        missing("situations", fewest=lambda situation: 2),
    ]
    (right, spec), rng, seen = TRUE[name], np.random.default_rng(0), 0
    mutants = [right, *(mutated(rng, right, number) for number in range(1, 4) for _ in range(12))]
    proofs = {fsa: prove_waves(fsa, spec).proved for fsa in mutants}
    for method, wrong in wrong_models:
        with monkeypatch.context() as patch:
            patch.setattr(WaveModel, method, wrong)
            found = [(fsa, prove_waves(fsa, spec, windows=[Window(1, 1, 2)])) for fsa in mutants]
        for fsa, proof in found:
            if proof.proved:
                holds = check_waves(proof.certificate, fsa, spec).holds
                assert proofs[fsa] or not holds, "a certificate of what is not proved"
                seen += not holds
    assert seen > 20


def test_what_a_node_of_a_directed_graph_sees_from_afar_counts(monkeypatch):
    def only_near(self, node):
        members = [(other, -ahead) for ahead in (0, 1) for other in self._level(self.level(node.level + ahead))]
        return (Group((*members, *self._at(UNREACHED, 0)), 0),)

    fsa, spec = misled_from_afar(), Modulo(3, "directed")
    assert refute_connected(fsa, spec).graph.num_nodes == 3
    assert not prove_waves(fsa, spec).proved
    monkeypatch.setattr(WaveModel, "_others", only_near)
    wrong = prove_waves(fsa, spec, windows=[Window(3, 6, 6)])
    assert wrong.proved
    assert not check_waves(wrong.certificate, fsa, spec).holds


def test_nodes_that_nobody_reaches_are_seen(monkeypatch):
    fsa, spec, whole = misled_by_nobody(), Reached(), WaveModel._others
    assert refute_connected(fsa, spec).graph.num_nodes == 3

    def only_reached(self, node):
        return tuple(
            replace(group, members=tuple(pair for pair in group.members if pair[0].level != UNREACHED))
            for group in whole(self, node)
        )

    monkeypatch.setattr(WaveModel, "_others", only_reached)
    wrong = prove_waves(fsa, spec)
    assert wrong.proved
    assert not check_waves(wrong.certificate, fsa, spec).holds


def test_nodes_that_nobody_reaches_must_not_answer(monkeypatch):
    fsa, spec = TRUE["reached"]
    eager, whole = fsa.with_entry("node", 0, "yes"), WaveSearch._wrong
    assert not prove_waves(eager, spec).proved
    monkeypatch.setattr(
        WaveSearch, "_wrong", lambda self, node, states: set() if node.level < 0 else whole(self, node, states)
    )
    found = check_waves(prove_waves(eager, spec).certificate, eager, spec)
    assert found.reason == "nodes with input node that no source reaches must not be in state 'yes'"


def test_sets_of_everything_prove_nothing():
    fsa, _ = TRUE["distance"]
    full = copy.deepcopy(CERTIFICATES["distance"])
    for row in full["sets"]:
        row[-1] = [list(range(fsa.num_states)) for _ in row[-1]]
    assert "must not be in state" in check_waves(full, *TRUE["distance"]).reason


@pytest.mark.parametrize(
    "damage",
    [
        {"sets": []},
        {"sets": [[1]]},
        {"sets": [["0", 1, 0, 0, 0, 0, [[]]]]},
        {"sets": [[1, 1, 0, 0, 0, 0, None]]},
        {"sets": [[1, 0, 1, 0, 0, 0, [[], [3], [0], ["0"]]]]},
        {"sets": [[1, [], 1, 0, 0, 0, [[], [3], [0], [0]]]]},
        {"sets": [[[], 0, 1, 0, 0, 0, [[], [3], [0], [0]]]]},
        {"near": 0},
        {"near": True},
        {"before": -1},
        {"after": 10**9},
        {"lag": 3},
        {"more": 1},
    ],
)
def test_malformed_certificates_are_refused(damage):
    assert not holds(CERTIFICATES["distance"] | damage, "distance")


def test_rows_twice_are_refused():
    certificate = CERTIFICATES["distance"]
    assert not holds(certificate | {"sets": [*certificate["sets"], certificate["sets"][0]]}, "distance")
    stranger = [*certificate["sets"][0][:2], 0, *certificate["sets"][0][3:]]
    assert (
        "do not exist"
        in check_waves(certificate | {"sets": [*certificate["sets"], stranger]}, *TRUE["distance"]).reason
    )


def test_aggregations_that_waves_are_not_about_are_refused():
    names, spec = ["d0", "d1", "node", "root"], Modulo(2)
    stays = {"starting_states": ["node", "root"], "final_states": ["d0", "d1"]}
    for aggregation in (PositionalAggregation(), AverageThresholdAggregation()):
        fsa = GraphFSA.from_rule(names, aggregation, lambda state, _: state, **stays)
        certificate = CERTIFICATES["distance"] | {"automaton": fsa.digest}
        assert not check_waves(certificate, fsa, spec).holds


def test_too_many_neighbourhoods_are_refused(monkeypatch):
    monkeypatch.setattr(_wave_checker, "MAX_NEIGHBOURHOODS", 10)
    with pytest.raises(LimitError, match="more than 10 neighbourhoods"):
        check_waves(CERTIFICATES["nearest, ties"], *TRUE["nearest, ties"])


def test_names_of_inputs_must_be_states():
    fsa, spec = counter(2), Nearest()
    with pytest.raises(ValueError, match="no final state"):
        check_waves(CERTIFICATES["nearest, ties"] | {"automaton": fsa.digest, "specification": spec.digest}, fsa, spec)
    assert library.distance().digest not in str(CERTIFICATES)
