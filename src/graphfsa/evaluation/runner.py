"""Runs experiments: the jobs that have no result yet, in parallel, each leaving a record as it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from graphfsa.checks import check_integer
from graphfsa.engine.cluster import Cluster, opened
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation._job import check_graphs
from graphfsa.evaluation._references import build
from graphfsa.evaluation._workers import attempt, run_all, run_spread
from graphfsa.evaluation.experiment import Experiment
from graphfsa.evaluation.files import check_code
from graphfsa.evaluation.jobs import Job, job_id
from graphfsa.evaluation.results import Record, Results
from graphfsa.files import PathLike
from graphfsa.learners import Learner
from graphfsa.processes import check_not_imported

Watch = Callable[[dict[str, Any]], None]
_MOST = 10_000
"""The largest number of seeds, processes or jobs to check."""


def run_experiments(
    experiments: Mapping[str, Experiment],
    out: PathLike,
    *,
    seeds: int = 10,
    quick: bool = False,
    processes: int | None = None,
    watch: Watch | None = None,
    cluster: Cluster | str | None = None,
) -> Results:
    """Run every job of some experiments that has not been done yet; no pages are written.

    Seeds come first: after an interruption every table has the same number of them. Jobs that failed are tried again.

    Args:
        experiments: The experiments by name.
        out: Directory of the results; it may hold results of the same experiments, which are kept.
        seeds: Number of seeds: 0, 1, ...
        quick: Fewer graphs and shorter trainings, to see that it works.
        processes: Number of jobs that run at once; by default the number of cores.
        watch: Called as the work goes on, with a dict of ``total``, ``done``, ``failed``, ``running`` (jobs) and
            ``left`` (estimated seconds; None until a job has ended).
        cluster: Workers that share the jobs: a ``Cluster``, or the address of one; by default processes here.

    Returns:
        The results, those of earlier runs included.
    """
    check_not_imported()
    check_count("seeds", seeds)
    if processes is not None:
        check_count("processes", processes)
    for name, experiment in experiments.items():
        try:
            check_code(experiment)
            check_graphs(experiment)
        except GraphFSAError as error:
            raise GraphFSAError(f"{name}: {error}") from None
        _check_libraries(experiment)
    results = Results.create(out, experiments, quick=quick)
    with results.alone():
        done = {name: record for name, record in results.records().items() if record["status"] == "done"}
        jobs = planned(experiments, seeds, quick=quick)
        missing = [job for name, job in jobs.items() if name not in done]
        known = [record for name, record in done.items() if name in jobs]
        with opened(cluster) as crew:
            for record in run_watched(missing, results.models, processes, watch, known, crew):
                results.add(record)
    return results


def check_count(name: str, number: Any) -> None:
    """Raise unless a number of seeds, processes or jobs is an integer from 1 to 10,000."""
    check_integer(name, number, 1, _MOST)


def run_watched(
    jobs: Sequence[Job],
    models: Path,
    processes: int | None,
    watch: Watch | None,
    known: Sequence[Record] = (),
    cluster: Cluster | None = None,
) -> Iterator[Record]:
    """Run jobs and report progress; a record counts as done when the next one is asked for.

    Args:
        jobs: The jobs.
        models: Directory for models.
        processes: Number of jobs that run at once; the number of cores if None.
        watch: Called as the work goes on.
        known: Records of jobs that were done before, and count as done.
        cluster: Workers that share the jobs, if not processes here.
    """
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    number = processes or (here if cluster is None else cluster.cores)
    clock = TimeLeft(jobs, known, number)
    state: dict[str, Any] = {"total": len(known) + len(jobs), "done": len(known), "failed": 0, "running": []}
    state["left"] = clock.seconds()
    tell = watch or (lambda _state: None)

    def follow(event: str, job: Job) -> None:
        state["running"] = [*state["running"], job] if event == "start" else [j for j in state["running"] if j != job]
        tell(state)

    tell(state)
    for record in _run(jobs, models, number, follow, cluster):
        yield record
        clock.ended(record)
        state["done" if record["status"] == "done" else "failed"] += 1
        state["left"] = clock.seconds()
        tell(state)


def _run(
    jobs: Sequence[Job], models: Path, processes: int, follow: Callable[[str, Job], None], cluster: Cluster | None
) -> Iterator[Record]:
    """Run jobs in other processes; those whose classes were typed into a shell or notebook, in this one."""
    elsewhere = [job for job in jobs if "" not in job.files.values()]
    if elsewhere and cluster is not None:
        yield from run_spread(elsewhere, models, processes, follow, cluster)
    elif elsewhere:
        yield from run_all(elsewhere, models, processes, follow)
    for job in jobs:
        if "" in job.files.values():
            follow("start", job)
            record = attempt(job, models)
            follow("end", job)
            yield record


def planned(experiments: Mapping[str, Experiment], seeds: int, *, quick: bool) -> dict[str, Job]:
    """The jobs of some experiments, each once, in the order in which they are run."""
    jobs: dict[str, Job] = {}
    for seed in range(seeds):
        for experiment in experiments.values():
            for _, job in experiment.jobs(seed, quick=quick):
                jobs.setdefault(job.id, job)
    return jobs


class TimeLeft:
    """Estimates how long a run will still take, from how long such jobs took.

    Args:
        jobs: The jobs that are to be run.
        known: Records of jobs that have been run before.
        processes: Number of jobs that run at once.
    """

    def __init__(self, jobs: Iterable[Job], known: Iterable[Record], processes: int) -> None:
        self._left = {job.id: job.config for job in jobs}
        self._processes = processes
        self._took: dict[str, list[float]] = {}
        for record in known:
            self.ended(record)

    def ended(self, record: Record) -> None:
        """Take note of a job that has ended."""
        self._left.pop(record["id"], None)
        if record["status"] == "done":
            for kind in _kinds(record["config"]):
                self._took.setdefault(kind, []).append(record["seconds"]["all"])

    def seconds(self) -> float | None:
        """The estimated number of seconds; None until a job has ended."""
        if not self._took:
            return None
        means = {kind: fmean(values) for kind, values in self._took.items()}
        every = (next(means[kind] for kind in _kinds(config) if kind in means) for config in self._left.values())
        return sum(every) / min(self._processes, max(1, len(self._left)))


def _kinds(config: Mapping[str, Any]) -> Iterator[str]:
    """What a job is like, from the most to the least telling: the same with another seed, its learner, a job."""
    yield job_id({name: value for name, value in config.items() if name != "seed"})
    yield f"learner {config['learner']}"
    yield "job"


def _check_libraries(experiment: Experiment) -> None:
    """Raise before anything is run if a learner needs a library that is not installed."""
    for each in experiment.learners:
        build(Learner, each.learner, each.options, experiment.files).check_libraries()
