"""The search for a short list of rules for one state: greedy first, then several lists side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphfsa.aggregations._features import Features
from graphfsa.arrays import Array
from graphfsa.automaton.rules._candidates import Candidate, Row
from graphfsa.automaton.rules._guards import Atom, Guard, Rule, guard_holds
from graphfsa.automaton.rules._vocabulary import Vocabulary

_MAX_SEARCHED = 16
"""Lists that greed makes longer than this are not searched for anew: the table has no short ones."""
_WORK = 3e9
_WIDTHS = 6, 12
_MOVES = 10
_SINGLE = 2
"""Where even the best rule settles no more entries than this, the rest is done entry by entry."""
_LEAVING = 0.9
"""What it costs if the last rule leaves the state: staying is what one expects."""


@dataclass(frozen=True, eq=False)
class _List:
    """Rules so far, what they cost, and what they leave, bool [entries]."""

    rules: tuple[Candidate, ...]
    cost: float
    left: Array


def cover(vocabulary: Vocabulary, state: int, successors: Array, matters: Array) -> tuple[Rule, ...]:
    """A short list of rules for one state; the last has no guard. Deterministic.

    Args:
        vocabulary: What can be said.
        state: The state.
        successors: Where each value leads, [num_values].
        matters: Which values matter, bool [num_values]; the rules may say anything about the others.
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
    """Always the best rule, or the best few; the last rule leads to a given class."""
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
    result = np.empty(count, np.uint8)
    # The first rule that applies counts: it is written last.
    for rule in reversed(rules):
        holds = np.ones(count, bool)
        for atom in rule.guard:
            holds &= where[atom]
        result[holds] = rule.successor
    return result


def successors_of(rules: Sequence[Rule], features: Features, num_values: int) -> Array:
    """Where a list of rules, whose last has no guard, leads from each value, uint8 [num_values]."""
    return np.array([rule.successor for rule in rules], np.uint8)[places_of(rules, features, num_values)]


def places_of(rules: Sequence[Rule], features: Features, num_values: int) -> Array:
    """Which rule of a list, whose last has no guard, is the first that applies to each value, int64 [num_values]."""
    result = np.empty(num_values, np.int64)
    for place in reversed(range(len(rules))):
        result[guard_holds(rules[place].guard, features, num_values)] = place
    return result
