"""A satisfiability solver with gates and counters on top of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

CONFLICT, PROPAGATION, CLAUSE = 250, 4, 80
"""Node-steps that a conflict, a propagation and a new clause count for: they take about as long."""


class Clauses:
    """A solver, and gates on top of it. Literal ``self.true`` is always true."""

    def __init__(self) -> None:
        from pysat.solvers import Solver

        self.solver: Any = Solver(name="glucose4")
        self.count = 0
        self._gates: dict[tuple[int, ...], int] = {}
        self._added = 0
        self._before = 0
        self.true = self.new()
        self.add([self.true])

    def new(self) -> int:
        """A fresh variable."""
        self.count += 1
        return self.count

    def add(self, clause: Sequence[int]) -> None:
        """At least one of these."""
        self._added += 1
        self.solver.add_clause(clause)

    def new_work(self) -> int:
        """How much the solver did since this was asked last, in node-steps."""
        stats: dict[str, int] = self.solver.accum_stats()
        total = CONFLICT * stats["conflicts"] + PROPAGATION * stats["propagations"] + CLAUSE * self._added
        new, self._before = total - self._before, total
        return new

    def close(self) -> None:
        """Give back the memory of the solver; it can't be asked again."""
        self.solver.delete()

    def solve(self, conflicts: int, assumed: Sequence[int]) -> bool | None:
        """Whether there is a solution; None if it is still open after this number of conflicts."""
        self.solver.conf_budget(conflicts)
        try:
            return self.solver.solve_limited(assumptions=assumed)
        except Exception as error:
            # The solver catches the interruption itself, and has an error of its own for it.
            if "keyboard interrupt" in str(error):
                raise KeyboardInterrupt from None
            raise

    def exactly_one(self, literals: Sequence[int]) -> None:
        """One of these, and no other."""
        self.add(literals)
        for place, literal in enumerate(literals):
            for other in literals[:place]:
                self.add([-literal, -other])

    def both(self, *literals: int) -> int:
        """A literal that is true exactly if all of these are."""
        if -self.true in literals:
            return -self.true
        key = tuple(sorted({literal for literal in literals if literal != self.true}))
        if len(key) < 2:
            return key[0] if key else self.true
        if key not in self._gates:
            gate = self._gates[key] = self.new()
            for literal in key:
                self.add([-gate, literal])
            self.add([gate, *(-literal for literal in key)])
        return self._gates[key]

    def either(self, a: int, b: int) -> int:
        """A literal that is true exactly if one of these is."""
        return -self.both(-a, -b)

    def at_least(self, literals: Sequence[int | None], top: int) -> list[int]:
        """For each number up to ``top``, a literal that says that at least this number of them is true."""
        reached = [self.true] + [-self.true] * top
        for literal in literals:
            if literal is not None:
                grown = [self.both(literal, fewer) for fewer in reached[:-1]]
                reached = [self.true, *map(self.either, reached[1:], grown)]
        return reached
