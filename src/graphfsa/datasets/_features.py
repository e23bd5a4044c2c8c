"""Labelled graphs whose nodes have numbers, and data sets that draw them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import shown
from graphfsa.datasets._base import Dataset, Specification, Split
from graphfsa.datasets._discretiser import ONE_INPUT, Discretiser, check_feature_names, check_features
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch


class FeatureExamples:
    """A frozen collection of labelled graphs whose nodes have features: numbers in place of, or beside, inputs.

    Args:
        examples: The graphs with their labels, and with the inputs that are given beside the features; where none are,
            all nodes have one.
        features: The features of each node of the union, [number of nodes, number of features].
        names: Name of each feature.

    Example:
        >>> path = GraphBatch.of([Graph.from_edges(2, [(0, 1)])])
        >>> labelled = Examples(Task("t", "classes", ("node",), ("even", "odd")), path, [0, 0], [0, 1], steps=4)
        >>> FeatureExamples(labelled, [0.9, 0.2], ("x",))
        FeatureExamples(t: 1 graph, 2 nodes with x)
    """

    def __init__(self, examples: Examples, features: Any, names: Sequence[str]) -> None:
        self.examples = examples
        self.names = tuple(names)
        if not self.names or len(set(self.names)) != len(self.names):
            raise GraphFSAError(f"features must have distinct names; got {shown(self.names)}")
        check_feature_names(self.names)
        self.features = check_features(features, self.names)
        if len(self.features) != len(examples.inputs):
            raise GraphFSAError(
                f"features must have one row per node, {len(examples.inputs)}; got {len(self.features)}"
            )
        self.features.setflags(write=False)

    def __len__(self) -> int:
        return len(self.examples)

    def __repr__(self) -> str:
        inside = repr(self.examples).removeprefix("Examples(").removesuffix(")")
        return f"FeatureExamples({inside} with {', '.join(self.names)})"

    @property
    def digest(self) -> str:
        """SHA-256 of everything: equal data have equal digests on every machine."""
        hasher = sha256(f"graphfsa.feature-examples/1{self.names}{self.examples.digest}".encode())
        hasher.update(np.ascontiguousarray(self.features.astype("<f8")).data)
        return hasher.hexdigest()

    def select(self, chosen: ArrayLike) -> FeatureExamples:
        """The graphs with the given indices, in that order."""
        places = np.asarray(chosen)
        offsets = self.examples.graphs.offsets.tolist()
        inside = [np.arange(offsets[graph], offsets[graph + 1]) for graph in places.tolist()]
        nodes = np.concatenate([np.empty(0, np.int64), *inside])
        return FeatureExamples(self.examples.select(places), self.features[nodes], self.names)

    def discretised(self, discretiser: Discretiser) -> Examples:
        """The graphs with an input class for each node. In an evolution the labels are split in the same way.

        Raises:
            GraphFSAError: The features or the inputs are not those that the discretiser knows.
        """
        task = self.examples.task
        if self.names != discretiser.features:
            raise GraphFSAError(
                f"the features must be {', '.join(discretiser.features)}; the data have {', '.join(self.names)}"
            )
        unknown = [name for name in task.inputs if name not in discretiser.given]
        if unknown and len(discretiser.given) > 1:
            raise GraphFSAError(f"inputs must be among {', '.join(discretiser.given)}; the data have {unknown[0]!r}")
        places = np.array([discretiser.given.index(name) if name not in unknown else 0 for name in task.inputs])
        return self.with_classes(
            discretiser.names,
            discretiser.classes(self.features, places[self.examples.inputs]),
            discretiser.classes(self.features, places[self.examples.labels]) if task.kind == "evolution" else None,
        )

    def with_classes(self, names: Sequence[str], inputs: Array, labels: Array | None) -> Examples:
        """The graphs with these input classes; in an evolution, with these labels too."""
        examples, evolves = self.examples, labels is not None
        task = Task(examples.task.name, examples.task.kind, tuple(names), names if evolves else examples.task.classes)  # pyright: ignore[reportArgumentType]
        return Examples(
            task,
            examples.graphs,
            inputs,
            examples.labels if labels is None else labels,
            steps=examples.steps,
            mask=examples.mask,
            counts=examples.counts,
        )


class FeatureDataset(Dataset):
    """A data set whose nodes also have numbers, from which their inputs can be told.

    As it is, it draws graphs with input classes like any other. ``measure`` draws the features that nodes with these
    inputs have; who learns from features does not get the inputs.
    """

    feature_names: ClassVar[tuple[str, ...]]
    """Name of each feature."""

    given_inputs: ClassVar[Mapping[str, str]] = {}
    """What of each input the data give beside the features, by name; nothing for data of features alone."""

    @abstractmethod
    def measure(self, inputs: Array, rng: np.random.Generator) -> Array:
        """Draw the features of nodes with these inputs, float64 [number of nodes, number of features]."""

    def measured(self, examples: Examples, rng: np.random.Generator) -> FeatureExamples:
        """Graphs of this data set with features, and without the inputs that the features tell."""
        task = examples.task
        features = self.measure(examples.inputs, rng)
        shown_as = [self.given_inputs.get(name, ONE_INPUT) for name in task.inputs]
        names = tuple(dict.fromkeys(shown_as))
        places = np.array([names.index(name) for name in shown_as])
        evolves = task.kind == "evolution"
        seen = Examples(
            Task(task.name, task.kind, names, names if evolves else task.classes),
            examples.graphs,
            places[examples.inputs],
            places[examples.labels] if evolves else examples.labels,
            steps=examples.steps,
            mask=examples.mask,
            counts=examples.counts,
        )
        return FeatureExamples(seen, features, self.feature_names)


def check_features_of(dataset: Dataset) -> FeatureDataset:
    """The data set, if it measures features; raises if it does not."""
    if isinstance(dataset, FeatureDataset):
        return dataset
    raise GraphFSAError(
        f"the nodes of {dataset.name} have no features; continuous inputs need a data set that measures some, such as "
        "noisy-distance, or labelled graphs with features"
    )


@dataclass(frozen=True)
class DiscretisedDataset(Dataset):
    """A data set with features as a discretiser sees it: what is drawn has the inputs that its cuts give.

    Everything that does not depend on features (the definition of the task, its statements) is that of the data set.

    Attributes:
        dataset: The data set.
        discretiser: The discretiser.
    """

    name: ClassVar[str] = "discretised"

    dataset: FeatureDataset
    discretiser: Discretiser

    def __post_init__(self) -> None:
        for name in ("name", "splits"):
            object.__setattr__(self, name, getattr(self.dataset, name))
        if self.discretiser.features != self.dataset.feature_names:
            raise GraphFSAError(
                f"{self.dataset.name} has the features {', '.join(self.dataset.feature_names)}; the model knows "
                + ", ".join(self.discretiser.features)
            )

    splits: ClassVar[Mapping[str, Split]] = {}

    @property
    def named(self) -> bool:
        """Whether the input classes are called as the inputs of the data set."""
        return self.discretiser.names == self.dataset.task.inputs

    @property
    def task(self) -> Task:
        own, names = self.dataset.task, self.discretiser.names
        return Task(own.name, own.kind, names, names if own.kind == "evolution" else own.classes)

    @property
    def graph_class(self) -> str | None:
        return self.dataset.graph_class if self.named else None

    def num_instances(self, size: int) -> int:
        return self.dataset.num_instances(size)

    def instances(self, graph: Graph) -> Array:
        return self.dataset.instances(graph)

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        return self.dataset.examples(graphs, inputs, steps=steps)

    def automaton(self) -> GraphFSA:
        return self.dataset.automaton()

    def specifications(self) -> tuple[Specification, ...]:
        return self.dataset.specifications() if self.named else ()

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:
        """Draw graphs, measure features, and cut them."""
        drawn = self.dataset.generate(size, count, rng, steps=steps)
        return self.dataset.measured(drawn, rng.spawn(1)[0]).discretised(self.discretiser)

    @property
    def reference(self) -> str:
        return self.dataset.reference

    def options(self) -> dict[str, Any]:
        return self.dataset.options()
