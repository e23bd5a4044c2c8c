"""Mazes: rooms on a square board, and doors between some of them, so that one way leads from each room to each other.

A board of side 2k + 1 has k x k rooms with walls around them. The rooms and the doors are its free cells: a tree of
2k^2 - 1 cells, 31 on a board of 9 x 9 and 1,681 on one of 59 x 59.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from graphfsa.arrays import Array
from graphfsa.errors import GraphFSAError

Room = tuple[int, int]
_WAYS = ((1, 0), (-1, 0), (0, 1), (0, -1))
LEAST_SIDE = 5
"""The smallest board with two rooms to mark."""


def carve(rooms: int, rng: np.random.Generator, most: int | None = None) -> list[tuple[Room, Room]]:
    """The doors of a random maze, each between a room that is reached and a new one, in the order of carving.

    Whoever is in a room carves a door to a new room beside it, and where there is none goes back.

    Args:
        rooms: Number of rooms on each side.
        rng: Source of randomness.
        most: Stop after this number of doors; by default when every room is reached.
    """
    here: list[Room] = [(int(rng.integers(rooms)), int(rng.integers(rooms)))]
    reached = set(here)
    doors: list[tuple[Room, Room]] = []
    while here and len(doors) < (rooms * rooms if most is None else most):
        row, column = here[-1]
        near = [(row + down, column + right) for down, right in _WAYS]
        fresh = [room for room in near if room not in reached and all(0 <= place < rooms for place in room)]
        if not fresh:
            here.pop()
            continue
        room = fresh[rng.integers(len(fresh))]
        doors.append((here[-1], room))
        reached.add(room)
        here.append(room)
    return doors


def cell_parents(size: int, rng: np.random.Generator) -> Array:
    """A random maze as the tree of its free cells: for each cell but the first, the cell that it was carved from.

    Of other numbers of cells than 2k^2 - 1, those are free that are carved first.
    """
    rooms = isqrt(size // 2) + 1
    number: dict[Room, int] = {}
    parents: list[int] = []
    for room, other in carve(rooms, rng, size // 2):
        number.setdefault(room, 0)
        door = len(parents) + 1
        number[other] = door + 1
        parents += [number[room], door]
    return np.array(parents[: max(0, size - 1)], np.int64)


def walls(rooms: int, doors: list[tuple[Room, Room]]) -> Array:
    """Which pixels of the board are walls, bool [2 rooms + 1, 2 rooms + 1]."""
    found = np.ones((2 * rooms + 1, 2 * rooms + 1), bool)
    found[1::2, 1::2] = False
    for (row, column), (other_row, other_column) in doors:
        found[row + other_row + 1, column + other_column + 1] = False
    return found


def side_of(size: int) -> int:
    """The side of the board with this number of pixels.

    Raises:
        GraphFSAError: There is none with an odd side of at least 5.
    """
    side = isqrt(size)
    if side * side != size or side % 2 == 0 or side < LEAST_SIDE:
        raise GraphFSAError(
            f"a maze in pixels is a square with an odd side of at least {LEAST_SIDE}: 25, 49, 81, 121, ... nodes; "
            f"got {size}"
        )
    return side
