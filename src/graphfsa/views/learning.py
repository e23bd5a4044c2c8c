"""Pictures of learning: how a training went, how well its outcome does on larger graphs, and for how long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from graphfsa.analysis.stability import Stability
from graphfsa.errors import StateError
from graphfsa.evaluation import Evaluation
from graphfsa.views.colours import COLOURS_ON_WHITE
from graphfsa.views.figures import (
    PicturePath,
    accuracy_axis,
    check_picture_path,
    finish_figure,
    integer_ticks,
    new_figure,
    own_style,
    short_label,
    style_axes,
)

Results = Evaluation | Sequence[Mapping[str, Any]] | Sequence[Stability]
"""What is drawn of an automaton: rows of ``evaluate``, of its JSON form, or of ``iteration_stability``."""
_Lines = dict[tuple[str, str], list[Mapping[str, Any]]]
"""The results on each line, by the automaton and the part of its results."""
_MAX_NAMES = 12
_MARKERS = "osD^vP*X"
_WIDTH = 7.0
"""Width of the panels of a training in inches, about."""
_ROOM = 0.25
"""Inches between two slanted names."""


# ---- trainings


@own_style()
def draw_history(history: Sequence[Mapping[str, Any]], path: PicturePath = None, *, title: str = "") -> Any:
    """Draw how a training went: loss, accuracy, tables without an error and entropy against updates.

    Where the size of the automata changes there is a line, with the size above it.

    Args:
        history: The records of ``Model.history``, or of the file ``history.jsonl`` of a checkpoint.
        path: A ``.png``, ``.svg`` or ``.pdf`` file to write, if given.
        title: A line above the picture.

    Returns:
        The matplotlib figure.
    """
    check_picture_path(path)
    figure = new_figure(8, 8.4)
    panels = figure.subplots(4, 1, sharex=True, height_ratios=(3, 2, 1.4, 1.4))
    lines = [
        (0, "loss", "the best table", COLOURS_ON_WHITE[0], "-"),
        (0, "mean_loss", "mean of all tables", COLOURS_ON_WHITE[1], "--"),
        (0, "validation_loss", "the best table, validation graphs", COLOURS_ON_WHITE[5], ":"),
        (1, "accuracy", None, COLOURS_ON_WHITE[0], "-"),
        (2, "solved", None, COLOURS_ON_WHITE[2], "-"),
        (3, "entropy", None, COLOURS_ON_WHITE[3], "-"),
    ]
    alone = all(record.get("mean_loss") == record.get("loss") for record in history)
    parts = _by_size(history)
    for panel, name, label, colour, style in lines:
        if name == "mean_loss" and alone:
            continue
        for place, part in enumerate(parts):
            points = [(record["updates"], record[name]) for record in part if record.get(name) is not None]
            if not points:
                continue
            panels[panel].plot(
                *zip(*points, strict=True),
                label=None if place else label,
                color=colour,
                linestyle=style,
                linewidth=1.6,
                marker="o" if len(points) <= 40 else None,
                markersize=3.5,
                clip_on=name != "accuracy",
                drawstyle="steps-post" if name == "solved" else "default",
            )
    names = (
        "loss",
        "accuracy of the\nbest discrete table",
        "tables without\nan error",
        "entropy of the\nclearest table (bits)",
    )
    for axes, name in zip(panels, names, strict=True):
        axes.set_ylabel(name, fontsize=9)
        style_axes(axes)
    if history:
        panels[0].legend(fontsize=8, frameon=False)
        accuracy_axis(panels[1], [record["accuracy"] for record in history])
        integer_ticks(panels[2].yaxis, 4)
        integer_ticks(panels[3].xaxis, 9)
        for axes, name in ((panels[2], "solved"), (panels[3], "entropy")):
            axes.set_ylim(0, 1.1 * max(1 if name == "solved" else 0.1, *(record[name] for record in history)))
        panels[3].xaxis.set_major_formatter("{x:,.0f}")
        _mark_sizes(panels, parts)
    else:
        for axes in panels:
            axes.set_xticks([])
            axes.set_yticks([])
        panels[0].text(0.5, 0.5, "no update has been made", ha="center", va="center", transform=panels[0].transAxes)
    panels[-1].set_xlabel("updates", fontsize=9)
    return finish_figure(figure, path, [], title)


def _by_size(history: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The records of each size of automata: each begins with tables of its own."""
    parts: list[list[Mapping[str, Any]]] = []
    for record in history:
        if not parts or _size(record) != _size(parts[-1][-1]):
            parts.append([])
        parts[-1].append(record)
    return parts


