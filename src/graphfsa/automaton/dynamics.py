"""Named automata for what spreads: opinions and rumours. Contagion is in ``contagion``."""

from __future__ import annotations

from typing import Any

from graphfsa.aggregations import AverageThresholdAggregation, CountingAggregation, LettersAggregation, Sum
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import Outcome, StochasticFSA
from graphfsa.checks import check_integer, check_share

_MAX_BOUND = 64


def threshold(needed: int = 2) -> GraphFSA:
    """Threshold contagion (bootstrap percolation): a node is on for ever once this number of its neighbours is on.

    Args:
        needed: How many neighbours it takes, 1 to 64.

    Example:
        >>> from graphfsa import families, run
        >>> run(threshold(2), families.cycle(6), ["on", "off", "on", "off", "off", "off"], steps="stable").last.tolist()
        [1, 1, 1, 0, 0, 0]
    """
    check_integer("needed", needed, 1, _MAX_BOUND)
    names = ["off", "on"]
    seen_on = LettersAggregation((Sum("count", needed, (0, 1)),))

    def move(state: str, seen: Any) -> str:
        return "on" if seen[0] == needed else state

    return GraphFSA.from_rule(names, seen_on, move, final_states=["on"])


def majority() -> GraphFSA:
    """Majority dynamics: a node takes the opinion of more than half of its neighbours, and keeps its own at a tie.

    In the long run opinions are at rest or come again after two steps (Goles and Olivos, 1981).

    Example:
        >>> from graphfsa import families, run
        >>> run(majority(), families.complete(5), ["yes", "yes", "yes", "no", "no"], steps=2).last.tolist()
        [1, 1, 1, 1, 1]
    """

    def move(state: str, reached: Any) -> str:
        other = "no" if state == "yes" else "yes"
        return other if reached[other] and not reached[state] else state

    return GraphFSA.from_rule(["no", "yes"], AverageThresholdAggregation((0.5,)), move)


def voter(*, bound: int = 16) -> StochasticFSA:
    """The voter model: in each step a node takes the opinion of one of its neighbours, any of them equally likely.

    Args:
        bound: Neighbours of each opinion are counted to this number, 1 to 64. With no more of either the probabilities
            are exact.
    """
    check_integer("bound", bound, 1, _MAX_BOUND)
    names = ["no", "yes"]

    def move(state: str, counts: Any) -> Outcome:
        total = counts["no"] + counts["yes"]
        return {name: counts[name] / total for name in names} if total else state

    return StochasticFSA.from_rule(names, CountingAggregation(bound), move)


def rumour(tell: float = 0.3, stifle: float = 0.3, *, bound: int = 16) -> StochasticFSA:
    """A rumour that its spreaders tire of when they meet others who know it (Daley and Kendall, 1964).

    Args:
        tell: The probability that a spreader tells it to a neighbour in a step.
        stifle: The probability that a spreader tires because of a neighbour who knows it, for each of these.
        bound: Neighbours are counted to this number, 1 to 64; more of them count as so many.
    """
    check_integer("bound", bound, 1, _MAX_BOUND)
    unheard, lively = 1 - check_share("tell", tell), 1 - check_share("stifle", stifle)
    aggregation = LettersAggregation((Sum("count", bound, (0, 1)), Sum("count", bound, (0, 1, 1))))

    def move(state: str, seen: Any) -> Outcome:
        spreaders, knowing = seen
        if state == "ignorant":
            return {"spreader": 1 - unheard**spreaders}
        return {"stifler": 1 - lively**knowing} if state == "spreader" else state

    return StochasticFSA.from_rule(["ignorant", "spreader", "stifler"], aggregation, move, final_states=["stifler"])
