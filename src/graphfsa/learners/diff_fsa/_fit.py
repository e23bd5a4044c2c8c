"""One call of ``fit``: sizes of automata one after the other, each trained until tables without an error are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples, deduplicate
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.learners._base import learned
from graphfsa.learners._model import Model
from graphfsa.learners._torch import find_device, steady
from graphfsa.learners.diff_fsa import _harvest as harvest
from graphfsa.learners.diff_fsa._checkpoint import Checkpoints
from graphfsa.learners.diff_fsa._course import Candidate, Course, Record
from graphfsa.learners.diff_fsa._effort import Effort
from graphfsa.learners.diff_fsa._recipe import Recipe
from graphfsa.learners.diff_fsa._sizes import begin_with, shapes
from graphfsa.learners.diff_fsa._soft import SoftTable
from graphfsa.learners.diff_fsa._training import NotANumberError, Training
from graphfsa.search.completion import completed
from graphfsa.search.problem import Problem, Shape
from graphfsa.search.searches import Annealing

if TYPE_CHECKING:
    from graphfsa.learners.diff_fsa import DiffFSA

_REPAIR_EVERY = 3
_PLATEAU = (2, 0.8)
"""More epochs than this without a lower loss, and the rate is multiplied."""


class Fit:
    """One call of ``fit``.

    Args:
        learner: The learner.
        train: Training graphs.
        validation: Validation graphs, if any.
        seed: Seed.
        initial: An automaton to begin with, if any.
        known: Entries that stay as they are, if any.
        watch: Called with a record after each look at the discrete tables, whose ``soft`` is the best soft table now,
            and every second between two looks.
        checkpoints: Where to keep the state, if anywhere.
    """

    def __init__(
        self,
        learner: DiffFSA,
        train: Examples,
        validation: Examples | None,
        seed: int,
        initial: GraphFSA | None,
        known: Any,
        watch: Callable[[Record], None],
        checkpoints: Checkpoints | None,
    ) -> None:
        self.learner, self.seed, self.watch, self.checkpoints = learner, seed, watch, checkpoints
        self.recipe: Recipe = learner.recipe_for(train.task)
        self.device = find_device(learner.device)
        self.given, self.given_validation = train, validation
        mined = self.recipe.sampling == "errors"
        self.train = _prepared("training", train, mined=mined)
        self.validation = None if validation is None else _prepared("validation", validation, mined=mined)
        self.task = train.task
        if self.validation is not None and self.validation.task != self.task:
            raise GraphFSAError("training and validation graphs must be of one task")
        seen = train if validation is None else Examples.concatenate([train, validation])
        sizes, self.possible = shapes(learner, self.train, seen, published=not mined)
        self.sizes, self.beginning, self.names = begin_with(self.task, sizes, initial, known)
        self.course = Course()
        self.training: Training | None = None
        self.effort: Effort | None = None
        self.interrupted = False
        self._began = monotonic()
        self._losses: list[Array] = []

    def run(self) -> Model:
        """Train; an interruption from the keyboard ends the training, not the program."""
        with steady():
            try:
                if self.checkpoints is not None:
                    self.checkpoints.restore(self)
                self._climb()
                shape, table = self._chosen()
            except KeyboardInterrupt:
                self.interrupted = True
                shape, table = self._best_so_far()
            return self._trained(shape, table)

    # ---- training

    def _climb(self) -> None:
        """Train one size after the other until one has tables without an error."""
        course = self.course
        while course.size < len(self.sizes):
            try:
                self.enter()
            except LimitError:
                if course.best is None:
                    raise
                course.cut = True  # Smaller ones were trained; nothing is known about this one.
                return
            self._begin()
            self._train()
            if course.solved or course.size == len(self.sizes) - 1:
                return
            course.size += 1
            course.began = course.work
            self.training = None

    def enter(self) -> None:
        """Begin with the current size, unless it has begun."""
        if self.training is not None:
            return
        course, shape = self.course, self.sizes[self.course.size]
        if self.effort is None:
            self.effort = Effort(self.learner.budget, course, self.watch)
        self.effort.enter(last=course.size == len(self.sizes) - 1)
        self.effort.states = shape.num_states
        both = self.train if self.validation is None else Examples.concatenate([self.train, self.validation])
        self.problem = replace(Problem.of(both, shape), known=self.beginning.known)
        self.training = Training(
            self.problem,
            len(self.train),
            self.recipe,
            self.beginning,
            np.random.default_rng([self.seed, course.size]),
            device=self.device,
            compiled=self.learner.compiled,
        )

    def _begin(self) -> None:
        """Keep the state at once when a training begins: looks may be far apart."""
        if self.checkpoints is not None and not self.course.updates:
            self.checkpoints.save(self)

    def _train(self) -> None:
        assert self.training is not None and self.effort is not None
        self.effort.of = self.course.updates - self.training.updates + self._limit
        if self.beginning.initial is not None and not self.course.updates:
            self._consider(self.beginning.initial, 0)
        while not self._over(self.training):
            try:
                self._losses.append(self.training.update())
            except NotANumberError as error:
                kept = "" if self.checkpoints is None else f"; the last good state is in {self.checkpoints.directory}"
                raise GraphFSAError(f"{error}{kept}. A smaller rate may help; it was {self.training.rate:g}") from None
            self.course.updates += 1
            self.effort.doing = "training"
            self._spend(self.training)
            if self.training.updates % self._every == 0 or self._ends(self.training):
                self._look(self.training)
        self.course.cut |= self.effort.share.over and not self.course.solved

    @property
    def _every(self) -> int:
        """Updates between two looks: an epoch where graphs are taken in turn."""
        return self.recipe.check if self.recipe.sampling == "errors" else -(-len(self.train) // self.recipe.batch)

    @property
    def _limit(self) -> int:
        return self.recipe.updates if self.recipe.sampling == "errors" else self.recipe.epochs * self._every

    def _over(self, training: Training) -> bool:
        course, recipe = self.course, self.recipe
        waited = course.first >= 0 and training.updates - course.first >= recipe.patience
        return self._ends(training) or self._full or (waited and recipe.harvest > 0)

    @property
    def _full(self) -> bool:
        """Whether there are as many tables without an error as are wanted."""
        return 0 < self.recipe.harvest <= len(self.course.solved)

    def _ends(self, training: Training) -> bool:
        """Whether there are no more updates, or the budget is spent."""
        assert self.effort is not None
        return training.updates >= self._limit or self.effort.share.over

    def _spend(self, training: Training) -> None:
        """Count the work of the updates since the last time."""
        assert self.effort is not None
        work, training.work = training.work, 0.0
        self.effort.share.spend(work)

    def _look(self, training: Training) -> None:
        """Discretise all tables, repair the best, keep those without an error, and say how it goes."""
        assert self.effort is not None
        course, recipe = self.course, self.recipe
        course.looks += 1
        self.effort.doing = "looking at the tables"
        tables = training.tables()
        scores = harvest.score(self.problem, tables, self.effort.share)
        training.errors = scores.shares[: len(self.train)]
        order = np.argsort(scores.wrong, kind="stable")
        losses = np.mean(self._losses, axis=0)
        validation_loss = self._validate(training) if recipe.keep == "validation" else None
        self._spend(training)
        done = [int(k) for k in order if scores.wrong[k] == 0]
        for restart in done or order[:1].tolist():
            self._consider(tables[restart], restart, validation_loss)
        if recipe.repair and not done and (course.looks % _REPAIR_EVERY == 0 or self._ends(training)):
            done += self._repair(training, tables, [int(k) for k in order if scores.wrong[k] > 0])
        best = int(order[0])
        soft = self._soft_of(Candidate(tables[best], training.soft(best), training.values, float(scores.wrong[best])))
        self._report(training, float(scores.wrong[best]), losses, validation_loss, soft)
        self._losses = []
        if recipe.harvest:
            training.begin_anew(done)
        if recipe.renew:
            training.give_up(order)
        if self.checkpoints is not None:
            self.checkpoints.save(self)

    def _repair(self, training: Training, tables: Array, candidates: list[int]) -> list[int]:
        """Repair the best tables; returns those that are without an error now."""
        assert self.effort is not None
        done: list[int] = []
        if not Annealing.has_room(self.problem):
            return done
        few = self.recipe.repaired
        if len(candidates) > few:
            # The best, and others by chance: the best may all be stuck in the same way.
            others = training.rng.permutation(candidates[few // 2 :])[: few - few // 2]
            candidates = [*candidates[: few // 2], *others.tolist()]
        for number, restart in enumerate(candidates, start=1):
            if self._full or self.effort.share.over:
                break
            self.effort.doing = f"repairing table {number} of {len(candidates)}"
            table, wrong = harvest.repaired(
                self.problem, tables[restart], self.recipe.repair, training.rng, self.effort.share
            )
            self._consider(table, restart)
            if wrong == 0:
                done.append(restart)
        return done

    def _consider(self, table: Array, restart: int, loss: float | None = None) -> None:
        """Keep a table if it is without an error and new, or the best so far."""
        assert self.training is not None
        course = self.course
        wrong, part = harvest.examined(self.problem, table)
        key = float(wrong)
        if self.recipe.keep == "validation":
            key = float("inf") if loss is None else loss
        training = self.training
        found = Candidate(part, training.soft(restart), training.values, key)
        if course.best is None or key < course.best.key:
            course.best, course.best_size = found, course.size
        course.accuracy = max(course.accuracy, 1 - wrong / self._labels)
        if wrong:
            return
        if course.first < 0:
            course.first = self.training.updates
        if not any((found.table == other.table).all() for other in course.solved):
            course.solved.append(found)

    @property
    def _labels(self) -> int:
        """Number of nodes that count, each graph with its count."""
        examples = self.problem.examples
        return max(1, int(((self.problem.target >= 0) * np.repeat(examples.counts, examples.sizes)).sum()))

    def _validate(self, training: Training) -> float:
        """Loss on the validation graphs, or the training graphs if there are none; it steers the rate."""
        course, (patience, factor) = self.course, _PLATEAU
        loss = training.validation_loss() if self.validation is not None else float(np.mean(self._losses))
        if loss < course.lowest:
            course.lowest, course.flat = loss, 0
        else:
            course.flat += 1
            if self.recipe.schedule == "plateau" and course.flat > patience:
                training.rate *= factor
                course.flat = 0
        return loss

    def _soft_of(self, found: Candidate) -> SoftTable:
        """A soft table of the current size, with the names of its states."""
        shape = self.problem.shape
        return SoftTable(self._state_names(shape), shape.aggregation, *found.probabilities(shape))

    def _state_names(self, shape: Shape) -> tuple[str, ...]:
        own = self.task.state_names(shape.num_extra) if shape.num_final else self.task.classes
        return tuple(self.names or own)

    def _report(
        self, training: Training, wrong: float, losses: Array, validation_loss: float | None, soft: SoftTable
    ) -> None:
        course, best = self.course, self.course.best
        assert best is not None and self.effort is not None
        course.seconds += monotonic() - self._began
        self._began = monotonic()
        record: Record = {
            "updates": course.updates,
            "of": self.effort.of,
            "states": self.problem.shape.num_states,
            "aggregation": self.problem.shape.aggregation.config(),
            "loss": round(float(losses.min()), 6),
            "mean_loss": round(float(losses.mean()), 6),
            "accuracy": round(1 - wrong / self._labels, 6),
            "best_accuracy": round(course.accuracy, 6),
            "solved": len(course.solved),
            "entropy": round(float(training.entropy().min()), 4),
            "rate": training.rate,
            "seconds": round(course.seconds, 3),
        }
        if validation_loss is not None:
            record["validation_loss"] = round(validation_loss, 6)
        course.history.append(record)
        self.effort.told()
        self.watch({**record, "soft": soft})

    # ---- what comes out

    def _chosen(self) -> tuple[Shape, Array]:
        """The simplest of the tables without an error; without any, or if validation decides, the best."""
        course = self.course
        if not course.solved or self.recipe.keep == "validation":
            return self._best_so_far()
        self.enter()
        assert self.effort is not None
        parts = [found.table for found in course.solved]
        if self.problem.shape.num_final and self.recipe.simplify:
            self.effort.doing = "simplifying what fits"
            place, table = harvest.simplest(self.problem, parts, self.seed, self.effort.whole)
            course.best = course.solved[place]
            return self.problem.shape, table
        course.best = course.solved[0]
        return self.problem.shape, self._complete(self.problem.shape, parts[0], course.best)

    def best_model(self) -> Model:
        """The best automaton so far, as a model."""
        return self._trained(*self._best_so_far(), ended=False)

    def _best_so_far(self) -> tuple[Shape, Array]:
        """What there is when nothing is without an error, or the user does not want to wait."""
        course = self.course
        if course.best is None:
            self.enter()
            assert self.training is not None
            self._consider(self.training.tables()[0], 0)
            assert course.best is not None
        shape = self.sizes[min(course.best_size, len(self.sizes) - 1)]
        return shape, self._complete(shape, course.best.table, course.best)

    def _complete(self, shape: Shape, part: Array, found: Candidate) -> Array:
        """Fill entries that no training graph uses: by the simplest rule, or as the soft table says."""
        if self.recipe.complete:
            return completed(part, shape)
        likeliest = found.probabilities(shape)[0].argmax(2)
        return np.where(part >= 0, part, likeliest).astype(np.int16)

    def _trained(self, shape: Shape, table: Array, *, ended: bool = True) -> Model:
        course = self.course
        finals, starts = shape.num_final, shape.num_starting
        names = self._state_names(shape)
        fsa = GraphFSA(
            names,
            shape.aggregation,
            table,
            starting_states=list(range(finals, finals + starts)) if finals else [],
            final_states=list(range(finals)),
        )
        assert course.best is not None
        soft = SoftTable(names, shape.aggregation, *course.best.probabilities(shape))
        return learned(
            self.learner,
            self.given,
            self.given_validation,
            self.seed,
            fsa,
            seconds=course.seconds + monotonic() - self._began,
            verdict="undecided" if course.cut or not ended else None,
            interrupted=self.interrupted,
            details={
                "recipe": asdict(self.recipe),
                "work": round(course.work, 6),
                "updates": course.updates,
                "solved": len(course.solved),
                "possible": self.possible,
                # Repair, simplification and completion change entries of what the soft table says.
                "changed_entries": int(np.count_nonzero((fsa.transition_table != soft.table) & soft.trained)),
            },
            soft=soft,
            history=tuple(course.history),
        )


def _prepared(what: str, examples: Examples, *, mined: bool) -> Examples:
    """The graphs that count, each kind once where it is drawn by its errors, small ones first."""
    counted = examples.mask & (np.repeat(examples.counts, examples.sizes) > 0)
    if not counted.any():
        raise GraphFSAError(f"there is nothing to learn from: no node of the {what} graphs counts")
    few = deduplicate(examples) if mined and examples.task.kind == "classes" else examples
    counted = few.mask & (np.repeat(few.counts, few.sizes) > 0)
    few = few.select(np.unique(few.graphs.owners[counted]))
    return few.select(np.argsort(few.sizes, kind="stable"))
