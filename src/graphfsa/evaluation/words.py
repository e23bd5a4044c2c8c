"""What is said of tables, in whatever form: numbers as text, further readings, and what is not as published."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphfsa.evaluation.published import Published
from graphfsa.evaluation.statistics import Summary
from graphfsa.evaluation.tables import Cell, Column, Row, Table

_EMPTY = ""


def share(value: float) -> str:
    """An accuracy with two digits; with more of them if it is not quite 1 and would be shown as if it were.

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
    """Mean and deviation, with as many digits; one run has no deviation.

    Example:
        >>> spread(Published(0.61, 0.2)), spread(Published(0.9972, 0.0031))
        ('0.61 ± 0.20', '0.997 ± 0.003')
    """
    return share(found.mean) + ("" if found.std is None else f" {sign} {found.std:.{_digits(found.mean)}f}")


def cell_text(found: Summary | Published) -> str:
    """Mean and deviation, and of our own runs how many are exact."""
    return spread(found) if isinstance(found, Published) else f"{spread(found)} ({found.exact}/{found.runs})"


def seeds_text(table: Table) -> str:
    """How many seeds there are, and which columns have fewer."""
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
    """What else there is to show than the table: words, columns, and what to read from a cell."""
    found: list[tuple[str, tuple[Column, ...], Reading]] = []
    if table.experiment.fitted and any(cell.fitted for cell in table.cells.values()):
        found.append((FITTED, table.columns, lambda cell: cell.fitted))
    if any(name in {column.name for column in table.asides} for _, name in table.cells):
        found.append((_ASIDES, table.asides, strict))
    if table.differs():
        found.append((_AUTHORS, table.columns, lambda cell: cell.reference))
    return found


FITTED = "Only runs without an error on their training graphs, which are those that the paper shows"
_ASIDES = "For comparison, with few seeds, the same learners trained for longer, or on other graphs"
_AUTHORS = "With the authors' scoring, where a node without an answer counts as the first class"


def shown(table: Table, row: Row, column: Column, reading: Reading = strict) -> str:
    """What stands in a row and a column; nothing if there is nothing."""
    if column.is_published:
        source = table.published.get((row, column.name))
        return _EMPTY if source is None else cell_text(source)
    cell = table.cells.get((row, column.name))
    found = None if cell is None else reading(cell)
    return _EMPTY if found is None else cell_text(found)


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
    """What is not as published, found by looking: paragraphs, each a sentence and the cells that it is about.

    Nothing is said about a quick run.
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
            f"{entry.column}, {where(row)}: {spread(cell.strict)}, published {spread(source)}"
            for row, entry, cell, source, _ in far
        )
        found.append([words, *cells])
    behind = table.behind()
    if behind:
        cells = (
            f"{where(row)}: {share(cell.strict.mean)} ({name}), published {source.mean:.2f}"
            for row, name, cell, source in behind
        )
        found.append(["Our best learner is below the published Diff-FSA in:", *cells])
    elif table.held():
        found.append(["Our best learner is at least as good as the published Diff-FSA in every row."])
    return found


def notes(table: Table) -> list[str]:
    """What is said about the table in its definition; it is about full runs."""
    return [] if table.quick else list(table.experiment.notes)


def where(row: Row) -> str:
    """A row in words."""
    return f"{row.test}{' with ' + row.group if row.group else ''}"
