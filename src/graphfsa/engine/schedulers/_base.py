"""What a scheduler is: in each step it says which nodes move, all of them at once.

A scheduler decides by what a run looks like at that moment and by coins of its own: which step it is, which nodes are
enabled. It keeps nothing in mind, so a run can be taken up anywhere, and step 17 of a seed is the same whoever asks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine._described import described
from graphfsa.engine.coins import ACTIVATIONS, coin
from graphfsa.graphs.graph import Graph
from graphfsa.plugins import Plugin

flip: Any = None
next_enabled: Any = None
nth_enabled: Any = None
"""Bound when a kernel is compiled, as are ``below`` and ``waiting``: see ``Scheduler.compiled_choose``."""


@dataclass
class Moment:
    """A run at the moment in which a scheduler chooses.

    Attributes:
        graph: The graph.
        step: The number of the step that is to be made, from 0.
        enabled: The nodes that the table moves to another state, or with coins: that can leave their state. Sorted.
            Nodes that have crashed, or that lie, are never enabled.
        key: Number of the run and key of the seed.
        clock: The time so far; a scheduler whose steps take time adds to it.
    """

    graph: Graph
    step: int
    enabled: Sequence[int]
    key: tuple[Any, Any, Any]
    clock: float = field(default=0.0)

    def coin(self, number: int) -> int:
        """Coin ``number`` of this step: from 0 to 2^53 - 1, each equally likely."""
        return int(coin(np.uint64(ACTIVATIONS), np.uint64(number), np.uint64(self.step), *self.key))


class Scheduler(Plugin, ABC):
    """The contract. A new scheduler is a class that extends this, in this room or in a file of your own.

    ``choose`` is all that it needs. Options are the fields of a frozen dataclass.

    Example:
        >>> from graphfsa import families, library, run
        >>> class EvenFirst(Scheduler):
        ...     def choose(self, moment):
        ...         even = [node for node in moment.enabled if node % 2 == 0]
        ...         return even or moment.enabled
        >>> run(library.distance(), families.path(4), [3, 2, 2, 2], "stable", scheduler=EvenFirst()).steps
        4
    """

    kind = "scheduler"
    room = "graphfsa.engine.schedulers"

    timed: ClassVar[bool] = False
    """Whether steps take time, which ``choose`` adds to the clock."""

    foreseen: ClassVar[bool] = False
    """Whether each step has one node, whatever the states: then the compiled form is asked some steps ahead."""

    one_by_one: ClassVar[bool] = True
    """Whether few nodes move in a step, so that many steps are needed until states settle."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "choose" in vars(cls) and "compiled_choose" not in vars(cls):
            cls.compiled_choose = None  # Who chooses in another way does not inherit how that was compiled.

    @abstractmethod
    def choose(self, moment: Moment) -> Sequence[int]:
        """The nodes that move in this step, none of them twice: the plain specification."""

    def check(self, graph: Graph) -> None:
        """Raise if this scheduler can't serve a graph; by default it can."""

    def num_steps(self) -> int | None:
        """The number of steps that it can make; None: as many as anybody likes."""
        return None

    def parameters(self, graph: Graph) -> Array:
        """Numbers that ``compiled_choose`` needs, float64 [any]; integers up to 2^53 are exact. By default none."""
        del graph
        return np.empty(0, np.float64)

    compiled_choose: ClassVar[Callable[..., int] | None] = None
    """``choose`` for the engine's compiler: a plain function in the subset of Python that numba compiles.

    Its arguments are ``(step, size, crowd, arcs, numbers, key, watch, chosen)``: the step; how many nodes are enabled;
    which ones (``crowd[0][node] & 1``); the arrays of the arcs, in and out; this scheduler's parameters; the number of
    the run and the key of the seed; the clock, an array of one number to add to; and an array to write the nodes into.
    It returns how many it wrote. It may call ``flip(purpose, number, step, *key)``, ``below(coin, bound)``,
    ``waiting(coin)``, ``next_enabled(node, *crowd)``, the first enabled node from this one on (or the number of nodes),
    and ``nth_enabled(place, *crowd)``, the enabled node with this place in the order of numbers.
    Without it, runs are made by the plain specification, slowly.
    """

    def __str__(self) -> str:
        return described(self)
