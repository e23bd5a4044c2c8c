"""What every benchmark needs: a stopwatch, the lines of a report, and how a report is printed.

Machines are noisy, so what is compared is measured in turns within one run, and the median of many turns is kept.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from time import perf_counter
from typing import Any


def in_turns(
    contenders: Mapping[str, Callable[[], Any]],
    turns: int,
    seconds: float = 20.0,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """Median seconds of each contender, measured in turns, each time after one call to warm up.

    Args:
        contenders: What to call, by name.
        turns: How often each is measured, at most.
        seconds: No new turn begins after this time, but there is always at least one.
        clock: What is read before and after a call; ``time.process_time`` for the time of the processor only, where all
            contenders have one thread.
    """
    for call in contenders.values():
        call()
    times: dict[str, list[float]] = {name: [] for name in contenders}
    began = perf_counter()
    for turn in range(turns):
        if turn and perf_counter() - began > seconds:
            break
        for name, call in contenders.items():
            # Once without the clock: caches are cold after the others, and their threads may still be spinning.
            call()
            started = clock()
            call()
            times[name].append(clock() - started)
    return {name: median(values) for name, values in times.items()}


@contextmanager
def one_thread() -> Generator[None]:
    """Let the package use one thread."""
    before = os.environ.get("GRAPHFSA_THREADS")
    os.environ["GRAPHFSA_THREADS"] = "1"
    try:
        yield
    finally:
        del os.environ["GRAPHFSA_THREADS"]
        if before is not None:
            os.environ["GRAPHFSA_THREADS"] = before


def row(what: str, figure: float, unit: str, target: str = "", **more: Any) -> dict[str, Any]:
    """One line of a report: what was measured, the figure, and what it is compared with."""
    return {"what": what, "figure": float(f"{figure:.4g}"), "unit": unit, "target": target, **more}


def provenance(seed: int, quick: bool, peers: tuple[str, ...]) -> dict[str, Any]:
    """Everything that one needs to judge a figure: versions, machine, seed."""
    from graphfsa import __version__

    versions: dict[str, str] = {"python": platform.python_version(), "graphfsa": __version__}
    for name in ("numpy", "numba", *peers):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"seed": seed, "quick": quick, "cores": cores, "machine": platform.machine(), "versions": versions}


def say(text: str) -> None:
    """Tell on standard error what is being measured now."""
    print(f"measuring {text} ...", file=sys.stderr, flush=True)


def print_report(report: dict[str, Any]) -> None:
    """Print a report as a table, on standard output."""
    from rich.console import Console
    from rich.table import Table

    table = Table("what", "figure", "unit", "target", title=report["title"], title_justify="left")
    table.columns[1].justify = "right"
    for line in report["rows"]:
        table.add_row(line["what"], f"{line['figure']:,.4g}", line["unit"], line["target"])
    console = Console(width=None if sys.stdout.isatty() else 140, markup=False)
    console.print(table)
    about = report["provenance"]
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    console.print(f"{about['cores']} cores, {about['machine']}, seed {about['seed']}; {versions}")
    if about["quick"]:
        console.print("quick: sizes and repetitions are too small for these figures to mean much")
