"""Tables: what was measured beside what was published, and what is said about it."""

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_experiments import record, tiny

from graphfsa.evaluation import as_csv, find_experiment, latex, make_table, markdown
from graphfsa.evaluation.rendering import at_a_glance, differences, share
from graphfsa.evaluation.tables import Row
from graphfsa.views.results import draw_table, draw_trainings
from graphfsa.views.results_page import write_results


def filled(experiment, accuracies, **more):
    """Records of an experiment: for each column, the accuracies of its seeds."""
    found = {}
    for seed in range(max(map(len, accuracies.values()))):
        for entry, job in experiment.jobs(seed):
            if seed < len(accuracies.get(entry.column, ())):
                found[job.id] = record(job, accuracies[entry.column][seed], **more)
    return found


@pytest.fixture
def floors(tmp_path):
    return find_experiment(tiny(tmp_path))


def test_cells_are_over_seeds_and_published_ones_stand_beside(floors):
    table = make_table(floors, filled(floors, {"majority": [0.5, 0.6], "stay": [1.0, 0.9]}))
    assert [column.name for column in table.columns] == ["GNCA, published", "majority", "stay"]
    cell = table.cells[Row("", "n=20"), "stay"]
    assert (cell.strict.mean, cell.strict.exact, cell.strict.runs) == (pytest.approx(0.95), 1, 2)
    assert table.published[Row("", "n=10"), "GNCA, published"].mean == 0.5
    assert table.missing == ()
    assert [(pair.first, pair.second) for pair in table.paired_tests()] == [("stay", "majority")]
    assert table.paired_tests()[0].outcome.wins == 2


def test_missing_and_failed_jobs_are_counted(floors):
    records = filled(floors, {"majority": [0.5, 0.6], "stay": [1.0]})
    name = next(iter(records))
    records[name] = {**records[name], "status": "failed", "error": "out of luck"}
    table = make_table(floors, records)
    assert len(table.missing) == 1
    assert len(make_table(floors, records, seeds=5).missing) == 1 + 2 * 3
    assert list(table.failed.values()) == ["out of luck"]
    assert "out of luck" in markdown(table)
    assert "Jobs that have not been run: 1." in markdown(table)
    fewer = make_table(floors, filled(floors, {"majority": [0.5, 0.6], "stay": [1.0]}))
    assert "over 2 seeds (stay: 1)" in markdown(fewer)
    assert make_table(floors, {}).cells == {}


def test_what_is_not_as_published_is_said(floors):
    near = make_table(floors, filled(floors, {"majority": [0.52, 0.53], "stay": [1.0, 1.0]}))
    assert differences(near)[0] == [
        "Of 2 cells that repeat a published one, 2 are within two published deviations plus 0.03."
    ]
    far = make_table(floors, filled(floors, {"majority": [0.9, 0.9], "stay": [1.0, 1.0]}))
    assert differences(far)[0][1] == "majority, n=10: 0.90 ± 0.00, published 0.50 ± 0.00"


def test_cells_about_other_data_are_not_held_against_each_other():
    experiment = find_experiment("grab-2")
    table = make_table(experiment, filled(experiment, {"GNCA": [0.1], "exact learner": [1.0]}))
    assert not experiment.published.comparable
    assert table.reproduced() == []
    assert differences(table) == [["Our best learner is at least as good as the published Diff-FSA in every row."]]


def test_our_best_learner_is_held_to_the_published_one():
    experiment = find_experiment("prefix-sum")
    ours = [entry.column for entry in experiment.learners if entry.focus]
    good = make_table(experiment, filled(experiment, {ours[0]: [0.5], ours[1]: [0.74]}))
    assert good.behind() == []
    assert good.best(good.rows[0]) == ours[1]
    bad = make_table(experiment, filled(experiment, {ours[0]: [0.5], ours[1]: [0.62]}))
    assert [row.test for row, *_ in bad.behind()] == ["n=10", "n=20", "n=50"]
    assert "Our best learner is below the published Diff-FSA in:" in markdown(bad)


def test_a_learner_without_a_group_is_shown_in_every_group():
    experiment = find_experiment("grab")
    columns = {entry.column: [0.9] for entry in experiment.learners}
    table = make_table(experiment, filled(experiment, columns))
    assert len(table.rows) == 15
    assert len({row.group for row in table.rows}) == 3
    for row in table.rows:
        assert (row, "GNCA") in table.cells
        assert (row, "exact learner") in table.cells
        assert (row, "Diff-FSA, published") in table.published


