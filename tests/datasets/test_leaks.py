"""No graph is in two splits: every task, split, size and pair, up to isomorphism; GRAB with every training split."""

from itertools import combinations

import numpy as np
import pytest

from graphfsa.datasets import (
    Split,
    as_dataset,
    dataset_class,
    dataset_names,
    divided,
    draw_split,
    generate_grab,
    grab_config,
    grab_config_names,
    overlap,
    training_data,
    zone_of,
)

OWN = [name for name in dataset_names() if dataset_class(name).__module__.startswith("graphfsa.") and name != "grab"]
"""The tasks of the package: other tests define some of their own."""
TASKS = [
    *((name, {}) for name in OWN),
    ("path-finding", {"colours": 2}),
    ("path-finding", {"trees": "deep"}),
    ("distance", {"graphs": "tree"}),
    ("elementary", {"rule": 30, "ring": True}),
    ("life", {"torus": False}),
    ("hex-life", {"torus": False}),
    ("wireworld", {"torus": False}),
]
SMALL = {
    "distance": {1, 2, 3, 4, 5, 6, 7},  # Of trees; connected graphs are divided from 6 nodes on.
    "elementary": {1, 2, 3, 4, 5, 6, 7, 8, 9},
    "mid-point": {2, 3, 4, 5, 6},
    "noisy-distance": {1, 2, 3, 4, 5},
    "path-finding": {2, 3, 4, 5, 6},
    "prefix-sum": {1, 2, 3, 4, 5},
    "root-value": {*range(1, 11), 20, 50, 100},
    "threshold-contagion": {1, 2, 3},
    "voronoi": {1, 2, 3, 4},
}
"""Sizes that may have too few graphs to be divided; pages mark their rows."""


def some(dataset, split):
    """The split, with at most 200 graphs of each size, but each size in it."""
    parts = tuple((size, min(count, 200)) for size, count in dataset.splits[split].parts)
    return Split(parts, dataset.splits[split].steps)


@pytest.mark.parametrize(("name", "options"), TASKS, ids=str)
def test_splits_of_a_task_are_apart(name, options):
    dataset = as_dataset(name, options)
    drawn = {
        split: draw_split(dataset, some(dataset, split), np.random.default_rng(place), zone_of(split))
        for place, split in enumerate(dataset.splits)
    }
    sizes = {size for split in dataset.splits.values() for size, _ in split.parts}
    small = {size for size in sizes if not divided(dataset, size)}
    assert small <= SMALL.get(name, set())
    for first, second in combinations(drawn, 2):
        if {first, second} != {"train", "learn"}:  # A learner gets one of the two.
            shared = overlap(drawn[first], drawn[second])
            assert set(drawn[second].sizes[shared].tolist()) <= small, (first, second)


@pytest.mark.parametrize(("name", "options"), TASKS, ids=str)
@pytest.mark.parametrize("split", ["train", "learn"])
def test_what_a_learner_gets_is_apart_and_so_are_tests_of_the_same_sizes(name, options, split):
    dataset = as_dataset(name, options)
    data = training_data(dataset, count=600, split=split)
    other = Split(tuple((size, 40) for size in sorted({*data.train.sizes.tolist(), *data.validation.sizes.tolist()})))
    test = draw_split(dataset, other, np.random.default_rng(5), "test")
    for known, asked in ((data.train, data.validation), (data.train, test), (data.validation, test)):
        shared = overlap(known, asked)
        assert not {size for size in set(asked.sizes[shared].tolist()) if divided(dataset, size)}


@pytest.mark.parametrize("name", ["path-finding", "prefix-sum", "distance"])
def test_validation_graphs_of_the_paper_are_no_training_graphs(name):
    for split in ("train", "learn"):
        data = training_data(name, split=split)
        assert not overlap(data.train, data.validation).any()


@pytest.mark.parametrize("training", ["train", "learn", "covering"])
@pytest.mark.parametrize("name", ["paper-1", "grid", "path", "row"])
def test_splits_of_grab_are_apart(name, training):
    data = generate_grab(grab_config(name), 0, training=training)
    pairs = combinations(data.splits, 2)
    shared = [pair for pair in pairs if overlap(*(data.splits[split] for split in pair)).any()]
    assert data.divided == (shared == [])
    assert data.divided == (name not in ("path", "row"))
    assert any("too small to be divided" in note for note in data.notes) != data.divided


def test_every_truth_of_the_paper_has_all_its_splits():
    for name in grab_config_names():
        if name.startswith("paper-"):
            data = generate_grab(grab_config(name), 1, training="learn")
            assert data.divided
            assert set(data.splits["train"].sizes.tolist()) == set(range(2, 11))
