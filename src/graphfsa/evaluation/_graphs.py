"""The graphs of a job, drawn from its configuration and seed.

Training graphs are of the training zone, test graphs of the test zone, and every learner of a seed gets the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphfsa.datasets import Dataset, Examples, GrabConfig, dataset_class, draw, generate_grab, grab_config
from graphfsa.datasets._base import check_size, check_steps
from graphfsa.datasets._zones import draw_split, draw_training
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation.experiment import Data, Test, Train


@dataclass(frozen=True)
class Sheet:
    """Test graphs of one size: the same graphs for each number of steps.

    Attributes:
        names: Name of each test.
        parts: The graphs with the labels of that test.
        automata: Whether only automata are run on them.
    """

    names: tuple[str, ...]
    parts: tuple[Examples, ...]
    automata: bool


@dataclass(frozen=True)
class Drawn:
    """All graphs of a job."""

    train: Examples
    validation: Examples
    sheets: tuple[Sheet, ...]


def draw_graphs(config: dict[str, Any]) -> Drawn:
    """Draw the graphs of a job.

    Args:
        config: Configuration of the job: ``data``, ``train``, ``tests`` and ``seed``.
    """
    return _from_grab(config) if config["data"]["grab"] else _from_dataset(config)


def make_dataset(name: str, options: Mapping[str, Any]) -> Dataset:
    """A data set by name with options that come from a file.

    Raises:
        GraphFSAError: There is no such data set or option, or a value is not valid.
    """
    try:
        return dataset_class(name)(**options)
    except TypeError as error:
        raise GraphFSAError(f"{name}: {error}") from None


def check_grab_tests(config: str, names: Sequence[str]) -> None:
    """Raise unless there is such a configuration of GRAB, and tests are named after its splits."""
    valid = [part for part in grab_config(config).parts if part not in ("train", "ood")]
    for name in names:
        if name not in valid:
            raise GraphFSAError(f"tests of GRAB must be named after its splits, {', '.join(valid)}; got {name!r}")


def check_graphs(data: Data, tests: Sequence[Test], trains: Sequence[Train]) -> None:
    """Raise unless the graphs of a data set can be drawn: tries one of each test, and looks at how many there are.

    Raises:
        GraphFSAError: One can't be, or there are too many; the message names the test.
    """
    if data.grab:
        return
    dataset = make_dataset(data.dataset, data.options or {})
    for train in trains:
        check_size("a training graph", max(train.sizes, default=1), 0, train.count)
    tried: set[int] = set()
    for test in tests:
        try:
            check_size("a graph", test.size, 0, test.count)
            check_steps(test.steps, 0)
            if test.size not in tried:
                dataset.generate(test.size, 1, np.random.default_rng(0), steps=1)
            tried.add(test.size)
        except GraphFSAError as error:
            raise GraphFSAError(f"test {test.name!r}: {error}") from None


def _from_dataset(config: dict[str, Any]) -> Drawn:
    data, train, seed = config["data"], config["train"], config["seed"]
    dataset = make_dataset(data["dataset"], data["options"] or {})
    steps = data["steps"] or None
    graphs = draw_training(
        dataset,
        np.random.default_rng(seed),
        sizes=list(train["sizes"]) or None,
        count=train["count"] or None,
        steps=steps,
        split=train["split"],
    )
    held = dataset.splits["validation"]
    if train["count"]:
        held = held.resized(None, min(sum(number for _, number in held.parts), train["count"]))
    held = held if steps is None else replace(held, steps=steps)
    # Who chooses by validation graphs must not have seen test graphs.
    validation = draw_split(dataset, held, np.random.default_rng([seed, 1]), "train")
    sheets = []
    for size, tests in _by_size(config["tests"]):
        numbers = [test["steps"] or None for test in tests]
        rng = np.random.default_rng([seed, 2, size])
        first = draw(dataset, size, tests[0]["count"], rng, "test", steps=numbers[0])
        more = (dataset.label(first.graphs, first.inputs, steps=number) for number in numbers[1:])
        sheets.append(Sheet(tuple(test["name"] for test in tests), (first, *more), tests[0]["automata"]))
    return Drawn(graphs, validation, tuple(sheets))


def _by_size(tests: Sequence[dict[str, Any]]) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    def kind(test: dict[str, Any]) -> tuple[Any, ...]:
        return test["size"], test["count"], test["automata"]

    for size, *rest in dict.fromkeys(map(kind, tests)):
        yield size, [test for test in tests if kind(test) == (size, *rest)]


def _from_grab(config: dict[str, Any]) -> Drawn:
    data, train, seed = config["data"], config["train"], config["seed"]
    plan = grab_config(data["grab"])
    counts = {test["name"]: test["count"] for test in config["tests"]}
    counts["train"] = train["count"] or plan.parts["train"].count
    parts = {name: replace(part, count=counts.get(name, part.count)) for name, part in plan.parts.items()}
    drawn = generate_grab(GrabConfig(plan.grab, parts), seed, covering=train["split"] == "covering").splits
    sheets = tuple(Sheet((test["name"],), (drawn[test["name"]],), test["automata"]) for test in config["tests"])
    return Drawn(drawn["train"], drawn["validation"], sheets)
