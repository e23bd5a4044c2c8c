"""What ``TileStepper`` compiles: the step of a board of bits, all of it or only tiles in which something can happen."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from graphfsa.engine.compiling import compile_kernel

_SPARE = 32
"""Words behind a small board that may be computed, too, as the compiler computes so many at once or one by one."""
_RUN = 64
"""Words of tiles side by side that are computed as one, if tiles have no more."""
_STRIP = 1 << 12
"""Words that are computed and then compared while they are in the cache, if tiles don't matter."""
TILES = 32
"""By how many bits the number of changed tiles is shifted in what a kernel returns."""

_CHANGED, _UP, _DOWN, _LEFT, _RIGHT = (np.uint8(1 << place) for place in range(5))
"""What is known of a tile after a step: that a cell changed, and whether one did at each of its sides."""
EVERYTHING = _CHANGED | _UP | _DOWN | _LEFT | _RIGHT
_ONE, _TOP = np.uint64(1), np.uint64(63)

compute_rows: Any = None
"""Bound when a kernel is compiled: it writes the next states of some rows. It may write anything beside them, and into
the given number of spare words after them."""
clear_sides: Any = None
compare: Any = None
close_rows: Any = None
copy_words: Any = None
tile_changes: Any = None
find_active: Any = None
"""Likewise: the functions below that have these names."""


