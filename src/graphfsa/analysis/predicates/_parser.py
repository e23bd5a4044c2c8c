"""Predicates from words: ``exactly one leader and no two neighbours both ill``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from graphfsa.analysis.predicates._conditions import (
    Among,
    Amount,
    Condition,
    Every,
    LabelledRight,
    Nodes,
    Not,
    NoTwoNeighbours,
    Property,
    Some,
)
from graphfsa.checks import any_of, shorten, shown
from graphfsa.errors import FormatError

_TOKEN = re.compile(r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<sign>[(),])|(?P<word>[^\s(),"]+))')
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_NUMBER_WORDS, 1)}
_AMOUNTS = ("no", "some", "every", "all", "exactly", "at", "an")
_STARTS = {*_AMOUNTS, "not", "(", "stable", "nobody", "somebody", "labels"}
"""Words with which a predicate begins; a state called so is meant only in quotes after 'or'."""
_SIGNS = {"and", "or", "nor", "not", "neither", "(", ")", ","}
"""Words that name a state only in quotes."""
_MOST_TOKENS = 1000
_DEEPEST = 50
_END = "the end"


@dataclass(frozen=True)
class _Token:
    text: str
    place: int
    quoted: bool = False


def parse_predicate(text: str, names: tuple[str, ...] | None) -> tuple[Condition, str | None]:
    """A condition from words, and the name of the task whose labels it is about, if it names one.

    Args:
        text: The words.
        names: Names of the states; any word names one if they are not known.

    Raises:
        FormatError: The text is malformed or names an unknown state; the message says where.
    """
    parser = _Parser(text, names)
    return parser.whole(), parser.task


class _Parser:
    """Reads the tokens of a predicate from left to right."""

    def __init__(self, text: str, names: tuple[str, ...] | None) -> None:
        self.text, self.names, self.task = text, names, None
        self.tokens = self._split()
        self.place = 0
        self.depth = 0

    # ---- tokens

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        place, text = 0, self.text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise self._error("quotes must be closed", text.index('"', place))
            begin = match.start(match.lastgroup or 0)
            try:
                word = json.loads(match["quoted"]) if match["quoted"] else match["sign"] or match["word"]
            except ValueError:
                raise self._error("a name in quotes must be written as in JSON", begin) from None
            tokens.append(_Token(word, begin, bool(match["quoted"])))
            place = match.end()
        if len(tokens) > _MOST_TOKENS:
            raise FormatError(f"a predicate has {_MOST_TOKENS:,} words at most; got {len(tokens):,}")
        return tokens

    def _error(self, words: str, place: int | None = None) -> FormatError:
        if place is None:
            place = self.tokens[self.place].place if self.place < len(self.tokens) else len(self.text)
        return FormatError(f"predicate {shorten(repr(self.text), 100)}, character {place + 1}: {words}")

    def _expected(self, words: str) -> FormatError:
        return self._error(f"expected {words}; got {self._shown()}")

    def _shown(self) -> str:
        return shown(self.tokens[self.place].text) if self.place < len(self.tokens) else _END

    def _peek(self, ahead: int = 0) -> _Token | None:
        place = self.place + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def _is_next(self, *words: str) -> bool:
        tokens = self.tokens[self.place : self.place + len(words)]
        return [token.text for token in tokens if not token.quoted] == list(words)

    def _skip(self, *words: str) -> bool:
        if self._is_next(*words):
            self.place += len(words)
            return True
        return False

    def _skip_any(self, *words: str) -> bool:
        return any(self._skip(word) for word in words)

    def _need(self, *words: str) -> None:
        if not self._skip_any(*words):
            raise self._expected(any_of([repr(word) for word in words]))

    # ---- the whole

    def whole(self) -> Condition:
        found = self._some()
        if self.place < len(self.tokens):
            raise self._expected("'and', 'or' or the end")
        return found

    def _some(self) -> Condition:
        parts = [self._every()]
        while self._skip("or"):
            parts.append(self._every())
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def _every(self) -> Condition:
        parts = [self._part()]
        while self._skip("and"):
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _part(self) -> Condition:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._error(f"'not' and parentheses may be nested {_DEEPEST} deep")
        try:
            if self._skip("not"):
                return Not(self._part())
            if self._skip("("):
                found = self._some()
                self._need(")")
                return found
            return self._atom()
        finally:
            self.depth -= 1

    def _atom(self) -> Condition:
        nobody = Nodes(Amount(0, 0), Property(can_move=True))
        for words in (("stable",), ("at", "rest"), ("nobody", "can", "move")):
            if self._skip(*words):
                return nobody
        if self._skip("somebody", "can", "move"):
            return Not(nobody)
        if self._skip("labels", "of"):
            token = self._peek()
            if token is None or token.text in _SIGNS:
                raise self._expected("the name of a task")
            self.place += 1
            self.task = token.text
            return LabelledRight()
        if any(self._skip(*words) for words in (("no", "two", "neighbours"), ("no", "two", "neighbors"))):
            return self._no_two()
        return self._nodes()

    def _no_two(self) -> Condition:
        self._skip("are")
        if self._skip("alike"):
            return NoTwoNeighbours()
        if not self._skip("both"):
            raise self._expected("'alike' or 'both'")
        if self._is_preposition():
            self.place += 1
        return NoTwoNeighbours(self._among())

    def _nodes(self) -> Condition:
        amount = self._amount()
        subject, said = self._subject()
        also = Property()
        if self._skip_any("is", "are"):
            if self._skip("labelled", "right"):
                if not (amount.every and subject == Property()):
                    raise self._error("it must be every node that is labelled right")
                return LabelledRight()
            also = Property(self._among())
        elif self._skip("can", "move"):
            also = Property(can_move=True)
        elif self._skip("cannot", "move"):
            also = Property(can_move=False)
        elif self._skip_any("has", "have", "sees", "see"):
            also = self._seen()
        elif not said or amount.every:
            raise self._expected("'is', 'are', 'can move', 'has' or 'sees'")
        return Nodes(amount, subject, also, self._skip("in", "each", "component"))

    def _subject(self) -> tuple[Property, bool]:
        """Which nodes, and whether anything was said of them."""
        if self._skip("enabled"):
            self._need("node", "nodes")
            return Property(can_move=True), True
        if self._skip_any("node", "nodes"):
            if self._skip("in") or self._skip("that", "is") or self._skip("that", "are"):
                return Property(self._among()), True
            return Property(), False
        found = Property(self._among())
        self._skip_any("node", "nodes")
        return found, True

    def _seen(self) -> Property:
        """What nodes see: the number of their neighbours in some states."""
        if self._skip("only"):
            return Property(amount=Amount(every=True), seen=self._among())
        odd_or_even = self._is_next("an", "even") or self._is_next("an", "odd")
        amount = Amount(1) if not odd_or_even and self._skip_any("a", "an") else self._amount()
        if not self._skip_any("neighbour", "neighbours", "neighbor", "neighbors"):
            seen = self._among()
            self._skip_any("neighbour", "neighbours", "neighbor", "neighbors")
            return Property(amount=amount, seen=seen)
        if self._is_next("in", "each", "component"):
            return Property(amount=amount)
        if self._skip("that"):
            self._need("is", "are")
            return Property(amount=amount, seen=self._among())
        if self._is_preposition():
            self.place += 1
        elif not self._is_name(0):
            return Property(amount=amount)
        return Property(amount=amount, seen=self._among())

    # ---- amounts

    def _amount(self) -> Amount:
        if self._skip("no"):
            return Amount(0, 0)
        if self._skip("some"):
            return Amount(1)
        if self._skip_any("every", "all"):
            return Amount(every=True)
        for parity, word in enumerate(("even", "odd")):
            if self._skip("an", word, "number", "of"):
                return Amount(parity=parity)
        if self._skip("exactly"):
            number = self._number()
            return Amount(number, number)
        if self._skip("at", "least"):
            return Amount(self._number())
        if self._skip("at", "most"):
            return Amount(0, self._number())
        raise self._expected(
            "'no', 'some', 'every', 'exactly', 'at least', 'at most', 'an even number of', 'no two neighbours', "
            "'stable', 'labels of', 'not' or '('"
        )

    def _number(self) -> int:
        token = self._peek()
        text = "" if token is None or token.quoted else token.text
        if text not in _NUMBERS and not re.fullmatch(r"[0-9]{1,9}", text):
            raise self._expected("a number")
        self.place += 1
        return _NUMBERS[text] if text in _NUMBERS else int(text)

    # ---- states

    def _among(self) -> Among:
        if self._skip("not"):
            return Among(self._state(), others=True)
        if self._skip("neither"):
            names = self._state()
            self._need("nor")
            names += self._state()
            while self._skip("nor"):
                names += self._state()
            return Among(names, others=True)
        names = self._state()
        while self._is_next(",") or (self._is_next("or") and self._continues()):
            self.place += 1
            names += self._state()
        return Among(tuple(dict.fromkeys(names)))

    def _continues(self) -> bool:
        """Whether another state, and no other predicate, comes after 'or'."""
        token = self._peek(1)
        return token is not None and (token.quoted or token.text not in _STARTS) and self._is_name(1)

    def _is_name(self, ahead: int) -> bool:
        """Whether what comes is the name of a state."""
        token = self._peek(ahead)
        if token is None or (not token.quoted and token.text in _SIGNS):
            return False
        if token.text == "in" and not token.quoted and self._follows(ahead + 1, "each", "component"):
            return False
        return bool(token.quoted or self.names is None or self._resolved(token))

    def _is_preposition(self) -> bool:
        """Whether 'in' comes, and is not itself the state that is meant: 'in ill', not 'a neighbour in'."""
        return self._is_next("in") and (self._is_name(1) or not self._is_name(0))

    def _follows(self, ahead: int, *words: str) -> bool:
        return all(
            (token := self._peek(ahead + more)) is not None and token.text == word for more, word in enumerate(words)
        )

    def _state(self) -> tuple[str, ...]:
        """Read the name of a state, or one that ends in a star, which stands for all that begin so."""
        token = self._peek()
        if token is None or (not token.quoted and token.text in _SIGNS):
            raise self._expected("the name of a state")
        if self.names is None:
            if "*" in token.text:
                raise self._error("a star stands for states of an automaton: predicate(text, fsa)")
            self.place += 1
            return (token.text,)
        found = self._resolved(token)
        if not found:
            close = get_close_matches(token.text, self.names, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            known = ", ".join(map(shown, self.names[:20])) + (", ..." if len(self.names) > 20 else "")
            raise self._error(f"a state must be one of {known}; got {shown(token.text)}{hint}")
        self.place += 1
        return found

    def _resolved(self, token: _Token) -> tuple[str, ...]:
        """The states that a token names; none if there are none."""
        names = self.names or ()
        if token.text in names:
            return (token.text,)
        if "*" in token.text:
            pattern = token.text.replace("[", "[[]").replace("?", "[?]")
            return tuple(name for name in names if fnmatchcase(name, pattern))
        if not token.quoted and token.text.endswith("s") and token.text[:-1] in names:
            return (token.text[:-1],)
        return ()
