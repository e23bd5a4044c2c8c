"""When some labels are wrong: the automaton with the fewest wrong nodes.

Nodes that no automaton can tell apart get the label of most of them. Then graphs are taken in one after the other,
frequent and small ones first, as long as something fits them all; a graph that nothing fits any more is left out. What
fits the others is improved by annealing on the number of wrong nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import Examples
from graphfsa.learners.exact._climb import Attempt, Watch
from graphfsa.search.budget import Budget
from graphfsa.search.colours import final_colours
from graphfsa.search.completion import completed
from graphfsa.search.problem import NO_TARGET, Problem
from graphfsa.search.searches import Annealing, LazySearch, evaluate, tabulate
from graphfsa.search.simplify import simplified

_PATIENCE = 64
_SHARE = 2
"""How much more than an equal share of the work a rung may take: simple ones come first."""
_WORK = 3_000_000
_ITERATIONS = 2_000
_SLICE = 50
_HEAT = (1.0, 0.2)


def closest(
    attempts: Sequence[Attempt],
    allowed: float,
    seed: int,
    budget: Budget,
    watch: Watch,
    keep: Callable[[Attempt, Array], None],
) -> bool:
    """Find the simplest rung whose best table has at most ``allowed`` wrong nodes; else the best table of all.

    Args:
        attempts: The rungs, simplest first.
        allowed: Number of wrong nodes, each graph with its count.
        seed: Seed.
        budget: The budget; one rung is always tried.
        watch: Called with what is being tried.
        keep: Is given each complete table that is better than those before.

    Returns:
        Whether any table was found.
    """
    fewest: float | None = None
    chosen: tuple[Attempt, Array] | None = None
    # Nodes that look the same with an aggregation have different labels: that many are wrong, whatever the table.
    cleaned = [(attempt, *majority(attempt.problem)) for attempt in attempts]
    cleaned.sort(key=lambda rung: rung[2] > allowed)
    for place, (attempt, problem, least) in enumerate(cleaned):
        if chosen is not None and budget.over:
            break
        if fewest is not None and least >= fewest:
            continue
        watch(f"fewest errors with {attempt.rung.describe(problem.examples.task.inputs)}")
        share = budget.part(budget.left / (len(cleaned) - place) * _SHARE)
        table = _best_table(problem, attempt.problem, allowed, seed, share)
        wrong = float((evaluate(attempt.problem, table)[0] * problem.examples.counts).sum())
        if fewest is None or wrong < fewest:
            fewest, chosen = wrong, (attempt, table)
            keep(*chosen)
        if wrong <= allowed:
            break
    if chosen is not None:
        keep(chosen[0], _simpler(chosen[0].problem, chosen[1], seed, budget))
    return chosen is not None


def majority(problem: Problem) -> tuple[Problem, int]:
    """The problem with the labels only of nodes that have the most frequent one among those that look the same.

    Returns:
        The problem, and how many nodes are wrong at least, each graph with its count.
    """
    shape = problem.shape
    if not shape.num_final:
        return problem, 0
    steps = int(problem.examples.steps.max(initial=0))
    colours = final_colours(problem.examples.graphs, problem.start, steps, shape.aggregation)
    kinds, kind = np.unique(colours, return_inverse=True)
    votes = np.zeros((len(kinds), shape.num_final), np.int64)
    counted = np.flatnonzero(problem.target >= 0)
    weights = np.repeat(problem.examples.counts, problem.examples.sizes)
    np.add.at(votes, (kind.reshape(-1)[counted], problem.target[counted]), weights[counted])
    most = votes.max(axis=1, initial=0)
    # Where it is a draw, the other nodes must decide.
    usual = np.where((votes == most[:, None]).sum(axis=1) == 1, votes.argmax(axis=1), NO_TARGET)[kind.reshape(-1)]
    target = np.where(problem.target == usual, problem.target, NO_TARGET).astype(np.int16)
    return replace(problem, target=target), int((votes.sum(axis=1) - most).sum())


def _best_table(problem: Problem, whole: Problem, allowed: float, seed: int, budget: Budget) -> Array:
    shape = problem.shape
    if not shape.num_final and (problem.examples.steps == 1).all():
        # One step: every entry is decided by the majority, and nothing can be better.
        votes = tabulate(problem)[1]
        table = np.where(votes.any(axis=1), votes.argmax(axis=1), -1).astype(np.int16)
        return completed(table.reshape(shape.num_states, -1), shape)
    table = completed(_consensus(problem, allowed, seed, budget), shape)
    if not Annealing.has_room(whole):
        return table
    run = Annealing(whole, table, simplify=False, iterations=_ITERATIONS, heat=_HEAT, seed=seed)
    while not run.advance(_SLICE, budget) and not budget.over:
        pass
    return run.table


def _consensus(problem: Problem, allowed: float, seed: int, budget: Budget) -> Array:
    """A table that fits as many graphs as can be taken in one after the other, -1 where none of them needs an entry.

    It gives up when more graphs are left out than nodes may be wrong.
    """
    examples = problem.examples
    order = np.lexsort((examples.sizes, -np.minimum(examples.counts, 4)))
    left_out = np.zeros(len(examples), bool)
    best = problem.shape.empty_table()
    while not budget.over:
        # What the table fits without having seen it is taken in at once.
        wrong = evaluate(problem, completed(best, problem.shape))[0] > 0
        budget.spend(problem.pass_work)
        table = None
        for graph in order[(wrong & ~left_out)[order]]:
            table = _fits(problem.select(np.sort(np.r_[np.flatnonzero(~wrong), graph])), seed, budget)
            if table is not None:
                break
            left_out[graph] = True
            if budget.over or examples.counts[left_out].sum() > max(allowed, _PATIENCE):
                return best
        if table is None:
            return best
        best = table
    return best


def _fits(problem: Problem, seed: int, budget: Budget) -> Array | None:
    if len(problem.hopeless):
        return None
    for mode in (0, 1):
        search = LazySearch(problem, mode, seed)
        if search.advance(_WORK, budget) != "paused":
            return search.table if search.outcome == "found" else None
    return None


def _simpler(problem: Problem, table: Array, seed: int, budget: Budget) -> Array:
    """A simpler table with the same answers where they are right; wrong nodes no longer count."""
    last = evaluate(problem, table)[2]
    target = np.where(last == problem.target, problem.target, NO_TARGET).astype(np.int16)
    part = problem.examples
    examples = Examples(
        part.task, part.graphs, part.inputs, part.labels, steps=part.steps, mask=target >= 0, counts=part.counts
    )
    return simplified(replace(problem, examples=examples, target=target), table.astype(np.int16), seed, budget)