def _tile_rows(
    begin: int, end: int, looking: bool, shape: Any, sides: Any, planes: Any, rule: Any, now: Any, following: Any,
    before: Any, after: Any,
) -> int:  # fmt: skip
    """Rows of tiles; how many cells changed, or 1 if that is not counted, and above bit 32 how many tiles did.

    Args:
        begin: First row of tiles; the first row if nothing is left out.
        end: The row after the last.
        looking: Whether to leave out tiles in which nothing can happen, and to find out which changed.
        shape: Rows, words of a row that have cells, and rows and words of a tile.
        sides: The bits of the last word of a row that are cells, the place of the last of them, and whether the sides
            of the board are glued together.
        planes: Number of planes of a state, the first plane that neighbours look at, and whether to count changes.
        rule: What ``compute_rows`` needs to know, and last how many words it needs to work in.
        now: The planes, uint64 [planes, (rows + 2) * (words + 2)].
        following: Where to write them.
        before: What is known of the tiles, uint8 [rows of tiles + 2, tiles of a row + 3], with a border; the last
            column says whether any tile of a row changed.
        after: Where to write that.
    """
    height, words, tall, wide = shape
    stride, tiles = words + 2, (words + wide - 1) // wide
    most, busy = max(_RUN // wide, 1), before.shape[1] - 1
    active = np.zeros(busy, np.uint8)
    room = np.zeros(rule[-1], np.uint64)
    seen = np.empty((4, max(stride, most * wide + 2)), np.uint64)
    board = np.empty((2, len(now), (tall + 2) * (most * wide + 2) + _SPARE), np.uint64)
    own, own_following = board[0], board[1]
    changed = 0
    unit, pace = (tall, tall) if looking else (1, max(1, _STRIP // stride))
    # Row 1 of the board is row 0 of the lattice.
    stop = min(1 + end * unit, height + 1)
    for first in range(1 + begin * unit, stop, pace):
        last, tile_row = min(first + pace, stop), 1 + (first - 1) // tall
        # Both ways to step share the calls of helpers, which the compiler copies to wherever they are called.
        source, target, row, rows, length, tail, spare = now, following, first, last - first, words, sides[0], 0
        tile = 1
        if looking:
            after[tile_row] = 0
            if not (before[tile_row - 1, busy] | before[tile_row, busy] | before[tile_row + 1, busy]):
                continue
            find_active(tile_row, before, active)
            source, target, row, spare = own, own_following, 1, _SPARE
        while tile <= tiles:
            run = tile
            while looking and tile - run < most and active[tile]:
                tile += 1
            if looking and run == tile:
                tile += 1
                continue
            origin = 0
            if looking:
                origin, limit = (run - 1) * wide, min((tile - 1) * wide, words)
                length, tail = limit - origin, sides[0] if limit == words else ~np.uint64(0)
                copy_words(rows + 2, length + 2, now, (first - 1) * stride + origin, stride, own, 0, length + 2)
            compute_rows(row, row + rows, length, spare, rule, room, source, target)
            clear_sides(row, row + rows, length, tail, target)
            if looking or planes[2] or not changed:
                changed += compare(row, row + rows, length, tail, planes, looking, source, target, seen)
            if not looking:
                break
            origin += first * stride + 1
            copy_words(rows, length, own_following, length + 3, length + 2, following, origin, stride)
            changed += tile_changes(tile_row, run, length, shape, sides, seen, after) << TILES
        close_rows(first, last, shape, sides, planes, following)
        if looking and sides[2]:
            after[tile_row, 0], after[tile_row, tiles + 1] = after[tile_row, tiles], after[tile_row, 1]
    return changed


def _copy_words(
    rows: int, words: int, source: Any, begin: int, stride: int, target: Any, target_begin: int, target_stride: int
) -> None:
    """Copy a rectangle of all planes from board to board."""
    for plane in range(len(source)):
        origin, goal = np.uint64(begin), np.uint64(target_begin)
        for _ in range(rows):
            for place in range(np.uint64(words)):
                target[plane, goal + place] = source[plane, origin + place]
            origin += np.uint64(stride)
            goal += np.uint64(target_stride)


def _find_active(row: int, before: Any, active: Any) -> None:
    """Find the tiles of a row in which something can happen."""
    above, own, below = before[row - 1], before[row], before[row + 1]
    one = np.uint64(1)
    for tile in range(one, np.uint64(len(active) - 1)):
        left, right = tile - one, tile + one
        # A change in the corner of a tile is one at two of its sides.
        corners = (above[left] & _DOWN) * (above[left] & _RIGHT) | (above[right] & _DOWN) * (above[right] & _LEFT)
        corners |= (below[left] & _UP) * (below[left] & _RIGHT) | (below[right] & _UP) * (below[right] & _LEFT)
        sides = own[left] & _RIGHT | own[right] & _LEFT | above[tile] & _DOWN | below[tile] & _UP
        active[tile] = own[tile] | sides | corners


def _clear_sides(first: int, last: int, words: int, tail: Any, board: Any) -> None:
    """Clear what is beside the cells of some rows."""
    for plane in range(len(board)):
        for row in range(first, last):
            origin = np.uint64(row * (words + 2))
            board[plane, origin] = 0
            board[plane, origin + np.uint64(words)] &= tail
            board[plane, origin + np.uint64(words + 1)] = 0


def _compare(
    first: int, last: int, words: int, tail: Any, planes: Any, looking: bool, now: Any, following: Any, seen: Any
) -> int:
    """Count what changed; where, goes to ``seen``: in all rows, in the first and in the last one."""
    digits, _, counting = planes
    differing = seen[0]
    size = np.uint64(words + 1)
    one, total, changes = np.uint64(1), np.uint64(0), np.uint64(0)
    if looking:
        seen[1, : words + 1] = 0
    for row in range(first, last):
        origin = np.uint64(row * (words + 2))
        for place in range(one, size):
            differing[place] = now[0, origin + place] ^ following[0, origin + place]
        for digit in range(1, digits):
            for place in range(one, size):
                differing[place] |= now[digit, origin + place] ^ following[digit, origin + place]
        differing[words] &= tail
        if looking:
            for place in range(one, size):
                seen[1, place] |= differing[place]
            if row == first:
                for place in range(one, size):
                    seen[2, place] = differing[place]
            if row == last - 1:
                for place in range(one, size):
                    seen[3, place] = differing[place]
        if not counting:
            for place in range(one, size):
                changes |= differing[place]
            if changes and not looking:
                return 1
            continue
        for place in range(one, size):
            # The number of bits, by adding up neighbouring ones.
            bits = differing[place]
            bits -= bits >> one & np.uint64(0x5555555555555555)
            pairs = np.uint64(0x3333333333333333)
            bits = (bits & pairs) + (bits >> np.uint64(2) & pairs)
            bits = bits + (bits >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
            total += bits * np.uint64(0x0101010101010101) >> np.uint64(56)
    return int(total) if counting else int(changes != 0)


def _tile_changes(row: int, tile: int, words: int, shape: Any, sides: Any, seen: Any, after: Any) -> int:
    """Say what changed in the tiles of this number of words, from a tile of a row on; how many tiles did."""
    _, all_words, _, wide = shape
    lively = 0
    for begin in range(1, words + 1, wide):
        end = min(begin + wide, words + 1)
        every, up, down = np.uint64(0), np.uint64(0), np.uint64(0)
        for place in range(begin, end):
            every |= seen[1, place]
            up |= seen[2, place]
            down |= seen[3, place]
        if every:
            lively += 1
            top = sides[1] if (tile - 1) * wide + end > all_words else _TOP
            found = _CHANGED | _UP * np.uint8(up != 0) | _DOWN * np.uint8(down != 0)
            found |= _LEFT * np.uint8(seen[1, begin] & _ONE) | _RIGHT * np.uint8(seen[1, end - 1] >> top & _ONE)
            after[row, tile + (begin - 1) // wide] = found
            after[row, -1] = 1
    return lively


def _close_rows(first: int, last: int, shape: Any, sides: Any, planes: Any, board: Any) -> int:
    """Put the other side of a torus beside the first and the last cells of rows that are looked at."""
    height, words, _, _ = shape
    tail, top, torus = sides
    if not torus:
        return 0
    stride = words + 2
    beyond = words if top < _TOP else words + 1
    for plane in range(planes[1], len(board)):
        cells = board[plane]
        for row in range(first, last):
            origin = row * stride
            cells[origin] = (cells[origin + words] >> top) << _TOP
            inside = cells[origin + words] & tail if beyond == words else np.uint64(0)
            cells[origin + beyond] = inside | (cells[origin + 1] & _ONE) << (top + _ONE & _TOP)
        if first == 1:
            for place in range(stride):
                cells[(height + 1) * stride + place] = cells[stride + place]
        if last == height + 1:
            for place in range(stride):
                cells[place] = cells[height * stride + place]
    return 0


@cache
def closing_kernel() -> Any:
    return compile_kernel(_close_rows)


def tile_kernel(compute_rows: Callable[..., None], **helpers: Callable[..., Any]) -> Any:
    """Compile the kernel of a stepper from how rows are computed, and what that calls."""
    return compile_kernel(
        _tile_rows,
        **helpers,
        compute_rows=compute_rows,
        clear_sides=_clear_sides,
        compare=_compare,
        close_rows=_close_rows,
        copy_words=_copy_words,
        tile_changes=_tile_changes,
        find_active=_find_active,
    )
