"""From a table that fits to a simple one that fits: the simplest is what holds on larger graphs."""

from __future__ import annotations

import numpy as np

from graphfsa.arrays import Array
from graphfsa.search.budget import Budget
from graphfsa.search.completion import completed, leaves, neighbours
from graphfsa.search.problem import Problem
from graphfsa.search.searches import Annealing, evaluate

_RESTARTS = 10
_ENOUGH = 3
"""If this number of restarts end equally simple, nothing simpler is expected."""
_HEAT = (2.0, 0.05)
_MAX_VALUES = 2**16
_SLICE = 5_000


def simplified(problem: Problem, table: Array, seed: int, budget: Budget) -> Array:
    """The simplest complete table that fits as well, as far as a few annealing runs find it.

    Args:
        problem: The data; the table fits all of them.
        table: The table, -1 where no data speak of an entry.
        seed: Seed.
        budget: The budget; one run is always begun.
    """
    start = completed(table, problem.shape)
    wrong = evaluate(problem, start)[0]
    if wrong.any():
        raise AssertionError(f"{np.count_nonzero(wrong)} graphs are wrong though a search said that all fit")
    if not Annealing.has_room(problem) or problem.shape.num_values > _MAX_VALUES:
        return start
    entries = problem.shape.num_entries
    iterations = int(np.clip(2_000 * entries, 20_000, 2_000_000))
    found: list[tuple[float, int, Array]] = []
    for restart in range(_RESTARTS):
        run = Annealing(problem, start, simplify=True, iterations=iterations, heat=_HEAT, seed=seed * 1000 + restart)
        while not run.advance(_SLICE, budget) and not budget.over:
            pass
        # Few borders between neighbouring values, and few leaves of decision trees: each alone can be deceived.
        found.append((run.energy + _leaves(run.table, problem), restart, run.table))
        simplest = min(score for score, *_ in found)
        if sum(score == simplest for score, *_ in found) >= _ENOUGH or budget.over:
            break
    return min(found, key=lambda entry: entry[:2])[2]


def complexity(table: Array, problem: Problem) -> int:
    """How complicated a complete table is: borders between neighbouring values, leaves, and entries that are used."""
    shape = problem.shape
    near = neighbours(shape.aggregation, shape.num_states)
    rows = table[shape.num_final :]
    differ = (rows[:, near] != rows[:, :, None]) & (near >= 0)
    used = (evaluate(problem, table)[1] > 0).sum()
    return int(differ.sum()) // 2 + _leaves(table, problem) + int(used)


def _leaves(table: Array, problem: Problem) -> int:
    """Leaves of the decision trees of all rows."""
    shape = problem.shape
    return sum(leaves(row, shape.aggregation, shape.num_states) for row in table[shape.num_final :])
