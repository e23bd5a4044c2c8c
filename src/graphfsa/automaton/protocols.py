"""Named automata for what distributed algorithms do: independent sets, leaders, matchings, clocks, cores, colours.

All nodes move at once in them, unless it is said that they need not.
"""

from __future__ import annotations

from typing import Any

from graphfsa.aggregations import CountingAggregation, LettersAggregation, PositionalAggregation, Sum
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import Outcome, StochasticFSA
from graphfsa.checks import check_integer

_UP = ("up 0", "up 1", "up 2")
_MATCHED = ("matched left", "matched right", "single")


def mis(levels: int = 8) -> StochasticFSA:
    """A maximal independent set by drawing lots (Luby, 1986): a node joins if it draws more than all of its rivals.

    Nodes that wait draw a number; in the next step the highest of a neighbourhood joins, and its neighbours are out.
    Nodes that draw the same number are in each other's way, so more levels take fewer rounds.

    Args:
        levels: The numbers are 1 up to this one, 2 to 64.
    """
    check_integer("levels", levels, 2, 64)
    draws = [f"drew {number}" for number in range(1, levels + 1)]
    names = ["in", "out", "waiting", *draws]
    weights = (0, 0, 0, *range(1, levels + 1))
    aggregation = LettersAggregation((Sum("highest", levels, weights), Sum("count", 1, (1,))))

    def move(state: str, seen: Any) -> Outcome:
        highest, joined = seen
        if state == "waiting":
            return "out" if joined else dict.fromkeys(draws, 1 / levels)
        if state in draws:
            return "in" if highest <= draws.index(state) else "waiting"
        return state

    return StochasticFSA.from_rule(
        names, aggregation, move, starting_states=["waiting"], final_states=["in", "out"]
    )  # fmt: skip


def stone_age_mis() -> StochasticFSA:
    """A maximal independent set by tournaments of fair coins (Emek and Wattenhofer, 2013), with seven states.

    A node goes up as long as its coin shows heads and no neighbour lags behind. Whoever shows tails when no rival is
    level or ahead wins; others go down, and come up again when no winner is near.
    """
    names = ["in", "out", "down 1", "down 2", *_UP]
    # Which of the letters a node sees: a winner, and each of the states that others wait for.
    parts = [Sum("count", 1, tuple(int(name == each) for name in names)) for each in names if each != "out"]
    watched = [name for name in names if name != "out"]

    def move(state: str, seen: Any) -> Outcome:
        there = {name for name, count in zip(watched, seen, strict=True) if count}
        if state == "down 1":
            return state if "down 2" in there else "up 0"
        if state == "down 2":
            return state if there.intersection(_UP) else "out" if "in" in there else "down 1"
        if state not in _UP:
            return state
        place = _UP.index(state)
        ahead, behind = _UP[(place + 1) % 3], _UP[(place + 2) % 3]
        if behind in there or (place == 0 and "down 1" in there):
            return state
        beaten = state in there or ahead in there
        return {ahead: 0.5, "down 2" if beaten else "in": 0.5}

    return StochasticFSA.from_rule(
        names, LettersAggregation(tuple(parts)), move, starting_states=["down 1"], final_states=["in", "out"]
    )


def tree_leader() -> StochasticFSA:
    """One leader on every tree: leaves give up, and of the last two that are left coins choose one."""
    names = ["leader", "lost", "candidate", "offering"]
    aggregation = LettersAggregation((Sum("count", 2, (0, 0, 1, 1)), Sum("count", 1, (0, 0, 0, 1))))

    def move(state: str, seen: Any) -> Outcome:
        rivals, offers = seen
        if state in ("leader", "lost") or rivals == 2:
            return state
        if rivals == 0:
            return "leader"
        if state == "candidate":
            return {"offering": 0.5}
        return "candidate" if offers else "lost"

    return StochasticFSA.from_rule(
        names, aggregation, move, starting_states=["candidate"], final_states=["leader", "lost"]
    )


def clique_leader() -> StochasticFSA:
    """One leader on every complete graph: candidates flip coins, and tails lose if anybody has heads."""
    names = ["leader", "lost", "candidate", "heads", "tails"]
    aggregation = LettersAggregation((Sum("count", 1, (0, 0, 1, 1, 1)), Sum("count", 1, (0, 0, 0, 1))))

    def move(state: str, seen: Any) -> Outcome:
        rivals, heads = seen
        if state == "candidate":
            return {"heads": 0.5, "tails": 0.5} if rivals else "leader"
        if state == "tails":
            return "lost" if heads else "candidate"
        return "candidate" if state == "heads" else state

    return StochasticFSA.from_rule(
        names, aggregation, move, starting_states=["candidate"], final_states=["leader", "lost"]
    )


