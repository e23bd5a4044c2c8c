"""Tables: what was measured beside what was published, cell by cell. Each is of one block of an experiment.

A block is learners on the same training graphs. A table knows nothing of other blocks, and refuses to compare runs
whose graphs are not the same, so no comparison, p-value or sentence can be about unlike data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from graphfsa.errors import GraphFSAError
from graphfsa.evaluation.experiment import Experiment
from graphfsa.evaluation.jobs import Job, graphs_id
from graphfsa.evaluation.parts import Block, Candidate, Place
from graphfsa.evaluation.published import Published, published
from graphfsa.evaluation.statistics import (
    PairedTest,
    Reproduction,
    Summary,
    holm,
    paired_test,
    reproduction,
    summary,
)

Record = dict[str, Any]
_AUTHORS = 0.0005
"""Difference between the two ways of scoring from which both are shown."""
MARKS = {
    "floor": ("†", "a floor is always right here, so this row can't tell learners apart"),
    "seen": ("‡", "some of these graphs are training graphs too: there are too few of this size to divide"),
    "chosen": ("§", "learners choose by these graphs, so they are not held out"),
}
"""What can be wrong with a row: its sign, and what it means."""


@dataclass(frozen=True)
class Row:
    """A row: its group (``4 states``; empty if the table has no groups) and its test."""

    group: str
    test: str


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        name: Its name.
        is_published: Whether its numbers are those that the paper published.
        knows: What its learner is told that others are not.
    """

    name: str
    is_published: bool
    knows: str = ""

    @property
    def head(self) -> str:
        """What stands above it."""
        return f"{self.name} ({self.knows})" if self.knows else self.name


@dataclass(frozen=True)
class Cell:
    """What one learner did on one test, over all seeds.

    Attributes:
        strict: With strict scoring.
        reference: With the authors' scoring.
        fitted: Strictly, of the runs without an error on their training graphs; None if there are none.
        runs: Strict accuracy of each seed.
        jobs: Id of the job of each seed.
        graphs: What stands for the graphs of each seed, those to learn from and those of the tests.
        seen: Largest share of the test graphs that were training graphs.
        chosen: Whether the test graphs are the validation graphs.
    """

    strict: Summary
    reference: Summary
    fitted: Summary | None
    runs: dict[int, float]
    jobs: dict[int, str]
    graphs: dict[int, str]
    seen: float = 0.0
    chosen: bool = False


def compare(first: Cell, second: Cell) -> PairedTest | None:
    """The paired test of two cells over the seeds that both have; None if they share fewer than two.

    Raises:
        GraphFSAError: The runs of a seed are not on the same graphs.
    """
    shared = sorted(first.runs.keys() & second.runs.keys())
    unlike = [seed for seed in shared if first.graphs[seed] != second.graphs[seed]]
    if unlike:
        raise GraphFSAError(f"only runs on the same graphs can be compared; those of seed {unlike[0]} are not")
    if len(shared) < 2:
        return None
    return paired_test([first.runs[seed] for seed in shared], [second.runs[seed] for seed in shared])


@dataclass(frozen=True)
class PairedColumns:
    """A paired test of two columns in one row; ``corrected`` is its p-value after the correction."""

    row: Row
    first: str
    second: str
    outcome: PairedTest
    corrected: float


@dataclass(frozen=True)
class Repeated:
    """A measured cell and the published one that it is held against."""

    row: Row
    column: str
    cell: Cell
    published: Published
    outcome: Reproduction