def test_the_second_reading_is_shown_where_it_differs(floors):
    same = make_table(floors, filled(floors, {"majority": [0.5], "stay": [0.9]}))
    other = make_table(floors, filled(floors, {"majority": [0.5], "stay": [0.9]}, reference=0.95))
    assert "authors' scoring" not in markdown(same)
    assert "authors' scoring" in markdown(other)
    assert "| 0.95 (0/1) |" in markdown(other)


def test_runs_that_fit_are_shown_by_themselves_where_the_paper_does_so():
    experiment = find_experiment("life")
    column = "Diff-FSA, preset paper"
    records = filled(experiment, {column: [0.5, 1.0, 0.6], "GNCA": [0.7, 0.7, 0.7]})
    for found in records.values():
        found["fit"] = {"train_accuracy": found["results"]["t=1"]["accuracy"]}
    table = make_table(experiment, records)
    cell = table.cells[Row("", "t=5"), column]
    assert cell.strict.runs == 3
    assert (cell.fitted.mean, cell.fitted.runs) == (1, 1)
    assert table.cells[Row("", "t=5"), "GNCA"].fitted is None
    assert "Only runs without an error" in markdown(table)
    assert "| 1.00 (1/1) |" in markdown(table)
    left, right = draw_table(table).axes
    assert [len(axes.get_lines()) for axes in (left, right)] == [2, 1]
    whole = make_table(find_experiment("distance"), {})
    assert "Only runs" not in markdown(whole)


@given(st.floats(0, 1))
def test_only_what_is_1_is_shown_as_1(value):
    words = share(value)
    assert (float(words) == 1) == (value == 1)
    assert abs(float(words) - value) <= 0.005 + 1e-9


def test_the_last_rows_of_all_tables_stand_side_by_side(tmp_path):
    experiments = [find_experiment(name) for name in ("distance", "grab")]
    tables = [
        make_table(found, filled(found, {entry.column: [0.9] for entry in found.learners})) for found in experiments
    ]
    columns, rows = at_a_glance(tables)
    names = [column.name for column in columns]
    assert len(names) == len(set(names)) == 11
    assert names[names.index("exact learner") + 1] == "exact, covering graphs"
    assert names[-1] == "stay"
    assert [(row.group, row.test) for _, row in rows[1:]] == [(f"{k} states", "n=100") for k in (4, 5, 6)]
    assert at_a_glance([make_table(experiments[0], {})])[1] == []


def test_csv_holds_every_cell(floors):
    table = make_table(floors, filled(floors, {"majority": [0.5, 0.6], "stay": [1.0, 0.9]}))
    rows = list(csv.DictReader(io.StringIO(as_csv(table))))
    assert len(rows) == 6
    measured = [row for row in rows if row["source"] == "measured"]
    assert {(row["column"], row["mean"]) for row in measured} == {("majority", "0.55"), ("stay", "0.95")}
    assert all(row["runs"] == "2" for row in measured)


def test_latex_is_balanced_and_escaped(tmp_path):
    path = Path(tiny(tmp_path))
    path.write_text(path.read_text().replace('title = "Floors"', 'title = "50 % & $x_1$ {"'))
    experiment = find_experiment(str(path))
    text = latex(make_table(experiment, filled(experiment, {"majority": [0.5], "stay": [1.0]})))
    assert r"50 \% \& \$x\_1\$ \{" in text
    body = re.sub(r"\\[{}]", "", text)
    assert body.count("{") == body.count("}")
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in rows} == {3}


def test_pictures_and_the_page(tmp_path):
    path = Path(tiny(tmp_path))
    path.write_text(path.read_text().replace('title = "Floors"', 'title = "<script>alert(1)</script>"'))
    experiment = find_experiment(str(path))
    history = [{"epoch": k, "loss": 1 / k, "validation_accuracy": 0.5} for k in (1, 2, 3)]
    records = filled(experiment, {"majority": [0.5, 0.6], "stay": [1.0, 1.0]}, fit={"history": history})
    table = make_table(experiment, records)
    for suffix in (".svg", ".png"):
        draw_table(table, tmp_path / f"x{suffix}")
        assert (tmp_path / f"x{suffix}").stat().st_size > 5000
    draw_trainings({"a": [history]}, tmp_path / "t.svg")
    write_results(tmp_path / "report.html", [table], records, quick=True)
    page = (tmp_path / "report.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "quick run" in page
    assert "How the networks were trained" in page
    assert not re.search(r'(src|href)="(?!data:|#|models/)', page)


def test_pages_of_nothing_can_be_made(floors, tmp_path):
    table = make_table(floors, {})
    assert "over 0 seeds" in markdown(table)
    write_results(tmp_path / "report.html", [table], {}, quick=False)
