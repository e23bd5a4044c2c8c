"""Torture: commands are killed, interrupted, and deprived of disk, permission and memory; nothing may be lost.

After each trial: exit code and messages are what the documentation says, files are the old ones or whole new ones,
nothing is left over, no process lives on, and the same command, run again, gives the bits of an undisturbed run.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stress._torture_bench import Bench
from stress._torture_faults import KINDS, Plan, methods, plan_of
from stress._torture_trial import Verdict, run_trial

Row = dict[str, Any]
_Key = tuple[str, str]
_COLUMNS = {
    "before": "ended before the fault",
    "early": "before the program",
    "aborts": "library aborts",
    "lost": "lost",
    "tracebacks": "tracebacks",
    "codes": "wrong exit codes",
    "left": "left-over files",
    "slow": "slow endings",
    "orphans": "orphans",
    "same": "same bits",
    "other": "other bits",
}
_AT_ONCE = 2


def torture(
    *,
    seed: int = 0,
    trials: int = 100,
    kinds: Sequence[str] | None = None,
    watch: Callable[[str], None] | None = None,
    trial: int | None = None,
) -> list[Row]:
    """Make faults happen, and count what they do.

    Args:
        seed: Seed of all that is random; seed, kind and number determine a trial.
        trials: Number of trials of each kind of fault, spread over the commands.
        kinds: Kinds of faults; by default all of ``KINDS``.
        watch: Called with a line about each trial.
        trial: Only the trial of this number, to see it again.

    Returns:
        A row for each kind of fault and command: numbers, and ``failures``, each in words with the command that
        repeats it.

    Raises:
        ValueError: There is no such kind of fault.
    """
    unknown = set(kinds or ()) - set(KINDS)
    if unknown:
        raise ValueError(f"kinds must be among {', '.join(KINDS)}; got {', '.join(sorted(unknown))}")
    numbers = range(trials) if trial is None else [trial]
    plans = [plan_of(seed, kind, number) for number in numbers for kind in kinds or KINDS]
    with tempfile.TemporaryDirectory(prefix="graphfsa-torture-", ignore_cleanup_errors=True) as scratch:
        rows = _run_all(plans, Path(scratch), watch or _silent, seed)
    return [rows[key] for key in sorted(rows, key=lambda key: (KINDS.index(key[0]), key[1]))]


def _run_all(plans: Sequence[Plan], scratch: Path, watch: Callable[[str], None], seed: int) -> dict[_Key, Row]:
    """Run trials, some at once; returns rows by kind and command."""
    rows: dict[_Key, Row] = {}
    with _listening(), ThreadPoolExecutor(_AT_ONCE) as pool:
        bench = Bench(scratch)
        bench.prepare([plan.command for plan in plans], watch)
        waiting = {pool.submit(run_trial, bench, plan): plan for plan in plans}
        try:
            for done, future in enumerate(as_completed(waiting), start=1):
                plan, verdict = waiting[future], future.result()
                _add(rows, plan, verdict, seed)
                watch(f"{done} of {len(plans)}: {_name(plan)}: {'; '.join(verdict.failures) or 'fine'}")
        finally:
            pool.shutdown(cancel_futures=True)
    _note_what_is_missing(bench, rows)
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows as an aligned table with a sum for each kind of fault, then notes and failures."""
    head = ["fault", "command", "trials", *_COLUMNS.values()]
    lines = [head, ["-" * len(name) for name in head]]
    for kind in dict.fromkeys(row["fault"] for row in rows):
        own = [row for row in rows if row["fault"] == kind]
        total = {name: sum(row[name] for row in own) for name in ("trials", *_COLUMNS)}
        summed = [*own, {"fault": kind, "command": "all", **total}]
        lines += [[str(row[name]) for name in ("fault", "command", "trials", *_COLUMNS)] for row in summed]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    text = ["| " + " | ".join(map(_padded, line, widths, range(len(head)))) + " |" for line in lines]
    notes = dict.fromkeys(row["note"] for row in rows if row.get("note"))
    failures = [failure for row in rows for failure in row["failures"]]
    text += ["", *notes, f"{len(failures)} failures", *(f"- {failure}" for failure in failures)]
    return "\n".join(text)


def _padded(cell: str, width: int, place: int) -> str:
    return cell.ljust(width) if place < 2 else cell.rjust(width)


def _silent(_line: str) -> None:
    pass


def _name(plan: Plan) -> str:
    return f"{plan.kind} {plan.number}, {plan.command.name}"


def _add(rows: dict[_Key, Row], plan: Plan, verdict: Verdict, seed: int) -> None:
    empty: Row = {"fault": plan.kind, "command": plan.command.name, "trials": 0, **dict.fromkeys(_COLUMNS, 0)}
    row = rows.setdefault((plan.kind, plan.command.name), empty | {"failures": [], "note": ""})
    row["trials"] += 1
    for name in _COLUMNS:
        row[name] += getattr(verdict, name)
    again = f"python -m stress torture --kinds {plan.kind} --seed {seed} --trial {plan.number}"
    row["failures"] += [f"{_name(plan)}: {words}\n  {again}" for words in verdict.failures]


def _note_what_is_missing(bench: Bench, rows: dict[_Key, Row]) -> None:
    if bench.can_mount:
        return
    for (kind, _), row in rows.items():
        if kind in ("disk-full", "no-permission"):
            row["note"] = f"{kind}: no disk can be mounted here, so only {', '.join(methods(bench, kind))} was tried."


@contextmanager
def _listening() -> Generator[None]:
    """Let signals end a run in order, with disks unmounted and files removed; what is ignored now stays so for us.

    Commands would inherit from whoever was started in the background that Ctrl-C is ignored; then nothing would happen.
    """
    before: dict[int, Any] = {}

    def end(number: int, _frame: Any) -> None:
        if before[number] is not signal.SIG_IGN:
            raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            before[number] = signal.getsignal(number)
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m stress.torture``: parse, torture, print."""
    parser = argparse.ArgumentParser("python -m stress torture", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="seed of all that is random [default: 0]")
    parser.add_argument("--trials", type=int, default=100, help="trials of each kind [default: 100]")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, help="kinds of faults [default: all]")
    parser.add_argument("--trial", type=int, help="only the trial of this number")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    given = parser.parse_args(arguments)
    rows = torture(
        seed=given.seed,
        trials=given.trials,
        kinds=given.kinds,
        trial=given.trial,
        watch=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(json.dumps(rows) if given.json else table(rows))
    return int(any(row["failures"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
