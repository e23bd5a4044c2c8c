"""Everything that one node and its neighbours can do together, if neighbours keep to their contracts.

A letter is a pair of states: the neighbour's and the node's own. A position of a neighbour is the last few different
letters. A contract says where a neighbour may begin, by which letter it may go on from a position, and at which
positions it may be again and again. How long a neighbour waits is forgotten, and so is the number of neighbours at one
position, where no table can tell: that only adds runs. So there are finitely many configurations, and the run of every
real node is a path among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product
from math import comb, prod

from graphfsa.errors import LimitError
from graphfsa.proofs._graphs import backwards, components
from graphfsa.proofs._local import LocalAutomaton

Letter = tuple[int, int]
Position = tuple[Letter, ...]
Part = tuple[tuple[Position, int], ...]
"""How many neighbours of a group are at each position."""
Configuration = tuple[int, tuple[Part, ...]]
"""The node's own state, and the part of each group."""
_CONFIGURATION = 20
"""How many steps take the time of a configuration."""
_WAYS = 20
"""How many ways to spread neighbours take the time of a step."""
_TOO_MUCH = "a node and its neighbours have too many configurations to look at"


@dataclass(eq=False)
class Contract:
    """What a neighbour may do: where it begins, how it goes on, and where it may be for ever."""

    begins: set[Position] = field(default_factory=set[Position])
    moves: dict[Position, set[Letter]] = field(default_factory=dict[Position, set[Letter]])
    recurs: set[Position] = field(default_factory=set[Position])
    _known: tuple[int, Mapping[Position, int]] = field(default=(-1, {}))

    @property
    def size(self) -> int:
        """Number of facts."""
        return len(self.begins) + len(self.recurs) + sum(map(len, self.moves.values()))

    def together(self, history: int) -> Mapping[Position, int]:
        """For each position the number of its strongly connected part."""
        if self._known[0] != self.size:
            places = {*self.begins, *self.moves, *self.recurs}
            graph = {
                place: [longer(place, letter, history) for letter in self.moves.get(place, ())] for place in places
            }
            self._known = self.size, components(graph)
        return self._known[1]


@dataclass(frozen=True, eq=False)
class Group:
    """Neighbours with one contract.

    Attributes:
        contract: The contract; None for a neighbour that may do whatever the table lets it do.
        number: How many there are.
        many: Whether there may be more.
    """

    contract: Contract | None
    number: int
    many: bool


@dataclass(frozen=True, eq=False)
class Runs:
    """The configurations from which a run can go on for ever.

    Attributes:
        begins: Where runs begin.
        steps: The configurations that may follow each.
        ends: Those that can come again and again.
    """

    begins: set[Configuration]
    steps: dict[Configuration, list[Configuration]]
    ends: set[Configuration]


def longer(place: Position, letter: Letter, history: int) -> Position:
    """The position after one more letter."""
    return (*place, letter)[-history:]


