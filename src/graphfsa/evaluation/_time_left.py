"""How long a run will still take: what a job took with other seeds, or what its learner takes on average."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import Any

from graphfsa.evaluation.experiment import Job

Record = dict[str, Any]


class TimeLeft:
    """An estimate that gets better as jobs end.

    Args:
        jobs: The jobs that are to be run.
        known: Records of jobs that have been run before.
        processes: How many run at once.
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
        """About how many seconds are left; None as long as nothing is known."""
        if not self._took:
            return None
        means = {kind: fmean(values) for kind, values in self._took.items()}
        every = (next(means[kind] for kind in _kinds(config) if kind in means) for config in self._left.values())
        return sum(every) / min(self._processes, max(1, len(self._left)))


def _kinds(config: Mapping[str, Any]) -> Iterator[str]:
    """What a job is like, from the most to the least telling: the same with another seed, its learner, a job."""
    yield Job({name: value for name, value in config.items() if name != "seed"}).id
    yield f"learner {config['learner']}"
    yield "job"
