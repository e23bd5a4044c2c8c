"""Tables as text: cells, remarks, and whole tables as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from graphfsa.escaping import latex_label, latex_text, markdown_name, markdown_prose, spreadsheet_cell
from graphfsa.evaluation.published import Published
from graphfsa.evaluation.statistics import Summary
from graphfsa.evaluation.tables import Cell, Column, Row, Table
from graphfsa.files import atomic_write
from graphfsa.folders import place


def share(value: float) -> str:
    """An accuracy with two digits, or with more if it is below 1 and would be rounded to 1.

    Example:
        >>> share(0.614), share(0.9993), share(1.0)
        ('0.61', '0.999', '1.00')
    """
    return f"{min(value, 0.999999) if value < 1 else value:.{_digits(value)}f}"


def _digits(value: float) -> int:
    digits = 2
    while value < 1 and float(f"{value:.{digits}f}") == 1 and digits < 6:
        digits += 1
    return digits


def spread(found: Summary | Published, sign: str = "±") -> str:
    """Mean and deviation with the same number of digits; one run has no deviation.

    Example:
        >>> spread(Published(0.61, 0.2)), spread(Published(0.9972, 0.0031))
        ('0.61 ± 0.20', '0.997 ± 0.003')
    """
    return share(found.mean) + ("" if found.std is None else f" {sign} {found.std:.{_digits(found.mean)}f}")


def cell_text(found: Summary | Published) -> str:
    """Mean and deviation, and for what was measured the number of exact runs."""
    return spread(found) if isinstance(found, Published) else f"{spread(found)} ({found.exact}/{found.runs})"


def seeds_text(table: Table) -> str:
    """The number of seeds, and which columns have fewer."""
    runs = {
        column.name: max(
            (cell.strict.runs for (_, name), cell in table.cells.items() if name == column.name), default=0
        )
        for column in table.columns
        if not column.is_published
    }
    fewer = [f"{name}: {number}" for name, number in runs.items() if number < table.seeds]
    words = f"{table.seeds} seed{'s' * (table.seeds != 1)}"
    return f"{words} ({', '.join(fewer)})" if fewer else words


Reading = Callable[[Cell], Summary | None]


def strict(cell: Cell) -> Summary:
    """Over all runs, with strict scoring."""
    return cell.strict


def readings(table: Table) -> list[tuple[str, tuple[Column, ...], Reading]]:
    """The further tables to show: title, columns, and what to read from a cell."""
    found: list[tuple[str, tuple[Column, ...], Reading]] = []
    if table.experiment.fitted and any(cell.fitted for cell in table.cells.values()):
        found.append((FITTED, table.columns, lambda cell: cell.fitted))
    if any(name in {column.name for column in table.comparison_columns} for _, name in table.cells):
        found.append((_COMPARISON, table.comparison_columns, strict))
    if table.differs():
        found.append((_AUTHORS, table.columns, lambda cell: cell.reference))
    return found


FITTED = "Only runs without an error on their training graphs, which are those that the paper shows"
_COMPARISON = "For comparison, with few seeds, the same learners trained for longer, or on other graphs"
_AUTHORS = "With the authors' scoring, where a node without an answer counts as the first class"


def text_at(table: Table, row: Row, column: Column, reading: Reading = strict) -> str:
    """The text in a row and a column; empty if nothing was measured or published."""
    if column.is_published:
        source = table.published.get((row, column.name))
        return "" if source is None else cell_text(source)
    cell = table.cells.get((row, column.name))
    found = None if cell is None else reading(cell)
    return "" if found is None else cell_text(found)


def at_a_glance(tables: Sequence[Table]) -> tuple[list[Column], list[tuple[Table, Row]]]:
    """The columns of all tables, and the last row of each table, or of each of its groups, that every learner has."""
    columns: list[Column] = []
    for table in tables:
        place = 0
        for column in table.columns:  # One that earlier tables lack stands behind its neighbour.
            if column not in columns:
                columns.insert(place, column)
            place = columns.index(column) + 1
    return columns, [(table, row) for table in tables for row in table.last_rows()]


GLANCE = "The largest graphs, or most steps, that every learner was tested on"


def differences(table: Table) -> list[list[str]]:
    """How the results differ from what was published: paragraphs, each a sentence and the cells that it is about.

    None for a quick run.
    """
    found: list[list[str]] = []
    if table.quick:
        return found
    reproduced = table.reproduced()
    if reproduced:
        far = [part for part in reproduced if not part[-1]]
        words = (
            f"Of {len(reproduced)} cells that repeat a published one, {len(reproduced) - len(far)} are within two "
            f"published deviations plus 0.03.{' The others:' if far else ''}"
        )
        cells = (
            f"{each.column}, {where(row)}: {spread(cell.strict)}, published {spread(source)}"
            for row, each, cell, source, _ in far
        )
        found.append([words, *cells])
    behind = table.behind()
    if behind:
        cells = (
            f"{where(row)}: {share(cell.strict.mean)} ({name}), published {source.mean:.2f}"
            for row, name, cell, source in behind
        )
        found.append(["Our best learner is below the published Diff-FSA in:", *cells])
    elif table.best_and_published():
        found.append(["Our best learner is at least as good as the published Diff-FSA in every row."])
    return found


def notes(table: Table) -> list[str]:
    """The notes in the definition of the table, which are about full runs."""
    return [] if table.quick else list(table.experiment.notes)


def where(row: Row) -> str:
    """A row in words: ``n=10 with 4 states``."""
    return f"{row.test}{' with ' + row.group if row.group else ''}"


def markdown(table: Table) -> str:
    """The table as Markdown, with all remarks about it."""
    experiment = table.experiment
    title, about = markdown_name(experiment.title), markdown_prose(experiment.about)
    parts = [f"## {title}", about, _scope(table), _grid(table, table.columns, strict)]
    for words, columns, reading in readings(table):
        parts += [f"{words}:", _grid(table, columns, reading)]
    parts += [
        _paired_tests(table),
        *(_paragraph(words) for words in differences(table)),
        _list("Notes", [markdown_prose(note) for note in notes(table)]),
        _list("Failed jobs", [markdown_name(f"{name}: {' '.join(e.split())}") for name, e in table.failed.items()]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _scope(table: Table) -> str:
    words = f"Mean ± standard deviation over {markdown_name(seeds_text(table))}, strict scoring"
    words += "; in brackets, runs without a single wrong node."
    if table.quick:
        words = "**Quick run: few graphs and short trainings; the numbers mean little.** " + words
    if table.missing:
        words += f" Jobs that have not been run: {len(table.missing)}."
    return words


def _grid(table: Table, columns: Sequence[Column], reading: Reading) -> str:
    grouped = any(row.group for row in table.rows)
    head = [*([""] if grouped else []), "", *(markdown_name(column.name) for column in columns)]
    lines = [_line(head), _line(["---"] * (1 + grouped) + ["---:"] * len(columns))]
    before = None
    for row in table.rows:
        group = row.group if row.group != before else ""
        names = [markdown_name(name) for name in ([group] if grouped else []) + [row.test]]
        before = row.group
        cells = [text_at(table, row, column, reading) for column in columns]
        lines.append(_line([*names, *cells]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _paired_tests(table: Table) -> str:
    found = table.paired_tests()
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
        test = pair.outcome
        place = ", ".join(word for word in (pair.row.group, pair.row.test) if word)
        interval = f"{test.low:+.3f} .. {test.high:+.3f}"
        names = [markdown_name(name) for name in (place, pair.first, pair.second)]
        cells = [*names, f"{test.difference:+.3f}", interval, f"{test.wins} / {test.losses}"]
        lines.append(_line([*cells, f"{pair.corrected:.3g}"]))
    return "\n".join(lines)


def _paragraph(words: list[str]) -> str:
    first, *rest = words
    return "\n".join([first, *([""] if rest else []), *(f"- {markdown_name(line)}" for line in rest)])


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
    for row in table.rows:
        for column in (*table.columns, *table.comparison_columns):
            place = (row, column.name)
            names = [spreadsheet_cell(name) for name in (table.experiment.name, row.group, row.test, column.name)]
            if column.is_published and place in table.published:
                source = table.published[place]
                numbers = [source.mean, source.std]
                writer.writerow([*names, "published", *numbers, *[""] * 6])
            elif place in table.cells:
                cell = table.cells[place]
                found = cell.strict
                numbers = _rounded([found.mean, found.std, found.low, found.high])
                authors = _rounded([cell.reference.mean, cell.reference.std])
                line = [*numbers, found.exact, found.runs, *authors]
                writer.writerow([*names, "measured", *line])
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
        *(rf"\rotatebox{{60}}{{{latex_text(column.name)}}}" for column in table.columns),
    ]
    lines = [
        "% Needs \\usepackage{booktabs,graphicx}",
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{latex_text(table.experiment.title)}: {latex_text(table.experiment.about)}"
        + (" Quick run." if table.quick else "")
        + f" Mean $\\pm$ standard deviation over {latex_text(seeds_text(table))}, strict scoring.}}",
        rf"\label{{tab:{latex_label(table.experiment.name)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
    ]
    before = None
    for row in table.rows:
        if before is not None and row.group != before:
            lines.append(r"\midrule")
        group, test = latex_text(row.group if row.group != before else ""), latex_text(row.test)
        names = [*([group] if grouped else []), f"${test}$" if "=" in row.test else test]
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


def write_tables(folder: Path, tables: Sequence[Table], *, quick: bool) -> None:
    """Write each table as Markdown, CSV and LaTeX, and a list of them."""
    for table in tables:
        name = table.experiment.name
        atomic_write(place(folder, f"{name}.md"), markdown(table))
        atomic_write(place(folder, f"{name}.csv"), as_csv(table))
        atomic_write(place(folder, f"{name}.tex"), latex(table))
    atomic_write(place(folder, "README.md"), _contents(tables, quick))


def _contents(tables: Sequence[Table], quick: bool) -> str:
    lines = [
        "# Results" + (" of a quick run" if quick else ""),
        "",
        "Made by `graphfsa reproduce`; no number is typed by hand. `report.html` is one page with everything.",
        "`records.jsonl` has a line for every training: configuration, seed, versions, digests of the data, times and",
        "accuracies. `models/` has what was learned.",
        "",
        "| table | | seeds |",
        "| --- | --- | ---: |",
        *(
            f"| [{markdown_name(table.experiment.title)}]({name}.md) | [CSV]({name}.csv), [LaTeX]({name}.tex), "
            f"[picture]({name}.svg) | {table.seeds} |"
            for table in tables
            for name in [quote(table.experiment.name)]
        ),
    ]
    columns, found = at_a_glance(tables)
    if found:
        lines += ["", f"{GLANCE}:", ""]
        lines += [_line(["", *(markdown_name(column.name) for column in columns)])]
        lines += [_line(["---", *["---:"] * len(columns)])]
        for table, row in found:
            name = markdown_name(f"{table.experiment.title}, {where(row)}")
            lines.append(_line([name, *(text_at(table, row, column) for column in columns)]))
    return "\n".join(lines) + "\n"
