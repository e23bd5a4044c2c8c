"""Runs one job: draws its graphs, fits its learner, scores the model, writes it, and records everything about it.

Training, validation and test graphs are of three zones that are apart, and every learner of a seed gets the same ones.
Where a domain is too small for that, the record says which share of the test graphs a learner has seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from math import isfinite
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from graphfsa.datasets import (
    DRAWING,
    Dataset,
    Examples,
    GrabConfig,
    Score,
    TrainingData,
    check_size,
    draw,
    draw_split,
    draw_training,
    generate_grab,
    grab_config,
    overlap,
)
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.evaluation._alone import draw_alone
from graphfsa.evaluation._references import build
from graphfsa.evaluation.experiment import Experiment
from graphfsa.evaluation.jobs import Job
from graphfsa.evaluation.parts import Test
from graphfsa.folders import place
from graphfsa.learners import Learner, Model, fit_model, versions

RECORD = "graphfsa.record/1"
_MAX_NODE_STEPS = 10**11
_HISTORY = 60
"""The largest number of lines of a history that a record keeps."""


def run_job(job: Job, models: Path) -> dict[str, Any]:
    """Run a job.

    Args:
        job: The job.
        models: Directory to write the model to, in a file named after the job.

    Returns:
        The record, as JSON values.
    """
    if job.drawing != DRAWING:
        raise GraphFSAError(f"the graphs of this job were drawn in another way (version {job.drawing}, now {DRAWING})")
    began = perf_counter(), process_time()
    graphs = _graphs(job)
    learner = build(Learner, job.learner, job.options, job.files)
    started = perf_counter(), process_time()
    model = fit_model(learner, graphs.training_data(job), seed=job.seed)
    fitted = perf_counter(), process_time()
    if model.provenance is not None and model.provenance.interrupted:
        raise KeyboardInterrupt  # The best so far is no result of this job.
    scores = [found for tests in graphs.tests for found in _scores(model, tests)]
    return {
        "schema": RECORD,
        "id": job.id,
        "status": "done",
        "config": job.config,
        "results": {name: asdict(found) for name, found in scores},
        "fit": _fit_facts(model),
        "model": _written(model, models / job.id),
        "digests": graphs.digests(),
        "shared": graphs.shared(),
        "seconds": {
            "fit": round(fitted[0] - started[0], 3),
            "fit_cpu": round(fitted[1] - started[1], 3),
            "all": round(perf_counter() - began[0], 3),
            "all_cpu": round(process_time() - began[1], 3),
        },
        "versions": versions(),
    }


def failure(job: Job, error: str, trace: str, seconds: float) -> dict[str, Any]:
    """The record of a job that failed."""
    return {
        "schema": RECORD,
        "id": job.id,
        "status": "failed",
        "config": job.config,
        "error": error[:2000],
        "trace": trace,
        "seconds": {"all": round(seconds, 3)},
        "versions": versions(),
    }


def _scores(model: Model, tests: TestGraphs) -> list[tuple[str, Score]]:
    """How well a model does on some tests, by their names; a learner that found nothing answers nothing."""
    if tests.automata and model.found and not model.is_automaton:
        return []
    first = tests.examples[0]
    steps = [int(part.steps[0]) for part in tests.examples]
    answers = model.predict_at(first.graphs.graph, first.inputs, steps)
    scored = zip(tests.names, tests.examples, answers, strict=True)
    return [(name, part.score(given)) for name, part, given in scored]


def _fit_facts(model: Model) -> dict[str, Any]:
    """What a model says about its training."""
    known = model.provenance
    assert known is not None
    facts: dict[str, Any] = {"verdict": model.verdict, "train_accuracy": known.train_accuracy}
    facts["validation_accuracy"] = known.validation_accuracy
    facts |= {name: known.details[name] for name in ("updates", "epochs", "possible") if name in known.details}
    history = [_rounded(record) for record in model.history]
    if history:
        places = np.unique(np.linspace(0, len(history) - 1, min(_HISTORY, len(history))).round().astype(int))
        facts["history"] = [history[place] for place in places]
    return facts


def _rounded(record: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a line of a history, rounded; None for a number that is not finite."""
    plain = {name: value for name, value in record.items() if isinstance(value, int | float | str) or value is None}
    return {name: _round(value) if isinstance(value, float) else value for name, value in plain.items()}


def _round(number: float) -> float | None:
    return float(f"{number:.6g}") if isfinite(number) else None


def _written(model: Model, stem: Path) -> dict[str, Any] | None:
    """Write a model; None if there is none, or if it can't be saved."""
    if not (model.is_automaton or model.is_network):
        return None
    path = place(stem.parent, stem.name + (".json" if model.is_automaton else ".safetensors"))
    model.save(path)
    content = path.read_bytes()
    facts: dict[str, Any] = {"file": path.name, "bytes": len(content), "sha256": sha256(content).hexdigest()}
    if not model.is_automaton:
        return facts | {"network": model.digest}  # The file also says how long the training took.
    fsa = model.automaton
    return facts | {"states": fsa.num_states, "aggregation": fsa.aggregation.config(), "automaton": fsa.digest}


@dataclass(frozen=True)
class TestGraphs:
    """Test graphs of one size: the same graphs, labelled after one or several numbers of steps.

    Attributes:
        names: Name of each test.
        examples: The graphs with the labels of that test.
        automata: Whether only automata are tested on them.
    """

    names: tuple[str, ...]
    examples: tuple[Examples, ...]
    automata: bool


