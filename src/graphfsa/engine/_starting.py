"""Begins runs of small graphs in NumPy, and goes on with compiled kernels when they are worth their while.

Loading the compiler and a kernel takes longer than many a run, and compiling one longer still. So for small graphs a
process begins without, and all such runs together may take about a quarter of a second, which is what loading takes;
the run in which that is used up, and all later ones, are compiled.
"""

from __future__ import annotations

from collections.abc import Callable

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.engine._numpy import NumpyStepper, fits_numpy
from graphfsa.engine._stepper import Outcome, Stepper
from graphfsa.graphs.graph import Graph

_MAX_SIZE = 1 << 17
"""Nodes and arcs of a graph up to which a few steps in NumPy are quick."""
_ALLOWANCE = 10_000_000
_allowance = [_ALLOWANCE]
"""What is left of it, for all runs of this process, in units of ``NumpyStepper.cost``."""


def may_start(fsa: GraphFSA, graph: Graph) -> bool:
    """Whether a run should begin in NumPy."""
    return _allowance[0] > 0 and graph.num_nodes + graph.num_arcs <= _MAX_SIZE and fits_numpy(fsa)


def never_start() -> None:
    """Begin all further runs of this process with compiled kernels."""
    _allowance[0] = 0


class StartingStepper(Stepper):
    """Steps in NumPy until the allowance is used up, and compiled ones after that.

    Args:
        fsa: The automaton.
        graph: The graph.
        compiled: Builds the stepper to go on with.
    """

    def __init__(self, fsa: GraphFSA, graph: Graph, compiled: Callable[[], Stepper]) -> None:
        self._active: Stepper = NumpyStepper(fsa, graph)
        self._cost = self._active.cost
        self._compiled: Callable[[], Stepper] | None = compiled
        self._mark: Array | None = None
        self._used = ""

    @property
    def kernel(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The kernels that were used, joined by a plus sign."""
        return self._used + self._active.kernel

    def load(self, states: Array) -> None:
        self._active.load(states)

    def replace(self, first: int, states: Array) -> None:
        self._active.replace(first, states)

    def states(self) -> Array:
        return self._active.states()

    def set_mark(self, states: Array | None) -> None:
        self._mark = states
        self._active.set_mark(states)

    def advance(self, limit: int) -> tuple[int, Outcome]:
        if self._compiled is None:
            return self._active.advance(limit)
        affordable = _allowance[0] // self._cost
        if affordable > 0:
            done, outcome = self._active.advance(min(limit, affordable))
            _allowance[0] -= (done + 1) * self._cost
            return done, outcome
        fast = self._compiled()
        fast.load(self._active.states())
        fast.set_mark(self._mark)
        self._used, self._active, self._compiled = "numpy+", fast, None
        return fast.advance(limit)
