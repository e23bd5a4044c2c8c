"""From thresholds to small trees: cells that need not be told apart are one class, and each tree has few leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import Cut, Discretiser, Tree
from graphfsa.search.cuts.conflicts import FeatureData
from graphfsa.search.cuts.search import Cuts, thresholds_of

_MAX_CELLS = 4096

Box = tuple[tuple[int, int], ...]
"""For each feature with thresholds the first cell and the one after the last."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Thresholds, and the class of each cell for each input.

    Attributes:
        features: The features that have thresholds.
        thresholds: For each of them its thresholds, sorted.
        classes: The class of each cell, int64 [inputs, cells of the first feature, cells of the second, ...].
    """

    features: tuple[int, ...]
    thresholds: tuple[tuple[float, ...], ...]
    classes: Array

    @classmethod
    def of(cls, cuts: Cuts, num_inputs: int) -> Grid:
        """A class of its own for each cell of each input."""
        features = tuple(sorted({feature for feature, _ in cuts}))
        thresholds = tuple(tuple(thresholds_of(cuts, feature)) for feature in features)
        shape = (num_inputs, *(len(part) + 1 for part in thresholds))
        return cls(features, thresholds, np.arange(int(np.prod(shape))).reshape(shape))

    def places(self, inputs: Array, features: Array) -> Array:
        """The cell of each node as a place in the flat array of classes."""
        found = inputs.astype(np.int64)
        for feature, part in zip(self.features, self.thresholds, strict=True):
            found = found * (len(part) + 1) + np.searchsorted(part, features[:, feature], side="left")
        return found

    def discretiser(self, names: Sequence[str], given: Sequence[str]) -> Discretiser:
        """The grid as trees with few leaves; classes are numbered as they come, and named by their features."""
        kinds = list(dict.fromkeys(self.classes.reshape(-1).tolist()))
        numbers = np.array([kinds.index(kind) for kind in self.classes.reshape(-1).tolist()]).reshape(
            self.classes.shape
        )
        trees = tuple(self._tree(numbers[number]) for number in range(len(numbers)))
        return Discretiser(tuple(names), tuple(self._class_names(numbers, names, given)), trees, tuple(given))

    def _tree(self, cells: Array) -> Tree:
        """The tree with the fewest leaves for the cells of one input."""

        @cache
        def best(box: Box) -> tuple[int, Any]:
            inside = cells[tuple(slice(*side) for side in box)]
            if (inside == inside.flat[0]).all():
                return 1, int(inside.flat[0])
            found: tuple[int, Any] | None = None
            for axis, (first, last) in enumerate(box):
                for middle in range(first + 1, last):
                    low, high = (
                        best((*box[:axis], side, *box[axis + 1 :])) for side in ((first, middle), (middle, last))
                    )
                    if found is None or low[0] + high[0] < found[0]:
                        at = self.thresholds[axis][middle - 1]
                        narrow = at, float(np.nextafter(at, np.inf))
                        found = low[0] + high[0], Cut(self.features[axis], at, low[1], high[1], narrow)
            assert found is not None
            return found

        return best(tuple((0, size) for size in cells.shape))[1]

    def _class_names(self, numbers: Array, names: Sequence[str], given: Sequence[str]) -> list[str]:
        """Names that say which input and, where one feature decides, which part of it a class is."""
        found: dict[int, str] = {}
        for place, word in enumerate(given):
            own = list(dict.fromkeys(numbers[place].reshape(-1).tolist()))
            parts, joint = [f"kind {k + 1}" for k in range(len(own))], "of"
            if len(self.features) == 1 and len(own) == numbers[place].size:
                feature, joint = names[self.features[0]], "with"
                parts = [f"{feature} level {k + 1}" for k in range(len(own))]
                parts = [f"low {feature}", f"high {feature}"] if len(own) == 2 else parts
            for kind, part in zip(own, parts, strict=True):
                whole = f"{word} {joint} {part}" if len(given) > 1 else part
                found.setdefault(kind, word if len(own) == 1 else whole)
        return [found[kind] for kind in range(len(found))]


def merged(data: FeatureData, cuts: Cuts, bound: int) -> Grid:
    """The cells of thresholds, taken together where no label needs them apart; only cells of one input are."""
    grid = Grid.of(cuts, len(data.examples.task.inputs))
    places = grid.places(data.examples.inputs, data.measured.features)
    if grid.classes.size > _MAX_CELLS:
        return grid
    classes = _filled(grid.classes, places)
    shape = classes.shape[1:]
    for number in range(len(classes)):
        # All cells of an input, then those that lie side by side, then the others.
        whole = classes.copy()
        whole[number] = classes[number].min()
        if _fits(data, whole, places, bound):
            classes = whole
            continue
        corners = list(product(*map(range, shape)))
        pairs = sorted(combinations(corners, 2), key=lambda pair: _away(*pair))
        for one, other in pairs:
            first, second = classes[(number, *one)], classes[(number, *other)]
            if first == second:
                continue
            trial = np.where(classes == max(first, second), min(first, second), classes)
            if _fits(data, trial, places, bound):
                classes = trial
    return Grid(grid.features, grid.thresholds, classes)


def _away(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def _fits(data: FeatureData, classes: Array, places: Array, bound: int) -> bool:
    return not data.conflicts(classes.reshape(-1)[places], bound, 1)


def _filled(classes: Array, places: Array) -> Array:
    """Cells without any node get the class of the nearest cell of the same input that has some."""
    filled = classes.copy()
    seen = np.zeros(classes.size, bool)
    seen[places] = True
    seen = seen.reshape(classes.shape)
    for number in range(len(classes)):
        full = [tuple(corner) for corner in np.argwhere(seen[number]).tolist()]
        for corner in map(tuple, np.argwhere(~seen[number]).tolist()):
            nearest = min(full, key=lambda other: _away(corner, other), default=(0,) * len(corner))
            filled[(number, *corner)] = classes[(number, *nearest)]
    return filled
