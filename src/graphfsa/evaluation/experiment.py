"""An experiment is data: a task with its graphs, learners with their options, tests, and what the paper published.

Learners that are compared learn from the same graphs: those of a block. A learner is listed once, and trained once for
each block (and each group of rows) that it takes part in.

These classes are the only definition of what an experiment holds. Files (TOML) and records (JSON) have the same fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from json import dumps
from typing import Any

from graphfsa.checks import check_type, is_integer, shown
from graphfsa.datasets import DRAWING, Dataset, grab_config, grab_config_names
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation._references import build, construct, find, options_of, refer, without_digest
from graphfsa.learners import Learner

_NO_EFFECT = ("column", "published", "focus", "floor", "longer_than", "times", "seeds", "title")
"""Fields of a learner or a block that do not decide how a job is run."""
_GIVEN = ("states", "bound")
"""Options that tell a learner something about the automaton that is looked for."""
_TITLES = {"train": "the paper's graphs", "learn": "more small graphs", "covering": "covering graphs"}
_MAX_STEPS = 10**6
_MOST = 1000
"""The largest number of tests, and of learners."""
_NAME = re.compile(r"\w[\w .,=+-]*")


def _options() -> dict[str, Any]:
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
    options: dict[str, Any] = field(default_factory=_options)
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
    data: dict[str, Any] = field(default_factory=_options)
    options: dict[str, Any] = field(default_factory=_options)


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
    options: dict[str, Any] = field(default_factory=_options)
    data: dict[str, Any] = field(default_factory=_options)
    blocks: tuple[str, ...] = ()
    published: str = ""
    focus: bool = False
    floor: bool = False
    longer_than: str = ""
    times: int = 0
    seeds: int = 0
    quick: dict[str, Any] = field(default_factory=_options)

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


@dataclass(frozen=True)
class Experiment:
    """A table or a curve.

    Attributes:
        name: Name of its files.
        title: Its heading.
        data: The graphs.
        tests: What is scored: the rows.
        learners: The learners: the columns.
        blocks: The graphs to learn from, one block or several.
        groups: Groups of rows; a table without any has one, without a name.
        about: What is measured, in a sentence or two.
        published: What the paper published; None if it has no such numbers.
        notes: What differs from the paper, and why.
        fitted: Whether the paper counts only runs without an error on their training graphs; a second table does too.
        quick: How large a quick run is.
        files: Where the files of the user's own classes are, by reference; never written.

    Raises:
        GraphFSAError: The experiment is not consistent.
    """

    name: str
    title: str
    data: Data
    tests: tuple[Test, ...]
    learners: tuple[Candidate, ...]
    blocks: tuple[Block, ...] = (Block(),)
    groups: tuple[Group, ...] = ()
    about: str = ""
    published: PublishedTable | None = None
    notes: tuple[str, ...] = ()
    fitted: bool = False
    quick: QuickRun = QuickRun()
    files: dict[str, str] = field(default_factory=_options, compare=False)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or self.name.lower() == "readme":
            raise GraphFSAError(
                "the name of a table becomes the name of files: letters, digits and any of ' .,=+-', not 'readme'; "
                f"got {shown(self.name)}"
            )
        if bool(self.data.dataset) == bool(self.data.grab):
            raise GraphFSAError("data must name either a dataset or a configuration of grab")
        _check_distinct("tests", [test.name for test in self.tests])
        _check_distinct("learners", [each.column for each in self.learners])
        _check_distinct("blocks", [block.name for block in self.blocks])
        if self.groups:
            _check_distinct("groups", [group.name for group in self.groups])
        for test in self.tests:
            if test.count < 1:
                raise GraphFSAError(f"test {test.name!r} must have at least one graph; got {test.count}")
            _check_steps(f"test {test.name!r}", test.steps)
        _check_steps("data", self.data.steps)
        if self.published is not None and not 0 < self.published.margin < 1:
            raise GraphFSAError(f"published: margin must be between 0 and 1; got {self.published.margin}")
        splits = ("train", "learn", "covering") if self.data.grab else ("train", "learn", "alone", "every")
        for block in self.blocks:
            if block.split not in splits:
                what = f"split must be one of {', '.join(splits)}; got {shown(block.split)}"
                raise GraphFSAError(f"block {block.name!r}: {what}")
            if not all(is_integer(size) and size >= 0 for size in block.sizes):
                raise GraphFSAError(f"block {block.name!r}: sizes must be integers >= 0")
            if block.split in ("alone", "every") and not block.sizes:
                raise GraphFSAError(f"block {block.name!r}: the split {block.split} needs sizes")
        known = {block.key for block in self.blocks}
        for each in self.learners:
            _check_candidate(each, known, {other.column for other in self.learners})
        for group in self.groups:
            _check_group(group, {each.learner for each in self.learners})

    @classmethod
    def of(
        cls,
        data: str | Dataset,
        learners: Mapping[str, str | Learner],
        *,
        tests: Sequence[int | Test] | None = None,
        train: Train | Sequence[Block] | None = None,
        focus: Collection[str] | None = None,
        name: str = "experiment",
        title: str | None = None,
        about: str = "",
    ) -> Experiment:
        """An experiment from objects, one's own included.

        Args:
            data: A data set, its name, or the name of a configuration of GRAB (``paper-1``).
            learners: A learner, or its name, for each column.
            tests: Sizes of the test graphs, or tests; by default those of the data.
            train: The graphs to learn from, or several blocks of them; by default those of the paper.
            focus: The columns that the experiment is about; by default the first.
            name: Name of the files.
            title: The heading; by default the name.
            about: What is measured.

        Example:
            >>> found = Experiment.of("prefix-sum", {"exact": "exact"}, tests=[10, 100])
            >>> [test.name for test in found.tests]
            ['n=10', 'n=100']
        """
        check_type("learners", learners, Mapping, "a learner for each column, by the name of the column")
        files: dict[str, str] = {}
        chosen = list(learners)[:1] if focus is None else focus
        candidates: list[Candidate] = []
        for column, learner in learners.items():
            reference, options = _reference(learner, Learner, f"learner {column!r}", files)
            candidates.append(Candidate(column, reference, options, focus=column in chosen))
        if isinstance(data, str) and data in grab_config_names():
            source = Data(grab=data)
            splits = {split: part.count for split, part in grab_config(data).parts.items() if split in grab_tests(data)}
            default = [Test(split, count=count) for split, count in splits.items()]
        else:
            reference, options = _reference(data, Dataset, "data", files)
            source = Data(reference, options)
            dataset = build(Dataset, reference, options, files)
            default = [Test(f"n={size}", size, count) for size, count in dataset.splits["test"].parts]
        rows = default if tests is None else [_test(test) for test in tests]
        blocks = (
            (Block(train.split, train.sizes, train.count),) if isinstance(train, Train) else tuple(train or [Block()])
        )
        return cls(name, title or name, source, tuple(rows), tuple(candidates), blocks, about=about, files=files)

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides how its jobs are run, but the code of one's own classes."""
        learners, blocks = (
            [{key: value for key, value in asdict(each).items() if key not in _NO_EFFECT} for each in parts]
            for parts in (self.learners, self.blocks)
        )
        for each in learners:
            each["learner"] = without_digest(each["learner"])
        data = {**asdict(self.data), "dataset": without_digest(self.data.dataset)}
        tests, groups = ([asdict(part) for part in parts] for parts in (self.tests, self.groups))
        quick = [self.quick.train, self.quick.test]
        content = {"data": data, "tests": tests, "learners": learners, "blocks": blocks, "groups": groups}
        return _digest({**content, "quick": quick, "drawing": DRAWING})

    @property
    def all_groups(self) -> tuple[Group, ...]:
        """The groups of rows; one without a name if the table has none."""
        return self.groups or (Group(""),)

    def jobs(self, seed: int, *, quick: bool = False) -> Iterator[tuple[Place, Job]]:
        """The jobs of one seed, each with its place; those on the same graphs follow each other.

        A quick run has the first group only, and no longer trainings.
        """
        for block in self.blocks:
            for group in self.all_groups[: 1 if quick else None]:
                for each in self.learners:
                    limits = [number for number in (each.seeds, block.seeds) if number]
                    if each.is_in(block) and seed < min(limits, default=seed + 1) and not (quick and each.longer_than):
                        yield Place(block, group, each), self._job(Place(block, group, each), seed, quick)

    def _job(self, place: Place, seed: int, quick: bool) -> Job:
        each, group = place.learner, place.group
        options = {**each.options, **group.options.get(each.learner, {})}
        data = replace(self.data, options={**self.data.options, **group.data, **each.data})
        train, tests = place.block.train, self.tests
        if quick:
            options = {**options, **each.quick}
            train = replace(train, count=min(train.count or self.quick.train, self.quick.train))
            tests = tuple(replace(test, count=min(test.count, self.quick.test)) for test in tests)
        files = {
            reference: self.files[reference] for reference in (data.dataset, each.learner) if reference in self.files
        }
        return Job(data, train, tests, each.learner, options, seed, quick, DRAWING, files)


