"""Diff-FSA: automata found by gradient descent on soft tables (section 4.1 of the paper), and made exact."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import asdict, dataclass, fields
from math import inf
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from graphfsa.aggregations import Aggregation
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_name, check_number, check_type
from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError
from graphfsa.files import PathLike
from graphfsa.learners._base import Learner, Watch, attributes_of, check_examples, plain_value
from graphfsa.learners._model import Model
from graphfsa.learners.diff_fsa._checkpoint import read_history
from graphfsa.learners.diff_fsa._recipe import PRESETS, Recipe, for_evolution, recipe_of
from graphfsa.learners.diff_fsa._soft import SoftTable
from graphfsa.search.capacity import Capacity, Range
from graphfsa.search.cuts.conflicts import FeatureData
from graphfsa.search.cuts.search import Cuts

__all__ = ["PRESETS", "DiffFSA", "Recipe", "SoftTable", "read_history"]

_OWN = {
    "preset": "strong",
    "states": None,
    "bound": None,
    "aggregation": "auto",
    "device": "cpu",
    "implementation": "auto",
    "budget": None,
}
"""Options beside the choices of the recipe, with their defaults."""
_BUDGET = 180.0


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
        budget: Work, in units that take about a second each.
        recipe: Every choice of the training.

    Example:
        >>> DiffFSA("paper", rate=0.1).recipe.rate
        0.1
    """

    name: ClassVar[str] = "diff-fsa"
    continuous: ClassVar[bool] = True

    preset: str
    capacity: Capacity
    device: str
    implementation: str
    budget: float
    recipe: Recipe

    def __init__(
        self,
        preset: str = "strong",
        *,
        states: Range = None,
        bound: Range = None,
        aggregation: str | Aggregation = "auto",
        device: str = "cpu",
        implementation: str = "auto",
        budget: float | None = None,
        **choices: Any,
    ) -> None:
        """Choose how to train.

        Args:
            preset: ``strong``, ``paper`` or ``reference``.
            states: At most this number of states, or (fewest, most), on the command line 4 or 4..6; there is one for
                each class and each input. By default two more than that. In an evolution the states are given by
                the data.
            bound: Count at most to this number, or (least, most), on the command line 2 or 1..2.
            aggregation: How nodes see their neighbours: an aggregation, the name of one (``average-threshold`` is at
                one half; ``letters`` shows answers as they are and other states as one letter, then inputs as they
                are, too), or ``auto``: relations if the graphs have kinds of arcs, positional
                if they have slots, else counting.
            device: Device of the tables.
            implementation: ``compiled``, ``torch``, or ``auto``: compiled on the CPU.
            budget: Work for all sizes together, in units that take about a second each; the verdict is ``undecided``
                if it ends before the training does. By default 180; the published presets end by their epochs alone.
            choices: What to choose differently from the preset; see :class:`Recipe`.
        """
        if budget is not None:
            check_number("budget", budget, below=1e9, above=True)
        check_name("implementation", implementation, ("auto", "compiled", "torch"))
        if not isinstance(device, str) or (implementation == "compiled" and device != "cpu"):
            raise GraphFSAError(f"device must be cpu for the compiled implementation; got {device!r}")
        for name, value in (
            ("preset", preset),
            ("capacity", Capacity(states, bound, aggregation)),
            ("device", device),
            ("implementation", implementation),
            ("budget", budget or (_BUDGET if preset == "strong" else inf)),
            ("recipe", recipe_of(preset, choices)),
            ("_choices", tuple(choices)),
            ("_sizes", {"states": states, "bound": bound, "aggregation": aggregation, "budget": budget}),
        ):
            object.__setattr__(self, name, value)

    soft_tables: ClassVar[bool] = True

    @classmethod
    def option_help(cls) -> dict[str, str]:
        """What each option means: of the learner, and of the recipe."""
        own = attributes_of(cls.__init__.__doc__)
        return {**attributes_of(Recipe.__doc__), **{name: own[name] for name in _OWN}}

    @classmethod
    def option_defaults(cls) -> dict[str, Any]:
        """The options by name; those of the recipe are None: as the preset has them."""
        return {**_OWN, **dict.fromkeys(field.name for field in fields(Recipe))}

    def options(self) -> dict[str, Any]:
        """What was chosen, as JSON values: all options but those that are as the preset has them."""
        chosen = {name: value for name, value in asdict(self.recipe).items() if name in self.__dict__["_choices"]}
        own = {"preset": self.preset, **self.__dict__["_sizes"], "device": self.device}
        plain = {**own, "implementation": self.implementation, **chosen}
        return {name: plain_value(value) for name, value in plain.items()}

    @property
    def split(self) -> str:
        """The paper's graphs for the published presets."""
        return "learn" if self.preset == "strong" else "train"

    def check_libraries(self) -> None:
        """Raise if torch is missing, or does not have the device."""
        from graphfsa.learners._torch import find_device

        find_device(self.device)

    @property
    def compiled(self) -> bool:
        """Whether the compiled implementation is used."""
        return self.implementation == "compiled" or (self.implementation == "auto" and self.device == "cpu")

    def limited(self, budget: float) -> DiffFSA:
        """The same with this budget of work."""
        other = copy(self)
        object.__setattr__(other, "budget", budget)
        return other

    def soft_cuts(self, data: FeatureData, seed: int, watch: Watch) -> Iterator[Cuts]:
        """Thresholds that were trained together with soft tables, the best first."""
        from graphfsa.learners.diff_fsa._soft_cuts import trained_cuts

        return trained_cuts(data, seed, watch)

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
        watch: Watch | None = None,
        checkpoint: PathLike | None = None,
        resume: bool = False,
    ) -> Model:
        """Train.

        Args:
            train: The graphs to learn from.
            validation: Graphs to choose between tables with; an automaton counts as exact if it is so on both.
            seed: Seed; the same seed gives the same automaton on the same machine.
            initial: An automaton to begin with.
            known: Entries that stay as they are: successors, integers [num_states, num_values], -1 for what is
                to be learned. States are numbered final ones first, then starting ones, then others.
            watch: Called with a record of how it goes after each look at the discrete tables, and every second between
                two looks (with what is being done as ``doing``).
            checkpoint: A directory to keep the state, the history and the best automaton so far in.
            resume: Whether to go on from what is there.

        Returns:
            The model, with the soft table. Interrupted from the keyboard, it returns the best so far.
        """
        from graphfsa.learners.diff_fsa._checkpoint import Checkpoints
        from graphfsa.learners.diff_fsa._fit import Fit

        seed = check_examples(train, validation, seed)
        if initial is not None:
            check_type("initial", initial, GraphFSA)
        if initial is not None and (self.capacity.states is not None or self.capacity.bound is not None):
            raise GraphFSAError("an automaton to begin with has its own states and bound; leave them out")
        if resume and checkpoint is None:
            raise GraphFSAError("to resume, say which directory holds the checkpoint")
        kept = None if checkpoint is None else Checkpoints(checkpoint, resume=resume)
        fit = Fit(self, train, validation, seed, initial, known, watch or (lambda _record: None), kept)
        return fit.run()
