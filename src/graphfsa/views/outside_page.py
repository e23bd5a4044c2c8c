"""The outside scoreboard as one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graphfsa.evaluation.outside import Sheet
from graphfsa.evaluation.outside.sheets import CELLS
from graphfsa.html import Html, element, join
from graphfsa.views.report import Section, scrolled, write_report


def write_outside(path: str | Path, sheets: Sequence[Sheet], *, quick: bool) -> None:
    """Write the page.

    Args:
        path: An ``.html`` file.
        sheets: The tables, in order.
        quick: Whether the run was quick.
    """
    about = "What others have published, and what automata do on the same tasks; every row says what differs."
    cells = element("p", "A quick run: few graphs; the numbers mean little. " if quick else "", CELLS)
    links = element("ul", *(element("li", element("a", s.table.title, href=f"#{s.table.name}")) for s in sheets))
    sections = [Section("Overview", join([cells, links])), *map(_section, sheets)]
    write_report(
        path, "GraphFSA: the outside scoreboard" + (" (quick run)" if quick else ""), about, sections, wide=True
    )


def _section(sheet: Sheet) -> Section:
    table = sheet.table
    head = element("tr", *(element("th", name) for name in sheet.head))
    # Names and numbers stay on one line; words may take several.
    short = len(sheet.head) - 1 if table.lines else 0
    rows = (
        element("tr", *(element("td", cell, class_="number" if n < short else None) for n, cell in enumerate(row)))
        for row in sheet.rows
    )
    notes = [*table.notes, *(f"Source: {source}" for source in table.sources)]
    parts: list[Html] = [element("p", table.about, id=table.name), scrolled(element("table", head, *rows))]
    parts += [element("p", " ".join(sheet.remarks))] if sheet.remarks else []
    parts += [element("ul", *(element("li", note) for note in notes))] if notes else []
    return Section(table.title, join(parts))
