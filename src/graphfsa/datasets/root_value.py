"""RootValue: the bit of the root reaches every node of a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Dataset, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.datasets._trees import paths


@dataclass(frozen=True)
class RootValue(Dataset):
    """Paths whose first node is the root and has a random bit; the label of every node is that bit."""

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(tuple((size, 100) for size in range(1, 9))),
        "validation": Split(tuple((size, 10) for size in range(1, 9))),
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
    }

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(self.name, "classes", ("node", "root0", "root1"), ("0", "1"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.root_value()

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a path with a root", size, 1, count)
        bits = rng.integers(0, 2, count)
        inputs = np.zeros((count, size), np.uint8)
        inputs[:, 0] = 1 + bits
        labels = np.repeat(bits, size)
        return Examples(self.task, paths(size, count), inputs.reshape(-1), labels, steps=check_steps(steps, size + 1))
