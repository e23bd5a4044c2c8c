"""Climbing the ladder of letters: something that fits, then as short a description as can be found in a while.

1. Each rung gets a short turn, then each that is still open a longer one, until one fits. Rungs that colour refinement
   refutes are skipped; one that is exhausted refutes all that it covers.
2. As few entries in use as possible on that rung.
3. Shorter descriptions on all rungs, by branch and bound.
4. All others of that length on the same rung, as far as there is time: they are kept beside the best one.

If there is somebody to ask, everything that fits is judged at once. Graphs on which it is wrong are learned from as
well, and the search goes on where it is: what fewer graphs have refuted stays refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples
from graphfsa.search.budget import Budget
from graphfsa.search.letters.candidates import Candidate
from graphfsa.search.letters.components import reduction
from graphfsa.search.letters.data import LetterData
from graphfsa.search.letters.rungs import LetterRung, Moves
from graphfsa.search.letters.search import LetterSearch

ALL = 2**31
_EFFORT = {Moves.FORWARD: 1.0, Moves.RETURN: 0.4, Moves.FREE: 0.4}
_MANY = 10**9
_KEPT = 60
"""Automata of one length that are compared, at most."""

Watch = Callable[[str], None]
Judge = Callable[[GraphFSA], Examples | None]
"""Given what fits, returns labelled graphs on which it is wrong, if there are any."""


@dataclass(frozen=True)
class Effort:
    """How long to search, in units of the budget or shares of what was spent before.

    Attributes:
        proposals: Proposals of the first turn of a rung; twice as many in each further round.
        conflicts: Conflicts of the solver in the first turn.
        bits: Rungs of the first round have at most this number of bits, those of the next 1.6 times as many.
        polish: Share for step 2, and units at least.
        patience: Share for step 3, and units at least.
        others: Share for step 4, and units at least.
    """

    proposals: float = 60
    conflicts: float = 600
    bits: float = 40
    polish: tuple[float, float] = (0.5, 0.5)
    patience: tuple[float, float] = (1.0, 4.0)
    others: tuple[float, float] = (0.2, 1.0)


class LetterClimb:
    """A search over all rungs at once.

    Args:
        data: What to fit.
        rungs: The ladder.
        apart: Pairs of inputs that may not start alike.
        budget: The budget.
        watch: Called with what is being tried.
        judge: Whom to ask about what fits.
        effort: How long to search.

    Attributes:
        found: What fits, best first so far.
        refuted: For each rung the number of entries in use with which nothing fits, ``ALL`` for any.
        by: What refuted a rung.
        fits: Rungs on which something fits.
        seconds: Time spent on each rung.
    """

    def __init__(
        self,
        data: LetterData,
        rungs: Sequence[LetterRung],
        apart: Sequence[tuple[int, int]],
        budget: Budget,
        watch: Watch,
        judge: Judge | None = None,
        effort: Effort = Effort(),  # noqa: B008
    ) -> None:
        self.data, self.budget, self._watch, self._judge, self._effort = data, budget, watch, judge, effort
        self.rungs, self._apart = list(rungs), apart
        self.searches: dict[LetterRung, LetterSearch] = {}
        self.refuted: dict[LetterRung, int] = {}
        self.by: dict[LetterRung, str] = {}
        self.seconds: dict[LetterRung, float] = {}
        self.fits: set[LetterRung] = set()
        self.found: list[Candidate] = []

    def run(self) -> list[Candidate]:
        """Everything of the least length that was found, best first; nothing if nothing fits."""
        self.first_fit()
        if self.found:
            self._watch(f"simplifying what fits, {self.found[0].rung.describe()}")
            self._fewer_entries()
            if self.data.num_final:
                self._shorter()
            self._others()
            self.found = [
                candidate.coarser() for candidate in sorted(self.found, key=lambda candidate: candidate.order)
            ]
        return self.found

    @property
    def exhausted(self) -> bool:
        """Whether nothing on the whole ladder fits."""
        return all(self.refuted.get(rung, -1) >= rung.num_entries for rung in self.rungs)

    def close(self) -> None:
        """Give back the memory of all solvers."""
        for search in self.searches.values():
            search.close()
        self.searches.clear()

    def first_fit(self) -> None:
        """Go round the open rungs until one fits, the budget is spent, or no rung is open."""
        effort = self._effort
        proposals, conflicts, bits = effort.proposals, effort.conflicts, effort.bits
        while not self.found and not self.budget.over and not self.exhausted:
            for rung in self.rungs:
                if self.found or self.budget.over or rung.bits > bits:
                    break
                share = _EFFORT[rung.moves]
                if self._open(rung, rung.num_entries):
                    self._watch(rung.describe())
                    self._turn(rung, proposals * share, conflicts * share, self.budget, whole=True)
            proposals, conflicts, bits = 2 * proposals, 2 * conflicts, 1.6 * bits

    def _open(self, rung: LetterRung, most: int) -> bool:
        """Whether it is open if something with at most this number of entries in use is on a rung."""
        if self.refuted.get(rung, -1) >= most:
            return False
        if rung not in self.searches and self.data.is_hopeless(reduction(rung.components)):
            self.refuted[rung], self.by[rung] = ALL, "colour refinement"
            return False
        return True

    def _turn(
        self,
        rung: LetterRung,
        proposals: float,
        conflicts: float,
        budget: Budget,
        *,
        most: int | None = None,
        whole: bool = False,
    ) -> str:
        """Work on one rung; what it finds, and nobody has anything against, becomes the best so far."""
        if rung not in self.searches:
            self.searches[rung] = LetterSearch(self.data, rung, self._apart)
            if not whole:
                self.searches[rung].prefer_undefined()
        search, before = self.searches[rung], budget.seconds
        stop = search.proposals + proposals
        while True:
            outcome = search.advance(budget, stop - search.proposals, conflicts, most=most, whole=whole)
            candidate = search.candidate(budget) if outcome == "found" else None
            if candidate is None or not self._is_wrong(candidate):
                break
        if outcome == "exhausted":
            self._refute(rung, ALL if search.impossible or most is None else most)
        elif candidate is not None:
            self.found = [candidate]
            self.fits.add(rung)
        self.seconds[rung] = self.seconds.get(rung, 0.0) + budget.seconds - before
        return outcome

    def _is_wrong(self, candidate: Candidate) -> bool:
        """Whether graphs are known on which it is wrong; from now on all rungs are about these, too."""
        if self._judge is None:
            return False
        wrong = self._judge(candidate.automaton(self.data.examples.task))
        if wrong is None:
            return False
        self.data = LetterData(Examples.concatenate([self.data.examples, wrong]))
        for search in self.searches.values():
            search.use(self.data)
        return True

    def _refute(self, rung: LetterRung, most: int) -> None:
        self.by[rung] = "letters"
        for other in self.rungs:
            if other == rung or rung.covers(other):
                self.refuted[other] = max(self.refuted.get(other, -1), most)
                if most == ALL:
                    self.by.setdefault(other, "a larger one is")

    def _share(self, effort: tuple[float, float]) -> Budget:
        share, least = effort
        return self.budget.part(max(share * self.budget.spent, least))

    def _fewer_entries(self) -> None:
        for rung, search in self.searches.items():
            if self.refuted.get(rung, -1) < rung.num_entries:
                search.prefer_undefined()
        budget = self._share(self._effort.polish)
        rung = self.found[0].rung
        while self.found[0].used > 1 and not budget.over:
            if self._turn(rung, _MANY, 10**5, budget, most=self.found[0].used - 1) != "found":
                break

    def _shorter(self) -> None:
        """Branch and bound; every other round only on rungs with smaller tables than that of the first fit."""
        budget = self._share(self._effort.patience)
        rungs = sorted(self.rungs, key=lambda rung: (round(rung.overhead, 6), rung.num_values, rung.components))
        first = self.found[0].rung.bits
        proposals, smaller = 100.0, True
        while not budget.over:
            is_open = False
            for rung in rungs:
                if budget.over or (smaller and rung.bits >= first):
                    continue
                room = self.found[0].bits - 1e-6 - rung.overhead
                most = min(ceil(room / rung.entry_bits) - 1, rung.num_entries)
                if most < max(2, 0.75 * rung.num_values) or not self._open(rung, most):
                    continue
                share = _EFFORT[rung.moves] * (1 + smaller)
                outcome = self._turn(rung, proposals * share, proposals * 10, budget, most=most)
                if outcome == "found":
                    self._watch(f"simplifying what fits, {rung.describe()}")
                is_open |= outcome != "exhausted"
            if not smaller:
                if not is_open:
                    break
                proposals *= 2
            smaller = not smaller

    def _others(self) -> None:
        """Other automata of the same rung and length; the best supported one comes first."""
        best = self.found[0]
        search = self.searches[best.rung]
        budget = self._share(self._effort.others)
        kept = [best]
        search.forbid(best)
        while len(kept) < _KEPT:
            if search.advance(budget, _MANY, 10**5, most=best.used, other=True) != "found":
                break
            candidate = search.candidate(budget)
            if not self._is_wrong(candidate):
                search.forbid(candidate)
                kept.append(candidate)
        self.found = kept
