"""The option ``--cluster``, and how the workers do, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from graphfsa.cli._common import say

if TYPE_CHECKING:
    from graphfsa.engine.cluster import Cluster

CLUSTER_HELP = (
    "Share the work among the workers of a Ray cluster: local:N starts N on this machine, HOST:PORT is a cluster that "
    "runs, auto finds the one that this machine belongs to. The result is the same."
)
_EVERY = 30.0
"""Seconds between two lines if there is no terminal."""


@contextmanager
def cluster_at(address: str | None) -> Generator[Cluster | None]:
    """The cluster at an address, open; None if none was given."""
    if address is None:
        yield None
        return
    from graphfsa.engine.cluster import Cluster

    with Cluster(address) as cluster:
        yield cluster


def cluster_words(facts: dict[str, Any]) -> str:
    """How a graph was cut, and how the workers did."""
    words = [
        f"{facts['workers']} workers",
        f"{facts['cut']:,} arcs cut",
        f"rim of {facts['rim']:,} nodes",
        f"{facts['steps_per_call']} steps per call",
        f"{facts['bytes_told']:,} bytes told",
    ]
    if facts["imbalance"] > 1.1:
        words.append(f"worker {facts['slowest']} takes {facts['imbalance']:.2f} times the mean")
    if facts["workers_lost"]:
        words.append(f"{facts['workers_lost']} lost and replaced")
    return ", ".join(words)


@contextmanager
def cluster_progress(cluster: Cluster, total: int | None) -> Generator[Callable[[int], None]]:
    """A bar that follows the current step and names stragglers; without a terminal a line now and then."""
    if not sys.stderr.isatty():
        said = [monotonic(), 0.0]

        def line(facts: dict[str, Any]) -> None:
            if monotonic() > said[0] + _EVERY:
                said[0] = monotonic()
                say(f"step {said[1]:,.0f}; {cluster_words(facts)}", err=True)

        cluster.watch = line
        yield lambda step: said.__setitem__(1, step)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    text = TextColumn("{task.description}", markup=False)
    columns = (TextColumn("step {task.completed:,.0f}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn(), text)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        cluster.watch = lambda facts: bar.update(task, description=cluster_words(facts))
        yield lambda step: bar.update(task, completed=step)
