"""The exact learner: the simplest automaton that explains all labels, or a proof that there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

from graphfsa.aggregations import Aggregation
from graphfsa.checks import check_name, check_number
from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError
from graphfsa.learners._base import Learner, Watch, check_examples
from graphfsa.learners._model import Model
from graphfsa.search.capacity import Capacity, Range
from graphfsa.search.letters.climb import Judge

__all__ = ["ExactLearner"]

_MAX_MERGED_INPUTS = 5


@dataclass(frozen=True)
class ExactLearner(Learner):
    """Searches for the simplest automaton that gives every node its label.

    Automata that see sums of letters are tried first, in the order of the bits that it takes to write one down; then
    automata that count every state. Each size gets a little work, then each that is still open more. What fits is
    simplified as far as all labels stay right, and entries that no graph uses are filled in by decision trees. The
    result depends on the data and the seed, not on the speed of the machine.

    Attributes:
        states: At most this number of states, or (fewest, most), on the command line 4 or 4..6; there is one for each
            class and each input. By default two more than that. In an evolution the states are given by the data. If
            it is given, automata that count every state are searched, unless ``aggregation`` is ``letters``.
        bound: Count at most to this number, or (least, most), on the command line 2 or 1..2. By default 3; in an
            evolution as far as any node has neighbours. If it is given, automata that count every state are searched,
            unless ``aggregation`` is ``letters``.
        aggregation: How nodes see their neighbours: an aggregation, the name of one (``average-threshold`` is at one
            half; which letters states show is found, too), or ``auto``: relations if the graphs have kinds of arcs,
            positional if they have slots, else letters and then counting.
        merge: Which input classes may start alike: ``"auto"`` for any (if there are at most 5), ``"none"``, or groups
            of names.
        tolerance: Fraction of the labelled nodes that may be wrong. With more than 0, the automaton with the
            fewest wrong nodes is looked for when none is exact.
        budget: Work, in units that take about a second each: roll-outs of 25 million node-steps, or as much work of
            the solver. The same budget gives the same automaton on every machine, busy or not.
        seconds: Time limit in seconds; by default none. With one, what is found may depend on the machine.

    Example:
        >>> import numpy as np
        >>> from graphfsa.datasets import RootValue
        >>> task = RootValue()
        >>> model = ExactLearner(states=5, bound=1).fit(task.generate(5, 20, np.random.default_rng(0)))
        >>> model.verdict, model.accuracy(task.generate(100, 10, np.random.default_rng(1)))
        ('exact', 1.0)
    """

    name: ClassVar[str] = "exact"
    continuous: ClassVar[bool] = True

    states: Range = None
    bound: Range = None
    aggregation: str | Aggregation = "auto"
    merge: str | tuple[tuple[str, ...], ...] = "auto"
    tolerance: float = 0.0
    budget: float = 60.0
    seconds: float | None = None

    def __post_init__(self) -> None:
        _ = self.capacity
        check_number("budget", self.budget, below=1e9, above=True)
        if self.seconds is not None:
            check_number("seconds", self.seconds, below=1e9, above=True)
        check_number("tolerance", self.tolerance, below=1)
        groups: Any = self.merge
        if isinstance(groups, str):
            right = groups in ("auto", "none")
        else:
            right = isinstance(groups, tuple | list) and all(isinstance(group, tuple | list | set) for group in groups)
        if not right:
            raise GraphFSAError(f"merge must be auto, none or a list of groups of input classes; got {groups!r}")

    def fit(
        self,
        train: Examples,
        validation: Examples | None = None,
        *,
        seed: int = 0,
        watch: Watch | None = None,
        judge: Judge | None = None,
    ) -> Model:
        """Find the simplest automaton that fits.

        Args:
            train: The graphs to learn from.
            validation: Not used: what fits is chosen for being simple.
            seed: Seed; the same seed gives the same automaton.
            watch: Called with a record, ``{"doing": what is being tried}``.
            judge: Given an automaton with letters that fits, returns labelled graphs on which it is wrong, or None.
                These are learned from as well, at once; graphs on which it is right are not.

        Returns:
            The verdict and, unless nothing was found, the automaton. Interrupted from the keyboard, it returns the
            best that was found until then.
        """
        from graphfsa.learners.exact._fit import Fit

        del validation
        seed = check_examples(train, None, seed)
        return Fit(self, train, seed, watch or (lambda _record: None), judge).run()

    def limited(self, budget: float) -> ExactLearner:
        """The same with this budget of work."""
        return replace(self, budget=budget)

    @property
    def capacity(self) -> Capacity:
        """Which automata to try."""
        return Capacity(self.states, self.bound, self.aggregation)

    def apart(self, task: Task) -> list[tuple[int, int]]:
        """Pairs of input classes that may not start alike."""
        pairs = list(combinations(range(len(task.inputs)), 2))
        if task.kind == "evolution" or self.merge == "none":
            return pairs
        if isinstance(self.merge, str):
            return pairs if len(task.inputs) > _MAX_MERGED_INPUTS else []
        for name in [name for group in self.merge for name in group]:
            check_name("input class", name, task.inputs)
        together = [{task.inputs.index(name) for name in group} for group in self.merge]
        return [pair for pair in pairs if not any(set(pair) <= group for group in together)]
