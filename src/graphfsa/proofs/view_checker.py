"""The checker of proofs by views, which shares no code with the prover.

It reads the certificate, the table and the specification, and checks four things: the views of every tree at the
beginning are there; no step leads out of them, where only views count that fit into a finite tree; no step raises the
level of a node; and in every tree of views in which nobody goes down, all nodes are right and at rest. The page about
proofs says why this is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

from graphfsa.automaton import GraphFSA
from graphfsa.checks import shown
from graphfsa.datasets import SpecificationTable, Task
from graphfsa.errors import FormatError
from graphfsa.fields import Field, read_fields
from graphfsa.proofs.tree_checker import Rejected

FIELDS = {
    "history": Field(int, least=1, most=8),
    "changes": Field(int, least=0),
    "views": Field(list, most=1_000_000),
    "levels": Field(list, most=1_000_000),
}
_MOST = 5_000_000
_End = tuple[int, int, tuple[int, ...]]
_View = tuple[int, int, _End, _End]


class _Place(NamedTuple):
    """What surrounds a node: by message how many neighbours send it, whether more, and what they are sent."""

    given: int
    label: int
    groups: tuple[tuple[int, int, bool, int], ...]


def check_view_proof(certificate: Mapping[str, Any], fsa: GraphFSA, statement: SpecificationTable) -> int:
    """Check the facts of a certificate; who it is about is checked by the caller.

    Args:
        certificate: ``history``, ``changes``, ``views`` and ``levels``.
        fsa: The automaton.
        statement: What is claimed of it.

    Returns:
        How many views were looked at.

    Raises:
        Rejected: A fact is missing or wrong.
        FormatError: The fields are not those of a proof by views.
    """
    return _Check(certificate, fsa, statement).run()


class _Check:
    def __init__(self, certificate: Mapping[str, Any], fsa: GraphFSA, statement: SpecificationTable) -> None:
        said = read_fields(dict(certificate), FIELDS, "proof")
        self.depth, self.changes, self.fsa, self.statement = said["history"], said["changes"], fsa, statement
        self.views: set[_View] = set()
        for number, item in enumerate(said["views"]):
            sends, is_sent, one, two = self._view(f"proof: views[{number}]", item)
            self.views |= {(sends, is_sent, one, two), (is_sent, sends, two, one)}
        self.levels: dict[_End, int] = {}
        for number, item in enumerate(said["levels"]):
            end, level = self._level(f"proof: levels[{number}]", item)
            self.levels[end] = level
        if fsa.aggregation.uses_slots:
            raise Rejected(f"the {fsa.aggregation.name} aggregation tells neighbours apart by slots")
        reading = Task(statement.name, "classes", statement.inputs, statement.classes).reading(fsa)
        self.start, self.final = reading.starting, reading.answers
        self.table = fsa.transition_table.tolist()
        self.nobody = fsa.aggregation.encode([], [], fsa.num_states)
        self.sees: dict[tuple[int, int], int] = {}
        self.looked_at = 0
        places = list(self._places())
        self.alone = [place for place in places if not place.groups]
        self.places = [place for place in places if place.groups]

    # ---- reading

    def _view(self, where: str, item: Any) -> _View:
        if not isinstance(item, list) or len(item) != 4:
            raise FormatError(f"{where} must be two messages and two ends; got {shown(item)}")
        sends, is_sent, one, two = item
        most = len(self.statement.messages)
        if any(type(message) is not int or not 0 <= message < most for message in (sends, is_sent)):
            raise FormatError(f"{where}: messages must be below {most}; got {shown([sends, is_sent])}")
        return sends, is_sent, self._end(where, one), self._end(where, two)

    def _level(self, where: str, item: Any) -> tuple[_End, int]:
        if not isinstance(item, list) or len(item) != 4 or type(item[3]) is not int:
            raise FormatError(f"{where} must be an end and a level; got {shown(item)}")
        return self._end(where, item[:3]), item[3]

    def _end(self, where: str, item: Any) -> _End:
        if isinstance(item, list) and len(item) == 3 and isinstance(item[2], list) and 1 <= len(item[2]) <= self.depth:
            given, label, states = item
            limits = [len(self.statement.inputs), len(self.statement.classes), *[self.fsa.num_states] * len(states)]
            numbers = [given, label, *states]
            if all(type(n) is int and 0 <= n < most for n, most in zip(numbers, limits, strict=True)):
                return given, label, tuple(states)
        raise FormatError(
            f"{where}: an end must be an input, a class and 1 to {self.depth} states, by number; got {shown(item)}"
        )

    # ---- what surrounds a node, and what it sees

    def _places(self) -> Iterator[_Place]:
        spec, messages = self.statement, range(len(self.statement.messages))
        if spec.max_degree is not None:
            chosen = (s for d in range(spec.max_degree + 1) for s in combinations_with_replacement(messages, d))
            numbers = [tuple((s.count(m), False) for m in messages) for s in chosen]
        else:
            numbers = list(product(*([(k, k > bound) for k in range(bound + 2)] for bound in spec.bounds)))
        for given, number in product(range(len(spec.inputs)), numbers):
            whole = [k for k, _ in number]
            label = spec.label[given, spec.clip(whole)]
            groups: list[tuple[int, int, bool, int]] = []
            for m in messages:
                if whole[m]:
                    sent = spec.send[given, spec.clip([k - (m == j) for j, k in enumerate(whole)])]
                    if sent is None:
                        break
                    groups.append((m, *number[m], sent))
            else:
                if label is not None:
                    yield _Place(given, label, tuple(groups))

    def _with(self, value: int, state: int) -> int:
        if (value, state) not in self.sees:
            more = self.fsa.aggregation.with_neighbour(value, state, 0, self.fsa.num_states)
            if more is None:
                name = self.fsa.aggregation.name
                raise Rejected(f"the {name} aggregation does not say what one more neighbour makes of a value")
            self.sees[value, state] = more
        return self.sees[value, state]

    def _sights(self, place: _Place, near: Callable[[int, int], set[int]], up: int = -1, fixed: int = -1) -> set[int]:
        """Everything that a node can see; one neighbour that sends ``up`` may be in a known state."""
        found = {self.nobody}
        for message, number, more, sent in place.groups:
            states = near(message, sent)
            if message == up:
                found = {self._with(value, fixed) for value in found}
            for _ in range(number - (message == up)):
                found = {self._with(value, state) for value in found for state in states}
            fresh = found if more else set[int]()
            while fresh:
                fresh = {self._with(value, state) for value in fresh for state in states} - found
                found = found | fresh
        self.looked_at += len(found) + 1
        if self.looked_at > _MOST:
            raise Rejected(f"there are more than {_MOST:,} views to look at")
        return found

    def _then(self, end: _End, value: int) -> _End:
        given, label, states = end
        return given, label, (*states, self.table[states[-1]][value])[-self.depth :]

    # ---- the claims

    def run(self) -> int:
        self._begins()
        real = self._real()
        self._closed(real)
        self._at_rest(real)
        self._without_neighbours()
        return self.looked_at

    def _begins(self) -> None:
        ends: dict[tuple[int, int], set[_End]] = {}
        for place in self.places:
            for message, _, _, sent in place.groups:
                own = place.given, place.label, (self.start[place.given],)
                ends.setdefault((sent, message), set()).add(own)
        for (sends, is_sent), ones in ends.items():
            for one, two in product(ones, ends.get((is_sent, sends), ())):
                if (sends, is_sent, one, two) not in self.views:
                    raise Rejected(f"a view of the beginning is missing: {self._words(sends, is_sent, one, two)}")

    def _real(self) -> set[_View]:
        """The views that fit into a finite tree of views."""
        views = self.views
        while True:
            sides, before = set[tuple[int, int, _End]](), -1
            while len(sides) != before:
                before = len(sides)
                reached = {
                    (sends, is_sent, two) for sends, is_sent, one, two in views if (sends, is_sent, one) in sides
                }
                for sends, is_sent, one, _ in views:
                    if any(
                        all((m, sent, one) in reached for m, number, _, sent in place.groups if number > (m == is_sent))
                        for place in self._around(one)
                        if any(m == is_sent and sent == sends for m, _, _, sent in place.groups)
                    ):
                        sides.add((sends, is_sent, one))
            kept = {v for v in views if v[:3] in sides and (v[1], v[0], v[3]) in sides}
            if kept == views:
                return views
            views = kept

    def _around(self, end: _End) -> list[_Place]:
        return [place for place in self.places if (place.given, place.label) == end[:2]]

    def _nodes(self, views: set[_View]) -> Iterator[tuple[_Place, _End, dict[tuple[int, int], set[_End]]]]:
        """Every node: its surroundings, what it is, and by messages what each neighbour can be."""
        near: dict[_End, dict[tuple[int, int], set[_End]]] = {}
        for sends, is_sent, one, two in views:
            near.setdefault(two, {}).setdefault((sends, is_sent), set()).add(one)
        for own, others in near.items():
            for place in self._around(own):
                if all((m, sent) in others for m, _, _, sent in place.groups):
                    yield place, own, others

    def _closed(self, real: set[_View]) -> None:
        """No step leads out of the views, and none raises a level."""
        after: dict[tuple[int, int, _End, int], set[_End]] = {}
        for place, own, others in self._nodes(real):
            near = lambda m, sent, others=others: {end[2][-1] for end in others[m, sent]}  # noqa: E731
            for message, _, _, sent in place.groups:
                for state in near(message, sent):
                    values = self._sights(place, near, message, state)
                    after.setdefault((sent, message, own, state), set()).update(self._then(own, v) for v in values)
        for (_, _, own, _), several in after.items():
            for later in several:
                if own not in self.levels or later not in self.levels:
                    raise Rejected(f"a level is missing: {self._name(own if own not in self.levels else later)}")
                if self.levels[later] > self.levels[own]:
                    raise Rejected(f"the level rises from {self._name(own)} to {self._name(later)}")
        wrong = [level for level in self.levels.values() if not 0 <= level <= self.changes]
        if wrong:
            raise Rejected(f"a level is {wrong[0]}, and none may be below 0 or above {self.changes}")
        for sends, is_sent, one, two in real:
            ones = after.get((sends, is_sent, one, two[2][-1]), set[_End]())
            twos = after.get((is_sent, sends, two, one[2][-1]), set[_End]())
            for first, second in product(ones, twos):
                if (sends, is_sent, first, second) not in self.views:
                    raise Rejected(f"a view is missing: {self._words(sends, is_sent, first, second)}")

    def _at_rest(self, real: set[_View]) -> None:
        """In a tree of views in which nobody goes down a level, all are right and at rest."""
        nodes = list(self._nodes(real))
        still: set[tuple[int, int, _End, int]] = set()
        before = -1

        def below(own: _End, others: dict[tuple[int, int], set[_End]]) -> Callable[[int, int], set[int]]:
            return lambda m, sent: {end[2][-1] for end in others[m, sent] if (m, sent, end, own[2][-1]) in still}

        while len(still) != before:
            before = len(still)
            for place, own, others in nodes:
                for message, _, _, sent in place.groups:
                    for state in {end[2][-1] for end in others[message, sent]}:
                        key = sent, message, own, state
                        if key not in still:
                            values = self._sights(place, below(own, others), message, state)
                            if any(self.levels[self._then(own, v)] == self.levels[own] for v in values):
                                still.add(key)
        for place, own, others in nodes:
            for value in self._sights(place, below(own, others)):
                later, state = self._then(own, value), own[2][-1]
                if self.levels[later] == self.levels[own]:
                    if state != self.final[place.label]:
                        raise Rejected(f"a tree may come to rest with {self._name(own)}")
                    if later[2][-1] != state:
                        raise Rejected(f"a tree may go round in circles with {self._name(own)}")

    def _without_neighbours(self) -> None:
        for place in self.alone:
            state = self.start[place.given]
            # After as many steps as there are states, it has come to rest or never will.
            for _ in range(min(self.changes, self.fsa.num_states)):
                state = self.table[state][self.nobody]
            if state != self.final[place.label] or self.table[state][self.nobody] != state:
                name = self.statement.inputs[place.given]
                raise Rejected(f"a node with input {name!r} and no neighbours is not right after {self.changes} steps")

    # ---- words

    def _name(self, end: _End) -> str:
        names = ", ".join(repr(self.fsa.state_names[state]) for state in end[2])
        return f"input {self.statement.inputs[end[0]]!r}, class {self.statement.classes[end[1]]!r} in {names}"

    def _words(self, sends: int, is_sent: int, one: _End, two: _End) -> str:
        messages = self.statement.messages
        return (
            f"{self._name(one)}, which sends {messages[sends]!r} to {self._name(two)} and is sent {messages[is_sent]!r}"
        )