@dataclass(frozen=True)
class Table:
    """The results of one block of an experiment.

    Attributes:
        experiment: What was run.
        block: The block.
        rows: The rows.
        columns: The columns, published ones before those that they are compared with.
        longer_columns: Columns of a second table: the same learners, trained for longer.
        cells: What was measured, by row and name of the column.
        published: What the paper has, likewise.
        failed: Jobs that failed, with their errors.
        missing: Ids of the jobs that have not been run.
        updates: Number of updates of each run, by name of the column, where its learner counts them.
        validation_seen: Largest share of the validation graphs that were training graphs.
        quick: Whether the run was quick.
        seeds: Number of seeds.
    """

    experiment: Experiment
    block: Block
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    longer_columns: tuple[Column, ...]
    cells: dict[tuple[Row, str], Cell]
    published: dict[tuple[Row, str], Published]
    failed: dict[str, str] = field(default_factory=dict[str, str])
    missing: tuple[str, ...] = ()
    updates: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    validation_seen: float = 0.0
    quick: bool = False
    seeds: int = 0

    @property
    def learners(self) -> list[Candidate]:
        """The learners of the block."""
        return [each for each in self.experiment.learners if each.is_in(self.block)]

    def differs(self) -> bool:
        """Whether the authors' scoring gives another number anywhere."""
        return any(abs(cell.strict.mean - cell.reference.mean) > _AUTHORS for cell in self.cells.values())

    def was_run(self, column: str) -> bool:
        """Whether a column has any number."""
        return any(name == column for _, name in self.cells)

    def marks(self, row: Row) -> list[str]:
        """What is wrong with a row, by the names of ``MARKS``."""
        here = [(each, self.cells[row, each.column]) for each in self.learners if (row, each.column) in self.cells]
        found = {
            "floor": any(each.floor and cell.strict.mean == 1 for each, cell in here),
            "seen": any(cell.seen for _, cell in here),
            "chosen": any(cell.chosen for _, cell in here),
        }
        return [name for name, holds in found.items() if holds]

    def last_rows(self) -> list[Row]:
        """The last row of each group that has a number in all columns that were run, and no mark."""
        names = [each.column for each in self.learners if not each.longer_than and self.was_run(each.column)]
        full = {
            row.group: row
            for row in self.rows
            if names and all((row, name) in self.cells for name in names) and not self.marks(row)
        }
        return list(full.values())

    def paired_tests(self) -> list[PairedColumns]:
        """The columns that the experiment is about against every other one, in the last rows, seed by seed.

        Which columns and rows these are is settled before anything is run. p-values are corrected for the number of
        comparisons of the row. A column with data of its own is compared with none.
        """
        found: list[PairedColumns] = []
        for row in self.last_rows():
            here = [each for each in self.learners if (row, each.column) in self.cells]
            tests: list[tuple[str, str, PairedTest]] = []
            for place, each in enumerate(here):
                for other in here:
                    if other == each or (other.focus and here.index(other) < place):
                        continue
                    alike = each.focus and not (each.longer_than or other.longer_than) and each.data == other.data
                    outcome = compare(self.cells[row, each.column], self.cells[row, other.column]) if alike else None
                    if outcome is not None:
                        tests.append((each.column, other.column, outcome))
            corrected = holm([outcome.p for *_, outcome in tests])
            found += [PairedColumns(row, *part, p) for part, p in zip(tests, corrected, strict=True)]
        return found

    def reproduced(self) -> list[Repeated]:
        """Each cell that repeats a published one, held against it; none if the published ones are about other data."""
        return self._held({each.column: each.published for each in self.learners if each.published})

    def beside_published(self) -> list[Repeated]:
        """The columns that the experiment is about, held against the published Diff-FSA; none if about other data."""
        return self._held({each.column: "Diff-FSA" for each in self.learners if each.focus})

    def _held(self, models: Mapping[str, str]) -> list[Repeated]:
        found: list[Repeated] = []
        paper = self.experiment.published
        for row in self.rows if paper is not None and paper.comparable else ():
            for column, model in models.items():
                source = self.published.get((row, published_column(model)))
                cell = self.cells.get((row, column))
                if paper is not None and source is not None and cell is not None:
                    values = list(cell.runs.values())
                    outcome = reproduction(values, source.mean, source.std, margin=paper.margin)
                    found.append(Repeated(row, column, cell, source, outcome))
        return found

    def lengths(self) -> list[tuple[Candidate, list[int], list[int]]]:
        """Each longer training with the updates of its runs, and those of the runs that it is longer than."""
        longer = [each for each in self.learners if each.longer_than and self.updates.get(each.column)]
        return [(each, self.updates[each.column], self.updates.get(each.longer_than, [])) for each in longer]


def published_column(model: str) -> str:
    """The name of the column of a published model; the number of states is in the row."""
    return re.sub(r" \(\d+ states\)", "", model) + ", published"


def by_experiment(tables: Sequence[Table]) -> list[list[Table]]:
    """The tables of each experiment, one for each block."""
    return [list(part) for _, part in groupby(tables, key=lambda table: table.experiment.name)]


