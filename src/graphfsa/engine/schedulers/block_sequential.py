"""One block of nodes after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer, is_integer
from graphfsa.engine._described import as_nodes, tuples
from graphfsa.engine.schedulers._base import Moment, Scheduler
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    blocks = int(numbers[0])
    block = step % blocks
    begin, end = int(numbers[1 + block]), int(numbers[2 + block])
    for place in range(begin, end):
        chosen[place - begin] = int(numbers[2 + blocks + place])
    return end - begin


@dataclass(frozen=True)
class BlockSequential(Scheduler):
    """The nodes are in blocks, which take turns; all nodes of a block move at once.

    Attributes:
        blocks: A number of blocks, which are runs of nodes of (nearly) equal sizes in the order of their numbers; or a
            list of blocks, each a list of nodes, with every node in one of them.
    """

    blocks: int | Sequence[Sequence[Any]] = 2
    one_by_one = False
    compiled_choose = _choose

    def __post_init__(self) -> None:
        if isinstance(self.blocks, float | bool) or is_integer(self.blocks):
            number = check_integer("blocks", self.blocks, 1, or_else=", or a list of blocks")
            object.__setattr__(self, "blocks", number)
            return
        blocks = tuple(tuples("a block", block) for block in tuples("blocks", self.blocks))
        if not blocks:
            raise GraphFSAError("blocks must be at least one block")
        object.__setattr__(self, "blocks", blocks)

    def check(self, graph: Graph) -> None:
        """Raise if this can't be done on a graph."""
        if isinstance(self.blocks, int):
            check_integer("blocks", self.blocks, 1, max(2, graph.num_nodes))
            return
        listed = as_nodes("blocks", graph, [node for block in self._blocks(graph) for node in block])
        missing = sorted(set(range(graph.num_nodes)) - set(listed))
        if missing:
            raise GraphFSAError(f"blocks must have every node, or some would starve; node {missing[0]} is in none")

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        blocks = self._blocks(moment.graph)
        return [moment.graph.node_index(node) for node in blocks[moment.step % len(blocks)]]

    def parameters(self, graph: Graph) -> Array:
        """What the compiled form needs."""
        blocks = [[graph.node_index(node) for node in block] for block in self._blocks(graph)]
        begins = np.cumsum([0, *map(len, blocks)])
        return np.array([len(blocks), *begins.tolist(), *(node for block in blocks for node in block)], np.float64)

    def _blocks(self, graph: Graph) -> Sequence[Sequence[Any]]:
        if not isinstance(self.blocks, int):
            return self.blocks
        names = graph.node_names or range(graph.num_nodes)
        cuts = [graph.num_nodes * part // self.blocks for part in range(self.blocks + 1)]
        return [names[begin:end] for begin, end in pairwise(cuts)]
