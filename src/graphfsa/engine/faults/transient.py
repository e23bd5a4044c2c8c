"""Transient faults: at some steps the memory of some nodes is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.automaton.base import Automaton
from graphfsa.checks import check_integer
from graphfsa.engine._described import tuples
from graphfsa.engine.coins import MAX_STEPS, below
from graphfsa.engine.faults._base import SET, Fault, Harm, Source, World, check_who, who
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph


@dataclass(frozen=True)
class Transient(Fault):
    """At given steps some nodes are set to other states. Final states and crashed nodes are not spared.

    Attributes:
        share: The share of the nodes that is hit each time, drawn anew; the number is rounded.
        nodes: Instead: the nodes that are hit.
        at: A step, or a list of steps.
        states: The states that they may be set to, each equally likely; all states if not given.
    """

    share: float | None = None
    nodes: Sequence[Any] | None = None
    at: int | Sequence[int] = 0
    states: str | Sequence[str | int] | None = None
    hides = False
    compiled = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", check_who(self.share, self.nodes))
        for step in tuples("at", self.at):
            check_integer("at: a step", step, 0, MAX_STEPS)
        object.__setattr__(self, "at", tuples("at", self.at))
        if self.states is not None:
            object.__setattr__(self, "states", tuples("states", self.states))
            if not self.states:
                raise GraphFSAError("states must have at least one state")

    def check(self, fsa: Automaton, graph: Graph) -> None:
        """Raise if this can't be done on a graph."""
        _choice(self, fsa)
        for node in self.nodes or ():
            graph.node_index(node)

    def end(self) -> int | None:
        """The first step from which on it does nothing."""
        return max(self._steps, default=-1) + 1

    def strike(self, world: World, source: Source) -> None:
        """What happens before the moves of a step."""
        if world.step not in self._steps:
            return
        choice = _choice(self, world.fsa)
        for node in who(self.share, self.nodes, world.graph, source, world.step):
            world.states[node] = choice[below(source.coin(node, world.step, 1), len(choice))]

    def harm(self, fsa: Automaton, graph: Graph, source: Source) -> Harm:
        """The same in numbers."""
        choice = np.array(_choice(self, fsa), np.int64)
        rows = [np.empty((0, 4), np.int64)]
        for step in sorted(set(self._steps)):
            hit = np.array(who(self.share, self.nodes, graph, source, step), np.int64)
            coins = source.coin(hit, step, 1).tolist() if len(hit) else []
            states = choice[[below(number, len(choice)) for number in coins]]
            rows.append(np.stack((np.full_like(hit, step), np.full_like(hit, SET), hit, states), axis=1))
        return Harm(events=np.concatenate(rows))

    @property
    def _steps(self) -> Sequence[int]:
        return tuples("at", self.at)


def _choice(fault: Transient, fsa: Automaton) -> list[int]:
    states = range(fsa.num_states) if fault.states is None else tuples("states", fault.states)
    return [fsa.index(state) for state in states]
