"""What a model remembers: how it was learned, from what, what was tried, and which labels it does not give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphfsa.datasets import Dataset, as_dataset
from graphfsa.plugins import known_plugin


@dataclass(frozen=True)
class Provenance:
    """Where a model comes from: enough to learn it again.

    Attributes:
        learner: Name of the learner, or ``file.py:Class``.
        options: Its options.
        seed: Seed of the search or training.
        data: Digest of the training graphs.
        graphs: Number of training graphs.
        train_accuracy: Share of the training nodes that get their label, strictly.
        validation: Digest of the validation graphs; None without any.
        validation_accuracy: The same share on the validation graphs; None without any.
        seconds: How long it took, all rounds of learning and proving or checking together.
        interrupted: Whether the user ended it early.
        details: What this learner has to say beyond that: updates, epochs, ... After learning until proved or checked:
            ``rounds``, how often it learned, and ``seconds_of``, the parts of ``seconds``.
        versions: Versions of the package and of the libraries that decide the outcome.
    """

    learner: str
    options: Mapping[str, Any]
    seed: int
    data: str
    graphs: int
    train_accuracy: float
    validation: str | None = None
    validation_accuracy: float | None = None
    seconds: float = 0.0
    interrupted: bool = False
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Suspect:
    """A training node whose label the model does not give.

    Attributes:
        graph: Index of the graph in the training data.
        node: Number of the node within its graph.
        label: Name of the class that the data give it.
        answer: Name of the class that the model gives it, or None.
    """

    graph: int
    node: int
    label: str
    answer: str | None


@dataclass(frozen=True)
class Attempted:
    """One size of automata that was tried.

    Attributes:
        size: The size, for people.
        outcome: ``fits``, ``impossible`` or ``open``.
        by: The method that decided it; empty if none did.
        seconds: How long it took.
    """

    size: str
    outcome: str
    by: str
    seconds: float


@dataclass(frozen=True)
class DatasetReference:
    """The data set that a model is for.

    Attributes:
        name: Its name, or ``file.py:Class``.
        options: Its options.
        drawn: How the training graphs were drawn from it: ``split``, ``sizes``, ``count`` and ``steps``.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    drawn: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def load(self) -> Dataset:
        """The data set."""
        return as_dataset(known_plugin(Dataset, self.name), dict(self.options))
