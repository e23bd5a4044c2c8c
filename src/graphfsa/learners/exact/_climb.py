"""Climbing the ladder: each rung gets a little work, then each that is still open more, until one fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphfsa.arrays import Array
from graphfsa.datasets import Examples
from graphfsa.search.budget import Budget
from graphfsa.search.ladder import Rung
from graphfsa.search.problem import Problem
from graphfsa.search.sat import SatSearch
from graphfsa.search.searches import LazySearch

_SLICE = 2_000_000
"""Node-steps between two looks at the budget: some hundredths of a second."""
_EFFORT = 10
"""Slices that a rung gets at first; eight times as many in each further round."""
_CONFLICTS = 2_000
_ENOUGH = 8
"""Automata of the same size that are compared, at most."""

Watch = Callable[[str], None]


@dataclass(eq=False)
class Attempt:
    """What is known about a rung.

    Attributes:
        rung: The rung.
        problem: The data for it.
        outcome: ``"open"``, ``"fits"``, or ``"impossible"``.
        by: Which method decided.
        seconds: Time spent.
        table: A table that fits, -1 where no data speak of an entry.
    """

    rung: Rung
    problem: Problem
    outcome: str = "open"
    by: str = ""
    seconds: float = 0.0
    table: Array | None = None
    thorough: LazySearch | None = None
    sat: SatSearch | None = None
    seeds: int = field(default=0)


class Climb:
    """A search over all rungs at once.

    Args:
        examples: The labelled graphs, without duplicates, small ones first.
        rungs: The ladder, simplest first.
        seed: Seed of the random orders.
        budget: The budget.
        watch: Called with what is being tried.
    """

    def __init__(self, examples: Examples, rungs: Sequence[Rung], seed: int, budget: Budget, watch: Watch) -> None:
        self._seed, self._budget, self._watch = seed, budget, watch
        self._inputs = examples.task.inputs
        problems: dict[Any, Problem] = {}
        self.attempts: list[Attempt] = []
        for rung in rungs:
            key = (rung.merged, rung.shape.aggregation)
            if key in problems:
                problem = problems[key].with_shape(rung.shape)
            else:
                problem = Problem.of(examples, rung.shape, rung.merged)
            problems[key] = problem
            self.attempts.append(Attempt(rung, problem))
        for attempt in self.attempts:
            if len(attempt.problem.hopeless):
                attempt.outcome, attempt.by = "impossible", "colour refinement"

    def run(self) -> list[Attempt]:
        """The first rung that fits, with the others that lead to automata of the same size; empty if there is none."""
        effort = _EFFORT
        while not self._budget.over:
            waiting = [attempt for attempt in self.attempts if attempt.outcome == "open"]
            fits: list[Attempt] = []
            for attempt in waiting:
                if self._budget.over or len(fits) == _ENOUGH or (fits and attempt.rung.size != fits[0].rung.size):
                    break
                if attempt.outcome == "open" and self._try(attempt, effort) and attempt.outcome == "fits":
                    fits.append(attempt)
            if fits or not waiting:
                return fits
            effort *= 8
        return []

    @property
    def impossible(self) -> bool:
        """Whether no rung can fit."""
        return all(attempt.outcome == "impossible" for attempt in self.attempts)

    @property
    def largest(self) -> Attempt | None:
        """The rung that all others can be written as; None if it is too large to allocate."""
        rungs = [attempt.rung for attempt in self.attempts]
        return next((a for a in self.attempts if all(a.rung.covers(rung) for rung in rungs)), None)

    def _try(self, attempt: Attempt, effort: int) -> bool:
        """Work on one rung; True when it is decided."""
        began = self._budget.seconds
        self._watch(attempt.rung.describe(self._inputs))
        try:
            if not self._lazily(attempt, effort):
                self._with_sat(attempt, effort)
        finally:
            attempt.seconds += self._budget.seconds - began
        if attempt.outcome == "impossible":
            for other in self.attempts:
                if other.outcome == "open" and attempt.rung.covers(other.rung):
                    other.outcome, other.by = "impossible", "a larger one is"
        return attempt.outcome != "open"

    def _lazily(self, attempt: Attempt, effort: int) -> bool:
        """Lazy assignment: one search goes on from where it was, others begin anew in another order."""
        if attempt.thorough is None:
            attempt.thorough = LazySearch(attempt.problem, 0, self._seed)
        modes = (1,) if attempt.seeds == 0 else (2, 3, 5)
        searches = [attempt.thorough]
        for mode in modes:
            attempt.seeds += 1
            searches.append(LazySearch(attempt.problem, mode, self._seed * 1000 + attempt.seeds))
        for search in searches:
            stop = search.work + _SLICE * effort // (1 if search is attempt.thorough else 4)
            while search.advance(_SLICE, self._budget) == "paused" and search.work < stop and not self._budget.over:
                pass
            if search.outcome in ("found", "exhausted"):
                attempt.outcome = "fits" if search.outcome == "found" else "impossible"
                attempt.by = "lazy assignment"
                attempt.table = search.table if search.outcome == "found" else None
                return True
        return False

    def _with_sat(self, attempt: Attempt, effort: int) -> None:
        """Satisfiability with counterexamples."""
        if attempt.sat is None:
            attempt.sat = SatSearch(attempt.problem)
        outcome = attempt.sat.advance(_CONFLICTS * effort // _EFFORT, self._budget)
        if outcome == "found":
            attempt.outcome, attempt.by, attempt.table = "fits", "satisfiability", attempt.sat.table
        elif outcome == "exhausted":
            attempt.outcome, attempt.by = "impossible", "satisfiability"
