"""Conway's Game of Life and every other Life-like rule, on boards with the Moore neighbourhood."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Specification
from graphfsa.datasets._cellular import BoardDataset, count_around
from graphfsa.errors import GraphFSAError


@dataclass(frozen=True)
class Life(BoardDataset):
    """Random boards and what they are a few steps later.

    Attributes:
        rule: The rule in B/S notation.
    """

    name: ClassVar[str] = "life"

    rule: str = "B3/S23"

    state_names = ("dead", "alive")
    train_steps = 2

    def __post_init__(self) -> None:
        if not re.fullmatch(r"B[0-8]*/S[0-8]*", self.rule):
            raise GraphFSAError(f"rule must look like B3/S23, with digits 0 to 8; got {self.rule!r}")

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.life_like(self.rule)

    def specifications(self) -> tuple[Specification, ...]:  # noqa: D102
        born, survive = ([int(digit) for digit in part[1:]] for part in self.rule.split("/"))

        def move(state: str, seen: Mapping[str, int]) -> str:
            return "alive" if seen["alive"] in (survive if state == "alive" else born) else "dead"

        return self.local_rule(move)

    def step(self, boards: Array) -> Array:  # noqa: D102
        born, survive = ([int(digit) for digit in part[1:]] for part in self.rule.split("/"))
        around = count_around(boards == 1, self.neighbourhood, self.torus)
        return np.where(boards == 1, np.isin(around, survive), np.isin(around, born)).astype(np.uint8)
