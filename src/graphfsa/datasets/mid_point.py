"""MidPoint: which node of a tree is in the middle of the path between the two marked nodes?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from graphfsa.automaton import GraphFSA, library
from graphfsa.datasets._base import Split
from graphfsa.datasets._custom import CustomTask
from graphfsa.datasets._task_graph import TaskGraph


@dataclass(frozen=True, eq=False)
class MidPoint(CustomTask):
    """Random trees with two marked nodes; the label is ``yes`` in the middle of the path between them.

    There are two such nodes if the number of nodes on the path is even.
    """

    name: ClassVar[str] = "mid-point"

    inputs = ("node", "marked")
    classes = ("no", "yes")
    graphs = "tree"
    exactly = {"marked": 2}  # noqa: RUF012
    splits = {  # noqa: RUF012
        "train": Split(tuple((size, 120) for size in range(2, 8))),
        "validation": Split(tuple((size, 20) for size in range(2, 6))),
        "test": Split(((10, 100), (20, 100), (50, 100), (100, 100))),
        "learn": Split(((2, 20), (3, 60), (4, 120), (5, 300), (6, 500), (7, 1000), (8, 1000), (9, 1000), (10, 1000))),
    }

    def automaton(self) -> GraphFSA:
        """Two waves that meet in the middle."""
        return library.mid_point()

    def label(self, graph: TaskGraph, inputs: list[str]) -> Sequence[str]:
        """By the distances from both marked nodes."""
        first, second = (node for node in graph.nodes if inputs[node] == "marked")
        here, there = graph.distances(first), graph.distances(second)
        length = here[second] or 0
        pairs = [(a or 0, b or 0) for a, b in zip(here, there, strict=True)]
        return ["yes" if a + b == length and abs(a - b) <= 1 else "no" for a, b in pairs]
