"""Byzantine nodes: they do not move by the rules, and show any state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.automaton.base import Automaton
from graphfsa.checks import check_share
from graphfsa.engine._described import as_nodes, check_window
from graphfsa.engine.faults._base import LIE, NEVER, Fault, Harm, Source, World, check_who, who
from graphfsa.graphs.graph import Graph


@dataclass(frozen=True)
class Byzantine(Fault):
    """Some nodes lie: before each step each of them takes any state, all equally likely, whoever's turn it is.

    Attributes:
        share: The share of the nodes that lies; the number is rounded.
        nodes: Instead: the nodes that lie.
        rate: The probability with which a liar takes a new state before a step; otherwise it keeps the last one.
        start: The first step with lies.
        stop: The first step without them, from which on these nodes move by the rules again; None for never.
    """

    share: float | None = None
    nodes: Sequence[Any] | None = None
    rate: float = 1.0
    start: int = 0
    stop: int | None = None
    hides = False
    compiled = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", check_who(self.share, self.nodes))
        check_share("rate", self.rate)
        check_window(self.start, self.stop)

    def check(self, fsa: Automaton, graph: Graph) -> None:
        """Raise if this can't be done on a graph."""
        as_nodes("nodes", graph, self.nodes or ())

    def end(self) -> int | None:
        """The first step from which on it does nothing."""
        nobody = self.share == 0 or self.nodes == ()
        return 0 if nobody else self.stop

    def strike(self, world: World, source: Source) -> None:
        """What happens before the moves of a step."""
        if world.step < self.start or (self.stop is not None and world.step >= self.stop):
            return
        for node in who(self.share, self.nodes, world.graph, source, self.start):
            world.lies.setdefault(node, None)
            share = int(source.coin(node, world.step, 1)) * 2.0**-53
            if share < self.rate:
                last = world.fsa.num_states - 1
                world.lies[node] = min(int(share / self.rate * world.fsa.num_states), last)

    def harm(self, fsa: Automaton, graph: Graph, source: Source) -> Harm:
        """The same in numbers."""
        nodes = np.array(who(self.share, self.nodes, graph, source, self.start), np.int64)
        ones = np.ones_like(nodes)
        events = [np.stack((self.start * ones, LIE * ones, nodes, ones), axis=1)]
        if self.stop is not None:
            events.append(np.stack((self.stop * ones, LIE * ones, nodes, -ones), axis=1))
        stop = NEVER if self.stop is None else self.stop
        lying = (source.purpose(1), self.rate, self.start, stop)
        return Harm(events=np.concatenate(events), liars=nodes, lying=lying)
