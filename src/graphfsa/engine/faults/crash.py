"""Crashes: nodes stop for ever. Their last state stays visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.automaton.base import Automaton
from graphfsa.checks import check_integer, check_share
from graphfsa.engine._described import as_nodes
from graphfsa.engine.coins import MAX_STEPS, waiting
from graphfsa.engine.faults._base import CRASH, NEVER, Fault, Harm, Source, World, check_who, who
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph


@dataclass(frozen=True)
class Crash(Fault):
    """Some nodes stop at a given step, or each node with some probability before each step.

    Attributes:
        share: The share of the nodes that stops; the number is rounded.
        nodes: Instead: the nodes that stop.
        at: The step before whose moves they stop.
        rate: Instead of all these: the probability with which each node stops before each step.
    """

    share: float | None = None
    nodes: Sequence[Any] | None = None
    at: int = 0
    rate: float | None = None
    hides = False
    compiled = True

    def __post_init__(self) -> None:
        check_integer("at", self.at, 0, MAX_STEPS)
        if self.rate is None:
            object.__setattr__(self, "nodes", check_who(self.share, self.nodes))
        elif self.share is not None or self.nodes is not None or self.at:
            raise GraphFSAError("rate goes without share, nodes and at")
        else:
            check_share("rate", self.rate)

    def check(self, fsa: Automaton, graph: Graph) -> None:
        """Raise if this can't be done on a graph."""
        as_nodes("nodes", graph, self.nodes or ())

    def end(self) -> int | None:
        """The first step from which on it does nothing."""
        return self.at + 1 if self.rate is None else 0 if 1 - self.rate == 1 else None

    def strike(self, world: World, source: Source) -> None:
        """What happens before the moves of a step."""
        graph = world.graph
        if self.rate is not None:
            falling = [v for v in range(graph.num_nodes) if _lifetime(int(source.coin(v, 0)), self.rate) == world.step]
        else:
            falling = who(self.share, self.nodes, graph, source, self.at) if world.step == self.at else []
        for node in falling:
            world.crashed[node] = True

    def harm(self, fsa: Automaton, graph: Graph, source: Source) -> Harm:
        """The same in numbers."""
        if self.rate is None:
            nodes = np.array(who(self.share, self.nodes, graph, source, self.at), np.int64)
            steps = np.full_like(nodes, self.at)
        else:
            coins = source.coin(np.arange(graph.num_nodes), 0).tolist()
            lifetimes = np.array([_lifetime(number, self.rate) for number in coins], np.int64)
            nodes = np.argsort(lifetimes, kind="stable")
            nodes = nodes[lifetimes[nodes] < NEVER]
            steps = lifetimes[nodes]
        return Harm(events=np.stack((steps, np.full_like(nodes, CRASH), nodes, np.ones_like(nodes)), axis=1))


def _lifetime(number: int, rate: float) -> int:
    """How many steps a node makes before it stops: geometric, from one coin."""
    if rate == 1 or 1 - rate == 1:
        return 0 if rate == 1 else NEVER
    steps = waiting(number) / waiting((1 - rate) * 2.0**53 - 1)
    return int(min(steps, NEVER))
