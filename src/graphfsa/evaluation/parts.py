"""What an experiment is made of: graphs, tests, blocks, groups of rows, and learners with their options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_GIVEN = ("states", "bound")
"""Options that tell a learner something about the automaton that is looked for."""
_TITLES = {"train": "the paper's graphs", "learn": "more small graphs", "covering": "covering graphs"}


def no_options() -> dict[str, Any]:
    """An empty table of options."""
    return {}


@dataclass(frozen=True)
class Data:
    """Where the graphs come from: a data set, or GRAB.

    Attributes:
        dataset: Name of a data set, or ``file.py:Class``.
        options: Options of the data set.
        grab: Name of a configuration of GRAB.
        steps: Steps of the training labels; 0 for the data set's own number.
    """

    dataset: str = ""
    options: dict[str, Any] = field(default_factory=no_options)
    grab: str = ""
    steps: int = 0


@dataclass(frozen=True)
class Test:
    """Graphs to score on.

    Attributes:
        name: Name of the row: ``n=10``, ``t=5``, ``validation``. Tests of GRAB are named after its splits.
        size: Number of nodes; GRAB has its own.
        count: Number of graphs.
        steps: Steps to run, after which the labels hold; 0 for the data set's own number.
        automata: Whether only automata are tested, because a network would take too long.
    """

    __test__ = False  # Not for pytest.

    name: str
    size: int = 0
    count: int = 100
    steps: int = 0
    automata: bool = False


@dataclass(frozen=True)
class Train:
    """Graphs to learn from.

    Attributes:
        split: ``train`` (the paper's graphs), ``learn`` (many small graphs of every size up to 10), or for GRAB also
            ``covering`` (with more graphs, so that every entry of the truth is seen). With sizes also ``alone``
            (these sizes and no others, a tenth more for validation) and ``every`` (all inputs of all graphs of these
            sizes).
        sizes: Other sizes than those of the split.
        count: Another number of graphs; 0 for that of the split.
    """

    split: str = "train"
    sizes: tuple[int, ...] = ()
    count: int = 0


@dataclass(frozen=True)
class Block:
    """Graphs that several learners learn from. Only learners of one block are compared.

    Attributes:
        split: As for :class:`Train`.
        sizes: As for :class:`Train`.
        count: As for :class:`Train`.
        title: What to call it; by default ``the paper's graphs``, ``more small graphs`` or ``covering graphs``.
        seeds: The largest number of seeds; 0 for no limit.
    """

    split: str = "train"
    sizes: tuple[int, ...] = ()
    count: int = 0
    title: str = ""
    seeds: int = 0

    @property
    def train(self) -> Train:
        """The graphs."""
        return Train(self.split, self.sizes, self.count)

    @property
    def key(self) -> str:
        """What learners call it: its title, or its split if it has none."""
        return self.title or self.split

    @property
    def is_paper(self) -> bool:
        """Whether these are the paper's training graphs, so that published numbers may stand beside."""
        return self.train == Train()

    @property
    def name(self) -> str:
        """What a reader calls it."""
        if self.title:
            return self.title
        parts = [_TITLES.get(self.split, self.split)]
        parts += [f"sizes {', '.join(map(str, self.sizes))}"] if self.sizes else []
        return ", ".join([*parts, *([f"{self.count} graphs"] if self.count else [])])


@dataclass(frozen=True)
class Group:
    """Rows of a table in which data or learners have other options: ``4 states``, ``rule 30 on rings``.

    Attributes:
        name: Its name.
        data: Options of the data set in these rows.
        options: Options of learners in these rows, by the name of the learner.
    """

    name: str
    data: dict[str, Any] = field(default_factory=no_options)
    options: dict[str, Any] = field(default_factory=no_options)


@dataclass(frozen=True)
class Candidate:
    """A learner in an experiment: one column of its table.

    Attributes:
        column: Name of the column.
        learner: Name of the learner, or ``file.py:Class``.
        options: Options of the learner.
        data: Options of the data set for this column alone: two colours of marks, say. Such a column has other data
            than the others, so it is not compared with them, and its head says so.
        blocks: Titles of the blocks that it takes part in, or splits of those without a title; all if empty.
        published: The model of the paper that it is compared with, if any.
        focus: Whether the experiment is about this learner: it is compared with all others of its block.
        floor: Whether it is a floor, which learns next to nothing: a row in which it is always right tells nothing.
        longer_than: The column whose training this is, for longer. It is in a second table, and left out of quick runs.
        times: How many times longer, in updates.
        seeds: The largest number of seeds it is run with; 0 for no limit.
        quick: Options that differ in a quick run.
    """

    column: str
    learner: str
    options: dict[str, Any] = field(default_factory=no_options)
    data: dict[str, Any] = field(default_factory=no_options)
    blocks: tuple[str, ...] = ()
    published: str = ""
    focus: bool = False
    floor: bool = False
    longer_than: str = ""
    times: int = 0
    seeds: int = 0
    quick: dict[str, Any] = field(default_factory=no_options)

    def is_in(self, block: Block) -> bool:
        """Whether it takes part in a block."""
        return not self.blocks or block.key in self.blocks

    def knows(self, groups: Sequence[Group]) -> str:
        """What it is told that others are not, in words; empty if nothing."""
        options = {**self.options}
        for group in groups:
            options |= group.options.get(self.learner, {})
        told = [f"{' and '.join(name for name in _GIVEN if name in options)} given"] * any(map(options.get, _GIVEN))
        told += [f"{key} = {value}" for key, value in self.data.items()]
        return ", ".join(told)


@dataclass(frozen=True)
class Place:
    """Where the result of a job is shown: a column of a block, in the rows of a group."""

    block: Block
    group: Group
    learner: Candidate


@dataclass(frozen=True)
class PublishedTable:
    """The paper's numbers that stand beside the measured ones.

    Attributes:
        table: Label of the paper's table.
        experiment: Number of the experiment in that table, if it has several.
        comparable: Whether the numbers are about the same data, so that each cell can be compared.
        margin: Means that differ by at most this count as equal. It is stated before anything is run.
    """

    table: str
    experiment: str = ""
    comparable: bool = True
    margin: float = 0.05


@dataclass(frozen=True)
class QuickRun:
    """The largest numbers of training graphs and of test graphs in a quick run."""

    train: int = 200
    test: int = 10
