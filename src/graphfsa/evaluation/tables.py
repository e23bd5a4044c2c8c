"""Tables: what was measured beside what was published, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphfsa.evaluation.experiment import Candidate, Experiment
from graphfsa.evaluation.published import Published, published
from graphfsa.evaluation.statistics import PairedTest, Summary, holm, paired_test, summary

Record = dict[str, Any]
_AUTHORS = 0.0005
"""Difference between the two ways of scoring from which both are shown."""
_SLACK = 0.03
_ROUNDING = 0.005


@dataclass(frozen=True)
class Row:
    """A row: its group (``4 states``; empty if the table has no groups) and its test."""

    group: str
    test: str


@dataclass(frozen=True)
class Column:
    """A column: its name, and whether its numbers are those that the paper published."""

    name: str
    is_published: bool


@dataclass(frozen=True)
class Cell:
    """What one learner did on one test, over all seeds.

    Attributes:
        strict: With strict scoring.
        reference: With the authors' scoring.
        fitted: Strictly, of the runs without an error on their training graphs; None if there are none.
        runs: Strict accuracy of each seed.
        jobs: Id of the job of each seed.
    """

    strict: Summary
    reference: Summary
    fitted: Summary | None
    runs: dict[int, float]
    jobs: dict[int, str]


@dataclass(frozen=True)
class PairedColumns:
    """A paired test of two columns in one row; ``corrected`` is its p-value after the correction."""

    row: Row
    first: str
    second: str
    outcome: PairedTest
    corrected: float


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes:
        experiment: What was run.
        rows: The rows.
        columns: The columns, published ones before those that they are compared with.
        comparison_columns: Columns of a second table: what is measured for comparison only.
        cells: What was measured, by row and name of the column.
        published: What the paper has, likewise.
        failed: Jobs that failed, with their errors.
        missing: Ids of the jobs that have not been run.
        quick: Whether the run was quick.
        seeds: Number of seeds.
    """

    experiment: Experiment
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    comparison_columns: tuple[Column, ...]
    cells: dict[tuple[Row, str], Cell]
    published: dict[tuple[Row, str], Published]
    failed: dict[str, str] = field(default_factory=dict[str, str])
    missing: tuple[str, ...] = ()
    quick: bool = False
    seeds: int = 0

    def differs(self) -> bool:
        """Whether the authors' scoring gives another number anywhere."""
        return any(abs(cell.strict.mean - cell.reference.mean) > _AUTHORS for cell in self.cells.values())

    def best(self, row: Row) -> str | None:
        """The column with the best mean among those that the experiment is about; None if none has been run."""
        chosen = [each.column for each in self._learners(row) if each.focus]
        there = [name for name in chosen if (row, name) in self.cells]
        return max(there, key=lambda name: self.cells[row, name].strict.mean) if there else None

    def paired_tests(self) -> list[PairedColumns]:
        """The best column against every other one, in the last row of each group that all have, on the same seeds.

        p-values are corrected for the number of comparisons of the table.
        """
        found: list[tuple[Row, str, str, PairedTest]] = []
        for row in self.last_rows():
            if (best := self.best(row)) is None:
                continue
            for name in self._columns(row):
                first, second = self.cells[row, best].runs, self.cells[row, name].runs
                shared = sorted(first.keys() & second.keys())
                if name != best and len(shared) > 1:
                    outcome = paired_test([first[seed] for seed in shared], [second[seed] for seed in shared])
                    found.append((row, best, name, outcome))
        corrected = holm([outcome.p for *_, outcome in found])
        return [PairedColumns(*part, p) for part, p in zip(found, corrected, strict=True)]

    def last_rows(self) -> list[Row]:
        """The last row of each group in which no column is empty."""
        full = {row.group: row for row in self.rows if all((row, name) in self.cells for name in self._columns(row))}
        return list(full.values())

    def reproduced(self) -> list[tuple[Row, Candidate, Cell, Published, bool]]:
        """Each cell that repeats a published one, and whether it is within two published deviations plus 0.03.

        An empty list if the published cells are about other data.
        """
        found: list[tuple[Row, Candidate, Cell, Published, bool]] = []
        paper = self.experiment.published
        for row in self.rows if paper is not None and paper.comparable else ():
            for each in self._learners(row):
                source = self.published.get((row, published_column(each.published)))
                cell = self.cells.get((row, each.column))
                if each.published and source is not None and cell is not None:
                    near = abs(cell.strict.mean - source.mean) <= 2 * source.std + _SLACK
                    found.append((row, each, cell, source, near))
        return found

    def best_and_published(self) -> list[tuple[Row, str, Cell, Published]]:
        """The best column beside the published Diff-FSA, in each row that has both."""
        found: list[tuple[Row, str, Cell, Published]] = []
        for row in self.rows:
            source = self.published.get((row, published_column("Diff-FSA")))
            best = self.best(row)
            if source is not None and best is not None:
                found.append((row, best, self.cells[row, best], source))
        return found

    def behind(self) -> list[tuple[Row, str, Cell, Published]]:
        """The rows in which the best column is below the published Diff-FSA, by more than rounding."""
        return [part for part in self.best_and_published() if part[2].strict.mean < part[3].mean - _ROUNDING]

    def _columns(self, row: Row) -> list[str]:
        return [each.column for each in self._learners(row) if not each.comparison]

    def _learners(self, row: Row) -> list[Candidate]:
        return [each for each in self.experiment.learners if each.group in ("", row.group)]


