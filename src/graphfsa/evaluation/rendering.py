"""Tables as Markdown, CSV and LaTeX, and as the files of a directory of results."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from graphfsa.evaluation.records import Results
from graphfsa.evaluation.tables import Column, Row, Table
from graphfsa.evaluation.words import (
    GLANCE,
    Reading,
    at_a_glance,
    differences,
    notes,
    readings,
    seeds_text,
    shown,
    spread,
    strict,
    where,
)
from graphfsa.files import atomic_write


def markdown(table: Table) -> str:
    """The table with everything that there is to say about it."""
    experiment = table.experiment
    parts = [f"## {experiment.title}", experiment.about, _scope(table), _grid(table, table.columns, strict)]
    for words, columns, reading in readings(table):
        parts += [f"{words}:", _grid(table, columns, reading)]
    parts += [
        _comparisons(table),
        *(_paragraph(words) for words in differences(table)),
        _list("Notes", notes(table)),
        _list("Failed jobs", [f"{name}: {' '.join(error.split())}" for name, error in table.failed.items()]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _scope(table: Table) -> str:
    words = f"Mean ± standard deviation over {seeds_text(table)}, strict scoring"
    words += "; in brackets, runs without a single wrong node."
    if table.quick:
        words = "**Quick run: few graphs and short trainings; the numbers mean little.** " + words
    if table.missing:
        words += f" Jobs that have not been run: {len(table.missing)}."
    return words


def _grid(table: Table, columns: Sequence[Column], reading: Reading) -> str:
    grouped = any(row.group for row in table.rows)
    head = [*([""] if grouped else []), "", *(column.name for column in columns)]
    lines = [_line(head), _line(["---"] * (1 + grouped) + ["---:"] * len(columns))]
    before = None
    for row in table.rows:
        names = [*([row.group if row.group != before else ""] if grouped else []), row.test]
        before = row.group
        cells = [shown(table, row, column, reading) for column in columns]
        lines.append(_line([*names, *cells]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _comparisons(table: Table) -> str:
    found = table.comparisons()
    if not found:
        return ""
    lines = [
        "Paired over seeds (same training zone, same test graphs): difference in accuracy with its 95 % bootstrap "
        "interval, and the p-value of the exact sign-flip test after Holm's correction.",
        "",
        _line(["row", "", "against", "difference", "95 % interval", "better / worse", "p"]),
        _line(["---", "---", "---", "---:", "---:", "---:", "---:"]),
    ]
    for pair in found:
        it = pair.outcome
        where = ", ".join(word for word in (pair.row.group, pair.row.test) if word)
        interval = f"{it.low:+.3f} .. {it.high:+.3f}"
        cells = [where, pair.first, pair.second, f"{it.difference:+.3f}", interval, f"{it.wins} / {it.losses}"]
        lines.append(_line([*cells, f"{pair.corrected:.3g}"]))
    return "\n".join(lines)


def _paragraph(words: list[str]) -> str:
    first, *rest = words
    return "\n".join([first, *([""] if rest else []), *(f"- {line}" for line in rest)])


def _list(title: str, lines: list[str]) -> str:
    return "" if not lines else f"{title}:\n\n" + "\n".join(f"- {line}" for line in lines)


_FIELDS = (
    "table", "group", "test", "column", "source", "mean", "std", "low", "high", "exact", "runs", "reference_mean",
    "reference_std",
)  # fmt: skip


def as_csv(table: Table) -> str:
    """One line for each cell, published ones included."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    name = table.experiment.name
    for row in table.rows:
        for column in (*table.columns, *table.asides):
            place = (row, column.name)
            if column.is_published and place in table.published:
                it = table.published[place]
                writer.writerow([name, row.group, row.test, column.name, "published", it.mean, it.std] + [""] * 6)
            elif place in table.cells:
                cell = table.cells[place]
                it = cell.strict
                numbers = [it.mean, it.std, it.low, it.high]
                authors = [cell.reference.mean, cell.reference.std]
                line = [*_rounded(numbers), it.exact, it.runs, *_rounded(authors)]
                writer.writerow([name, row.group, row.test, column.name, "measured", *line])
    return text.getvalue()


def _rounded(numbers: Sequence[float | None]) -> list[float | str]:
    return ["" if number is None else round(number, 6) for number in numbers]


def latex(table: Table) -> str:
    """The table for a paper, with booktabs."""
    grouped = any(row.group for row in table.rows)
    columns = "l" * (1 + grouped) + "r" * len(table.columns)
    head = [
        "",
        *([""] if grouped else []),
        *(rf"\rotatebox{{60}}{{{_escaped(column.name)}}}" for column in table.columns),
    ]
    lines = [
        "% Needs \\usepackage{booktabs,graphicx}",
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{_escaped(table.experiment.title)}: {_escaped(table.experiment.about)}"
        + (" Quick run." if table.quick else "")
        + f" Mean $\\pm$ standard deviation over {_escaped(seeds_text(table))}, strict scoring.}}",
        rf"\label{{tab:{table.experiment.name}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
    ]
    before = None
    for row in table.rows:
        if before is not None and row.group != before:
            lines.append(r"\midrule")
        names = [*([_escaped(row.group if row.group != before else "")] if grouped else []), f"${_escaped(row.test)}$"]
        if "=" not in row.test:
            names[-1] = _escaped(row.test)
        before = row.group
        cells = [_latex_cell(table, row, column) for column in table.columns]
        lines.append(" & ".join([*names, *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex_cell(table: Table, row: Row, column: Column) -> str:
    found = table.published.get((row, column.name)) if column.is_published else None
    if not column.is_published and (cell := table.cells.get((row, column.name))) is not None:
        found = cell.strict
    return "" if found is None else f"${spread(found, _PLUS_MINUS)}$"


_PLUS_MINUS = "\\pm"
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def _escaped(words: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in words)


def write_tables(results: Results, tables: Sequence[Table]) -> None:
    """Write each table as Markdown, CSV and LaTeX, and a list of them."""
    for table in tables:
        name = table.experiment.name
        atomic_write(results.path / f"{name}.md", markdown(table))
        atomic_write(results.path / f"{name}.csv", as_csv(table))
        atomic_write(results.path / f"{name}.tex", latex(table))
    atomic_write(results.path / "README.md", _contents(results, tables))


def _contents(results: Results, tables: Sequence[Table]) -> str:
    lines = [
        "# Results" + (" of a quick run" if results.quick else ""),
        "",
        "Made by `graphfsa reproduce`; no number is typed by hand. `report.html` is one page with everything.",
        "`records.jsonl` has a line for every training: configuration, seed, versions, digests of the data, times and",
        "accuracies. `models/` has what was learned.",
        "",
        "| table | | seeds |",
        "| --- | --- | ---: |",
        *(
            f"| [{table.experiment.title}]({table.experiment.name}.md) | [CSV]({table.experiment.name}.csv), "
            f"[LaTeX]({table.experiment.name}.tex), [picture]({table.experiment.name}.svg) | {table.seeds} |"
            for table in tables
        ),
    ]
    columns, found = at_a_glance(tables)
    if found:
        lines += ["", f"{GLANCE}:", ""]
        lines += [_line(["", *(column.name for column in columns)]), _line(["---", *["---:"] * len(columns)])]
        lines += [
            _line([f"{table.experiment.title}, {where(row)}", *(shown(table, row, column) for column in columns)])
            for table, row in found
        ]
    return "\n".join(lines) + "\n"
