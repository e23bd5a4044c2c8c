"""Try to break the package: random cases until time is up, or faults while commands work."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from graphfsa.files import atomic_write
from graphfsa.learners import versions
from stress._campaign import IN_MEMORY, Campaign, Tally, run_block, summary
from stress._torture_faults import KINDS

FUZZ = ("engine", "readers", "commands", "pages")
SOUNDNESS = ("soundness", "waves", "evolutions")
_SAY_EVERY = 30.0


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run; the exit code is 1 if anything failed."""
    parser = _parser()
    given = parser.parse_args(arguments)
    seed = secrets.randbits(48) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    if given.what == "torture":
        return _torture(given, seed)
    if given.block is not None:
        parts = given.parts or ([] if given.what == "fuzz" else ["soundness"])
        if len(parts) != 1 or given.seed is None or given.block < 0:
            parser.error("--block goes with --seed, and with one of --parts: as a failure says")
        return _replay(parts, seed, given.block)
    return _campaign(given, seed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m stress", description=__doc__)
    kinds = parser.add_subparsers(dest="what", required=True)
    fuzz = kinds.add_parser("fuzz", help="random inputs: " + ", ".join(FUZZ))
    soundness = kinds.add_parser("soundness", help="verify, compare, learn, prove: against brute force")
    for kind in (fuzz, soundness):
        kind.add_argument("--minutes", type=float, default=10.0, help="how long, unless --cases says how many [10]")
        kind.add_argument("--cases", type=int, help="number of cases of each part")
        kind.add_argument("--block", type=int, help="run only this block of one part, as a failure says")
        kind.add_argument("--processes", type=int, default=2, help="processes at once [2]")
        kind.add_argument("--out", help="a .json file to write what was done to; what it holds of other parts is kept")
    fuzz.add_argument("--parts", nargs="+", choices=FUZZ, help="only these parts")
    soundness.add_argument("--parts", nargs="+", choices=SOUNDNESS, help="only these parts [soundness]")
    torture = kinds.add_parser("torture", help="kills, signals, full disks, missing rights, no memory, two writers")
    torture.add_argument("--trials", type=int, default=100, help="trials of each kind of fault [100]")
    torture.add_argument("--kinds", nargs="+", choices=KINDS, help="only these kinds of fault")
    torture.add_argument("--trial", type=int, help="run only this trial, as a failure says")
    torture.add_argument("--out", help="a .json file to write the rows of the table to")
    for kind in (fuzz, soundness, torture):
        kind.add_argument("--seed", type=int, help="the seed [fresh, and printed]")
    return parser


def _campaign(given: argparse.Namespace, seed: int) -> int:
    parts = given.parts or (["soundness"] if given.what == "soundness" else list(FUZZ))
    goals: dict[str, int | None] = dict.fromkeys(parts, given.cases)
    campaign = Campaign(goals, seed=seed, seconds=60 * given.minutes, processes=given.processes, watch=_watcher())
    began = time.monotonic()
    campaign.run()
    print("\n".join(summary(campaign.tallies)))
    for failure in campaign.failures:
        parts_option = f" --parts {failure.part}" if given.what == "fuzz" or given.parts else ""
        again = f"python -m stress {given.what}{parts_option} --seed {seed} --block {failure.block}"
        print(f"\nFAILED, {failure.part}, case {failure.case} of block {failure.block}: {again}\n{failure.message}")
    cases = sum(tally.cases for tally in campaign.tallies.values())
    print(f"{cases:,} cases, {len(campaign.failures)} failures, {time.monotonic() - began:,.0f} s, seed {seed}")
    if given.out:
        _write_log(Path(given.out), campaign, seed)
    return 1 if campaign.failures else 0


def _write_log(path: Path, campaign: Campaign, seed: int) -> None:
    log: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for part, tally in campaign.tallies.items():
        failures = [vars(failure) for failure in campaign.failures if failure.part == part]
        log[part] = {
            "seed": seed,
            "cases": tally.cases,
            "blocks": tally.blocks,
            "kinds": dict(sorted(tally.kinds.items())),
            "seconds": round(tally.seconds),
            "failures": failures,
            "versions": versions(),
        }
    atomic_write(path, json.dumps(log, indent=1) + "\n")


def _watcher() -> Any:
    said = time.monotonic()

    def watch(tallies: dict[str, Tally]) -> None:
        nonlocal said
        if time.monotonic() - said > _SAY_EVERY:
            said = time.monotonic()
            print(", ".join(f"{part} {tally.cases:,}" for part, tally in tallies.items()), file=sys.stderr, flush=True)

    return watch


def _replay(parts: list[str], seed: int, block: int) -> int:
    for part in parts:
        with TemporaryDirectory(dir=IN_MEMORY) as folder:
            kinds, trace = run_block(part, seed, block, Path(folder), lambda _case: None)
        print(trace or f"{part}, block {block}: {kinds.total()} cases passed")
        if trace:
            return 1
    return 0


def _torture(given: argparse.Namespace, seed: int) -> int:
    from stress.torture import table, torture

    rows = torture(
        seed=seed,
        trials=given.trials,
        kinds=given.kinds,
        trial=given.trial,
        watch=lambda words: print(words, file=sys.stderr, flush=True),
    )
    print(table(rows))
    if given.out:
        atomic_write(given.out, json.dumps({"seed": seed, "versions": versions(), "rows": rows}, indent=1) + "\n")
    return 1 if any(row.get("failures") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
