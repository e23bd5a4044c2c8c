"""Which elementary rules one pair of rows, t steps apart, can tell apart, found by trying all 256.

What a cell is after t steps depends on the 2t + 1 cells around it. Two rules whose maps of these windows are equal do
the same to every row, so no data of pairs t steps apart, however long, determine which of them it was.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_choice, check_integer
from graphfsa.datasets import Examples

RULES = 256
_MOST_STEPS = 9
"""Windows of 19 cells: half a million of them."""


def same_map(rule: int, steps: int) -> list[int]:
    """The other rules that do the same as this one, in this number of steps, to every row without ends.

    Example:
        >>> same_map(150, 1), same_map(150, 2)
        ([], [105])
    """
    check_choice("rule", rule, tuple(range(RULES)))
    check_integer("steps", steps, 0, _MOST_STEPS)
    maps = _maps(steps)
    return [other for other in range(RULES) if maps[other] == maps[rule] and other != rule]


@cache
def _maps(steps: int) -> tuple[bytes, ...]:
    """What each rule makes of all windows of 2 steps + 1 cells, each read as a binary number from left to right."""
    found: list[bytes] = []
    for rule in range(RULES):
        outcome = _outcome(rule)
        after = np.array([0, 1], np.uint8)
        for _ in range(steps):
            windows = np.arange(4 * len(after))
            left, middle, right = (after[windows >> shift & len(after) - 1] for shift in (2, 1, 0))
            after = outcome[4 * left + 2 * middle + right]
        found.append(np.packbits(after).tobytes())
    return tuple(found)


def fitting_rules(examples: Examples) -> list[int]:
    """The rules that make of the rings of some examples what they are labelled with, after their steps."""
    graph = examples.graphs.graph
    assert graph.slots is not None, "rings have a left and a right slot"
    sides = np.empty((2, graph.num_nodes), np.int64)
    sides[graph.slots, graph.targets()] = graph.indices
    steps = int(examples.steps[0])
    found: list[int] = []
    for rule in range(RULES):
        cells = examples.inputs.astype(np.uint8)
        for _ in range(steps):
            cells = _outcome(rule)[4 * cells[sides[0]] + 2 * cells + cells[sides[1]]]
        if (cells == examples.labels).all():
            found.append(rule)
    return found


def _outcome(rule: int) -> Array:
    """The state of a cell one step later, by the number whose binary digits are its left side, itself and its right."""
    return np.array([rule >> place & 1 for place in range(8)], np.uint8)
