"""Numbers from words: ``at least 2``, ``no``, ``0, 2 or 3+``."""

from __future__ import annotations

import re

from graphfsa.automaton.rules._line import NameReader

Ranges = list[tuple[int, int | None]]
"""Numbers from the first to the last of each pair; None for no end."""
NO: Ranges = [(0, 0)]
SOME: Ranges = [(1, None)]


class AmountReader(NameReader):
    """Reads names and numbers of a line."""

    def results(self, ranges: Ranges, limit: int) -> tuple[int, ...]:
        """The numbers of some ranges up to a limit that stands for itself and more."""
        return self.numbers(ranges, limit, limit - 1, f"a count of {limit} means {limit} or more")

    def numbers(self, ranges: Ranges, bound: int, most: int, why: str) -> tuple[int, ...]:
        """All numbers up to a bound that are in some ranges; only those up to a limit are told from larger ones."""
        found: set[int] = set()
        for first, last in ranges:
            number, limit = (first, bound) if last is None else (last, most)
            if number > limit:
                raise self.line.error(f"the number must be at most {limit}, as {why}; got {number}")
            found |= set(range(first, (bound if last is None else last) + 1))
        return tuple(sorted(found))

    def amount(self) -> Ranges:
        """Read how many neighbours."""
        line = self.line
        if line.skip("no"):
            return NO
        if line.skip("some"):
            return SOME
        ranges = self.range_words()
        if ranges is not None:
            return ranges
        token = line.peek()
        if token is None or not re.fullmatch(r"[0-9]+\+?|one", token.text):
            raise line.expected("'no', 'some', 'every', 'exactly', 'at least', 'at most', 'it has' or a number")
        return self.listed(self.item, "or")

    def range_words(self) -> Ranges | None:
        """Read a range that begins with a word, if one comes next."""
        if self.line.skip("exactly"):
            number = self.number()
            return [(number, number)]
        if self.line.skip("at", "most"):
            return [(0, self.number())]
        if self.line.skip("at", "least"):
            return [(self.number(), None)]
        return None

    def item(self) -> tuple[int, int | None]:
        """Read a number, a range, or a number with a plus."""
        token = self.line.peek()
        if token is not None and not token.quoted and re.fullmatch(r"[0-9]{1,9}\+", token.text):
            self.line.take("a number")
            return int(token.text[:-1]), None
        first = self.number()
        last = self.number() if self.line.skip("to") else first
        if last < first:
            raise self.line.error(f"a range must go from low to high; got {first} to {last}")
        return first, last
