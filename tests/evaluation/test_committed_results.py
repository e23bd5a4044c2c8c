"""The results in the repository: the pages are what the records say, and what is claimed of them holds."""

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
    make_tables,
    markdown,
    planned,
)
from graphfsa.evaluation.rendering import NOT_RUN, contents, text_at

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
SEEDS = 10
ALGORITHMS = ("distance", "root-value", "prefix-sum", "path-finding")


@pytest.fixture(scope="module")
def records():
    return Results(RESULTS).records()


@pytest.fixture(scope="module")
def tables(records):
    return {name: make_tables(find_experiment(name), records) for name in experiment_names()}


def test_every_record_is_of_a_job_as_it_is_defined_now(records):
    experiments = {name: find_experiment(name) for name in experiment_names()}
    assert Results(RESULTS).manifest["tables"] == {name: found.digest for name, found in experiments.items()}
    assert set(records) <= set(planned(experiments, SEEDS, quick=False))
    assert {record["status"] for record in records.values()} == {"done"}


@pytest.mark.parametrize("name", experiment_names())
def test_pages_are_what_the_records_say(tables, name):
    for suffix, made in (("md", markdown), ("csv", as_csv), ("tex", latex)):
        assert (RESULTS / f"{name}.{suffix}").read_text(encoding="utf-8") == made(tables[name])


def test_the_overview_is_what_the_records_say(tables):
    order = list(Results(RESULTS).manifest["tables"])
    every = [table for name in order for table in tables[name]]
    assert (RESULTS / "README.md").read_text(encoding="utf-8") == contents(every, quick=False)


def test_models_are_those_that_were_recorded(records):
    found = {record["model"]["file"]: record["model"] for record in records.values() if record["model"]}
    automata = {name: model["automaton"] for name, model in found.items() if "automaton" in model}
    files = {path.name: path for path in (RESULTS / "models").iterdir()}
    assert set(automata) <= set(files) <= set(found)
    for name, path in files.items():
        assert sha256(path.read_bytes()).hexdigest() == found[name]["sha256"]
    for name in sorted(automata)[::25]:
        assert GraphFSA.load(files[name]).digest == automata[name]


def test_comparisons_are_of_equal_data(tables, records):
    """Found again from the records alone: all that two compared columns differ in is the learner."""
    pairs = 0
    for table in (table for blocks in tables.values() for table in blocks):
        for pair in table.paired_tests():
            first, second = (table.cells[pair.row, name] for name in (pair.first, pair.second))
            for seed in first.jobs.keys() & second.jobs.keys():
                one, other = (records[cell.jobs[seed]] for cell in (first, second))
                assert one["digests"] == other["digests"]
                sizes = {"sizes": list(table.block.sizes)}
                assert one["config"]["train"] == other["config"]["train"] == {**vars(table.block.train), **sizes}
                pairs += 1
    assert pairs


def test_no_test_graph_was_a_training_graph_where_a_row_has_no_mark(tables, records):
    for table in (table for blocks in tables.values() for table in blocks):
        for (row, column), cell in table.cells.items():
            for job in cell.jobs.values():
                if records[job]["shared"].get(row.test):
                    assert "seen" in table.marks(row), (table.experiment.name, row, column)
                    assert table.experiment.name == "root-value"


def test_what_was_not_run_is_shown_as_such(tables):
    for table in (table for blocks in tables.values() for table in blocks):
        for column in table.columns:
            if not column.is_published and not table.was_run(column.name):
                assert {text_at(table, row, column) for row in table.rows} == {NOT_RUN}


def test_the_readme_says_what_the_records_say(tables):
    """Automata for the paper's graph algorithms, exact at 10,000 nodes, in every run of the block of small graphs."""
    for name in ALGORITHMS:
        (table,) = [table for table in tables[name] if table.block.split == "learn"]
        cells = [table.cells[table.rows[-1], each.column] for each in table.learners if each.focus]
        assert table.rows[-1].test == "n=10000"
        assert len(cells) == 2
        assert all(cell.strict.exact == cell.strict.runs for cell in cells)
    words = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "graphs of at most 10 nodes it learns automata for the paper's graph algorithms" in words
    assert "exact at 10,000 in every recorded run" in words
    (table,) = [table for table in tables["path-finding"] if table.block.split == "train"]
    cells = [table.cells[table.rows[-1], each.column] for each in table.learners if each.focus]
    assert ("from the paper's fewer graphs PathFinding is not" in words) == any(
        cell.strict.exact < cell.strict.runs for cell in cells
    )
