"""One call of ``fit``: prepares the data, climbs the ladder, and words the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from graphfsa.aggregations import Aggregation, CountingAggregation, PositionalAggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.automaton.base import check_state_names
from graphfsa.checks import shown
from graphfsa.datasets import Examples, contradictions, deduplicate
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.learners._base import Watch, learned
from graphfsa.learners._model import Model, Verdict
from graphfsa.learners._provenance import Attempted
from graphfsa.learners.exact._climb import Attempt, Climb
from graphfsa.learners.exact._letters import LetterFit
from graphfsa.learners.exact._noise import closest
from graphfsa.search.budget import Budget
from graphfsa.search.completion import completed
from graphfsa.search.ladder import Rung, ladder, partitions, spread
from graphfsa.search.letters.climb import Judge
from graphfsa.search.letters.rungs import LetterRung
from graphfsa.search.problem import Problem, Shape, can_shift, exists_for
from graphfsa.search.proof import Impossibility, indistinguishable, once, smallest_proof
from graphfsa.search.restarts import annealed
from graphfsa.search.searches import evaluate
from graphfsa.search.simplify import complexity, simplified

if TYPE_CHECKING:
    from graphfsa.learners.exact import ExactLearner

_MAX_WORK = 2.0**30
_MAX_GRAPH_WORK = 2.0**24
_MAX_ENTRIES = 2**16
_HOPE = 1.25
"""A table that uses this many times the entries of another will not become the simpler one."""


_LETTERS = 0.5
"""Share of the budget for letters, if none are found."""
_COUNTING = 0.3
"""Share of the rest for counting; what is then left is for simplifying, for annealing or for the fewest errors."""
_ANNEALING = 0.85
"""Share of that for annealing."""
_MORE_STATES = (6, 2, 6)
"""Numbers of further states for annealing, in turns, if the user gives none: more states leave more that fits."""
_IMPATIENT = 0.25
"""Both shares, if some labels may be wrong."""


class Fit:
    """One call of ``fit``: prepares the data, climbs the ladders, and words the verdict."""

    def __init__(
        self, learner: ExactLearner, train: Examples, seed: int, watch: Watch, judge: Judge | None = None
    ) -> None:
        _check_work(train)
        self.learner, self.train, self.seed = learner, train, seed
        self.watch: Callable[[str], None] = lambda doing: watch({"doing": doing})
        self._ask = judge
        self.budget = Budget(learner.budget, learner.seconds)
        self.task = train.task
        # Boards are seldom drawn twice, and to compare them takes longer than to run them.
        few = deduplicate(train) if self.task.kind == "classes" else train
        counted = few.mask & (np.repeat(few.counts, few.sizes) > 0)
        few = few.select(np.unique(few.graphs.owners[counted]))
        self.examples = few.select(np.argsort(few.sizes, kind="stable"))
        self.num_final = len(self.task.classes) if self.task.kind == "classes" else 0
        # Said now, and not when the search is over.
        check_state_names(self.task.state_names() if self.num_final else self.task.classes)
        self.letters: LetterFit | None = None
        self.climb: Climb | None = None
        self.best: Callable[[], GraphFSA] | None = None
        self.candidates: tuple[GraphFSA, ...] = ()
        self.interrupted = False
        self.complete = True

    def run(self) -> Model:
        """Learn; an interruption from the keyboard ends the search, not the program."""
        aggregations = self.learner.capacity.aggregations(self.train)
        extras = self._extras(aggregations[-1])
        single = tuple(range(len(self.task.inputs)))
        try:
            proof = self._contradiction()
            if proof is None and self._fits_letters():
                return self._learned("exact")
            if proof is None and self.learner.aggregation == "letters":
                self._keep_best_so_far()
                return self._learned("undecided")
            proof = proof or indistinguishable(self._problem(aggregations[-1], single))
            if proof is not None and not self.learner.tolerance:
                return self._learned("impossible", impossibility=proof)
            mergings = [single] if proof is not None else self._mergings(aggregations[-1], extras[0])
            rungs = ladder(self.num_final, mergings, extras, aggregations)
            self.complete = len(rungs) == len(mergings) * len(extras) * len(aggregations)
            patience = self.budget.part(self.budget.left * (_IMPATIENT if self.learner.tolerance else _COUNTING))
            self.climb = Climb(self.examples, rungs, self.seed, patience, self.watch)
            fits = [] if proof is not None else self.climb.run()
            if not fits and not self.learner.tolerance and not self.climb.impossible:
                fits = self._anneal(extras, aggregations)
            if fits:
                self._choose(fits)
                return self._learned("exact")
            return self._without_fit(self.climb)
        except KeyboardInterrupt:
            self.interrupted = True
            self._keep_best_so_far()
            return self._learned("undecided")
        finally:
            if self.letters is not None:
                self.letters.close()

    def _fits_letters(self) -> bool:
        """Search among letters, if they are wanted; whether something fits."""
        if not LetterFit.is_wanted(self.learner, self.train):
            return False
        share = _IMPATIENT if self.learner.tolerance else _LETTERS
        if self.learner.aggregation == "letters":
            share = 1.0
        judge = None if self._ask is None else self._judge
        rungs: set[LetterRung] = set()
        while self.letters is None or not rungs.issuperset(LetterFit.ladder(self.learner, self.examples)):
            if self.letters is not None:  # Graphs came that call for a longer ladder.
                self.letters.close()
            part = self.budget.part(self.budget.left * share)
            self.letters = LetterFit(self.learner, self.examples, part, self.watch, judge)
            rungs |= set(self.letters.climb.rungs)
            self.candidates = tuple(self.letters.run())
            if self.candidates or self.budget.over:
                break
        if self.candidates:
            self.best = lambda: self.candidates[0]
        return bool(self.candidates)

    def _judge(self, fsa: GraphFSA) -> Examples | None:
        """Graphs on which an automaton is wrong: they are learned from, too."""
        assert self._ask is not None
        wrong = self._ask(fsa)
        if wrong is None:
            return None
        if not isinstance(wrong, Examples):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise GraphFSAError(f"a judge must return labelled graphs, Examples, or None; got {shown(wrong)}")
        wrong = wrong.matched(self.task)
        # From graphs on which it is right nothing would be learned, and the search would stay where it is.
        if not (wrong.steps > 0).all() or not wrong.wrong(wrong.predict(fsa)).any():
            return None
        self.train = Examples.concatenate([self.train, wrong])
        self.examples = Examples.concatenate([self.examples, wrong])
        self.watch(f"learning on, with {len(self.train)} graphs")
        return wrong

    def _anneal(self, extras: Sequence[int], aggregations: list[Aggregation]) -> list[Attempt]:
        """Restarts of annealing on large tables, with one starting state for each input."""
        single = tuple(range(len(self.task.inputs)))
        numbers = (max(extras),) if self.learner.states is not None or not self.num_final else _MORE_STATES
        problems: list[Problem] = []
        for aggregation in aggregations:
            for extra in numbers:
                shape = Shape(self.num_final, len(single), extra, aggregation)
                entries = shape.num_states * aggregation.num_values(shape.num_states)
                if entries <= _MAX_ENTRIES:
                    problems.append(Problem.of(once(self.examples), shape, single))
            problems = [problem for problem in problems if not len(problem.hopeless)]
            if problems:
                break  # The smallest bound that tells nodes with different labels apart.
        share = self.budget.part(self.budget.left * _ANNEALING)
        found = annealed(problems, self.seed, share, self.watch)
        if found is None:
            return []
        problem, table = found
        attempt = Attempt(Rung(problem.shape, single), problem, "fits", "annealing", table=table)
        assert self.climb is not None
        self.climb.attempts.append(attempt)
        return [attempt]

    def _keep_best_so_far(self) -> None:
        """When nothing was found yet: what the searches had decided when they were interrupted, filled in."""
        if self.best is not None:
            return
        if self.climb is None:
            closest_letters = None if self.letters is None else self.letters.closest()
            if closest_letters is not None:
                self.best = lambda: closest_letters
            return
        fewest: float | None = None
        for attempt in self.climb.attempts:
            if attempt.thorough is None:
                continue
            table = attempt.thorough.table if attempt.table is None else attempt.table
            table = completed(table, attempt.problem.shape)
            wrong = float((evaluate(attempt.problem, table)[0] * self.examples.counts).sum())
            if fewest is None or wrong < fewest:
                fewest = wrong
                self._keep(attempt, table)

    def _choose(self, fits: list[Attempt]) -> None:
        """Keep the simplest of several automata of the same size: the one of which the data use the fewest entries."""
        filled: list[tuple[int, int, Attempt, Array]] = []
        for place, attempt in enumerate(fits):
            assert attempt.table is not None, "what fits has a table"
            table = completed(attempt.table, attempt.problem.shape)
            filled.append((_used(attempt, table), place, attempt, table))
        filled.sort(key=lambda entry: entry[:2])
        fewest: int | None = None
        for before, _, attempt, table in filled:
            if fewest is None:
                self._keep(attempt, table)
            elif self.budget.over or before > _HOPE * fewest:
                break
            simple = table
            if self.num_final:
                self.watch(f"simplifying what fits, {attempt.rung.describe(self.task.inputs)}")
                simple = simplified(attempt.problem, table, self.seed, self.budget)
                # The search tries answers first. Where annealing gains nothing, what it found reads better.
                if complexity(table, attempt.problem) <= complexity(simple, attempt.problem):
                    simple = table
            used = _used(attempt, simple)
            if fewest is None or used < fewest:
                fewest = used
                self._keep(attempt, simple)

    def _without_fit(self, climb: Climb) -> Model:
        # Sizes too large to allocate are not on the ladder, and nothing is known about them.
        top = climb.largest if self.complete else None
        if climb.impossible and top is not None and not self.learner.tolerance:
            self.watch("making the proof small")
            try:
                proof = smallest_proof(top.problem, Budget(max(5.0, self.learner.budget / 2)))
            except KeyboardInterrupt:
                shape = top.rung.shape
                self.interrupted = True
                proof = Impossibility(once(self.examples), shape.aggregation, shape.num_states, minimal=False)
            return self._learned("impossible", impossibility=proof)
        weights = np.repeat(self.train.counts, self.train.sizes)
        allowed = self.learner.tolerance * float((self.train.mask * weights).sum())
        attempts = [a for a in climb.attempts if len(set(a.rung.merged)) == len(a.rung.merged)]
        found = closest(attempts, allowed, self.seed, self.budget, self.watch, self._keep)
        return self._learned("best-effort" if self.learner.tolerance and found else "undecided")

    def _keep(self, attempt: Attempt, table: Array) -> None:
        self.best = lambda: self._automaton(attempt.rung, table)

    def _contradiction(self) -> Impossibility | None:
        """Graphs that show that no automaton of any size and bound fits."""
        if not self.num_final:
            clashes = contradictions(self.examples, limit=1)
            if not clashes:
                return None
            chosen = sorted(set(clashes[0].graphs))
            # One of two graphs that contradict each other may contradict itself.
            alone = [[graph] for graph in chosen if contradictions(self.examples.select([graph]), limit=1)]
            found = self.examples.select(alone[0] if alone else chosen)
            return Impossibility(once(found), None, None, minimal=True)
        degree = int(np.diff(self.examples.graphs.graph.indptr).max(initial=1)) or 1
        slots = self.examples.graphs.graph.slots is not None
        everything = PositionalAggregation() if slots else CountingAggregation(degree)
        proof = indistinguishable(self._problem(everything, tuple(range(len(self.task.inputs)))))
        return None if proof is None else replace(proof, aggregation=None)

    def _extras(self, aggregation: Aggregation) -> list[int]:
        """How many states to try beyond the named ones; those that the aggregation is about must be there."""
        extras = self.learner.capacity.extras(self.task)
        named = self.num_final + len(self.task.inputs)
        aggregation.num_values(named + extras[-1])
        return [extra for extra in extras if exists_for(aggregation, named + extra)]

    def _mergings(self, aggregation: Aggregation, extra: int) -> list[tuple[int, ...]]:
        """The ways to let input classes start alike that the labels do not forbid.

        States that follow then have other numbers, so they must all look the same to the aggregation.

        Args:
            aggregation: How nodes see their neighbours.
            extra: The fewest states beyond the named ones.
        """
        count = len(self.task.inputs)
        apart = set(self.learner.apart(self.task))
        shape = Shape(self.num_final, count, extra, aggregation)
        if aggregation.with_neighbour(0, 0, 0, shape.num_states) is None or not can_shift(shape):
            return [tuple(range(count))]
        for a, b in combinations(range(count), 2):
            if (a, b) not in apart and len(self._problem(aggregation, _joined(count, a, b)).hopeless):
                apart.add((a, b))
        return list(partitions(count, sorted(apart)))

    def _problem(self, aggregation: Aggregation, merged: tuple[int, ...]) -> Problem:
        return Problem.of(self.examples, Shape(self.num_final, len(set(merged)), 0, aggregation), merged)

    def _learned(self, verdict: Verdict, *, impossibility: Impossibility | None = None) -> Model:
        return learned(
            self.learner,
            self.train,
            None,
            self.seed,
            None if self.best is None else self.best(),
            seconds=self.budget.seconds,
            verdict=verdict,
            interrupted=self.interrupted,
            impossibility=impossibility,
            details={"work": round(self.budget.spent, 6)},
            candidates=self.candidates,
            attempts=(
                *(self.letters.attempts if self.letters else ()),
                *(self._attempted(attempt) for attempt in (self.climb.attempts if self.climb else ())),
            ),
        )

    def _attempted(self, attempt: Attempt) -> Attempted:
        size = attempt.rung.describe(self.task.inputs)
        return Attempted(size, attempt.outcome, attempt.by, round(attempt.seconds, 3))

    def _automaton(self, rung: Rung, table: Array) -> GraphFSA:
        whole = spread(table, rung)
        assert whole is not None, "starting states are only taken together where they can be told apart again"
        table, shape = whole
        if not self.num_final:
            return GraphFSA(list(self.task.classes), shape.aggregation, table)
        return GraphFSA(
            self.task.state_names(shape.num_extra),
            shape.aggregation,
            table,
            starting_states=list(range(shape.num_final, shape.num_final + shape.num_starting)),
            final_states=list(range(shape.num_final)),
        )


def _check_work(train: Examples) -> None:
    """Raise if a single roll-out of the training graphs takes too long to search among very many."""
    work = train.sizes.astype(float) * (train.steps + 1.0)
    for what, got, most in (
        ("one graph", work.max(initial=0), _MAX_GRAPH_WORK),
        ("all graphs", work.sum(), _MAX_WORK),
    ):
        if got > most:
            raise LimitError(
                f"nodes x steps of {what} to learn from must be at most {most:.3g}; got {got:.3g}. What is learned "
                "from small graphs can be run on large ones"
            )


def _used(attempt: Attempt, table: Array) -> int:
    """Number of entries of a table that the data use."""
    return int((evaluate(attempt.problem, table)[1] > 0).sum())


def _joined(count: int, a: int, b: int) -> tuple[int, ...]:
    """Two classes together, all others alone."""
    order = [k for k in range(count) if k != b]
    return tuple(order.index(a if k == b else k) for k in range(count))
