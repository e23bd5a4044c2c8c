"""A list of moves, played again."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine._described import as_nodes, tuples
from graphfsa.engine.schedulers._base import Moment, Scheduler
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph


def _choose(step: int, size: int, crowd: Any, arcs: Any, numbers: Any, key: Any, watch: Any, chosen: Any) -> int:
    sets = int(numbers[0])
    begin, end = int(numbers[1 + step % sets]), int(numbers[2 + step % sets])
    for place in range(begin, end):
        chosen[place - begin] = int(numbers[2 + sets + place])
    return end - begin


@dataclass(frozen=True)
class Given(Scheduler):
    """In each step the nodes of the next of some given sets move.

    Attributes:
        moves: A list of sets (or lists) of nodes, or of nodes that move alone.
        repeat: Whether to begin again at the end; then every node must be in some set, or it would starve.
    """

    moves: Sequence[Any] = ()
    repeat: bool = False
    one_by_one = False
    compiled_choose = _choose

    def __post_init__(self) -> None:
        object.__setattr__(self, "moves", tuple(_ordered(each) for each in tuples("moves", self.moves)))
        if not isinstance(self.repeat, bool):
            raise GraphFSAError(f"repeat must be true or false; got {self.repeat!r}")
        if self.repeat and not self.moves:
            raise GraphFSAError("moves must have at least one set if they are to be repeated")

    def check(self, graph: Graph) -> None:
        """Raise if this can't be done on a graph."""
        named = {node for step, each in enumerate(self.moves) for node in as_nodes(f"moves[{step}]", graph, each)}
        missing = sorted(set(range(graph.num_nodes)) - named)
        if self.repeat and missing:
            raise GraphFSAError(
                f"moves that are repeated must have every node, or some would starve; node {missing[0]} is missing"
            )

    def num_steps(self) -> int | None:
        """The number of steps that it can make."""
        return None if self.repeat else len(self.moves)

    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step."""
        return [moment.graph.node_index(node) for node in self.moves[moment.step % len(self.moves)]]

    def parameters(self, graph: Graph) -> Array:
        """What the compiled form needs."""
        sets = [[graph.node_index(node) for node in each] for each in self.moves]
        begins = np.cumsum([0, *map(len, sets)])
        return np.array([len(sets), *begins.tolist(), *(node for each in sets for node in each)], np.float64)


def _ordered(given: Any) -> tuple[Any, ...]:
    """A set of nodes as a tuple, in an order that does not depend on how sets are kept."""
    return tuple(sorted(given, key=repr)) if isinstance(given, Set) else tuples("a set of moves", given)
