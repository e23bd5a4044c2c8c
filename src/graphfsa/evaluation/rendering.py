"""Tables as text: cells, what they say, and whole tables as Markdown. Whatever is said is said of one block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean
from urllib.parse import quote

from graphfsa.escaping import markdown_name, markdown_prose
from graphfsa.evaluation.published import Published
from graphfsa.evaluation.statistics import VERDICTS, Summary
from graphfsa.evaluation.tables import MARKS, Cell, Column, Repeated, Row, Table, by_experiment


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
    fewer = [f"{name}: {number}" for name, number in runs.items() if 0 < number < table.seeds]
    words = f"{table.seeds} seed{'s' * (table.seeds != 1)}"
    return f"{words} ({', '.join(fewer)})" if fewer else words


Reading = Callable[[Cell], Summary | None]
NOT_RUN = "-"
"""What stands in a column that has not been run."""
FITTED = "Only runs without an error on their training graphs, which are those that the paper shows"
_LONGER = "The same learners, trained for longer"
_AUTHORS = "With the authors' scoring, where a node without an answer counts as the first class"
GLANCE = "The largest graphs, or most steps, that every learner was tested on"


def strict(cell: Cell) -> Summary:
    """Over all runs, with strict scoring."""
    return cell.strict


def readings(table: Table) -> list[tuple[str, tuple[Column, ...], Reading]]:
    """The further tables to show: title, columns, and what to read from a cell."""
    found: list[tuple[str, tuple[Column, ...], Reading]] = []
    if table.experiment.fitted and any(cell.fitted for cell in table.cells.values()):
        found.append((FITTED, table.columns, lambda cell: cell.fitted))
    if any(table.was_run(column.name) for column in table.longer_columns):
        found.append((_LONGER, table.longer_columns, strict))
    if table.differs():
        found.append((_AUTHORS, table.columns, lambda cell: cell.reference))
    return found


def text_at(table: Table, row: Row, column: Column, reading: Reading = strict) -> str:
    """The text in a row and a column; empty if nothing is measured or published there."""
    if column.is_published:
        source = table.published.get((row, column.name))
        return "" if source is None else cell_text(source)
    cell = table.cells.get((row, column.name))
    if cell is None and not table.was_run(column.name):
        return NOT_RUN
    found = None if cell is None else reading(cell)
    return "" if found is None else cell_text(found)


def row_name(table: Table, row: Row) -> str:
    """The name of a row with the signs of what is wrong with it."""
    return row.test + "".join(f" {MARKS[mark][0]}" for mark in table.marks(row))


def footnotes(table: Table) -> list[str]:
    """What the signs mean, what else is to be known about the graphs, and which columns have not been run."""
    used = {mark for row in table.rows for mark in table.marks(row)}
    found = [f"{sign} {words}." for mark, (sign, words) in MARKS.items() if mark in used]
    if table.validation_seen:
        found.append("Validation graphs are training graphs too: there are too few of their size to divide.")
    missing = [each.column for each in table.learners if not table.quick and not table.was_run(each.column)]
    if missing:
        found.append(f"Not run yet ({NOT_RUN}): {', '.join(missing)}.")
    return found


def block_title(table: Table) -> str:
    """The name of a block as a heading."""
    name = table.block.name
    more = ", chosen with the truth table" if table.block.split == "covering" else ""
    return name[:1].upper() + name[1:] + more


def at_a_glance(tables: Sequence[Table]) -> list[tuple[str, list[Column], list[tuple[Table, Row]]]]:
    """For each kind of block: its name, its columns, and the last row of each table that all columns have."""
    found: list[tuple[str, list[Column], list[tuple[Table, Row]]]] = []
    for title in dict.fromkeys(map(block_title, tables)):
        chosen = [table for table in tables if block_title(table) == title]
        columns: dict[str, Column] = {}
        order: list[str] = []
        for table in chosen:
            place = 0
            for column in table.columns:  # One that earlier tables lack stands behind its neighbour.
                if column.name not in columns:
                    columns[column.name] = Column(column.name, column.is_published)
                    order.insert(place, column.name)
                place = order.index(column.name) + 1
        rows = [(table, row) for table in chosen for row in table.last_rows()]
        if rows:
            found.append((title, [columns[name] for name in order], rows))
    return found


def counted(parts: Sequence[Repeated]) -> str:
    """How many cells came out in which way: ``3 equal, 0 better, 1 worse, 2 undecided``."""
    number = Counter(part.outcome.verdict for part in parts)
    return ", ".join(f"{number[verdict]} {verdict}" for verdict in VERDICTS)


def said(table: Table) -> list[str]:
    """What the results of a block say about the published numbers, and about longer trainings; none for a quick run."""
    if table.quick:
        return []
    found: list[str] = []
    paper, parts = table.experiment.published, table.reproduced()
    if parts and paper is not None:
        words = f"Of {len(parts)} published cells that are measured again: {counted(parts)} (margin {paper.margin:g})."
        trivial = sum(bool(table.marks(part.row)) for part in parts)
        found.append(words + (f" {trivial} of them are in marked rows." if trivial else ""))
    for each in [each for each in table.learners if each.focus]:
        own = [part for part in table.beside_published() if part.column == each.column]
        if own:
            found.append(f"{each.column} against the published Diff-FSA: {counted(own)}.")
    for each, updates, before in table.lengths():
        times = f", {fmean(updates) / fmean(before):.1f} times those of {each.longer_than}" if before else ""
        found.append(f"{each.column}: {fmean(updates):,.0f} updates on average{times}.")
    return found


def notes(table: Table) -> list[str]:
    """The notes in the definition of the table, which are about full runs."""
    return [] if table.quick else list(table.experiment.notes)


def where(row: Row) -> str:
    """A row in words: ``n=10 with 4 states``."""
    return f"{row.test}{' with ' + row.group if row.group else ''}"


def interval_text(part: Repeated) -> str:
    """The 95 % interval of a difference."""
    low, high = part.outcome.low, part.outcome.high
    return "" if low is None or high is None else f"{low:+.3f} .. {high:+.3f}"


def markdown(tables: Sequence[Table]) -> str:
    """The tables of one experiment as Markdown, block by block, with what they say."""
    experiment = tables[0].experiment
    parts = [f"## {markdown_name(experiment.title)}", markdown_prose(experiment.about), _scope(tables)]
    for table in tables:
        parts += _block(table, heading=len(tables) > 1)
    parts.append(_list("Notes", [markdown_prose(note) for note in notes(tables[0])]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(table: Table, *, heading: bool) -> list[str]:
    parts = [
        f"### {markdown_name(block_title(table))}" if heading else "",
        f"Over {markdown_name(seeds_text(table))}." if table.cells else "",
        _grid(table, table.columns, strict),
        "  \n".join(map(markdown_name, footnotes(table))),
    ]
    for words, columns, reading in readings(table):
        parts += [f"{words}:", _grid(table, columns, reading)]
    failed = [markdown_name(f"{name}: {' '.join(error.split())}") for name, error in table.failed.items()]
    return [
        *parts,
        _paired_tests(table),
        _repeated(table),
        "\n".join(map(_item, said(table))),
        _list("Failed jobs", failed),
    ]


def _scope(tables: Sequence[Table]) -> str:
    words = "Mean ± standard deviation over seeds, strict scoring; in brackets, runs without a single wrong node."
    if len(tables) > 1:
        words += " All learners of a block learn from the same graphs, and only those of one block are compared."
    if tables[0].quick:
        words = "**Quick run: few graphs and short trainings; the numbers mean little.** " + words
    missing = len({job for table in tables for job in table.missing})
    return words + (f" Jobs that have not been run: {missing}." if missing else "")


def _grid(table: Table, columns: Sequence[Column], reading: Reading) -> str:
    grouped = any(row.group for row in table.rows)
    head = [*([""] if grouped else []), "", *(markdown_name(column.head) for column in columns)]
    lines = [_line(head), _line(["---"] * (1 + grouped) + ["---:"] * len(columns))]
    before = None
    for row in table.rows:
        group = row.group if row.group != before else ""
        names = [markdown_name(name) for name in ([group] if grouped else []) + [row_name(table, row)]]
        before = row.group
        cells = [text_at(table, row, column, reading) for column in columns]
        lines.append(_line([*names, *cells]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


PAIRED = (
    "Paired over seeds, on the same training and test graphs: difference in accuracy with its 95 % bootstrap interval, "
    "and the p-value of the exact sign-flip test after Holm's correction for the comparisons of the row."
)
REPEATED = (
    "Measured minus published, with the 95 % interval of the difference (Welch, ten published runs). Equal: two "
    "one-sided tests at 5 % show that the means differ by less than the margin."
)


def _paired_tests(table: Table) -> str:
    found = table.paired_tests()
    if not found:
        return ""
    lines = [
        PAIRED,
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


def _repeated(table: Table) -> str:
    found = [] if table.quick else table.reproduced()
    if not found:
        return ""
    lines = [
        REPEATED,
        "",
        _line(["row", "", "measured", "published", "difference", "95 % interval", "verdict"]),
        _line(["---", "---", "---:", "---:", "---:", "---:", "---"]),
    ]
    for part in found:
        names = [markdown_name(row_name(table, part.row)), markdown_name(part.column)]
        numbers = [spread(part.cell.strict), spread(part.published), f"{part.outcome.difference:+.3f}"]
        lines.append(_line([*names, *numbers, interval_text(part), part.outcome.verdict]))
    return "\n".join(lines)


def _item(words: str) -> str:
    return f"- {markdown_name(words)}"


def _list(title: str, lines: list[str]) -> str:
    return "" if not lines else f"{title}:\n\n" + "\n".join(f"- {line}" for line in lines)


def contents(tables: Sequence[Table], quick: bool) -> str:
    """The first page of a directory of results: its tables, and what they say at a glance."""
    lines = [
        "# Results" + (" of a quick run" if quick else ""),
        "",
        "Made by `graphfsa reproduce`; no number is typed by hand. `report.html` is one page with everything.",
        "`records.jsonl` has a line for every training: configuration, seed, versions, digests of the data, times and",
        "accuracies. `models/` has what was learned.",
        "",
        "| table | | seeds | published cells measured again |",
        "| --- | --- | ---: | --- |",
    ]
    for blocks in by_experiment(tables):
        experiment = blocks[0].experiment
        name, parts = quote(experiment.name), [part for table in blocks for part in table.reproduced()]
        seeds = " / ".join(str(table.seeds) for table in blocks)
        links = f"[CSV]({name}.csv), [LaTeX]({name}.tex)"
        links += f", [picture]({name}.svg)" if any(table.cells for table in blocks) else ""
        held = counted(parts) if parts and not quick else ""
        lines.append(f"| [{markdown_name(experiment.title)}]({name}.md) | {links} | {seeds} | {held} |")
    every = [] if quick else [part for table in tables for part in table.reproduced()]
    if every:
        lines += ["", f"Over all tables, of {len(every)} published cells measured again: {counted(every)}."]
    for title, columns, rows in at_a_glance(tables):
        lines += ["", f"## {markdown_name(title)}", "", f"{GLANCE}:", ""]
        lines += [_line(["", *(markdown_name(column.name) for column in columns)])]
        lines += [_line(["---", *["---:"] * len(columns)])]
        for table, row in rows:
            name = markdown_name(f"{table.experiment.title}, {where(row)}")
            known = {column.name for column in table.columns}
            cells = (text_at(table, row, column) if column.name in known else "" for column in columns)
            lines.append(_line([name, *cells]))
    return "\n".join(lines) + "\n"
