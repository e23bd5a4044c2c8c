"""Guards in words, which the parser reads back."""

from __future__ import annotations

from fractions import Fraction

from graphfsa.aggregations import Features, Sum
from graphfsa.automaton.rules._guards import Atom, CountIs, GradeIs, Guard, PartIs, ShareIs, SumIs, runs, threshold_of
from graphfsa.automaton.rules._names import StateNames, listed, one_of
from graphfsa.automaton.rules._sum_notation import ladder_words, terms_words

_MAX_DENOMINATOR = 20


def guard_words(guard: Guard, features: Features, names: StateNames) -> str:
    """A guard in words, its atoms joined by "and"."""
    return " and ".join(atom_words(atom, features, names) for atom in guard)


def atom_words(atom: Atom, features: Features, names: StateNames) -> str:
    """An atom in words."""
    if isinstance(atom, CountIs):
        census = features.censuses[atom.census]
        return count_words(atom.states, atom.numbers, census.bound, names, census.kind)
    if isinstance(atom, GradeIs):
        return _grade_words(atom, features)
    if isinstance(atom, PartIs):
        return _part_words(atom, features, names)
    if isinstance(atom, SumIs):
        return _sum_words(atom, features, names)
    return _share_words(atom, features, names)


def count_words(
    states: tuple[int, ...], numbers: tuple[int, ...], bound: int, names: StateNames, kind: str | None = None
) -> str:
    """That a number of neighbours in some states, of some kind, is one of several numbers."""
    amount, plural = _amount(numbers, bound)
    by = "" if kind is None else f" by {names.written(kind)}"
    noun = ("neighbours" if plural else "neighbour") + by
    chosen = set(states)
    others = tuple(state for state in range(len(names)) if state not in chosen)
    if not others:
        return f"it has {amount} {noun}"
    if numbers == (0,) and (others in names.sets or (len(others) < len(states) and states not in names.sets)):
        return f"every neighbour{by} is {listed(names.of(others))}"
    return f"{amount} {noun} {'are' if plural else 'is'} {names.one_of(states)}"


def _amount(numbers: tuple[int, ...], bound: int) -> tuple[str, bool]:
    """Words for some numbers, and whether what follows is in the plural."""
    ranges = runs(numbers)
    first, last = ranges[0]
    if len(ranges) == 1 and (first in (0, last) or last == bound):
        if (first, last) == (0, 0):
            return "no", False
        if (first, last) == (1, bound):
            return "some", False
        word = "at most" if first == 0 else "at least" if last == bound else "exactly"
        number = last if first == 0 else first
        return f"{word} {'one' if number == 1 else number}", number != 1
    return _numbers(ranges, bound), True


def _numbers(ranges: list[tuple[int, int]], bound: int) -> str:
    items: list[str] = []
    for first, last in ranges:
        if last == bound:
            items.append(f"{first}+")
        elif last - first > 1:
            items.append(f"{first} to {last}")
        else:
            items += map(str, range(first, last + 1))
    return listed(items)


def _part_words(atom: PartIs, features: Features, names: StateNames) -> str:
    part = features.parts[atom.part]
    labels = [names.label(part.labels[label]) for label in atom.labels]
    others = [names.label(label) for place, label in enumerate(part.labels) if place not in atom.labels]
    return f"{part.name} is {one_of(labels, others)}"


def _share_words(atom: ShareIs, features: Features, names: StateNames) -> str:
    share = features.shares[atom.share]
    bounds: list[str] = []
    if atom.lowest:
        bounds.append(_share_bound(share.levels[atom.lowest - 1], "at least ", "all"))
    if atom.highest < len(share.levels):
        bounds.append(_share_bound(share.levels[atom.highest], "less than ", "not all"))
    return f"{' but '.join(bounds)} of the neighbours are {names[share.state]}"


def _share_bound(level: float, words: str, everything: str) -> str:
    return everything if level == 1 else words + fraction_words(level)


def _grade_words(atom: GradeIs, features: Features) -> str:
    grade = features.grades[atom.grade]
    bounds: list[str] = []
    if atom.lowest:
        bounds.append(f"at least {grade.levels[atom.lowest - 1]}")
    if atom.highest < len(grade.levels):
        bounds.append(f"less than {grade.levels[atom.highest]}")
    return f"the {grade.name} is {' but '.join(bounds)}"


def fraction_words(level: float) -> str:
    """A threshold as "half", "all", as a fraction with a small denominator, or as a number."""
    near = Fraction(level).limit_denominator(_MAX_DENOMINATOR)
    if level == 1:
        return "all"
    words = "half" if near == Fraction(1, 2) else f"{near.numerator}/{near.denominator}"
    return words if near.numerator / near.denominator == level else repr(level)


def _sum_words(atom: SumIs, features: Features, names: StateNames) -> str:
    part = features.sums[atom.tally].sum
    if part.kind == "count" and part.plain:
        return count_words(part.states(), atom.levels, part.limit, names)
    asked = threshold_of(part, atom.levels)
    if asked is not None:
        return count_words(asked[0], (1,) if asked[1] else (0,), 1, names)
    if part.kind == "highest":
        ladders = sum(tally.sum.kind == "highest" for tally in features.sums)
        which = f" of {ladder_words(part, names)}" if ladders > 1 else ""
        return f"the highest neighbour{which} is {_highest_words(part, atom.levels, names)}"
    what = f"sum of {terms_words(part, names)}"
    if part.plain:
        everyone = len(part.states()) == len(names)
        what = "number of neighbours" + ("" if everyone else f" that are {terms_words(part, names)}")
    if part.kind == "modulo":
        return f"the {what} is {_rest_words(atom.levels, part.limit)}"
    return f"the {what} is {_number_words(atom.levels, part.limit)}"


def _highest_words(part: Sum, levels: tuple[int, ...], names: StateNames) -> str:
    named = [(level, name) for level in range(1, part.size) for name in names.of(part.states(level))]
    named = [(0, names.label(None)), *named]
    chosen = [name for level, name in named if level in levels]
    return one_of(chosen, [name for level, name in named if level not in levels])


def _rest_words(rests: tuple[int, ...], modulus: int) -> str:
    if modulus == 2:
        return "odd" if rests == (1,) else "even"
    others = [str(rest) for rest in range(modulus) if rest not in rests]
    return f"{one_of([*map(str, rests)], others)} modulo {modulus}"


def _number_words(numbers: tuple[int, ...], limit: int) -> str:
    ranges = runs(numbers)
    first, last = ranges[0]
    if len(ranges) == 1 and first < last:
        if first == 0:
            return f"at most {last}"
        if last == limit:
            return f"at least {first}"
    return f"at least {limit}" if numbers == (limit,) else _numbers(ranges, limit)
