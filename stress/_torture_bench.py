"""Where trials happen: inputs, what uninterrupted runs write, and directories to begin in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stress._torture_commands import EXPERIMENT, INPUTS, Command
from stress._torture_files import Files, contents, leftovers, timeless
from stress._torture_process import Ending, Run

DISK = 2**26
"""Bytes of a disk in memory."""


@dataclass(frozen=True)
class Reference:
    """What a command writes when nobody disturbs it.

    Attributes:
        seconds: How long it takes.
        changes: How often files appear, vanish or are renamed meanwhile.
        wanted: Digests of what each of the two variants writes, without times.
        earlier: The files of an earlier run, which a trial may begin with.
        size: Bytes of all files that it writes.
        largest: Bytes of the largest.
    """

    seconds: float
    changes: int
    wanted: tuple[dict[str, str], dict[str, str]]
    earlier: Files
    size: int
    largest: int


class Bench:
    """A scratch directory with all that trials need.

    Args:
        scratch: The directory.
    """

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.references: dict[str, Reference] = {}
        self._inputs: Files = {"few.toml": EXPERIMENT.encode()}
        self._kept: dict[str, Files] = {}
        self.can_mount = self._try_to_mount()

    def prepare(self, commands: Iterable[Command], watch: Callable[[str], None]) -> None:
        """Run each command undisturbed; kernels that are not compiled yet are compiled now."""
        for command in commands:
            if command.name not in self.references:
                watch(f"undisturbed: {command.name}")
                for name in set(INPUTS) - self._inputs.keys() if "MODEL" in command.line else ():
                    self._inputs |= {name: self._run(INPUTS[name].split(), {})[2][name]}
                self.references[command.name] = self._reference(command)

    def _reference(self, command: Command) -> Reference:
        _, _, other = self._run(command.arguments(1), self._first(command), command.code)
        earlier = self._earlier(command, other)
        _, changes, first = self._run(command.arguments(), self._first(command), command.code)
        ending, _, second = self._run(command.arguments(), self._first(command), command.code, watched=False)
        wanted = timeless(second)
        if timeless(first) != wanted:
            differ = [name for name in wanted if timeless(first).get(name) != wanted[name]]
            raise RuntimeError(f"two runs of {ending} differ in {', '.join(differ)}, though nobody disturbed them")
        sizes = [len(data) for data in second.values()]
        return Reference(ending.seconds, changes, (wanted, timeless(other)), earlier, sum(sizes), max(sizes))

    def _first(self, command: Command) -> Files:
        """What a command can't begin without."""
        return self._results("2") if command.earlier == "results" else {}

    def _earlier(self, command: Command, other: Files) -> Files:
        match command.earlier:
            case "none":
                return {}
            case "one seed":
                return self._results("1")
            case "results":
                return self._results("2")
            case "killed":  # In the midst of training, as a process that was killed leaves it; the model is older.
                return self._killed(command) | {name: data for name, data in other.items() if "/" not in name}
            case _:
                return other

    def _results(self, seeds: str) -> Files:
        if seeds not in self._kept:
            self._kept[seeds] = self._run(["reproduce", "few.toml", "--seeds", seeds, "--out", "out/few"], {})[2]
        return self._kept[seeds]

    def _killed(self, command: Command) -> Files:
        """What is there after some of the changes that a command makes."""
        with self.folder("killed", {}) as folder:
            run = Run(command.arguments(), folder)
            run.changes(folder / "out", 12)
            run.strike(signal.SIGKILL, group=True)
            run.finish()
            return contents(folder / "out")

    def _run(
        self, arguments: list[str], begin: Files, code: int = 0, *, watched: bool = True
    ) -> tuple[Ending, int, Files]:
        """Run a command undisturbed; returns how it ended, how often files changed, and its files.

        Args:
            arguments: Its arguments.
            begin: Files that are there.
            code: The exit code that it must have.
            watched: Whether changes are counted, which takes a little of its time.
        """
        with self.folder("reference", begin) as folder:
            run = Run(arguments, folder)
            changes = run.changes(folder / "out") if watched else 0
            ending = run.finish()
            if ending.code != code or leftovers(folder):
                raise RuntimeError(f"{ending} must end with exit code {code}, undisturbed: {ending.err[-2000:]}")
            made = contents(folder)
        inside = {name.removeprefix("out/"): data for name, data in made.items() if name.startswith("out/")}
        return ending, changes, inside or made

    @contextmanager
    def folder(self, name: str, files: Files, *, mounted: bool = False) -> Generator[Path]:
        """A directory with the inputs, and these files in ``out``; removed in the end.

        Args:
            name: Its name.
            files: The files in ``out``.
            mounted: Whether it is a disk of its own, of a limited size.
        """
        folder = self.scratch / name
        folder.mkdir()
        try:
            if mounted:
                _mount("-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder))
            for path, data in {**self._inputs, **{f"out/{name}": data for name, data in files.items()}}.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)
            (folder / "out").mkdir(exist_ok=True)
            yield folder
        finally:
            if mounted and folder.is_mount():
                subprocess.run(["umount", "--lazy", str(folder)], check=False, capture_output=True)
            shutil.rmtree(folder, ignore_errors=True)

    def _try_to_mount(self) -> bool:
        """Whether we may mount disks."""
        if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
            return False
        try:
            with self.folder("disk", {}, mounted=True) as folder:
                return folder.is_mount()
        except (OSError, subprocess.CalledProcessError):
            return False


def remount(folder: Path, mode: str) -> bool:
    """Make a mounted disk read-only (``ro``) or writable (``rw``); returns whether that worked."""
    try:
        _mount("-o", f"remount,{mode}", str(folder))
    except subprocess.CalledProcessError:  # It is busy: a file is open for writing.
        return False
    return True


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)
