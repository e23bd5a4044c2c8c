"""Runs experiments: the jobs that have no result yet, in parallel, each leaving a record as it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from graphfsa.errors import GraphFSAError, MissingExtraError
from graphfsa.evaluation._graphs import check_graphs
from graphfsa.evaluation._job import make_learner
from graphfsa.evaluation._time_left import TimeLeft
from graphfsa.evaluation._workers import run_all
from graphfsa.evaluation.experiment import Experiment, Job
from graphfsa.evaluation.records import Results
from graphfsa.files import PathLike

Watch = Callable[[dict[str, Any]], None]
_MOST = 10_000
"""Seeds, processes or jobs to check, at most."""


def run_experiments(
    experiments: Mapping[str, Experiment],
    out: PathLike,
    *,
    seeds: int = 10,
    quick: bool = False,
    processes: int | None = None,
    watch: Watch | None = None,
) -> Results:
    """Run every job of some experiments that has not been done yet.

    Seeds come first: after an interruption every table has the same number of them. Jobs that failed are tried again.

    Args:
        experiments: The experiments by name.
        out: Directory of the results; it may hold results of the same experiments, which are kept.
        seeds: Number of seeds: 0, 1, ...
        quick: Fewer graphs and shorter trainings, to see that it works.
        processes: How many jobs run at once; as many as there are cores if not given.
        watch: Is told how it goes: a dict with ``total``, ``done``, ``failed``, ``running`` (jobs) and ``left``
            (seconds, about; None as long as nothing is known).

    Returns:
        The results, those of earlier runs included.
    """
    check_numbers(seeds=seeds, processes=1 if processes is None else processes)
    _check_libraries(experiments)
    for name, experiment in experiments.items():
        try:
            check_graphs(experiment.data, experiment.tests, [entry.train for entry in experiment.entries])
        except GraphFSAError as error:
            raise GraphFSAError(f"{name}: {error}") from None
    results = Results.create(out, experiments, quick=quick)
    with results.alone():
        done = {name: record for name, record in results.records().items() if record["status"] == "done"}
        jobs = planned(experiments, seeds, quick=quick)
        missing = [job for name, job in jobs.items() if name not in done]
        known = [record for name, record in done.items() if name in jobs]
        for record in run_watched(missing, results.models, processes, watch, known):
            results.add(record)
    return results


def check_numbers(**numbers: Any) -> None:
    """Raise unless these are whole numbers of at least 1, and not too large."""
    for what, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= _MOST:
            raise GraphFSAError(f"{what} must be a whole number in 1 .. {_MOST}; got {number!r}")


def run_watched(
    jobs: Sequence[Job],
    models: Path,
    processes: int | None,
    watch: Watch | None,
    known: Sequence[dict[str, Any]] = (),
) -> Iterator[dict[str, Any]]:
    """Run jobs and say how it goes; a record that has been taken care of is counted when the next one is asked for.

    Args:
        jobs: The jobs.
        models: Directory for models.
        processes: How many run at once; as many as there are cores if None.
        watch: Is told how it goes.
        known: Records of jobs that were done before, and count as done.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    clock = TimeLeft(jobs, known, processes or cores)
    state: dict[str, Any] = {"total": len(known) + len(jobs), "done": len(known), "failed": 0, "running": []}
    state["left"] = clock.seconds()
    tell = watch or (lambda _state: None)

    def follow(event: str, job: Job) -> None:
        state["running"] = [*state["running"], job] if event == "start" else [j for j in state["running"] if j != job]
        tell(state)

    tell(state)
    if not jobs:
        return
    for record in run_all(jobs, models, processes or cores, follow):
        yield record
        clock.ended(record)
        state["done" if record["status"] == "done" else "failed"] += 1
        state["left"] = clock.seconds()
        tell(state)


def planned(experiments: Mapping[str, Experiment], seeds: int, *, quick: bool) -> dict[str, Job]:
    """The jobs of some experiments, each once, in the order in which they are run."""
    jobs: dict[str, Job] = {}
    for seed in range(seeds):
        for experiment in experiments.values():
            for _entry, job in experiment.jobs(seed, quick=quick):
                jobs.setdefault(job.id, job)
    return jobs


def _check_libraries(experiments: Mapping[str, Experiment]) -> None:
    """Raise before anything is run if a learner needs a library that is not there."""
    for experiment in experiments.values():
        for entry in experiment.entries:
            if hasattr(make_learner(entry.learner, entry.options), "check_torch") and find_spec("torch") is None:
                raise MissingExtraError("torch", "train")
