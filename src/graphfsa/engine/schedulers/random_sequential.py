"""One node after the other, by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.engine.coins import ACTIVATIONS, below
from graphfsa.engine.schedulers._base import Moment, Scheduler, flip

_ACTIVATIONS, _FIRST = np.uint64(ACTIVATIONS), np.uint64(0)


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    chosen[0] = below(flip(_ACTIVATIONS, _FIRST, np.uint64(step), key[0], key[1], key[2]), len(chosen))
    return 1


@dataclass(frozen=True)
class RandomSequential(Scheduler):
    """In each step one node moves, each with the same probability, whether it is enabled or not."""

    foreseen = True
    compiled_choose = _choose

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        return [below(moment.coin(0), moment.graph.num_nodes)]
