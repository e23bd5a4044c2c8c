"""MazePixels: which pixels of a maze are on the way from its start to its end? Walls are nodes, too."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from graphfsa.aggregations import CountingAggregation
from graphfsa.automaton import GraphFSA
from graphfsa.datasets._base import Split
from graphfsa.datasets._custom import CustomTask
from graphfsa.datasets._mazes import carve, side_of, walls
from graphfsa.datasets._task_graph import TaskGraph
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, Lattice

_NAMES = ("off", "on", "wall", "free", "start", "end")


@dataclass(frozen=True, eq=False)
class MazePixels(CustomTask):
    """Random mazes as pixels: a square board, each pixel joined to those above, below and beside it.

    A board of side 2k + 1 has k x k rooms, with walls around them, and doors such that the free pixels are a tree. The
    start and the end are two of these. The label is ``on`` on the path between them, both included; walls are ``off``.

    The task is defined on every connected graph in which the nodes that are no walls form a tree.
    """

    name: ClassVar[str] = "maze-pixels"

    inputs = ("wall", "free", "start", "end")
    classes = ("off", "on")
    graphs = "connected"
    exactly = {"start": 1, "end": 1}  # noqa: RUF012
    splits = {  # noqa: RUF012
        "train": Split(((81, 1000),)),
        "validation": Split(((81, 100),)),
        "test": Split(((81, 100), (121, 100), (3481, 20))),
    }

    def automaton(self) -> GraphFSA:
        """Dead ends become walls; what is left between the start and the end lights up."""

        def move(state: str, counts: Any) -> str:
            open_ = sum(counts[name] for name in _NAMES if name not in ("off", "wall"))
            if state in ("start", "end"):
                return "on" if open_ <= 1 else state
            if state == "wall" or (state == "free" and open_ <= 1):
                return "off"
            return "on" if state == "free" and open_ == 2 and counts["on"] else state

        return GraphFSA.from_rule(
            _NAMES, CountingAggregation(bound=2), move, starting_states=_NAMES[2:], final_states=_NAMES[:2]
        )

    def draw_graph(self, size: int, rng: np.random.Generator) -> Graph:
        """The board; the maze is drawn with the inputs."""
        del rng
        side = side_of(size)
        return Graph.from_lattice(Lattice("von-neumann", side, side))

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        """A maze, with its start and its end at two of the free pixels."""
        rooms = side_of(graph.num_nodes) // 2
        is_wall = walls(rooms, carve(rooms, rng)).reshape(-1)
        found = np.where(is_wall, "wall", "free").astype(object)
        found[rng.choice(np.flatnonzero(~is_wall), 2, replace=False)] = ["start", "end"]
        return found.tolist()

    def admits(self, graph: TaskGraph, inputs: list[str]) -> bool:
        """Whether the nodes that are no walls form a tree."""
        free = np.array([name != "wall" for name in inputs])
        arcs = int((free[graph.indices] & free[graph.targets()]).sum())
        if arcs != 2 * (int(free.sum()) - 1):
            return False
        return len(_parents(graph, inputs)) == int(free.sum())

    def label(self, graph: TaskGraph, inputs: list[str]) -> Sequence[str]:
        """The path, found by a search from the start."""
        if not self.admits(graph, inputs):
            raise GraphFSAError(f"{self.name} needs nodes that form a tree without the walls")
        parents, here = _parents(graph, inputs), inputs.index("end")
        found = ["off"] * graph.num_nodes
        while here >= 0:
            found[here] = "on"
            here = parents[here]
        return found


def _parents(graph: Graph, inputs: list[str]) -> dict[int, int]:
    """The node before each node that is reached from the start without crossing a wall; -1 for the start."""
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    start = inputs.index("start")
    found, waiting = {start: -1}, deque([start])
    while waiting:
        node = waiting.popleft()
        for other in indices[indptr[node] : indptr[node + 1]]:
            if other not in found and inputs[other] != "wall":
                found[other] = node
                waiting.append(other)
    return found
