"""PrefixSum: the sum modulo 2 of the bits from the root to each node of a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Dataset, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.datasets._trees import paths


@dataclass(frozen=True)
class PrefixSum(Dataset):
    """Paths with a random bit at each node, the first node being the root; labels are sums that include both ends.

    No bit string is drawn twice as long as there are enough of them.
    """

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(tuple((size, min(2**size, 350)) for size in range(1, 10))),
        "validation": Split(tuple((size, 20) for size in range(1, 8))),
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
    }

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(self.name, "classes", ("bit0", "bit1", "root0", "root1"), ("0", "1"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.prefix_sum()

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a path with a root", size, 1, count)
        bits = _bits(size, count, rng)
        inputs = bits.copy()
        inputs[:, 0] += 2
        labels = np.cumsum(bits, axis=1) % 2
        graphs = paths(size, count)
        return Examples(self.task, graphs, inputs.reshape(-1), labels.reshape(-1), steps=check_steps(steps, size + 1))


def _bits(size: int, count: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    if size > 16 or count > 2**size:
        return rng.integers(0, 2, (count, size))
    numbers = rng.choice(2**size, count, replace=False)
    return numbers[:, None] >> np.arange(size) & 1
