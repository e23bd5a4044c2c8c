"""Tables: what was measured beside what was published, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphfsa.evaluation.experiment import Entry, Experiment
from graphfsa.evaluation.published import Published, published
from graphfsa.evaluation.statistics import Comparison, Summary, compare, holm, summary

Record = dict[str, Any]
_AUTHORS = 0.0005
"""Difference between the two ways of scoring from which both are shown."""
_SLACK = 0.03
_ROUNDING = 0.005


@dataclass(frozen=True)
class Row:
    """A row: the group that it belongs to (``4 states``, or nothing) and the test."""

    group: str
    test: str


@dataclass(frozen=True)
class Column:
    """A column: its name, and whether it is what the paper published."""

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
        jobs: Name of the job of each seed.
    """

    strict: Summary
    reference: Summary
    fitted: Summary | None
    runs: dict[int, float]
    jobs: dict[int, str]


@dataclass(frozen=True)
class Paired:
    """A paired comparison of two columns in one row."""

    row: Row
    first: str
    second: str
    outcome: Comparison
    corrected: float


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes:
        experiment: What was run.
        rows: The rows.
        columns: The columns, published ones before those that they are compared with.
        asides: Columns of a second table: what is measured for comparison only.
        cells: What was measured, by row and name of the column.
        published: What the paper has, likewise.
        failed: Jobs that failed, with their errors.
        missing: Names of the jobs that have not been run.
        quick: Whether the run was quick.
        seeds: Number of seeds.
    """

    experiment: Experiment
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    asides: tuple[Column, ...]
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
        """The column with the best mean among those that are ours; None without any."""
        chosen = [entry.column for entry in self._entries(row) if entry.ours]
        there = [name for name in chosen if (row, name) in self.cells]
        return max(there, key=lambda name: self.cells[row, name].strict.mean) if there else None

    def comparisons(self) -> list[Paired]:
        """The best of ours against every other column, in the last row of each group that all have, on the same seeds.

        p-values are corrected for the number of comparisons of the table.
        """
        found: list[tuple[Row, str, str, Comparison]] = []
        for row in self.last_rows():
            if (best := self.best(row)) is None:
                continue
            for name in self._columns(row):
                ours, theirs = self.cells[row, best].runs, self.cells[row, name].runs
                shared = sorted(ours.keys() & theirs.keys())
                if name != best and len(shared) > 1:
                    outcome = compare([ours[seed] for seed in shared], [theirs[seed] for seed in shared])
                    found.append((row, best, name, outcome))
        corrected = holm([outcome.p for *_, outcome in found])
        return [Paired(*part, p) for part, p in zip(found, corrected, strict=True)]

    def last_rows(self) -> list[Row]:
        """The last row of each group in which every column has something."""
        full = {row.group: row for row in self.rows if all((row, name) in self.cells for name in self._columns(row))}
        return list(full.values())

    def reproduced(self) -> list[tuple[Row, Entry, Cell, Published, bool]]:
        """Each cell that repeats a published one, and whether it is within two published deviations plus 0.03.

        None if the published ones are about other data.
        """
        found: list[tuple[Row, Entry, Cell, Published, bool]] = []
        for row in self.rows if self.experiment.comparable else ():
            for entry in self._entries(row):
                source = self.published.get((row, published_column(entry.published)))
                cell = self.cells.get((row, entry.column))
                if entry.published and source is not None and cell is not None:
                    near = abs(cell.strict.mean - source.mean) <= 2 * source.std + _SLACK
                    found.append((row, entry, cell, source, near))
        return found

    def held(self) -> list[tuple[Row, str, Cell, Published]]:
        """Our best automaton beside the published Diff-FSA, in each row that has both."""
        found: list[tuple[Row, str, Cell, Published]] = []
        for row in self.rows:
            source = self.published.get((row, published_column("Diff-FSA")))
            best = self.best(row)
            if source is not None and best is not None:
                found.append((row, best, self.cells[row, best], source))
        return found

    def behind(self) -> list[tuple[Row, str, Cell, Published]]:
        """Those rows in which ours is below the published one, by more than rounding."""
        return [part for part in self.held() if part[2].strict.mean < part[3].mean - _ROUNDING]

    def _columns(self, row: Row) -> list[str]:
        return [entry.column for entry in self._entries(row) if not entry.aside]

    def _entries(self, row: Row) -> list[Entry]:
        return [entry for entry in self.experiment.entries if entry.group in ("", row.group)]


def published_column(model: str) -> str:
    """The name of the column of a published model; the number of states is in the row."""
    return re.sub(r" \(\d+ states\)", "", model) + ", published"


def make_table(experiment: Experiment, records: Mapping[str, Record], *, quick: bool = False, seeds: int = 0) -> Table:
    """Gather the records of an experiment.

    Args:
        experiment: The experiment.
        records: Records by name of the job; others than those of this experiment are ignored.
        quick: Whether they are of a quick run.
        seeds: How many seeds there are to be, to count what is missing; as many as there are records of by default.
    """
    groups = list(dict.fromkeys(entry.group for entry in experiment.entries if entry.group)) or [""]
    rows = tuple(Row(group, test.name) for group in groups for test in experiment.tests)
    every = published(*experiment.published)
    columns: dict[Column, None] = {}
    asides: dict[Column, None] = {}
    sources: dict[tuple[Row, str], Published] = {}
    for entry in experiment.entries:
        if entry.aside:
            asides[Column(entry.column, False)] = None
            continue
        if entry.published:
            title = published_column(entry.published)
            columns[Column(title, True)] = None
            for row in rows:
                if entry.group in ("", row.group) and (entry.published, row.test) in every:
                    sources[row, title] = every[entry.published, row.test]
        columns[Column(entry.column, False)] = None
    kept = [column for column in columns if not column.is_published or any(name == column.name for _, name in sources)]
    table = Table(experiment, rows, tuple(kept), tuple(asides), {}, sources, quick=quick)
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
        for entry, job in jobs[seed]:
            record = records.get(job.id)
            if record is None:
                missing.append(job.id)
            elif record["status"] != "done":
                failed[f"{entry.column}{', ' + entry.group if entry.group else ''}, seed {seed}"] = record["error"]
            else:
                fitted = record["fit"].get("train_accuracy") == 1
                for test, result in record["results"].items():
                    runs.setdefault((entry.group, entry.column, test), {})[seed] = (result, job.id, fitted)
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
