"""The results in the repository: the pages are what the records say, and the figures that are claimed hold."""

from hashlib import sha256
from pathlib import Path

import pytest

from graphfsa.automaton import GraphFSA
from graphfsa.evaluation import (
    Results,
    as_csv,
    experiment_names,
    find_experiment,
    latex,
    make_table,
    markdown,
    planned,
)

RESULTS = Path(__file__).parents[2] / "results"
SEEDS = 10
SOLVED = [name for name in experiment_names() if not name.startswith("grab")]
"""Tables in which every run of our learners is to be exact in every row."""


@pytest.fixture(scope="module")
def records():
    return Results(RESULTS).records()


@pytest.fixture(scope="module")
def tables(records):
    return {name: make_table(find_experiment(name), records) for name in experiment_names()}


def test_every_job_is_there_and_none_besides(records):
    experiments = {name: find_experiment(name) for name in experiment_names()}
    assert Results(RESULTS).manifest["tables"] == {name: found.digest for name, found in experiments.items()}
    assert set(records) == set(planned(experiments, SEEDS, quick=False))
    assert {record["status"] for record in records.values()} == {"done"}


@pytest.mark.parametrize("name", experiment_names())
def test_pages_are_what_the_records_say(tables, name):
    for suffix, made in (("md", markdown), ("csv", as_csv), ("tex", latex)):
        assert (RESULTS / f"{name}.{suffix}").read_text(encoding="utf-8") == made(tables[name])


def test_models_are_those_that_were_recorded(records):
    found = {record["model"]["file"]: record["model"] for record in records.values() if record["model"]}
    automata = {name: model["automaton"] for name, model in found.items() if "automaton" in model}
    files = {path.name: path for path in (RESULTS / "models").iterdir()}
    assert set(automata) <= set(files) <= set(found)
    for name, path in files.items():
        assert sha256(path.read_bytes()).hexdigest() == found[name]["sha256"]
    for name in sorted(automata)[::25]:
        assert GraphFSA.load(files[name]).digest == automata[name]


@pytest.mark.parametrize("name", experiment_names())
def test_our_best_learner_is_at_least_as_good_as_the_published_one(tables, name):
    table = tables[name]
    assert table.behind() == []
    assert bool(table.best_and_published()) == (table.experiment.published is not None)


@pytest.mark.parametrize("name", SOLVED)
def test_our_learners_are_exact_in_every_run(tables, name):
    table = tables[name]
    ours = [entry.column for entry in table.experiment.learners if entry.focus]
    assert len(ours) == 2
    for row in table.rows:
        assert [table.cells[row, column].strict.exact for column in ours] == [SEEDS, SEEDS]


@pytest.mark.parametrize("name", experiment_names())
def test_every_column_has_every_seed(tables, name):
    table = tables[name]
    for row in table.rows:
        for column in table.columns:
            cell = table.cells.get((row, column.name))
            assert column.is_published or cell is None or cell.strict.runs == SEEDS
    assert table.missing == ()