@dataclass(frozen=True)
class JobGraphs:
    """All graphs of a job."""

    train: Examples
    validation: Examples
    tests: tuple[TestGraphs, ...]
    dataset: Dataset | None = None

    def training_data(self, job: Job) -> TrainingData:
        """The graphs that a learner gets, and how they were drawn."""
        train = job.train
        drawn = {"split": train.split, "sizes": list(train.sizes) or None, "count": train.count or None}
        return TrainingData(self.train, self.validation, self.dataset, {**drawn, "steps": job.data.steps or None})

    def digests(self) -> dict[str, str]:
        """Digests of all graphs, by the names of their splits and tests."""
        found = {"train": self.train.digest, "validation": self.validation.digest}
        for tests in self.tests:
            found |= {name: part.digest for name, part in zip(tests.names, tests.examples, strict=True)}
        return found

    def shared(self) -> dict[str, float]:
        """For each test, and for validation, the share of graphs that are isomorphic to a training graph, if any."""
        parts = {"validation": self.validation}
        for tests in self.tests:
            parts |= dict(zip(tests.names, tests.examples, strict=True))
        found = {name: _shared(self.train, part) for name, part in parts.items()}
        return {name: share for name, share in found.items() if share}


def _shared(train: Examples, other: Examples) -> float:
    """The share of graphs that are isomorphic, with their inputs, to one of the training graphs."""
    known = train.select(np.flatnonzero(np.isin(train.sizes, other.sizes)))
    return float(overlap(known, other).mean()) if len(known) and len(other) else 0.0


_drawn: dict[str, JobGraphs] = {}
"""The graphs of the last job: the next one mostly has the same."""


def _graphs(job: Job) -> JobGraphs:
    if job.graphs_id not in _drawn:
        found = draw_graphs(job)
        _drawn.clear()
        _drawn[job.graphs_id] = found
    return _drawn[job.graphs_id]


def _check_work(test: Test) -> None:
    """Raise for a test that nobody would wait for."""
    if test.size * test.count * max(1, test.steps) > _MAX_NODE_STEPS:
        raise LimitError(f"nodes x steps must be at most {_MAX_NODE_STEPS:,}; choose fewer graphs or steps")


def draw_graphs(job: Job) -> JobGraphs:
    """Draw the graphs of a job."""
    for test in job.tests:
        _check_work(test)
    return _draw_grab(job) if job.data.grab else _draw_dataset(job)


def check_graphs(experiment: Experiment) -> None:
    """Draw one graph of each test, and look at the number of graphs.

    Raises:
        GraphFSAError: A graph can't be drawn, or there are too many; the message names the test.
    """
    data = experiment.data
    if data.grab:
        return
    dataset = build(Dataset, data.dataset, data.options, experiment.files)
    for block in experiment.blocks:
        check_size("a training graph", max(block.sizes, default=1), 0, block.count)
    tried: set[int] = set()
    for test in experiment.tests:
        try:
            check_size("a graph", test.size, 0, test.count)
            _check_work(test)
            if test.size not in tried:
                dataset.generate(test.size, 1, np.random.default_rng(0), steps=1)
            tried.add(test.size)
        except GraphFSAError as error:
            raise GraphFSAError(f"test {test.name!r}: {error}") from None


def _draw_dataset(job: Job) -> JobGraphs:
    dataset = build(Dataset, job.data.dataset, job.data.options, job.files)
    alone = job.train.split in ("alone", "every")
    train, validation = draw_alone(dataset, job) if alone else _training_graphs(dataset, job)
    groups: list[TestGraphs] = []
    for tests in _by_graphs(job.tests):
        numbers = [test.steps or None for test in tests]
        rng = np.random.default_rng([job.seed, 2, tests[0].size])
        first = draw(dataset, tests[0].size, tests[0].count, rng, "test", steps=numbers[0])
        more = (dataset.examples(first.graphs, first.inputs, steps=number) for number in numbers[1:])
        groups.append(TestGraphs(tuple(test.name for test in tests), (first, *more), tests[0].automata))
    return JobGraphs(train, validation, tuple(groups), dataset)


def _training_graphs(dataset: Dataset, job: Job) -> tuple[Examples, Examples]:
    """The training and the validation graphs."""
    steps = job.data.steps or None
    train = draw_training(
        dataset,
        np.random.default_rng(job.seed),
        sizes=list(job.train.sizes) or None,
        count=job.train.count or None,
        steps=steps,
        split=job.train.split,
    )
    split = dataset.splits["validation"]
    if job.train.count:
        split = split.resized(None, min(sum(number for _, number in split.parts), job.train.count))
    split = split if steps is None else replace(split, steps=steps)
    # Who chooses by validation graphs must not have seen test graphs.
    return train, draw_split(dataset, split, np.random.default_rng([job.seed, 1]), "validation")


def _by_graphs(tests: Sequence[Test]) -> Iterator[list[Test]]:
    """Tests that differ in nothing but their steps, so that they share their graphs."""
    groups: dict[tuple[int, int, bool], list[Test]] = {}
    for test in tests:
        groups.setdefault((test.size, test.count, test.automata), []).append(test)
    yield from groups.values()


def _draw_grab(job: Job) -> JobGraphs:
    plan = grab_config(job.data.grab)
    counts = {test.name: test.count for test in job.tests}
    if job.train.split == "train" and job.train.count:
        counts["train"] = job.train.count
    parts = {name: replace(part, count=counts.get(name, part.count)) for name, part in plan.parts.items()}
    drawn = generate_grab(GrabConfig(plan.grab, parts), job.seed, training=job.train.split).splits
    tests = tuple(TestGraphs((test.name,), (drawn[test.name],), test.automata) for test in job.tests)
    train = drawn["train"]
    if 0 < job.train.count < len(train):  # Some of all sizes.
        train = train.select(np.linspace(0, len(train) - 1, job.train.count).round().astype(int))
    return JobGraphs(train, drawn["validation"], tests)
