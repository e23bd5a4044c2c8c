"""How much work a training may do, shared between sizes; and a sign of life every second while it is done."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from graphfsa.learners.diff_fsa._course import Course, Record
from graphfsa.search.budget import Budget

_TRAINING = 0.85
"""Share of the budget for training and repair; the rest is for simplifying what was found."""
_SHARE = 0.5
"""Share of what is left for training that one size may use, unless it is the last."""
_SILENCE = 1.0
"""Seconds after which something is said."""


class Effort:
    """The budget of one call of ``fit``.

    Args:
        units: The work, as for ``Budget``.
        course: What has happened so far; its ``work`` has been spent.
        watch: Called with a record at most every second.

    Attributes:
        doing: What is being done, in words.
        of: Updates so far and those that may follow.
        states: Number of states of the current size.
    """

    def __init__(self, units: float, course: Course, watch: Callable[[Record], None]) -> None:
        self._units, self._course, self._watch = units, course, watch
        self._told = monotonic()
        self.doing, self.of, self.states = "beginning", 0, 0
        self.whole = Budget(units, spent=course.work, pulse=self._pulse)
        self.share = self.whole

    def enter(self, *, last: bool) -> None:
        """Begin with a size, or go on with it: from now on its share is spent."""
        began = self._course.began
        most = max(0.0, _TRAINING * self._units - began)
        units = began + (most if last else _SHARE * most)
        self.share = Budget(units, whole=self.whole, spent=self.whole.spent)

    def told(self) -> None:
        """Something has been said just now."""
        self._told = monotonic()

    def _pulse(self) -> None:
        """Say what is being done, if nothing was said for a while."""
        course = self._course
        course.work = self.whole.spent
        if monotonic() - self._told < _SILENCE:
            return
        self.told()
        self._watch(
            {
                "doing": f"{self.doing}, {self.states} states, update {course.updates}: "
                f"best so far {course.accuracy:.2%} right",
                "updates": course.updates,
                "of": self.of,
                "states": self.states,
                "best_accuracy": round(course.accuracy, 6),
            }
        )
