"""What a learner is: a frozen configuration whose ``fit`` turns labelled graphs into a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from inspect import cleandoc
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_seed, check_type, shown
from graphfsa.datasets import Examples
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.learners._model import Model, Predictor, Verdict
from graphfsa.learners._model_files import versions
from graphfsa.learners._provenance import Provenance, Suspect
from graphfsa.plugins import Plugin, plugin_reference
from graphfsa.search.cuts.conflicts import FeatureData
from graphfsa.search.cuts.search import Cuts

Watch = Callable[[dict[str, Any]], None]
_MAX_SUSPECTS = 1000


class Learner(Plugin, ABC):
    """The contract. A new learner is one frozen dataclass that extends this, in this room or in a file of your own.

    Its fields are the options of the learner, and it must be constructible without arguments.
    """

    kind = "learner"
    room = "graphfsa.learners"

    suffix: ClassVar[str] = ".json"
    """How the file of a model ends."""

    soft_tables: ClassVar[bool] = False
    """Whether its automata are read off soft tables, which can be kept."""

    continuous: ClassVar[bool] = False
    """Whether it learns automata from features too: then thresholds and an automaton are found together."""

    @property
    def split(self) -> str:
        """Which graphs of a data set it learns from: ``learn``, many small ones, or ``train``, those of the paper."""
        return "learn"

    @abstractmethod
    def fit(self, train: Examples, validation: Examples | None = None, *, seed: int = 0) -> Model | Predictor:
        """Learn from labelled graphs.

        Args:
            train: The graphs to learn from.
            validation: Graphs to choose between models with, if the learner does so.
            seed: Seed of all randomness; the same seed gives the same model.

        Returns:
            A model, or for a learner of one's own anything with a method ``predict(graph, inputs, *, steps)``.
            A learner may also take ``watch``, which is given a record of how it goes now and then.
        """

    @classmethod
    def option_defaults(cls) -> dict[str, Any]:
        """The options by name, with their defaults."""
        return {field.name: field.default for field in (fields(cls) if is_dataclass(cls) else ())}

    @classmethod
    def option_help(cls) -> dict[str, str]:
        """What each option means, as its docstring says."""
        return {name: words for kind in reversed(cls.__mro__) for name, words in attributes_of(kind.__doc__).items()}

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Build it from options by name, as from a file: lists are tuples.

        Raises:
            UnknownNameError: It has no such option.
            GraphFSAError: A value is not valid.
        """
        known = cls.option_defaults()
        for name in options:
            if not known:
                raise GraphFSAError(f"the learner {cls.name} has no options; got {name!r}")
            if name not in known:
                raise UnknownNameError(f"option of {cls.name}", name, list(known))
        try:
            return cls(**{name: _tuples(value) for name, value in options.items()})
        except TypeError as error:
            raise GraphFSAError(f"{cls.name}: {error}") from None

    def options(self) -> dict[str, Any]:
        """The options with their values, as JSON values."""
        return {name: plain_value(getattr(self, name)) for name in self.option_defaults()}

    def check_libraries(self) -> None:
        """Raise if a library or device is missing that it needs; by default it needs none."""

    def limited(self, budget: float) -> Learner:
        """The same with this budget of work; by default, without a budget, itself."""
        del budget
        return self

    def soft_cuts(self, data: FeatureData, seed: int, watch: Watch) -> Iterator[Cuts]:
        """Thresholds for features that the learner proposes itself; by default none.

        Args:
            data: The graphs with features.
            seed: The seed.
            watch: Called with a record of how it goes now and then.
        """
        del data, seed, watch
        return iter(())


def attributes_of(doc: str | None) -> dict[str, str]:
    """The entries of the section ``Attributes`` (or ``Args``) of a docstring, each on one line."""
    entries: dict[str, str] = {}
    name, within = "", False
    for line in cleandoc(doc or "").split("\n"):
        if line and not line.startswith(" "):
            within = line in ("Attributes:", "Args:")
        elif within and line.startswith("     "):
            entries[name] += f" {line.strip()}"
        elif within and ":" in line:
            name, _, words = line.strip().partition(":")
            entries[name] = words.strip()
    return {name: words.replace("``", "").rstrip(".") for name, words in entries.items()}


