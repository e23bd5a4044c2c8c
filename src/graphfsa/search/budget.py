"""Work as a measure of effort: a search that counts its work ends in the same place on a fast and on a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

UNIT = 25_000_000
"""Node-steps of a unit. One core of 2024 takes about a second for one, whatever it is spent on."""


class Budget:
    """How much work may be done, and how much has been.

    Args:
        units: The work, in units of ``UNIT`` node-steps.
        seconds: A time limit for those who need one; then what is found depends on the machine.
        whole: The budget that this one is a part of; what is spent here is spent there too.
        spent: What has been spent before, in units.
        pulse: Called whenever something is spent: a search says by this that it goes on.
    """

    def __init__(
        self,
        units: float,
        seconds: float | None = None,
        whole: Budget | None = None,
        *,
        spent: float = 0.0,
        pulse: Callable[[], None] | None = None,
    ) -> None:
        self._began = monotonic()
        self._seconds = inf if seconds is None else seconds
        self._units, self._whole, self._pulse = units, whole, pulse
        self._spent = spent

    def spend(self, node_steps: float) -> None:
        """Count work that was done."""
        self._spent += node_steps / UNIT
        if self._whole is not None:
            self._whole.spend(node_steps)
        if self._pulse is not None:
            self._pulse()

    def part(self, units: float) -> Budget:
        """A budget of this number of units, or of what is left here if that is less."""
        return Budget(min(units, max(0.0, self.left)), whole=self)

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return monotonic() - self._began

    @property
    def spent(self) -> float:
        """Units that were spent."""
        return self._spent

    @property
    def left(self) -> float:
        """Units that are left; below 0 if more was spent."""
        return self._units - self._spent

    @property
    def over(self) -> bool:
        """Whether nothing is left, or the time limit was reached."""
        if self._spent >= self._units or (self._whole is not None and self._whole.over):
            return True
        return self._seconds < inf and self.seconds >= self._seconds
