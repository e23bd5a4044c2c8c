"""Tables as CSV and LaTeX, and all of their files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from graphfsa.escaping import latex_label, latex_text, spreadsheet_cell
from graphfsa.evaluation.rendering import block_title, contents, markdown, row_name, seeds_text, spread
from graphfsa.evaluation.tables import Column, Row, Table, by_experiment
from graphfsa.files import atomic_write
from graphfsa.folders import place

_FIELDS = (
    "table", "block", "group", "test", "column", "source", "mean", "std", "low", "high", "exact", "runs",
    "reference_mean", "reference_std", "marks",
)  # fmt: skip
_PLUS_MINUS = "\\pm"
_SIGNS = {"†": r"$^\dagger$", "‡": r"$^\ddagger$", "§": r"$^\S$"}


def as_csv(tables: Sequence[Table]) -> str:
    """One line for each cell of the tables of one experiment, published ones included."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    for table in tables:
        for row in table.rows:
            for column in (*table.columns, *table.longer_columns):
                writer.writerows(_csv_line(table, row, column))
    return text.getvalue()


def _csv_line(table: Table, row: Row, column: Column) -> list[list[object]]:
    spot = (row, column.name)
    words = (table.experiment.name, table.block.name, row.group, row.test, column.head)
    names = [spreadsheet_cell(name) for name in words]
    marks = " ".join(table.marks(row))
    if column.is_published and spot in table.published:
        source = table.published[spot]
        return [[*names, "published", source.mean, source.std, *[""] * 6, marks]]
    if spot not in table.cells:
        return []
    cell = table.cells[spot]
    found = cell.strict
    numbers = _rounded([found.mean, found.std, found.low, found.high])
    authors = _rounded([cell.reference.mean, cell.reference.std])
    return [[*names, "measured", *numbers, found.exact, found.runs, *authors, marks]]


def _rounded(numbers: Sequence[float | None]) -> list[float | str]:
    return ["" if number is None else round(number, 6) for number in numbers]


def latex(tables: Sequence[Table]) -> str:
    """The tables of one experiment for a paper, with booktabs."""
    return "\n".join(["% Needs \\usepackage{booktabs,graphicx}", *map(_latex_block, tables)])


def _latex_block(table: Table) -> str:
    grouped = any(row.group for row in table.rows)
    columns = "l" * (1 + grouped) + "r" * len(table.columns)
    heads = (rf"\rotatebox{{60}}{{{latex_text(column.head)}}}" for column in table.columns)
    head = ["", *([""] if grouped else []), *heads]
    name = latex_label(table.experiment.name + ("" if table.block.is_paper else f"-{table.block.name}"))
    lines = [
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{latex_text(table.experiment.title)}, {latex_text(block_title(table).lower())}: "
        + latex_text(table.experiment.about)
        + (" Quick run." if table.quick else "")
        + f" Mean $\\pm$ standard deviation over {latex_text(seeds_text(table))}, strict scoring.}}",
        rf"\label{{tab:{name}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
    ]
    before = None
    for row in table.rows:
        if before is not None and row.group != before:
            lines.append(r"\midrule")
        group = latex_text(row.group if row.group != before else "")
        before = row.group
        cells = [_latex_cell(table, row, column) for column in table.columns]
        lines.append(" & ".join([*([group] if grouped else []), _latex_row(table, row), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex_row(table: Table, row: Row) -> str:
    test = latex_text(row.test)
    signs = row_name(table, row)[len(row.test) :].split()
    return (f"${test}$" if "=" in row.test else test) + "".join(_SIGNS[sign] for sign in signs)


def _latex_cell(table: Table, row: Row, column: Column) -> str:
    found = table.published.get((row, column.name)) if column.is_published else None
    if not column.is_published and (cell := table.cells.get((row, column.name))) is not None:
        found = cell.strict
    return "" if found is None else f"${spread(found, _PLUS_MINUS)}$"


def write_tables(folder: Path, tables: Sequence[Table], *, quick: bool) -> None:
    """Write each table as Markdown, CSV and LaTeX, and a list of them."""
    for blocks in by_experiment(tables):
        name = blocks[0].experiment.name
        atomic_write(place(folder, f"{name}.md"), markdown(blocks))
        atomic_write(place(folder, f"{name}.csv"), as_csv(blocks))
        atomic_write(place(folder, f"{name}.tex"), latex(blocks))
    atomic_write(place(folder, "README.md"), contents(tables, quick))
