"""The ladder of automata with letters, in the order of the bits that it takes to write one down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import combinations_with_replacement
from math import log2

from graphfsa.search.letters.components import Component, Components, embeds, num_letters, num_values

_KIND_BITS = 4
"""What it takes to say that a component is not the usual one: weighted, or modulo a number."""
_MAX_RANKS = 8
_MAX_CLAUSES = 300_000
"""Rungs for which a solver would get more clauses than this before it begins are left out."""


class Moves(IntEnum):
    """Which moves are allowed: more and more."""

    FORWARD = 0
    """Starting states stay, or go to final or further states; further states go to final or further states."""
    RETURN = 1
    """Further states also go back to starting states."""
    FREE = 2
    """Everything goes everywhere."""


_WORDS = {Moves.FORWARD: "", Moves.RETURN: ", which may go back", Moves.FREE: ", all moves"}
_MOVE_BITS = {Moves.FORWARD: 0, Moves.RETURN: 5, Moves.FREE: 8}


@dataclass(frozen=True)
class LetterRung:
    """Automata with these components and this number of states of each kind, numbered final, starting, further.

    Attributes:
        components: What is seen.
        num_starting: Number of starting states; inputs may share them, and need not use all.
        num_extra: Number of further states.
        moves: Which moves are allowed.
        num_final: Number of final states; 0 in an evolution.
        num_inputs: Number of inputs.
    """

    components: Components
    num_starting: int
    num_extra: int
    moves: Moves
    num_final: int
    num_inputs: int

    @cached_property
    def num_values(self) -> int:
        """Number of values."""
        return num_values(self.components)

    @cached_property
    def num_letters(self) -> int:
        """Number of letters; a state may also show none."""
        return num_letters(self.components)

    @property
    def num_states(self) -> int:
        """Number of states."""
        return self.num_final + self.num_starting + self.num_extra

    @property
    def num_entries(self) -> int:
        """Number of entries that can be chosen."""
        return (self.num_starting + self.num_extra) * self.num_values

    @property
    def num_clauses(self) -> int:
        """About how many clauses say that each entry has one successor."""
        return self.num_entries * (self.num_states + 1) ** 2 // 2

    def successors(self, state: int) -> list[int]:
        """Where a state that is not final may go."""
        named = self.num_final + self.num_starting
        if self.moves is Moves.FREE or not self.num_final or (self.moves is Moves.RETURN and state >= named):
            return list(range(self.num_states))
        return [
            other
            for other in range(self.num_states)
            if other < self.num_final or other in (state, *range(named, self.num_states))
        ]

    @cached_property
    def entry_bits(self) -> float:
        """Bits for one entry in use."""
        states = range(self.num_final, self.num_states)
        return log2(max([2, *(len(self.successors(state)) for state in states)]))

    @cached_property
    def overhead(self) -> float:
        """Bits for everything but the entries: letters, starting states, components, kinds of moves."""
        starts = self.num_inputs * log2(self.num_starting + 1) if self.num_final else 0.0
        kinds = sum(_KIND_BITS for part in self.components if part.weighted or part.kind == "modulo")
        letters = self.num_states * log2(self.num_letters + 1)
        return letters + starts + len(self.components) + kinds + _MOVE_BITS[self.moves]

    @cached_property
    def bits(self) -> float:
        """Bits for an automaton that uses all entries. Free moves are tried later than their bits alone would say."""
        states = range(self.num_final, self.num_states)
        table = sum(self.num_values * log2(len(self.successors(state))) for state in states)
        return table + self.overhead + {Moves.FORWARD: 0, Moves.RETURN: 5, Moves.FREE: 12}[self.moves]

    def covers(self, other: LetterRung) -> bool:
        """Whether every automaton of another rung can be written as one of this one."""
        return (
            other.num_starting <= self.num_starting
            and other.num_extra <= self.num_extra
            and other.moves <= self.moves
            and embeds(other.components, self.components)
        )

    def describe(self) -> str:
        """The rung in words."""
        seen = ", ".join(part.describe() for part in self.components) or "nothing"
        states = f"{self.num_states} states" + _WORDS[self.moves]
        return f"letters ({seen}), {states}"


@dataclass(frozen=True)
class LetterLimits:
    """How large automata with letters may become.

    Attributes:
        num_final: Number of final states; 0 in an evolution.
        num_inputs: Number of inputs.
        steady: Number of inputs whose nodes all have one label.
        bounds: How far to count, from 1 on.
        modulo: Whether to count modulo a number as well.
        max_extra: Number of further states, at most.
    """

    num_final: int
    num_inputs: int
    steady: int
    bounds: int
    modulo: bool
    max_extra: int


def letter_rungs(limits: LetterLimits) -> list[LetterRung]:
    """All rungs, short descriptions first."""
    rungs: list[LetterRung] = []
    inputs, final = limits.num_inputs, limits.num_final
    starting = {max(1, inputs - limits.steady), inputs} if final else {inputs}
    for components in _products(limits):
        for count in sorted(starting):
            for extra in range(limits.max_extra + 1 if final else 1):
                kinds = _moves(final, count, extra)
                tried = [LetterRung(components, count, extra, moves, final, inputs) for moves in kinds]
                rungs += [rung for rung in tried if rung.num_clauses <= _MAX_CLAUSES]
    return sorted(rungs, key=lambda rung: (round(rung.bits, 6), rung.num_extra, rung.components))


def _moves(num_final: int, num_starting: int, num_extra: int) -> list[Moves]:
    if not num_final:
        return [Moves.FORWARD]  # All moves are allowed anyway.
    moves = [Moves.FORWARD]
    if num_extra:
        moves.append(Moves.RETURN)
    elif num_starting > 1:
        moves.append(Moves.FREE)
    return moves


def _products(limits: LetterLimits) -> list[Components]:
    """Which components are tried together."""
    plain = [Component("count", bound) for bound in range(1, limits.bounds + 1)]
    most = 4 if limits.num_final else 2
    products = _up_to(plain, most)
    beside = _up_to(plain[:2], 2)
    ranks = sorted({*range(2, min(limits.num_final, _MAX_RANKS) + 1), max(2, limits.num_final)})
    special = [Component("highest", rank) for rank in ranks]
    special += [Component("count", 2, weighted=True)] * (limits.bounds > 1)
    if limits.modulo:
        special += [Component("modulo", 2), Component("modulo", 3, weighted=True)]
    products += [(part, *rest) for part in special for rest in beside]
    return products


def _up_to(parts: Sequence[Component], most: int) -> list[Components]:
    """Every multiset of at most this number of components."""
    return [chosen for count in range(most + 1) for chosen in combinations_with_replacement(parts, count)]
