"""How work goes, on standard error, if somebody is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Any

from graphfsa.escaping import terminal_text

_BAR = 12
"""Width of the bar, in characters."""
_EVERY = 10.0
"""Seconds between two lines if there is no terminal."""


@contextmanager
def step_progress(total: int | None) -> Generator[Callable[[int], None]]:
    """A bar that follows the current step."""
    with count_progress("step") as update:
        yield lambda step: update(step, total)


@contextmanager
def count_progress(what: str) -> Generator[Callable[[int, int | None], None]]:
    """A bar that follows how much of a total is done."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn(what + " {task.completed:,.0f}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def learning_progress() -> Generator[Callable[[dict[str, Any]], None]]:
    """A line and a bar that follow the records that learners give."""
    if not sys.stderr.isatty():
        with _lines() as write:
            yield write
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    room = max(20, console.width - _BAR - 14)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(_BAR), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("looking at the data", total=None)

        def show(record: dict[str, Any]) -> None:
            line = shortened(_line(record), room)
            bar.update(task, description=line, completed=record.get("updates", 0), total=record.get("of"))

        yield show


@contextmanager
def _lines() -> Generator[Callable[[dict[str, Any]], None]]:
    """Without a terminal: what is being done, as a line now and then."""
    began, ended, now = monotonic(), Event(), ["looking at the data"]

    def write() -> None:
        while not ended.wait(_EVERY):
            print(f"{now[0]} ({monotonic() - began:.0f} s)", file=sys.stderr, flush=True)

    writer = Thread(target=write, daemon=True)
    writer.start()
    try:
        yield lambda record: now.__setitem__(0, _line(record))
    finally:
        ended.set()
        writer.join(1)


def shortened(text: str, room: int) -> str:
    """A text that fits: of what is said after colons the last part says most."""
    while len(text) > room and ": " in text:
        text = text.partition(": ")[2]
    return text if len(text) <= room else text[: room - 3] + "..."


def _line(record: dict[str, Any]) -> str:
    """A record on one line: what is being done, or the numbers that most learners give."""
    if "doing" in record:
        return terminal_text(str(record["doing"]))
    forms = {
        "epoch": "epoch {}",
        "updates": "update {}",
        "states": "{} states",
        "loss": "loss {:.4f}",
        "accuracy": "now {:.2%} right",
        "best_accuracy": "best {:.2%}",
        "validation_accuracy": "{:.2%} right on validation",
        "solved": "{} without an error",
    }
    return ", ".join(form.format(record[name]) for name, form in forms.items() if record.get(name) is not None)
