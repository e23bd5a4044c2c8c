"""Guards in words, which the parser reads back, and names of states made safe for each format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from graphfsa.aggregations import Features
from graphfsa.automaton.rules._guards import Atom, CountIs, Guard, PartIs, ShareIs, runs
from graphfsa.escaping import latex_letters

_WORDS = "if and or nor not neither otherwise stays some every neighbour neighbours is are missing of"
KEYWORDS = frozenset(_WORDS.split(" "))
"""Words that can name a state only in quotes."""
_MAX_DENOMINATOR = 20


@dataclass(frozen=True)
class StateNames:
    """Names of states as a format writes them.

    Attributes:
        states: The plain names.
        written: Makes a name safe.
    """

    states: tuple[str, ...]
    written: Callable[[str], str]

    def __getitem__(self, state: int) -> str:
        return self.written(self.states[state])

    def __len__(self) -> int:
        return len(self.states)

    def label(self, text: str | None) -> str:
        """A label of a part."""
        return "missing" if text is None else self.written(text)


def guard_words(guard: Guard, features: Features, names: StateNames) -> str:
    """A guard in words, its atoms joined by "and"."""
    return " and ".join(atom_words(atom, features, names) for atom in guard)


def atom_words(atom: Atom, features: Features, names: StateNames) -> str:
    """An atom in words."""
    if isinstance(atom, CountIs):
        return _count_words(atom, features.bound, names)
    if isinstance(atom, PartIs):
        return _part_words(atom, features, names)
    return _share_words(atom, features, names)


def _count_words(atom: CountIs, bound: int, names: StateNames) -> str:
    amount, plural = _amount(atom.numbers, bound)
    noun = "neighbours" if plural else "neighbour"
    others = [state for state in range(len(names)) if state not in atom.states]
    if not others:
        return f"it has {amount} {noun}"
    if atom.numbers == (0,) and len(others) < len(atom.states):
        return f"every neighbour is {listed([names[state] for state in others])}"
    among = one_of([names[m] for m in atom.states], [names[m] for m in others])
    return f"{amount} {noun} {'are' if plural else 'is'} {among}"


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
    items: list[str] = []
    for first, last in ranges:
        if last == bound:
            items.append(f"{first}+")
        elif last - first > 1:
            items.append(f"{first} to {last}")
        else:
            items += map(str, range(first, last + 1))
    return listed(items), True


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


def fraction_words(level: float) -> str:
    """A threshold as "half", "all", as a fraction with a small denominator, or as a number."""
    near = Fraction(level).limit_denominator(_MAX_DENOMINATOR)
    if level == 1:
        return "all"
    words = "half" if near == Fraction(1, 2) else f"{near.numerator}/{near.denominator}"
    return words if near.numerator / near.denominator == level else repr(level)


def one_of(chosen: Sequence[str], others: Sequence[str]) -> str:
    """What is chosen among everything, or what is not, whichever is shorter."""
    if not others or len(chosen) <= len(others) + 1:
        return listed(chosen)
    return f"not {others[0]}" if len(others) == 1 else f"neither {listed(others, 'nor')}"


def listed(items: Sequence[str], word: str = "or") -> str:
    """Items joined by commas and a word."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


# ---- names


def plain_name(name: str) -> str:
    """A name in the notation of rules: in quotes unless it is one word, and not one of the notation."""
    if re.fullmatch(r"\w+(-\w+)*", name) and name not in KEYWORDS:
        return name
    return json.dumps(name, ensure_ascii=False)


def code_span(name: str) -> str:
    """A name in Markdown: between backticks, more of them than it has itself."""
    fence = "`" * (max(map(len, re.findall("`+", name)), default=0) + 1)
    pad = " " if name.startswith("`") or name.endswith("`") else ""
    return f"{fence}{pad}{name}{pad}{fence}"


def latex_name(name: str) -> str:
    """A name in LaTeX, set without serifs, letter by letter as it is."""
    return rf"\textsf{{{latex_letters(name)}}}"
