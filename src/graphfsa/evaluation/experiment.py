"""An experiment is data: a task with its graphs, learners with their options, tests, and what the paper published.

It is read from a TOML file. Those of the paper are in ``paper/``, one for each table and figure; a file of one's own is
read the same way.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from graphfsa._files import read_bytes
from graphfsa.errors import FormatError, GraphFSAError, UnknownNameError
from graphfsa.evaluation._fields import Field, taken

_PAPER = Path(__file__).parent / "paper"
_LIMIT = 2**20
KINDS = ("table", "curve")
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
        quick: Options that differ in a quick run.
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
        kind: ``table`` or ``curve``.
        published: Label of the paper's table and number of its experiment; empty if it published no numbers.
        comparable: Whether published cells are about the same data, so that each can be held against ours.
        data: The graphs.
        tests: What is scored.
        entries: The learners.
        notes: What differs from the paper, and why.
        quick: Number of training and of test graphs in a quick run, at most.
    """

    name: str
    title: str
    about: str
    kind: str
    published: tuple[str, str]
    data: Data
    tests: tuple[Test, ...]
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()
    quick: tuple[int, int] = (200, 10)
    comparable: bool = True

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides how its jobs are run."""
        content = {"data": asdict(self.data), "tests": list(map(asdict, self.tests))}
        learners = [{key: value for key, value in asdict(entry).items() if key not in _WORDS} for entry in self.entries]
        return _digest({**content, "learners": learners, "quick": self.quick})

    def jobs(self, seed: int, *, quick: bool = False) -> Iterator[tuple[Entry, Job]]:
        """What there is to run for one seed."""
        for entry in self.entries:
            if entry.seeds and seed >= entry.seeds:
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


def experiment_names() -> list[str]:
    """Names of the paper's experiments."""
    return sorted(path.stem.replace("_", "-") for path in _PAPER.glob("*.toml"))


def find_experiment(text: str) -> Experiment:
    """An experiment of the paper by name, or one from a ``.toml`` file.

    Example:
        >>> find_experiment("prefix-sum").data.dataset
        'prefix-sum'
    """
    if text.endswith(".toml"):
        return _parsed(Path(text).stem, _read(Path(text)), text)
    if text.replace("_", "-") not in experiment_names():
        raise UnknownNameError("table", text, [*experiment_names(), "all"])
    path = _PAPER / f"{text.replace('-', '_')}.toml"
    return _parsed(text.replace("_", "-"), _read(path), path.name)


