"""One page with all results: tables, curves, comparisons, what is not as published, and links to the automata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphfsa.evaluation.rendering import (
    GLANCE,
    NOT_RUN,
    PAIRED,
    REPEATED,
    Reading,
    at_a_glance,
    block_title,
    cell_text,
    counted,
    footnotes,
    interval_text,
    notes,
    readings,
    row_name,
    said,
    seeds_text,
    share,
    spread,
    strict,
    where,
)
from graphfsa.evaluation.tables import Cell, Column, Row, Table, by_experiment
from graphfsa.html import Html, element, join
from graphfsa.views.pages import image
from graphfsa.views.report import Section, facts_section, scrolled, write_report
from graphfsa.views.results import draw_table, draw_trainings

Record = dict[str, Any]


def write_results(path: str | Path, tables: Sequence[Table], records: Mapping[str, Record], *, quick: bool) -> None:
    """Write the page.

    Args:
        path: An ``.html`` file, in the directory of the results: it links to the models there.
        tables: The tables, in order.
        records: The record of every job.
        quick: Whether the run was quick.
    """
    models = Path(path).parent / "models"
    sections = [
        _overview(tables, records, quick),
        *(_section(blocks, records, models) for blocks in by_experiment(tables)),
    ]
    about = (
        "Learners on the same graphs, block by block, over several seeds, beside published results if there are any."
    )
    write_report(path, "GraphFSA: results" + (" (quick run)" if quick else ""), about, sections, wide=True)


def _overview(tables: Sequence[Table], records: Mapping[str, Record], quick: bool) -> Section:
    done = [record for record in records.values() if record["status"] == "done"]
    wall = sum(record["seconds"]["all"] for record in records.values())
    cpu = sum(record["seconds"].get("all_cpu", 0) for record in done)
    versions = {tuple(sorted(record["versions"].items())) for record in records.values()}
    repeated = [part for table in tables for part in table.reproduced()]
    rows: dict[str, Any] = {
        "run": "quick: few graphs and short trainings; the numbers mean little" if quick else "full",
        "jobs": f"{len(done):,} done, {len(records) - len(done)} failed",
        "time of all jobs": f"{_duration(cpu)} of processor time; {_duration(wall)} by the clock, one after the other",
    }
    if repeated and not quick:
        rows["published cells"] = f"{len(repeated)} measured again: {counted(repeated)}"
    rows |= {
        "versions": "; ".join(", ".join(f"{name} {number}" for name, number in each) for each in sorted(versions)),
    }
    note = (
        "Cells are mean ± standard deviation over seeds with strict scoring: a node without an answer is wrong. In "
        "brackets: runs without a single wrong node. Shaded columns are the published numbers. Learners of one block "
        "learn from the same graphs, and only they are compared."
    )
    return Section("Overview", join([facts_section("Overview", rows).body, element("p", note), _glance(tables)]))


def _duration(seconds: float) -> str:
    return f"{seconds / 3600:.2f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"


def _glance(tables: Sequence[Table]) -> Html:
    """Links to all tables, with the last row of those that have one, block by block."""
    found = at_a_glance(tables)
    named = {table.experiment.name for _, _, rows in found for table, _ in rows}
    others = [blocks[0] for blocks in by_experiment(tables) if blocks[0].experiment.name not in named]
    parts = [element("ul", *(element("li", _link(table)) for table in others))] if others else []
    for title, columns, rows in found:
        lines = (
            element(
                "tr",
                element("th", _link(table), f", {where(row)}"),
                *(_cell(table, row, column.name, strict) for column in columns),
            )
            for table, row in rows
        )
        parts += [element("h3", title), element("p", f"{GLANCE}:"), _grid_box(columns, lines)]
    return join(parts)


def _link(table: Table) -> Html:
    return element("a", table.experiment.title, href=f"#{table.experiment.name}")


def _section(tables: Sequence[Table], records: Mapping[str, Record], models: Path) -> Section:
    experiment = tables[0].experiment
    parts: list[Html] = [element("p", experiment.about, id=experiment.name)]
    if any(table.cells for table in tables):
        parts.append(image(draw_table(tables), experiment.title))
    for table in tables:
        parts += _block(table, records, models, heading=len(tables) > 1)
    if notes(tables[0]):
        parts += [element("p", "Notes:"), element("ul", *(element("li", *_code(note)) for note in notes(tables[0])))]
    return Section(experiment.title, join(parts))


def _block(table: Table, records: Mapping[str, Record], models: Path, *, heading: bool) -> list[Html]:
    parts: list[Html] = [element("h3", block_title(table))] if heading else []
    if table.cells:
        parts.append(element("p", f"Over {seeds_text(table)}."))
    parts.append(_grid(table, table.columns, strict))
    parts += [element("p", line) for line in footnotes(table)]
    parts += [_details(words, _grid(table, columns, reading)) for words, columns, reading in readings(table)]
    if table.paired_tests():
        parts.append(_details("Paired comparisons and confidence intervals", _comparisons(table)))
    if table.reproduced() and not table.quick:
        parts.append(_details("Measured against published, cell by cell", _repeated(table)))
    if said(table):
        parts.append(element("ul", *(element("li", line) for line in said(table))))
    trainings = _trainings(table, records)
    if trainings:
        parts.append(_details("How the networks were trained", image(draw_trainings(trainings), "Trainings")))
    if table.cells:
        parts.append(_details("Models", _models(table, records, models)))
    if table.failed:
        lines = (element("li", f"{name}: {error}") for name, error in table.failed.items())
        parts += [element("p", "Failed jobs:"), element("ul", *lines)]
    return parts


def _code(words: str) -> Iterator[object]:
    """Text in which `this` is code."""
    for place, part in enumerate(words.split("`")):
        yield element("code", part) if place % 2 else part


def _details(title: str, body: Html) -> Html:
    return element("details", element("summary", title), body)


def _grid(table: Table, columns: Sequence[Column], reading: Reading) -> Html:
    lines: list[Html] = []
    before = ""
    for row in table.rows:
        if row.group != before:
            lines.append(element("tr", element("th", row.group, colspan=1 + len(columns))))
            before = row.group
        cells = (_cell(table, row, column.name, reading) for column in columns)
        lines.append(element("tr", element("th", row_name(table, row)), *cells))
    return _grid_box(columns, lines)


def _grid_box(columns: Sequence[Column], lines: Iterable[Html]) -> Html:
    head = element("tr", element("th"), *(element("th", column.head) for column in columns))
    return scrolled(element("table", head, *lines, class_="grid"))


def _cell(table: Table, row: Row, name: str, reading: Reading) -> Html:
    if (row, name) in table.published:
        return element("td", cell_text(table.published[row, name]), class_="number published")
    cell = table.cells.get((row, name))
    if cell is None and name in {each.column for each in table.learners} and not table.was_run(name):
        return element("td", NOT_RUN, class_="number")
    found = None if cell is None else reading(cell)
    if found is None:
        return element("td", class_="number")
    interval = f"95 % interval of the mean: {found.low:.4f} to {found.high:.4f}"
    kind = "number whole" if found.exact == found.runs else "number"
    return element("td", cell_text(found), class_=kind, title=interval)


def _comparisons(table: Table) -> Html:
    names = ("", "", "against", "difference", "95 % interval", "better/worse", "p")
    lines = [element("tr", *(element("th", name) for name in names))]
    for pair in table.paired_tests():
        found = pair.outcome
        cells = (
            f"{pair.row.group} {pair.row.test}", pair.first, pair.second, f"{found.difference:+.4f}",
            f"{found.low:+.4f} .. {found.high:+.4f}", f"{found.wins}/{found.losses}", f"{pair.corrected:.3g}",
        )  # fmt: skip
        lines.append(element("tr", *(element("td", cell) for cell in cells)))
    return join([element("p", PAIRED), scrolled(element("table", *lines))])


def _repeated(table: Table) -> Html:
    names = ("", "", "measured", "published", "difference", "95 % interval", "verdict")
    lines = [element("tr", *(element("th", name) for name in names))]
    for part in table.reproduced():
        outcome, name = part.outcome, f"{part.row.group} {row_name(table, part.row)}"
        numbers = (spread(part.cell.strict), spread(part.published), f"{outcome.difference:+.3f}", interval_text(part))
        cells = (name, part.column, *numbers, outcome.verdict)
        lines.append(element("tr", *(element("td", cell) for cell in cells)))
    return join([element("p", REPEATED), scrolled(element("table", *lines))])


def _runs(table: Table) -> Iterator[tuple[str, str, Cell]]:
    """Name and group of each column, and its cell in the first row that it has."""
    seen: set[tuple[str, ...]] = set()
    for entry in table.learners:
        for row in table.rows:
            cell = table.cells.get((row, entry.column))
            if cell is None or (entry.column, row.group) in seen or (entry.column, *cell.jobs.values()) in seen:
                continue  # Groups whose runs are the same are shown once.
            seen |= {(entry.column, row.group), (entry.column, *cell.jobs.values())}
            yield entry.column, row.group, cell


def _trainings(table: Table, records: Mapping[str, Record]) -> dict[str, list[list[dict[str, Any]]]]:
    found: dict[str, list[list[dict[str, Any]]]] = {}
    for column, group, cell in _runs(table):
        for job in cell.jobs.values():
            history = records[job]["fit"].get("history", [])
            if history and "epoch" in history[0]:
                found.setdefault(f"{column}{', ' + group if group else ''}", []).append(history)
    return found


def _models(table: Table, records: Mapping[str, Record], models: Path) -> Html:
    lines: list[Html] = []
    last = table.experiment.tests[-1].name
    for column, group, cell in _runs(table):
        links: list[object] = []
        for seed, job in cell.jobs.items():
            model, results = records[job]["model"], records[job]["results"]
            test = last if last in results else list(results)[-1]
            words = f"seed {seed}: {share(results[test]['accuracy'])} at {test}"
            if model is None or not (models / model["file"]).is_file():
                links.append(words + (", no model" if model is None else ""))
            else:
                links.append(element("a", words, href=f"models/{model['file']}", title=f"sha256 {model['sha256']}"))
        name = f"{column}{', ' + group if group else ''}"
        lines.append(element("p", element("b", name), ": ", join(links, " · ")))
    return join(lines)
