"""Compiles ahead of time what most work needs, so that the first user of an image need not wait for the compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

from graphfsa.analysis import ask
from graphfsa.automaton.library import library_automaton
from graphfsa.engine import run, simulate
from graphfsa.engine.compiling import compiled_here
from graphfsa.graphs import families
from graphfsa.learners import learn


@dataclass(frozen=True)
class Warmed:
    """What one kind of work needed.

    Attributes:
        work: The kind of work.
        kernels: Names of the kernels that were compiled; none if all of them were on disk.
        seconds: How long it took.
    """

    work: str
    kernels: tuple[str, ...]
    seconds: float


def warm_up() -> Iterator[Warmed]:
    """Do a little of each common kind of work, which compiles the kernels for it and keeps them on disk.

    Kernels are kept beside the package, or in the user's cache if that can't be written. They fit the kind of processor
    on which they were compiled; on another they are compiled again.

    Yields:
        What each kind of work needed, when it is done.
    """
    for work, job in _JOBS.items():
        before, began = len(compiled_here), perf_counter()
        job()
        yield Warmed(work, tuple(compiled_here[before:]), perf_counter() - began)


def _counting() -> None:
    """Counting by every kernel, with and without a record of what changes, on graphs and lattices."""
    life = library_automaton("life")
    for kernel in ("event", "dense", "lattice", "bits"):
        run(life, "moore-torus:70x70", "random", 3, kernel=kernel)
    for name in ("distance", "life"):  # With a bound of one, and with a larger one.
        run(name, families.path(5000), [0, 1] * 2500, 3, kernel="dense")
    run("distance", "path:10", "root:0", 3, record="changes", entries=True, kernel="event")


def _positions() -> None:
    run("rule110", "row:10", "random", 3, kernel="event")
    run("rule110", "row:10", "random", 3, kernel="dense")
    run("rule110", "ring:300", "random", 3, kernel="lattice")


def _coins() -> None:
    run("sir", "path:10", "random", 3)
    simulate("sir", "path:10", "random", 3, replicates=2)


def _schedulers() -> None:
    for scheduler in ("central", "distributed"):
        run("distance", "path:10", "root:0", 3, scheduler=scheduler)


def _questions() -> None:
    ask("distance", eventually_always="some node is even", graphs="tree", max_nodes=4)


_JOBS: dict[str, Callable[[], object]] = {
    "runs that count neighbours": _counting,
    "runs that see positions": _positions,
    "runs with coins": _coins,
    "runs with a scheduler": _schedulers,
    "questions about all small graphs": _questions,
    "learning an automaton": lambda: learn("prefix-sum"),
}
