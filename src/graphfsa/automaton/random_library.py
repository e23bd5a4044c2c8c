"""Named automata that move at random: contagion, and colouring by trial and error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphfsa.aggregations import CountingAggregation, LettersAggregation, Sum
from graphfsa.automaton.stochastic import Outcome, StochasticFSA
from graphfsa.checks import check_integer, check_number
from graphfsa.errors import GraphFSAError

_ILL = 64
_MAX_COLOURS = 16


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
    return _contagion(["well", "ill"], infect, {"well": _share("recover", recover)}, bound)


def sir(infect: float = 0.3, recover: float = 0.1, *, bound: int = _ILL) -> StochasticFSA:
    """Contagion with immunity: as ``si``, but the ill become immune.

    A node that is infected in a step infects others from the next step on.

    Args:
        infect: The probability that an ill neighbour infects a node in a step.
        recover: The probability that an ill node becomes immune in a step.
        bound: As for ``si``.
    """
    leaves = {"immune": _share("recover", recover)}
    return _contagion(["well", "ill", "immune"], infect, leaves, bound, final=["immune"])


def colouring(colours: int = 3) -> StochasticFSA:
    """Colouring by trial and error: a node that sees its own colour takes any of them, all equally likely.

    It rests when no two neighbours are alike, which never happens if the graph needs more colours.

    Args:
        colours: Number of colours, 2 to 16.
    """
    check_integer("colours", colours, 2, _MAX_COLOURS)
    names = [f"colour {k}" for k in range(1, colours + 1)]

    def move(state: str, counts: Any) -> Outcome:
        return dict.fromkeys(names, 1 / colours) if counts[state] else state

    return StochasticFSA.from_rule(names, CountingAggregation(bound=1), move)


def _contagion(
    names: list[str], infect: float, leaves: dict[str, float], bound: int, final: list[str] | None = None
) -> StochasticFSA:
    """Nodes that fall ill from ill neighbours, and leave that state with some probabilities."""
    safe = 1 - _share("infect", infect)
    aggregation = LettersAggregation((Sum("count", bound, tuple(int(name == "ill") for name in names)),))

    def move(state: str, seen: Any) -> Outcome:
        if state == "well":
            return {"ill": 1 - safe ** (seen[0] if isinstance(seen, tuple) else seen)}
        return leaves if state == "ill" else state

    return StochasticFSA.from_rule(names, aggregation, move, final_states=final or [])


def _share(name: str, given: Any) -> float:
    number = check_number(name, given)
    if number > 1:
        raise GraphFSAError(f"{name} must be a probability, from 0 to 1; got {given}")
    return number


RANDOM: dict[str, Callable[[], StochasticFSA]] = {"si": si, "sis": sis, "sir": sir, "colouring": colouring}
"""By name, with the options that they have if nothing is said."""
