"""What is measured for the exact learner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._learn_common import algorithms, cellular, elementary, right_for_ever, summary, timed, training, warm_up
from benchmarks._report import row, say
from graphfsa.analysis.coverage import coverage
from graphfsa.analysis.equivalence import compare
from graphfsa.analysis.impossibility import check_impossibility
from graphfsa.datasets import Life, dataset_class, generate_grab, grab, grab_config
from graphfsa.errors import DrawError
from graphfsa.learners import Model
from graphfsa.learners.exact import ExactLearner

_ALGORITHMS: tuple[tuple[str, dict[str, Any], dict[str, Any], str], ...] = (
    ("distance", {}, {}, "<= 3"),
    ("root-value", {}, {}, "<= 3"),
    ("prefix-sum", {}, {}, "<= 3"),
    ("path-finding", {}, {"states": 4, "bound": 2}, "<= 15"),
    ("path-finding", {"colours": 2}, {"states": 5, "bound": 2}, "<= 40"),
)
_CELLULAR = (("life", 2, "<= 2"), ("hex-life", 2, "<= 2"), ("wireworld", 1, ""), ("brians-brain", 2, "<= 20"))
_HIGH_LIFE = "B36/S23"
_TREES = (600, 1000, 2000)
"""Numbers of trees of eight nodes from which PathFinding is learned."""


def rows(seeds: list[int], quick: bool) -> Iterator[dict[str, Any]]:
    """All figures."""
    warm_up(ExactLearner)
    yield from algorithms(ExactLearner, _ALGORITHMS, seeds, quick)
    yield from _impossible(seeds)
    yield from cellular(ExactLearner, _CELLULAR, seeds)
    yield from elementary(ExactLearner, seeds, quick)
    yield from _covering(seeds)
    yield from _paper_data(seeds)
    yield from _high_life(seeds)
    yield from _large_truths(seeds)
    yield from _trees_of_eight(seeds[:5])


def _high_life(seeds: list[int]) -> Iterator[dict[str, Any]]:
    say("HighLife from pairs that are 2 steps apart")
    dataset = Life(rule=_HIGH_LIFE)
    runs = [timed(ExactLearner(), training(dataset, seed, steps=2), seed) for seed in seeds]
    exact = [m.verdict == "exact" and right_for_ever(dataset, m, 100, s) for (m, _), s in zip(runs, seeds, strict=True)]
    what = "HighLife, 2-step pairs of 4 x 4 boards: t = 1 to 100"
    yield from summary(what, exact, [taken for _, taken in runs], "<= 20")


def _large_truths(seeds: list[int]) -> Iterator[dict[str, Any]]:
    for states in (6, 8):
        say(f"GRAB truths of {states} states")
        runs: list[tuple[Model, float]] = []
        skipped: list[int] = []
        truth = min(seeds)
        while len(runs) < len(seeds):
            try:
                train = grab("paper-1", num_states=states, truth_seed=truth, seed=seeds[len(runs)]).splits["train"]
                runs.append(timed(ExactLearner(states=states, bound=1), train, seeds[len(runs)]))
            except DrawError:  # Hardly any node of its graphs ends in a final state, whoever learns.
                skipped.append(truth)
            truth += 1
        what = f"GRAB, a truth of {states} states and bound 1 for each seed, the paper's data: fits"
        yield from summary(what, [m.verdict == "exact" for m, _ in runs], [taken for _, taken in runs], "")
        yield row("  truths before the last one that label too few graphs", len(skipped), "truths", truths=skipped)


def _trees_of_eight(seeds: list[int]) -> Iterator[dict[str, Any]]:
    dataset = dataset_class("path-finding")()
    for count in _TREES:
        say(f"path-finding from {count} trees of eight nodes")
        runs = [timed(ExactLearner(), dataset.generate(8, count, np.random.default_rng(seed)), seed) for seed in seeds]
        what = f"path-finding, {count} trees of eight nodes: fits"
        yield from summary(what, [m.verdict == "exact" for m, _ in runs], [taken for _, taken in runs], "<= 20")


def _impossible(seeds: list[int]) -> Iterator[dict[str, Any]]:
    say("path-finding with bound 1")
    dataset = dataset_class("path-finding")()
    runs = [timed(ExactLearner(states=4, bound=1), training(dataset, seed), seed) for seed in seeds]
    proofs = [learned.impossibility for learned, _ in runs]
    confirmed = [proof is not None and check_impossibility(proof).holds for proof in proofs]
    graphs = max(len(proof.examples) for proof in proofs if proof is not None)
    number = len(seeds)
    what = "path-finding, states 4, bound 1: proved impossible and confirmed"
    yield row(what, sum(confirmed), f"of {number}", f"{number}")
    yield row("  graphs of the largest proof", graphs, "graphs", "<= 10")
    yield row("  CPU seconds, slowest run", max(taken for _, taken in runs), "s", "<= 10")


def _covering(seeds: list[int]) -> Iterator[dict[str, Any]]:
    say("GRAB with covering data")
    equivalent: list[bool] = []
    seconds: list[float] = []
    for place, seed in enumerate(seeds):
        config = grab_config(f"paper-{place % 5 + 1}")
        train = generate_grab(config, seed, training="covering").splits["train"]
        found, taken = timed(ExactLearner(states=4, bound=1), train, seed)
        same = compare(config.grab.automaton(), found.automaton, max_nodes=8, where_answered=True)
        equivalent.append(found.verdict == "exact" and same.equivalent)
        seconds.append(taken)
    what = "GRAB paper-1 to 5, covering data: same answers as the truth on all trees up to 8 nodes"
    yield from summary(what, equivalent, seconds, "")


def _paper_data(seeds: list[int]) -> Iterator[dict[str, Any]]:
    say("GRAB with the paper's data")
    capacities: dict[str, dict[str, Any]] = {
        "4 states, bound 1": {"states": 4, "bound": 1},
        "up to 6 states, bound 2": {"states": 6, "bound": 2},
    }
    for what, capacity in capacities.items():
        seconds: list[float] = []
        exact: list[bool] = []
        unsettled: list[int] = []
        scores: list[float] = []
        for place, seed in enumerate(seeds):
            data = generate_grab(grab_config(f"paper-{place % 5 + 1}"), seed)
            learned, taken = timed(ExactLearner(**capacity), data.splits["train"], seed)
            numbers = coverage(learned.automaton, data.splits["train"]).as_dict()
            seconds.append(taken)
            exact.append(learned.verdict == "exact")
            unsettled.append(numbers["unseen"] + (numbers["open"] or 0))
            scores.append(learned.accuracy(data.splits["n=100"]))
        target = "<= 10" if "6" in what else ""
        label = f"GRAB paper-1 to 5, the paper's data, {what}: fits"
        yield row(label, sum(exact), f"of {len(exact)}", f"{len(exact)}")
        yield row("  CPU seconds, slowest run", max(seconds), "s", target)
        yield row("  entries that the data leave open, mean", float(np.mean(unsettled)), "entries", runs=unsettled)
        yield row("  accuracy at n = 100, mean", float(np.mean(scores)), "", runs=[round(s, 4) for s in scores])
