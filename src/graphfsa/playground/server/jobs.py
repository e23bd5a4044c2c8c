"""One job after the other, in a process that is kept for the next one, and ended when a job is cancelled or takes long.

A job that learns is first asked to end by itself, with the best so far.

All that goes between the two processes is JSON.
"""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Condition, Thread
from time import monotonic
from typing import Any, Literal

from graphfsa.errors import LimitError
from graphfsa.interrupts import blocked_signals
from graphfsa.processes import enter

MAX_WAITING = 8
MAX_KEPT = 24
"""Jobs that have ended whose results are kept."""
MAX_RECORDS = 1500
"""Records of how a job goes that are kept; older ones are forgotten."""
GRACE = 6.0
"""Seconds that a job which is asked to end may take for that."""
STOP: dict[str, Any] = {"stop": True}
"""What the process is told then."""
_KEEPING = ("learn",)
"""Jobs that have something to keep when they end early."""
_PAUSE = 0.05
State = Literal["waiting", "running", "done", "failed", "cancelled"]
ENDED = ("done", "failed", "cancelled")


@dataclass
class Job:
    """What was asked, how it goes, and what came of it.

    Attributes:
        number: Its number, from 1.
        request: What was asked.
        state: How it stands.
        records: How it went so far; the first of them has the number ``forgotten``.
        forgotten: Number of records that are no longer kept.
        result: What came of it, if it is done.
        error: Why it failed, if it did.
        ticket: What the address of its page holds, if it writes one.
        until: When it is ended, if it was asked to end by itself.
    """

    number: int
    request: dict[str, Any]
    state: State = "waiting"
    records: deque[dict[str, Any]] = field(default_factory=deque[dict[str, Any]])
    forgotten: int = 0
    result: dict[str, Any] | None = None
    error: str | None = None
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    until: float | None = None

    def add(self, record: dict[str, Any]) -> None:
        """Keep a record."""
        self.records.append(record)
        if len(self.records) > MAX_RECORDS:
            self.records.popleft()
            self.forgotten += 1

    def end(self, state: State, *, result: dict[str, Any] | None = None, error: str | None = None) -> None:
        """End it, unless it has ended already."""
        if self.state not in ENDED:
            self.state, self.result, self.error = state, result, error
            self.request = {}  # Nobody needs it any more, and it may be large.


