"""Learning from numbers: whether cuts are recovered within the gap of the data, exact at n = 1000, and CPU seconds."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import process_time
from typing import Any

import graphfsa
from benchmarks._report import one_thread, provenance, row, say
from graphfsa.checks import check_choice
from graphfsa.datasets import FeatureDataset, NoisyDistance, ThresholdContagion, Voronoi
from graphfsa.learners import Model

TRUE: dict[FeatureDataset, dict[int, float]] = {
    NoisyDistance(): {0: 0.65},
    Voronoi(): {0: 0.6, 1: 0.5},
    ThresholdContagion(): {0: 0.5},
}
"""The data sets, with the threshold of each feature."""
_SEEDS = {"exact": 10, "diff-fsa": 3}
_COUNT = 500
"""Training graphs."""
_LARGE = 1000


def measure(*, quick: bool, seed: int, learner: str = "exact") -> dict[str, Any]:
    """Learn each data set with several seeds.

    Args:
        quick: One seed.
        seed: The seeds are this one times 1,000 and the next ones.
        learner: ``exact`` or ``diff-fsa``.
    """
    check_choice("learner", learner, list(_SEEDS))
    rows: list[dict[str, Any]] = []
    with one_thread():
        say("nothing yet: compiling")
        graphfsa.learn(NoisyDistance(), learner, inputs="continuous", count=100)
        seeds = [seed * 1000 + k for k in range(1 if quick else _SEEDS[learner])]
        for dataset in TRUE:
            rows += _rows(learner, dataset, seeds)
    peers = ("scipy", "python-sat", "torch")
    return {"title": "python -m benchmarks continuous", "rows": rows, "provenance": provenance(seed, quick, peers)}


def _rows(learner: str, dataset: FeatureDataset, seeds: list[int]) -> Iterator[dict[str, Any]]:
    runs = [_run(learner, dataset, seed) for seed in seeds]
    number, of = str(len(runs)), f"of {len(runs)}"
    seconds = [run["seconds"] for run in runs]
    yield row(
        f"{dataset.name}, {learner}: cuts in the gap of the data",
        sum(run["in_gap"] for run in runs),
        of,
        number,
        runs=runs,
    )
    yield row(f"  all nodes right at n = {_LARGE}", sum(run["accuracy"] == 1 for run in runs), of, number)
    if dataset.specifications():
        yield row("  automaton proved", sum(run["verdict"] == "proved" for run in runs), of, number)
    yield row("  farthest cut from the true one", max(run["distance"] for run in runs), "", "0.05")
    yield row("  CPU seconds, median", median(seconds), "s")
    yield row("  CPU seconds, slowest run", max(seconds), "s")


def _run(learner: str, dataset: FeatureDataset, seed: int) -> dict[str, Any]:
    say(f"{dataset.name}, {learner}, seed {seed}")
    began = process_time()
    model = graphfsa.learn(dataset, learner, inputs="continuous", count=_COUNT, seed=seed)
    seconds = process_time() - began
    cuts = (
        [] if model.discretiser is None else sorted({(cut.feature, cut.at, cut.gap) for cut in model.discretiser.cuts})
    )
    found, true = {feature: at for feature, at, _ in cuts}, TRUE[dataset]
    same = found.keys() == true.keys() and len(cuts) == len(true)
    return {
        "seed": seed,
        "verdict": model.verdict,
        "cuts": [[feature, at, list(gap)] for feature, at, gap in cuts],
        "in_gap": same and all(low <= true[feature] < high for feature, _, (low, high) in cuts),
        "distance": max(abs(found[feature] - at) for feature, at in true.items()) if same else 1.0,
        "accuracy": _accuracy(model, seed),
        "seconds": round(seconds, 3),
    }


def _accuracy(model: Model, seed: int) -> float:
    return graphfsa.evaluate(model, sizes=[_LARGE], count=10, seed=seed).accuracy if model.is_automaton else 0.0
