"""An experiment is data: a task with its graphs, learners with their options, tests, and what the paper published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from json import dumps
from typing import Any

_WORDS = ("column", "published", "ours", "aside", "seeds")
"""What does not decide how a job is run."""


@dataclass(frozen=True)
class Data:
    """Where the graphs come from.

    Attributes:
        dataset: Name of a data set, or empty if they are from GRAB.
        options: Options of the data set.
        grab: Name of a configuration of GRAB, or empty.
        steps: Steps of the training labels; 0 for the data set's own number.
    """

    dataset: str = ""
    options: dict[str, Any] | None = None
    grab: str = ""
    steps: int = 0


@dataclass(frozen=True)
class Test:
    """Graphs to score on.

    Attributes:
        name: Name of the row: ``n=10``, ``t=5``, ``validation``.
        size: Number of nodes. GRAB has its own, by the name of the test.
        count: Number of graphs.
        steps: Steps that are run, and after which the labels hold.
        automata: Whether only automata are run: a network would take too long.
    """

    name: str
    size: int = 0
    count: int = 0
    steps: int = 0
    automata: bool = False


@dataclass(frozen=True)
class Train:
    """Graphs to learn from.

    Attributes:
        split: ``train`` (the paper's graphs), ``learn`` (many small graphs of every size up to 10), or for GRAB also
            ``covering`` (graphs that show every entry of the truth are added).
        sizes: Other sizes than those of the split.
        count: Another number of graphs in all; 0 for that of the split.
    """

    split: str = "train"
    sizes: tuple[int, ...] = ()
    count: int = 0


@dataclass(frozen=True)
class Entry:
    """A learner in an experiment: one column of its table.

    Attributes:
        column: Name of the column.
        learner: Name of the learner.
        options: Options of the learner.
        train: The graphs that it learns from.
        group: The rows that it belongs to, such as ``4 states``; all of them if empty.
        published: The model of the paper that it is compared with, if any.
        ours: Whether it is one of those that are to be at least as good as anything published.
        aside: Whether it is not in the table but in a second one below it: the same learner trained for longer, say.
        seeds: It is run for so many seeds at most; 0 for all.
        quick: Options that differ in a quick run, in which what is aside has no part.
    """

    column: str
    learner: str
    options: dict[str, Any]
    train: Train
    group: str = ""
    published: str = ""
    ours: bool = False
    aside: bool = False
    seeds: int = 0
    quick: dict[str, Any] | None = None


@dataclass(frozen=True)
class Experiment:
    """A table or a curve.

    Attributes:
        name: Its name on the command line.
        title: Its heading.
        about: What is measured, in a sentence or two.
        published: Label of the paper's table and number of its experiment; empty if it published no numbers.
        comparable: Whether published cells are about the same data, so that each can be held against ours.
        fitted: Whether the paper counts only runs without an error on their training graphs, so that a second reading
            does too.
        source: Content of the file that defines it, if it is the user's own.
        data: The graphs.
        tests: What is scored.
        entries: The learners.
        notes: What differs from the paper, and why.
        quick: Number of training and of test graphs in a quick run, at most.
    """

    name: str
    title: str
    about: str
    published: tuple[str, str]
    data: Data
    tests: tuple[Test, ...]
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()
    quick: tuple[int, int] = (200, 10)
    comparable: bool = True
    fitted: bool = False
    source: dict[str, Any] | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides how its jobs are run."""
        content = {"data": asdict(self.data), "tests": list(map(asdict, self.tests))}
        learners = [{key: value for key, value in asdict(entry).items() if key not in _WORDS} for entry in self.entries]
        return _digest({**content, "learners": learners, "quick": self.quick})

    def jobs(self, seed: int, *, quick: bool = False) -> Iterator[tuple[Entry, Job]]:
        """What there is to run for one seed."""
        for entry in self.entries:
            if (entry.seeds and seed >= entry.seeds) or (quick and entry.aside):
                continue
            options, train, tests = entry.options, entry.train, self.tests
            if quick:
                options = {**options, **(entry.quick or {})}
                train = replace(train, count=min(train.count or self.quick[0], self.quick[0]))
                tests = tuple(replace(test, count=min(test.count, self.quick[1])) for test in tests)
            yield (
                entry,
                Job(
                    {
                        "data": asdict(self.data),
                        "train": asdict(train),
                        "tests": [asdict(test) for test in tests],
                        "learner": entry.learner,
                        "options": options,
                        "seed": seed,
                        "quick": quick,
                    }
                ),
            )


@dataclass(frozen=True)
class Job:
    """One learner on one set of graphs with one seed. Tables that ask for the same job share it.

    Attributes:
        config: Everything that decides the outcome, as JSON values.
    """

    config: dict[str, Any]

    @property
    def id(self) -> str:
        """16 letters that stand for the configuration."""
        return _digest(self.config)[:16]


def _digest(content: Any) -> str:
    return sha256(dumps(content, sort_keys=True).encode()).hexdigest()
