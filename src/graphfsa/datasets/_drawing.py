"""Keeps training, validation and test graphs apart without any having seen the others.

Every graph with its inputs, up to isomorphism, belongs to one of three zones by a hash: eight tenths are for training,
one tenth for validation, one for testing. So no test graph is isomorphic to one that a learner has seen, whenever they
are drawn. Domains too small to be divided (paths of three nodes, say) are used whole by all, and commands say so.
Graphs of more than 100 nodes are not divided: if there are many of 100 nodes, a larger one is not drawn twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from graphfsa.datasets._base import Dataset, Split, check_size
from graphfsa.datasets._examples import Examples
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.graphs.isomorphism import graph_keys

Zone = Literal["train", "validation", "test"]
ZONES: tuple[Zone, ...] = ("train", "validation", "test")
DRAWING = 2
"""Version of how graphs are drawn: results of another version are about other graphs."""
MAX_SIZE = 100
_SMALL_DOMAIN = 64
_PROBE = 512
_TENTHS: dict[Zone, tuple[int, ...]] = {"train": (1, 2, 3, 4, 6, 7, 8, 9), "validation": (5,), "test": (0,)}
_BATCH_NODES = 2**21


def in_zone(examples: Examples, zone: Zone) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which graphs belong to a zone, bool [number of graphs]."""
    return np.isin(graph_keys(examples.graphs, examples.inputs) % np.uint64(10), _TENTHS[zone])


def zone_of(split: str) -> Zone:
    """The zone of a split by its name: ``validation`` and ``test`` have their own, others are to learn from."""
    return "validation" if split == "validation" else "test" if split == "test" else "train"


@lru_cache(maxsize=256)
def divided(dataset: Dataset, size: int) -> bool:
    """Whether there are enough graphs of this size to divide them into zones."""
    if size > MAX_SIZE:
        return divided(dataset, _largest_divided(dataset))
    probe = dataset.generate(size, _PROBE, np.random.default_rng(0))
    return len(np.unique(graph_keys(probe.graphs, probe.inputs))) >= _SMALL_DOMAIN


def _largest_divided(dataset: Dataset) -> int:
    """The largest size of the data set's own splits that is divided into zones; other sizes may not exist at all."""
    sizes = {size for split in dataset.splits.values() for size, _ in split.parts}
    return max((size for size in sizes if size <= MAX_SIZE), default=MAX_SIZE)


def draw(
    dataset: Dataset, size: int, count: int, rng: np.random.Generator, zone: Zone, *, steps: int | None = None
) -> Examples:
    """Draw labelled graphs of one size from a zone.

    Args:
        dataset: The data set.
        size: Number of nodes of each graph.
        count: Number of graphs.
        rng: Source of randomness.
        zone: ``"train"``, ``"validation"`` or ``"test"``; where there are enough, no graph of one is isomorphic to one
            of another.
        steps: Steps after which the labels hold; None for the data set's own number.

    Example:
        >>> from graphfsa.datasets import dataset_class, draw, overlap
        >>> task = dataset_class("path-finding")()
        >>> train, test = (draw(task, 8, 50, np.random.default_rng(0), zone) for zone in ("train", "test"))
        >>> len(train), len(test), int(overlap(train, test).sum())
        (50, 50, 0)
    """
    if zone not in ZONES:
        raise UnknownNameError("zone", str(zone), ZONES)
    check_size("a graph", size, 0, count)
    if size > MAX_SIZE or not divided(dataset, size):
        return dataset.generate(size, count, rng, steps=steps)
    kept: list[Examples] = []
    have = drawn = 0
    while have < count or not kept:
        batch = min(max(32, (count - have) * (2 if zone == "train" else 14)), max(32, _BATCH_NODES // size))
        found = dataset.generate(size, batch, rng, steps=steps)
        kept.append(found.select(_first_of(found, zone, count - have)))
        have += len(kept[-1])
        drawn += batch
        if have < count and drawn > 1000 * max(count, 32):
            raise GraphFSAError(f"{dataset.name}: too few distinct graphs of {size} nodes for the {zone} zone")
    return kept[0] if len(kept) == 1 else Examples.concatenate(kept)


def _first_of(examples: Examples, zone: Zone, count: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The first graphs that belong to a zone, at most ``count`` of them; others may not even be hashed."""
    chosen: list[np.ndarray[Any, Any]] = []
    have = begin = 0
    while have < count and begin < len(examples):
        end = min(len(examples), begin + 32 + (count - have) * 21 // (2 * len(_TENTHS[zone])))
        part = np.arange(begin, end)
        chosen.append(part[in_zone(examples if len(part) == len(examples) else examples.select(part), zone)])
        have, begin = have + len(chosen[-1]), end
    return np.concatenate([np.empty(0, np.intp), *chosen])[:count]


def draw_split(dataset: Dataset, split: Split, rng: np.random.Generator, zone: Zone) -> Examples:
    """Draw all graphs of a split from a zone; each size has a source of randomness of its own.

    Raises:
        GraphFSAError: A size can't be drawn; all are checked before any graph is drawn.
    """
    for size, count in split.parts:
        check_size("a graph", size, 0, count)
    children = rng.spawn(len(split.parts))
    return Examples.concatenate(
        [
            draw(dataset, size, count, child, zone, steps=split.steps)
            for (size, count), child in zip(split.parts, children, strict=True)
        ]
    )


def draw_training(
    dataset: Dataset,
    rng: np.random.Generator,
    *,
    sizes: int | Sequence[int] | None = None,
    count: int | None = None,
    steps: int | None = None,
    split: str = "learn",
) -> Examples:
    """Draw graphs to learn from: the split ``learn``, or ``train`` where there is none, from the training zone.

    Args:
        dataset: The data set.
        rng: Source of randomness.
        sizes: The sizes, or one size; by default those of the split.
        count: Number of graphs in all; by default that of the split.
        steps: Steps after which the labels hold; by default those of the split.
        split: Name of the split; ``train`` if the data set has none with this name.
    """
    chosen = dataset.splits.get(split, dataset.splits["train"]).resized(sizes, count)
    return draw_split(dataset, chosen if steps is None else replace(chosen, steps=steps), rng, "train")
