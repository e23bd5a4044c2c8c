"""Tables: what was measured beside what was published, and what is said about it."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_experiments import record, tiny

from graphfsa.errors import GraphFSAError
from graphfsa.evaluation import as_csv, find_experiment, latex, make_tables, markdown
from graphfsa.evaluation._job import run_job
from graphfsa.evaluation.rendering import at_a_glance, said, share
from graphfsa.evaluation.tables import Row, compare
from graphfsa.views.results import draw_table, draw_trainings
from graphfsa.views.results_page import write_results


def filled(experiment, accuracies, split=None, **more):
    """Records of an experiment: for each column, the accuracies of its seeds; of one block or all."""
    found = {}
    for seed in range(max(map(len, accuracies.values()))):
        for place, job in experiment.jobs(seed):
            if split in (None, place.block.split) and seed < len(accuracies.get(place.learner.column, ())):
                found[job.id] = record(job, accuracies[place.learner.column][seed], **more)
    return found


def first_table(experiment, records, **more):
    return make_tables(experiment, records, **more)[0]


@pytest.fixture
def floors(tmp_path):
    return find_experiment(tiny(tmp_path))


@pytest.fixture
def blocks(tmp_path):
    """The same with two blocks."""
    path = Path(tiny(tmp_path, "blocks"))
    path.write_text(path.read_text().replace("[data]", '[[blocks]]\n[[blocks]]\nsplit = "learn"\n[data]'))
    return find_experiment(str(path))


def test_cells_are_over_seeds_and_published_ones_stand_beside(floors):
    table = first_table(floors, filled(floors, {"majority": [0.5, 0.6], "stay": [1.0, 0.9]}))
    assert [column.name for column in table.columns] == ["GNCA, published", "majority", "stay"]
    cell = table.cells[Row("", "n=20"), "stay"]
    assert (cell.strict.mean, cell.strict.exact, cell.strict.runs) == (pytest.approx(0.95), 1, 2)
    assert table.published[Row("", "n=10"), "GNCA, published"].mean == 0.5
    assert table.missing == ()
    assert [(pair.first, pair.second) for pair in table.paired_tests()] == [("stay", "majority")]
    assert table.paired_tests()[0].outcome.wins == 2


def test_each_block_is_a_table_and_published_numbers_stand_beside_the_first(blocks):
    one, two = make_tables(blocks, filled(blocks, {"majority": [0.5, 0.6], "stay": [1.0, 0.9]}))
    assert [column.name for column in one.columns] == ["GNCA, published", "majority", "stay"]
    assert [column.name for column in two.columns] == ["majority", "stay"]
    assert [part.column for part in one.reproduced()] == ["majority"] * 2
    assert two.reproduced() == two.beside_published() == []
    text = markdown([one, two])
    assert text.index("### The paper's graphs") < text.index("### More small graphs")


def test_runs_of_different_blocks_can_not_be_compared(blocks):
    """Whoever tries is refused: by hand, and with the records of another block under the ids of this one."""
    one, two = make_tables(blocks, filled(blocks, {"majority": [0.5, 0.6], "stay": [1.0, 0.9]}))
    row = one.rows[0]
    assert compare(one.cells[row, "stay"], one.cells[row, "majority"]).wins == 2
    for first, second in (("stay", "stay"), ("stay", "majority"), ("majority", "majority")):
        with pytest.raises(
            GraphFSAError, match="only runs on the same graphs can be compared; those of seed 0 are not"
        ):
            compare(one.cells[row, first], two.cells[row, second])
    only = filled(blocks, {"majority": [0.5, 0.6]}, "train") | filled(blocks, {"stay": [1.0, 0.9]}, "learn")
    assert [table.paired_tests() for table in make_tables(blocks, only)] == [[], []]
    mixed = filled(blocks, {"majority": [0.5, 0.6], "stay": [1.0, 0.9]}, "train")
    for found in mixed.values():
        if found["config"]["learner"] == "stay":
            found["digests"] = {"train": "0" * 64}
    with pytest.raises(GraphFSAError, match="only runs on the same graphs"):
        first_table(blocks, mixed).paired_tests()


def test_a_column_with_data_of_its_own_is_compared_with_none(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(
        'extends = "path-finding"\ntitle = "x"\nlearners = [{ column = "a", learner = "stay", focus = true },'
        '{ column = "b", learner = "majority" }, { column = "c", learner = "exact", data = { colours = 2 } }]\n'
    )
    experiment = find_experiment(str(path))
    table = first_table(experiment, filled(experiment, {"a": [1.0, 0.9], "b": [0.5, 0.6], "c": [0.5, 0.6]}))
    assert [(pair.first, pair.second) for pair in table.paired_tests()] == [("a", "b")]
    with pytest.raises(GraphFSAError, match="only runs on the same graphs"):
        compare(*(table.cells[table.rows[0], name] for name in "ac"))


def test_rows_that_say_nothing_are_marked_and_compared_by_no_one(floors):
    records = filled(floors, {"majority": [0.5, 0.6], "stay": [1.0, 0.9]})
    for found in records.values():
        if found["config"]["learner"] == "majority":
            found["results"]["n=20"]["accuracy"] = 1.0
    table = first_table(floors, records)
    assert [table.marks(row) for row in table.rows] == [[], ["floor"]]
    assert {pair.row.test for pair in table.paired_tests()} == {"n=10"}
    assert "| n=20 † |" in markdown([table])
    assert "† a floor is always right here" in markdown([table])
    assert "1 of them are in marked rows" in said(table)[0]
    for found in records.values():
        found["shared"] = {"n=10": 0.5, "validation": 1.0}
        found["digests"] = {"validation": "a" * 64, "n=20": "a" * 64}
    table = first_table(floors, records)
    assert [table.marks(row) for row in table.rows] == [["seen"], ["floor", "chosen"]]
    assert table.paired_tests() == []
    text = markdown([table])
    assert "| n=20 † § |" in text
    assert "learners choose by these graphs, so they are not held out" in text
    assert "Validation graphs are training graphs too" in text
    assert "chosen" in as_csv([table])
    assert r"$n=20$$^\dagger$$^\S$" in latex([table])


def test_rule_42_on_ten_cells_is_marked(tmp_path):
    (tmp_path / "models").mkdir()
    experiment = find_experiment("elementary-1")
    (place, job) = next(part for part in experiment.jobs(0) if part[0].learner.floor)
    found = run_job(replace(job, tests=tuple(replace(test, count=5) for test in job.tests)), tmp_path / "models")
    table = first_table(experiment, {job.id: {**found, "id": job.id, "config": job.config}})
    assert place.learner.learner == "majority"
    assert [row.test for row in table.rows if table.marks(row)] == ["t=10", "t=20", "t=50", "t=100"]


def test_missing_and_failed_jobs_are_counted(floors):
    records = filled(floors, {"majority": [0.5, 0.6], "stay": [1.0]})
    name = next(iter(records))
    records[name] = {**records[name], "status": "failed", "error": "out of luck"}
    table = first_table(floors, records)
    assert len(table.missing) == 1
    assert len(first_table(floors, records, seeds=5).missing) == 1 + 2 * 3
    assert list(table.failed.values()) == ["out of luck"]
    assert "out of luck" in markdown([table])
    assert "Jobs that have not been run: 1." in markdown([table])
    fewer = first_table(floors, filled(floors, {"majority": [0.5, 0.6], "stay": [1.0]}))
    assert "over 2 seeds (stay: 1)" in latex([fewer])
    assert first_table(floors, {}).cells == {}


def test_columns_that_were_not_run_are_shown_as_such(floors):
    table = first_table(floors, filled(floors, {"stay": [1.0, 0.9]}))
    assert "| n=10 | 0.50 ± 0.00 | - | 0.95 ± 0.07 (1/2) |" in markdown([table])
    assert "Not run yet (-): majority." in markdown([table])
    assert table.paired_tests() == []


def test_each_published_cell_has_a_verdict(floors):
    near = first_table(floors, filled(floors, {"majority": [0.52, 0.53, 0.52], "stay": [0.9, 1.0, 0.95]}))
    assert said(near)[0] == (
        "Of 2 published cells that are measured again: 2 equal, 0 better, 0 worse, 0 undecided (margin 0.05)."
    )
    assert len(said(near)) == 1  # No learner here repeats the published Diff-FSA.
    far = first_table(floors, filled(floors, {"majority": [0.9, 0.9, 0.9], "stay": [0.2, 0.2, 0.2]}))
    assert {part.outcome.verdict for part in far.reproduced()} == {"better"}
    assert "| n=10 | majority | 0.90 ± 0.00 | 0.50 ± 0.00 | +0.400 |" in markdown([far])
    assert said(replace(far, quick=True)) == []


def test_what_the_experiment_is_about_stands_beside_the_published_diff_fsa():
    experiment = find_experiment("prefix-sum")
    strong = "Diff-FSA, preset strong"
    one, two = make_tables(experiment, filled(experiment, {strong: [1.0, 1.0, 1.0]}))
    assert said(one) == [f"{strong} against the published Diff-FSA: 0 equal, 4 better, 0 worse, 0 undecided."]
    assert said(two) == []


def test_cells_about_other_data_are_not_held_against_each_other():
    experiment = find_experiment("grab-2")
    table = first_table(experiment, filled(experiment, {"GNCA": [0.1, 0.1], "exact learner": [1.0, 1.0]}))
    assert not experiment.published.comparable
    assert table.published
    assert table.reproduced() == table.beside_published() == []
    assert said(table) == []


def test_how_much_longer_a_training_was_is_measured():
    experiment = find_experiment("prefix-sum")
    records = filled(experiment, {"GNCA": [0.5, 0.5], "GNCA, 3 x the training": [0.5]})
    for found in records.values():
        found["fit"] = {"updates": 50 * found["config"]["options"]["epochs"]}
    (words,) = [words for words in said(first_table(experiment, records)) if "updates" in words]
    assert words == "GNCA, 3 x the training: 3,000 updates on average, 3.0 times those of GNCA."


def test_a_learner_stands_in_every_group():
    experiment = find_experiment("grab")
    columns = {entry.column: [0.9] for entry in experiment.learners}
    for table in make_tables(experiment, filled(experiment, columns)):
        assert len(table.rows) == 15
        assert len({row.group for row in table.rows}) == 3
        for row in table.rows:
            assert (row, "GNCA") in table.cells
            assert (row, "exact learner") in table.cells
            assert ((row, "Diff-FSA, published") in table.published) == table.block.is_paper


def test_the_second_reading_is_shown_where_it_differs(floors):
    same = first_table(floors, filled(floors, {"majority": [0.5], "stay": [0.9]}))
    other = first_table(floors, filled(floors, {"majority": [0.5], "stay": [0.9]}, reference=0.95))
    assert "authors' scoring" not in markdown([same])
    assert "authors' scoring" in markdown([other])
    assert "| 0.95 (0/1) |" in markdown([other])


def test_runs_that_fit_are_shown_by_themselves_where_the_paper_does_so():
    experiment = find_experiment("life")
    column = "Diff-FSA, preset paper"
    records = filled(experiment, {column: [0.5, 1.0, 0.6], "GNCA": [0.7, 0.7, 0.7]})
    for found in records.values():
        found["fit"] = {"train_accuracy": found["results"]["t=1"]["accuracy"]}
    table = first_table(experiment, records)
    cell = table.cells[Row("", "t=5"), column]
    assert cell.strict.runs == 3
    assert (cell.fitted.mean, cell.fitted.runs) == (1, 1)
    assert table.cells[Row("", "t=5"), "GNCA"].fitted is None
    assert "Only runs without an error" in markdown([table])
    assert "| 1.00 (1/1) |" in markdown([table])
    left, right = draw_table([table]).axes
    assert [len(axes.get_lines()) for axes in (left, right)] == [2, 1]
    whole = first_table(find_experiment("distance"), {})
    assert "Only runs" not in markdown([whole])


@given(st.floats(0, 1))
def test_only_what_is_1_is_shown_as_1(value):
    words = share(value)
    assert (float(words) == 1) == (value == 1)
    assert abs(float(words) - value) <= 0.005 + 1e-9


def test_the_last_rows_of_all_tables_stand_side_by_side_block_by_block():
    experiments = [find_experiment(name) for name in ("distance", "grab")]
    tables = [
        table
        for found in experiments
        for table in make_tables(found, filled(found, {entry.column: [0.9] for entry in found.learners}))
    ]
    found = {title: (columns, rows) for title, columns, rows in at_a_glance(tables)}
    assert list(found) == [
        "The paper's graphs",
        "More small graphs",
        "Graphs of up to 30 nodes",
        "Covering graphs, chosen with the truth table",
    ]
    columns, rows = found["The paper's graphs"]
    names = [column.name for column in columns]
    assert len(names) == len(set(names)) == 12
    assert names[-1] == "stay"
    assert [(row.group, row.test) for _, row in rows[1:]] == [(f"{k} states", "n=100") for k in (4, 5, 6)]
    assert not any(column.is_published for column in found["More small graphs"][0])
    assert at_a_glance(make_tables(experiments[0], {})) == []


def test_csv_holds_every_cell(floors):
    table = first_table(floors, filled(floors, {"majority": [0.5, 0.6], "stay": [1.0, 0.9]}))
    rows = list(csv.DictReader(io.StringIO(as_csv([table]))))
    assert len(rows) == 6
    measured = [row for row in rows if row["source"] == "measured"]
    assert {(row["column"], row["mean"]) for row in measured} == {("majority", "0.55"), ("stay", "0.95")}
    assert all(row["runs"] == "2" for row in measured)


def test_latex_is_balanced_and_escaped(tmp_path):
    path = Path(tiny(tmp_path))
    path.write_text(path.read_text().replace('title = "Floors"', 'title = "50 % & $x_1$ {"'))
    experiment = find_experiment(str(path))
    text = latex(make_tables(experiment, filled(experiment, {"majority": [0.5], "stay": [1.0]})))
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
    table = first_table(experiment, records)
    for suffix in (".svg", ".png"):
        draw_table([table], tmp_path / f"x{suffix}")
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
    table = first_table(floors, {})
    assert "over 0 seeds" in latex([table])
    write_results(tmp_path / "report.html", [table], {}, quick=False)
