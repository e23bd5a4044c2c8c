"""Cellular automata as array rules: many boards at once, without any automaton of ours."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from graphfsa.datasets._base import Dataset, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, Lattice

Array = np.ndarray[Any, Any]


def board_sides(size: int, *, even_height: bool = False) -> tuple[int, int]:
    """Height and width of the most square board of so many cells; refuses thin ones and names sizes that are near."""
    sides = _sides(size, even_height)
    if sides is None:
        near = [n for n in range(size - 1, max(3, size - 60), -1) if _sides(n, even_height)][:1]
        near += [n for n in range(max(size + 1, 4), size + 60) if _sides(n, even_height)][:1]
        names = " or ".join(f"{n} ({'%d x %d' % _sides(n, even_height)})" for n in near)  # noqa: UP031
        raise GraphFSAError(
            f"there is no board of {size} cells that is less than four times as wide as high; try {names}"
        )
    return sides


def _sides(size: int, even_height: bool) -> tuple[int, int] | None:
    for height in range(int(size**0.5), 1, -1):
        if size % height == 0 and size < 4 * height * height:
            if not even_height or height % 2 == 0:
                return height, size // height
            if (size // height) % 2 == 0:
                return size // height, height
    return None


def count_around(cells: Array, kind: Literal["moore", "hex"], torus: bool) -> Array:
    """How many neighbours of each cell are true, int64 [boards, height, width], by shifting whole boards.

    On a torus with a side of two the same cell is met from two sides and counts once, as on our lattices.
    """
    boards, height, width = cells.shape
    total = np.zeros(cells.shape, np.int64)
    met: set[tuple[int, int, int]] = set()
    for parity in (0, 1):
        rows = np.arange(parity, height, 2)
        shifts = [(-1, 0), (1, 0), (0, -1), (0, 1)]
        diagonal = (-1, 1) if kind == "moore" else ((1,) if parity else (-1,))
        shifts += [(dr, dc) for dr in (-1, 1) for dc in diagonal]
        for dr, dc in shifts:
            place = (parity, dr % height, dc % width) if torus else (parity, dr, dc)
            if place in met or (torus and place[1:] == (0, 0)):
                continue
            met.add(place)
            total[:, rows] += _shifted(cells, dr, dc, torus)[:, rows]
    assert total.shape == (boards, height, width)
    return total


def _shifted(cells: Array, dr: int, dc: int, torus: bool) -> Array:
    """The board whose cell (r, c) is cell (r + dr, c + dc) of the given one; nothing beyond a bounded board."""
    if torus:
        return np.roll(cells, (-dr, -dc), (1, 2))
    padded = np.pad(cells, ((0, 0), (1, 1), (1, 1)))
    return padded[:, 1 + dr : 1 + dr + cells.shape[1], 1 + dc : 1 + dc + cells.shape[2]]


@dataclass(frozen=True)
class BoardDataset(Dataset):
    """A cellular automaton on boards; subclasses give the rule.

    Attributes:
        torus: Whether the sides of the boards are glued together.
    """

    torus: bool = True

    state_names: ClassVar[tuple[str, ...]]
    kind: ClassVar[Literal["moore", "hex"]] = "moore"
    train_steps: ClassVar[int] = 1
    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(((16, 10_000),)),
        "validation": Split(((16, 1_000),)),
        "test": Split(((100, 100),)),
    }

    @abstractmethod
    def step(self, boards: Array) -> Array:
        """The states of many boards one step later, uint8 [boards, height, width]."""

    @property
    def task(self) -> Task:
        return Task(self.name, "evolution", self.state_names, self.state_names)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:
        check_size("a board", size, 4, count)
        number = check_steps(steps, self.train_steps)
        height, width = board_sides(int(size), even_height=self.kind == "hex" and self.torus)
        boards = rng.integers(0, len(self.state_names), (count, height, width), dtype=np.uint8)
        after = boards
        for _ in range(number):
            after = self.step(after)
        lattice = Graph.from_lattice(Lattice(self.kind, height, width, torus=self.torus))
        graphs = GraphBatch.repeat(lattice, count)
        return Examples(self.task, graphs, boards.reshape(-1), after.reshape(-1), steps=number)
