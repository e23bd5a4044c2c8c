"""Sums of letters in words and back: ``count node or marked up to 2; highest of low < high``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphfsa.aggregations import Aggregation, LettersAggregation, ProductAggregation, Sum
from graphfsa.automaton.rules._line import Line, NameReader, Sets
from graphfsa.automaton.rules._names import StateNames, listed
from graphfsa.errors import AutomatonError

SUMS = "sums"
"""An option of an aggregation with this name is a list of sums, and written in words."""
MANY = 8
"""Sets of more states get a name of their own."""
NOTHING = "no sums"
"""What is seen without any sum."""
_EVERYBODY = "neighbours"
_NOBODY = "no", "neighbours"
_UP_TO = ",", "up", "to"
_MODULO = ",", "modulo"
_PIECE = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^;"]|"(?=[^"]*$))+')


def sums_words(sums: Sequence[Sum], names: StateNames) -> str:
    """Sums as the header of rules has them."""
    return "; ".join(sum_words(part, names) for part in sums) or NOTHING


def sum_words(part: Sum, names: StateNames) -> str:
    """A sum as the header of rules has it."""
    if part.kind == "highest":
        return f"highest of {ladder_words(part, names)}"
    end = f"modulo {part.limit}" if part.kind == "modulo" else f"up to {part.limit}"
    return f"count {terms_words(part, names)}{'' if part.plain else ','} {end}"


def ladder_words(part: Sum, names: StateNames) -> str:
    """The states that show each letter, the lowest first."""
    return " < ".join(_set_words(part.states(weight), names) for weight in range(1, part.size))


def terms_words(part: Sum, names: StateNames) -> str:
    """The states that are counted, and how often each if that is not once."""
    if part.plain:
        return _EVERYBODY if len(part.states()) == len(names) else _set_words(part.states(), names)
    weights = sorted(set(part.weights) - {0})
    return ", ".join(f"{_set_words(part.states(weight), names)} {Sum.times(weight)}" for weight in weights)


def _set_words(states: Sequence[int], names: StateNames) -> str:
    return listed(names.of(states)) if states else " ".join(_NOBODY)


def named_sets(aggregation: Aggregation, num_states: int) -> dict[tuple[int, ...], str]:
    """A name for each set of many states that guards about sums of letters will speak of again and again."""
    parts = aggregation.parts if isinstance(aggregation, ProductAggregation) else (aggregation,)
    found: dict[tuple[int, ...], str] = {}
    for part in [part for each in parts if isinstance(each, LettersAggregation) for part in each.sums]:
        for states in _spoken_of(part):
            others = tuple(state for state in range(num_states) if state not in states)
            if len(states) > MANY and len(others) > 0 and states not in found and others not in found:
                found[states] = f"@{len(found) + 1}"
    return found


def _spoken_of(part: Sum) -> Iterator[tuple[int, ...]]:
    """The sets of states that guards about a sum name."""
    if part.plain:
        yield part.states()
        return
    weights = sorted(set(part.weights) - {0})
    yield from (part.states(weight) for weight in weights)
    if part.kind == "highest":
        yield from (tuple(state for state in part.states() if part.weight(state) >= weight) for weight in weights)


def read_sums(text: str, where: str, names: tuple[str, ...], sets: Sets) -> list[Sum]:
    """The sums of a header.

    Args:
        text: What ``sums_words`` wrote.
        where: Its source and line, for error messages.
        names: Names of the states.
        sets: Sets of states that have a name.
    """
    if text == NOTHING:
        return []
    return [_read_sum(Line(piece, where), names, sets) for piece in _PIECE.findall(text) or [text]]


def _read_sum(line: Line, names: tuple[str, ...], sets: Sets) -> Sum:
    reader = SumReader(line, names, sets)
    try:
        if line.skip("highest"):
            line.need("of")
            ladder = reader.ladder()
            found = Sum("highest", len(ladder), reader.weights(dict(enumerate(ladder, 1))))
        else:
            line.need("count", "highest")
            weights = reader.terms()
            line.skip(",")
            kind = "modulo" if line.need("up", "modulo") == "modulo" else "count"
            if kind == "count":
                line.need("to")
            found = Sum(kind, reader.number(), weights)
    except AutomatonError as error:
        raise line.error(str(error)) from None
    if not line.ended:
        raise line.expected("';' or the end of the line")
    return found


class SumReader(NameReader):
    """Reads the states of a sum."""

    def terms(self) -> tuple[int, ...]:
        """Read which states are counted, and how often; the weight of each state."""
        if self.line.skip(_EVERYBODY):
            return (1,) * len(self.names)
        if self.line.skip(*_NOBODY):
            return ()
        states, weight = self.states(), self._times()
        if weight is None:
            return self.weights({1: states})
        by_weight = {weight: states}
        while self.line.is_next(",") and not self.line.is_next(*_UP_TO) and not self.line.is_next(*_MODULO):
            self.line.skip(",")
            states, weight = self.states(), self._times()
            if weight is None:
                raise self.line.expected("'once', 'twice' or a number and 'times'")
            if weight in by_weight:
                raise self.line.error(f"all states that count {Sum.times(weight)} must be listed together")
            by_weight[weight] = states
        return self.weights(by_weight)

    def _times(self) -> int | None:
        """Read how often something counts, if that comes next."""
        for weight in (1, 2):
            if self.line.skip(Sum.times(weight)):
                return weight
        follows = self.line.peek(1)
        if follows is None or follows.quoted or follows.text != "times":
            return None
        weight = self.number()
        self.line.need("times")
        return weight

    def ladder(self) -> list[tuple[int, ...]]:
        """Read sets of states, the lowest first."""
        sets = [self._level()]
        while self.line.skip("<"):
            sets.append(self._level())
        return sets

    def _level(self) -> tuple[int, ...]:
        return () if self.line.skip(*_NOBODY) else self.states()

    def weights(self, by_weight: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
        """The weight of each state, from the states of each weight."""
        weights = [0] * len(self.names)
        for weight, states in by_weight.items():
            for state in states:
                if weights[state]:
                    raise self.line.error(f"a state must have one letter; {self.names[state]!r} has two")
                weights[state] = weight
        return tuple(weights)