def published_column(model: str) -> str:
    """The name of the column of a published model; the number of states is in the row."""
    return re.sub(r" \(\d+ states\)", "", model) + ", published"


def make_table(experiment: Experiment, records: Mapping[str, Record], *, quick: bool = False, seeds: int = 0) -> Table:
    """Gather the records of an experiment.

    Args:
        experiment: The experiment.
        records: Records by the ids of their jobs; those of other experiments are ignored.
        quick: Whether they are of a quick run.
        seeds: The number of seeds that was asked for, to count what is missing; 0 for the number that was begun.
    """
    groups = list(dict.fromkeys(each.group for each in experiment.learners if each.group)) or [""]
    rows = tuple(Row(group, test.name) for group in groups for test in experiment.tests)
    paper = experiment.published
    every = {} if paper is None else published(paper.table, paper.experiment)
    columns: dict[Column, None] = {}
    comparison: dict[Column, None] = {}
    sources: dict[tuple[Row, str], Published] = {}
    for each in experiment.learners:
        if each.comparison:
            comparison[Column(each.column, False)] = None
            continue
        if each.published:
            title = published_column(each.published)
            columns[Column(title, True)] = None
            for row in rows:
                if each.group in ("", row.group) and (each.published, row.test) in every:
                    sources[row, title] = every[each.published, row.test]
        columns[Column(each.column, False)] = None
    kept = [column for column in columns if not column.is_published or any(name == column.name for _, name in sources)]
    table = Table(experiment, rows, tuple(kept), tuple(comparison), {}, sources, quick=quick)
    return _filled(table, records, seeds)


def _filled(table: Table, records: Mapping[str, Record], seeds: int) -> Table:
    """The table with its cells."""
    experiment = table.experiment
    highest = max((record["config"].get("seed", 0) for record in records.values()), default=-1)
    jobs = {seed: list(experiment.jobs(seed, quick=table.quick)) for seed in range(max(highest + 1, seeds))}
    begun = (seed for seed, all_ in jobs.items() if any(job.id in records for _, job in all_))
    seeds = max(seeds, 1 + max(begun, default=-1))
    runs: dict[tuple[str, str, str], dict[int, tuple[dict[str, float], str, bool]]] = {}
    failed: dict[str, str] = {}
    missing: list[str] = []
    for seed in range(seeds):
        for each, job in jobs[seed]:
            record = records.get(job.id)
            if record is None:
                missing.append(job.id)
            elif record["status"] != "done":
                failed[f"{each.column}{', ' + each.group if each.group else ''}, seed {seed}"] = record["error"]
            else:
                fitted = record["fit"].get("train_accuracy") == 1
                for test, result in record["results"].items():
                    runs.setdefault((each.group, each.column, test), {})[seed] = (result, job.id, fitted)
    cells: dict[tuple[Row, str], Cell] = {}
    for (group, column, test), found in runs.items():
        strict = {seed: result["accuracy"] for seed, (result, _, _) in found.items()}
        good = [strict[seed] for seed, (_, _, fitted) in found.items() if fitted]
        cell = Cell(
            strict=summary(list(strict.values())),
            reference=summary([result["reference"] for result, _, _ in found.values()]),
            fitted=summary(good) if good else None,
            runs=strict,
            jobs={seed: job for seed, (_, job, _) in found.items()},
        )
        for row in table.rows:
            if row.test == test and group in ("", row.group):
                cells[row, column] = cell
    count = max((cell.strict.runs for cell in cells.values()), default=0)
    return replace(table, cells=cells, failed=failed, missing=tuple(missing), seeds=count)
