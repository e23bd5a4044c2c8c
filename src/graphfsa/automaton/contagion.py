"""Named automata for contagion: who is ill infects neighbours, each with a probability of its own."""

from __future__ import annotations

from typing import Any

from graphfsa.aggregations import LettersAggregation, Sum
from graphfsa.automaton.stochastic import Outcome, StochasticFSA
from graphfsa.checks import check_share

_ILL = 64


def si(infect: float = 0.3, *, bound: int = _ILL) -> StochasticFSA:
    """Contagion for ever: each ill neighbour infects with a probability of its own, and nobody recovers.

    Args:
        infect: The probability that an ill neighbour infects a node in a step.
        bound: Ill neighbours are counted to this number; more of them are as infectious as so many.
    """
    return _contagion(["well", "ill"], infect, {}, bound, final=["ill"])


def sis(infect: float = 0.3, recover: float = 0.1, *, bound: int = _ILL) -> StochasticFSA:
    """Contagion without immunity: as ``si``, but the ill become well again.

    Args:
        infect: The probability that an ill neighbour infects a node in a step.
        recover: The probability that an ill node recovers in a step.
        bound: As for ``si``.
    """
    return _contagion(["well", "ill"], infect, {"well": check_share("recover", recover)}, bound)


def sir(infect: float = 0.3, recover: float = 0.1, *, bound: int = _ILL) -> StochasticFSA:
    """Contagion with immunity: as ``si``, but the ill become immune.

    A node that is infected in a step infects others from the next step on.

    Args:
        infect: The probability that an ill neighbour infects a node in a step.
        recover: The probability that an ill node becomes immune in a step.
        bound: As for ``si``.
    """
    leaves = {"immune": check_share("recover", recover)}
    return _contagion(["well", "ill", "immune"], infect, leaves, bound, final=["immune"])


def _contagion(
    names: list[str], infect: float, leaves: dict[str, float], bound: int, final: list[str] | None = None
) -> StochasticFSA:
    """Nodes that fall ill from ill neighbours, and leave that state with some probabilities."""
    safe = 1 - check_share("infect", infect)
    aggregation = LettersAggregation((Sum("count", bound, tuple(int(name == "ill") for name in names)),))

    def move(state: str, seen: Any) -> Outcome:
        if state == "well":
            return {"ill": 1 - safe ** (seen[0] if isinstance(seen, tuple) else seen)}
        return leaves if state == "ill" else state

    return StochasticFSA.from_rule(names, aggregation, move, final_states=final or [])
