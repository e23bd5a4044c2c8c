"""Which conditions the search for rules may use: everything that is short to say, and enough to say everything.

More can be said about one row of a table than about all rows if it depends on a few counts only. With 8 states there
are 255 sets of them, too many to ask for the count of each at each of 6,561 values. But a row that depends on the
counts of 3 states has only 27 different values, and 7 sets that matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from graphfsa.aggregations import Features
from graphfsa.arrays import Array
from graphfsa.automaton.rules._guards import Atom, CountIs, GradeIs, PartIs, ShareIs, SumIs, count_of, sum_atom

_ALL_SETS = 4
"""Up to this number of levels every set of them makes an atom; beyond, ranges (or single levels and all but one)."""
_MAX_ALL_SUBSETS = 12
_MAX_PAIR_WORK = 2e9
_MAX_CELLS = 2**25


@dataclass(frozen=True, eq=False)
class Quantity:
    """Something that has a level at each value: the count of a set of states, a part, a share, a sum.

    Attributes:
        features: What it is one of.
        kind: An atom about the quantity; its levels are placeholders.
        levels: The level at each value, integers [num_values].
        num_levels: Number of levels.
        ordered: Whether ranges of levels are short to say.
    """

    features: Features
    kind: Atom
    levels: Array
    num_levels: int
    ordered: bool = True

    def atom(self, levels: tuple[int, ...]) -> Atom:
        """The atom that holds at some levels; for shares and grades they are a range."""
        if isinstance(self.kind, CountIs):
            return CountIs(self.kind.states, levels, self.kind.census)
        if isinstance(self.kind, PartIs):
            return PartIs(self.kind.part, levels)
        if isinstance(self.kind, SumIs):
            return sum_atom(self.features, self.kind.tally, levels)
        if isinstance(self.kind, GradeIs):
            return GradeIs(self.kind.grade, levels[0], levels[-1])
        return ShareIs(self.kind.share, levels[0], levels[-1])

    @property
    def by_range(self) -> bool:
        """Whether an atom holds at a range of levels, and not at any others."""
        return isinstance(self.kind, ShareIs | GradeIs)

    @property
    def basic(self) -> bool:
        """Whether it is about a single state, part, share or sum; together these tell values apart."""
        return not isinstance(self.kind, CountIs) or len(self.kind.states) == 1

    def widened(self, level: int, bad: set[int]) -> tuple[int, ...]:
        """The simplest set that contains a level and no bad one, and is not the set of all levels."""
        if not self.ordered:
            others = [other for other in range(self.num_levels) if other not in bad]
            return tuple(others) if len(others) == self.num_levels - 1 else (level,)
        first = max((other + 1 for other in bad if other < level), default=0)
        last = min((other - 1 for other in bad if other > level), default=self.num_levels - 1)
        # Between two numbers is longer to say than one number.
        return tuple(range(first, last + 1)) if first == 0 or last == self.num_levels - 1 else (level,)

    def level_sets(self, wide: bool) -> Iterator[tuple[int, ...]]:
        """Sets of levels that make an atom, neither empty nor all; only the simplest unless ``wide``."""
        top = self.num_levels
        if not wide:
            yield from ((level,) for level in range(top) if top > 1)
            if self.ordered:
                yield from (tuple(range(end)) for end in range(2, top))
                yield from (tuple(range(first, top)) for first in range(1, top - 1))
        elif top <= _ALL_SETS and not self.by_range:
            for size in range(1, top):
                yield from combinations(range(top), size)
        elif self.ordered:
            for first in range(top):
                yield from (tuple(range(first, end)) for end in range(first + 1, top + 1) if end - first < top)
        else:
            yield from ((level,) for level in range(top))
            yield from (tuple(other for other in range(top) if other != level) for level in range(top))


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The atoms; no two of them mean the same.

    Attributes:
        features: What they are about.
        quantities: What has levels.
        atoms: The atoms, cheapest first.
        costs: What each costs, float32 [atoms].
        holds: Where each holds, float32 [atoms, num_values], 0 or 1, for products of matrices.
        complete: Whether the counts of all sets of states are asked for.
    """

    features: Features
    quantities: list[Quantity]
    atoms: list[Atom]
    costs: Array
    holds: Array
    complete: bool = False


def vocabulary(features: Features, num_values: int, states: tuple[int, ...] | None = None) -> Vocabulary:
    """All atoms about the features that are worth trying.

    Sets of states whose counts are asked for are all sets, or small ones and their complements where that would be
    too many atoms.

    Args:
        features: What can be asked.
        num_values: Number of values.
        states: The states whose counts may be asked for; by default all.
    """
    most = max((len(census.counts) for census in features.censuses), default=0)
    asked = states if states is not None else tuple(range(most))
    quantities: list[Quantity] = []
    for size, wide in ((len(asked), True), (2, True), (1, True), (1, False)):
        if size == len(asked) > _MAX_ALL_SUBSETS:
            continue
        quantities = list(_quantities(features, size, asked))
        top = sum(_atom_count(quantity, wide) for quantity in quantities)
        if top * top * num_values <= _MAX_PAIR_WORK and top * num_values <= _MAX_CELLS:
            return replace(_vocabulary(features, quantities, wide, num_values), complete=size == len(asked))
    return _vocabulary(features, quantities, None, num_values)


def _atom_count(quantity: Quantity, wide: bool) -> int:
    """An upper bound of the number of atoms, without listing them."""
    top = quantity.num_levels
    return top * top if wide and (quantity.ordered or top <= _ALL_SETS) else 3 * top


