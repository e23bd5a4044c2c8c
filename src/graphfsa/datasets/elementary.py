"""Elementary one-dimensional rules: 0 to 255, on rows with a boundary of zeros and on rings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Dataset, Split, check_choice, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.graphs import GraphBatch, families


@dataclass(frozen=True)
class Elementary(Dataset):
    """Rows of cells under one of Wolfram's 256 elementary rules.

    Attributes:
        rule: The rule's number; the authors' scripts use 42 unless told otherwise.
        ring: Whether the ends of the row are joined; otherwise the cells beyond the ends count as 0.
    """

    rule: int = 42
    ring: bool = False

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(((4, 1_000),)),
        "validation": Split(((4, 100),)),
        "test": Split(((10, 100),)),
    }

    def __post_init__(self) -> None:
        check_choice("rule", self.rule, tuple(range(256)))

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(f"elementary rule {self.rule}", "evolution", ("0", "1"), ("0", "1"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.elementary(self.rule)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a row", size, 1, count)
        number = check_steps(steps, 1)
        rows = rng.integers(0, 2, (count, size), dtype=np.uint8)
        outcome = np.array([self.rule >> place & 1 for place in range(8)], np.uint8)
        after = rows
        for _ in range(number):
            wide = np.pad(after, ((0, 0), (1, 1)), mode="wrap" if self.ring else "constant")
            after = outcome[4 * wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]]
        graph = families.ring(size) if self.ring else families.row(size)
        graphs = GraphBatch.repeat(graph, count)
        return Examples(self.task, graphs, rows.reshape(-1), after.reshape(-1), steps=number)
