"""A line of rules as words, and what may come next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from graphfsa.errors import FormatError

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(->|[,:])|((?:(?!->)[^\s,:"])+))')
_SHOWN = 60


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


def shown(text: str) -> str:
    """A piece of input for an error message."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
