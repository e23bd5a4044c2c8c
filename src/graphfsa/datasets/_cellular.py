"""Cellular automata as array rules: many boards at once, without any ``GraphFSA``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets._base import Dataset, Split, check_size, check_steps
from graphfsa.datasets._evolution_specification import EvolutionSpecification
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._structure import checked_inputs
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, Lattice, all_inputs


def board_sides(size: int, *, even_height: bool = False) -> tuple[int, int]:
    """Height and width of the squarest board with this number of cells; for a thin one, the error names near sizes."""
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

    On a torus with a side of two the same cell is met from two sides and counts once, as on lattices.
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
    neighbourhood: ClassVar[Literal["moore", "hex"]] = "moore"
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

    def local_rule(self, move: Callable[[str, Mapping[str, int]], str]) -> tuple[EvolutionSpecification, ...]:
        """The same rule for one cell, as specifications: for all boards, and without those where sides meet.

        Args:
            move: The state of a cell one step later, from its state and the number of neighbours in each state.
        """
        sides = (2, 3) if self.torus else (2,)
        kind = self.name, self.state_names, self.neighbourhood, self.torus, move
        return tuple(EvolutionSpecification(*kind, least_side=side) for side in sides)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:
        check_size("a board", size, 4, count)
        board = self._board(int(size))
        cells = rng.integers(0, len(self.state_names), (count, board.height, board.width), dtype=np.uint8)
        return self.examples(GraphBatch.repeat(Graph.from_lattice(board), count), cells.reshape(-1), steps=steps)

    @property
    def graph_class(self) -> None:
        return None

    def every_graph(self, size: int) -> GraphBatch:
        """The squarest board with this number of cells, if there is one."""
        found = _sides(size, self._even_height) is not None
        return GraphBatch.of([Graph.from_lattice(self._board(size))] if found else [])

    def num_instances(self, size: int) -> int:
        return len(self.state_names) ** size

    def instances(self, graph: Graph) -> Array:
        """Every pattern."""
        return all_inputs(graph.num_nodes, len(self.state_names))

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """The rule on whole boards; each graph must be the board of its size, numbered row by row."""
        number = check_steps(steps, self.train_steps)
        inputs = checked_inputs(self.task, graphs, inputs)
        after = inputs.copy()
        sizes = np.diff(graphs.offsets)
        for size in np.unique(sizes).tolist():
            board, chosen = self._board(size), np.flatnonzero(sizes == size)
            _check_boards(self.name, graphs, chosen, board)
            nodes = np.repeat(sizes == size, sizes)
            cells = after[nodes].reshape(-1, board.height, board.width)
            for _ in range(number):
                cells = self.step(cells)
            after[nodes] = cells.reshape(-1)
        return Examples(self.task, graphs, inputs, after, steps=number)

    @property
    def _even_height(self) -> bool:
        return self.neighbourhood == "hex" and self.torus

    def _board(self, size: int) -> Lattice:
        height, width = board_sides(size, even_height=self._even_height)
        return Lattice(self.neighbourhood, height, width, torus=self.torus)


def _check_boards(name: str, graphs: GraphBatch, chosen: Array, board: Lattice) -> None:
    part = graphs if len(chosen) == len(graphs) else graphs.select(chosen)
    wanted = Graph.from_lattice(board)
    same = part.graph.num_arcs == len(chosen) * wanted.num_arcs and part.graph.slots is None
    if same:
        degrees = part.graph.degrees.reshape(len(chosen), -1)
        sources = part.graph.indices.reshape(len(chosen), -1) - part.offsets[:-1, None]
        same = bool((degrees == wanted.degrees).all() and (sources == wanted.indices).all())
    if not same:
        raise GraphFSAError(f"a graph of {board.num_cells} nodes of {name} must be the board {wanted}, row by row")