def ring_matching() -> StochasticFSA:
    """A maximal matching on every row and ring: who is free points to a side at random.

    Two nodes that point to each other are matched; one whose neighbours are all matched stays single.
    """
    names = [*_MATCHED, "free", "left", "right"]

    def move(state: str, sides: tuple[str | None, ...]) -> Outcome:
        if state == "free":
            open_ = [name for name, side in zip(("left", "right"), sides, strict=True) if side not in (*_MATCHED, None)]
            return dict.fromkeys(open_, 1 / len(open_)) if open_ else "single"
        if state == "left":
            return "matched left" if sides[0] == "right" else "free"
        if state == "right":
            return "matched right" if sides[1] == "left" else "free"
        return state

    return StochasticFSA.from_rule(
        names, PositionalAggregation(2), move, starting_states=["free"], final_states=list(_MATCHED)
    )


def unison(period: int = 4) -> GraphFSA:
    """Clocks in unison: a node ticks if all of its neighbours show its hour or the next one.

    Begun at hour 0, neighbours are never more than one hour apart, and some clock can always tick, whoever moves when.

    Args:
        period: Number of hours, 3 to 12.
    """
    check_integer("period", period, 3, 12)
    names = [str(hour) for hour in range(period)]

    def move(state: str, counts: Any) -> str:
        following = names[(int(state) + 1) % period]
        return following if all(not counts[name] for name in names if name not in (state, following)) else state

    return GraphFSA.from_rule(names, CountingAggregation(1), move, starting_states=["0"])


def dijkstra_ring(states: int = 5) -> GraphFSA:
    """Dijkstra's ring of tokens (1974): whoever can move has the token, and in the end just one node can.

    Every node has a number and sees that of its predecessor, on its left. The root can move if they are equal, and adds
    1; any other node can if they differ, and takes the predecessor's. If nodes move one at a time this heals from every
    configuration with one root on rings of up to ``states + 1`` nodes.

    Args:
        states: How many numbers there are, 2 to 64. Nodes are in states ``0``, ``1``, ..., the root in ``root-0``, ...

    Example:
        >>> from graphfsa import families, run
        >>> run(dijkstra_ring(3), families.ring(3), ["root-0", "2", "1"], steps=2).by_node()
        {0: 'root-0', 1: '0', 2: '0'}
    """
    check_integer("states", states, 2, 64)
    numbers = [str(number) for number in range(states)]
    roots = [f"root-{number}" for number in numbers]

    def move(state: str, sides: tuple[str | None, ...]) -> str:
        before = sides[0]
        if before is None:
            return state
        number = before.removeprefix("root-")
        if state in roots:
            return roots[(roots.index(state) + 1) % states] if state == f"root-{number}" else state
        return number

    return GraphFSA.from_rule([*numbers, *roots], PositionalAggregation(2), move)


def core(k: int = 2) -> GraphFSA:
    """The k-core: who has fewer than k neighbours left goes, until nobody has. It does not matter who moves when.

    Args:
        k: How many neighbours it takes to stay, 1 to 64.

    Example:
        >>> from graphfsa import Graph, run
        >>> triangle_with_a_tail = Graph.from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
        >>> run(core(2), triangle_with_a_tail, "in", steps="stable").by_node()
        {0: 'in', 1: 'in', 2: 'in', 3: 'out', 4: 'out'}
    """
    check_integer("k", k, 1, 64)
    aggregation = LettersAggregation((Sum("count", k, (0, 1)),))

    def move(state: str, seen: Any) -> str:
        return "out" if seen[0] < k else state

    return GraphFSA.from_rule(["out", "in"], aggregation, move, starting_states=["in"], final_states=["out"])


def colouring(colours: int = 3) -> StochasticFSA:
    """Colouring by trial and error: a node that sees its own colour takes any of them, all equally likely.

    It rests when no two neighbours are alike, which never happens if the graph needs more colours.

    Args:
        colours: Number of colours, 2 to 16.
    """
    check_integer("colours", colours, 2, 16)
    names = [f"colour {k}" for k in range(1, colours + 1)]

    def move(state: str, counts: Any) -> Outcome:
        return dict.fromkeys(names, 1 / colours) if counts[state] else state

    return StochasticFSA.from_rule(names, CountingAggregation(bound=1), move)
