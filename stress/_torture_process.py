"""Commands in processes of their own: started, struck, waited for, and nobody left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LIMIT = 120.0
"""Seconds after which a command is ended by force; that counts as a failure."""
PATIENCE = 5.0
"""Seconds in which a command must have ended after a signal, and its own processes after it."""
_POLL = 0.0005
_PIPE = 2**20
"""Bytes that a command may print before anybody reads them."""


@dataclass(frozen=True)
class Ending:
    """How a command ended.

    Attributes:
        command: Its arguments.
        code: Its exit code as a shell shows it: 128 and the number of a signal that has ended it.
        out: What it printed.
        err: What it complained about.
        seconds: How long it ran.
        before: Whether it had ended before it was struck.
        late: Seconds from the signal to its end; 0 without a signal.
        orphans: Number of its processes that were still there long after it.
        timed_out: Whether it had to be ended by force.
    """

    command: tuple[str, ...]
    code: int
    out: str
    err: str
    seconds: float
    before: bool
    late: float
    orphans: int
    timed_out: bool

    def __str__(self) -> str:
        return f"`{' '.join(self.command)}` (exit code {self.code}, {self.seconds:.2f} s)"


class Run:
    """A command that runs, in a session of its own.

    Args:
        arguments: Arguments of ``graphfsa``.
        folder: The working directory.
        environment: Variables to set.
        launcher: Arguments of ``_torture_launch.py``, if the command must do with less.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str] | None = None,
        launcher: Sequence[str] = (),
    ) -> None:
        self._shown = ("graphfsa", *arguments)
        before = [] if not launcher else [sys.executable, "-I", "-S", str(_LAUNCH), *launcher]
        self._began = time.monotonic()
        self._sent: float | None = None
        self._before = False
        self.process = subprocess.Popen(
            [*before, *_program(), *arguments],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            pipesize=_PIPE,
        )

    def ended_within(self, seconds: float) -> bool:
        """Wait; returns whether it has ended."""
        try:
            self.process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def changes(self, folder: Path, most: int = sys.maxsize) -> int:
        """Wait until files have appeared, vanished or been renamed this often, or it has ended; returns how often."""
        seen, number = _listing(folder), 0
        while number < most and self.process.poll() is None and time.monotonic() - self._began < LIMIT:
            now = _listing(folder)
            number, seen = number + (now != seen), now
            time.sleep(_POLL)
        return number

    def strike(self, number: int, *, group: bool) -> None:
        """Send a signal to the process, or to all of its processes as a terminal does."""
        ended = self.process.poll() is not None
        if self._sent is None:
            self._before, self._sent = ended, time.monotonic()
        if not ended:
            with contextlib.suppress(ProcessLookupError):
                (os.killpg if group else os.kill)(self.process.pid, number)

    def finish(self) -> Ending:
        """Wait for the end, by force if need be."""
        timed_out = not self.ended_within(LIMIT)
        ended = time.monotonic()
        if not timed_out:  # A process that was killed can't end its own: they have to notice.
            while members(self.process.pid) and time.monotonic() - ended < PATIENCE:
                time.sleep(0.02)
        orphans = [] if timed_out else members(self.process.pid)
        if timed_out or orphans:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        out, err = self.process.communicate(timeout=LIMIT)
        code = self.process.returncode
        return Ending(
            self._shown,
            128 - code if code < 0 else code,
            out,
            err,
            ended - self._began,
            self._before,
            0.0 if self._sent is None or self._before else ended - self._sent,
            len(orphans),
            timed_out,
        )


_LAUNCH = Path(__file__).with_name("_torture_launch.py")


def _program() -> list[str]:
    """What a user would start: the installed command, where there is one."""
    script = Path(sys.executable).with_name("graphfsa")
    return [str(script)] if script.exists() else [sys.executable, "-m", "graphfsa"]


def members(session: int) -> list[int]:
    """The processes of a session that still run; none where the system does not tell."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):  # It may end while we look.
            state, _parent, _group, its = entry.read_text().rpartition(")")[2].split()[:4]
            if int(its) == session and state not in "ZX":
                found.append(int(entry.parent.name))
    return found


def _listing(folder: Path) -> set[str]:
    found: set[str] = set()
    with contextlib.suppress(OSError):  # What is being renamed or removed.
        for entry in os.scandir(folder):
            found.add(entry.path)
            if entry.is_dir(follow_symlinks=False):
                found |= _listing(Path(entry.path))
    return found
