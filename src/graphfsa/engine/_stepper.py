"""What moves states forward: the contract between the driver of a run and its kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import IntEnum
from functools import cache
from typing import Any

from graphfsa.arrays import Array
from graphfsa.engine.compiling import compile_kernel

_SMALL = 1 << 12
"""Entries up to which comparing two whole arrays is as quick as calling a kernel, and does not load the compiler."""


class Outcome(IntEnum):
    """Why ``advance`` came back. The numbers are known to the event kernel."""

    RUNNING = 0
    """The limit was reached (or a natural pause)."""
    FIXED = 1
    """Another step would change nothing."""
    RETURNED = 2
    """The states are those of the mark again."""
    HANDOVER = 3
    """The other kind of kernel would be faster from here on."""


class Stepper(ABC):
    """States of one graph under one automaton, that can be moved forward step by step.

    Attributes:
        kernel: Names of the kernels that were used, in order of first use.
    """

    kernel: str

    @abstractmethod
    def load(self, states: Array) -> None:
        """Start from these states, uint8 [num_nodes]."""

    @abstractmethod
    def states(self) -> Array:
        """A copy of the current states, uint8 [num_nodes]."""

    def replace(self, first: int, states: Array) -> None:
        """Give the nodes from ``first`` on other states, uint8. Kernels that can do it for less than a load say how."""
        board = self.states()
        board[first : first + len(states)] = states
        self.load(board)

    @abstractmethod
    def set_mark(self, states: Array | None) -> None:
        """Watch for a return to these states; None: for no return."""

    @abstractmethod
    def advance(self, limit: int) -> tuple[int, Outcome]:
        """Make up to ``limit`` steps; returns how many were made and why it stopped.

        A fixed point is reported before the step that would show it is counted.
        """

    def advance_fully(self, steps: int) -> None:
        """Make exactly this many steps, whatever happens on the way."""
        while steps:
            done, outcome = self.advance(steps)
            steps = 0 if outcome is Outcome.FIXED else steps - done


class DenseStepper(Stepper):
    """A stepper that computes every node in every step.

    Subclasses keep the current and the next states in ``self._now`` and ``self._next``. If these are not simply uint8
    [num_nodes], they say how states are written into such an array and read from it.

    Args:
        quiet: When fewer nodes than this change in a step, ask for a handover to the event-driven path.
    """

    _now: Array
    _next: Array
    _mark: Array | None = None
    _differs_at = 0
    """An entry in which the states were seen to differ from the mark; they often still do."""

    def __init__(self, quiet: int = 0) -> None:
        self._quiet = quiet

    def load(self, states: Array) -> None:
        self._write(self._now, states)

    def states(self) -> Array:
        return self._read(self._now)

    def previous_states(self) -> Array:
        """The states before the last step, uint8 [num_nodes]; right after that step only."""
        return self._read(self._next)

    def set_mark(self, states: Array | None) -> None:
        self._mark = None
        if states is not None:
            self._mark = self._now.copy()
            self._write(self._mark, states)

    def _write(self, board: Array, states: Array) -> None:
        board[:] = states

    def _read(self, board: Array) -> Array:
        return board.copy()

    @abstractmethod
    def _step(self) -> int:
        """Compute ``_next`` from ``_now``; returns how many entries changed (or any positive number if some did)."""

    def advance(self, limit: int) -> tuple[int, Outcome]:
        for done in range(1, limit + 1):
            changed = self._step()
            if changed == 0:
                return done - 1, Outcome.FIXED
            self._now, self._next = self._next, self._now
            if self._mark is not None:
                self._differs_at = difference(self._now, self._mark, max(self._differs_at, 0))
                if self._differs_at < 0:
                    return done, Outcome.RETURNED
            if changed < self._quiet:
                return done, Outcome.HANDOVER
        return limit, Outcome.RUNNING


def _difference(left: Any, right: Any, first: int) -> int:
    for place in range(first, len(left)):
        if left[place] != right[place]:
            return place
    for place in range(first):
        if left[place] != right[place]:
            return place
    return -1


@cache
def _difference_kernel() -> Any:
    return compile_kernel(_difference)


def difference(left: Array, right: Array, first: int = 0) -> int:
    """Where two arrays of one form differ, as they are flattened; -1 if they are equal.

    Unless they are small, looks from entry ``first`` on, then at those before it, and stops at the first difference.
    """
    if left.size <= _SMALL:
        return -1 if (left == right).all() else first
    return int(_difference_kernel()(left.reshape(-1), right.reshape(-1), first))


def same(left: Array, right: Array) -> bool:
    """Whether two arrays of one form are equal."""
    return difference(left, right) < 0
