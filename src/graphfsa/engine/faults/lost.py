"""Lost messages: a node that looks around does not see every neighbour."""

from __future__ import annotations

from dataclasses import dataclass

from graphfsa.automaton.base import Automaton
from graphfsa.automaton.stochastic import weight_of
from graphfsa.checks import check_share
from graphfsa.engine._described import check_window
from graphfsa.engine.faults._base import NEVER, Fault, Harm, Source, World
from graphfsa.graphs.graph import Graph


@dataclass(frozen=True)
class Lost(Fault):
    """When a node moves, it does not see each neighbour with some probability, as if the arc were not there.

    Which nodes are enabled does not depend on what is lost: a message can only be lost where somebody looks.

    Attributes:
        q: The probability, for each arc and each step of its own.
        start: The first step with losses.
        stop: The first step without them; None for never.
    """

    q: float = 0.1
    start: int = 0
    stop: int | None = None
    compiled = True

    def __post_init__(self) -> None:
        check_share("q", self.q)
        check_window(self.start, self.stop)

    def end(self) -> int | None:
        """The first step from which on it does nothing."""
        return 0 if weight_of(self.q) == 0 else self.stop

    def loses(self, world: World, source: Source, arc: int) -> bool:
        """Whether what an arc carries is lost in this step."""
        during = self.start <= world.step and (self.stop is None or world.step < self.stop)
        return during and int(source.coin(arc, world.step)) < weight_of(self.q)

    def harm(self, fsa: Automaton, graph: Graph, source: Source) -> Harm:
        """The same in numbers."""
        stop = NEVER if self.stop is None else self.stop
        return Harm(losses=(source.purpose(), weight_of(self.q), self.start, stop))