def _mark_sizes(panels: Any, parts: list[list[Mapping[str, Any]]]) -> None:
    """A line where the next size begins, and the name of each size above its part where there is room."""
    starts = [0, *(part[-1]["updates"] for part in parts[:-1])]
    last = max(1, parts[-1][-1]["updates"])
    names = [_size(part[0]) for part in parts]
    panels[0].set_xlim(0, last * 1.02)
    for start in starts[1:]:
        for axes in panels:
            axes.axvline(start, color="#777777", linewidth=0.8, linestyle=(0, (4, 2)))
    inches = _WIDTH / last
    flat = all(
        (b - a) * inches > 0.075 * len(name) for a, b, name in zip(starts, [*starts[1:], last], names, strict=True)
    )
    before = -1.0
    for start, name in zip(starts, names, strict=True):
        if start * inches - before < _ROOM:
            continue
        before = start * inches
        panels[0].annotate(
            name,
            (start, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, 3),
            textcoords="offset points",
            fontsize=8,
            rotation=0 if flat else 38,
            ha="left",
            va="bottom",
        )


def _size(record: Mapping[str, Any]) -> str:
    aggregation = record["aggregation"]
    if aggregation["name"] == "counting":
        return f"{record['states']} states, bound {aggregation.get('bound', 'unknown')}"
    return f"{record['states']} states, {aggregation['name']}"


# ---- accuracy


@own_style()
def draw_accuracy(
    results: Mapping[str, Results],
    path: PicturePath = None,
    *,
    title: str = "",
    trained_up_to: int | None = None,
) -> Any:
    """Draw how well automata do on larger graphs: nodes with their label, and graphs without a wrong node.

    Against the number of nodes, or of steps if only that differs. Results of one size after several numbers of steps
    become several lines.

    Args:
        results: For each model, by name, what ``graphfsa.evaluate`` returned, or the ``results`` of ``graphfsa evaluate
            --json``.
        path: A ``.png``, ``.svg`` or ``.pdf`` file to write, if given.
        title: A line above the picture.
        trained_up_to: Size of the largest training graph, to be marked.

    Returns:
        The matplotlib figure.
    """
    check_picture_path(path)
    every = _rows(results)
    sizes = {row["size"] for rows in every.values() for row in rows}
    steps = {row["steps"] for rows in every.values() for row in rows}
    against = "steps" if len(sizes) == 1 and len(steps) > 1 else "size"
    lines: _Lines = {}
    for name, rows in every.items():
        split = against == "size" and len({row["size"] for row in rows}) < len(rows)
        for row in sorted(rows, key=lambda row: (row["steps"], row["size"]) if split else (0, row[against])):
            lines.setdefault((name, _steps(row["steps"]) if split else ""), []).append(row)
    figure, panels = _two_panels(lines, against, ("accuracy", "perfect"))
    panels[0].set_ylabel("nodes with their label", fontsize=9)
    panels[1].set_ylabel("graphs without a wrong node", fontsize=9)
    for axes in panels:
        axes.set_xlabel("steps" if against == "steps" else "nodes of the graph", fontsize=9)
        if trained_up_to is not None and against == "size":
            axes.axvline(trained_up_to, color="#777777", linewidth=0.9, linestyle=(0, (4, 2)))
            axes.annotate(
                "training graphs\nup to here", (trained_up_to, 0.03), xycoords=("data", "axes fraction"),
                xytext=(3, 0), textcoords="offset points", fontsize=7, color="#555555",
            )  # fmt: skip
    return finish_figure(figure, path, [], title)


@own_style()
def draw_stability(results: Mapping[str, Results], path: PicturePath = None, *, title: str = "") -> Any:
    """Draw what becomes of the answers if automata run on: accuracy, and graphs in which nothing changes any more.

    Args:
        results: For each automaton, by name, what ``graphfsa.evaluate`` returned with ``beyond``, the ``results`` of
            ``graphfsa evaluate --beyond ... --json``, or what ``graphfsa.analysis.iteration_stability`` returned.
        path: A ``.png``, ``.svg`` or ``.pdf`` file to write, if given.
        title: A line above the picture.

    Returns:
        The matplotlib figure.
    """
    check_picture_path(path)
    every = _rows(results)
    if not all("beyond" in row and "settled" in row for rows in every.values() for row in rows):
        raise StateError("results must say how many further steps were run: evaluate with beyond=[0, 1, 10]")
    lines: _Lines = {}
    for name, rows in every.items():
        parts = [(row.get("size"), row.get("steps", row["beyond"]) - row["beyond"]) for row in rows]
        several = len({size for size, _ in parts}) < len(set(parts))
        for (size, steps), row in sorted(zip(parts, rows, strict=True), key=lambda pair: (pair[0], pair[1]["beyond"])):
            words = [f"n = {size:,}"] if size is not None else []
            words += [_steps(steps)] if several else []
            lines.setdefault((name, ", ".join(words)), []).append(row)
    figure, panels = _two_panels(lines, "beyond", ("accuracy", "settled"))
    panels[0].set_ylabel("nodes with their label", fontsize=9)
    panels[1].set_ylabel("graphs that have settled", fontsize=9)
    for axes in panels:
        axes.set_xlabel("further steps", fontsize=9)
    return finish_figure(figure, path, [], title)


