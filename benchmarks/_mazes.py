"""Mazes: trees of the free cells of a board."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from benchmarks._task_parts import small_and_large
from graphfsa.datasets import CustomTask, PathFinding, TreeSpecification
from graphfsa.graphs import Graph


class Maze(CustomTask):
    """Whether a free cell of a maze is on the way between the two marked ones.

    A board of side 2k + 1 has k x k rooms and the doors between them: 2k^2 - 1 free cells, 31 if it is 9 x 9, 1,681 if
    it is 59 x 59, and 19,999 if it is 201 x 201. Of other numbers of cells, those are free that are carved first.
    """

    inputs = ("node", "marked")
    classes = ("off", "on")
    graphs = "tree"
    exactly = {"marked": 2}  # noqa: RUF012
    splits = small_and_large(
        learn=((7, 500), (17, 500), (31, 2000)),
        test=((31, 100), (1681, 10), (19_999, 2)),
    )

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        return carved(size, rng)

    def label(self, graph, inputs):
        first, second = (node for node in graph.nodes if inputs[node] == "marked")
        here, there = graph.distances(first), graph.distances(second)
        return ["on" if a + b == here[second] else "off" for a, b in zip(here, there, strict=True)]

    def specifications(self) -> tuple[TreeSpecification, ...]:
        return PathFinding().specifications()


def carved(size: int, rng: np.random.Generator) -> Graph:
    """A random maze with this number of free cells: whoever is in a room carves a door to a new one, or goes back."""
    side = max(1, ceil(sqrt((size + 1) / 2)))
    ways = ((1, 0), (-1, 0), (0, 1), (0, -1))
    start = (int(rng.integers(side)), int(rng.integers(side)))
    rooms, here, edges, count = {start: 0}, [start], [], 1
    while count < size:
        row, column = here[-1]
        near = [(row + down, column + right) for down, right in ways]
        fresh = [room for room in near if room not in rooms and all(0 <= place < side for place in room)]
        if not fresh:
            here.pop()
            continue
        room = fresh[rng.integers(len(fresh))]
        edges += [(rooms[here[-1]], count), (count, count + 1)]
        rooms[room] = count + 1
        here.append(room)
        count += 2
    # A number of cells that no maze has: the last door leads nowhere.
    return Graph.from_edges(size, [edge for edge in edges if max(edge) < size])
