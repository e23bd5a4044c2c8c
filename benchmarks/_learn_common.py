"""What is measured for every learner: how often it recovers algorithms and cellular automata, and how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any

import numpy as np

from benchmarks._report import row, say
from graphfsa.analysis import suggest
from graphfsa.datasets import Dataset, Examples, dataset_class, draw, draw_training
from graphfsa.learners import Model

SIZES = ((10, 100), (20, 100), (50, 100), (100, 50), (1000, 10))
_TIMES = (1, 2, 5, 10, 20, 50, 100)
Make = Callable[..., Any]
Algorithm = tuple[str, dict[str, Any], dict[str, Any], str]
"""Name and options of a data set, size of the automata, and what is aimed at."""


def training(dataset: Dataset, seed: int, *, steps: int | None = None) -> Examples:
    """The training graphs of ``graphfsa learn``."""
    return draw_training(dataset, np.random.default_rng(seed), steps=steps)


def warm_up(make: Make) -> None:
    """Compile what the learner needs."""
    say("nothing yet: compiling")
    for name in ("distance", "elementary", "life"):
        task = dataset_class(name)()
        found = make().fit(task.generate(4, 20, np.random.default_rng(0)))
        assert found.verdict == "exact"


def timed(
    learner: Any, train: Examples, seed: int, validation: Examples | None = None
) -> tuple[Model, float]:  # fmt: skip
    """What a learner learns, and the CPU seconds that it takes: another busy program does not change these much."""
    began = process_time()
    found = learner.fit(train, validation, seed=seed)
    return found, process_time() - began


def summary(what: str, exact: list[bool], seconds: list[float], target: str) -> list[dict[str, Any]]:
    """How many runs were exact, and the slowest."""
    number = len(exact)
    return [
        row(f"{what}: exact", float(sum(exact)), f"of {number}", f"{number}"),
        row("  CPU seconds, slowest run", max(seconds), "s", target, runs=[round(s, 3) for s in seconds]),
    ]


def algorithms(make: Make, tasks: Sequence[Algorithm], seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    """Algorithms from graphs of up to 10 nodes, tested on larger ones."""
    for name, options, capacity, target in tasks:
        dataset = dataset_class(name)(**options)
        what = name + "".join(f", {key} {value}" for key, value in {**options, **capacity}.items())
        say(what)
        exact: list[bool] = []
        seconds: list[float] = []
        for seed in seeds:
            found, taken = timed(make(**capacity), training(dataset, seed), seed)
            sizes = SIZES[:-1] if quick else SIZES
            children = np.random.default_rng([seed, 1]).spawn(len(sizes))
            scores = [
                found.accuracy(draw(dataset, size, count, rng, "test"))
                for (size, count), rng in zip(sizes, children, strict=True)
            ]
            exact.append(found.verdict == "exact" and min(scores) == 1)
            seconds.append(taken)
        last = "100" if quick else "1000"
        yield from summary(f"{what}: n = 10, 20, 50, 100{'' if quick else ', ' + last}", exact, seconds, target)


def cellular(make: Make, tasks: Sequence[tuple[str, int, str]], seeds: list[int]) -> Iterator[dict[str, Any]]:
    """Cellular automata from pairs of boards, tested on more steps and larger boards."""
    for name, steps, target in tasks:
        say(f"{name} from pairs that are {steps} steps apart")
        dataset = dataset_class(name)()
        exact: list[bool] = []
        seconds: list[float] = []
        for seed in seeds:
            found, taken = timed(make(), training(dataset, seed, steps=steps), seed)
            exact.append(found.verdict == "exact" and right_for_ever(dataset, found, 100, seed))
            seconds.append(taken)
        yield from summary(f"{name}, {steps}-step pairs of 4 x 4 boards: t = 1 to 100", exact, seconds, target)


def right_for_ever(dataset: Dataset, model: Model, size: int, seed: int) -> bool:
    """Whether a model is right on test graphs after 1 to 100 steps."""
    return all(
        model.accuracy(draw(dataset, size, 20, np.random.default_rng([seed, steps]), "test", steps=steps)) == 1
        for steps in _TIMES
    )


def elementary(make: Make, seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    """All elementary rules, from pairs of short rows."""
    rules = range(0, 256, 16) if quick else range(256)
    for steps in (1, 2):
        say(f"elementary rules from pairs that are {steps} steps apart")
        determined, right, agreed = 0, 0, 0
        slowest = 0.0
        for rule in rules:
            dataset = dataset_class("elementary")(rule=rule)  # pyright: ignore[reportCallIssue]
            children = np.random.default_rng([seeds[0], rule]).spawn(8)
            parts = [dataset.generate(n, 100, rng, steps=steps) for n, rng in enumerate(children, start=1)]
            train = Examples.concatenate(parts)
            found, taken = timed(make(), train, seeds[0])
            slowest = max(slowest, taken)
            unique = suggest(found.automaton, train, dataset=dataset, max_nodes=6).determined
            exact = right_for_ever(dataset, found, 10, seeds[0])
            determined += unique is True
            right += exact
            agreed += exact if unique else unique is False
        number = len(rules)
        what = f"elementary rules, {steps}-step pairs of rows of 1 to 8"
        yield row(f"{what}: determined by the data", determined, f"of {number}", f"{number}" if steps == 1 else "")
        yield row("  exact for t = 1 to 100, or reported as not determined", agreed, f"of {number}", f"{number}")
        yield row("  exact for t = 1 to 100", right, f"of {number}")
        yield row("  CPU seconds, slowest run", slowest, "s")
