"""Rules that are right on what is left of a row of a table: the moves of the search for short lists of rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.rules._guards import Guard, ShareIs, guard_cost, runs
from graphfsa.automaton.rules._products import product
from graphfsa.automaton.rules._vocabulary import Quantity, Vocabulary

_BEST = 40, 20
"""How many rules of two atoms are looked at: those with most gain per cost, and those with most gain."""
_EXTENDED = 12
_MAX_KEPT = 2**24


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule that is right wherever it holds among what is left.

    Attributes:
        guard: When it applies.
        successor: Where it leads, as a class of the row.
        cost: What its line costs.
        covered: Which entries it settles, bool [entries of the row], all of them left.
    """

    guard: Guard
    successor: int
    cost: float
    covered: Array


class Row:
    """The entries of one state that matter, and what can be said about them.

    Args:
        vocabulary: The atoms.
        successors: Where each value leads, [num_values].
        matters: Which values matter, bool [num_values].
    """

    def __init__(self, vocabulary: Vocabulary, successors: Array, matters: Array) -> None:
        self.vocabulary = vocabulary
        self.values = np.flatnonzero(matters)
        self.classes, self.targets = np.unique(successors[self.values], return_inverse=True)
        self.is_class = np.arange(len(self.classes))[:, None] == self.targets
        self.holds = np.ascontiguousarray(vocabulary.holds[:, self.values])
        self._where = self.holds > 0
        self._costs: list[float] = vocabulary.costs.tolist()
        self._gains: dict[bytes, Array] = {}

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """All pairs of atoms, an atom with itself included, as places in a matrix, and what a line with each costs."""
        count = len(self.vocabulary.costs)
        first, second = np.triu_indices(count)
        costs = self.vocabulary.costs + np.float32(0.5)
        return first * count + second, costs[first] + np.where(first == second, 0, costs[second]) + np.float32(1.5)

    def counts(self, left: Array) -> Array:
        """How many entries of each class are left, int64 [classes]."""
        return (self.is_class & left).sum(1)

    def candidates(self, left: Array, classes: list[int], *, triples: bool = True) -> list[Candidate]:
        """Rules that are right on all entries that are left where they hold, for some classes, the best first."""
        found: dict[bytes, Candidate] = {}
        every = [*self._of_one_quantity(left, classes), *self._of_atoms(left, classes, triples)]
        for candidate in every:
            key = candidate.successor.to_bytes() + np.packbits(candidate.covered).tobytes()
            if key not in found or candidate.cost < found[key].cost:
                found[key] = candidate
        return sorted(found.values(), key=lambda one: -one.covered.sum() / one.cost)

    def grown(self, left: Array, successor: int, entry: int) -> Candidate:
        """A rule for one entry and those like it: all that can be said about it, made wider as long as it is right."""
        wrong = left & ~self.is_class[successor]
        levels: list[tuple[int, ...]] = [(int(basic[entry]),) for basic in self._basics]
        where = [basic == basic[entry] for basic in self._basics]
        kept = list(range(len(levels)))
        for place in reversed(range(len(levels))):
            others = [other for other in kept if other != place]
            if not (wrong & _all(where, others)).any():
                kept = others
        for place in kept:
            others = _all(where, [other for other in kept if other != place])
            bad = set(self._basics[place][wrong & others].tolist())
            levels[place] = self._basic_quantities[place].widened(levels[place][0], bad)
            where[place] = np.isin(self._basics[place], levels[place])
        guard = tuple(self._basic_quantities[place].atom(levels[place]) for place in kept)
        return self._candidate(guard, successor, left & _all(where, kept))

    @cached_property
    def _basic_quantities(self) -> list[Quantity]:
        return [quantity for quantity in self.vocabulary.quantities if quantity.basic]

    @cached_property
    def _basics(self) -> list[Array]:
        return [quantity.levels[self.values] for quantity in self._basic_quantities]

    def _candidate(self, guard: Guard, successor: int, covered: Array) -> Candidate:
        return Candidate(guard, successor, guard_cost(guard, self.vocabulary.features), covered)

    def _of_one_quantity(self, left: Array, classes: list[int]) -> Iterator[Candidate]:
        """For each quantity and class: all levels at which only that class is left."""
        size = len(self.classes)
        for quantity in self.vocabulary.quantities:
            both = quantity.levels[self.values[left]].astype(np.int64) * size + self.targets[left]
            counts = np.bincount(both, minlength=quantity.num_levels * size).reshape(-1, size)
            total = counts.sum(1)
            for successor in classes:
                pure = (counts[:, successor] == total) & (total > 0)
                if pure.any():
                    yield from self._level_rules(quantity, pure, total == 0, successor, left)

    def _level_rules(
        self, quantity: Quantity, pure: Array, empty: Array, successor: int, left: Array
    ) -> Iterator[Candidate]:
        """Rules about levels of which some must hold and some may: all at once, or one range of them."""
        choices = {tuple(np.flatnonzero(pure).tolist()), tuple(np.flatnonzero(pure | empty).tolist())}
        if quantity.ordered:
            spans = runs(tuple(np.flatnonzero(pure | empty).tolist()))
            inner = [[level for level in range(first, last + 1) if pure[level]] for first, last in spans]
            # Each range as wide as can be, and without what can't be there at its ends.
            ranges = {tuple(range(span[0], span[1] + 1)) for span, some in zip(spans, inner, strict=True) if some}
            ranges |= {tuple(range(some[0], some[-1] + 1)) for some in inner if some}
            choices = ranges if isinstance(quantity.kind, ShareIs) else ranges | choices
        levels = quantity.levels[self.values]
        for choice in sorted(choices):
            among = np.zeros(quantity.num_levels, bool)
            among[list(choice)] = True
            yield self._candidate((quantity.atom(choice),), successor, left & among[levels])

    def _of_atoms(self, left: Array, classes: list[int], triples: bool) -> Iterator[Candidate]:
        """Rules of one or two atoms, or of three if two are nearly enough."""
        if not self.vocabulary.atoms:
            return
        places, costs = self.pairs
        present = np.flatnonzero(self.counts(left)).tolist()
        gains = {c: self._gain(self.is_class[c] & left) for c in present}
        total = np.sum(list(gains.values()), 0)
        for successor in classes:
            gain = gains[successor]
            pure = np.flatnonzero((gain == total) & (gain > 0))
            scores = gain[pure] / costs[pure], gain[pure] - costs[pure] / 1024
            chosen = np.concatenate([pure[_largest(score, count)] for score, count in zip(scores, _BEST, strict=True)])
            for pair in places[np.unique(chosen)].tolist():
                first, second = divmod(pair, len(self.vocabulary.atoms))
                yield self._of_places(left, successor, {first, second})
            impure = np.flatnonzero((gain > 0) & (gain < total))
            if triples and len(impure):
                near = gain[impure] * gain[impure] / (total[impure] * costs[impure])
                yield from self._of_three(left, successor, places[impure[_largest(near, _EXTENDED)]])

    def _gain(self, entries: Array) -> Array:
        """How many of some entries, all of one class, each pair of atoms covers, float32 [pairs].

        A rule takes entries of its own class only: what was found out about the others is used again.
        """
        key = np.packbits(entries).tobytes()
        if key not in self._gains:
            if len(self._gains) * len(self.pairs[0]) > _MAX_KEPT:
                self._gains.clear()
            columns = self.holds[:, entries]
            self._gains[key] = product(columns, np.ascontiguousarray(columns.T)).reshape(-1)[self.pairs[0]]
        return self._gains[key]

    def _of_three(self, left: Array, successor: int, pairs: Array) -> Iterator[Candidate]:
        """Each pair with the best third that makes it right, if there is one."""
        firsts, seconds = np.divmod(pairs, len(self.vocabulary.atoms))
        covered = left & self._where[firsts] & self._where[seconds]
        right = self.is_class[successor]
        both = product(self.holds, np.concatenate([covered & right, covered & ~right]).T.astype(np.float32, order="C"))
        good, bad = both[:, : len(pairs)], both[:, len(pairs) :]
        scores = np.where(bad == 0, good / (self.vocabulary.costs[:, None] + 1), 0)
        for place, third in enumerate(scores.argmax(0).tolist()):
            if scores[third, place] > 0:
                yield self._of_places(left, successor, {int(firsts[place]), int(seconds[place]), third})

    def _of_places(self, left: Array, successor: int, atoms: set[int]) -> Candidate:
        places = sorted(atoms)
        cost = 1.5 + sum(0.5 + self._costs[place] for place in places)
        covered = left
        for place in places:
            covered = covered & self._where[place]
        return Candidate(tuple(self.vocabulary.atoms[place] for place in places), successor, cost, covered)


def _all(where: list[Array], places: list[int]) -> Array:
    """Where all of some conditions hold; none hold everywhere."""
    holds = np.ones(len(where[0]), bool)
    for place in places:
        holds &= where[place]
    return holds


def _largest(scores: Array, count: int) -> Array:
    """Places of the largest numbers, the first of equal ones; partial sorts alone may differ between machines."""
    if len(scores) > count:
        least = np.partition(scores, -count)[-count]
        above, level = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
        return np.concatenate([above, level[: count - len(above)]])
    return np.arange(len(scores))
