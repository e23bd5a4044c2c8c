"""Which nodes are enabled, in the order of their numbers: found through counts of 64, 4096, ... nodes.

A cell of a node is a number: its lowest bit says whether the node is enabled, the next whether it is owed a move in
this round, and the others which entry of the table it would use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphfsa.arrays import Array

next_enabled: Any = None
"""Bound when a kernel is compiled."""
OWED, OPEN, ENABLED = range(3)
"""Places of what a run keeps about enabled nodes: how many are owed a move, whether a round is under way, how many."""


def find_nth(place: int, cells: Any, counts: Any, tops: Any) -> int:
    """The enabled node with this place in the order of numbers, found through counts of 64, 4096, ... nodes."""
    node = 0
    for level in range(len(tops) - 2, -1, -1):
        block = tops[level] + node
        while counts[block] <= place:
            place -= counts[block]
            block += 1
        node = (block - tops[level]) << 6
    while True:
        if cells[node] & 1:
            if place == 0:
                return node
            place -= 1
        node += 1


def find_next(node: int, cells: Any, counts: Any, tops: Any) -> int:
    """The first enabled node from this one on; the number of nodes if there is none."""
    while node < len(cells):
        shift = 6
        skipped = 0
        for level in range(len(tops) - 1):
            if node & ((1 << shift) - 1) or counts[tops[level] + (node >> shift)]:
                break
            skipped = 1 << shift
            shift += 6
        if skipped:
            node += skipped
        elif cells[node] & 1:
            return node
        else:
            node += 1
    return len(cells)


def owe_all(cells: Any, counts: Any, tops: Any, about: Any) -> None:
    """Begin a round: every node that is enabled is owed a move."""
    about[OPEN] = 1
    about[OWED] = about[ENABLED]
    node = next_enabled(0, cells, counts, tops)
    while node < len(cells):
        cells[node] |= 2
        node = next_enabled(node + 1, cells, counts, tops)


def room_for_counts(num_nodes: int) -> tuple[Array, Array]:
    """Room for how many of each 64, each 4096, ... nodes are enabled, and where each level begins."""
    sizes: list[int] = []
    size = num_nodes
    while size > 64:
        size = -(-size // 64)
        sizes.append(size)
    tops = np.cumsum([0, *sizes]).astype(np.int64)
    return np.zeros(int(tops[-1]), np.int32), tops