def _read(path: Path) -> dict[str, Any]:
    """The content of a file, on top of that of the file that it extends."""
    try:
        content = tomllib.loads(read_bytes(path, limit=_LIMIT).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: not TOML: {error}") from None
    base = content.pop("extends", None)
    if base is None:
        return content
    if not isinstance(base, str) or base not in experiment_names():
        raise FormatError(f"{path}: extends must name one of {', '.join(experiment_names())}; got {base!r}")
    below = _read(_PAPER / f"{base.replace('-', '_')}.toml")
    return {**below, **content}


_TOP = {
    "title": Field(str),
    "about": Field(str, ""),
    "kind": Field(str, "table"),
    "published": Field(dict, {}),
    "data": Field(dict),
    "tests": Field(list),
    "learners": Field(list),
    "notes": Field(list, []),
    "quick": Field(dict, {}),
}
_PUBLISHED = {"table": Field(str), "experiment": Field(str, ""), "comparable": Field(bool, True)}
_QUICK = {"train": Field(int, 200), "test": Field(int, 10)}
_DATA = {"dataset": Field(str, ""), "options": Field(dict, {}), "grab": Field(str, ""), "steps": Field(int, 0)}
_TEST = {
    "name": Field(str),
    "size": Field(int, 0),
    "count": Field(int, 100),
    "steps": Field(int, 0),
    "automata": Field(bool, False),
}
_LEARNER = {
    "column": Field(str),
    "learner": Field(str),
    "options": Field(dict, {}),
    "train": Field(dict, {}),
    "group": Field(str, ""),
    "published": Field(str, ""),
    "ours": Field(bool, False),
    "aside": Field(bool, False),
    "seeds": Field(int, 0),
    "quick": Field(dict, {}),
}
_TRAIN = {"split": Field(str, "train"), "sizes": Field(list, []), "count": Field(int, 0)}


def _parsed(name: str, content: dict[str, Any], where: str) -> Experiment:
    top = taken(content, _TOP, where)
    if top["kind"] not in KINDS:
        raise FormatError(f"{where}: kind must be one of {', '.join(KINDS)}; got {top['kind']!r}")
    source = taken(top["published"], _PUBLISHED, f"{where}: published") if top["published"] else None
    quick = taken(top["quick"], _QUICK, f"{where}: quick")
    data = Data(**taken(top["data"], _DATA, f"{where}: data"))
    if bool(data.dataset) == bool(data.grab):
        raise FormatError(f"{where}: data must name either a dataset or a configuration of grab")
    tests = tuple(Test(**taken(test, _TEST, f"{where}: test {k}")) for k, test in enumerate(top["tests"], start=1))
    entries = tuple(_entry(entry, f"{where}: learner {k}") for k, entry in enumerate(top["learners"], start=1))
    _check(tests, entries, where)
    _check_data(data, tests, entries, where)
    return Experiment(
        name=name,
        title=top["title"],
        about=top["about"],
        kind=top["kind"],
        published=(source["table"], source["experiment"]) if source else ("", ""),
        data=data,
        tests=tests,
        entries=entries,
        notes=tuple(map(str, top["notes"])),
        quick=(quick["train"], quick["test"]),
        comparable=source is None or source["comparable"],
    )


def _entry(content: Any, where: str) -> Entry:
    from graphfsa.evaluation._job import make_learner

    fields = taken(content, _LEARNER, where)
    train = taken(fields.pop("train"), _TRAIN, f"{where}: train")
    train["sizes"] = tuple(train["sizes"])
    entry = Entry(**fields, train=Train(**train))
    try:
        for options in (entry.options, {**entry.options, **(entry.quick or {})}):
            make_learner(entry.learner, options)
    except GraphFSAError as error:
        raise FormatError(f"{where}: {error}") from None
    return entry


def _check_data(data: Data, tests: tuple[Test, ...], entries: tuple[Entry, ...], where: str) -> None:
    """Raise unless the graphs can be drawn, as far as names tell."""
    from graphfsa.evaluation._graphs import check_grab_tests, make_dataset

    try:
        if data.grab:
            check_grab_tests(data.grab, [test.name for test in tests])
        else:
            make_dataset(data.dataset, data.options or {})
    except GraphFSAError as error:
        raise FormatError(f"{where}: data: {error}") from None
    splits = ("train", "covering") if data.grab else ("train", "learn")
    for entry in entries:
        if entry.train.split not in splits:
            what = f"split must be one of {', '.join(splits)}; got {entry.train.split!r}"
            raise FormatError(f"{where}: learner {entry.column!r}: {what}")
        if not all(isinstance(size, int) and size >= 0 for size in entry.train.sizes):
            raise FormatError(f"{where}: learner {entry.column!r}: sizes must be whole numbers of at least 0")


def _check(tests: tuple[Test, ...], entries: tuple[Entry, ...], where: str) -> None:
    for test in tests:
        if test.count < 1:
            raise FormatError(f"{where}: test {test.name!r} must have at least one graph; got {test.count}")
    names = [test.name for test in tests]
    places = [f"{entry.column} {entry.group}".strip() for entry in entries]
    for what, values in (("tests", names), ("learners", places)):
        if not values:
            raise FormatError(f"{where}: there must be {what}")
        for value in values:
            if values.count(value) > 1:
                raise FormatError(f"{where}: {what} must have different names; got {value!r} twice")
