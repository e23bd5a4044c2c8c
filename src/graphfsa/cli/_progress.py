"""How work goes, on standard error, if somebody is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from graphfsa.escaping import terminal_text


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
        yield lambda _record: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("looking at the data", total=None)

        def show(record: dict[str, Any]) -> None:
            bar.update(task, description=_line(record), completed=record.get("updates", 0), total=record.get("of"))

        yield show


def _line(record: dict[str, Any]) -> str:
    """A record on one line: what is being done, or the numbers that most learners give."""
    if "doing" in record:
        return terminal_text(str(record["doing"]))
    forms = {
        "epoch": "epoch {}",
        "updates": "update {}",
        "states": "{} states",
        "loss": "loss {:.4f}",
        "accuracy": "{:.2%} right",
        "validation_accuracy": "{:.2%} right on validation",
        "solved": "{} without an error",
    }
    return ", ".join(form.format(record[name]) for name, form in forms.items() if record.get(name) is not None)
