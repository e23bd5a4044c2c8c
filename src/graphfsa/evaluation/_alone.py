"""Training graphs of the sizes that a protocol from outside names, and of no others: not for validation either."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graphfsa.datasets import Dataset, Examples, draw_split
from graphfsa.evaluation.jobs import Job
from graphfsa.graphs import GraphBatch

_SHARE = 10
"""One validation graph for this number of training graphs."""


def draw_alone(dataset: Dataset, job: Job) -> tuple[Examples, Examples]:
    """The training and the validation graphs of a job whose split is ``alone`` or ``every``.

    Training graphs that are all that there are, or too few for a tenth of them, are the validation graphs, too.
    """
    sizes, steps = list(job.train.sizes), job.data.steps or None
    if job.train.split == "every":
        whole = Examples.concatenate([_every(dataset, size, steps) for size in sizes])
        return whole, whole
    split = replace(dataset.splits["train"].resized(sizes, job.train.count or None), steps=steps)
    train = draw_split(dataset, split, np.random.default_rng(job.seed), "train")
    if len(train) < _SHARE * len(sizes):
        return train, train
    fewer = split.resized(sizes, len(train) // _SHARE)
    return train, draw_split(dataset, fewer, np.random.default_rng([job.seed, 1]), "validation")


def _every(dataset: Dataset, size: int, steps: int | None) -> Examples:
    """Every input that the task admits on every graph of a size."""
    parts: list[Examples] = []
    for graph in dataset.every_graph(size).graphs():
        rows = dataset.instances(graph)
        parts.append(dataset.examples(GraphBatch.repeat(graph, len(rows)), rows.reshape(-1), steps=steps))
    return Examples.concatenate(parts)
