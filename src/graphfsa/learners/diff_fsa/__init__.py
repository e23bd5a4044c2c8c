"""Diff-FSA: automata found by gradient descent on soft tables (section 4.1 of the paper), and made exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.files import PathLike
from graphfsa.learners._base import Learner
from graphfsa.learners.diff_fsa._found import Record
from graphfsa.learners.diff_fsa._recipe import PRESETS, Recipe, for_evolution, recipe_of
from graphfsa.learners.diff_fsa._result import Trained
from graphfsa.learners.diff_fsa._soft import SoftModel
from graphfsa.search.capacity import Capacity, Range

__all__ = ["PRESETS", "DiffFSA", "Recipe", "SoftModel", "Trained"]


@dataclass(frozen=True, init=False)
class DiffFSA(Learner):
    """Trains soft tables by gradient descent and reads a discrete automaton off them.

    The preset ``strong`` trains many tables at once, with gradients through neighbours, repairs the best discrete ones
    until nothing is wrong, and chooses the simplest. ``paper`` trains one table as published; ``reference`` the same
    with the number of steps of the authors' experiments.

    Attributes:
        preset: ``strong``, ``paper`` or ``reference``.
        capacity: How many states and what bound at most; smaller automata come first.
        device: Device of the tables: ``cpu``, ``cuda``, ...
        implementation: ``compiled`` (on the CPU), ``torch``, or ``auto``.
        recipe: Every choice of the training.

    Example:
        >>> DiffFSA("paper", rate=0.1).recipe.rate
        0.1
    """

    name: ClassVar[str] = "diff-fsa"

    preset: str
    capacity: Capacity
    device: str
    implementation: str
    recipe: Recipe

    def __init__(
        self,
        preset: str = "strong",
        *,
        states: Range = None,
        bound: Range = None,
        aggregation: str = "auto",
        device: str = "cpu",
        implementation: str = "auto",
        **choices: Any,
    ) -> None:
        """Choose how to train.

        Args:
            preset: ``strong``, ``paper`` or ``reference``.
            states: How many states at most, or (fewest, most), among them one for each class and each input class. By
                default two more than that. In an evolution the states are given by the data.
            bound: How far to count at most, or (least, most).
            aggregation: ``counting``, ``positional``, ``average-threshold`` (at one half), or ``auto``: positional if
                the graphs have slots, else counting.
            device: Device of the tables.
            implementation: ``compiled``, ``torch``, or ``auto``: compiled on the CPU.
            choices: What to choose differently from the preset; see :class:`Recipe`.
        """
        if implementation not in ("auto", "compiled", "torch"):
            raise UnknownNameError("implementation", str(implementation), ("auto", "compiled", "torch"))
        if not isinstance(device, str) or (implementation == "compiled" and device != "cpu"):
            raise GraphFSAError(f"device must be cpu for the compiled implementation; got {device!r}")
        for name, value in (
            ("preset", preset),
            ("capacity", Capacity(states, bound, aggregation)),
            ("device", device),
            ("implementation", implementation),
            ("recipe", recipe_of(preset, choices)),
            ("_choices", tuple(choices)),
        ):
            object.__setattr__(self, name, value)

    def check_torch(self) -> None:
        """Raise if torch is missing, or does not have the device."""
        from graphfsa.learners._torch import find_device

        find_device(self.device)

    @property
    def compiled(self) -> bool:
        """Whether the compiled implementation is used."""
        return self.implementation == "compiled" or (self.implementation == "auto" and self.device == "cpu")

    def recipe_for(self, task: Task) -> Recipe:
        """The choices for a task: some make no sense where labels are states at a given step."""
        if task.kind == "classes":
            return self.recipe
        return for_evolution(self.recipe, self.preset, self.__dict__["_choices"])

    def fit(
        self,
        train: Examples,
        validation: Examples | None = None,
        *,
        seed: int = 0,
        initial: GraphFSA | None = None,
        known: ArrayLike | None = None,
        watch: Callable[[Record], None] | None = None,
        checkpoint: PathLike | None = None,
        resume: bool = False,
    ) -> Trained:
        """Train.

        Args:
            train: The graphs to learn from.
            validation: Graphs to choose between tables with; an automaton counts as exact if it is so on both.
            seed: Seed; the same seed gives the same automaton on the same machine.
            initial: An automaton to begin with.
            known: Entries that stay as they are: successors, whole numbers [num_states, num_values], -1 for what is
                to be learned. States are numbered final ones first, then starting ones, then others.
            watch: Is given a record of how it goes after each look at the discrete tables.
            checkpoint: A directory to keep the state and the history in.
            resume: Whether to go on from what is there.

        Returns:
            The automaton and the soft table. Interrupted from the keyboard, it returns the best so far.
        """
        from graphfsa.learners.diff_fsa._checkpoint import Checkpoints
        from graphfsa.learners.diff_fsa._fit import Fit

        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise GraphFSAError(f"seed must be a whole number of at least 0; got {seed!r}")
        for what, given in (("train", train), ("validation", validation)):
            if not isinstance(given, Examples) and not (what == "validation" and given is None):
                raise GraphFSAError(f"{what} must be Examples, labelled graphs; got {type(given).__name__}")
        if initial is not None and not isinstance(initial, GraphFSA):
            raise GraphFSAError(f"initial must be a GraphFSA; got {type(initial).__name__}")
        if initial is not None and (self.capacity.states is not None or self.capacity.bound is not None):
            raise GraphFSAError("an automaton to begin with has its own states and bound; leave them out")
        if resume and checkpoint is None:
            raise GraphFSAError("to resume, say which directory holds the checkpoint")
        kept = None if checkpoint is None else Checkpoints(checkpoint, resume=resume)
        fit = Fit(self, train, validation, int(seed), initial, known, watch or (lambda _record: None), kept)
        return fit.run()
