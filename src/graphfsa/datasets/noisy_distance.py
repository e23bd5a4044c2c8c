"""NoisyDistance: the parity of the distance from the root, where a noisy number tells which node is the root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_number
from graphfsa.datasets._features import FeatureDataset
from graphfsa.datasets.distance import Distance
from graphfsa.errors import GraphFSAError


@dataclass(frozen=True)
class NoisyDistance(FeatureDataset, Distance):
    """Distance with a feature: the signal of the root is uniform above a threshold, that of other nodes below it.

    Attributes:
        cut: The threshold, between 0 and 1.
        gap: No signal is nearer to the threshold than half of this.
    """

    name: ClassVar[str] = "noisy-distance"
    feature_names = ("signal",)

    cut: float = 0.65
    gap: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gap(self.gap, self.cut)

    def measure(self, inputs: Array, rng: np.random.Generator) -> Array:  # noqa: D102
        return beside(self.cut, self.gap, inputs == 1, rng)[:, None]


def check_gap(gap: float, *cuts: float) -> None:
    """Raise unless there is room for values on both sides of every threshold."""
    check_number("gap", gap, below=1.0)
    for cut in cuts:
        check_number("cut", cut, below=1.0, above=True)
        if not gap / 2 < min(cut, 1 - cut):
            raise GraphFSAError(
                f"gap must be less than {2 * min(cut, 1 - cut):g}, twice the way to 0 or 1; got {gap:g}"
            )


def beside(cut: float, gap: float, high: Array, rng: np.random.Generator) -> Array:
    """Numbers from 0 to 1, uniform above or below a threshold, and not within the gap around it."""
    share = rng.random(len(high))
    low, top = cut - gap / 2, cut + gap / 2
    return np.where(high, 1 - share * (1 - top), share * low)
