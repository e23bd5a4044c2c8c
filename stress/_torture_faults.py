"""Faults: signals, full disks, missing permissions, missing memory, another writer; each strikes one command."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stress._torture_bench import DISK, Bench, Reference, remount
from stress._torture_commands import Command, command_of
from stress._torture_hook import LIBRARIES, MARK, MEMORY, WORKERS
from stress._torture_process import Ending, Run

KINDS = ("kill", "term", "hup", "int", "disk-full", "no-permission", "memory", "two-writers")
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "hup": signal.SIGHUP, "int": signal.SIGINT}
_HOOK = ["--plugin", str(Path(__file__).with_name("_torture_hook.py"))]
_PAGE = 4096
_START = 0.15
"""The share of its time in which a command starts."""
_AGAIN = 0.3
"""Seconds in which a signal is sent again."""
_MOST_MEMORY = 2**27
"""The largest number of bytes that a command without memory may still have."""


@dataclass(frozen=True)
class Plan:
    """All that is random about a trial.

    Attributes:
        kind: Kind of the fault.
        number: Number of the trial.
        command: The command.
        earlier: Whether files of an earlier run are there.
        hooked: Whether a learner says when it begins.
        how: Which way of those that the machine offers, in [0, 1).
        moment: When, as a share of the time that the command takes.
        writing: Whether ``moment`` is a share of the changes of files instead.
        delay: Seconds after these changes.
        group: Whether a signal goes to all processes of the command.
        twice: Whether it is sent again, a moment later.
        share: How much disk or memory is left, in [0, 1).
    """

    kind: str
    number: int
    command: Command
    earlier: bool
    hooked: bool
    how: float
    moment: float
    writing: bool
    delay: float
    group: bool
    twice: bool
    share: float


def plan_of(seed: int, kind: str, number: int) -> Plan:
    """The trial of this number: seed, kind and number say everything about it."""
    rng = np.random.default_rng([seed, KINDS.index(kind), number])
    command = command_of(number)
    coins = rng.random(6) < (0.5, 0.5, 0.5, 0.4, 0.2, 0.2)
    return Plan(
        kind,
        number,
        command,
        earlier=command.always or bool(coins[0]),
        hooked=command.learns and bool(coins[1]),
        how=float(rng.random()),
        # Programs are least prepared while they start.
        moment=float(rng.random()) * (_START if coins[5] and not coins[3] else 1.0),
        # Files are written in moments: whoever strikes at any time would hardly ever hit one.
        writing=bool(coins[3]),
        delay=float(rng.random() * 0.004),
        group=bool(coins[2]),
        twice=bool(coins[4]),
        share=float(rng.random()),
    )


@dataclass(frozen=True)
class Struck:
    """A command that has been struck.

    Attributes:
        endings: How it ended; two endings for two writers.
        began: When learning began, by ``time.time()``; None if it is not known to have begun.
        sent: When the signal was sent, by ``time.time()``.
    """

    endings: tuple[Ending, ...]
    began: float | None = None
    sent: float = 0.0


def methods(bench: Bench, kind: str) -> list[str]:
    """The ways in which a fault can be made on this machine."""
    mounts = {"disk-full": ["small disk"], "no-permission": ["read-only disk"]}
    plain = {"disk-full": ["small files"], "no-permission": ["directory", "file", "input", "later"]}
    return (mounts.get(kind, []) if bench.can_mount else []) + plain.get(kind, ["plain"])


def method_of(bench: Bench, plan: Plan) -> str:
    """The way in which a trial makes its fault."""
    ways = methods(bench, plan.kind)
    way = ways[int(plan.how * len(ways))]
    there = bench.references[plan.command.name].earlier if plan.earlier else {}
    needed = {"file": bool(there), "input": "MODEL" in plan.command.line or ".toml" in plan.command.line}
    return way if needed.get(way, True) else "directory"


def strike(bench: Bench, plan: Plan, folder: Path) -> Struck:
    """Run a command in a directory, and make its fault happen."""
    reference = bench.references[plan.command.name]
    if plan.kind in SIGNALS:
        return _send(plan, folder, reference)
    act: dict[str, Callable[[Plan, Path, Reference], Struck]] = {
        "small disk": _fill,
        "small files": _limit_files,
        "read-only disk": _make_read_only,
    }
    if plan.kind == "no-permission":
        how = method_of(bench, plan)
        return act[how](plan, folder, reference) if how in act else _forbid(plan, folder, reference, how)
    if plan.kind == "disk-full":
        return act[method_of(bench, plan)](plan, folder, reference)
    return (_take_memory if plan.kind == "memory" else _write_twice)(plan, folder, reference)


def _send(plan: Plan, folder: Path, reference: Reference) -> Struck:
    mark = folder / "begun"
    arguments = [*(_HOOK if plan.hooked else []), *plan.command.arguments()]
    run = Run(arguments, folder, {MARK: str(mark)} if plan.hooked else {})
    if plan.writing:
        run.changes(folder / "out", 1 + int(plan.moment * reference.changes))
        run.ended_within(plan.delay)
    else:
        run.ended_within(plan.moment * reference.seconds)
    sent = time.time()
    run.strike(SIGNALS[plan.kind], group=plan.group)
    if plan.twice and not run.ended_within(plan.share * _AGAIN):
        run.strike(SIGNALS[plan.kind], group=plan.group)
    ending = run.finish()
    return Struck((ending,), mark.stat().st_mtime if mark.exists() else None, sent)


def _fill(plan: Plan, folder: Path, reference: Reference) -> Struck:
    """Leave less room on the disk than the files need."""
    room = int(plan.share * (reference.size // _PAGE + 1)) * _PAGE
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            for _ in range(DISK // _PAGE + 1):
                file.write(b"x" * _PAGE)
        except OSError:  # It is full now.
            file.truncate(max(0, filler.stat().st_size // _PAGE * _PAGE - room))
    try:
        return Struck((Run(plan.command.arguments(), folder).finish(),))
    finally:
        filler.unlink()


def _limit_files(plan: Plan, folder: Path, reference: Reference) -> Struck:
    most = str(int(plan.share * reference.largest))
    return Struck((Run(plan.command.arguments(), folder, launcher=("--largest-file", most)).finish(),))


def _make_read_only(plan: Plan, folder: Path, _reference: Reference) -> Struck:
    remount(folder, "ro")
    try:
        return Struck((Run(plan.command.arguments(), folder).finish(),))
    finally:
        remount(folder, "rw")


def _forbid(plan: Plan, folder: Path, reference: Reference, how: str) -> Struck:
    """Take permissions away: of directories, of older files, of inputs; before or while the command runs."""
    out = folder / "out"
    inside = [path for path in out.rglob("*") if path.is_dir() == (how != "file")]
    chosen = [*folder.glob("*.*")] if how == "input" else inside if how == "file" else [out, *inside]
    modes = {path: path.stat().st_mode for path in chosen}
    if how == "later":
        run = Run(plan.command.arguments(), folder, launcher=("--no-override",))
        run.ended_within(plan.moment * reference.seconds)
    for path in modes:
        path.chmod(0 if how == "input" else 0o555 if path.is_dir() else 0o444)
    try:
        if how != "later":
            run = Run(plan.command.arguments(), folder, launcher=("--no-override",))
        return Struck((run.finish(),))
    finally:
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)


def _take_memory(plan: Plan, folder: Path, _reference: Reference) -> Struck:
    """Leave so little memory, once libraries are loaded; jobs of ``reproduce`` are struck in their own processes."""
    room = int(2 ** (12 + plan.share * (np.log2(_MOST_MEMORY) - 12)))
    environment = {MEMORY: str(room), LIBRARIES: plan.command.libraries}
    if plan.command.name == "reproduce":
        environment[WORKERS] = "1"
    return Struck((Run([*_HOOK, *plan.command.arguments()], folder, environment).finish(),))


def _write_twice(plan: Plan, folder: Path, reference: Reference) -> Struck:
    """Start two of them, one a little later; they write different files to the same places, if that is allowed."""
    first = Run(plan.command.arguments(), folder)
    first.ended_within(plan.moment * plan.share * reference.seconds)
    second = Run(plan.command.arguments(0 if plan.command.alike else 1), folder)
    return Struck((first.finish(), second.finish()))
