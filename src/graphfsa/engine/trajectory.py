"""What a run returns."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from graphfsa.errors import StateError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Changes:
    """Every change of state up to step ``until``: node ``nodes[i]`` was in ``states[i]`` from step ``times[i]`` on.

    Attributes:
        times: Steps, int64 [number of changes], rising.
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
        first: States at step 0, uint8 [num_nodes].
        last: States at step ``steps``, uint8 [num_nodes].
        steps: Number of steps, executed or jumped over.
        stable_at: The first step from which on the states repeat, if that was noticed: a fixed point or a cycle.
        period: Length of that cycle; 1 for a fixed point.
        path: The kernels that ran: ``event``, ``dense``, ``lattice``, ``bits``, joined by ``+`` if several did.
        times: Steps of the recorded frames, int64 [frames]; None if none were asked for.
        states: Recorded frames, uint8 [frames, num_nodes]; None if none were asked for.
        changes: Recorded changes; None if they were not asked for.
        entries: How often each (state, value) entry was used over all steps and nodes, int64 [num_states,
            num_values], jumped steps included; None if not asked for.
        seconds: Wall time of the run, including the compilation of kernels that were not used before.
    """

    first: Array
    last: Array
    steps: int
    stable_at: int | None
    period: int | None
    path: str
    times: Array | None = None
    states: Array | None = None
    changes: Changes | None = None
    entries: Array | None = None
    seconds: float = 0.0

    @property
    def digest(self) -> str:
        """SHA-256 of the last states as uint8 in node order."""
        return sha256(np.ascontiguousarray(self.last, np.uint8).data).hexdigest()

    def at(self, step: int) -> Array:
        """The states at a step that was recorded, or that follows from what was recorded and the period.

        Args:
            step: At least 0; beyond ``steps`` only if the states were seen to repeat.
        """
        if step < 0:
            raise StateError(f"step must be at least 0; got {step}")
        if step == self.steps:
            return self.last.copy()
        if self.stable_at is not None and self.period is not None and step > self.stable_at:
            step = self.stable_at + (step - self.stable_at) % self.period
        if step == 0:
            return self.first.copy()
        if self.times is not None and self.states is not None:
            place = int(np.searchsorted(self.times, step))
            if place < len(self.times) and self.times[place] == step:
                return self.states[place].copy()
        if self.changes is not None and step <= self.changes.until:
            states = self.first.copy()
            count = int(np.searchsorted(self.changes.times, step, side="right"))
            # Later changes of a node come later in the arrays, and the last assignment wins.
            states[self.changes.nodes[:count]] = self.changes.states[:count]
            return states
        if self.period == 1 and step == self.stable_at:
            return self.last.copy()
        raise StateError(f"step {step} was not recorded; run with record='all' or record='changes'")
