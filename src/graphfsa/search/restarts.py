"""Annealing from random tables, again and again: for data that need large tables and leave many of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from graphfsa.arrays import Array
from graphfsa.search.budget import Budget
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.searches import Annealing

_SLICE = 5_000
_ITERATIONS = 100_000
"""Iterations of the first runs; twice as many in each further round, since hard data need slow cooling."""
_HEATS = ((2.0, 0.3), (12.0, 0.3))
"""Temperatures of the first round, and of all others."""
_SECOND = (100_000, (2.0, 0.2))
"""Iterations and temperatures of a run that continues a good one."""
_GOOD = 0.04
"""Share of wrong nodes of a run that is worth continuing; most runs end with three times as many."""


def annealed(
    problems: Sequence[Problem], seed: int, budget: Budget, watch: Callable[[str], None]
) -> tuple[Problem, Array] | None:  # fmt: skip
    """A complete table without wrong nodes, from as many random tables as the budget allows.

    Where a table has far more entries than the data speak of, very many tables fit, and to change one entry of a wrong
    graph at a time finds one; searches that undo their first decisions last do not.

    Args:
        problems: The same data for automata of several sizes, which take turns.
        seed: Seed.
        budget: The budget.
        watch: Called with what is being tried.
    """
    possible = [problem for problem in problems if Annealing.has_room(problem) and not len(problem.hopeless)]
    restart = 0
    while possible and not budget.over:
        problem = possible[restart % len(possible)]
        watch(f"annealing, {problem.shape.num_states} states")
        number, turn = seed * 1000 + restart, restart // len(possible)
        table = random_table(problem.shape, np.random.default_rng([seed, restart]))
        run = _run(problem, table, _ITERATIONS << turn, _HEATS[min(turn, 1)], number, budget)
        if 0 < run.energy <= _GOOD * int((problem.target >= 0).sum()):
            run = _run(problem, run.table, *_SECOND, number, budget)
        if run.energy == 0:
            return problem, run.table
        restart += 1
    return None


def _run(
    problem: Problem, table: Array, iterations: int, heat: tuple[float, float], seed: int, budget: Budget
) -> Annealing:  # fmt: skip
    run = Annealing(problem, table, simplify=False, iterations=iterations, heat=heat, seed=seed)
    while not run.advance(_SLICE, budget) and not budget.over:
        pass
    return run


def random_table(shape: Shape, rng: np.random.Generator) -> Array:
    """A table with random successors, none of which is final if there are enough others; final states stay.

    A node that is final early stops and says nothing about what it could have seen later.
    """
    first = shape.num_final if shape.num_states - shape.num_final > 1 else 0
    table = rng.integers(first, shape.num_states, (shape.num_states, shape.num_values)).astype(np.int16)
    fixed = shape.empty_table()
    return np.where(fixed >= 0, fixed, table)
