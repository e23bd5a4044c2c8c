"""Changes between a dense and the event-driven path as the number of changing nodes falls and rises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graphfsa.arrays import Array
from graphfsa.engine._event import EventStepper
from graphfsa.engine._stepper import DenseStepper, Outcome, Stepper


class AdaptiveStepper(Stepper):
    """Runs dense steps while much changes and event-driven ones while little does.

    Args:
        dense: The dense stepper; it asks for a handover when little changes.
        make_event: Builds the event-driven stepper, when it is first needed.
    """

    def __init__(self, dense: DenseStepper, make_event: Callable[[], EventStepper]) -> None:
        self._dense = dense
        self._make_event = make_event
        self._event: EventStepper | None = None
        self._active: Stepper = dense
        self._mark: Array | None = None
        self._used: list[str] = []

    @property
    def path(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The kernels that were used, joined by a plus sign."""
        return "+".join(self._used) or self._active.path

    def load(self, states: Array) -> None:
        self._active = self._dense
        self._dense.load(states)

    def states(self) -> Array:
        return self._active.states()

    def set_mark(self, states: Array | None) -> None:
        self._mark = states
        self._active.set_mark(states)

    def advance(self, limit: int) -> tuple[int, Outcome]:
        total = 0
        while True:
            if self._active.path not in self._used:
                self._used.append(self._active.path)
            done, outcome = self._active.advance(limit - total)
            total += done
            if outcome is not Outcome.HANDOVER:
                return total, outcome
            self._hand_over()
            if total == limit:
                return total, Outcome.RUNNING

    def _hand_over(self) -> None:
        states = self._active.states()
        if self._active is self._dense:
            if self._event is None:
                self._event = self._make_event()
            changed = np.flatnonzero(states != self._dense.previous_states()).astype(np.int32)
            self._event.load_frontier(states, changed)
            self._active = self._event
        else:
            self._dense.load(states)
            self._active = self._dense
        self._active.set_mark(self._mark)
