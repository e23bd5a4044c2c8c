"""The tables as text: every cell that was measured beside what was published, for pages and terminals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from graphfsa.escaping import markdown_name, markdown_prose
from graphfsa.evaluation._job import draw_graphs
from graphfsa.evaluation.files import read_job
from graphfsa.evaluation.outside.definitions import Line, OutsideTable, outside_tables
from graphfsa.evaluation.outside.judging import judged
from graphfsa.evaluation.outside.pairs import fitting_rules, same_map
from graphfsa.evaluation.rendering import share
from graphfsa.evaluation.results import Record, Results
from graphfsa.evaluation.tables import Cell, Row, Table, make_tables
from graphfsa.files import atomic_write
from graphfsa.folders import place

CELLS = (
    "A cell is the share of nodes with their label, the share of graphs without a wrong node, and in brackets the "
    "runs without any wrong node; strict scoring: a node without an answer is wrong. Proofs are found and checked when "
    "this page is written."
)


@dataclass(frozen=True)
class Sheet:
    """A table of the scoreboard as text.

    Attributes:
        table: What it is about.
        head: The head of each column.
        rows: The rows.
        remarks: What went wrong, and how much was run.
    """

    table: OutsideTable
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Measured:
    """A line, what was measured for it, and the records."""

    line: Line
    table: Table
    records: Mapping[str, Record]
    results: Results

    def cell(self, test: str, column: str) -> Cell | None:
        return self.table.cells.get((Row("", test), column))

    def text(self, test: str, column: str) -> str:
        """Shares of nodes and of whole graphs, and the number of runs without a wrong node."""
        cell = self.cell(test, column)
        if cell is None:
            return ""
        whole = fmean(self.records[job]["results"][test]["perfect"] for job in cell.jobs.values())
        return f"{share(cell.strict.mean)} / {share(whole)} ({cell.strict.exact}/{cell.strict.runs})"

    def jobs(self, column: str) -> list[str]:
        """The jobs of a column, by seed."""
        cell = self.cell(self.line.experiment.tests[0].name, column)
        return [] if cell is None else list(cell.jobs.values())

    def verdicts(self, column: str) -> list[str]:
        """What can be said about each automaton of a column for graphs of every size."""
        return [judged(self.records[job], self.results.models) for job in self.jobs(column)]


def make_sheets(results: Results) -> list[Sheet]:
    """All tables of the scoreboard, from the records of a directory."""
    records, found = results.records(), results.experiments()
    sheets: list[Sheet] = []
    for table in outside_tables():
        measured = [
            _Measured(
                line,
                make_tables(
                    found[line.experiment.name],
                    records,
                    quick=results.quick,
                    seeds=results.seeds.get(line.experiment.name, 0),
                )[0],
                records,
                results,
            )
            for line in table.lines
            if line.experiment.name in found
        ]
        if not table.lines:
            sheets.append(Sheet(table, table.head, table.rows))
        elif table.layout == "pairs":
            sheets.append(_pairs(table, measured))
        else:
            sheets.append(_rows(table, measured))
    return sheets


def _rows(table: OutsideTable, measured: Sequence[_Measured]) -> Sheet:
    """A row for each test of each line."""
    learners = table.lines[0].experiment.learners
    columns = [each.column for each in learners]
    focus = [each.column for each in learners if each.focus]
    head = ["", "test", "published", *columns, *(f"{name}: on every size" for name in focus), "what differs"]
    rows: list[tuple[str, ...]] = []
    for each in measured:
        for number, test in enumerate(each.line.experiment.tests):
            first = number == 0
            proofs = [_counted(each.verdicts(name)) if first else "" for name in focus]
            cells = [each.text(test.name, name) for name in columns]
            words = [each.line.label if first else "", test.name, each.line.published.get(test.name, "")]
            rows.append((*words, *cells, *proofs, each.line.differs if first else ""))
    return Sheet(table, tuple(head), tuple(rows), tuple(_remarks(measured)))


def _pairs(table: OutsideTable, measured: Sequence[_Measured]) -> Sheet:
    """Rules against steps: in how many runs the rule was found, and whether any data could determine it."""
    cells: dict[str, dict[str, str]] = {}
    for each in measured:
        rule, steps = each.line.label.split(", ")
        cells.setdefault(rule, {})[steps] = _pair(each)
    head = ("", *dict.fromkeys(steps for row in cells.values() for steps in row))
    rows = [(rule, *(row.get(steps, "") for steps in head[1:])) for rule, row in cells.items()]
    return Sheet(table, head, (*rows, ("all 256 rules", *map(_determined, head[1:]))), tuple(_remarks(measured)))


def _pair(each: _Measured) -> str:
    data, column = each.line.experiment.data, each.line.experiment.learners[0].column
    jobs = each.jobs(column)
    if not jobs:
        return ""
    found = sum(verdict == "proved" for verdict in each.verdicts(column))
    others = same_map(data.options["rule"], data.steps)
    words = f"found {found}/{len(jobs)}"
    if others:
        return f"{words}; not determined: {_listed(others)} {'do' if len(others) > 1 else 'does'} the same"
    fits = [len(fitting_rules(draw_graphs(read_job(each.records[job]["config"], job)).train)) for job in jobs]
    return words if max(fits) == 1 else f"{words}; up to {max(fits)} rules fit a pair"


def _determined(steps: str) -> str:
    """How many of all rules have a map of their own."""
    number = int(steps.partition("=")[2])
    return f"{sum(not same_map(rule, number) for rule in range(256))} can be determined"


def _listed(rules: Sequence[int]) -> str:
    return ", ".join(map(str, rules[:3])) + (f" and {len(rules) - 3} more" if len(rules) > 3 else "")


def _counted(verdicts: Sequence[str]) -> str:
    """Verdicts with their numbers: ``proved 2/3; refuted by a tree of 5 nodes 1/3``."""
    return "; ".join(f"{words} {verdicts.count(words)}/{len(verdicts)}" for words in dict.fromkeys(verdicts))


def _remarks(measured: Sequence[_Measured]) -> Iterator[str]:
    seeds = max((each.table.seeds for each in measured), default=0)
    yield f"{seeds} seed{'s' * (seeds != 1)}."
    missing = sum(len(each.table.missing) for each in measured)
    if missing:
        yield f"Jobs that have not been run: {missing}."
    for each in measured:
        for name, error in each.table.failed.items():
            yield f"Failed: {each.line.label}, {name}: {' '.join(error.split())}"


def sheet_markdown(sheet: Sheet) -> str:
    """A table with all that belongs to it."""
    table = sheet.table
    lines = [_line(map(markdown_name, sheet.head)), _line(["---"] * len(sheet.head))]
    lines += [_line(map(markdown_name, row)) for row in sheet.rows]
    parts = [f"## {markdown_name(table.title)}", markdown_prose(table.about), "\n".join(lines)]
    parts += [" ".join(map(markdown_name, sheet.remarks))] if sheet.remarks else []
    notes = [*table.notes, *(f"Source: {source}" for source in table.sources)]
    parts += ["\n".join(f"- {markdown_prose(note)}" for note in notes)] if notes else []
    return "\n\n".join(parts) + "\n"


def _line(cells: Iterator[str] | Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def write_sheets(results: Results, sheets: Sequence[Sheet]) -> None:
    """Write all tables as one page of Markdown, ``README.md``."""
    quick = "**Quick run: few graphs; the numbers mean little.** " if results.quick else ""
    top = [
        "# The outside scoreboard",
        f"{quick}Made by `graphfsa reproduce outside`; no measured number is typed by hand. Published numbers are as "
        "their sources say; what differs from their protocol is said in each row.",
        CELLS,
    ]
    text = "\n\n".join([*top, *(sheet_markdown(sheet).rstrip() for sheet in sheets)])
    atomic_write(place(results.path, "README.md"), text + "\n")
