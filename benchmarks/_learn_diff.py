"""What is measured for Diff-FSA: the preset ``strong`` as every learner, GRAB, the preset ``paper``, and speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks._learn_common import algorithms, cellular, elementary, timed, warm_up
from benchmarks._learn_published import Trained, published_accuracies
from benchmarks._report import in_turns, row, say
from graphfsa.aggregations import CountingAggregation
from graphfsa.datasets import Examples, dataset_class, draw, generate_grab, grab_config
from graphfsa.learners._torch import steady, torch
from graphfsa.learners.diff_fsa import DiffFSA
from graphfsa.learners.diff_fsa._rollout import Rollout
from graphfsa.learners.exact import ExactLearner

_ALGORITHMS: tuple[tuple[str, dict[str, Any], dict[str, Any], str], ...] = (
    ("distance", {}, {}, "<= 8"),
    ("root-value", {}, {}, "<= 8"),
    ("prefix-sum", {}, {}, "<= 8"),
    ("path-finding", {}, {"states": 4, "bound": 2}, "<= 45"),
)
_CELLULAR = (("life", 2, "<= 10"), ("hex-life", 2, "<= 10"), ("wireworld", 1, "<= 10"))
_PUBLISHED = (
    Trained("distance", DiffFSA("paper", states=4, bound=1)),
    Trained("root-value", DiffFSA("paper", states=5, bound=1)),
    Trained("path-finding", DiffFSA("paper", states=5, bound=1), {"colours": 2}),
    Trained("prefix-sum", DiffFSA("paper", states=6, bound=1)),
)
_PAPER_RUNS = 5
"""The published training takes half a minute: it is run for this number of seeds."""


def rows(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    """All figures."""
    warm_up(DiffFSA)
    yield from _speed()
    yield from algorithms(DiffFSA, _ALGORITHMS, seeds, quick)
    yield from cellular(DiffFSA, _CELLULAR, seeds)
    yield from elementary(DiffFSA, seeds, quick)
    yield from _grab(seeds, quick)
    yield from _published(seeds, quick)


def _speed() -> Iterator[dict[str, Any]]:
    """Forward and backward on 32 trees of 10 nodes, 10 steps."""
    say("the speed of updates")
    trees = draw(dataset_class("path-finding")(), 10, 32, np.random.default_rng(0), "train")
    with steady():
        for states, bound in ((4, 1), (4, 2), (6, 2)):
            times = in_turns(
                {name: _pass(trees, states, bound, compiled=name == "compiled") for name in ("compiled", "torch")},
                turns=9,
            )
            what = f"forward and backward, 32 trees of 10 nodes, 10 steps, {states} states, bound {bound}, 32 tables"
            yield row(what, times["compiled"] * 1000, "ms")
            yield row("  times as fast as torch's own operations", times["torch"] / times["compiled"], "x")


def _pass(trees: Examples, states: int, bound: int, *, compiled: bool) -> Callable[[], None]:
    rollout = Rollout(trees.graphs, CountingAggregation(bound), states, absorbing=2, compiled=compiled)
    batch = rollout.batch(np.arange(len(trees)), trees.inputs + 2, np.full(len(trees), 10))
    shape = (len(rollout.values), states - 2, states, 32)
    logits = torch().randn(shape, generator=torch().Generator().manual_seed(0), requires_grad=True)

    def forward_and_backward() -> None:
        logits.grad = None
        last = rollout.run(logits.softmax(2), batch)
        last[:, 0].sum().backward()

    return forward_and_backward


def _grab(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    """The paper's GRAB data: learners with 4, 5 and 6 states, beside the exact learner and the preset ``paper``."""
    sizes = (4,) if quick else (4, 5, 6)
    for states in sizes:
        say(f"GRAB paper-1 to 5 with {states} states")
        scores: dict[str, list[float]] = {"strong": [], "exact": [], "paper": []}
        valid: list[float] = []
        seconds: list[float] = []
        for place, seed in enumerate(seeds):
            data = generate_grab(grab_config(f"paper-{place % 5 + 1}"), seed)
            train, validation, test = (data.splits[name] for name in ("train", "validation", "n=100"))
            size: dict[str, Any] = {"states": (states, states), "bound": 2}
            strong, taken = timed(DiffFSA(**size), train, seed, validation)
            scores["strong"].append(strong.accuracy(test))
            exact = ExactLearner(states=states, bound=2).fit(train, seed=seed)
            scores["exact"].append(exact.accuracy(test))
            if place < _PAPER_RUNS:
                paper = DiffFSA("paper", **size).fit(train, validation, seed=seed)
                scores["paper"].append(paper.accuracy(test))
            valid.append(strong.accuracy(validation))
            seconds.append(taken)
        what = f"GRAB paper-1 to 5, {states} states, bound 2: right on all of validation"
        yield row(what, valid.count(1.0), f"of {len(seeds)}", f"{len(seeds)}")
        mean = {name: float(np.mean(numbers)) for name, numbers in scores.items()}
        runs = {name: [round(number, 4) for number in numbers] for name, numbers in scores.items()}
        yield row("  accuracy at n = 100, mean", mean["strong"], "", runs=runs["strong"])
        yield row("  that of the exact learner", mean["exact"], "", "<= ours + 0.01", runs=runs["exact"])
        few = f", on the first {len(runs['paper'])} data sets"
        yield row(f"  that of the preset paper{few}", mean["paper"], "", "<= ours", runs=runs["paper"])
        same = float(np.mean(scores["strong"][: len(runs["paper"])]))
        yield row(f"  ours{few}", same, "")
        yield row("  CPU seconds, slowest run", max(seconds), "s", runs=[round(s, 3) for s in seconds])


def _published(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    """The preset ``paper`` on the paper's training graphs, with the authors' numbers of test steps."""
    for trained in _PUBLISHED[: 1 if quick else None]:
        yield from published_accuracies(trained, "preset paper", "Diff-FSA", seeds[:_PAPER_RUNS])
