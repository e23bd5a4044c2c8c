"""Guards about sums of letters, from words: what comes after "the"."""

from __future__ import annotations

from graphfsa.aggregations import Features, Tally
from graphfsa.automaton.rules._amounts import AmountReader, Ranges
from graphfsa.automaton.rules._guards import SumIs
from graphfsa.automaton.rules._line import Line, Sets
from graphfsa.automaton.rules._sum_notation import SumReader
from graphfsa.checks import shown


class SumGuardReader(AmountReader):
    """Reads guards about sums.

    Args:
        line: The line.
        names: Names of the states.
        features: What guards can be about.
        sets: Sets of states that have a name.
    """

    def __init__(self, line: Line, names: tuple[str, ...], features: Features, sets: Sets) -> None:
        super().__init__(line, names, sets)
        self._features = features
        self._sums = SumReader(line, names, sets)

    def atom(self) -> SumIs:
        """Read what follows "the": a number modulo another, a weighted sum, or the highest neighbour."""
        line = self.line
        if line.skip("highest", "neighbour"):
            return self._highest()
        if line.skip("number", "of", "neighbours"):
            weights = (1,) * len(self.names)
            if line.skip("that", "are"):
                weights = self._sums.weights({1: self.states()})
        else:
            if not line.skip("sum", "of"):
                raise line.expected("'highest neighbour', 'number of neighbours' or 'sum of'")
            weights = self._sums.terms()
        line.need("is")
        return self._is(weights)

    def _is(self, weights: tuple[int, ...]) -> SumIs:
        """Read which numbers a sum is, without or with a modulus behind them."""
        for rest, word in enumerate(("even", "odd")):
            if self.line.skip(word):
                return SumIs(self._place("modulo", weights, 2), (rest,))
        others: list[int] | None = None
        ranges: Ranges = []
        if self.line.skip("not"):
            others = [self.number()]
        elif self.line.skip("neither"):
            others = self.listed(self.number, "nor")
        else:
            ranges = self.range_words() or self.listed(self.item, "or")
        if others is None and not self.line.is_next("modulo"):
            place = self._place("count", weights)
            return SumIs(place, self.results(ranges, self._features.sums[place].sum.limit))
        self.line.need("modulo")
        modulus = self.number()
        place = self._place("modulo", weights, modulus)
        ranges += [(number, number) for number in others or ()]
        rests = self.numbers(ranges, modulus - 1, modulus - 1, f"it is a rest modulo {modulus}")
        return SumIs(place, rests if others is None else tuple(set(range(modulus)) - set(rests)))

    def _place(self, kind: str, weights: tuple[int, ...], modulus: int | None = None) -> int:
        """The index of the sum of some letters."""
        for place, tally in enumerate(self._features.sums):
            part = tally.sum
            same = all(part.weight(state) == weight for state, weight in enumerate(weights))
            if same and part.kind == kind and modulus in (None, part.limit):
                return place
        end = "" if modulus is None else f" modulo {modulus}"
        raise self.line.error(f"the aggregation must have this sum{end} to compare it; it has none")

    def _highest(self) -> SumIs:
        places = [place for place, tally in enumerate(self._features.sums) if tally.sum.kind == "highest"]
        if self.line.skip("of"):
            weights = self._sums.weights(dict(enumerate(self._sums.ladder(), 1)))
            places = [self._place("highest", weights)]
        if len(places) != 1:
            what = "it has none" if not places else "it has several: say which by 'of ... < ...'"
            raise self.line.error(f"the aggregation must have one sum of the kind highest; {what}")
        self.line.need("is")
        tally = self._features.sums[places[0]]
        return SumIs(places[0], self._levels_of(tally))

    def _levels_of(self, tally: Tally) -> tuple[int, ...]:
        """Read who the highest neighbour is: states, where those that show the same letter go together."""
        part, nobody = tally.sum, len(self.names)

        def read() -> tuple[int, ...]:
            if self.line.skip("missing"):
                return (nobody,)
            states = self.state_or_set()
            for state in states:
                if not part.weight(state):
                    known = shown(self.names[state])
                    raise self.line.error(f"the highest neighbour must show a letter; {known} has none")
            return states

        chosen = [place for place in self.among(nobody + 1, read) if place == nobody or part.weight(place)]
        levels = {0 if place == nobody else part.weight(place) for place in chosen}
        for state in part.states():
            if part.weight(state) in levels and state not in chosen:
                raise self.line.error(
                    f"states that show the same letter must be named together; {shown(self.names[state])} is left out"
                )
        return tuple(sorted(levels))
