"""What a run returns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import StochasticFSA
from graphfsa.checks import check_integer, shorten
from graphfsa.engine.faults import Fault
from graphfsa.engine.schedulers import Scheduler
from graphfsa.errors import StateError
from graphfsa.graphs.graph import Graph

if TYPE_CHECKING:
    from graphfsa.playground import Playground


@dataclass(frozen=True, eq=False)
class Changes:
    """Every change of state up to step ``until``: node ``nodes[i]`` was in ``states[i]`` from step ``times[i]`` on.

    Attributes:
        times: Steps, int64 [number of changes], sorted.
        nodes: Nodes, int32 [number of changes].
        states: New states, uint8 [number of changes].
        until: The last step that is covered. Steps beyond it repeat with the period of the trajectory.
    """

    times: Array
    nodes: Array
    states: Array
    until: int

    def __len__(self) -> int:
        return len(self.times)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The states of a graph over time.

    Attributes:
        fsa: The automaton that ran.
        graph: The graph on which it ran.
        first: States at step 0, uint8 [num_nodes].
        last: States at step ``steps``, uint8 [num_nodes].
        steps: Number of steps, executed or jumped over.
        stable_at: The first step from which on the states repeat, if that was noticed: a fixed point or a cycle.
        period: Length of that cycle; 1 for a fixed point.
        kernel: The kernels that ran: ``event``, ``dense``, ``streamed``, ``lattice``, ``bits``, ``numpy``, ``coins``,
            ``scheduled``, ``plain``; joined by ``+``.
        times: Steps of the recorded frames, int64 [frames]; None if none were asked for.
        states: Recorded frames, uint8 [frames, num_nodes]; None if none were asked for.
        changes: Recorded changes; None if they were not asked for.
        entries: How often each (state, value) entry was used over all steps and nodes, int64 [num_states,
            num_values], jumped steps included; None if not asked for.
        movers: The nodes that moved in each step, if somebody chose them; None if all nodes moved in all steps.
        seconds: Wall time of the run, including the compilation of kernels that were not used before.
        scheduler: Who moved when; None if all nodes moved at once in every step.
        faults: What went wrong.
        moves: With a scheduler or faults: how often a node changed its state by the rules.
        rounds: The same for rounds: one ends when every node that was enabled at its beginning has moved, or is not
            enabled any more.
        clock: The time at the end, of schedulers with clocks.

    Example:
        >>> from graphfsa import families, library, run
        >>> blinker = [int(11 <= cell <= 13) for cell in range(25)]
        >>> trajectory = run(library.life_like(), families.moore(5, 5), blinker, steps=10**9)
        >>> trajectory.stable_at, trajectory.period, trajectory.steps
        (0, 2, 1000000000)
    """

    fsa: GraphFSA | StochasticFSA
    graph: Graph
    first: Array
    last: Array
    steps: int
    stable_at: int | None
    period: int | None
    kernel: str
    times: Array | None = None
    states: Array | None = None
    changes: Changes | None = None
    entries: Array | None = None
    movers: tuple[tuple[int, ...], ...] | None = None
    seconds: float = 0.0
    scheduler: Scheduler | None = None
    faults: tuple[Fault, ...] = ()
    moves: int | None = None
    rounds: int | None = None
    clock: float | None = None

    def __repr__(self) -> str:
        rest = ""
        if self.stable_at is not None:
            how = "at rest" if self.period == 1 else f"period {self.period:,}"
            rest = f", {how} from step {self.stable_at:,} on"
        counts = np.bincount(self.last, minlength=self.fsa.num_states).tolist()
        found = ", ".join(
            f"{count:,} {name}" for name, count in zip(self.fsa.state_names, counts, strict=True) if count
        )
        ends = shorten(found, 200) or "no node"
        return f"Trajectory({self.graph.num_nodes:,} nodes, {self.steps:,} steps{rest}; in the end: {ends})"

    @property
    def digest(self) -> str:
        """SHA-256 of the last states as uint8 in node order."""
        return sha256(np.ascontiguousarray(self.last, np.uint8).data).hexdigest()

    def at(self, step: int) -> Array:
        """The states at a step that was recorded, or that follows from what was recorded and the period.

        Args:
            step: At least 0; beyond ``steps`` only if the states were seen to repeat.
        """
        check_integer("step", step, error=StateError)
        found = self._frame(step)
        if found is None and self.changes is not None:
            found = self._replayed(self._folded(step), self.changes)
        if found is None:
            raise StateError(f"step {step} was not recorded; run up to it with record='all', or with record='changes'")
        return found.copy()

    def by_node(self, step: int | None = None) -> dict[Hashable, str]:
        """The name of each node's state, by the name of the node (its number, if nodes have no names).

        Args:
            step: A step as for ``at``; the last one if not given.
        """
        states = self.last if step is None else self.at(step)
        nodes = range(self.graph.num_nodes) if self.graph.node_names is None else self.graph.node_names
        return dict(zip(nodes, (self.fsa.state_names[state] for state in states.tolist()), strict=True))

    def play(self, *, seed: int = 0, title: str | None = None) -> Playground:
        """The automaton and the graph as a page that runs them from the first states on, and can be changed.

        Args:
            seed: The seed of the run, if the automaton moves at random.
            title: What it shows.
        """
        from graphfsa.playground import play

        return play(self.fsa, self.graph, self.first, seed=seed, title=title)

    def _repr_html_(self) -> str:
        """A player, a picture or a few facts, for notebooks."""
        # A door upwards, opened only when a notebook asks: what a run looks like is known in the views alone.
        from graphfsa.views import trajectory_html

        return trajectory_html(self)

    def _folded(self, step: int) -> int:
        """The earliest step with the same states that follows from the period."""
        if self.stable_at is None or self.period is None or step < self.stable_at:
            return step
        return self.stable_at + (step - self.stable_at) % self.period

    def _frame(self, step: int) -> Array | None:
        """The first, the last or a recorded frame of this step, or of another one of the same phase of the cycle."""
        for time, states in ((0, self.first), (self.steps, self.last)):
            if self._folded(time) == self._folded(step):
                return states
        if self.times is None or self.states is None:
            return None
        same = self.times == step
        if self.stable_at is not None and self.period is not None and step >= self.stable_at:
            same = (self.times >= self.stable_at) & ((self.times - step) % self.period == 0)
        places = np.flatnonzero(same)
        return self.states[places[0]] if len(places) else None

    def _replayed(self, step: int, changes: Changes) -> Array | None:
        if step > changes.until:
            return None
        states = self.first.copy()
        count = int(np.searchsorted(changes.times, step, side="right"))
        # Later changes of a node come later in the arrays, and the last assignment wins.
        states[changes.nodes[:count]] = changes.states[:count]
        return states
