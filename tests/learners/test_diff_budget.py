"""Diff-FSA: an honest end within its budget, signs of life, the best automaton so far, and learning until proved."""

import json

import numpy as np
import pytest

import graphfsa as gf
from graphfsa import DiffFSA, GraphFSAError, LettersAggregation
from graphfsa.datasets import dataset_class, draw_training
from graphfsa.learners.diff_fsa import _effort
from graphfsa.search.budget import UNIT, Budget

HARD = {"states": (4, 5), "bound": (2, 2), "restarts": 8, "repair": 300}


@pytest.fixture(scope="module")
def path_finding():
    return draw_training(dataset_class("path-finding")(), np.random.default_rng(0), count=300)


class Stopped(Exception):
    pass


def test_a_budget_that_is_spent_ends_undecided_with_the_best_so_far(path_finding):
    found = DiffFSA(budget=0.5, **HARD).fit(path_finding)
    details = found.provenance.details
    assert found.verdict == "undecided"
    assert found.provenance.train_accuracy > 0.5
    assert 0.4 < details["work"] < 1
    assert details["recipe"]["updates"] == 2000 > details["updates"]
    assert found.provenance.options["budget"] == 0.5
    assert {record["states"] for record in found.history} == {4, 5}, "sizes share the budget"


def test_the_same_budget_ends_in_the_same_place(path_finding, monkeypatch):
    one = DiffFSA(budget=0.4, **HARD).fit(path_finding, seed=3)
    monkeypatch.setattr(_effort, "_SILENCE", 0.0)
    told = []
    other = DiffFSA(budget=0.4, **HARD).fit(path_finding, seed=3, watch=told.append)
    assert one.automaton.digest == other.automaton.digest
    assert one.provenance.details["work"] == other.provenance.details["work"]
    assert len(told) > len(other.history)


def test_repair_and_simplification_say_how_they_go(monkeypatch):
    monkeypatch.setattr(_effort, "_SILENCE", 0.0)
    train = draw_training(dataset_class("root-value")(), np.random.default_rng(0), count=200)
    told = []
    found = DiffFSA(restarts=4, check=5, harvest=2, budget=20).fit(train, watch=told.append)
    assert found.verdict == "exact"
    words = " ".join(record.get("doing", "") for record in told)
    for doing in (
        "training",
        "looking at the tables",
        "repairing table",
        "simplifying what fits",
        "best so far 100.00% right",
    ):
        assert doing in words
    best = [record["best_accuracy"] for record in told]
    assert best == sorted(best)
    assert best[-1] == 1


def test_a_training_that_was_stopped_spends_what_the_whole_one_does(path_finding, tmp_path):
    learner = DiffFSA(budget=0.6, **HARD)
    whole = learner.fit(path_finding, seed=1, checkpoint=tmp_path / "whole")
    seen = []

    def stop(record):
        seen.append(record)
        if len(seen) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        learner.fit(path_finding, seed=1, checkpoint=tmp_path / "part", watch=stop)
    again = learner.fit(path_finding, seed=1, checkpoint=tmp_path / "part", resume=True)
    assert again.automaton.digest == whole.automaton.digest
    assert again.provenance.details["work"] == whole.provenance.details["work"]
    more = DiffFSA(budget=0.9, **HARD).fit(path_finding, seed=1, checkpoint=tmp_path / "part", resume=True)
    assert more.provenance.details["updates"] > whole.provenance.details["updates"], "a larger budget goes on"


def test_the_best_so_far_is_a_model_in_the_checkpoint(path_finding, tmp_path):
    found = DiffFSA(budget=0.5, **HARD).fit(path_finding, checkpoint=tmp_path)
    best = gf.load(tmp_path / "best.json")
    assert best.verdict == "undecided"
    assert best.automaton.digest == found.automaton.digest
    assert best.accuracy(path_finding) == found.provenance.train_accuracy
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best.json", "checkpoint.safetensors", "history.jsonl"]
    lines = [json.loads(line) for line in (tmp_path / "history.jsonl").read_text().splitlines()]
    assert lines[-1]["best_accuracy"] == round(found.provenance.train_accuracy, 6)


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf"), "much"])
def test_a_budget_must_be_a_positive_number(budget):
    with pytest.raises(GraphFSAError, match="budget"):
        DiffFSA(budget=budget)


def test_published_trainings_end_by_their_epochs_alone():
    assert DiffFSA("paper").budget == float("inf")
    assert DiffFSA("paper", budget=3).budget == 3
    assert DiffFSA().options()["budget"] is None


def test_a_budget_goes_on_where_it_was_and_says_when_it_is_spent():
    beats = []
    whole = Budget(2, spent=0.5, pulse=lambda: beats.append(whole.spent))
    part = Budget(1, whole=whole, spent=0.5)
    part.spend(UNIT / 2)
    assert (whole.spent, part.over, whole.over, beats) == (1.0, True, False, [1.0])


# ---- until proved


def small(**more):
    return gf.learn("distance", "diff-fsa", sizes=[2, 3], count=8, seed=1, restarts=8, harvest=2, **more)


def test_counterexamples_join_the_training_graphs_each_round_with_a_checkpoint_of_its_own(tmp_path):
    found = small(until="proved", fit={"checkpoint": tmp_path})
    added = found.provenance.details["counterexamples"]
    assert found.verdict == "proved"
    assert added
    assert found.provenance.graphs > 8
    rounds = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    assert rounds == [f"round-{number}" for number in range(1, len(rounds) + 1)]
    assert rounds
    again = small(until="proved", fit={"checkpoint": tmp_path, "resume": True})
    assert (again.verdict, again.automaton.digest) == ("proved", found.automaton.digest)
    with pytest.raises(GraphFSAError, match="holds a training already"):
        small(until="proved", fit={"checkpoint": tmp_path})


def test_letters_by_name_tie_tables_and_can_be_proved():
    found = gf.learn("root-value", "diff-fsa", aggregation="letters", restarts=8, count=300, harvest=3)
    assert found.verdict == "proved"
    seen = found.automaton.aggregation
    assert isinstance(seen, LettersAggregation)
    assert seen.num_values(found.automaton.num_states) < 2**found.automaton.num_states


def test_letters_by_name_need_answers():
    with pytest.raises(GraphFSAError, match="letters goes with labels that are answers"):
        gf.learn("life", "diff-fsa", aggregation="letters", count=20)
