"""Guards from words: what may come next in a line."""

from __future__ import annotations

import re
from functools import partial

from graphfsa.aggregations import Features, Part
from graphfsa.automaton.rules._amounts import NO, SOME, AmountReader, Ranges
from graphfsa.automaton.rules._guards import Atom, CountIs, GradeIs, Guard, PartIs, ShareIs, SumIs, sum_among
from graphfsa.automaton.rules._line import Line, Sets, Token
from graphfsa.automaton.rules._names import KEYWORDS, listed, plain_name
from graphfsa.automaton.rules._sum_guards import SumGuardReader
from graphfsa.automaton.rules._wording import fraction_words
from graphfsa.checks import shown


class GuardReader(AmountReader):
    """Reads names and guards of a line.

    Args:
        line: The line.
        names: Names of the states.
        features: What guards can be about.
        sets: Sets of states that have a name.
    """

    def __init__(self, line: Line, names: tuple[str, ...], features: Features, sets: Sets) -> None:
        super().__init__(line, names, sets)
        self._features = features

    def guard(self) -> Guard:
        """Read atoms joined by "and"."""
        atoms = [self._sensible(self._atom())]
        while self.line.skip("and"):
            atoms.append(self._sensible(self._atom()))
        return tuple(atoms)

    def _sensible(self, atom: Atom) -> Atom:
        """Refuse a condition that asks nothing: nobody means it, and it could not be written back."""
        if isinstance(atom, CountIs):
            asks = bool(atom.states) and 0 < len(atom.numbers) <= self._features.censuses[atom.census].bound
        elif isinstance(atom, PartIs):
            asks = 0 < len(atom.labels) < len(self._features.parts[atom.part].labels)
        elif isinstance(atom, SumIs):
            asks = 0 < len(atom.levels) < self._features.sums[atom.tally].sum.size
        else:
            asks = atom.lowest <= atom.highest
        if not asks:
            raise self.line.error("a condition must not hold always or never; this one does")
        return atom

    def _atom(self) -> Atom:
        line, features = self.line, self._features
        for place, part in enumerate(features.parts):
            if line.skip(*part.name.split(), "is"):
                return PartIs(place, self.among(len(part.labels), partial(self._label, part)))
        for place, grade in enumerate(features.grades):
            if line.skip("the", *grade.name.split(), "is"):
                return self._grade(place)
        if features.sums and line.skip("the"):
            return SumGuardReader(line, self.names, features, self.sets).atom()
        if features.shares and self._speaks_of_shares():
            return self._share()
        if not features.censuses and not features.sums:
            kinds = [f"'{part.name} is ...'" for part in features.parts]
            kinds += [f"'the {grade.name} is ...'" for grade in features.grades]
            kinds += ["'at least ... of the neighbours are ...'"] if features.shares else []
            raise line.expected(" or ".join(kinds[:4]) or "no condition, as nothing is seen")
        return self._count()

    def _speaks_of_shares(self) -> bool:
        ahead = 0
        while (token := self.line.peek(ahead)) is not None and token != Token("and"):
            if token == Token("of"):
                return True
            ahead += 1
        return False

    def _label(self, part: Part) -> tuple[int]:
        if None in part.places and self.line.skip("missing"):
            return (part.places[None],)
        token = self.line.take("a name")
        if (not token.quoted and token.text in KEYWORDS) or token.text not in part.places:
            known = ", ".join("missing" if label is None else shown(label) for label in part.labels[:8])
            raise self.line.error(f"expected one of {known}; got {shown(token.text)}")
        return (part.places[token.text],)

    # ---- numbers of neighbours

    def _count(self) -> CountIs | SumIs:
        line = self.line
        everything = tuple(range(len(self.names)))
        if line.skip("every", "neighbour"):
            census = self._census()
            line.need("is")
            among = self.states()
            return self._counted(tuple(state for state in everything if state not in among), NO, census)
        if line.skip("it", "has"):
            numbers = self.amount()
            line.need("neighbour", "neighbours")
            return self._counted(everything, numbers, self._census())
        numbers = self.amount()
        line.need("neighbour", "neighbours")
        census = self._census()
        line.need("is", "are")
        return self._counted(self.states(), numbers, census)

    def _census(self) -> int | None:
        """Read the kind of neighbours, if they are counted by kind; None if only sums tell."""
        line, kinds = self.line, [census.kind for census in self._features.censuses]
        known = " or ".join(f"by {plain_name(kind)}" for kind in kinds[:8] if kind is not None)
        if not line.skip("by"):
            if not kinds or None in kinds:
                return kinds.index(None) if kinds else None
            if self._features.sums:
                return None
            raise line.error(f"it must be said which neighbours are meant: {known}")
        token = line.take("a kind of neighbours")
        if (not token.quoted and token.text in KEYWORDS) or token.text not in kinds:
            raise line.error(f"neighbours must be counted {known or 'together'}; got by {shown(token.text)}")
        return kinds.index(token.text)

    def _counted(self, states: tuple[int, ...], ranges: Ranges, census: int | None) -> CountIs | SumIs:
        """The atom about a number of neighbours in some states."""
        features = self._features
        if census is not None:
            bound, slotted = features.censuses[census].bound, features.censuses[census].slotted
            why = f"there are {bound} slots" if slotted else f"a count of {bound} means {bound} or more"
            return CountIs(states, self.numbers(ranges, bound, bound if slotted else bound - 1, why), census)
        for place, tally in enumerate(features.sums):
            part = tally.sum
            if part.kind == "count" and part.plain and part.states() == states:
                return SumIs(place, self.results(ranges, part.limit))
        asked = sum_among(features, states, ranges == SOME) if ranges in (NO, SOME) else None
        if asked is None:
            words = listed([self.names[state] for state in states] or ["nothing"])
            raise self.line.error(f"the aggregation must have a sum that counts {shown(words)}; it has none")
        return asked

    # ---- numbers that are compared with thresholds

    def _grade(self, place: int) -> GradeIs:
        line, levels = self.line, self._features.grades[place].levels
        lowest, highest = 0, len(levels)
        atleast = line.skip("at", "least")
        if atleast:
            lowest = self._threshold(levels) + 1
        if not atleast or line.skip("but"):
            line.need("less")
            line.need("than")
            highest = self._threshold(levels)
        return GradeIs(place, lowest, highest)

    def _threshold(self, levels: tuple[int, ...]) -> int:
        """Read one of some thresholds; its place."""
        token = self.line.take("a threshold")
        known = [str(level) for level in levels]
        if token.quoted or token.text not in known:
            raise self.line.error(f"the threshold must be one of {', '.join(known[:8])}; got {shown(token.text)}")
        return known.index(token.text)

    # ---- fractions of neighbours

    def _share(self) -> ShareIs:
        line = self.line
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
            raise line.error(f"the aggregation must watch {shown(self.names[state])} to compare its fraction")
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
        line = self.line
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
