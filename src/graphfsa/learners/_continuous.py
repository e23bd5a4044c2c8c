"""Learning from numbers: thresholds and an automaton, found together.

Thresholds are proposed by what must be told apart, fewest first (``search.cuts``); the learner looks for an automaton
with the input classes that come of them, and if it finds none the next thresholds are tried. Then each threshold is
moved to the middle of its gap: all thresholds for which the automaton gives every label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets import (
    Discretiser,
    Examples,
    FeatureDataset,
    FeatureExamples,
    TrainingData,
)
from graphfsa.errors import GraphFSAError
from graphfsa.learners._base import Learner, Watch, check_examples, learned
from graphfsa.learners._model import Model, reference_to
from graphfsa.search.budget import UNIT, Budget
from graphfsa.search.cuts.conflicts import FeatureData, Pair
from graphfsa.search.cuts.merging import Grid, merged
from graphfsa.search.cuts.search import Cuts, CutSearch
from graphfsa.search.cuts.widening import mended, widened
from graphfsa.search.proof import Impossibility, once

Settle = Callable[[Model, TrainingData], Model]
MOST_CUTS = 6
"""Thresholds that are looked for, at most."""
_EFFORTS = (0.1, 0.5)
"""Shares of what is left of the budget for one proposal: first little for each, then more."""
_FEW = 0.05
"""Share of the graphs that may be wrong where thresholds were mended, so that they are tried."""
_MAX_CLASSES = 256


class ContinuousFit:
    """One call of ``learn`` with continuous inputs.

    Args:
        learner: The learner, which must be one of automata.
        data: The training graphs with features.
        seed: The seed.
        watch: Called with a record of how it goes now and then.
        settle: Goes on with a model until it is proved or checked, if that is wanted.
        more: Further arguments of the learner's ``fit``.
    """

    def __init__(
        self, learner: Learner, data: TrainingData, seed: int, watch: Watch | None, settle: Settle, more: dict[str, Any]
    ) -> None:  # fmt: skip
        if data.measured is None:
            raise GraphFSAError("continuous inputs need graphs with features")
        check_continuous(learner)
        check_examples(data.measured.examples, None, seed)
        self.learner, self.given, self.seed, self.more = learner, data, seed, more
        self.measured: FeatureExamples = data.measured
        self.tell = watch or (lambda _record: None)
        self.settle = settle
        self.began = monotonic()
        units: float = getattr(learner, "budget", 60.0)
        self.budget = Budget(units, getattr(learner, "seconds", None))
        self.data = FeatureData(self.measured, self.budget)
        self.search = CutSearch(self.data, MOST_CUTS)
        self.tried = 0
        self.mended: set[Cuts] = set()
        self.best: tuple[Model, Discretiser] | None = None

    def run(self) -> Model:
        """Find thresholds and an automaton; an interruption ends the search, not the program."""
        interrupted = False
        try:
            self.tell({"doing": "looking for thresholds"})
            for cuts, bound, effort in self._turns():
                found = self._tried(cuts, bound, effort)
                if found is not None:
                    return self._finished(*found)
                if self.best is not None and self.best[0].interrupted:
                    return self._unfinished(interrupted=True)
                if self.budget.over:
                    break
        except KeyboardInterrupt:
            interrupted = True
        return self._unfinished(interrupted=interrupted)

    def _turns(self) -> Iterator[tuple[Cuts, int, float]]:
        """What to try with how much effort: little for the next number of thresholds, then much for the one before."""
        little, much = _EFFORTS
        before: list[tuple[Cuts, int]] = []
        for several in self._proposals():
            yield from ((cuts, bound, little) for cuts, bound in several)
            yield from ((cuts, bound, much) for cuts, bound in before)
            before = several
        yield from ((cuts, bound, much) for cuts, bound in before)

    def _proposals(self) -> Iterator[list[tuple[Cuts, int]]]:
        """Thresholds, each with the bound to which one must count; those of soft training first."""
        for cuts in self.learner.soft_cuts(self.data, self.seed, self.tell):
            proposal = self.search.repaired(cuts)
            if proposal is not None:
                yield [proposal]
        yield from self.search.proposals()

    def _tried(self, cuts: Cuts, bound: int, effort: float) -> tuple[Model, Discretiser] | None:
        """An automaton for thresholds, or for those that it moves them to itself; None if none is found."""
        for discretiser in self._discretisers(cuts, bound):
            model = self._fitted(discretiser, effort)
            if model.verdict == "exact" or model.interrupted:
                self._keep(model, discretiser)
                return None if model.interrupted else (model, discretiser)
            self._keep(model, discretiser)
            found = self._mended(discretiser, bound, effort)
            if found is not None:
                return found
        return None

    def _mended(self, discretiser: Discretiser, bound: int, effort: float) -> tuple[Model, Discretiser] | None:
        """What is learned from the graphs whose numbers are far from all thresholds, if it can mend the thresholds."""
        if not discretiser.cuts:
            return None
        far = self._fitted(discretiser, effort, far_from(self.measured, discretiser))
        if far.verdict != "exact" or far.interrupted:
            return None
        moved, wrong = mended(self.data, self._named(discretiser)[0], far.automaton)
        # A few may be wrong: what was learned from half of the graphs need not be right on the others.
        cuts = tuple(sorted({(cut.feature, cut.at) for cut in moved.cuts}))
        if wrong > _FEW * len(self.data.examples) or cuts in self.mended:
            return None
        self.mended.add(cuts)
        for again in self._discretisers(cuts, bound):
            model = self._fitted(again, effort)
            if model.verdict == "exact" and not model.interrupted:
                return model, again
        return None

    def _discretisers(self, cuts: Cuts, bound: int) -> Iterator[Discretiser]:
        """Trees for thresholds: with cells taken together as far as labels allow and, if that fails, without."""
        names, given = self.measured.names, self.measured.examples.task.inputs
        together = merged(self.data, cuts, bound).discretiser(names, given)
        yield together
        apart = Grid.of(cuts, len(given)).discretiser(names, given)
        if len(apart.names) > len(together.names) and len(apart.names) <= _MAX_CLASSES:
            yield apart

    def _fitted(self, discretiser: Discretiser, effort: float, chosen: Array | None = None) -> Model:
        """What is learned with thresholds, from some of the graphs or from all."""
        self.tried += 1
        words = "; ".join(str(discretiser).split("\n"))
        self.tell({"doing": f"learning with {words}"})
        examples = self._named(discretiser)[1]
        examples = examples if chosen is None else examples.select(chosen)
        learner = self.learner.limited(max(1e-3, self.budget.left * effort))
        model = learner.fit(examples, None, seed=self.seed, watch=self.tell, **self.more)  # pyright: ignore
        assert isinstance(model, Model)
        if model.provenance is not None:
            self.budget.spend(UNIT * float(model.provenance.details.get("work", 0.0)))
        return model

    def _keep(self, model: Model, discretiser: Discretiser) -> None:
        """Keep the model that gives the most labels."""

        def share(one: Model) -> float:
            return -1.0 if one.provenance is None or not one.found else one.provenance.train_accuracy

        if self.best is None or share(model) > share(self.best[0]):
            self.best = model, discretiser

    # ---- what becomes of it

    def _named(self, discretiser: Discretiser) -> tuple[Discretiser, Examples, bool]:
        """Input classes called as the inputs of the data set, if they are those; the graphs; whether they are."""
        dataset, truth = self.given.dataset, self.given.truth
        if not isinstance(dataset, FeatureDataset) or truth is None:
            return discretiser, self.measured.discretised(discretiser), False
        inputs = dataset.task.inputs
        examples = self.measured.discretised(discretiser)
        kinds = sorted(set(zip(examples.inputs.tolist(), truth.tolist(), strict=True)))
        numbers = [number for _, number in kinds]
        named = [kind for kind, _ in kinds] == list(range(len(inputs))) == sorted(numbers)
        if not named or len(discretiser.names) != len(inputs):
            return discretiser, examples, False
        renamed = discretiser.renamed(inputs, numbers)
        return renamed, self.measured.discretised(renamed), True

    def _finished(self, model: Model, discretiser: Discretiser) -> Model:
        """The model with its cuts in the middle of their gaps, after it was proved or checked if it can be."""
        found, examples, named = self._named(discretiser)
        dataset = self.given.dataset
        if named and dataset is not None:
            model = self.settle(model, replace(self.given, train=examples, measured=None, truth=None))
        if not model.is_automaton or model.verdict not in ("proved", "exact"):
            return self._described(model, found, examples)
        self.tell({"doing": "moving thresholds to the middle of their gaps"})
        found = widened(self.data, found, model.automaton)
        return self._described(model, found, self.measured.discretised(found))

    def _described(self, model: Model, discretiser: Discretiser, examples: Examples) -> Model:
        """The model with its discretiser, and with where it comes from."""
        known = model.provenance
        if known is not None:
            details = {**known.details, "cuts": len(discretiser.cuts), "discretisations": self.tried}
            seconds = round(monotonic() - self.began, 3)
            options = self.learner.options()
            known = replace(known, options=options, data=self.measured.digest, seconds=seconds, details=details)
        dataset = self.given.dataset
        reference = None if dataset is None else reference_to(dataset, self.given.drawn)
        return replace(model, task=examples.task, discretiser=discretiser, dataset=reference, provenance=known)

    def _unfinished(self, *, interrupted: bool) -> Model:
        """What is to be said if nothing fits: why not, or the best that was found."""
        pair = self.search.impossible
        if pair is None and self.best is not None:
            model, discretiser = self.best
            verdict = "undecided" if model.verdict == "impossible" else model.verdict
            model = replace(model, verdict=verdict, impossibility=None)
            found, examples, _ = self._named(discretiser)
            return self._described(model, found, examples)
        proof = None if pair is None or interrupted else self._impossibility(pair)
        return learned(
            self.learner,
            self.measured.examples,
            None,
            self.seed,
            None,
            seconds=monotonic() - self.began,
            verdict="undecided" if pair is None or interrupted else "impossible",
            interrupted=interrupted,
            impossibility=proof,
            details={"work": round(self.budget.spent, 6), "discretisations": self.tried},
        )

    def _impossibility(self, pair: Pair) -> Impossibility | None:
        """The graphs of two nodes that look the same even if all numbers are told apart."""
        few = self.data.alone(pair)
        rows, places = np.unique(
            np.column_stack((few.examples.inputs, few.features)), axis=0, return_inverse=True
        )  # fmt: skip
        if len(rows) > _MAX_CLASSES or few.examples.task.kind == "evolution":
            return None
        words = [" ".join(f"{name}={value:g}" for name, value in zip(few.names, row[1:], strict=True)) for row in rows]
        names = [f"{word} ({number})" for number, word in enumerate(words)]
        return Impossibility(once(few.with_classes(names, places.reshape(-1), None)), None, None, minimal=True)


def far_from(measured: FeatureExamples, discretiser: Discretiser) -> Array:
    """The half of the graphs whose numbers are farthest from all thresholds, counted in numbers between them."""
    nearest = np.full(len(measured.features), len(measured.features))
    for cut in discretiser.cuts:
        values = np.sort(measured.features[:, cut.feature])
        ranks = np.searchsorted(values, measured.features[:, cut.feature]) - np.searchsorted(values, cut.at)
        nearest = np.minimum(nearest, np.abs(ranks))
    graphs = measured.examples.graphs
    least = np.full(len(measured), len(measured.features))
    np.minimum.at(least, graphs.owners, nearest)
    return np.sort(np.argsort(-least, kind="stable")[: (len(measured) + 1) // 2])


def check_continuous(learner: Learner) -> None:
    """Raise unless a learner can learn from features."""
    if not learner.continuous:
        raise GraphFSAError(
            f"the learner {learner.name} does not learn from features; exact and diff-fsa do, with continuous inputs"
        )
    if getattr(learner, "tolerance", 0):
        raise GraphFSAError("tolerance must be 0 with continuous inputs: thresholds follow from labels that are right")
