"""The central daemon: one enabled node in each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.engine.coins import ACTIVATIONS, below
from graphfsa.engine.schedulers._base import Moment, Scheduler, flip, nth_enabled

_ACTIVATIONS, _FIRST = np.uint64(ACTIVATIONS), np.uint64(0)


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    if size == 0:
        return 0
    place = below(flip(_ACTIVATIONS, _FIRST, np.uint64(step), key[0], key[1], key[2]), size)
    chosen[0] = nth_enabled(place, *crowd)
    return 1


@dataclass(frozen=True)
class Central(Scheduler):
    """In each step one enabled node moves, each with the same probability."""

    compiled_choose = _choose

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        return [moment.enabled[below(moment.coin(0), len(moment.enabled))]] if moment.enabled else []
