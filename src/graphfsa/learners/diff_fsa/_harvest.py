"""From soft tables to discrete ones: how many labels they get wrong, repairing them, and choosing the simplest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphfsa.arrays import Array
from graphfsa.search.budget import Budget
from graphfsa.search.problem import Problem
from graphfsa.search.searches import Annealing, evaluate
from graphfsa.search.simplify import simplified

_HEAT = (3.0, 0.1)
_SLICE = 500
_SAMPLE = 200
_ROUNDS = 6
_TRIED = 4
_RUNS = 4
"""Node-steps of evaluation that take as long as one of annealing."""
_HOPE = 1.25
"""A table that uses this many times the entries of another will not become the simpler one."""


@dataclass(frozen=True, eq=False)
class Scores:
    """How some tables do on the training graphs.

    Attributes:
        wrong: Number of wrong nodes of each table, each graph with its count.
        shares: For each graph, the share of its nodes that are wrong, on average over the tables.
    """

    wrong: Array
    shares: Array


def score(problem: Problem, tables: Array, budget: Budget) -> Scores:
    """Run all tables on all graphs."""
    each = np.stack([_failing(problem, table, budget) for table in tables])
    sizes = np.maximum(1, problem.examples.sizes)
    return Scores(each @ problem.examples.counts, each.mean(axis=0) / sizes)


def _failing(problem: Problem, table: Array, budget: Budget) -> Array:
    """Number of wrong nodes of each graph; the work is spent."""
    examples = problem.examples
    budget.spend(float(examples.sizes @ examples.steps) / _RUNS)
    return evaluate(problem, table)[0]


def repaired(
    problem: Problem, table: Array, iterations: int, rng: np.random.Generator, budget: Budget
) -> tuple[Array, int]:
    """A table near the given one with fewer wrong nodes, if annealing finds any, and how many they are.

    Annealing looks at some of the graphs only: at those that are wrong, and at others so that they stay right. When
    nothing is wrong with these, graphs that are wrong now join them.
    """
    seen = np.zeros(len(problem.examples), bool)
    best, fewest = table, None
    for _ in range(_ROUNDS):
        failing = _failing(problem, table, budget)
        wrong = int(failing @ problem.examples.counts)
        if fewest is None or wrong < fewest:
            best, fewest = table, wrong
        if not wrong or budget.over:
            break
        for among in (failing > 0, failing == 0):
            new = np.flatnonzero(among & ~seen)
            seen[rng.choice(new, min(_SAMPLE, len(new)), replace=False)] = True
        few = problem.select(np.flatnonzero(seen))
        usual = float(few.examples.counts.mean())  # What one wrong node costs.
        heat, seed = (_HEAT[0] * usual, _HEAT[1] * usual), int(rng.integers(2**31))
        run = Annealing(few, table, simplify=False, iterations=iterations, heat=heat, seed=seed)
        while not run.advance(_SLICE, budget) and not budget.over:
            pass
        table = run.table
        if run.energy:
            break
    wrong = int(_failing(problem, table, budget) @ problem.examples.counts)
    return (table, wrong) if fewest is None or wrong < fewest else (best, fewest)


def examined(problem: Problem, table: Array) -> tuple[int, Array]:
    """What a table does on all graphs, in one run.

    Returns:
        The number of wrong nodes, each graph with its count; and the table with -1 where no graph uses an entry and it
        is not known. The entries of final states stay.
    """
    failing, uses, _ = evaluate(problem, table)
    seen = uses > 0
    seen[: problem.shape.num_final] = True
    if problem.known is not None:
        seen |= problem.known >= 0
    return int(failing @ problem.examples.counts), np.where(seen, table, -1).astype(np.int16)


def simplest(problem: Problem, parts: list[Array], seed: int, budget: Budget) -> tuple[int, Array]:
    """Make tables without an error simple and choose the one of which the data use the fewest entries.

    Args:
        problem: The graphs.
        parts: The tables, -1 where no graph uses an entry.
        seed: Seed.
        budget: The budget; one table is always simplified a little.

    Returns:
        The place of the one chosen, and its table, complete.
    """
    found: list[tuple[int, int, Array]] = []
    order = sorted(range(len(parts)), key=lambda place: (int((parts[place] >= 0).sum()), place))
    for place in order[:_TRIED]:
        if found and (budget.over or (parts[place] >= 0).sum() > _HOPE * min(used for used, *_ in found)):
            break
        table = simplified(problem, parts[place], seed, budget)
        found.append((int((evaluate(problem, table)[1] > 0).sum()), place, table))
    _, place, table = min(found, key=lambda entry: entry[:2])
    return place, table
