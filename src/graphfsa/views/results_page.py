"""One page with all results: tables, curves, comparisons, what is not as published, and links to the automata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from graphfsa.evaluation.tables import Cell, Column, Row, Table
from graphfsa.evaluation.words import (
    GLANCE,
    Reading,
    at_a_glance,
    cell_text,
    differences,
    notes,
    readings,
    seeds_text,
    share,
    strict,
    where,
)
from graphfsa.views.report import Section, facts, image, write_report
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
    sections = [_overview(tables, records, quick), *(_section(table, records, models) for table in tables)]
    about = "Learners on the same graphs, over several seeds, beside what was published where there is something."
    write_report(path, "GraphFSA: results" + (" (quick run)" if quick else ""), about, sections, width=108)


def _overview(tables: Sequence[Table], records: Mapping[str, Record], quick: bool) -> Section:
    done = [record for record in records.values() if record["status"] == "done"]
    wall = sum(record["seconds"]["all"] for record in records.values())
    cpu = sum(record["seconds"].get("all_cpu", 0) for record in done)
    versions = {tuple(sorted(record["versions"].items())) for record in records.values()}
    behind = sum(len(table.behind()) for table in tables)
    repeated = [part for table in tables for part in table.reproduced()]
    rows: dict[str, Any] = {
        "run": "quick: few graphs and short trainings; the numbers mean little" if quick else "full",
        "jobs": f"{len(done):,} done, {len(records) - len(done)} failed",
        "time of all jobs": f"{_duration(cpu)} of processor time; {_duration(wall)} by the clock, one after the other",
    }
    if repeated and not quick:
        near = sum(part[-1] for part in repeated)
        rows["as published"] = f"{near} of {len(repeated)} repeated cells, within two published deviations plus 0.03"
    if any(table.held() for table in tables) and not quick:
        words = f"below the published Diff-FSA in {behind} cells" if behind else "nowhere below the published Diff-FSA"
        rows["our best learner"] = words
    rows |= {
        "versions": "; ".join(", ".join(f"{name} {number}" for name, number in each) for each in sorted(versions)),
    }
    found = facts("Overview", rows)
    note = (
        "<p>Cells are mean ± standard deviation over seeds with strict scoring: a node without an answer is wrong. In "
        "brackets: runs without a single wrong node. Shaded columns are the published numbers.</p>"
    )
    return Section(found.title, found.body + note + _glance(tables))


def _duration(seconds: float) -> str:
    return f"{seconds / 3600:.2f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"


def _glance(tables: Sequence[Table]) -> str:
    """Links to all tables, with the last row of those that have one."""
    columns, rows = at_a_glance(tables)
    links = "".join(f"<li>{_link(table)}</li>" for table in tables if not table.last_rows())
    if not rows:
        return f"<ul>{links}</ul>"
    head = "<th></th>" + "".join(f"<th>{escape(column.name)}</th>" for column in columns)
    lines = "".join(
        f"<tr><th>{_link(table)}, {escape(where(row))}</th>"
        + "".join(_cell(table, row, column.name, strict) for column in columns)
        + "</tr>"
        for table, row in rows
    )
    grid = f'<div class="wide"><table class="grid"><tr>{head}</tr>{lines}</table></div>'
    return f"<p>{GLANCE}:</p>{grid}" + (f"<ul>{links}</ul>" if links else "")


def _link(table: Table) -> str:
    return f'<a href="#{escape(table.experiment.name)}">{escape(table.experiment.title)}</a>'


def _section(table: Table, records: Mapping[str, Record], models: Path) -> Section:
    experiment = table.experiment
    about = f"{experiment.about} Over {seeds_text(table)}."
    parts = [f'<p id="{escape(experiment.name)}">{escape(about)}</p>', _grid(table, table.columns, strict)]
    if table.cells:
        parts.append(image(draw_table(table), experiment.title))
    parts += [_fold(words, _grid(table, columns, reading)) for words, columns, reading in readings(table)]
    if table.comparisons():
        parts.append(_fold("Paired comparisons and confidence intervals", _comparisons(table)))
    said = differences(table)
    if said:
        parts.append("".join(_paragraph(words) for words in said))
    if notes(table):
        parts.append("<p>Notes:</p><ul>" + "".join(f"<li>{_code(note)}</li>" for note in notes(table)) + "</ul>")
    trainings = _trainings(table, records)
    if trainings:
        parts.append(_fold("How the networks were trained", image(draw_trainings(trainings), "Trainings")))
    parts.append(_fold("Models", _models(table, records, models)))
    if table.failed:
        lines = "".join(f"<li>{escape(name)}: {escape(error)}</li>" for name, error in table.failed.items())
        parts.append(f"<p>Failed jobs:</p><ul>{lines}</ul>")
    return Section(experiment.title, "".join(parts))


def _paragraph(words: list[str]) -> str:
    first, *rest = words
    return f"<p>{escape(first)}</p>" + (
        "<ul>" + "".join(f"<li>{escape(w)}</li>" for w in rest) + "</ul>" if rest else ""
    )


def _code(words: str) -> str:
    """Text in which `this` is code."""
    parts = words.split("`")
    return "".join(f"<code>{escape(part)}</code>" if k % 2 else escape(part) for k, part in enumerate(parts))


def _fold(title: str, body: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def _grid(table: Table, columns: Sequence[Column], reading: Reading) -> str:
    head = "<th></th>" + "".join(f"<th>{escape(column.name)}</th>" for column in columns)
    lines: list[str] = []
    before = ""
    for row in table.rows:
        if row.group != before:
            lines.append(f'<tr><th colspan="{1 + len(columns)}">{escape(row.group)}</th></tr>')
            before = row.group
        cells = "".join(_cell(table, row, column.name, reading) for column in columns)
        lines.append(f"<tr><th>{escape(row.test)}</th>{cells}</tr>")
    return f'<div class="wide"><table class="grid"><tr>{head}</tr>{"".join(lines)}</table></div>'


def _cell(table: Table, row: Row, name: str, reading: Reading) -> str:
    if (row, name) in table.published:
        return f'<td class="number published">{escape(cell_text(table.published[row, name]))}</td>'
    cell = table.cells.get((row, name))
    found = None if cell is None else reading(cell)
    if found is None:
        return '<td class="number"></td>'
    interval = f"95 % interval of the mean: {found.low:.4f} to {found.high:.4f}"
    kind = "number whole" if found.exact == found.runs else "number"
    return f'<td class="{kind}" title="{interval}">{escape(cell_text(found))}</td>'


def _comparisons(table: Table) -> str:
    head = "".join(
        f"<th>{name}</th>" for name in ("", "", "against", "difference", "95 % interval", "better/worse", "p")
    )
    lines: list[str] = []
    for pair in table.comparisons():
        it = pair.outcome
        cells = (
            f"{pair.row.group} {pair.row.test}", pair.first, pair.second, f"{it.difference:+.4f}",
            f"{it.low:+.4f} .. {it.high:+.4f}", f"{it.wins}/{it.losses}", f"{pair.corrected:.3g}",
        )  # fmt: skip
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    note = (
        "<p>On the same seeds, so on the same test graphs. The interval is a bootstrap over seeds; p is that of the "
        "two-sided sign-flip test, after Holm's correction for the comparisons of this table.</p>"
    )
    return note + f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div>'


def _runs(table: Table) -> Iterator[tuple[str, str, Cell]]:
    """Name and group of each column, and its cell in the first row that it has."""
    seen: set[tuple[str, str]] = set()
    for entry in table.experiment.entries:
        for row in table.rows:
            cell = table.cells.get((row, entry.column))
            if entry.group in ("", row.group) and cell is not None and (entry.group, entry.column) not in seen:
                seen.add((entry.group, entry.column))
                yield entry.column, entry.group, cell


def _trainings(table: Table, records: Mapping[str, Record]) -> dict[str, list[list[dict[str, Any]]]]:
    found: dict[str, list[list[dict[str, Any]]]] = {}
    for column, group, cell in _runs(table):
        for job in cell.jobs.values():
            history = records[job]["fit"].get("history", [])
            if history and "epoch" in history[0]:
                found.setdefault(f"{column}{', ' + group if group else ''}", []).append(history)
    return found


def _models(table: Table, records: Mapping[str, Record], models: Path) -> str:
    lines: list[str] = []
    last = table.experiment.tests[-1].name
    for column, group, cell in _runs(table):
        links: list[str] = []
        for seed, job in cell.jobs.items():
            model, results = records[job]["model"], records[job]["results"]
            test = last if last in results else list(results)[-1]
            words = f"seed {seed}: {share(results[test]['accuracy'])} at {test}"
            if model is None or not (models / model["file"]).is_file():
                links.append(escape(words + (", no model" if model is None else "")))
            else:
                links.append(
                    f'<a href="models/{escape(model["file"])}" title="sha256 {model["sha256"]}">{escape(words)}</a>'
                )
        name = f"{column}{', ' + group if group else ''}"
        lines.append(f"<p><b>{escape(name)}</b>: {' · '.join(links)}</p>")
    return "".join(lines)
