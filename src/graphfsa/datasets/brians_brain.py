"""Brian's Brain on boards with the Moore neighbourhood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Specification
from graphfsa.datasets._cellular import BoardDataset, count_around


@dataclass(frozen=True)
class BriansBrain(BoardDataset):
    """Boards with states drawn uniformly and what they are a few steps later."""

    name: ClassVar[str] = "brians-brain"

    state_names = ("off", "on", "dying")

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.brians_brain()

    def specifications(self) -> tuple[Specification, ...]:  # noqa: D102
        def move(state: str, seen: Mapping[str, int]) -> str:
            return "on" if state == "off" and seen["on"] == 2 else {"on": "dying"}.get(state, "off")

        return self.local_rule(move)

    def step(self, boards: Array) -> Array:  # noqa: D102
        firing = count_around(boards == 1, self.neighbourhood, self.torus)
        return np.where((boards == 0) & (firing == 2), 1, np.array([0, 2, 0])[boards]).astype(np.uint8)