def check_examples(train: Any, validation: Any, seed: Any) -> int:
    """Raise unless these are labelled graphs of one task, and some node of each counts; returns the seed."""
    check_type("train", train, Examples, "graphfsa.as_examples makes them of NetworkX graphs and files")
    for what, given in (("training", train), ("validation", validation)):
        if given is None:
            continue
        check_type(what, given, Examples)
        if given.task != train.task:
            raise GraphFSAError(f"validation graphs must be of the task {train.task.name}; got {given.task.name}")
        if not (given.mask & (np.repeat(given.counts, given.sizes) > 0)).any():
            raise GraphFSAError(f"there is nothing to learn from: no node of the {what} graphs counts")
    return check_seed(seed)


def learned(
    learner: Learner,
    train: Examples,
    validation: Examples | None,
    seed: int,
    body: GraphFSA | Predictor | None,
    *,
    seconds: float,
    verdict: Verdict | None = None,
    interrupted: bool = False,
    details: dict[str, Any] | None = None,
    **evidence: Any,
) -> Model:
    """The model that a learner returns; the graphs are run once.

    Args:
        learner: The learner.
        train: The training graphs.
        validation: The validation graphs, if any.
        seed: The seed.
        body: What was found, if anything.
        seconds: How long it took.
        verdict: The verdict if something is wrong; by default ``best-effort``.
        interrupted: Whether the user ended it early.
        details: What to say about the training beyond that, as JSON values.
        evidence: Further fields of the model: ``impossibility``, ``attempts``, ``soft``, ``history``.
    """
    model = Model(train.task, body, **evidence)
    used, suspects = None, ()
    if isinstance(body, GraphFSA):
        answers, used = roll_out(body, train)
        suspects = _suspects(train, answers)
    else:
        answers = model.answers(train)
    accuracy = train.score(answers).accuracy if body is not None else 0.0
    on_validation = None if validation is None else model.accuracy(validation)
    right = accuracy == 1 and on_validation in (None, 1)
    provenance = Provenance(
        learner=plugin_reference(type(learner)),
        options=learner.options(),
        seed=seed,
        data=train.digest,
        graphs=len(train),
        train_accuracy=accuracy,
        validation=None if validation is None else validation.digest,
        validation_accuracy=on_validation,
        seconds=round(seconds, 3),
        interrupted=interrupted,
        details=plain_value(details or {}),
        versions=versions(),
    )
    judged: Verdict = "exact" if right else verdict or "best-effort"
    return Model(
        train.task, body, judged, provenance=provenance, used=used, suspects=suspects, **evidence
    )  # fmt: skip


def roll_out(fsa: GraphFSA, examples: Examples) -> tuple[Array, Array]:
    """What an automaton answers for each node, int16, and which entries it uses on the way, bool."""
    start = examples.task.starting_states(fsa, examples.inputs)
    last = start.copy()
    used = np.zeros(fsa.transition_table.shape, bool)
    for steps, part, nodes in examples.by_steps():
        trajectory = run(fsa, part.graphs.graph, start[nodes], steps, entries=True)
        assert trajectory.entries is not None
        last[nodes] = trajectory.last
        used |= trajectory.entries > 0
    return examples.task.predictions(fsa, last), used


def _suspects(train: Examples, answers: Array) -> tuple[Suspect, ...]:
    wrong = np.flatnonzero(train.wrong(answers))[:_MAX_SUSPECTS]
    offsets, classes = train.graphs.offsets, train.task.classes
    return tuple(
        Suspect(
            graph=int(graph),
            node=int(node - offsets[graph]),
            label=classes[train.labels[node]],
            answer=classes[answers[node]] if answers[node] >= 0 else None,
        )
        for node, graph in zip(wrong, train.graphs.owners[wrong], strict=True)
    )


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def plain_value(value: Any) -> Any:
    """A value of an option as JSON has it."""
    if isinstance(value, dict):
        return {key: plain_value(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [plain_value(part) for part in value]
    if isinstance(value, Aggregation):
        return value.config()
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and not isfinite(number):
        return str(number)
    return number if number is None or isinstance(number, bool | int | float | str) else shown(number)
