"""Why nothing fits: a small set of graphs that already shows it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.datasets import Examples
from graphfsa.search.budget import UNIT, Budget
from graphfsa.search.problem import Problem
from graphfsa.search.sat import SatSearch
from graphfsa.search.searches import LazySearch

_EASY = 300_000
_CONFLICTS = 3_000
_ALONE = 100


@dataclass(frozen=True, eq=False)
class Impossibility:
    """Graphs that no automaton of a size fits.

    Attributes:
        examples: The graphs, small ones first; without any one of them the proof would not hold, if ``minimal``.
        aggregation: What the automata see; None if it does not matter.
        num_states: How many states the automata have at most, with one for each class and each input class; None if it
            does not matter: two nodes with different labels look the same for too long.
        minimal: Whether leaving out each of the graphs was tried.
    """

    examples: Examples
    aggregation: Aggregation | None
    num_states: int | None
    minimal: bool


def indistinguishable(problem: Problem) -> Impossibility | None:
    """One or two graphs with nodes that no automaton with this aggregation tells apart in time, if there are any."""
    hopeless = problem.hopeless
    if not len(hopeless):
        return None
    examples = problem.examples
    aggregation = problem.shape.aggregation
    owners = np.unique(examples.graphs.owners[hopeless])
    # A graph that shows it alone, else the first one with the smallest other one that it is mixed up with.
    alone = [np.array([graph]) for graph in owners[:_ALONE]]
    for chosen in [*alone, *(np.unique([owners[0], other]) for other in range(len(examples)))]:
        few = problem.select(chosen)
        if len(few.hopeless):
            return Impossibility(once(few.examples), aggregation, None, minimal=True)
    raise AssertionError("a node is mixed up with another one, but no pair of graphs shows it")


def once(examples: Examples) -> Examples:
    """The same graphs, each counted once: how often they occurred proves nothing."""
    labels = {"labels": examples.labels, "mask": examples.mask, "steps": examples.steps}
    return Examples(examples.task, examples.graphs, examples.inputs, **labels)


def smallest_proof(problem: Problem, budget: Budget) -> Impossibility:
    """Leave out graphs as long as it can still be shown that nothing fits.

    Args:
        problem: Something that nothing fits.
        budget: The budget; when it is spent the set may be larger than needed.
    """
    simple = indistinguishable(problem)
    if simple is not None:
        return simple
    chosen = _prefix(problem, budget)
    minimal = True
    for graph in chosen[::-1].tolist():
        if budget.over:
            minimal = False
            break
        fewer = chosen[chosen != graph]
        if _impossible(problem.select(fewer), budget):
            chosen = fewer
    shape = problem.shape
    return Impossibility(once(problem.examples.select(chosen)), shape.aggregation, shape.num_states, minimal)


def _prefix(problem: Problem, budget: Budget) -> Array:
    """The smallest graphs that are enough, by doubling and bisection."""
    total = len(problem.examples)
    enough = 1
    while enough < total and not _impossible(problem.select(np.arange(enough)), budget):
        enough = min(total, enough * 2)
        if budget.over:
            return np.arange(total)
    few, many = enough // 2, enough
    while many - few > 1 and not budget.over:
        middle = (few + many) // 2
        few, many = (few, middle) if _impossible(problem.select(np.arange(middle)), budget) else (middle, many)
    return np.arange(many)


def _impossible(problem: Problem, budget: Budget) -> bool:
    """Whether it can be shown with little effort that nothing fits."""
    if not len(problem.examples):
        return False
    if len(problem.hopeless):
        return True
    outcome = LazySearch(problem, 0).advance(_EASY, budget)
    if outcome == "paused":
        # Not ended by the budget: what is undecided would count as needed.
        work = Budget(inf)
        outcome = SatSearch(problem).advance(_CONFLICTS, work)
        budget.spend(work.spent * UNIT)
    return outcome == "exhausted"
