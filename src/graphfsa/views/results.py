"""Pictures of results: accuracy of several learners against size or time, and how networks were trained."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphfsa.evaluation.rendering import Reading, block_title, strict
from graphfsa.evaluation.tables import Row, Table, published_column
from graphfsa.views.colours import COLOURS_ON_WHITE
from graphfsa.views.figures import (
    PicturePath,
    accuracy_axis,
    check_picture_path,
    finish_figure,
    new_figure,
    own_style,
    style_axes,
)

_WIDEST = 4
"""Panels side by side."""
_MARKERS = "osD^vP*X"
_LINES = (*COLOURS_ON_WHITE[:6], "#555555", "#999999")
_STYLES = ("-", "-", "-", "-", "-", "-", "--", ":")


@own_style()
def draw_table(tables: Sequence[Table], path: PicturePath = None) -> Any:
    """Draw the accuracies of an experiment against n or t: a line for each learner, with its 95 % interval as a band.

    Each block has panels of its own. Published means are crosses with a bar of one deviation each way, but not above
    1, in the colour of what is compared with them. Where the paper shows only runs without an error on their training
    graphs, a second panel does too.

    Args:
        tables: The tables, one for each block.
        path: A ``.png``, ``.svg`` or ``.pdf`` file to write, if given.

    Returns:
        The matplotlib figure.
    """
    check_picture_path(path)
    tables = [table for table in tables if table.cells] or tables[:1]
    experiment = tables[0].experiment
    groups = list(dict.fromkeys(row.group for row in tables[0].rows))
    parts: list[tuple[str, str, Reading]] = [(group, group, strict) for group in groups]
    if experiment.fitted:
        parts = [(group, group or "all runs", reading) for group, _, reading in parts]
        parts += [
            (group, f"{group} only runs that fit their training graphs".strip(), lambda cell: cell.fitted)
            for group in groups
        ]
    wide = min(len(parts), _WIDEST)
    high = -(-len(parts) // wide)
    figure = new_figure(max(7.0, 4.2 * wide), 0.9 + 3.5 * len(tables) * high)
    every = figure.subplots(len(tables) * high, wide, sharey=True, squeeze=False)
    measured = list(
        dict.fromkeys(
            column.name
            for table in tables
            for column in table.columns
            if not column.is_published and any(each.was_run(column.name) for each in tables)
        )
    )
    shares: list[float] = []
    for number, table in enumerate(tables):
        panels = every[number * high : (number + 1) * high].reshape(-1)
        for axes in panels[len(parts) :]:
            axes.set_visible(False)
        panels[0].set_ylabel("nodes with their label", fontsize=9)
        block = block_title(table) if len(experiment.blocks) > 1 else ""
        for axes, (group, title, reading) in zip(panels, parts, strict=False):
            rows = [row for row in table.rows if row.group == group and _number(row) is not None]
            for place, name in enumerate(measured):
                shares += _line(axes, table, rows, name, place, reading, late=len(measured) - 1 - place)
            shares += _published(axes, table, rows, measured)
            _dress(axes, rows, ": ".join(word for word in (block, title) if word))
    if shares:
        accuracy_axis(every[0, 0], shares)
    handles: dict[str, Any] = {}
    for axes in every.reshape(-1):
        handles |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    if handles:
        figure.legend(
            handles.values(), handles.keys(), loc="outside lower center", ncols=4, fontsize=8, frameon=False
        )  # fmt: skip
    return finish_figure(figure, path, [], experiment.title + (" (quick run)" if tables[0].quick else ""))


def _number(row: Row) -> int | None:
    found = re.fullmatch(r"[nt]=(\d+)", row.test)
    return int(found[1]) if found else None


def _line(
    axes: Any, table: Table, rows: Sequence[Row], name: str, place: int, reading: Reading, late: int
) -> list[float]:
    cells = ((row, table.cells.get((row, name))) for row in rows)
    there = [(row, found) for row, cell in cells if cell is not None and (found := reading(cell)) is not None]
    if not there:
        return []
    numbers = [_number(row) for row, _ in there]
    colour = _LINES[place % len(_LINES)]
    axes.plot(
        numbers,
        [found.mean for _, found in there],
        label=name,
        color=colour,
        linestyle=_STYLES[place % len(_STYLES)],
        marker=_MARKERS[place % len(_MARKERS)],
        # Lines that lie on each other all show: those below are wider.
        linewidth=1.4 + 0.5 * late,
        markersize=3.5 + 0.9 * late,
        clip_on=False,
    )
    low, high = [found.low for _, found in there], [found.high for _, found in there]
    axes.fill_between(numbers, low, high, color=colour, alpha=0.15, linewidth=0)
    return low


def _published(axes: Any, table: Table, rows: Sequence[Row], measured: Sequence[str]) -> list[float]:
    lowest: list[float] = []
    order = list(dict.fromkeys([*measured, *(entry.column for entry in table.learners if not entry.floor)]))
    for entry in table.learners:
        column = published_column(entry.published)
        there = [(row, table.published[row, column]) for row in rows if (row, column) in table.published]
        if not entry.published or not there:
            continue
        axes.errorbar(
            [_number(row) for row, _ in there],
            [found.mean for _, found in there],
            yerr=[[found.std for _, found in there], [min(found.std, 1 - found.mean) for _, found in there]],
            fmt="x",
            color=_LINES[order.index(entry.column) % len(_LINES)],
            label=column,
            markersize=7,
            markeredgewidth=1.8,
            linewidth=0.9,
            capsize=2,
            clip_on=False,
        )
        lowest += [found.mean - found.std for _, found in there]
    return lowest


def _dress(axes: Any, rows: Sequence[Row], title: str) -> None:
    from matplotlib.ticker import NullLocator

    style_axes(axes)
    if not rows:
        return
    numbers = [number for row in rows if (number := _number(row)) is not None]
    axes.set_xscale("log")
    ticks = [number for number in (1, 2, 5, 10, 20, 50, 100, 1000, 10_000) if number in numbers] or numbers
    axes.set_xticks(ticks, [f"{number:,}" for number in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("steps t" if rows[0].test.startswith("t") else "nodes n", fontsize=9)
    if title:
        axes.set_title(title, fontsize=9)


@own_style()
def draw_trainings(histories: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]], path: PicturePath = None) -> Any:
    """Draw how networks were trained: loss and validation accuracy of every run against epochs.

    Args:
        histories: For each learner, by name, the history of each run.
        path: A ``.png``, ``.svg`` or ``.pdf`` file to write, if given.

    Returns:
        The matplotlib figure.
    """
    check_picture_path(path)
    figure = new_figure(8, 3.4)
    panels = figure.subplots(1, 2)
    for place, (name, runs) in enumerate(histories.items()):
        for run, history in enumerate(runs):
            for axes, what in zip(panels, ("loss", "validation_accuracy"), strict=True):
                points = [(record.get("epoch"), record.get(what)) for record in history]
                points = [(epoch, number) for epoch, number in points if _is_number(epoch) and _is_number(number)]
                if points:
                    axes.plot(
                        *zip(*points, strict=True),
                        color=COLOURS_ON_WHITE[place % len(COLOURS_ON_WHITE)],
                        linewidth=0.9,
                        alpha=0.8,
                        clip_on=False,
                        label=name if run == 0 else None,
                    )
    for axes, what in zip(panels, ("training loss", "validation accuracy"), strict=True):
        style_axes(axes)
        axes.set_xlabel("epochs", fontsize=9)
        axes.set_ylabel(what, fontsize=9)
    accuracies = [share for line in panels[1].get_lines() for share in line.get_ydata()]
    if accuracies:
        accuracy_axis(panels[1], accuracies)
    if panels[0].get_lines():
        panels[0].legend(fontsize=8, frameon=False)
    return finish_figure(figure, path, [], "")


def _is_number(given: Any) -> bool:
    """Whether a learner, which may note anything, has noted a number that can be drawn."""
    return isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < 1e300