def _rows(results: Mapping[str, Results]) -> dict[str, list[Mapping[str, Any]]]:
    every = {name: [*_rows_of(found)] for name, found in results.items()}
    if not any(every.values()):
        raise StateError("there is nothing to draw: results must have at least one row")
    return every


def _rows_of(found: Results) -> Iterator[Mapping[str, Any]]:
    for row in found.as_dicts() if isinstance(found, Evaluation) else found:
        yield asdict(row) if isinstance(row, Stability) else row


def _steps(number: int) -> str:
    return f"{number:,} step{'s' if number != 1 else ''}"


def _label(name: str, part: str, models: int) -> str:
    """The name of a line: of the automaton, and of a part of its results if it has several lines."""
    return ", ".join(word for word in (short_label(name, 28) if models > 1 or not part else "", part) if word)


def _two_panels(lines: _Lines, against: str, names: tuple[str, str]) -> tuple[Any, Any]:
    """Two shares against the same number, a line for each automaton in both; lines that lie on each other all show."""
    from matplotlib import colormaps
    from matplotlib.ticker import NullLocator

    figure = new_figure(9, 4.2 + 0.2 * (min(_MAX_NAMES, len(lines)) - 1) // 4)
    panels = figure.subplots(1, 2, sharex=True)
    many = len(lines) > len(COLOURS_ON_WHITE)
    models = len({name for name, _ in lines})
    for place, ((model, part), rows) in enumerate(lines.items()):
        colour = colormaps["viridis"](place / len(lines)) if many else COLOURS_ON_WHITE[:6][place % 6]
        if not many and place >= 6:
            colour = ("#000000", "#777777")[place - 6]
        late = 0 if many else min(4, len(lines) - 1 - place)
        for axes, name in zip(panels, names, strict=True):
            axes.plot(
                [row[against] for row in rows],
                [row[name] for row in rows],
                label=_label(model, part, models),
                color=colour,
                marker=_MARKERS[place % len(_MARKERS)] if len(rows) <= 40 else None,
                linewidth=1.5 + 0.9 * late,
                markersize=4.5 + 1.3 * late,
                clip_on=False,
            )
    places = sorted({row[against] for rows in lines.values() for row in rows})
    for axes, name in zip(panels, names, strict=True):
        style_axes(axes)
        accuracy_axis(axes, [row[name] for rows in lines.values() for row in rows])
        if places[0] > 0:
            axes.set_xscale("log")
            axes.set_xlim(places[0] / 1.2, places[-1] * 1.2)
        else:
            axes.set_xscale("symlog", linthresh=1)
            axes.set_xlim(-0.2, max(1, places[-1]) * 1.2)
        ticks = _apart(places)
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.xaxis.set_minor_locator(NullLocator())
    named = np.unique(np.linspace(0, len(lines) - 1, min(len(lines), _MAX_NAMES)).round().astype(int))
    handles = [panels[0].get_lines()[place] for place in named]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(4, len(handles)), fontsize=8, frameon=False)
    return figure, panels


def _apart(places: list[int]) -> list[int]:
    """The sorted numbers whose labels have room on a logarithmic axis; the first and the last stay."""
    where = {
        place: float(np.log10(place)) if places[0] > 0 else float(np.log10(max(place, 1)) + (place > 0))
        for place in places
    }
    least = 0.11 * max(1e-9, where[places[-1]] - where[places[0]])
    chosen = [places[0]]
    for place in places[1:-1]:
        if where[place] - where[chosen[-1]] >= least and where[places[-1]] - where[place] >= least:
            chosen.append(place)
    return chosen if len(places) == 1 else [*chosen, places[-1]]
