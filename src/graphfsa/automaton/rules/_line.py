"""A line of rules as tokens, and the names of states in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from graphfsa.automaton.rules._names import KEYWORDS
from graphfsa.checks import shown
from graphfsa.errors import FormatError

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(->|[,:])|((?:(?!->)[^\s,:"])+))')
_Item = TypeVar("_Item")
Sets = Mapping[str, tuple[int, ...]]
"""Sets of states that have a name."""


@dataclass(frozen=True)
class Token:
    """A word, a sign, or a name in quotes, whose text is what the quotes hold."""

    text: str
    quoted: bool = False


class Line:
    """The tokens of one line, read from left to right.

    Args:
        text: The line.
        where: Its source and number, for error messages.
    """

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self._tokens = list(self._split(text))
        self._place = 0

    def _split(self, text: str) -> Iterable[Token]:
        place, text = 0, text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise self.error(f"quotes must be closed; got {shown(text[place:].strip())}")
            quoted, sign, word = match.groups()
            yield Token(self._unquoted(quoted), True) if quoted else Token(sign or word)
            place = match.end()

    def _unquoted(self, text: str) -> str:
        try:
            return json.loads(text)
        except ValueError:
            raise self.error(f"a name in quotes must be written as in JSON; got {shown(text)}") from None

    def error(self, words: str) -> FormatError:
        """An error that says where."""
        return FormatError(f"{self.where}: {words}")

    def expected(self, words: str) -> FormatError:
        """An error that says what should have come here."""
        token = self.peek()
        return self.error(f"expected {words}; got {'the end of the line' if token is None else shown(token.text)}")

    def peek(self, ahead: int = 0) -> Token | None:
        """A token that is yet to be read."""
        place = self._place + ahead
        return self._tokens[place] if place < len(self._tokens) else None

    @property
    def ended(self) -> bool:
        """Whether everything was read."""
        return self._place == len(self._tokens)

    def is_next(self, *words: str) -> bool:
        """Whether these words come next, not in quotes."""
        return all(self.peek(ahead) == Token(word) for ahead, word in enumerate(words))

    def skip(self, *words: str) -> bool:
        """Read these words if they come next."""
        if self.is_next(*words):
            self._place += len(words)
            return True
        return False

    def need(self, *choices: str) -> str:
        """Read one of some words."""
        for word in choices:
            if self.skip(word):
                return word
        raise self.expected(" or ".join(map(repr, choices)))

    def take(self, what: str) -> Token:
        """Read any token but a sign."""
        token = self.peek()
        if token is None or (not token.quoted and token.text in ("->", ",", ":")):
            raise self.expected(what)
        self._place += 1
        return token


class NameReader:
    """Reads names of states, numbers and lists of a line.

    Args:
        line: The line.
        names: Names of the states.
        sets: Sets of states that have a name, which begins with ``@``.
    """

    def __init__(self, line: Line, names: tuple[str, ...], sets: Sets) -> None:
        self.line = line
        self.names = names
        self.sets = sets

    def state(self) -> int:
        """Read the name of a state."""
        token = self.line.take("the name of a state")
        if not token.quoted and token.text in KEYWORDS:
            raise self.line.error(f"expected the name of a state; the word {token.text!r} is one only in quotes")
        if token.text not in self.names:
            known = ", ".join(map(shown, self.names[:8])) + (", ..." if len(self.names) > 8 else "")
            raise self.line.error(f"a state must be one of {known}; got {shown(token.text)}")
        return self.names.index(token.text)

    def states(self) -> tuple[int, ...]:
        """Read which states something is: this or that, not this, neither this nor that."""
        return self.among(len(self.names), self.state_or_set)

    def state_or_set(self) -> tuple[int, ...]:
        """Read the name of a state, or of a set of states."""
        token = self.line.peek()
        if token is None or token.quoted or not token.text.startswith("@"):
            return (self.state(),)
        self.line.take("a set")
        if token.text not in self.sets:
            raise self.line.error(f"a line '{token.text}: NAME, NAME, ...' must come before; it has not")
        return self.sets[token.text]

    def among(self, count: int, read: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
        """Read which of several things something is, by their places: this or that, not this, neither this nor that."""
        if self.line.skip("not"):
            others = {*read()}
        elif self.line.skip("neither"):
            others = {place for places in self.listed(read, "nor") for place in places}
        else:
            return tuple(sorted({place for places in self.listed(read, "or") for place in places}))
        return tuple(place for place in range(count) if place not in others)

    def listed(self, read: Callable[[], _Item], word: str) -> list[_Item]:
        """Read items joined by commas and a word."""
        items = [read()]
        while self.line.skip(","):
            items.append(read())
        if self.line.skip(word):
            items.append(read())
        elif len(items) > 1 or word == "nor":
            raise self.line.expected(f"',' or {word!r}")
        return items

    def number(self) -> int:
        """Read a number."""
        if self.line.skip("one"):
            return 1
        token = self.line.take("a number")
        if token.quoted or not re.fullmatch(r"[0-9]{1,9}", token.text):
            raise self.line.error(f"expected a number; got {shown(token.text)}")
        return int(token.text)
