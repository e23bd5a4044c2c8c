"""Drives a stepper to a step, noticing fixed points and cycles on the way and jumping over what repeats.

Cycles are found by Brent's method: the states are marked at steps that grow by powers of two, and a return to the
mark gives the period. Every comparison is exact, so there is no chance of a false match.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from graphfsa.arrays import Array
from graphfsa.engine._event import EventStepper
from graphfsa.engine._stepper import Outcome, Stepper, same

Progress = Callable[[int], None]
_PAUSE_SECONDS = 0.2
_MOST_AT_FIRST = 16
_LITTLE = 512
"""Nodes to look at before it is asked for the first time how far the run is."""


class Drive:
    """A run in progress.

    Args:
        stepper: What moves the states; already loaded.
        states: The states at step 0.
        fresh: Builds another stepper for the same automaton and graph, to look back where a cycle began.
        progress: Called with the current step several times a second.

    Attributes:
        time: The current step, executed or jumped over.
        period: Length of the cycle, once it is known.
    """

    def __init__(
        self, stepper: Stepper, states: Array, fresh: Callable[[], Stepper], progress: Progress | None = None
    ) -> None:
        self.stepper = stepper
        self.time = 0
        self.period: int | None = None
        self._fixed_at: int | None = None
        self._first = states
        self._fresh = fresh
        self._progress = progress
        # A step of a small graph costs less than a call, so its runs begin with several.
        self._chunk = self._window = max(1, min(_MOST_AT_FIRST, _LITTLE // (len(states) + 1)))
        self._mark = (0, states)
        self._before = (0, states)
        stepper.set_mark(states)

    def go_to(self, target: int) -> None:
        """Move to a step; returns early, where the cycle was noticed, the first time that one is noticed."""
        knew = self.period is not None
        while self.time < target and (self.period is None or knew):
            if self.period is None:
                self._explore(target)
            else:
                self._jump(target, self.period)

    def preperiod(self) -> tuple[int, Array] | None:
        """The first step from which on the states repeat, and those states; None if they were not seen to repeat."""
        if self.period is None:
            return None
        if self._fixed_at is not None:
            return self._fixed_at, self.stepper.states()
        if self._mark[0] == 0:
            return self._mark
        # If the period is no longer than the last window, the mark of that window was not on the cycle yet.
        low = self._before if self.period <= self._window // 2 else (0, self._first)
        return _first_repeat(self._fresh, low, self._mark[0], self.period)

    def _explore(self, target: int) -> None:
        limit = min(target, self._mark[0] + self._window) - self.time
        started = perf_counter()
        done, outcome = self.stepper.advance(min(limit, self._chunk))
        elapsed = perf_counter() - started
        self._chunk = max(1, self._chunk * 2 if elapsed < _PAUSE_SECONDS / 2 else self._chunk // 2)
        self.time += done
        if self._progress is not None:
            self._progress(self.time)
        if outcome is Outcome.FIXED:
            self.period, self._fixed_at = 1, self.time
        elif outcome is Outcome.RETURNED:
            self.period = self.time - self._mark[0]
            self.stepper.set_mark(None)
        elif self.time == self._mark[0] + self._window:
            self._before, self._mark = self._mark, (self.time, self.stepper.states())
            self._window *= 2
            self.stepper.set_mark(self._mark[1])

    def _jump(self, target: int, period: int) -> None:
        if self._fixed_at is None:
            whole, rest = divmod(target - self.time, period)
            if whole and isinstance(self.stepper, EventStepper) and self.stepper.counts_entries:
                self.stepper.skip_periods(period, whole - 1)
            self.stepper.advance_fully(rest)
        self.time = target


def _first_repeat(fresh: Callable[[], Stepper], low: tuple[int, Array], high: int, period: int) -> tuple[int, Array]:
    """The smallest step in ``low .. high`` whose states are those ``period`` steps later, and those states.

    Two steppers move in lockstep, ``period`` apart, in strides; the stride in which they meet is searched again with
    shorter ones.
    """
    time, states = low
    behind, ahead = fresh(), fresh()
    behind.load(states)
    ahead.load(states)
    ahead.advance_fully(period)
    if same(states, ahead.states()):
        return low
    stride = max(1, (high - time) // 64)
    while True:
        saved = behind.states(), ahead.states()
        behind.advance_fully(stride)
        ahead.advance_fully(stride)
        if not same(behind.states(), ahead.states()):
            time += stride
        elif stride == 1:
            return time + 1, behind.states()
        else:
            behind.load(saved[0])
            ahead.load(saved[1])
            stride = max(1, stride // 16)
