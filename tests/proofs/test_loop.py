"""Learning until proved: what refutes an automaton is learned from, and what was added is remembered."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import graphfsa as gf
from graphfsa.datasets import PathFinding
from graphfsa.errors import GraphFSAError
from graphfsa.learners import Learner, learned


def broken():
    """A library automaton that is wrong on paths of three nodes and more: who sees a node that waits, waits too."""
    fsa = gf.library.root_value()
    table = fsa.transition_table.copy()
    node = fsa.state_names.index("node")
    for value in range(fsa.num_values):
        counts = fsa.aggregation.digits(value, fsa.num_states)
        if counts[node]:
            table[node, value] = node
    return gf.GraphFSA(
        fsa.state_names, fsa.aggregation, table, starting_states=fsa.starting_states, final_states=fsa.final_states
    )


@dataclass(frozen=True)
class Improving(Learner):
    """Knows only the automaton that is wrong until it has seen a longer path."""

    name: ClassVar[str] = "improving"

    def fit(self, train, validation=None, *, seed=0):
        fsa = broken() if train.sizes.max() < 3 else gf.library.root_value()
        return learned(self, train, validation, seed, fsa, seconds=0.0)


def test_the_graph_that_refutes_it_is_learned_from(tmp_path):
    model = gf.learn("root-value", Improving(), sizes=[1, 2], count=12, seed=4)
    assert model.verdict == "proved"
    assert model.proof.proved
    added = model.provenance.details["counterexamples"]
    assert [graph["num_nodes"] for graph in added] == [3]
    assert model.training_graphs().digest == model.provenance.data
    model.save(tmp_path / "m.json")
    again = gf.load(tmp_path / "m.json")
    assert again.verdict == "proved"
    assert again.training_graphs().digest == model.provenance.data


def test_until_exact_does_not_prove():
    model = gf.learn("root-value", Improving(), sizes=[1, 2], count=12, until="exact")
    assert (model.verdict, model.proof) == ("exact", None)


def test_a_task_without_a_specification_can_not_be_proved():
    with pytest.raises(GraphFSAError, match='until "proved" needs a task with a specification'):
        gf.learn("grab", Improving(), until="proved", count=5)
    with pytest.raises(GraphFSAError, match="until must be one of proved, checked, exact; got 'tomorrow'"):
        gf.learn("root-value", Improving(), until="tomorrow")


@dataclass(frozen=True)
class Torn(Learner):
    """Two automata fit: the first is wrong on larger graphs."""

    name: ClassVar[str] = "torn"

    def fit(self, train, validation=None, *, seed=0):
        both = broken(), gf.library.root_value()
        return learned(self, train, validation, seed, both[0], seconds=0.0, candidates=both)


def test_automata_that_fit_are_told_apart_by_proof():
    model = gf.learn("root-value", Torn(), sizes=[1, 2], count=12)
    assert model.verdict == "proved"
    assert model.automaton == gf.library.root_value()
    assert "counterexamples" not in model.provenance.details


def test_what_is_not_exact_is_not_proved():
    model = gf.learn("root-value", "majority", sizes=[3], count=8)
    assert (model.verdict, model.proof) == ("best-effort", None)


def test_path_finding_is_learned_and_proved_from_the_graphs_of_the_paper():
    drawn = gf.datasets.training_data(PathFinding(), split="train", seed=3)
    model = gf.learners.learn_until("proved", gf.ExactLearner(), drawn, seed=3)
    assert model.verdict == "proved"
    large = PathFinding().generate(200, 5, np.random.default_rng(0))
    assert model.accuracy(large) == 1


@dataclass(frozen=True)
class Fixed(Learner):
    """Knows one automaton, whatever it is shown, until it has seen enough graphs."""

    name: ClassVar[str] = "fixed"

    def fit(self, train, validation=None, *, seed=0):
        found = learned(self, train, validation, seed, broken(), seconds=0.0, verdict="undecided")
        return replace(found, verdict="exact") if train.sizes.max() < 3 else replace(found, body=None, candidates=())


class Unspecified(gf.datasets.RootValue):
    """The same task without a specification."""

    name: ClassVar[str] = "unspecified-root-value"

    def specifications(self):
        return ()


def test_the_labels_of_the_task_are_an_oracle():
    model = gf.learn(Unspecified(), Improving(), sizes=[1, 2], count=12)
    assert (model.verdict, model.proof) == ("exact", None)
    assert model.automaton == gf.library.root_value()
    details = model.provenance.details
    assert {graph["num_nodes"] for graph in details["counterexamples"]} == {3}
    assert details["checked"]["max_nodes"] >= 5
    assert details["checked"]["instances"] > 30
    assert all(number > 0 for number in details["checked"]["random"].values())
    assert model.training_graphs().digest == model.provenance.data


def test_automata_that_fit_are_told_apart_by_the_oracle():
    model = gf.learn(Unspecified(), Torn(), sizes=[1, 2], count=12, until="checked")
    assert (model.verdict, model.automaton) == ("exact", gf.library.root_value())


def test_a_failed_attempt_does_not_lose_what_was_found_before():
    model = gf.learn(Unspecified(), Fixed(), sizes=[1, 2], count=12)
    assert model.verdict == "undecided"
    assert model.automaton == broken()
    assert 0 < model.provenance.train_accuracy < 1
    assert model.training_graphs().digest == model.provenance.data


@dataclass(frozen=True)
class Boastful(Learner):
    """Says that an automaton fits which does not."""

    name: ClassVar[str] = "boastful"

    def fit(self, train, validation=None, *, seed=0):
        return replace(learned(self, train, validation, seed, broken(), seconds=0.0), verdict="exact")


def test_what_is_wrong_in_the_last_round_is_not_called_exact(monkeypatch):
    monkeypatch.setattr("graphfsa.proofs.loop._ROUNDS", 2)
    for task in ("root-value", Unspecified()):
        model = gf.learn(task, Boastful(), sizes=[1, 2], count=12)
        assert (model.verdict, model.automaton) == ("undecided", broken())


def test_an_undecided_proof_falls_back_to_the_oracle(monkeypatch):
    def undecided(fsa, spec, source, *_more):
        return gf.proofs.Proof("undecided", spec, fsa.digest, source, reason="too hard")

    monkeypatch.setattr("graphfsa.proofs.judges.attempt_proof", undecided)
    model = gf.learn("root-value", Improving(), sizes=[1, 2], count=12)
    assert (model.verdict, model.proof.reason) == ("exact", "too hard")
    assert model.automaton == gf.library.root_value()
    assert model.provenance.details["checked"]["instances"] > 30


def test_an_error_of_the_label_function_is_not_swallowed():
    class Breaks(gf.CustomTask):
        inputs, classes, graphs = ("a",), ("no", "yes"), "path"
        splits: ClassVar = {name: gf.datasets.Split(((3, 5),)) for name in ("train", "validation", "test")}

        def label(self, graph, inputs):
            if graph.num_nodes > 4:
                raise GraphFSAError("too long for me")
            return ["yes"] * graph.num_nodes

    with pytest.raises(GraphFSAError, match="too long for me"):
        gf.learn(Breaks)


def test_until_checked_needs_a_task():
    few = Unspecified().generate(3, 5, np.random.default_rng(0))
    with pytest.raises(GraphFSAError, match='until "checked" needs a task that labels any graph'):
        gf.learn(few, Improving(), until="checked")


def test_grab_is_learned_from_questions_to_its_truth():
    task = gf.datasets.Grab(truth_seed=4)
    model = gf.learn(task, seed=1)
    assert model.verdict == "exact"
    assert model.provenance.details["checked"]["max_nodes"] == 9
    assert gf.verify(model, task, 8).verified
    assert model.accuracy(task.draw_for_check(200, 5, np.random.default_rng(0))) == 1


def test_what_fits_is_asked_about_while_it_is_learned():
    """Graphs on which an automaton is wrong are learned from at once, and the model remembers them."""
    task = gf.datasets.Grab(truth_seed=1)
    drawn = gf.datasets.training_data(task, seed=2, sizes=[3], count=5)
    fits = []

    @dataclass(frozen=True)
    class Counting(gf.ExactLearner):
        def fit(self, train, validation=None, *, seed=0, watch=None, judge=None):
            fits.append(train)
            return super().fit(train, validation, seed=seed, watch=watch, judge=judge)

    model = gf.learners.learn_until("checked", Counting(), drawn, seed=2)
    assert (len(fits), model.verdict) == (1, "exact")
    assert model.provenance.graphs == len(drawn.train) + len(model.provenance.details["counterexamples"])
    assert model.training_graphs().digest == model.provenance.data
    assert model.accuracy(task.draw_for_check(50, 20, np.random.default_rng(1))) == 1


@pytest.mark.parametrize("task", [Unspecified(), gf.datasets.RootValue()], ids=["oracle", "prover"])
def test_an_interruption_while_it_is_judged_does_not_lose_what_was_learned(monkeypatch, task):
    def interrupted(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("graphfsa.proofs.judges.Oracle.judge", interrupted)
    monkeypatch.setattr("graphfsa.proofs.judges.Prover.judge", interrupted)
    model = gf.learn(task, Improving(), sizes=[1, 2], count=12)
    assert model.interrupted
    assert model.verdict != "proved"
    assert model.automaton == broken()
    assert "checked" not in model.provenance.details
    assert model.training_graphs().digest == model.provenance.data


def test_graphs_that_an_interruption_kept_from_being_learned_are_not_remembered(monkeypatch):
    def interrupted(_learner, train, validation=None, *, seed=0):
        if train.sizes.max() < 3:
            return learned(Improving(), train, validation, seed, broken(), seconds=0.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(Improving, "fit", interrupted)
    model = gf.learn(Unspecified(), Improving(), sizes=[1, 2], count=12)
    assert (model.interrupted, model.automaton) == (True, broken())
    assert "counterexamples" not in model.provenance.details
    assert model.training_graphs().digest == model.provenance.data
