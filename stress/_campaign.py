"""Runs blocks of random cases in several processes, and says how to run a block that fails again.

A part is a module with ``BLOCK``, the number of cases of a block, and ``cases(rng, folder)``, a generator that makes
and checks one case after the other and yields what kind it was. The randomness of a block comes from the seed of the
campaign, the name of the part and the number of the block, and from nothing else.
"""

from __future__ import annotations

import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np

from graphfsa.interrupts import blocked_signals, ignore_signals

IN_MEMORY = next((path for path in ("/dev/shm",) if Path(path).is_dir()), None)
"""Where millions of files are made and removed soonest."""
_PATIENCE = 120.0
"""Seconds after which a case is taken to hang."""


@dataclass
class Tally:
    """What one part has done.

    Attributes:
        blocks: Number of blocks that have ended.
        kinds: Number of cases of each kind.
        seconds: Time that its blocks took, added up.
    """

    blocks: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def cases(self) -> int:
        """Number of cases that were passed."""
        return self.kinds.total()


@dataclass(frozen=True)
class Failure:
    """A case that failed.

    Attributes:
        part: Name of the part.
        block: Number of the block.
        case: Number of the case in its block, from 1.
        message: What went wrong.
    """

    part: str
    block: int
    case: int
    message: str


def run_block(part: str, seed: int, block: int, folder: Path, note: Callable[[int], None]) -> tuple[Counter[str], str]:
    """Run one block in this process.

    Args:
        part: Name of the part.
        seed: Seed of the campaign.
        block: Number of the block.
        folder: An empty directory.
        note: Called with the number of each case as it begins.

    Returns:
        How many cases of each kind were passed, and the traceback of the one that failed; empty if none did.
    """
    module = import_module(f"stress.{part}")
    kinds: Counter[str] = Counter()
    note(1)
    try:
        rng = np.random.default_rng([seed, crc32(part.encode()), block])
        for kind in islice(module.cases(rng, folder), module.BLOCK):
            kinds[kind] += 1
            note(kinds.total() + 1)
    except Exception:
        return kinds, traceback.format_exc()
    return kinds, ""


class Campaign:
    """Blocks of some parts, shared out among processes until time or cases are up.

    Args:
        goals: The number of cases of each part; None for as many as there is time for.
        seed: The seed.
        seconds: The time to spend, if any goal is None.
        processes: Number of processes.
        watch: Called now and then with what was done so far.
    """

    def __init__(
        self,
        goals: dict[str, int | None],
        *,
        seed: int,
        seconds: float,
        processes: int,
        watch: Callable[[dict[str, Tally]], None],
    ) -> None:
        self.goals, self.seed, self.watch = goals, seed, watch
        self.tallies = {part: Tally() for part in goals}
        self.failures: list[Failure] = []
        self._until = time.monotonic() + seconds
        self._processes = processes
        self._begun: Counter[str] = Counter()

    def run(self) -> None:
        """Run it; Ctrl-C ends it early."""
        crew: list[_Worker] = []
        try:
            crew += [_Worker(self.seed) for _ in range(self._processes)]
            with suppress(KeyboardInterrupt):
                self._share_out(crew)
        finally:
            for worker in crew:
                worker.stop()

    def _share_out(self, crew: list[_Worker]) -> None:
        while True:
            for worker in crew:
                part = self._next_part() if worker.task is None else None
                if part is not None:
                    worker.give(part, self._begun[part])
                    self._begun[part] += 1
            busy = [worker for worker in crew if worker.task is not None]
            if not busy:
                return
            for connection in wait([worker.connection for worker in busy], timeout=1.0):
                self._take(next(worker for worker in busy if worker.connection is connection))
            for worker in busy:
                if worker.task is not None and worker.waited > _PATIENCE:
                    self._fail(worker, f"it takes longer than {_PATIENCE:.0f} seconds")
            self.watch(self.tallies)

    def _next_part(self) -> str | None:
        """The part that has had the least time so far and has not reached its goal."""
        waiting = [part for part in self.goals if self._wants(part)]
        return min(waiting, key=lambda part: self.tallies[part].seconds + 1e-3 * self._begun[part], default=None)

    def _wants(self, part: str) -> bool:
        goal = self.goals[part]
        if goal is None:
            return time.monotonic() < self._until
        return self._begun[part] * import_module(f"stress.{part}").BLOCK < goal

    def _take(self, worker: _Worker) -> None:
        assert worker.task is not None
        part, block = worker.task
        try:
            kinds, trace, seconds = worker.connection.recv()
        except (EOFError, OSError):
            self._fail(worker, f"the process died: {worker.ending()}")
            return
        tally = self.tallies[part]
        tally.blocks, tally.kinds, tally.seconds = tally.blocks + 1, tally.kinds + kinds, tally.seconds + seconds
        if trace:
            self.failures.append(Failure(part, block, kinds.total() + 1, trace))
        worker.task = None

    def _fail(self, worker: _Worker, message: str) -> None:
        assert worker.task is not None
        self.failures.append(Failure(*worker.task, worker.case, message))
        self.tallies[worker.task[0]].kinds["(cut off)"] += 0
        worker.restart()


class _Worker:
    """A process that runs blocks, and tells through shared memory which case it is at."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.restart()

    def restart(self) -> None:
        if hasattr(self, "_process"):
            self.stop()
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._place = context.Array("d", 2)
        self._process = context.Process(target=_serve, args=(theirs, self._seed, self._place))
        with blocked_signals():
            self._process.start()
        theirs.close()
        self.task: tuple[str, int] | None = None

    def give(self, part: str, block: int) -> None:
        self.task = part, block
        self._place[0], self._place[1] = 0.0, time.monotonic()
        self.connection.send(self.task)

    @property
    def case(self) -> int:
        return int(self._place[0])

    @property
    def waited(self) -> float:
        return time.monotonic() - self._place[1]

    def ending(self) -> str:
        self._process.join(timeout=10)
        return f"exit code {self._process.exitcode}"

    def stop(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.join()


def _serve(connection: Connection, seed: int, place: Any) -> None:
    ignore_signals()
    os.environ["OMP_NUM_THREADS"] = "1"

    def note(case: int) -> None:
        place[0], place[1] = float(case), time.monotonic()

    with suppress(EOFError, OSError):
        for part, block in iter(connection.recv, None):
            began = time.perf_counter()
            with TemporaryDirectory(dir=IN_MEMORY) as folder:
                kinds, trace = run_block(part, seed, block, Path(folder), note)
            connection.send((kinds, trace, time.perf_counter() - began))


def summary(tallies: dict[str, Tally]) -> Iterator[str]:
    """What was done, line by line."""
    for part, tally in tallies.items():
        yield f"{part}: {tally.cases:,} cases in {tally.seconds:,.0f} s of its processes"
        for kind, number in sorted(tally.kinds.items()):
            yield f"  {kind:<40} {number:>10,}"