class JobQueue:
    """A thread that gives jobs to a process, one after the other.

    Args:
        seconds: How long a job may take.
        files: Plug-ins to be loaded by the process.
    """

    def __init__(self, seconds: float, files: Sequence[str] = ()) -> None:
        self._seconds, self._files = seconds, list(files)
        self._jobs: OrderedDict[int, Job] = OrderedDict()
        self._changed = Condition()
        self._closed = False
        self._last = 0
        self._worker: _Worker | None = None
        self._thread = Thread(target=self._run, name="jobs", daemon=True)
        self._thread.start()

    def submit(self, request: dict[str, Any]) -> Job:
        """Add a job.

        Raises:
            LimitError: Too many are waiting.
        """
        with self._changed:
            if sum(job.state == "waiting" for job in self._jobs.values()) >= MAX_WAITING:
                raise LimitError(f"at most {MAX_WAITING} jobs may wait; cancel one")
            self._last += 1
            job = self._jobs[self._last] = Job(self._last, request)
            ended = [number for number, each in self._jobs.items() if each.state in ENDED]
            for number in ended[: max(0, len(ended) - MAX_KEPT)]:
                del self._jobs[number]
            self._changed.notify_all()
            return job

    def find(self, number: int) -> Job | None:
        """The job with this number, if it is still known."""
        with self._changed:
            return self._jobs.get(number)

    def before(self, job: Job) -> int:
        """How many jobs come before this one."""
        with self._changed:
            going = ("waiting", "running")
            return sum(each.number < job.number and each.state in going for each in self._jobs.values())

    def written(self, ticket: str) -> str | None:
        """The page that a job has written, by its ticket."""
        with self._changed:
            for job in self._jobs.values():
                if job.result is not None and secrets.compare_digest(job.ticket.encode(), ticket.encode()):
                    return job.result.get("page")
        return None

    def cancel(self, number: int) -> bool:
        """End a job that waits or runs; returns whether there was one.

        One that learns may take a few seconds to end with the best so far; if it is cancelled again, it may not.
        """
        with self._changed:
            job = self._jobs.get(number)
            if job is None or job.state in ENDED:
                return False
            if job.state == "running" and job.until is None and job.request.get("do") in _KEEPING:
                job.until = monotonic() + GRACE
            else:
                job.end("cancelled")
            self._changed.notify_all()
            return True

    def close(self) -> None:
        """End everything: no process is left when this returns."""
        with self._changed:
            self._closed = True
            for job in self._jobs.values():
                job.end("cancelled")
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        """What the thread does. The process is there before the first job: imports take seconds."""
        self._have_worker()
        try:
            while (job := self._next()) is not None:
                error = self._have_worker()
                if self._worker is None:
                    with self._changed:
                        job.end("failed", error=f"no process can be started for this: {error}")
                elif not self._follow(self._worker, job):
                    self._worker.stop()
                    self._worker = None
        finally:
            if self._worker is not None:
                self._worker.stop()

    def _have_worker(self) -> str:
        """Start a process unless there is one; returns why that failed, if it did."""
        if self._worker is not None and not self._worker.is_alive():
            self._worker.stop()
            self._worker = None
        try:
            self._worker = self._worker or _Worker(self._files)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _next(self) -> Job | None:
        """The next job, when there is one; None in the end."""
        with self._changed:
            while not self._closed:
                for job in self._jobs.values():
                    if job.state == "waiting":
                        job.state = "running"
                        return job
                self._changed.wait()
        return None

    def _follow(self, worker: _Worker, job: Job) -> bool:
        """Give a job to the process and hear from it until it ends; returns whether the process can have another."""
        until, told = monotonic() + self._seconds, False
        try:
            worker.give(job.request)
            while job.state == "running":
                if job.until is not None and not told:
                    worker.give(STOP)
                    told = True
                message = worker.hear()
                with self._changed:
                    if job.state == "running" and message is not None and _take(job, message):
                        return True
                    self._check_time(job, until)
        except (EOFError, OSError):
            with self._changed:
                job.end("failed", error="the process that worked on this has died; perhaps there was too little memory")
        return False

    def _check_time(self, job: Job, until: float) -> None:
        """End a job whose time is over."""
        if job.until is not None and monotonic() > job.until:
            job.end("cancelled")
        if monotonic() > until:
            job.end("failed", error=f"this took longer than {self._seconds:g} seconds and was ended")


def _take(job: Job, message: dict[str, Any]) -> bool:
    """Note what the process says of a job; returns whether it has ended."""
    if "record" in message:
        job.add(message["record"])
    elif "result" in message:
        job.end("done", result=message["result"])
    elif "error" in message:
        job.end("failed", error=message["error"])
    else:
        job.end("cancelled")
    return job.state in ENDED


class _Worker:
    """The process."""

    def __init__(self, files: list[str]) -> None:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        arguments = ("graphfsa.playground.server.work", "serve", theirs, files)
        self._process = context.Process(target=enter, args=arguments, daemon=True)
        with blocked_signals():
            self._process.start()
        theirs.close()

    def give(self, request: dict[str, Any]) -> None:
        send(self._connection, request)

    def hear(self) -> dict[str, Any] | None:
        """The next message, if one comes soon."""
        return receive(self._connection) if self._connection.poll(_PAUSE) else None

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def stop(self) -> None:
        self._connection.close()
        self._process.kill()
        self._process.join()


def send(connection: Connection, message: dict[str, Any]) -> None:
    """Send a message to the other process."""
    connection.send_bytes(json.dumps(message).encode())


def receive(connection: Connection) -> dict[str, Any]:
    """The next message of the other process."""
    return json.loads(connection.recv_bytes())