@dataclass(frozen=True)
class Job:
    """One learner on one set of graphs with one seed. Tables that ask for the same job share it.

    Attributes:
        data: Where the graphs come from.
        train: The graphs to learn from.
        tests: The graphs to score on.
        learner: Reference of the learner.
        options: Options of the learner.
        seed: The seed.
        quick: Whether it is of a quick run.
        drawing: The version of how graphs are drawn.
        files: Where the files of the user's own classes are; never written, and no part of its identity.
    """

    data: Data
    train: Train
    tests: tuple[Test, ...]
    learner: str
    options: dict[str, Any]
    seed: int
    quick: bool
    drawing: int = 1
    files: dict[str, str] = field(default_factory=_options, compare=False)

    def __str__(self) -> str:
        data = without_digest(self.data.dataset) or self.data.grab
        return f"{self.learner_name} on {data}, seed {self.seed}"

    @property
    def learner_name(self) -> str:
        """The learner, as a person calls it."""
        return without_digest(self.learner)

    @cached_property
    def config(self) -> dict[str, Any]:
        """Everything that decides the outcome, as JSON values."""
        content = asdict(self)
        del content["files"]
        return content

    @cached_property
    def graphs_id(self) -> str:
        """16 hexadecimal digits that stand for its graphs: only results on the same graphs may be compared."""
        return graphs_id(self.config)

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits that stand for the configuration."""
        return job_id(self.config)


def job_id(config: Mapping[str, Any]) -> str:
    """16 hexadecimal digits that stand for the configuration of a job."""
    return _digest(config)[:16]


def graphs_id(config: Mapping[str, Any]) -> str:
    """16 hexadecimal digits that stand for the graphs of a job: all of its configuration but the learner."""
    return job_id({name: value for name, value in config.items() if name not in ("learner", "options")})


def grab_tests(config: str) -> list[str]:
    """Names of the splits of a configuration of GRAB that models can be tested on."""
    return [part for part in grab_config(config).parts if part not in ("train", "ood")]


def _test(given: Any) -> Test:
    return Test(f"n={given}", int(given)) if is_integer(given) else check_type("a test", given, Test)


def _reference(
    given: Any, contract: type[Learner] | type[Dataset], what: str, files: dict[str, str]
) -> tuple[str, dict[str, Any]]:
    """The reference and the options of a learner or data set, or of its name; notes its file."""
    if not isinstance(given, str | contract):
        raise GraphFSAError(f"{what} must be a graphfsa.{contract.__name__} or the name of one; got {shown(given)}")
    try:
        plugin = construct(find(contract, given), {}) if isinstance(given, str) else given
        reference, more = refer(type(plugin))
        files |= more
        return reference, options_of(plugin)
    except GraphFSAError as error:
        raise GraphFSAError(f"{what}: {error}") from None


def _check_steps(what: str, steps: int) -> None:
    """Raise for more steps than anybody would wait for."""
    if steps > _MAX_STEPS:
        raise GraphFSAError(f"{what} must have at most {_MAX_STEPS:,} steps; got {shown(steps)}")


def _check_candidate(each: Candidate, blocks: set[str], columns: set[str]) -> None:
    """Raise unless the blocks and the column that a learner names are there."""
    for name in each.blocks:
        if name not in blocks:
            valid = ", ".join(sorted(blocks))
            raise GraphFSAError(f"learner {each.column!r}: blocks must be among {valid}; got {shown(name)}")
    if each.longer_than and each.longer_than not in columns - {each.column}:
        raise GraphFSAError(f"learner {each.column!r}: longer_than must name another column; got {each.longer_than!r}")
    if bool(each.longer_than) != (each.times > 1):
        raise GraphFSAError(f"learner {each.column!r}: longer_than goes with times, which must be above 1")


def _check_group(group: Group, learners: set[str]) -> None:
    """Raise unless a group has options for learners that are there."""
    for name, options in group.options.items():
        if name not in learners or not isinstance(options, dict):
            valid = ", ".join(sorted(learners))
            raise GraphFSAError(
                f"group {group.name!r}: options must be a table for each learner, {valid}; got {name!r}"
            )


def _check_distinct(what: str, names: Sequence[str]) -> None:
    if not 1 <= len(names) <= _MOST:
        raise GraphFSAError(f"there must be {what}, and at most {_MOST}; got {len(names)}")
    for name, number in Counter(names).items():
        if number > 1:
            raise GraphFSAError(f"{what} must have different names; got {name!r} twice")


def _digest(content: Any) -> str:
    return sha256(dumps(content, sort_keys=True).encode()).hexdigest()
