"""Brian's Brain on boards with the Moore neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._cellular import Array, BoardDataset, count_around


@dataclass(frozen=True)
class BriansBrain(BoardDataset):
    """Boards with states drawn uniformly and what they are a few steps later."""

    state_names = ("off", "on", "dying")

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.brians_brain()

    def step(self, boards: Array) -> Array:  # noqa: D102
        firing = count_around(boards == 1, self.kind, self.torus)
        return np.choose(boards, [(firing == 2).astype(np.uint8), 2, 0]).astype(np.uint8)
