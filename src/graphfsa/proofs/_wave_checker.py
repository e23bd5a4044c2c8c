"""Checks a proof by waves from the certificate, the table of the automaton and the statement; no code of the prover.

A certificate has a row of sets for every class of nodes: input of the source if there is only one, else -1; level of
the distance to the nearest source, input, colour, and for undirected graphs whether there are neighbours as near and
neighbours farther away. It claims that a node at XX
* at step 0 the starting state is in the set at clock -d;
* a node in its set, whose neighbours are in theirs, is in its next set one step later, whatever neighbours it has. Only
  this is used: distances of neighbours differ by at most one; a node that is no source has a nearer neighbour, and its
  colour is joined from those of all nearer ones; a farther neighbour has the colour of this node among those. In
  directed graphs: nobody seen is nearer by more than one; a node that no source reaches sees only such nodes;
* from clock ``lag`` on the sets hold only the state of the right class; nodes that no source reaches have no answer.

Facts are checked for one concrete distance after the other. Distances of equal level that are above ``near`` and
``before`` have the same facts, so one period of them is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

from graphfsa.analysis.certificates import Check
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Task, WaveSpecification, WaveTable
from graphfsa.errors import LimitError
from graphfsa.fields import Field, read_fields

MAX_NEIGHBOURHOODS = 20_000_000
_NUMBER = Field(int, least=0, most=255)
FIELDS = {
    "task": Field(str),
    "graph_class": Field(str),
    "specification": Field(str),
    "automaton": Field(str),
    "near": Field(int, least=1, most=255),
    "before": _NUMBER,
    "after": _NUMBER,
    "early": _NUMBER,
    "cycle": Field(int, least=1, most=255),
    "lag": _NUMBER,
    "sets": Field(list, items=Field(list, least=7, most=7), most=100_000),
}
_Key = tuple[int, int, int, bool, bool]
_Kind = tuple[int, int]
_Seen = tuple[int, int]
_Part = tuple[frozenset[_Seen], bool, bool]
"""States and colours of some neighbours; whether there must be one of them; whether there may be several."""
_Item = tuple[int, frozenset[int], tuple[bool, ...], int]
"""A value, the colours joined so far, which parts have a neighbour, and how many neighbours there are."""
_NONE: frozenset[int] = frozenset()


class _WrongError(Exception):
    """A fact that does not hold."""


def check_waves(certificate: Any, fsa: GraphFSA, spec: WaveSpecification) -> Check:
    """Check that the sets of a certificate prove the statement about the automaton.

    Args:
        certificate: What ``prove_waves`` found, as JSON values.
        fsa: The automaton.
        spec: The statement.

    Returns:
        Whether it is a proof, and the theorem or the fact that fails.

    Raises:
        FormatError: The certificate is malformed.
        GraphFSAError: The automaton has no states for an input or a class of the statement.
        LimitError: There are too many neighbourhoods to look at.
    """
    said = read_fields(certificate, FIELDS, "the certificate", also=("schema", "kind", "version"))
    table = spec.table
    known = table.name, table.graph_class, table.digest, fsa.digest
    for field, value in zip(FIELDS, known, strict=False):
        if said[field] != value:
            return Check(False, f"the {field.replace('_', ' ')} of the certificate must be {value}; got {said[field]}")
    inputs = [given for given, colour in enumerate(table.sources) if colour is not None] if table.one_source else [-1]
    if fsa.aggregation.uses_slots or any(type(row[0]) is not int or row[0] not in inputs for row in said["sets"]):
        return Check(False, f"neighbours must have no slots, and the source of a row must be one of {inputs}")
    try:
        number = sum(_Checker(said, fsa, table, source).check() for source in inputs)
    except _WrongError as error:
        return Check(False, str(error))
    kind = table.graph_class + " graph" * (table.graph_class in ("connected", "directed"))
    where = f"on every {kind} that is an instance of {table.name}, every node is in the state of its class"
    when = f"from step d + {said['lag']} on, d being its distance to the nearest source"
    return Check(True, f"{where} {when} ({number:,} steps of classes of nodes checked)")


class _Checker:
    """The rows with one source; ``check`` raises :class:`_WrongError` with the first fact that fails."""

    def __init__(self, said: dict[str, Any], fsa: GraphFSA, table: WaveTable, source: int) -> None:
        self._fsa, self._spec, self._source = fsa, table, source
        self._moves: list[list[int]] = fsa.transition_table.tolist()
        self._near, self._before, self._after, self._lag = (said[name] for name in ("near", "before", "after", "lag"))
        self._early, self._moments = said["early"], said["early"] + said["cycle"]
        reading = Task(table.name, "classes", table.inputs, table.classes).reading(fsa)
        self._starting, self._answers = reading.starting, reading.answers
        self._directed = table.graph_class == "directed"
        self._plain = [given for given, colour in enumerate(table.sources) if colour is None]
        self._colours = self._possible_colours()
        self._rows = self._read([row[1:] for row in said["sets"] if row[0] == source])
        self._left = MAX_NEIGHBOURHOODS
        self._remembered: dict[Any, list[tuple[int, frozenset[int]]]] = {}

    def check(self) -> int:
        """Check every fact; how many steps of classes of nodes were."""
        if self._lag > self._after:
            raise _WrongError(f"lag must be at most after, {self._after}; got {self._lag}")
        keys = [key for level in self._colours for key in self._keys(level)] + self._unreached()
        for key in keys:
            if key not in self._rows:
                raise _WrongError(f"there must be sets for {self._words(key)}")
        if len(self._rows) > len(keys):
            raise _WrongError("there are sets for nodes that do not exist")
        for key in self._unreached():
            self._expect(key, 0, 0, self._starting[key[1]], "a node begins")
        checked: set[tuple[_Key, int, int]] = set()
        for distance in range(max(self._near, self._before) + self._spec.period + 1):
            for key in self._keys(self._level(distance)):
                self._expect(key, -distance, 0, self._starting[key[1]], "a node begins")
                for clock in range(max(-distance, -self._before - 1), self._after + 2):
                    fact = key, self._level(distance - 1) if distance else -1, clock
                    if fact not in checked:
                        checked.add(fact)
                        for moment in range(self._moments):
                            self._check_step(key, distance, clock, moment)
        for moment in range(self._moments):
            for key in keys:
                self._check_unreached(key, moment) if key[0] < 0 else self._check_answer(key, moment)
        return self._moments * (len(checked) + len(self._unreached()))

    # What the local rules allow.

    def _level(self, distance: int) -> int:
        far = distance - self._near
        return distance if far < 0 else self._near + far % self._spec.period

    def _one_way(self, distance: int) -> bool:
        """Whether nodes at this distance are the only nearer neighbour of those they are nearer than."""
        return self._spec.one_source and (distance == 0 or self._spec.graph_class in ("tree", "path"))

    def _possible_colours(self) -> dict[int, set[_Kind]]:
        """Inputs and colours at each level: of sources, and whatever is joined from some nonempty set of colours."""
        spec = self._spec
        found: dict[int, set[_Kind]] = {level: set() for level in range(self._near + spec.period)}
        colours = [spec.leaf] * len(spec.inputs) if spec.leaf is not None else spec.sources
        sources = {(given, colour) for given, colour in enumerate(colours) if colour is not None}
        found[0] = {kind for kind in sources if self._source in (-1, kind[0])}
        size = -1
        while size != sum(map(len, found.values())):
            size = sum(map(len, found.values()))
            for level in list(found):
                found[self._level(level + 1)] |= {pair for _, pair in self._joined(found[level], level)}
        return found

    def _joined(self, kinds: set[tuple[int, int]], level: int) -> Iterator[tuple[tuple[int, ...], tuple[int, int]]]:
        """Sets of nearer colours, with the input and the colour of a node that sees them."""
        colours = {colour for _, colour in kinds}
        sizes = range(1, 2 if self._one_way(level) else len(colours) + 1)
        for chosen in chain.from_iterable(combinations(colours, size) for size in sizes):
            for given in self._plain:
                colour = self._spec.join[given, frozenset(chosen)]
                if colour is not None:
                    yield chosen, (given, colour)

    def _keys(self, level: int) -> list[_Key]:
        """Every class of nodes at a level."""
        alone = self._spec.one_source and (level == 0 or self._spec.graph_class != "connected")
        mates = [False] if self._directed or alone else [False, True]
        ahead = [False] if self._directed else [False, True]
        return [(level, *kind, same, far) for kind in self._colours[level] for same in mates for far in ahead]

    def _unreached(self) -> list[_Key]:
        return [(-1, given, -1, False, False) for given in self._plain] if self._directed else []

    # The sets of the certificate.

    def _read(self, rows: list[list[Any]]) -> dict[_Key, list[frozenset[int]]]:
        found: dict[_Key, list[frozenset[int]]] = {}
        states = set(range(self._fsa.num_states))
        for place, (level, given, colour, same, far, sets) in enumerate(rows):
            key = level, given, colour, same, far
            right = all(type(number) is int for number in key) and type(sets) is list and key not in found
            length = self._moments * (1 if right and level < 0 else self._before + self._after + 1)
            right = right and len(sets) == length and all(type(one) is list for one in sets)
            if not right or not all(type(state) is int and state in states for one in sets for state in one):
                what = f"five more integers, as no row before, and {length} lists of states"
                raise _WrongError(f"row {place} with source {self._source} must have {what}")
            found[key] = [frozenset(one) for one in sets]
        return found

    def _at(self, key: _Key, clock: int, moment: int) -> frozenset[int]:
        place = min(max(clock, -self._before), self._after) + self._before
        return self._rows[key][moment if key[0] < 0 else moment * (self._before + self._after + 1) + place]

    def _check_answer(self, key: _Key, moment: int) -> None:
        answer = self._answers[self._spec.label[key[0] % self._spec.period, key[2]]]
        for clock in range(self._lag, self._after + 1):
            for state in self._at(key, clock, moment) - {answer}:
                raise _WrongError(
                    f"{self._words(key)} must not be in state {self._fsa.state_names[state]!r} at clock {clock}"
                )

    def _check_unreached(self, key: _Key, moment: int) -> None:
        for state in self._at(key, 0, moment) & set(self._answers):
            raise _WrongError(f"{self._words(key)} must not be in state {self._fsa.state_names[state]!r}")
        for value, _ in self._neighbourhoods([(self._states(self._unreached(), 0, moment), False, True)], 0, None):
            self._move(key, 0, moment, value)

    def _check_step(self, key: _Key, distance: int, clock: int, moment: int) -> None:
        level, given, colour, same, far = key
        parts: list[_Part] = []
        if distance:
            nearer = [other for other in self._keys(self._level(distance - 1)) if other[4] or self._directed]
            several = self._directed or not self._one_way(distance - 1)
            parts.append((self._states(nearer, clock + 1, moment, coloured=True), True, several))
        if self._directed:
            parts.append((self._ahead(distance, clock, moment), False, True))
        if same:
            mates = [other for other in self._keys(level) if other[3]]
            parts.append((self._states(mates, clock, moment), True, True))
        if far:
            joins = self._joined(self._colours[level], level)
            farther = {pair for chosen, pair in joins if colour in chosen}
            others = [other for other in self._keys(self._level(distance + 1)) if other[1:3] in farther]
            parts.append((self._states(others, clock - 1, moment), True, True))
        fewest, most = 0, 2 if self._spec.graph_class == "path" else None
        if self._spec.leaf is not None:
            fewest, most = (2, most) if distance else (0, 1)
        for value, colours in self._neighbourhoods(parts, fewest, most):
            if not distance or self._spec.join[given, colours] == colour:
                self._move(key, clock, moment, value)

    def _ahead(self, distance: int, clock: int, moment: int) -> frozenset[_Seen]:
        """What is seen in a directed graph and is not nearer; so far ahead that only levels repeat."""
        last = max(clock + self._before, 0) + self._near + self._spec.period
        seen = self._states(self._unreached(), 0, moment)
        for more in range(last + 1):
            seen |= self._states(self._keys(self._level(distance + more)), clock - more, moment)
        return seen

    def _states(self, keys: list[_Key], clock: int, moment: int, *, coloured: bool = False) -> frozenset[_Seen]:
        found = ((key[2] if coloured else -1, self._at(key, clock, moment)) for key in keys)
        return frozenset((state, colour) for colour, states in found for state in states)

    def _move(self, key: _Key, clock: int, moment: int, value: int) -> None:
        later = moment + 1 if moment + 1 < self._moments else self._early
        for state in self._at(key, clock, moment):
            words = f"in state {self._fsa.state_names[state]!r} and seeing value {value}, a node moves"
            self._expect(key, clock + 1, later, self._moves[state][value], words)

    def _expect(self, key: _Key, clock: int, moment: int, state: int, words: str) -> None:
        if state not in self._at(key, clock, moment):
            where = f"the set at clock {clock} and moment {moment} of {self._words(key)}"
            raise _WrongError(f"{words} to state {self._fsa.state_names[state]!r}, which is not in {where}")

    def _words(self, key: _Key) -> str:
        level, given, colour, same, far = key
        where = "that no source reaches" if level < 0 else f"at level {level} with colour {colour}"
        sides = f", neighbours as near: {same}, farther: {far}".lower() if level >= 0 and not self._directed else ""
        return f"nodes with input {self._spec.inputs[given]} {where}{sides}"

    def _neighbourhoods(self, parts: list[_Part], fewest: int, most: int | None) -> list[tuple[int, frozenset[int]]]:
        """Every value that can be seen, and the colours that are seen with it, neighbour by neighbour in any order."""
        question = tuple(parts), fewest, most
        if question not in self._remembered:
            limit = fewest if most is None else most
            first = self._fsa.aggregation.encode([], [], self._fsa.num_states), _NONE, (False,) * len(parts), 0
            seen: set[_Item] = {first}
            waiting: list[_Item] = [first]
            while waiting:
                self._left -= 1
                if self._left < 0:
                    raise LimitError(f"there are more than {MAX_NEIGHBOURHOODS:,} neighbourhoods to check")
                item = waiting.pop()
                fresh = self._with_one_more(item, parts, limit) - seen if most is None or item[3] < most else set()
                seen |= fresh
                waiting += fresh
            needed = [place for place, part in enumerate(parts) if part[1]]
            right = [item for item in seen if item[3] >= fewest and all(item[2][place] for place in needed)]
            self._remembered[question] = [(value, colours) for value, colours, _, _ in right]
        return self._remembered[question]

    def _with_one_more(self, item: _Item, parts: list[_Part], limit: int) -> set[_Item]:
        found: set[_Item] = set()
        value, colours, there, number = item
        for place, (neighbours, _, several) in enumerate(parts):
            now_there = (*there[:place], True, *there[place + 1 :])
            for state, colour in neighbours if several or not there[place] else ():
                more = self._fsa.aggregation.with_neighbour(value, state, 0, self._fsa.num_states)
                if more is None:
                    raise _WrongError("the aggregation does not say what a value is with one more neighbour")
                joined = colours if colour < 0 else colours | {colour}
                found.add((more, joined, now_there, min(number + 1, limit)))
        return found
