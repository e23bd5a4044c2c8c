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
from typing import Any

from graphfsa.checks import check_type, is_integer, shown
from graphfsa.datasets import DRAWING, Dataset, grab_config, grab_config_names
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation._references import build, construct, find, options_of, refer, without_digest
from graphfsa.evaluation.jobs import Job, content_digest
from graphfsa.evaluation.parts import (
    Block,
    Candidate,
    Data,
    Group,
    Place,
    PublishedTable,
    QuickRun,
    Test,
    Train,
    no_options,
)
from graphfsa.learners import Learner

_NO_EFFECT = ("column", "published", "focus", "floor", "longer_than", "times", "seeds", "title")
"""Fields of a learner or a block that do not decide how a job is run."""
_MAX_STEPS = 10**6
_MOST = 1000
"""The largest number of tests, and of learners."""
_NAME = re.compile(r"\w[\w .,=+-]*")


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
    quick: QuickRun = field(default_factory=QuickRun)
    files: dict[str, str] = field(default_factory=no_options, compare=False)

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
        return content_digest({**content, "quick": quick, "drawing": DRAWING})

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
