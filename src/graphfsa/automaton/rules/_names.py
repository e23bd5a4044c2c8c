"""Names of states as each format writes them, and lists of names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from graphfsa.escaping import latex_letters

_WORDS = "if and or nor not neither otherwise stays some every neighbour neighbours is are missing of"
KEYWORDS = frozenset(_WORDS.split(" "))
"""Words that can name a state only in quotes."""


@dataclass(frozen=True)
class StateNames:
    """Names of states as a format writes them.

    Attributes:
        states: The plain names.
        written: Makes a name safe.
        sets: Sets of states that have a name of their own, as it is written.
    """

    states: tuple[str, ...]
    written: Callable[[str], str]
    sets: Mapping[tuple[int, ...], str] = field(default_factory=dict[tuple[int, ...], str])

    def __getitem__(self, state: int) -> str:
        return self.written(self.states[state])

    def __len__(self) -> int:
        return len(self.states)

    def of(self, states: Iterable[int]) -> list[str]:
        """The names of some states, or that of the set that they are."""
        chosen = tuple(states)
        return [self.sets[chosen]] if chosen in self.sets else [self[state] for state in chosen]

    def one_of(self, states: tuple[int, ...]) -> str:
        """Which states something is: those, or not the others."""
        if states in self.sets:
            return self.sets[states]
        chosen = set(states)
        others = tuple(state for state in range(len(self)) if state not in chosen)
        if others in self.sets:
            return f"not {self.sets[others]}"
        return one_of(self.of(states), self.of(others))

    def label(self, text: str | None) -> str:
        """A label of a part."""
        return "missing" if text is None else self.written(text)


def one_of(chosen: Sequence[str], others: Sequence[str]) -> str:
    """What is chosen among everything, or what is not, whichever is shorter."""
    if not others or len(chosen) <= len(others) + 1:
        return listed(chosen)
    return f"not {others[0]}" if len(others) == 1 else f"neither {listed(others, 'nor')}"


def listed(items: Sequence[str], word: str = "or") -> str:
    """Items joined by commas and a word."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


@lru_cache(maxsize=4096)
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
