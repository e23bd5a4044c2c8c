"""Entries of a table in a picture: a column per value with what the node sees below it, or a small map per state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.views.figures import short_label

MAX_COLUMNS = 64
"""Values that get a column each."""
_NOBODY = "-"
_GREYS = np.array([1.0, 0.86, 0.72, 0.58])


@dataclass(frozen=True, eq=False)
class ValueColumns:
    """Values as columns, with what each says in rows below it.

    Attributes:
        values: The values, in a readable order: those with fewer neighbours first.
        rows: Name of each row: a state that is counted, or a place where a neighbour is.
        words: The text of each cell, by row.
        shades: The grey of each cell in 0 .. 1, float64 [rows, values].
        groups: Number of neighbours that each value counts; None where that can't be said.
    """

    values: Array
    rows: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    shades: Array
    groups: Array | None

    @property
    def height(self) -> float:
        """Inches that the rows need: much where whole sentences stand upright."""
        longest = max(len(word) for row in self.words for word in row)
        return max(0.4, len(self.rows) * (1.4 if len(self.rows) == 1 and longest > 7 else 0.23))

    def draw(self, axes: Any) -> None:
        """Draw the rows, and below them how many neighbours there are."""
        rows, columns = self.shades.shape
        axes.imshow(self.shades, cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        size = 7 if max(len(word) for row in self.words for word in row) <= 2 else 6
        upright = any(len(word) > max(2, 90 // columns) for row in self.words for word in row)
        for place, row in enumerate(self.words):
            for column, word in enumerate(row):
                axes.text(
                    column,
                    place,
                    short_label(word, 24 if rows == 1 else 7),
                    ha="center",
                    va="center",
                    fontsize=size,
                    rotation=90 if upright else 0,
                    color="#999999" if self.shades[place, column] == 1 and word in ("0", _NOBODY) else "black",
                )
        axes.set_yticks(range(rows), [short_label(name) for name in self.rows], fontsize=8)
        axes.set_ylabel("sees", fontsize=9)
        axes.tick_params(length=0)
        cell_borders(axes, rows, columns)
        if self.groups is None:
            axes.set_xticks([])
            axes.set_xlabel(f"{columns} values", fontsize=9)
            return
        numbers = np.unique(self.groups)
        middles = [float(np.flatnonzero(self.groups == number).mean()) for number in numbers]
        axes.set_xticks(middles, [str(number) for number in numbers], fontsize=8)
        axes.set_xlabel("neighbours that are counted", fontsize=9)

    def mark_groups(self, axes: Any) -> None:
        """Lines between values with different numbers of neighbours."""
        if self.groups is not None:
            for place in np.flatnonzero(np.diff(self.groups)):
                axes.axvline(place + 0.5, color="black", linewidth=0.9)


def value_columns(aggregation: Aggregation, state_names: Sequence[str], values: Array) -> ValueColumns:
    """How to show some values of an aggregation."""
    features = aggregation.features(state_names)
    groups = None
    others = features.shares or features.sums or features.grades
    if len(features.censuses) == 1 and not others:
        total = features.censuses[0].counts[:, values].sum(axis=0, dtype=np.int64)
        values = values[np.argsort(total, kind="stable")]
        groups = np.sort(total)
    rows: list[str] = []
    words: list[tuple[str, ...]] = []
    amounts: list[Array] = []
    if features.parts:
        for part in features.parts:
            digits = np.asarray(part.digits)[values]
            rows.append(part.name)
            words.append(tuple(_NOBODY if part.labels[d] is None else str(part.labels[d]) for d in digits))
            amounts.append(np.zeros(len(values), int) if len(features.parts) == 1 else digits)
    for census in features.censuses:
        if census.slotted:  # Who is in each slot is said already.
            continue
        for name, counts in zip(state_names, census.counts, strict=True):
            rows.append(name if census.kind is None else f"{census.kind}: {name}")
            words.append(tuple(f"{count}{'+' if count == census.bound else ''}" for count in counts[values]))
            amounts.append(counts[values])
    for share in features.shares:
        digits = np.asarray(share.digits)[values]
        rows.append(state_names[share.state])
        words.append(tuple(f"≥{share.levels[d - 1]:.2g}" if d else "0" for d in digits))
        amounts.append(digits)
    for grade in features.grades:
        digits = np.asarray(grade.digits)[values]
        rows.append(grade.name)
        words.append(tuple(f"≥{grade.levels[d - 1]}" if d else "-" for d in digits))
        amounts.append(digits)
    for tally in features.sums:
        name, labels = tally.sum.labels(state_names)
        column = np.asarray(tally.digits)[values]
        rows.append(name)
        words.append(tuple(labels[digit] for digit in column))
        amounts.append(column)
    if not rows:
        rows, words, amounts = ["sees"], [("anything",) * len(values)], [np.zeros(len(values), int)]
    shades = _GREYS[np.minimum(np.stack(amounts).astype(int), len(_GREYS) - 1)]
    return ValueColumns(values, tuple(rows), tuple(words), shades, groups)


def cell_borders(axes: Any, rows: int, columns: int) -> None:
    """White lines between the cells of a picture."""
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="minor", length=0)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    for spine in axes.spines.values():
        spine.set_visible(False)


@dataclass(frozen=True)
class MapShape:
    """A row of values folded into a rectangle: some digits go across, the others down.

    Attributes:
        across: Numbers of the digits that vary across, the fastest first.
        down: Numbers of the digits that vary down, the fastest first.
        bases: Base of each digit.
        shape: Rows and columns.
    """

    across: tuple[int, ...]
    down: tuple[int, ...]
    bases: tuple[int, ...]
    shape: tuple[int, int]


def map_shape(aggregation: Aggregation, num_states: int) -> MapShape:
    """The rectangle that is nearest to a square, if values are digits in mixed radix; else any."""
    num_values = aggregation.num_values(num_states)
    bases = tuple(digit + 1 for digit in aggregation.digits(num_values - 1, num_states))
    if prod(bases) != num_values:
        columns = int(np.ceil(np.sqrt(num_values)))
        return MapShape((), (), (), (-(-num_values // columns), columns))
    half = min(range(len(bases) + 1), key=lambda k: (max(prod(bases[:k]), prod(bases[k:])), -k))
    places = tuple(range(len(bases)))
    return MapShape(places[:half], places[half:], bases, (prod(bases[half:]), prod(bases[:half])))
