"""The exact learner: the simplest automaton that explains all labels, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.learners._base import Learner
from graphfsa.learners.exact._result import Learned, Suspect, Tried, Verdict
from graphfsa.search.capacity import Capacity, Range
from graphfsa.search.proof import Impossibility

__all__ = ["ExactLearner", "Impossibility", "Learned", "Suspect", "Tried", "Verdict"]

_MAX_MERGED_INPUTS = 5


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

    Example:
        >>> import numpy as np
        >>> from graphfsa.datasets import dataset_class
        >>> task = dataset_class("root-value")()
        >>> found = ExactLearner(states=5, bound=1).fit(task.generate(5, 20, np.random.default_rng(0)))
        >>> found.verdict, task.generate(100, 10, np.random.default_rng(1)).accuracy(found.automaton)
        ('exact', 1.0)
    """

    name: ClassVar[str] = "exact"

    states: Range = None
    bound: Range = None
    aggregation: str = "auto"
    merge: str | tuple[tuple[str, ...], ...] = "auto"
    tolerance: float = 0.0
    budget: float = 60.0

    def __post_init__(self) -> None:
        _ = self.capacity
        if isinstance(self.budget, bool) or not isinstance(self.budget, int | float) or not 0 < self.budget < 1e9:
            raise GraphFSAError(f"budget must be a number of seconds above 0; got {self.budget!r}")
        share = isinstance(self.tolerance, int | float) and not isinstance(self.tolerance, bool)
        if not share or not 0 <= self.tolerance < 1:
            raise GraphFSAError(f"tolerance must be a share of nodes in 0 .. 1, below 1; got {self.tolerance!r}")
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
        for name in {name for group in self.merge for name in group} - set(task.inputs):
            raise UnknownNameError("input class", name, task.inputs)
        together = [{task.inputs.index(name) for name in group} for group in self.merge]
        return [pair for pair in pairs if not any(set(pair) <= group for group in together)]
