"""The outside scoreboard in the repository: every job is there, and its pages are what the records and models say."""

from hashlib import sha256
from pathlib import Path

import pytest

from graphfsa.evaluation import Results, planned
from graphfsa.evaluation.outside import is_outside, make_sheets, outside_experiments, sheet_markdown

RESULTS = Path(__file__).parents[2] / "results" / "outside"
SEEDS = 3


@pytest.fixture(scope="module")
def results():
    return Results(RESULTS)


@pytest.fixture(scope="module")
def sheets(results):
    return {sheet.table.name: sheet for sheet in make_sheets(results)}


def test_every_job_is_there_and_none_besides(results):
    experiments, records = outside_experiments(), results.records()
    assert is_outside(results)
    assert results.manifest["tables"] == {name: found.digest for name, found in experiments.items()}
    assert set(records) == set(planned(experiments, SEEDS, quick=False))
    assert {record["status"] for record in records.values()} == {"done"}


def test_models_are_those_that_were_recorded(results):
    found = {
        record["model"]["file"]: record["model"]["sha256"] for record in results.records().values() if record["model"]
    }
    files = {path.name: sha256(path.read_bytes()).hexdigest() for path in results.models.iterdir()}
    assert files == found


def test_the_page_is_what_the_records_and_models_say(sheets):
    """Every automaton is proved, refuted or verified again for this."""
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    for sheet in sheets.values():
        assert sheet_markdown(sheet).rstrip() in text


def test_what_the_documentation_claims(sheets):
    """The exact learner has no wrong node, but for mazes in pixels; what it learned is proved where that can be."""
    for name in ("prefix-sums", "recurrent-gnn", "life"):
        sheet = sheets[name]
        place, proof = sheet.head.index("exact learner"), sheet.head.index("exact learner: on every size")
        assert {row[place] for row in sheet.rows} == {"1.00 / 1.00 (3/3)"}
        said = {row[proof] for row in sheet.rows} - {""}
        assert said <= {"proved 3/3", "right on all trees of up to 9 nodes 3/3"}
    pairs = sheets["elementary-pairs"]
    for row in pairs.rows[:-1]:
        for cell in row[1:]:
            assert cell == "found 3/3" or "not determined" in cell
