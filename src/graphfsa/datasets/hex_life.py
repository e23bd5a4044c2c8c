"""Life on hexagonal boards: born with 3 live neighbours, survives with 2 to 4, as in the authors' scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from graphfsa.datasets.life import Life as _Life


@dataclass(frozen=True)
class HexLife(_Life):
    """Random hexagonal boards and what they are a few steps later."""

    name: ClassVar[str] = "hex-life"

    rule: str = "B3/S234"

    neighbourhood = "hex"
