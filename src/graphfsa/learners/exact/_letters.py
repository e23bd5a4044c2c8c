"""Letters first: the exact learner's search among automata that see sums of letters."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples
from graphfsa.learners._provenance import Attempted
from graphfsa.search.budget import Budget
from graphfsa.search.letters.candidates import Candidate
from graphfsa.search.letters.climb import Judge, LetterClimb
from graphfsa.search.letters.data import LetterData
from graphfsa.search.letters.ladder import letter_ladder
from graphfsa.search.letters.rungs import LetterRung

if TYPE_CHECKING:
    from graphfsa.learners.exact import ExactLearner

_KEPT = 16
"""Automata that fit and are described equally briefly which are returned, at most."""


class LetterFit:
    """The search among letters of one call of ``fit``.

    Args:
        learner: The learner.
        examples: The labelled graphs, without duplicates, small ones first.
        budget: The budget.
        watch: Called with what is being tried.
        judge: Whom to ask about what fits.
    """

    def __init__(
        self,
        learner: ExactLearner,
        examples: Examples,
        budget: Budget,
        watch: Callable[[str], None],
        judge: Judge | None,
    ) -> None:
        self._task = examples.task
        data, rungs = LetterData(examples), self.ladder(learner, examples)
        pairs = combinations(range(len(self._task.inputs)), 2)
        apart = [] if learner.merge == "auto" else sorted(set(pairs) & set(learner.apart(self._task)))
        self.climb = LetterClimb(data, rungs, apart, budget, watch, judge)

    @staticmethod
    def ladder(learner: ExactLearner, examples: Examples) -> list[LetterRung]:
        """The rungs to climb."""
        bound, extra = learner.capacity.most_counted, _most(learner, examples)
        return letter_ladder(LetterData(examples), bound=bound, extra=extra)

    @staticmethod
    def is_wanted(learner: ExactLearner, examples: Examples) -> bool:
        """Whether letters are searched: if they are asked for, or if nothing is asked for and there are no slots."""
        if learner.aggregation == "letters":
            return True
        free = learner.aggregation == "auto" and learner.states is None and learner.bound is None
        return free and examples.graphs.graph.slots is None

    def run(self) -> list[GraphFSA]:
        """Automata that fit, the best first; none if none was found."""
        self.climb.run()
        return self.automata

    @property
    def automata(self) -> list[GraphFSA]:
        """What was found so far, the best first."""
        found: dict[str, GraphFSA] = {}
        for candidate in self.climb.found:
            automaton = candidate.automaton(self._task)
            found.setdefault(automaton.digest, automaton)
            if len(found) == _KEPT:
                break
        return list(found.values())

    def closest(self) -> GraphFSA | None:
        """What was found, or the last proposal with the fewest wrong nodes, filled in."""
        best: Candidate | None = None
        for search in self.climb.searches.values() if not self.climb.found else ():
            if search.has_proposal:
                candidate = search.candidate(self.climb.budget)
                best = candidate if best is None or candidate.wrong < best.wrong else best
        if self.climb.found:
            best = self.climb.found[0]
        return None if best is None else best.automaton(self._task)

    def close(self) -> None:
        """Give back the memory of the solvers."""
        self.climb.close()

    @property
    def attempts(self) -> list[Attempted]:
        """The rungs that were tried or refuted."""
        known = [rung for rung in self.climb.rungs if rung in self.climb.seconds or rung in self.climb.by]
        return [self._attempted(rung) for rung in known]

    def _attempted(self, rung: LetterRung) -> Attempted:
        climb = self.climb
        seconds = round(climb.seconds.get(rung, 0.0), 3)
        if rung in climb.fits:
            return Attempted(rung.describe(), "fits", "letters", seconds)
        if climb.refuted.get(rung, -1) >= rung.num_entries:
            return Attempted(rung.describe(), "impossible", climb.by.get(rung, "letters"), seconds)
        return Attempted(rung.describe(), "open", "", seconds)


def _most(learner: ExactLearner, examples: Examples) -> int | None:
    """The largest number of further states, if the learner says so."""
    return None if learner.states is None else max(learner.capacity.extras(examples.task))