def _quantities(features: Features, size: int, asked: tuple[int, ...]) -> Iterator[Quantity]:
    for length in range(1, len(asked) + 1):
        if min(length, len(asked) - length) <= size:
            for states in combinations(asked, length):
                for place, census in enumerate(features.censuses):
                    counts = count_of(census, states)
                    yield Quantity(features, CountIs(states, (), place), counts, census.bound + 1)
    for place, part in enumerate(features.parts):
        yield Quantity(features, PartIs(place, ()), part.digits, len(part.labels), ordered=False)
    for place, share in enumerate(features.shares):
        yield Quantity(features, ShareIs(place, 0, 0), share.digits, len(share.levels) + 1)
    for place, grade in enumerate(features.grades):
        yield Quantity(features, GradeIs(place, 0, 0), grade.digits, len(grade.levels) + 1)
    for place, tally in enumerate(features.sums):
        ordered = tally.sum.kind != "modulo"
        yield Quantity(features, SumIs(place, ()), tally.digits, tally.sum.size, ordered)


def _vocabulary(features: Features, quantities: list[Quantity], wide: bool | None, num_values: int) -> Vocabulary:
    """With ``wide`` None there are quantities but no atoms."""
    known: dict[bytes, tuple[float, int, Atom, Array]] = {}
    for quantity in quantities if wide is not None else []:
        one_hot = np.arange(quantity.num_levels)[:, None] == quantity.levels
        for levels in quantity.level_sets(bool(wide)):
            atom = quantity.atom(levels)
            holds = one_hot[list(levels)].any(0)
            if holds.all() or not holds.any():
                continue
            cost = atom.cost(features)
            key = np.packbits(holds).tobytes()
            if key not in known or cost < known[key][0]:
                known[key] = cost, len(known), atom, holds
    found = sorted(known.values(), key=lambda entry: entry[:2])
    holds = np.array([entry[3] for entry in found], np.float32).reshape(len(found), num_values)
    costs = np.array([entry[0] for entry in found], np.float32)
    return Vocabulary(features, quantities, [entry[2] for entry in found], costs, holds)


class RowVocabularies:
    """A vocabulary for each row of a table.

    Args:
        features: What can be asked about values.
        num_values: Number of values.
    """

    def __init__(self, features: Features, num_values: int) -> None:
        self.features = features
        self.whole = vocabulary(features, num_values)
        self._every = np.arange(num_values)

    def of(self, successors: Array, matters: Array) -> tuple[Vocabulary, Array]:
        """The vocabulary for a row, and the values that it is about: what is right at those is right everywhere.

        Args:
            successors: Where each value leads, [num_values].
            matters: Which values matter, bool [num_values].
        """
        features = self.features
        others = features.parts or features.shares or features.sums or features.grades
        if self.whole.complete or len(features.censuses) != 1 or others or not matters.any():
            return self.whole, self._every
        census = features.censuses[0]
        told = deciding_states(census.counts, successors, matters)
        if len(told) == len(census.counts):
            return self.whole, self._every
        values = _one_of_each(census.counts[list(told)], np.flatnonzero(matters))
        fewer = replace(features, censuses=(replace(census, counts=census.counts[:, values]),))
        words = vocabulary(fewer, len(values), told)
        return (words, values) if words.complete else (self.whole, self._every)


def deciding_states(counts: Array, successors: Array, matters: Array) -> tuple[int, ...]:
    """The states whose counts alone decide where each value that matters leads; none of them can be left out.

    Args:
        counts: Neighbours in each state at each value, [num_states, num_values].
        successors: Where each value leads, [num_values].
        matters: Which values matter, bool [num_values].
    """
    values = np.flatnonzero(matters)
    left = list(range(len(counts)))
    for state in reversed(range(len(counts))):
        fewer = [other for other in left if other != state]
        cells = _cells(counts[fewer], values)
        both = cells * 256 + successors[values]
        if len(np.unique(both)) == len(np.unique(cells)):
            left = fewer
    return tuple(left)


def _cells(counts: Array, values: Array) -> Array:
    """A number for each value, the same where all counts are, int64 [values]."""
    base = int(counts.max(initial=0)) + 1
    cells = np.zeros(len(values), np.int64)
    for row in counts:
        cells = cells * base + row[values]
    return cells


def _one_of_each(counts: Array, values: Array) -> Array:
    """The first of the values with the same counts, sorted."""
    _, first = np.unique(_cells(counts, values), return_index=True)
    return values[np.sort(first)]


_ONE_THREAD = 2**18
"""Up to this number of multiplications OpenBLAS uses one thread. Waking up another costs more than a product here, and
far more on a machine that is busy: then the search would mostly wait."""
_ROWS = 8


def matrix_product(first: Array, second: Array) -> Array:
    """The product of two float32 matrices, computed in blocks."""
    rows, inner = first.shape
    columns = second.shape[1]
    blocks = -(-rows // _ROWS)
    step = max(1, _ONE_THREAD // (_ROWS * max(columns, 1)))
    result = np.zeros((blocks, _ROWS, columns), np.float32)
    for begin in range(0, inner, step):
        width = min(step, inner - begin)
        part = np.zeros((blocks * _ROWS, width), np.float32)
        part[:rows] = first[:, begin : begin + width]
        result += part.reshape(blocks, _ROWS, width) @ second[begin : begin + width]
    return result.reshape(blocks * _ROWS, columns)[:rows]
