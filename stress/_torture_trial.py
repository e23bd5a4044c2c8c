"""One trial: a command is struck, what it left is looked at, and it is run again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import graphfsa
from stress._torture_bench import Bench
from stress._torture_faults import SIGNALS, Plan, Struck, method_of, strike
from stress._torture_files import contents, damage, leftovers, timeless
from stress._torture_process import PATIENCE, Ending, Run

_PACKAGE = str(Path(graphfsa.__file__).parent)
_TRACES = ("Traceback (most recent call last)", "Fatal Python error")
_ABORTS = (134, 139)
_NOTHING = ("nothing was found", "nothing has been found", "found nothing", "no automaton", "nothing found")


@dataclass
class Verdict:
    """What a trial has shown; numbers of what went wrong, and each in words."""

    before: int = 0
    early: int = 0
    aborts: int = 0
    lost: int = 0
    tracebacks: int = 0
    codes: int = 0
    left: int = 0
    slow: int = 0
    orphans: int = 0
    same: int = 0
    other: int = 0
    failures: list[str] = field(default_factory=list[str])

    def fail(self, what: str, words: str, number: int = 1) -> None:
        """Count a failure."""
        setattr(self, what, getattr(self, what) + number)
        self.failures.append(words)


def run_trial(bench: Bench, plan: Plan) -> Verdict:
    """Strike a command as planned, look at what it left, and run it again."""
    verdict = Verdict()
    command, reference = plan.command, bench.references[plan.command.name]
    mounted = method_of(bench, plan) in ("small disk", "read-only disk")
    begin = reference.earlier if plan.earlier else {}
    with bench.folder(f"{plan.kind}-{plan.number}", begin, mounted=mounted) as folder:
        out = folder / "out"
        struck = strike(bench, plan, folder)
        wanted = reference.wanted if plan.kind == "two-writers" and not command.alike else reference.wanted[:1]
        whole = _is_whole(out, wanted)
        verdict.before = int(struck.endings[0].before)
        if plan.kind not in (*SIGNALS, "two-writers"):  # There was enough of everything.
            verdict.before = int(struck.endings[0].code == command.code and whole)
        for ending in struck.endings:
            _judge_ending(verdict, plan, ending, whole=whole)
        if plan.kind == "two-writers" and all(ending.code != command.code for ending in struck.endings):
            verdict.fail("codes", f"both writers failed: {' and '.join(map(str, struck.endings))}")
        for words in damage(out, begin, killed=plan.kind == "kill"):
            verdict.fail("lost", f"{words} after {struck.endings[0]}")
        _judge_leftovers(verdict, plan, folder)
        if plan.kind in ("term", "hup", "int"):
            _judge_learning(verdict, plan, struck, folder)
        _run_again(verdict, plan, folder, reference.wanted[0])
    return verdict


def _is_whole(out: Path, wanted: tuple[Mapping[str, str], ...]) -> bool:
    """Whether all files are there as one of several undisturbed runs would have written them."""
    try:
        found = timeless(contents(out))
    except (ValueError, LookupError):  # Half a file.
        return False
    return all(found.get(name) in [each.get(name) for each in wanted] for name in wanted[0])


def _judge_ending(verdict: Verdict, plan: Plan, ending: Ending, *, whole: bool) -> None:
    traced = any(words in ending.err or words in ending.out for words in _TRACES)
    foreign = _PACKAGE not in ending.err
    # Before the first line of the package has run, the interpreter answers Ctrl-C in its own way.
    early = traced and foreign and plan.kind == "int"
    # LLVM and others abort the process when they get no memory; nobody can do anything about that.
    aborted = plan.kind == "memory" and (ending.code in _ABORTS or (traced and foreign))
    verdict.early, verdict.aborts = verdict.early + early, verdict.aborts + aborted
    if traced and not (early or aborted):
        verdict.fail("tracebacks", f"a traceback: {ending}: {_last_lines(ending.err)}")
    success = plan.command.code
    allowed = {
        "disk-full": {1},
        "no-permission": {1, 2},
        "memory": {1},
        "two-writers": {2},
        **{kind: {128 + number} for kind, number in SIGNALS.items()},
    }[plan.kind]
    complete = ending.code == success and (whole or success != 0)
    if not (early or aborted or complete or ending.code in allowed):
        what = "though not all was written" if ending.code == success else f"not {' or '.join(map(str, allowed))}"
        verdict.fail("codes", f"exit code {ending.code}, {what}: {ending}: {_last_lines(ending.err)}")
    if ending.timed_out:
        verdict.fail("slow", f"it did not end at all: {ending}")
    elif ending.late > PATIENCE:
        verdict.fail("slow", f"it ended {ending.late:.1f} s after the signal: {ending}")
    if ending.orphans:
        verdict.fail("orphans", f"it left {ending.orphans} processes: {ending}", ending.orphans)


def _judge_leftovers(verdict: Verdict, plan: Plan, folder: Path) -> None:
    found = leftovers(folder)
    strange = [name for name in found if not (Path(name).name.startswith(".graphfsa-") and name.endswith(".tmp"))]
    if strange:
        verdict.failures.append(f"strange files are left: {', '.join(strange)}")
    if found and plan.kind != "kill":
        verdict.failures.append(f"temporary files are left: {', '.join(found)}")
    verdict.left += len(found)


def _judge_learning(verdict: Verdict, plan: Plan, struck: Struck, folder: Path) -> None:
    """Whoever interrupts learning gets the best so far, or is told that there is none."""
    ending = struck.endings[0]
    begun = struck.began is not None and struck.began < struck.sent
    insisted = plan.twice and plan.kind == "int"  # Ctrl-C again means: at once.
    if not begun or insisted or ending.before or ending.code != 128 + SIGNALS[plan.kind]:
        return
    try:
        facts = json.loads(ending.out)
    except ValueError:
        facts = {}
    made = [facts.get(name) for name in ("model", "impossibility_certificate") if facts.get(name)]
    told = bool(facts) and not made and facts.get("verdict") == "undecided"
    told = told or any(words in (ending.out + ending.err).lower() for words in _NOTHING)
    if made and not all((folder / str(name)).is_file() for name in made):
        verdict.fail("lost", f"{made} should have been written: {ending}")
    elif not made and not told:
        verdict.fail("lost", f"learning had begun, but there is no model and no word about it: {ending}: {ending.err}")


def _run_again(verdict: Verdict, plan: Plan, folder: Path, wanted: Mapping[str, str]) -> None:
    ending = Run(plan.command.arguments(), folder).finish()
    if ending.code != plan.command.code:
        verdict.fail("other", f"it can't be run again: {ending}: {_last_lines(ending.err)}")
        return
    found = timeless(contents(folder / "out"))
    differ = [name for name in wanted if found.get(name) != wanted[name]]
    if differ:
        verdict.fail("other", f"run again, it gives other bits in {', '.join(differ)}: {ending}")
    else:
        verdict.same += 1


def _last_lines(text: str) -> str:
    return " | ".join(text.strip().splitlines()[-4:])[-600:]
