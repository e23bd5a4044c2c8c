"""How far networks and automata that are trained as published reach, beside what was published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np

from benchmarks._report import row, say
from graphfsa.datasets import Dataset, dataset_class, draw, draw_split, draw_training
from graphfsa.evaluation.published import published
from graphfsa.learners import Learner, Model

_TEST_STEPS = {10: 20, 20: 30, 50: 75, 100: 150}
"""The authors' numbers of steps."""
_TABLES = {
    "distance": "tab:graph-algorithms",
    "root-value": "tab:rootvalue-results",
    "path-finding": "tab:pathfinding-result",
    "prefix-sum": "tab:prefixsum-result",
}


@dataclass(frozen=True)
class Trained:
    """A learner on a task of the paper.

    Attributes:
        task: Name of the data set.
        learner: The learner.
        options: Options of the data set.
        train: How training graphs are drawn; by default the paper's.
        note: What is special, for the report.
    """

    task: str
    learner: Learner
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    train: dict[str, Any] = field(default_factory=lambda: {"split": "train"})
    note: str = ""


def published_accuracies(trained: Trained, what: str, column: str, seeds: list[int]) -> Iterator[dict[str, Any]]:
    """Mean accuracy at each size of the paper, beside the published one.

    Args:
        trained: What is trained on what.
        what: The learner, in words.
        column: The model of the paper that it is compared with.
        seeds: The seeds.
    """
    say(f"{what} on {trained.task}")
    dataset = dataset_class(trained.task)(**trained.options)
    scores: list[list[float]] = []
    seconds: list[float] = []
    for seed in seeds:
        train = draw_training(dataset, np.random.default_rng(seed), **trained.train)
        validation = draw_split(dataset, dataset.splits["validation"], np.random.default_rng([seed, 1]), "train")
        began = process_time()
        model = trained.learner.fit(train, validation, seed=seed)
        seconds.append(process_time() - began)
        assert isinstance(model, Model)
        scores.append([_tested(dataset, model, n, seed) for n in _TEST_STEPS])
    means, spread = np.mean(scores, axis=0), np.std(scores, axis=0)
    for place, n in enumerate(_TEST_STEPS):
        source = published(_TABLES[trained.task])[column, f"n={n}"]
        label = f"{what}, {trained.task}{trained.note}: accuracy at n = {n}, mean" if place == 0 else f"  n = {n}"
        target = f"published {source.mean:.2f} +- {source.std:.2f}"
        runs = [round(float(run[place]), 4) for run in scores]
        yield row(label, float(means[place]), f"+- {spread[place]:.2f}", target, runs=runs)
    yield row("  slowest training, seconds of the processor", max(seconds), "s", runs=[round(s, 1) for s in seconds])


def _tested(dataset: Dataset, model: Model, size: int, seed: int) -> float:
    test = draw(dataset, size, 100, np.random.default_rng([seed, 2, size]), "test")
    return model.accuracy(test, steps=_TEST_STEPS[size])
