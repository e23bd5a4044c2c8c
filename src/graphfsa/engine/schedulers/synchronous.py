"""All nodes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphfsa.engine.schedulers._base import Moment, Scheduler


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    for node in range(len(chosen)):
        chosen[node] = node
    return len(chosen)


@dataclass(frozen=True)
class Synchronous(Scheduler):
    """Every node moves in every step."""

    one_by_one = False
    compiled_choose = _choose

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        return range(moment.graph.num_nodes)