def make_tables(
    experiment: Experiment, records: Mapping[str, Record], *, quick: bool = False, seeds: int = 0
) -> list[Table]:  # fmt: skip
    """Gather the records of an experiment, a table for each block.

    Args:
        experiment: The experiment.
        records: Records by the ids of their jobs; those of other experiments are ignored.
        quick: Whether they are of a quick run.
        seeds: The number of seeds that was asked for, to count what is missing; 0 for the number that was begun.
    """
    highest = max((record["config"].get("seed", 0) for record in records.values()), default=-1)
    jobs = {seed: list(experiment.jobs(seed, quick=quick)) for seed in range(max(highest + 1, seeds))}
    begun = (seed for seed, all_ in jobs.items() if any(job.id in records for _, job in all_))
    number = max(seeds, 1 + max(begun, default=-1))
    found: list[Table] = []
    for block in experiment.blocks:
        chosen = [(seed, *one) for seed in range(number) for one in jobs[seed] if one[0].block == block]
        found.append(_filled(_empty_table(experiment, block, quick), chosen, records))
    return found


def _empty_table(experiment: Experiment, block: Block, quick: bool) -> Table:
    groups = experiment.all_groups[: 1 if quick else None]
    rows = tuple(Row(group.name, test.name) for group in groups for test in experiment.tests)
    paper = experiment.published if block.is_paper else None
    every = {} if paper is None else published(paper.table, paper.experiment)
    columns: dict[Column, None] = {}
    longer: dict[Column, None] = {}
    sources: dict[tuple[Row, str], Published] = {}
    for each in experiment.learners:
        if not each.is_in(block) or (quick and each.longer_than):
            continue
        own = Column(each.column, False, each.knows(groups))
        if each.longer_than:
            longer[own] = None
            continue
        title = published_column(each.published)
        for row in rows if each.published else ():
            source = every.get((f"{each.published} ({row.group})", row.test), every.get((each.published, row.test)))
            if source is not None:
                sources[row, title] = source
                columns[Column(title, True)] = None
        columns[own] = None
    return Table(experiment, block, rows, tuple(columns), tuple(longer), {}, sources, quick=quick)


def _filled(table: Table, jobs: Sequence[tuple[int, Place, Job]], records: Mapping[str, Record]) -> Table:
    """The table with its cells."""
    runs: dict[tuple[Row, str], dict[int, Record]] = {}
    failed: dict[str, str] = {}
    missing: list[str] = []
    updates: dict[str, dict[str, int]] = {}
    names = {row.group for row in table.rows}
    for seed, place, job in jobs:
        record, column, group = records.get(job.id), place.learner.column, place.group
        if record is None:
            missing.append(job.id)
        elif record["status"] != "done":
            name = ", ".join(word for word in (column, group.name, f"seed {seed}") if word)
            failed[name] = record["error"]
        elif group.name in names:
            if record["fit"].get("updates") is not None:
                updates.setdefault(column, {})[job.id] = record["fit"]["updates"]
            for test in record["results"]:
                runs.setdefault((Row(group.name, test), column), {})[seed] = record
    cells = {(row, column): _cell(row.test, found) for (row, column), found in runs.items()}
    every = [record.get("shared", {}) for found in runs.values() for record in found.values()]
    return replace(
        table,
        cells=cells,
        failed=failed,
        missing=tuple(dict.fromkeys(missing)),
        updates={column: list(found.values()) for column, found in updates.items()},
        validation_seen=max((shared.get("validation", 0.0) for shared in every), default=0.0),
        seeds=max((cell.strict.runs for cell in cells.values()), default=0),
    )


def _cell(test: str, records: Mapping[int, Record]) -> Cell:
    """A cell from the record of each seed."""
    results = {seed: record["results"][test] for seed, record in records.items()}
    strict = {seed: result["accuracy"] for seed, result in results.items()}
    good = [strict[seed] for seed, record in records.items() if record["fit"].get("train_accuracy") == 1]
    digests = [record.get("digests", {}) for record in records.values()]
    return Cell(
        strict=summary(list(strict.values())),
        reference=summary([result["reference"] for result in results.values()]),
        fitted=summary(good) if good else None,
        runs=strict,
        jobs={seed: record["id"] for seed, record in records.items()},
        graphs={seed: _graphs(record) for seed, record in records.items()},
        seen=max(record.get("shared", {}).get(test, 0.0) for record in records.values()),
        chosen=any(test in known and known[test] == known.get("validation") for known in digests),
    )


def _graphs(record: Record) -> str:
    """What stands for the graphs of a record: those that were asked for, and those that were drawn."""
    drawn = sorted(record.get("digests", {}).items())
    return " ".join([graphs_id(record["config"]), *(f"{name} {digest}" for name, digest in drawn)])
