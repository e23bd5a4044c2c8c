"""What a fault is: something that happens to nodes or to what they see, beside what the automaton says.

Before the moves of each step faults strike: they may set states, stop nodes, make nodes lie, and take arcs away for
this step. While nodes look around, messages may be lost. All of it follows from the number of the step and coins of the
fault's own, so faults go with each other and with every scheduler.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.checks import check_share
from graphfsa.engine._described import as_nodes, described, tuples
from graphfsa.engine.coins import FAULTS, coin
from graphfsa.errors import GraphFSAError
from graphfsa.graphs.graph import Graph
from graphfsa.plugins import Plugin

NEVER = 2**62
"""A step that no run gets to."""
SET, CRASH, LIE, ARC = range(4)
"""What happens at a known step: a node is in a state; a node stops for ever; a node begins (+1) or ceases (-1) to lie;
an arc goes (+1) or comes back (-1)."""


@dataclass(frozen=True)
class Source:
    """The coins of one fault in one run.

    Attributes:
        place: The place of the fault in the list of faults.
        key: Number of the run and key of the seed.
    """

    place: int
    key: tuple[Any, Any, Any]

    def coin(self, number: Any, step: Any, which: int = 0) -> Any:
        """A number from 0 to 2^53 - 1, or an array of them; ``which`` is 0 or 1, for two purposes."""
        return coin(np.uint64(self.purpose(which)), np.asarray(number, np.uint64)[()], np.uint64(step), *self.key)

    def purpose(self, which: int = 0) -> int:
        """What kernels call these coins."""
        return FAULTS + 2 * self.place + which


@dataclass
class World:
    """A run, as faults see and change it: node by node.

    Attributes:
        fsa: The automaton.
        graph: The graph.
        step: The step that is to be made.
        states: The state of each node.
        crashed: Whether each node has stopped for ever.
        absent: Whether each arc is away in this step.
        lies: What the nodes that lie in this step show from now on; None for what they show already.
    """

    fsa: Automaton
    graph: Graph
    step: int
    states: list[int]
    crashed: list[bool]
    absent: list[bool]
    lies: dict[int, int | None] = field(default_factory=dict[int, "int | None"])


@dataclass(frozen=True)
class Harm:
    """A fault for the compiled kernel, in numbers.

    Attributes:
        events: What happens at known steps, rows of (step, kind, node or arc, value), int64 [any, 4]; in order of
            steps.
        liars: Nodes that lie; that they do not move in that time is said by events, int64 [any].
        lying: For ``liars``: purpose of the coins, how likely a liar shows something new in a step, first step, end.
        losses: Purpose, threshold, first step, end: messages that are lost.
        churn: Purpose, threshold, first step, end: edges that are away by chance.
    """

    events: Array = field(default_factory=lambda: np.empty((0, 4), np.int64))
    liars: Array = field(default_factory=lambda: np.empty(0, np.int64))
    lying: tuple[int, float, int, int] = (0, 0.0, 0, 0)
    losses: tuple[int, int, int, int] | None = None
    churn: tuple[int, int, int, int] | None = None


class Fault(Plugin, ABC):
    """The contract. A new fault is a class that extends this, in this room or in a file of your own.

    ``strike`` and ``loses`` say what it does, ``end`` until when; each has a default. Options are the fields of a
    frozen dataclass.

    Example:
        >>> from graphfsa import families, library, run
        >>> class Reset(Fault):
        ...     def strike(self, world, source):
        ...         if world.step == 3:
        ...             world.states[0] = 0
        ...     def end(self):
        ...         return 4
        >>> run(library.majority(), families.path(3), [1, 1, 1], 4, faults=[Reset()]).last.tolist()
        [1, 1, 1]
    """

    kind = "fault"
    room = "graphfsa.engine.faults"

    hides: ClassVar[bool] = True
    """Whether nodes may see fewer neighbours than they have."""

    compiled: ClassVar[bool] = False
    """Whether ``harm`` says the same in numbers; otherwise runs are made by the plain specification, slowly."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if {"strike", "loses", "end"} & vars(cls).keys() and "harm" not in vars(cls):
            cls.compiled = False  # Who does something else does not inherit how that was compiled.

    def check(self, fsa: Automaton, graph: Graph) -> None:
        """Raise if this fault can't happen to an automaton on a graph; by default it can."""

    def strike(self, world: World, source: Source) -> None:
        """What happens before the moves of each step: the plain specification. By default nothing."""

    def loses(self, world: World, source: Source, arc: int) -> bool:
        """Whether what an arc carries is lost when its node looks around in this step. By default never."""
        del world, source, arc
        return False

    def end(self) -> int | None:
        """The first step from which on it does nothing any more; None if there is none. By default none."""
        return None

    def harm(self, fsa: Automaton, graph: Graph, source: Source) -> Harm:
        """The same in numbers, if ``compiled``."""
        raise NotImplementedError

    def __str__(self) -> str:
        return described(self)


def check_who(share: Any, nodes: Any) -> tuple[Any, ...] | None:
    """The nodes that were given, if they were; raise unless either a share or nodes were given."""
    if (share is None) == (nodes is None):
        raise GraphFSAError("give either a share of the nodes, share=, or nodes=")
    if share is not None:
        check_share("share", share)
    return None if nodes is None else tuples("nodes", nodes)


def who(share: float | None, nodes: Sequence[Any] | None, graph: Graph, source: Source, step: int) -> list[int]:
    """The nodes that are meant, sorted; a share is drawn with the coins of a step."""
    if nodes is not None:
        return sorted(as_nodes("nodes", graph, nodes))
    assert share is not None
    count = int(share * graph.num_nodes + 0.5)
    coins = source.coin(np.arange(graph.num_nodes), step)
    return sorted(np.argsort(coins, kind="stable")[:count].tolist())
