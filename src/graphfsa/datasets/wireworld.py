"""WireWorld on boards with the Moore neighbourhood."""

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
class WireWorld(BoardDataset):
    """Boards with states drawn uniformly and what they are a few steps later; bounded, as in the authors' scripts."""

    name: ClassVar[str] = "wireworld"

    torus: bool = False

    state_names = ("empty", "head", "tail", "conductor")

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.wireworld()

    def specifications(self) -> tuple[Specification, ...]:  # noqa: D102
        def move(state: str, seen: Mapping[str, int]) -> str:
            if state == "conductor" and seen["head"] in (1, 2):
                return "head"
            return {"head": "tail", "tail": "conductor"}.get(state, state)

        return self.local_rule(move)

    def step(self, boards: Array) -> Array:  # noqa: D102
        heads = count_around(boards == 1, self.neighbourhood, self.torus)
        fires = (boards == 3) & ((heads == 1) | (heads == 2))
        return np.where(fires, 1, np.array([0, 2, 3, 3])[boards]).astype(np.uint8)
