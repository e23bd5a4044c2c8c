"""The exact learner: the simplest automaton that explains all labels, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from graphfsa.aggregations import Aggregation, AverageThresholdAggregation, CountingAggregation, PositionalAggregation
from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.learners._base import Learner
from graphfsa.learners.exact._proof import Impossibility
from graphfsa.learners.exact._result import Learned, Suspect, Tried, Verdict

__all__ = ["ExactLearner", "Impossibility", "Learned", "Suspect", "Tried", "Verdict"]

_EXTRA_STATES = 2
_BOUND = 3
_MAX_MERGED_INPUTS = 5
Range = int | tuple[int, int] | None


@dataclass(frozen=True)
class ExactLearner(Learner):
    """Searches for the simplest automaton that gives every node its label.

    Automata are tried simplest first: starting states taken together, fewer states, smaller bounds. Each size gets a
    little work, then each that is still open more. What fits is simplified as far as all labels stay right, and entries
    that no graph uses are filled in by decision trees. The result depends on the data and the seed; the clock only
    decides when to stop.

    Attributes:
        states: How many states at most, or (fewest, most), among them one for each class and each input class. By
            default two more than that. In an evolution the states are given by the data.
        bound: How far to count at most, or (least, most). By default 3; in an evolution as far as any node has
            neighbours.
        aggregation: ``counting``, ``positional``, ``average-threshold`` (at one half), or ``auto``: positional if the
            graphs have slots, else counting.
        merge: Which input classes may start alike: ``"auto"`` for any (if there are at most 5), ``"none"``, or groups
            of names.
        tolerance: Share of the nodes that count whose labels may be wrong. With more than 0, the automaton with the
            fewest wrong nodes is looked for when none is exact.
        budget: Seconds.
    """

    states: Range = None
    bound: Range = None
    aggregation: str = "auto"
    merge: str | tuple[tuple[str, ...], ...] = "auto"
    tolerance: float = 0.0
    budget: float = 60.0

    def __post_init__(self) -> None:
        for what, given in (("states", self.states), ("bound", self.bound)):
            if given is not None:
                _check_range(what, given)
        if isinstance(self.budget, bool) or not isinstance(self.budget, int | float) or not 0 < self.budget < 1e9:
            raise GraphFSAError(f"budget must be a number of seconds above 0; got {self.budget!r}")
        share = isinstance(self.tolerance, int | float) and not isinstance(self.tolerance, bool)
        if not share or not 0 <= self.tolerance < 1:
            raise GraphFSAError(f"tolerance must be a share of nodes in 0 .. 1, below 1; got {self.tolerance!r}")
        kinds = ("auto", "counting", "positional", "average-threshold")
        if self.aggregation not in kinds:
            raise UnknownNameError("aggregation", str(self.aggregation), kinds)
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
        watch: Callable[[str], None] | None = None,
    ) -> Learned:
        """Find the simplest automaton that fits.

        Args:
            train: The graphs to learn from.
            validation: Not used: what fits is chosen for being simple.
            seed: Seed; the same seed gives the same automaton.
            watch: Is told what is being tried.

        Returns:
            The verdict and, unless nothing was found, the automaton. Interrupted from the keyboard, it returns the
            best that was found until then.
        """
        from graphfsa.learners.exact._fit import Fit

        del validation
        return Fit(self, train, seed, watch or (lambda _text: None)).run()

    def extras(self, task: Task) -> range:
        """How many states to try beyond those of the classes and the input classes."""
        if task.kind == "evolution":
            named = len(task.classes)
            low, high = _limits(self.states, (named, named))
            if not low <= named <= high:
                raise GraphFSAError(
                    f"the states of an evolution are those of the data, {named}; got states={self.states}"
                )
            return range(1)
        named = len(task.classes) + len(task.inputs)
        low, high = _limits(self.states, (named, named + _EXTRA_STATES))
        if high < named:
            what = f"{len(task.classes)} classes and {len(task.inputs)} input classes need {named} states at least"
            raise GraphFSAError(f"{what}; got states={high}")
        return range(max(0, low - named), high - named + 1)

    def aggregations(self, examples: Examples) -> list[Aggregation]:
        """The aggregations to try, simplest first."""
        graph = examples.graphs.graph
        kind = self.aggregation
        if kind == "auto":
            kind = "counting" if graph.slots is None else "positional"
        if kind == "positional":
            if graph.slots is None and graph.num_arcs:
                raise GraphFSAError("positional aggregation needs graphs with neighbour slots; these have none")
            return [PositionalAggregation(max(1, graph.num_slots))]
        if kind == "average-threshold":
            return [AverageThresholdAggregation()]
        most = int(np.diff(graph.indptr).max(initial=1)) or 1
        usual = (1, most) if examples.task.kind == "evolution" else (1, min(most, _BOUND))
        low, high = _limits(self.bound, usual)
        return [CountingAggregation(bound) for bound in range(low, high + 1)]

    def apart(self, task: Task) -> list[tuple[int, int]]:
        """Pairs of input classes that may not start alike."""
        pairs = list(combinations(range(len(task.inputs)), 2))
        if task.kind == "evolution" or self.merge == "none":
            return pairs
        if isinstance(self.merge, str):
            return pairs if len(task.inputs) > _MAX_MERGED_INPUTS else []
        for name in {name for group in self.merge for name in group} - set(task.inputs):
            raise UnknownNameError("input class", name, task.inputs)
        together = [{task.inputs.index(name) for name in group} for group in self.merge]
        return [pair for pair in pairs if not any(set(pair) <= group for group in together)]


def _check_range(what: str, given: Any) -> None:
    numbers = given if isinstance(given, tuple) else (given,)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
    if not whole or len(numbers) != 1 + isinstance(given, tuple) or min(numbers) < 1 or numbers[0] > numbers[-1]:
        raise GraphFSAError(f"{what} must be a whole number above 0, or (least, most); got {given!r}")


def _limits(given: Range, usual: tuple[int, int]) -> tuple[int, int]:
    if given is None:
        return usual
    return given if isinstance(given, tuple) else (min(given, usual[0]), given)
