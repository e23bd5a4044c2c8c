"""Pictures of the entries of a table: what a soft table says of each, and what data say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphfsa.analysis.coverage import KINDS, Coverage
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.errors import StateError
from graphfsa.learners.diff_fsa import SoftTable
from graphfsa.views._entry_grid import MAX_COLUMNS, MapShape, ValueColumns, cell_borders, map_shape, value_columns
from graphfsa.views.colours import COLOURS_ON_WHITE
from graphfsa.views.figures import (
    PicturePath,
    check_picture_path,
    finish_figure,
    new_figure,
    own_style,
    short_label,
    short_name,
    style_axes,
)

MAX_ROWS = 24
"""States that are shown."""
MAX_SIDE = 256
"""Cells across and down a map; beyond, several entries share one."""
_OTHERS = "#c4c4c4"
_KIND_COLOURS = {
    "pinned": "#0072b2",
    "seen": "#0072b2",
    "open": "#56b4e9",
    "unseen": "#e69f00",
    "impossible": "#e8e8e8",
}
_KIND_WORDS = {
    "pinned": "pinned: seen, and settled by the labels",
    "seen": "seen in the data",
    "open": "open: seen, but another successor fits too",
    "unseen": "unseen: filled in",
    "impossible": "can't occur",
}


# ---- soft tables


@own_style()
def draw_soft(soft: SoftTable, path: PicturePath = None, *, title: str = "") -> Any:
    """Draw the probabilities of a soft table: a bar for each entry, parted in the colours of its successors.

    Only values that the training graphs can show have a column. If there are too many, those with the most undecided
    entry have one, and the picture says how many are left out; the same holds for states.

    Args:
        soft: The soft table.
        path: A ``.png``, ``.svg`` or ``.pdf`` file to write, if given.
        title: A line above the picture.

    Returns:
        The matplotlib figure.
    """
    check_picture_path(path)
    trained = np.flatnonzero(soft.trained)
    if not len(trained):
        raise StateError("there is nothing to draw: the training graphs show no value of this soft table")
    entropy = soft.entropy
    columns = _most(entropy[:, trained].max(axis=0), MAX_COLUMNS)
    shown = value_columns(soft.aggregation, soft.state_names, trained[columns])
    rows = _most(entropy[:, shown.values].max(axis=1), MAX_ROWS)
    chances = soft.probabilities[np.ix_(rows, shown.values)]
    order, colours = _successors(chances)
    figure, strip, axes, below = _strip_figure(len(rows), shown, top=0.9)
    _draw_bars(axes, chances, order, colours)
    _name_rows(axes, [soft.state_names[row] for row in rows])
    shown.mark_groups(axes)
    shown.draw(below)
    strip.bar(range(len(shown.values)), entropy[:, shown.values].max(axis=0), color="#555555", width=0.8)
    strip.set_ylim(0, max(1.0, float(np.log2(len(soft.state_names)))))
    strip.set_xlim(-0.5, len(shown.values) - 0.5)
    strip.set_xticks([])
    strip.set_ylabel("most\nundecided\n(bits)", fontsize=7)
    strip.tick_params(labelsize=7)
    style_axes(strip)
    left = _left_out(len(trained), len(columns), "values", "the most undecided")
    left += _left_out(len(soft.state_names), len(rows), "states", "the most undecided")
    entries = [(colour, "-> " + short_name(soft.state_names[k])) for k, colour in zip(order, colours, strict=False)]
    entries += [(_OTHERS, "-> another")] if len(order) > len(colours) else []
    return finish_figure(
        figure, path, entries, "\n".join(filter(None, (title, *left))), columns=9 if len(columns) > 36 else 4
    )


def _successors(chances: Array) -> tuple[Array, tuple[str, ...]]:
    """The successors that have any chance, and a colour for the first of them: in order of states, if there are few."""
    weight = chances.sum(axis=(0, 1))
    order = np.flatnonzero(weight > 0)
    if len(order) > len(COLOURS_ON_WHITE):
        order = order[np.argsort(-weight[order], kind="stable")]
    return order, COLOURS_ON_WHITE[: min(len(order), len(COLOURS_ON_WHITE))]


def _draw_bars(axes: Any, chances: Array, order: Array, colours: Sequence[str]) -> None:
    """One bar per entry, filled from below: the successors in their order, those without a colour on top."""
    from matplotlib.collections import PolyCollection

    parts = chances[:, :, order[: len(colours)]]
    parts = np.concatenate((parts, np.maximum(0, 1 - parts.sum(axis=2, keepdims=True))), axis=2)
    ends = np.cumsum(parts, axis=2)
    boxes: list[Any] = []
    shades: list[str] = []
    for row, column, part in np.argwhere(parts > 1e-3).tolist():
        top = row + 0.42 - 0.84 * ends[row, column, part]
        bottom = top + 0.84 * parts[row, column, part]
        boxes.append([(column + x, y) for x, y in ((-0.42, bottom), (0.42, bottom), (0.42, top), (-0.42, top))])
        shades.append([*colours, _OTHERS][part])
    axes.add_collection(PolyCollection(boxes, facecolors=shades, linewidths=0))
    axes.set_xlim(-0.5, chances.shape[1] - 0.5)
    axes.set_ylim(chances.shape[0] - 0.5, -0.5)
    axes.set_xticks([])


# ---- coverage


@own_style()
def draw_coverage(coverage: Coverage, path: PicturePath = None, *, title: str = "") -> Any:
    """Draw what data say about each entry of a table: settled or seen, filled in by the learner, or unable to occur.

    Up to 64 values have a column each. Larger tables are drawn as one map for each state, on which the counts of some
    states go across and those of the others down; if a map would have more than 256 cells a side, several entries
    share a cell, which then shows what is known best. Final states are never left and have no row.

    Args:
        coverage: What ``graphfsa.analysis.coverage`` found.
        path: A ``.png``, ``.svg`` or ``.pdf`` file to write, if given.
        title: A line above the picture.

    Returns:
        The matplotlib figure.
    """
    check_picture_path(path)
    fsa = coverage.fsa
    free = np.array([state for state in range(fsa.num_states) if state not in fsa.final_states], int)
    if not len(free):
        raise StateError("there is nothing to draw: all states are final, and no entry of those counts")
    kinds, settled = _kinds(coverage)
    names = ["impossible", "unseen", *(["open", "pinned"] if settled else ["seen"])]
    numbers = np.bincount(kinds[free].reshape(-1), minlength=len(names))
    entries = [
        (_KIND_COLOURS[name], f"{_KIND_WORDS[name]} ({number:,})")
        for name, number in reversed([*zip(names, numbers.tolist(), strict=True)])
        if number
    ]
    rows = free[_most((kinds[free] > 1).sum(axis=1), MAX_ROWS)]
    notes = _left_out(len(free), len(rows), "states", "those seen most")
    shades = {"cmap": _colour_map([_KIND_COLOURS[name] for name in names]), "vmin": -0.5, "vmax": len(names) - 0.5}
    state_names = [fsa.state_names[row] for row in rows]
    if fsa.num_values <= MAX_COLUMNS:
        shown = value_columns(fsa.aggregation, fsa.state_names, np.arange(fsa.num_values))
        figure, _, axes, below = _strip_figure(len(rows), shown)
        axes.imshow(kinds[np.ix_(rows, shown.values)], aspect="auto", interpolation="nearest", **shades)
        cell_borders(axes, len(rows), len(shown.values))
        _name_rows(axes, state_names)
        shown.mark_groups(axes)
        shown.draw(below)
    else:
        figure, shared = _draw_maps(coverage, kinds[rows], state_names, shades)
        notes += [f"Each cell stands for {shared} entries and shows what is known best."] if shared > 1 else []
    return finish_figure(
        figure, path, entries, "\n".join(filter(None, (title, *notes))), columns=4 if figure.get_figwidth() > 9 else 2
    )


def _kinds(coverage: Coverage) -> tuple[Array, bool]:
    """The kind of each entry, the better known the larger, and whether it is known which ones the labels settle."""
    kinds = coverage.kinds()
    if kinds is None:
        return np.select([coverage.seen > 0, coverage.possible], [2, 1], 0), False
    first = KINDS.index("impossible")
    assert KINDS[first:] == ("impossible", "unseen", "open", "pinned")
    return np.maximum(kinds.astype(int) - first, 0), True


def _draw_maps(coverage: Coverage, kinds: Array, names: list[str], shades: dict[str, Any]) -> tuple[Any, int]:
    """A map for each state; returns the figure and how many entries share a cell."""
    fsa = coverage.fsa
    folded = map_shape(fsa.aggregation, fsa.num_states)
    height, width = folded.shape
    blocks = (-(-height // MAX_SIDE), -(-width // MAX_SIDE))
    columns = min(4, len(kinds)) if len(kinds) != 4 else 2
    rows = -(-len(kinds) // columns)
    figure = new_figure(max(6.5, 3.1 * columns + 0.5), 3.2 * rows * min(1.6, max(0.85, height / width)) + 1.3)
    axes_of = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for axes in axes_of[len(kinds) :]:
        axes.set_axis_off()
    for place, (axes, row, name) in enumerate(zip(axes_of, kinds, names, strict=False)):
        padded = np.zeros((-(-height // blocks[0]) * blocks[0], -(-width // blocks[1]) * blocks[1]), int)
        padded[:height, :width] = np.pad(row, (0, height * width - len(row))).reshape(height, width)
        cells = padded.reshape(padded.shape[0] // blocks[0], blocks[0], -1, blocks[1]).max(axis=(1, 3))
        axes.imshow(cells, interpolation="nearest", aspect="auto", **shades)
        axes.set_title(f"a node in state {short_label(name)}", fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
        if max(cells.shape) <= 40:
            cell_borders(axes, *cells.shape)
        _name_digits(axes, fsa, folded, first=place % columns == 0, last=place >= len(kinds) - columns)
    return figure, blocks[0] * blocks[1]


def _name_digits(axes: Any, fsa: GraphFSA, folded: MapShape, *, first: bool, last: bool) -> None:
    """What goes across and what down: the digits, the slowest first, and on small maps each combination."""
    labels_of = fsa.aggregation.digit_labels(fsa.state_names)
    for digits, side, wanted in ((folded.across, "x", last), (folded.down, "y", first)):
        if not digits or not wanted:
            continue
        order = digits[::-1]
        few = [short_label(labels_of[k][0], max(8, 48 // len(order))) for k in order]
        words = ", ".join(few if len(few) <= 3 else (*few[:2], "…", few[-1]))
        getattr(axes, f"set_{side}label")(f"sees {words}", fontsize=8)
        size = int(np.prod([folded.bases[k] for k in digits]))
        if size <= 27:
            places = np.unravel_index(np.arange(size), [folded.bases[k] for k in order])
            labels = [
                " ".join(short_label(labels_of[k][1][digit], 8) for digit, k in zip(column, order, strict=True))
                for column in zip(*places, strict=True)
            ]
            getattr(axes, f"set_{side}ticks")(
                range(size), labels, fontsize=6, rotation=90 if side == "x" and len(digits) > 1 else 0
            )
            axes.tick_params(length=0)


# ---- what they share


def _most(amounts: Array, limit: int) -> Array:
    """Places of the largest amounts, at most ``limit`` of them, sorted by place."""
    return np.sort(np.argsort(-amounts, kind="stable")[:limit])


def _left_out(total: int, shown: int, what: str, which: str) -> list[str]:
    if shown == total:
        return []
    return [f"{shown} of {total:,} {what} are shown, {which}; {total - shown:,} are left out."]


def _strip_figure(rows: int, shown: ValueColumns, top: float = 0.0) -> tuple[Any, Any, Any, Any]:
    """A figure with a row for each state, a column for each value, what each value means below, and a strip above."""
    columns = len(shown.values)
    heights = [*([top] if top else []), max(0.65, 0.34 * rows), shown.height]
    figure = new_figure(max(6.5, 0.21 * columns + 2), sum(heights) + 1.5)
    axes = figure.subplots(len(heights), 1, height_ratios=heights, sharex=False)
    return figure, axes[0] if top else None, axes[-2], axes[-1]


def _name_rows(axes: Any, names: Iterable[str]) -> None:
    labels = [short_label(name) for name in names]
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.set_xticks([])
    axes.set_ylabel("a node in", fontsize=9)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _colour_map(colours: list[str]) -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap(colours)