class LocalRuns:
    """The runs of a node with some groups of neighbours.

    Args:
        automaton: The automaton.
        start: The state in which the node begins.
        groups: Its neighbours.
        history: How many letters a position has.
        limit: How many steps may be looked at; a configuration counts for as many as take its time.
    """

    def __init__(
        self, automaton: LocalAutomaton, start: int, groups: Sequence[Group], history: int, limit: int
    ) -> None:
        self._automaton, self._start, self._groups = automaton, start, groups
        self._history, self._limit = history, limit
        self.work = 0
        self._followed: dict[tuple[int, Part, int, int, bool], frozenset[Part]] = {}
        self._seen: dict[Part, int] = {}
        self._calm: dict[Configuration, bool] = {}

    def explore(self) -> Runs:
        """Look at everything.

        Raises:
            LimitError: There are more steps than the limit.
        """
        begins = self._begins()
        graph: dict[Configuration, set[Configuration]] = {}
        waiting = list(begins)
        while waiting:
            now = waiting.pop()
            if now in graph:
                continue
            graph[now] = self._following(now)
            self._spend(_CONFIGURATION + len(graph[now]))
            waiting.extend(later for later in graph[now] if later not in graph)
        ends = self._ends(graph)
        alive = backwards(graph, ends)
        steps = {now: [later for later in graph[now] if later in alive] for now in alive}
        return Runs(begins & alive, steps, ends)

    def _spend(self, work: int) -> None:
        self.work += work
        if self.work > self._limit:
            raise LimitError(_TOO_MUCH)

    def _begins(self) -> set[Configuration]:
        found: list[tuple[Part, ...]] = [()]
        for group in self._groups:
            if group.contract is None:
                places = [((state, self._start),) for state in sorted(set(self._automaton.start))]
            else:
                places = sorted(place for place in group.contract.begins if place[-1][1] == self._start)
            ways = self._ways(group.number, group.many, len(places), exact=False)
            parts = [tuple((place, k) for place, k in zip(places, way, strict=True) if k) for way in ways]
            self._spend(len(found) * len(parts) // _WAYS)
            found = [(*before, part) for before in found for part in parts]
        return {(self._start, parts) for parts in found}

    def _ways(self, number: int, many: bool, places: int, *, exact: bool) -> list[tuple[int, ...]]:
        """How neighbours can be spread over places, as numbers that the table can tell apart.

        Args:
            number: How many neighbours.
            many: Whether there may be more.
            places: How many places.
            exact: Whether those that are more come in whole periods.
        """
        cap, period = self._automaton.cap, self._automaton.period
        some = comb(places + number - 1, number) * number if places else 0
        self._spend(((cap + period) ** places if many else some) // _WAYS)
        if not many:
            chosen = combinations_with_replacement(range(places), number)
            return [tuple(way.count(place) for place in range(places)) for way in chosen]
        return [
            way
            for way in product(range(cap + period), repeat=places)
            if (sum(way) >= number or any(k >= cap for k in way)) and (not exact or (sum(way) - number) % period == 0)
        ]

    def _value(self, parts: Iterable[Part]) -> int:
        automaton, total = self._automaton, self._automaton.empty
        for part in parts:
            if part not in self._seen:
                value = automaton.empty
                for place, number in part:
                    value = automaton.plus(value, automaton.times(place[-1][0], number))
                self._seen[part] = value
            total = automaton.plus(total, self._seen[part])
        return total

    def _next(self, now: Configuration) -> int:
        return self._automaton.table[now[0]][self._value(now[1])]

    def _places(self, group: Group, place: Position, own: int, later: int) -> list[Position]:
        """Where a neighbour can be after the node has gone from ``own`` to ``later``."""
        state, may = place[-1][0], self._automaton.may
        if group.contract is None:
            return [
                place if (after, later) == place[-1] else longer(place, (after, later), self._history)
                for after in may[state, own]
            ]
        found = [
            longer(place, letter, self._history) for letter in group.contract.moves.get(place, ()) if letter[1] == later
        ]
        return [place, *found] if own == later and state in may[state, own] else found

    def _follow(self, number: int, part: Part, own: int, later: int, *, forever: bool = False) -> frozenset[Part]:
        """All parts of a group after a step; ``forever``: only moves that can be made again and again."""
        key = number, part, own, later, forever
        if key in self._followed:
            return self._followed[key]
        group, automaton = self._groups[number], self._automaton
        results: set[Part] = {()}
        for place, count in part:
            places = self._places(group, place, own, later)
            if forever and group.contract is not None:
                parts = group.contract.together(self._history)
                places = [q for q in places if q in group.contract.recurs and parts[q] == parts.get(place)]
            ways = self._ways(count, group.many and count >= automaton.cap, len(places), exact=True)
            fresh: set[Part] = set()
            for before in results:
                for way in ways:
                    total = dict(before)
                    for q, k in zip(places, way, strict=True):
                        if k:
                            more = total.get(q, 0) + k
                            total[q] = automaton.clip(more) if group.many else more
                    fresh.add(tuple(sorted(total.items())))
            results = fresh
        self._followed[key] = frozenset(results)
        return self._followed[key]

    def _following(self, now: Configuration) -> set[Configuration]:
        own, parts = now
        later = self._next(now)
        options = [self._follow(number, part, own, later) for number, part in enumerate(parts)]
        if later != own or not all(part in choice for part, choice in zip(parts, options, strict=True)):
            self._spend(prod(map(len, options)) // _WAYS)
            return {(later, chosen) for chosen in product(*options)}
        # Nobody has to move. Groups that move together may as well move one after the other, where the node and all
        # others can wait in between: how long they wait is forgotten anyway.
        found: set[Configuration] = set()
        hasty: list[list[Part]] = []
        for number, choice in enumerate(options):
            kept = [parts[number]]
            for part in choice:
                if part != parts[number]:
                    alone = (own, (*parts[:number], part, *parts[number + 1 :]))
                    found.add(alone)
                    if not self._is_calm(alone):
                        kept.append(part)
            hasty.append(kept)
        self._spend(prod(map(len, hasty)) // _WAYS)
        found.update((own, chosen) for chosen in product(*hasty))
        found.discard(now)
        return found

    def _is_calm(self, now: Configuration) -> bool:
        """Whether the node stays, and all its neighbours can."""
        if now not in self._calm:
            own, parts = now
            self._calm[now] = self._next(now) == own and all(
                part in self._follow(number, part, own, own) for number, part in enumerate(parts)
            )
        return self._calm[now]

    def _ends(self, graph: Mapping[Configuration, set[Configuration]]) -> set[Configuration]:
        """Configurations that can come again and again."""
        calm = {now for now in graph if self._recurs(now)}
        again: dict[Configuration, list[Configuration]] = {}
        for now in calm:
            own, parts = now
            later = self._next(now)
            options = [self._follow(number, part, own, later, forever=True) for number, part in enumerate(parts)]
            again[now] = [after for chosen in product(*options) if (after := (later, chosen)) in calm]
        together = components(again)
        return {now for now in calm if any(together[now] == together[after] for after in again[now])}

    def _recurs(self, now: Configuration) -> bool:
        return all(
            group.contract is None or all(place in group.contract.recurs for place, _ in part)
            for group, part in zip(self._groups, now[1], strict=True)
        )
