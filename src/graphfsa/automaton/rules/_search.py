"""The search for a short list of rules for one state: greedy first, then several lists side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.rules._guards import Atom, Guard, Rule, guard_cost, runs
from graphfsa.automaton.rules._vocabulary import Quantity, Vocabulary, matrix_product

_MAX_SEARCHED = 16
"""Lists that greed makes longer than this are not searched for anew: the table has no short ones."""
_WORK = 3e9
_WIDTHS = 6, 12
_MOVES = 10
_SINGLE = 2
"""Where even the best rule settles no more entries than this, the remaining entries are settled one by one."""
_LEAVING = 0.9
"""Cost of a last rule that leaves the state: staying is what one expects."""


@dataclass(frozen=True, eq=False)
class _List:
    """Rules so far, what they cost, and what they leave, bool [entries]."""

    rules: tuple[Candidate, ...]
    cost: float
    left: Array


def shortest_list(vocabulary: Vocabulary, state: int, successors: Array, matters: Array) -> tuple[Rule, ...]:
    """A short list of rules for one state; the last has no guard. Deterministic.

    Args:
        vocabulary: What can be said.
        state: The state.
        successors: Where each value leads, [num_values].
        matters: Which values matter, bool [num_values]; the rules are free to choose for the others.
    """
    if not matters.any():
        return (Rule((), state),)
    row = Row(vocabulary, successors, matters)
    counts = row.counts(np.ones(len(row.values), bool))
    stay = next((place for place, target in enumerate(row.classes) if target == state), None)
    most = int(np.argmax(counts))
    best = _greedy(row, most, state)
    if stay not in (None, most) and len(best[1]) <= 4 * _MAX_SEARCHED:
        best = min(best, _greedy(row, stay, state), key=lambda found: found[0])
    if 1 < len(best[1]) <= _MAX_SEARCHED:
        best = min(best, _side_by_side(row, state, best[0]) or best, key=lambda found: found[0])
    return _pruned(best[1], vocabulary, successors, matters)


def _greedy(row: Row, last: int, state: int) -> tuple[float, list[Rule]]:
    """Takes the best rule, or the best few, again and again; the last rule leads to a given class."""
    left = np.ones(len(row.values), bool)
    taken: list[Candidate] = []
    others = [place for place in range(len(row.classes)) if place != last]
    while present := [place for place in others if (row.is_class[place] & left).any()]:
        candidates = row.candidates(left, present, triples=len(taken) <= _MAX_SEARCHED)
        if not candidates or candidates[0].covered.sum() <= _SINGLE < left.sum():
            taken += _one_by_one(row, left, others)
            break
        least = candidates[0].covered.sum() / candidates[0].cost / 2
        for candidate in candidates if len(taken) > _MAX_SEARCHED else candidates[:1]:
            gain = left & candidate.covered
            if gain.sum() / candidate.cost >= least:
                taken.append(candidate)
                left &= ~gain
    cost = _last_cost(row, last, state) + sum(candidate.cost for candidate in taken)
    return cost, [*(_rule(row, candidate) for candidate in taken), Rule((), int(row.classes[last]))]


def _one_by_one(row: Row, left: Array, classes: list[int]) -> list[Candidate]:
    """A rule for each entry that is left, where no rule says much at once."""
    left = left.copy()
    taken: list[Candidate] = []
    for place in classes:
        while len(entries := np.flatnonzero(row.is_class[place] & left)):
            taken.append(row.grown(left, place, int(entries[0])))
            left &= ~taken[-1].covered
    return taken


def _side_by_side(row: Row, state: int, bound: float) -> tuple[float, list[Rule]] | None:
    """The cheapest list found by extending the most promising ones, if it is cheaper than a bound."""
    work = len(row.vocabulary.atoms) ** 2 * len(row.values) * 6
    width = int(np.clip(_WORK / max(work, 1) / 4, *_WIDTHS))
    best: _List | None = None
    layer = [_List((), 0.0, np.ones(len(row.values), bool))]
    seen: dict[bytes, float] = {}
    while layer:
        following: list[_List] = []
        for partial in layer:
            counts = row.counts(partial.left)
            present = np.flatnonzero(counts).tolist()
            if len(present) == 1:
                cost = partial.cost + _last_cost(row, present[0], state)
                if cost < bound:
                    best, bound = partial, cost
                continue
            following += _extended(row, partial, present, bound, seen)
        layer = sorted(following, key=lambda one: _promise(row, one))[:width]
    if best is None:
        return None
    last = int(row.classes[np.argmax(row.counts(best.left))])
    return bound, [*(_rule(row, candidate) for candidate in best.rules), Rule((), last)]


def _extended(row: Row, partial: _List, present: list[int], bound: float, seen: dict[bytes, float]) -> list[_List]:
    """A list with each of the most useful rules more, unless what is then left was reached as cheaply before."""
    candidates = row.candidates(partial.left, present)
    counts = row.counts(partial.left)
    whole = [one for one in candidates if one.covered.sum() == counts[one.successor]]
    large = sorted(candidates, key=lambda one: (-one.covered.sum(), one.cost))
    extended: list[_List] = []
    for candidate in [*candidates[:_MOVES], *large[:_MOVES], *sorted(whole, key=lambda one: one.cost)[:_MOVES]]:
        cost = partial.cost + candidate.cost
        left = partial.left & ~candidate.covered
        key = np.packbits(left).tobytes()
        if cost < min(seen.get(key, np.inf), bound):
            seen[key] = cost
            extended.append(_List((*partial.rules, candidate), cost, left))
    return extended


def _promise(row: Row, partial: _List) -> float:
    """What a list costs and is likely to cost yet: every line more halves, or so, what is left to be told."""
    counts = row.counts(partial.left)
    counts = counts[counts > 0]
    bits = float((counts * np.log2(counts.sum() / counts)).sum())
    return partial.cost + 2 * float(np.log2(1 + bits))


def _last_cost(row: Row, last: int, state: int) -> float:
    return 0.0 if row.classes[last] == state else _LEAVING


def _rule(row: Row, candidate: Candidate) -> Rule:
    return Rule(candidate.guard, int(row.classes[candidate.successor]))


def _pruned(rules: list[Rule], vocabulary: Vocabulary, successors: Array, matters: Array) -> tuple[Rule, ...]:
    """Without atoms and rules that later ones make unnecessary."""
    if len(rules) > 4 * _MAX_SEARCHED:
        return tuple(rules)
    kept = list(rules)
    where = {atom: atom.holds(vocabulary.features)[matters] for rule in rules for atom in rule.guard}
    wanted = successors[matters]
    for place in reversed(range(len(rules) - 1)):
        guard = kept[place].guard
        shorter: list[Guard] = [tuple(atom for atom in guard if atom is not dropped) for dropped in guard]
        versions = [[*kept[:place], *kept[place + 1 :]]]
        versions += [[*kept[:place], replace(kept[place], guard=less), *kept[place + 1 :]] for less in shorter if less]
        for version in versions:
            if (_followed(version, where, len(wanted)) == wanted).all():
                kept = version
                break
    return tuple(kept)


def _followed(rules: list[Rule], where: Mapping[Atom, Array], count: int) -> Array:
    """Where rules lead, if it is known where each atom holds."""
    result = np.empty(count, np.int64)
    # The first rule that applies counts: it is written last.
    for rule in reversed(rules):
        holds = np.ones(count, bool)
        for atom in rule.guard:
            holds &= where[atom]
        result[holds] = rule.successor
    return result


# ---- the moves of the search: rules that are right on what is left of a row


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
            key = candidate.successor.to_bytes(2) + np.packbits(candidate.covered).tobytes()
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
            choices = ranges if quantity.by_range else ranges | choices
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
            self._gains[key] = matrix_product(columns, np.ascontiguousarray(columns.T)).reshape(-1)[self.pairs[0]]
        return self._gains[key]

    def _of_three(self, left: Array, successor: int, pairs: Array) -> Iterator[Candidate]:
        """Each pair with the best third that makes it right, if there is one."""
        firsts, seconds = np.divmod(pairs, len(self.vocabulary.atoms))
        covered = left & self._where[firsts] & self._where[seconds]
        right = self.is_class[successor]
        both = matrix_product(
            self.holds, np.concatenate([covered & right, covered & ~right]).T.astype(np.float32, order="C")
        )
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
