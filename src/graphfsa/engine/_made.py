"""Counting the arcs of a Kronecker graph as they are made: they are in no order, and nowhere in memory."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from graphfsa.engine.compiling import compile_kernel
from graphfsa.graphs.kronecker import FIRST, SECOND, STEP

add_bit: Any = None
count_tile: Any = None
mixed: Any = None
_U = np.uint64


def _mixed(number: Any) -> Any:
    """SplitMix64, as in ``graphs/kronecker.py``."""
    number = (number ^ (number >> _U(30))) * FIRST
    number = (number ^ (number >> _U(27))) * SECOND
    return number ^ (number >> _U(31))


def _add_bit(planes: Any, target: Any, bit: Any) -> None:
    """Count what a node shows: plane ``k`` has the bits that are seen more than ``k`` times."""
    for plane in range(len(planes) - 1, 0, -1):
        planes[plane, target] |= planes[plane - 1, target] & bit
    planes[0, target] |= bit


def _count_tile(recipe: Any, row: int, column: int, turned: bool, states: Any, masks: Any, planes: Any) -> None:
    """Add the edges of a tile of the matrix to the planes of its row; turned, to those of its column."""
    blocks = len(recipe.cells)
    begin = mixed(recipe.seed + _U(row * blocks + column + 1) * STEP)
    sources = states[(row if turned else column) << 16 :]
    loops = turned and row == column
    for number in range(recipe.cells[row, column]):
        bits = mixed(begin + _U(number) * STEP)
        first, second = _U(0), _U(0)
        for place in range(4):
            drawn = _U(recipe.quarters[(bits >> _U(16 * place)) & _U(0xFFFF)])
            first = (first << _U(4)) | (drawn >> _U(4))
            second = (second << _U(4)) | (drawn & _U(15))
        first >>= recipe.shift
        second >>= recipe.shift
        if not turned:
            add_bit(planes, first, masks[sources[second]])
        elif not loops or first != second:  # A self-loop is one arc.
            add_bit(planes, second, masks[sources[first]])


def _count_made(recipe: Any, block: int, states: Any, masks: Any, planes: Any) -> int:
    """Add all arcs into a block to its planes."""
    for other in range(len(recipe.cells)):
        count_tile(recipe, block, other, False, states, masks, planes)
        count_tile(recipe, other, block, True, states, masks, planes)
    return 0


@cache
def made_kernel() -> Any:
    """The kernel: ``recipe, block, states, masks, planes``."""
    return compile_kernel(_count_made, mixed=_mixed, add_bit=_add_bit, count_tile=_count_tile)
