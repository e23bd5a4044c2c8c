"""Guards from words: a line as tokens, and what may come next."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from graphfsa.aggregations import Features, Part
from graphfsa.automaton.rules._guards import Atom, CountIs, Guard, PartIs, ShareIs
from graphfsa.automaton.rules._wording import KEYWORDS, fraction_words
from graphfsa.checks import shown
from graphfsa.errors import FormatError

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(->|[,:])|((?:(?!->)[^\s,:"])+))')


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


_Item = TypeVar("_Item")


class GuardReader:
    """Reads names and guards of a line.

    Args:
        line: The line.
        names: Names of the states.
        features: What guards can be about.
    """

    def __init__(self, line: Line, names: tuple[str, ...], features: Features) -> None:
        self._line = line
        self._names = names
        self._features = features

    def state(self) -> int:
        """Read the name of a state."""
        token = self._line.take("the name of a state")
        if not token.quoted and token.text in KEYWORDS:
            raise self._line.error(f"expected the name of a state; the word {token.text!r} is one only in quotes")
        if token.text not in self._names:
            known = ", ".join(map(shown, self._names[:8])) + (", ..." if len(self._names) > 8 else "")
            raise self._line.error(f"a state must be one of {known}; got {shown(token.text)}")
        return self._names.index(token.text)

    def guard(self) -> Guard:
        """Read atoms joined by "and"."""
        atoms = [self._sensible(self._atom())]
        while self._line.skip("and"):
            atoms.append(self._sensible(self._atom()))
        return tuple(atoms)

    def _sensible(self, atom: Atom) -> Atom:
        """Refuse a condition that asks nothing: nobody means it, and it could not be written back."""
        if isinstance(atom, CountIs):
            asks = bool(atom.states) and 0 < len(atom.numbers) <= self._features.bound
        elif isinstance(atom, PartIs):
            asks = 0 < len(atom.labels) < len(self._features.parts[atom.part].labels)
        else:
            asks = atom.lowest <= atom.highest
        if not asks:
            raise self._line.error("a condition must not hold always or never; this one does")
        return atom

    def _atom(self) -> Atom:
        line = self._line
        for place, part in enumerate(self._features.parts):
            if line.skip(*part.name.split(), "is"):
                return PartIs(place, self._among(len(part.labels), partial(self._label, part)))
        if self._features.shares and self._speaks_of_shares():
            return self._share()
        if self._features.counts is None:
            kinds = [f"'{part.name} is ...'" for part in self._features.parts]
            kinds += ["'at least ... of the neighbours are ...'"] if self._features.shares else []
            raise line.expected(" or ".join(kinds[:4]))
        return self._count()

    def _speaks_of_shares(self) -> bool:
        ahead = 0
        while (token := self._line.peek(ahead)) is not None and token != Token("and"):
            if token == Token("of"):
                return True
            ahead += 1
        return False

    def _count(self) -> CountIs:
        line = self._line
        bound, everything = self._features.bound, tuple(range(len(self._names)))
        if line.skip("every", "neighbour", "is"):
            among = self._among(len(everything), self.state)
            return CountIs(tuple(state for state in everything if state not in among), (0,))
        if line.skip("it", "has"):
            numbers = self._amount(bound)
            line.need("neighbour", "neighbours")
            return CountIs(everything, numbers)
        numbers = self._amount(bound)
        line.need("neighbour", "neighbours")
        line.need("is", "are")
        return CountIs(self._among(len(everything), self.state), numbers)

    def _among(self, count: int, read: Callable[[], int]) -> tuple[int, ...]:
        """Read what something is: this or that, not this, neither this nor that."""
        line = self._line
        if line.skip("not"):
            others = {read()}
        elif line.skip("neither"):
            others = set(self._listed(read, "nor"))
        else:
            return tuple(sorted(set(self._listed(read, "or"))))
        return tuple(place for place in range(count) if place not in others)

    def _listed(self, read: Callable[[], _Item], word: str) -> list[_Item]:
        items = [read()]
        while self._line.skip(","):
            items.append(read())
        if self._line.skip(word):
            items.append(read())
        elif len(items) > 1 or word == "nor":
            raise self._line.expected(f"',' or {word!r}")
        return items

    def _label(self, part: Part) -> int:
        if None in part.places and self._line.skip("missing"):
            return part.places[None]
        token = self._line.take("a name")
        if (not token.quoted and token.text in KEYWORDS) or token.text not in part.places:
            known = ", ".join("missing" if label is None else shown(label) for label in part.labels[:8])
            raise self._line.error(f"expected one of {known}; got {shown(token.text)}")
        return part.places[token.text]

    def _amount(self, bound: int) -> tuple[int, ...]:
        line = self._line
        if line.skip("no"):
            return (0,)
        if line.skip("some"):
            return tuple(range(1, bound + 1))
        if line.skip("exactly"):
            return (self._number(self._most),)
        if line.skip("at", "most"):
            return tuple(range(self._number(self._most) + 1))
        if line.skip("at", "least"):
            return tuple(range(self._number(bound), bound + 1))
        token = line.peek()
        if token is None or not re.fullmatch(r"[0-9]+\+?|one", token.text):
            raise line.expected("'no', 'some', 'every', 'exactly', 'at least', 'at most', 'it has' or a number")
        items = self._listed(lambda: self._item(bound), "or")
        return tuple(sorted({number for item in items for number in item}))

    @property
    def _most(self) -> int:
        """The largest number that is told from larger ones."""
        return self._features.bound if self._features.slotted else self._features.bound - 1

    def _item(self, bound: int) -> range:
        """Read a number, a range, or a number with a plus."""
        token = self._line.peek()
        if token is not None and not token.quoted and re.fullmatch(r"[0-9]{1,9}\+", token.text):
            self._line.take("a number")
            return range(self._checked(int(token.text[:-1]), bound), bound + 1)
        first = self._number(self._most)
        last = self._number(self._most) if self._line.skip("to") else first
        if last < first:
            raise self._line.error(f"a range must go from low to high; got {first} to {last}")
        return range(first, last + 1)

    def _number(self, most: int) -> int:
        if self._line.skip("one"):
            return self._checked(1, most)
        token = self._line.take("a number")
        if token.quoted or not re.fullmatch(r"[0-9]{1,9}", token.text):
            raise self._line.error(f"expected a number; got {shown(token.text)}")
        return self._checked(int(token.text), most)

    def _checked(self, number: int, most: int) -> int:
        if number > most:
            bound = self._features.bound
            why = f"there are {bound} slots" if self._features.slotted else f"a count of {bound} means {bound} or more"
            raise self._line.error(f"the number must be at most {most}, as {why}; got {number}")
        return number

    def _share(self) -> ShareIs:
        line = self._line
        bounds = [self._share_bound()]
        if not bounds[0][0] and line.skip("but"):
            bounds.append(self._share_bound())
            if not bounds[1][0]:
                raise line.error("what follows 'but' must be 'less than ...' or 'not all'")
        for word in ("of", "the", "neighbours", "are"):
            line.need(word)
        state = self.state()
        place = next((k for k, share in enumerate(self._features.shares) if share.state == state), None)
        if place is None:
            raise line.error(f"the aggregation must watch {shown(self._names[state])} to compare its fraction")
        levels = self._features.shares[place].levels
        lowest, highest = 0, len(levels)
        for below, level in bounds:
            if level not in levels:
                known = ", ".join(map(fraction_words, levels))
                raise line.error(f"the fraction must be a threshold of the state ({known}); got {level!r}")
            lowest, highest = (lowest, levels.index(level)) if below else (levels.index(level) + 1, highest)
        return ShareIs(place, lowest, highest)

    def _share_bound(self) -> tuple[bool, float]:
        """Whether it is a bound from above, and the fraction."""
        line = self._line
        if line.skip("all"):
            return False, 1.0
        if line.skip("not", "all"):
            return True, 1.0
        below = line.skip("less", "than")
        if not below and not line.skip("at", "least"):
            raise line.expected("'at least', 'less than', 'all' or 'not all'")
        if line.skip("half"):
            return below, 0.5
        token = line.take("a fraction")
        match = re.fullmatch(r"([0-9]{1,9})/([1-9][0-9]{0,8})", token.text)
        try:
            return below, int(match[1]) / int(match[2]) if match else float(token.text)
        except ValueError:
            raise line.error(f"expected a fraction such as half, 1/3 or 0.3; got {shown(token.text)}") from None
