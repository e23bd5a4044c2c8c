"""How often learners recover the algorithm from small graphs, and how long it takes. Every run counts."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphfsa.analysis.coverage import coverage
from graphfsa.analysis.equivalence import compare
from graphfsa.analysis.identifiability import identify
from graphfsa.analysis.impossibility import check_impossibility
from graphfsa.automaton import GraphFSA
from graphfsa.benchmarks import provenance, row, say
from graphfsa.datasets import Dataset, Examples, dataset_class, draw, generate_grab, grab_config
from graphfsa.datasets._zones import draw_training
from graphfsa.learners import learner_class
from graphfsa.learners.exact import ExactLearner, Learned

_SIZES = ((10, 100), (20, 100), (50, 100), (100, 50), (1000, 10))
_TIMES = (1, 2, 5, 10, 20, 50, 100)
_ALGORITHMS: tuple[tuple[str, dict[str, Any], dict[str, Any], str], ...] = (
    ("distance", {}, {}, "<= 3"),
    ("root-value", {}, {}, "<= 3"),
    ("prefix-sum", {}, {}, "<= 3"),
    ("path-finding", {}, {"states": 4, "bound": 2}, "<= 15"),
    ("path-finding", {"colours": 2}, {"states": 5, "bound": 2}, "<= 40"),
)
_CELLULAR = (("life", 2, "<= 2"), ("hex-life", 2, "<= 2"), ("wireworld", 1, ""))


def measure(*, quick: bool, seed: int, learner: str = "exact") -> dict[str, Any]:
    """Measure everything, on one core; kernels are compiled before the clock starts."""
    kind = learner_class(learner)
    assert kind is ExactLearner, "what is measured here is the exact learner"
    seeds = [seed * 1000 + k for k in range(2 if quick else 10)]
    with _one_thread():
        _warm_up()
        rows = [
            line
            for part in (_algorithms, _impossible, _cellular, _elementary, _covering, _paper_data)
            for line in part(seeds, quick)
        ]
    about = provenance(seed, quick, ("scipy", "python-sat"))
    return {"title": f"graphfsa bench learn --learner {learner}", "rows": rows, "provenance": about}


def training(dataset: Dataset, seed: int, *, steps: int | None = None) -> Examples:
    """The training graphs of ``graphfsa learn``."""
    return draw_training(dataset, np.random.default_rng(seed), steps=steps)


@contextmanager
def _one_thread() -> Generator[None]:
    before = os.environ.get("GRAPHFSA_THREADS")
    os.environ["GRAPHFSA_THREADS"] = "1"
    try:
        yield
    finally:
        del os.environ["GRAPHFSA_THREADS"]
        if before is not None:
            os.environ["GRAPHFSA_THREADS"] = before


def _warm_up() -> None:
    say("nothing yet: compiling")
    for name in ("distance", "elementary", "life"):
        task = dataset_class(name)()
        found = ExactLearner().fit(task.generate(4, 20, np.random.default_rng(0)))
        assert found.verdict == "exact"


def _summary(what: str, exact: list[bool], seconds: list[float], target: str) -> list[dict[str, Any]]:
    number = len(exact)
    return [
        row(f"{what}: exact", float(sum(exact)), f"of {number}", f"{number}"),
        row("  slowest run", max(seconds), "s", target, runs=[round(s, 3) for s in seconds]),
    ]


def _algorithms(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    for name, options, capacity, target in _ALGORITHMS:
        dataset = dataset_class(name)(**options)
        what = name + "".join(f", {key} {value}" for key, value in {**options, **capacity}.items())
        say(what)
        exact: list[bool] = []
        seconds: list[float] = []
        for seed in seeds:
            found = ExactLearner(**capacity).fit(training(dataset, seed), seed=seed)
            sizes = _SIZES[:-1] if quick else _SIZES
            children = np.random.default_rng([seed, 1]).spawn(len(sizes))
            scores = [
                draw(dataset, size, count, rng, "test").accuracy(found.automaton)
                for (size, count), rng in zip(sizes, children, strict=True)
            ]
            exact.append(found.verdict == "exact" and min(scores) == 1)
            seconds.append(found.seconds)
        last = "100" if quick else "1000"
        yield from _summary(f"{what}: n = 10, 20, 50, 100{'' if quick else ', ' + last}", exact, seconds, target)


def _impossible(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    del quick
    say("path-finding with bound 1")
    dataset = dataset_class("path-finding")()
    found = [ExactLearner(states=4, bound=1).fit(training(dataset, seed), seed=seed) for seed in seeds]
    proofs = [learned.impossibility for learned in found]
    confirmed = [proof is not None and check_impossibility(proof).holds for proof in proofs]
    graphs = max(len(proof.examples) for proof in proofs if proof is not None)
    number = len(seeds)
    what = "path-finding, states 4, bound 1: proved impossible and confirmed"
    yield row(what, sum(confirmed), f"of {number}", f"{number}")
    yield row("  graphs of the largest proof", graphs, "graphs", "<= 10")
    yield row("  slowest run", max(learned.seconds for learned in found), "s", "<= 10")


def _cellular(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    for name, steps, target in _CELLULAR:
        say(f"{name} from pairs that are {steps} steps apart")
        dataset = dataset_class(name)()
        exact: list[bool] = []
        seconds: list[float] = []
        for seed in seeds:
            found = ExactLearner().fit(training(dataset, seed, steps=steps), seed=seed)
            exact.append(found.verdict == "exact" and _right_for_ever(dataset, found.automaton, 100, seed))
            seconds.append(found.seconds)
        yield from _summary(f"{name}, {steps}-step pairs of 4 x 4 boards: t = 1 to 100", exact, seconds, target)
    del quick


def _right_for_ever(dataset: Dataset, fsa: GraphFSA, size: int, seed: int) -> bool:
    return all(
        draw(dataset, size, 20, np.random.default_rng([seed, steps]), "test", steps=steps).accuracy(fsa) == 1
        for steps in _TIMES
    )


def _elementary(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
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
            found = ExactLearner().fit(train, seed=seeds[0])
            slowest = max(slowest, found.seconds)
            unique = identify(found.automaton, train, dataset=dataset, max_nodes=6).determined
            exact = _right_for_ever(dataset, found.automaton, 10, seeds[0])
            determined += unique is True
            right += exact
            agreed += exact if unique else unique is False
        number = len(rules)
        what = f"elementary rules, {steps}-step pairs of rows of 1 to 8"
        yield row(f"{what}: determined by the data", determined, f"of {number}", f"{number}" if steps == 1 else "")
        yield row("  exact for t = 1 to 100, or reported as not determined", agreed, f"of {number}", f"{number}")
        yield row("  exact for t = 1 to 100", right, f"of {number}")
        yield row("  slowest run", slowest, "s")


def _covering(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    del quick
    say("GRAB with covering data")
    equivalent: list[bool] = []
    seconds: list[float] = []
    for place, seed in enumerate(seeds):
        config = grab_config(f"paper-{place % 5 + 1}")
        train = generate_grab(config, seed, covering=True).splits["train"]
        found = ExactLearner(states=4, bound=1).fit(train, seed=seed)
        same = compare(config.grab.automaton(), found.automaton, max_nodes=8, where_answered=True)
        equivalent.append(found.verdict == "exact" and same.equivalent)
        seconds.append(found.seconds)
    what = "GRAB paper-1 to 5, covering data: same answers as the truth on all trees up to 8 nodes"
    yield from _summary(what, equivalent, seconds, "")


def _paper_data(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    del quick
    say("GRAB with the paper's data")
    capacities: dict[str, dict[str, Any]] = {
        "4 states, bound 1": {"states": 4, "bound": 1},
        "up to 6 states, bound 2": {"states": 6, "bound": 2},
    }
    for what, capacity in capacities.items():
        found: list[Learned] = []
        unsettled: list[int] = []
        scores: list[float] = []
        for place, seed in enumerate(seeds):
            data = generate_grab(grab_config(f"paper-{place % 5 + 1}"), seed)
            learned = ExactLearner(**capacity).fit(data.splits["train"], seed=seed)
            numbers = coverage(learned.automaton, data.splits["train"]).as_dict()
            found.append(learned)
            unsettled.append(numbers["unseen"] + (numbers["open"] or 0))
            scores.append(data.splits["n=100"].accuracy(learned.automaton))
        exact = [learned.verdict == "exact" for learned in found]
        target = "<= 10" if "6" in what else ""
        label = f"GRAB paper-1 to 5, the paper's data, {what}: fits"
        yield row(label, sum(exact), f"of {len(exact)}", f"{len(exact)}")
        yield row("  slowest run", max(learned.seconds for learned in found), "s", target)
        yield row("  entries that the data leave open, mean", float(np.mean(unsettled)), "entries", runs=unsettled)
        yield row("  accuracy at n = 100, mean", float(np.mean(scores)), "", runs=[round(s, 4) for s in scores])
