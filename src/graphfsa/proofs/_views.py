"""A second prover for trees: the pairs of states that can ever be seen across an edge, and levels that nodes go down.

The end of an edge is a node's input and class, and its last few states. A view is what both ends of an edge are at one
moment, with the messages that go over it. The views of a moment, put together to a node and all its neighbours, tell
what the node does next; so they tell the views of the next moment. The least set of views that is closed under this
holds everything that any tree ever shows. Nodes never rise to a higher level, by the way that levels are chosen. If in
every tree of views in which nobody goes down all nodes are right and at rest, then every tree comes to rest, and right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphfsa.datasets import SpecificationTable
from graphfsa.errors import LimitError
from graphfsa.proofs._graphs import components
from graphfsa.proofs._local import LocalAutomaton
from graphfsa.proofs._surroundings import Surroundings, all_surroundings

Pair = tuple[int, int]
"""What one end of an edge sends, and what it is sent."""
End = tuple[int, int, tuple[int, ...]]
"""Input and class of a node, and its last states."""
Views = dict[Pair, dict[End, set[End]]]
"""By pair and by the end that sends the first message: the other ends. Each view is there from both of its ends."""


@dataclass(frozen=True, eq=False)
class ViewProof:
    """Views and levels that prove an automaton right on all trees.

    Attributes:
        history: How many states an end has.
        views: The views.
        levels: The level of each end.
        changes: The steps that a tree takes to come to rest are at most this many times its nodes.
    """

    history: int
    views: Views
    levels: Mapping[End, int]
    changes: int


@dataclass(frozen=True)
class StuckCase:
    """What the prover could not exclude: a node that is wrong or not at rest, though no node goes down a level."""

    given: int
    label: int
    state: int


class ViewProver:
    """Proofs about one automaton and one specification.

    Args:
        automaton: The automaton.
        statement: The specification.
        history: How many states an end has.
        limit: How many values and pairs of ends may be looked at in all.
    """

    def __init__(self, automaton: LocalAutomaton, statement: SpecificationTable, history: int, limit: int) -> None:
        self._automaton, self._history, self._left = automaton, history, limit
        everything = all_surroundings(statement)
        self._alone = [around for around in everything if not around.counts]
        self._surroundings = [around for around in everything if around.counts]
        self._layers: dict[frozenset[int], list[frozenset[int]]] = defaultdict(list)
        self._sums: dict[tuple[frozenset[int], int, bool], frozenset[int]] = {}

    def prove(self) -> ViewProof | StuckCase:
        """Find views and levels that prove it, or a case that they leave open.

        Raises:
            LimitError: There is too much to look at.
        """
        views, real = self._closed()
        moves = {
            (own, self._later(own, value))
            for around in self._surroundings
            for own in _owners(real, around)
            for value in self._values(around, _letters(real, around, own))
        }
        levels = _levels(moves)
        case = self._stuck(real, levels)
        if case is not None:
            return case
        alone = self._steps_alone()
        if isinstance(alone, StuckCase):
            return alone
        return ViewProof(self._history, views, levels, max(alone, max(levels.values(), default=0)))

    # ---- the least set of views

    def _closed(self) -> tuple[Views, Views]:
        """The least closed views, and those of them that some finite tree can show."""
        views = self._first()
        while True:
            real = self._grounded(views)
            fresh = [
                (pair, one, two) for pair, one, two in self._next(real) if two not in views.get(pair, {}).get(one, ())
            ]
            if not fresh:
                return views, real
            for pair, one, two in fresh:
                _put(views, pair, one, two)

    def _first(self) -> Views:
        ends: dict[Pair, set[End]] = defaultdict(set)
        for around in self._surroundings:
            for sent, reply in around.replies.items():
                ends[reply, sent].add((around.given, around.label, (self._automaton.start[around.given],)))
        views: Views = {}
        for (sends, is_sent), several in ends.items():
            self._spend(len(several) * len(ends.get((is_sent, sends), ())))
            for one in several:
                for two in ends.get((is_sent, sends), ()):
                    _put(views, (sends, is_sent), one, two)
        return views

    def _grounded(self, views: Views) -> Views:
        """The views that fit into a finite tree of such views: leaves have no other neighbours."""
        while True:
            known: set[tuple[Pair, End]] = set()
            before = -1
            while len(known) > before:
                before = len(known)
                near = _seen_from(views, known)
                for around in self._surroundings:
                    for up, reply in around.replies.items():
                        for own in views.get((reply, up), {}):
                            if own[:2] == (around.given, around.label) and all(
                                near.get((sent, around.replies[sent]), {}).get(own)
                                for sent, (number, _) in around.counts.items()
                                if number > (sent == up)
                            ):
                                known.add(((reply, up), own))
                self._spend(len(known) + 1)
            kept: Views = {}
            for pair, one, two in _each(views):
                if (pair, one) in known and ((pair[1], pair[0]), two) in known:
                    _put(kept, pair, one, two)
            if _size(kept) == _size(views):
                return kept
            views = kept

    def _next(self, views: Views) -> Iterable[tuple[Pair, End, End]]:
        """The views of the next moment."""
        later: dict[tuple[Pair, End, int], set[End]] = defaultdict(set)
        for around in self._surroundings:
            for own in _owners(views, around):
                letters = _letters(views, around, own)
                for up, reply in around.replies.items():
                    for value, state in self._beside(around, letters, up):
                        later[(reply, up), own, state].add(self._later(own, value))
        for pair, one, two in _each(views):
            ones, twos = later[pair, one, two[2][-1]], later[(pair[1], pair[0]), two, one[2][-1]]
            self._spend(len(ones) * len(twos))
            for first in ones:
                for second in twos:
                    yield pair, first, second

    def _later(self, own: End, value: int) -> End:
        given, label, states = own
        return given, label, (*states, self._automaton.table[states[-1]][value])[-self._history :]

    # ---- what nodes see

    def _beside(
        self, around: Surroundings, letters: Mapping[int, frozenset[int]], up: int
    ) -> Iterable[tuple[int, int]]:
        """What a node can see, with the state of one of its neighbours that send ``up``."""
        if not letters[up]:
            return
        others = {message: number for message, number in around.counts.items() if message != up}
        number, many = around.counts[up]
        rest = self._together(others, letters)
        rest = self._plus(rest, self._sum(letters[up], number - 1, many))
        for state in letters[up]:
            for value in rest:
                yield self._automaton.add(value, state), state
        self._spend(len(rest) * len(letters[up]))

    def _values(self, around: Surroundings, letters: Mapping[int, frozenset[int]]) -> frozenset[int]:
        return self._together(around.counts, letters)

    def _together(
        self, counts: Mapping[int, tuple[int, bool]], letters: Mapping[int, frozenset[int]]
    ) -> frozenset[int]:
        total = frozenset([self._automaton.empty])
        for message, (number, many) in counts.items():
            total = self._plus(total, self._sum(letters[message], number, many))
        return total

    def _plus(self, some: frozenset[int], others: frozenset[int]) -> frozenset[int]:
        self._spend(len(some) * len(others))
        return frozenset(self._automaton.plus(one, two) for one in some for two in others)

    def _sum(self, letters: frozenset[int], number: int, many: bool) -> frozenset[int]:
        """What a number of neighbours, or more, can look like whose states are some of these."""
        key = letters, number, many
        if key not in self._sums:
            layers = self._layers[letters]
            while len(layers) <= number:
                layer = layers[-1] if layers else frozenset[int]()
                more = frozenset(self._automaton.add(value, state) for value in layer for state in letters)
                layers.append(more if layers else frozenset([self._automaton.empty]))
                self._spend(len(layer) + 1)
            layer = layers[number]
            found = set(layer)
            while many and layer:
                layer = frozenset(self._automaton.add(value, state) for value in layer for state in letters) - found
                found |= layer
                self._spend(len(layer) + 1)
            self._sums[key] = frozenset(found)
        return self._sums[key]

    # ---- progress

    def _stuck(self, views: Views, levels: Mapping[End, int]) -> StuckCase | None:
        """A node that is wrong or moves, in a tree of views in which nobody goes down a level."""
        still: dict[tuple[Pair, End], set[int]] = defaultdict(set)
        while True:
            fresh = False
            for around in self._surroundings:
                for own in _owners(views, around):
                    below = _still_letters(views, still, around, own)
                    for up, reply in around.replies.items():
                        all_seen = _letters(views, around, own)[up]
                        known = still[(reply, up), own]
                        for state in all_seen - known:
                            if self._can_stay(around, below, up, state, own, levels):
                                known.add(state)
                                fresh = True
            if not fresh:
                break
        for around in self._surroundings:
            for own in _owners(views, around):
                for value in self._values(around, _still_letters(views, still, around, own)):
                    later = self._later(own, value)
                    state = own[2][-1]
                    right = self._automaton.final[around.label] == state == later[2][-1]
                    if levels[later] == levels[own] and not right:
                        return StuckCase(around.given, around.label, state)
        return None

    def _can_stay(
        self,
        around: Surroundings,
        below: Mapping[int, frozenset[int]],
        up: int,
        state: int,
        own: End,
        levels: Mapping[End, int],
    ) -> bool:
        number, many = around.counts[up]
        others = {message: count for message, count in around.counts.items() if message != up}
        rest = self._plus(self._together(others, below), self._sum(below[up], number - 1, many))
        return any(levels[self._later(own, self._automaton.add(value, state))] == levels[own] for value in rest)

    def _steps_alone(self) -> int | StuckCase:
        """How many steps a node without neighbours takes, which must come to rest and be right."""
        most = 0
        for around in self._alone:
            state, steps = self._automaton.start[around.given], 0
            while (later := self._automaton.table[state][self._automaton.empty]) != state:
                state, steps = later, steps + 1
                if steps > len(self._automaton.table):
                    return StuckCase(around.given, around.label, state)
            if state != self._automaton.final[around.label]:
                return StuckCase(around.given, around.label, state)
            most = max(most, steps)
        return most

    def _spend(self, work: int) -> None:
        self._left -= work
        if self._left < 0:
            raise LimitError("the two ends of an edge can be seen in too many ways to look at")


def view_certificate(proof: ViewProof) -> dict[str, object]:
    """The facts of a proof by views, as JSON values; each view once."""
    plain = lambda end: [end[0], end[1], list(end[2])]  # noqa: E731
    return {
        "history": proof.history,
        "changes": proof.changes,
        "views": [
            [*pair, plain(one), plain(two)]
            for pair, one, two in sorted(_each(proof.views))
            if (pair[0], one) <= (pair[1], two)
        ],
        "levels": [[*plain(end), level] for end, level in sorted(proof.levels.items())],
    }


def _put(views: Views, pair: Pair, one: End, two: End) -> None:
    """Put a view into a set, from both of its ends."""
    views.setdefault(pair, {}).setdefault(one, set()).add(two)
    views.setdefault((pair[1], pair[0]), {}).setdefault(two, set()).add(one)


def _each(views: Views) -> Iterable[tuple[Pair, End, End]]:
    return [(pair, one, two) for pair, ends in views.items() for one, others in ends.items() for two in others]


def _size(views: Views) -> int:
    return sum(len(others) for ends in views.values() for others in ends.values())


def _seen_from(views: Views, known: set[tuple[Pair, End]]) -> dict[Pair, dict[End, bool]]:
    """By pair and by a node: whether it may have a neighbour with this pair that is known."""
    found: dict[Pair, dict[End, bool]] = {}
    for pair, one in known:
        near = found.setdefault(pair, {})
        for two in views[pair][one]:
            near[two] = True
    return found


def _owners(views: Views, around: Surroundings) -> list[End]:
    """The ends that a node with these surroundings can be."""
    first, *others = around.replies.items()
    return [
        own
        for own in views.get((first[1], first[0]), {})
        if own[:2] == (around.given, around.label)
        and all(own in views.get((reply, sent), {}) for sent, reply in others)
    ]


def _letters(views: Views, around: Surroundings, own: End) -> dict[int, frozenset[int]]:
    """By message: the states of neighbours that send it."""
    return {
        sent: frozenset(other[2][-1] for other in views[reply, sent][own]) for sent, reply in around.replies.items()
    }


def _still_letters(
    views: Views, still: Mapping[tuple[Pair, End], set[int]], around: Surroundings, own: End
) -> dict[int, frozenset[int]]:
    """As :func:`_letters`, of neighbours in whose branches nobody goes down a level."""
    state = own[2][-1]
    return {
        sent: frozenset(
            other[2][-1] for other in views[reply, sent][own] if state in still.get(((sent, reply), other), ())
        )
        for sent, reply in around.replies.items()
    }


def _levels(moves: set[tuple[End, End]]) -> dict[End, int]:
    """Numbers that no move raises, and that only moves that can be undone keep."""
    graph: dict[End, list[End]] = defaultdict(list)
    for one, two in moves:
        graph[one].append(two)
        graph[two] += []
    part = components(graph)
    level = dict.fromkeys(part.values(), 0)
    changed = True
    while changed:
        changed = False
        for one, two in moves:
            least = level[part[two]] + 1
            if part[one] != part[two] and level[part[one]] < least:
                level[part[one]], changed = least, True
    return {end: level[number] for end, number in part.items()}
