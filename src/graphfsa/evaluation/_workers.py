"""Processes that run jobs: started afresh (spawn), kept for many jobs, replaced when one dies."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter
from typing import Any

from graphfsa.engine.cluster import Cluster
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation._job import failure, run_job
from graphfsa.evaluation.jobs import Job
from graphfsa.files import atomic_write
from graphfsa.folders import place
from graphfsa.interrupts import blocked_signals, ignore_signals
from graphfsa.plugins import load_file, loaded_files
from graphfsa.processes import GUARD, end_with_parent, enter

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_TRACE = 40
Watch = Callable[[str, Job], None]


def run_all(jobs: Iterable[Job], models: Path, processes: int, watch: Watch) -> Iterator[dict[str, Any]]:
    """Run jobs in parallel, and yield their records as they end.

    A job that fails gives a record that says why; so does one whose process dies (killed, out of memory).

    Args:
        jobs: The jobs.
        models: Directory for models.
        processes: Number of jobs that run at once.
        watch: Called when a job starts, ``watch("start", job)``, and when it has ended, ``watch("end", job)``.
    """
    waiting = list(reversed(list(jobs)))
    with _crew(min(processes, max(1, len(waiting))), models) as crew:
        while waiting or any(worker.job for worker in crew):
            for worker in crew:
                if worker.job is None and waiting:
                    worker.give(waiting.pop())
                    assert worker.job is not None
                    watch("start", worker.job)
            busy = {worker.connection: worker for worker in crew if worker.job is not None}
            for connection in wait(list(busy)):
                worker = busy[connection]  # pyright: ignore[reportArgumentType]
                job = worker.job
                assert job is not None
                record = worker.take()
                watch("end", job)
                yield record


def run_spread(
    jobs: Iterable[Job], models: Path, processes: int | None, watch: Watch, cluster: Cluster
) -> Iterator[dict[str, Any]]:
    """As ``run_all``, on the workers of a cluster; models come back with the records."""
    began: dict[str, float] = {}

    def start(job: Job) -> None:
        began[job.id] = perf_counter()
        watch("start", job)

    for job, found in cluster.spread(attempt_afar, jobs, most=processes, started=start):
        watch("end", job)
        if isinstance(found, Exception):
            yield failure(job, f"{type(found).__name__}: {found}", "", perf_counter() - began[job.id])
            continue
        record, files = found
        for name, content in files.items():
            atomic_write(place(models, name), content)
        yield record


def attempt_afar(job: Job) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Run a job on another machine: the record, and the files that it has written."""
    with TemporaryDirectory(prefix="graphfsa-") as folder:
        record = attempt(job, Path(folder))
        return record, {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def attempt(job: Job, models: Path) -> dict[str, Any]:
    """Run a job in this process; whatever goes wrong in it is a record too."""
    began = perf_counter()
    try:
        return run_job(job, models)
    except Exception as error:
        trace = traceback.format_exc().splitlines()[-_TRACE:]
        return failure(job, f"{type(error).__name__}: {error}", "\n".join(trace), perf_counter() - began)


class _Worker:
    def __init__(self, models: Path) -> None:
        self._models = models
        self.job: Job | None = None
        self._began = 0.0
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        arguments = (__name__, serve.__name__, theirs, str(self._models), loaded_files())
        self._process = context.Process(target=enter, args=arguments, daemon=True)
        with _one_thread(), blocked_signals():
            self._process.start()
        theirs.close()
        self._ready = False

    def give(self, job: Job) -> None:
        self._wait()
        self.job, self._began = job, perf_counter()
        try:
            self.connection.send(job)
        except OSError:  # It died while it was idle; the job has not begun.
            self.stop()
            self._start()
            self._wait()
            self.connection.send(job)

    def _wait(self) -> None:
        """Wait until the process has started."""
        if self._ready:
            return
        try:
            self._ready = bool(self.connection.recv())
        except (EOFError, OSError):
            raise GraphFSAError(f"a process for jobs ended before its first job. {GUARD}") from None

    def take(self) -> dict[str, Any]:
        job = self.job
        assert job is not None
        self.job = None
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self._process.join(timeout=10)
            code = self._process.exitcode
            self.stop()
            self._start()
            how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
            return failure(job, f"the process {how}", "", perf_counter() - self._began)

    def stop(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.join()


@contextmanager
def _crew(number: int, models: Path) -> Generator[list[_Worker]]:
    crew: list[_Worker] = []
    try:
        while len(crew) < number:
            crew.append(_Worker(models))
        yield crew
    finally:
        for worker in crew:
            worker.stop()


@contextmanager
def _one_thread() -> Generator[None]:
    """Make libraries in new processes use one thread each: all cores have a process of ours already."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def serve(connection: Connection, models: str, files: list[str]) -> None:
    """What a process does: run the jobs that it is given, until its parent closes the connection."""
    ignore_signals()  # The parent is interrupted, and ends us.
    Thread(target=end_with_parent, daemon=True).start()
    os.dup2(2, 1)  # Standard output is for results, not for what a learner prints.
    for file in files:
        with suppress(Exception, SystemExit):  # A job that needs it will fail, and say why.
            load_file(file)
    connection.send(True)
    while True:
        try:
            job = connection.recv()
        except (EOFError, OSError):
            return
        record = attempt(job, Path(models))
        try:
            connection.send(record)
        except OSError:
            return
