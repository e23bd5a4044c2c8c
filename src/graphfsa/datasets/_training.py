"""The graphs to learn from: those that a task draws, or the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isfunction
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_choice, check_seed, is_integer
from graphfsa.datasets._base import Dataset, as_dataset
from graphfsa.datasets._convert import as_examples, as_feature_examples
from graphfsa.datasets._drawing import draw_split, draw_training
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._features import FeatureExamples, check_features_of
from graphfsa.errors import GraphFSAError


@dataclass(frozen=True)
class TrainingData:
    """Graphs to learn from.

    Attributes:
        train: The training graphs.
        validation: Graphs to choose between models with; None for labelled graphs without any.
        dataset: The data set that they are drawn from, if they are.
        drawn: How the training graphs are drawn from it: ``split``, ``sizes``, ``count`` and ``steps``.
        measured: The training graphs with features, if one learns from those.
        truth: With a data set and features: the inputs of the training nodes, uint8. Cuts are named after them when
            they are found.
    """

    train: Examples
    validation: Examples | None = None
    dataset: Dataset | None = None
    drawn: Mapping[str, Any] = field(default_factory=dict[str, Any])
    measured: FeatureExamples | None = None
    truth: Array | None = None


def training_data(
    data: Any,
    *,
    validation: Any = None,
    sizes: int | Sequence[int] | None = None,
    count: int | None = None,
    steps: int | None = None,
    seed: int = 0,
    split: str = "learn",
    inputs: str = "classes",
) -> TrainingData:
    """Draw the training and validation graphs of a task, or read labelled graphs.

    Validation graphs of a task are from a zone of their own: apart from training graphs and from test graphs.

    Args:
        data: A data set, its name, or ``"file.py:Class"``; or labelled graphs of any kind.
        validation: Labelled graphs of any kind; not with a task.
        sizes: With a task: numbers of nodes, or one number.
        count: With a task: number of training graphs in all.
        steps: Steps after which labels hold.
        seed: Seed of the graphs that are drawn.
        split: With a task: ``learn`` (``train`` where there is none) or ``train``.
        inputs: ``"classes"``, or ``"continuous"``: the features of the nodes.
    """
    check_choice("inputs", inputs, ("classes", "continuous"))
    if inputs == "continuous":
        return _measured(data, validation, sizes, count, steps, seed, split)
    if not is_task(data):
        return _own(data, validation, sizes, count, steps)
    if validation is not None:
        raise GraphFSAError("validation goes with labelled graphs; a task has validation graphs of its own")
    dataset, seed = as_dataset(data), check_seed(seed)
    chosen_sizes: Any = [sizes] if is_integer(sizes) else sizes
    train = draw_training(
        dataset, np.random.default_rng(seed), sizes=chosen_sizes, count=count, steps=steps, split=split
    )  # fmt: skip
    chosen = dataset.splits["validation"]
    if sizes is not None or count is not None:
        total = sum(number for _, number in chosen.parts) if count is None else max(1, count // 10)
        chosen = chosen.resized(chosen_sizes, total)
    if steps is not None:
        chosen = replace(chosen, steps=steps)
    validation = draw_split(dataset, chosen, np.random.default_rng([seed, 1]), "validation")
    listed = None if sizes is None else list(chosen_sizes)
    drawn = {"split": split, "sizes": listed, "count": count, "steps": steps}
    return TrainingData(train, validation, dataset, drawn)


def _measured(
    data: Any, validation: Any, sizes: Any, count: int | None, steps: int | None, seed: int, split: str
) -> TrainingData:
    """Graphs with features; those of a data set are told without the inputs that the features tell."""
    if validation is not None:
        raise GraphFSAError("validation does not go with continuous inputs")
    if not is_task(data):
        if sizes is not None or count is not None:
            raise GraphFSAError("sizes and count go with a task; labelled graphs are as they are")
        measured = as_feature_examples(data, steps=steps)
        return TrainingData(measured.examples, measured=measured)
    dataset = check_features_of(as_dataset(data))
    drawn = training_data(dataset, sizes=sizes, count=count, steps=steps, seed=seed, split=split)
    measured = dataset.measured(drawn.train, np.random.default_rng([check_seed(seed), 2]))
    return replace(drawn, train=measured.examples, validation=None, measured=measured, truth=drawn.train.inputs)


def is_task(data: Any) -> bool:
    """Whether something names a task, or is a data set; otherwise it must be labelled graphs."""
    if isinstance(data, Dataset) or isfunction(data) or (isinstance(data, type) and issubclass(data, Dataset)):
        return True
    return isinstance(data, str) and Path(data).suffix.lower() != ".jsonl"


def _own(data: Any, validation: Any, sizes: Any, count: Any, steps: int | None) -> TrainingData:
    if sizes is not None or count is not None:
        raise GraphFSAError("sizes and count go with a task; labelled graphs are as they are")
    train = as_examples(data, steps=steps)
    if validation is None:
        return TrainingData(train)
    return TrainingData(train, as_examples(validation, steps=steps).matched(train.task))
