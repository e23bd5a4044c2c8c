"""Experiments as TOML files: those of the paper, one for each table and figure, and those of one's own."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Any

from graphfsa.errors import FormatError, GraphFSAError, UnknownNameError
from graphfsa.evaluation._fields import Field, taken
from graphfsa.evaluation._graphs import check_grab_tests, make_dataset
from graphfsa.evaluation._job import make_learner
from graphfsa.evaluation.experiment import Data, Entry, Experiment, Test, Train
from graphfsa.files import read_bytes

_PAPER = Path(__file__).parent / "paper"
_LIMIT = 2**20


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
        return own_experiment(Path(text).stem, _read(Path(text)), text)
    if text.replace("_", "-") not in experiment_names():
        raise UnknownNameError("table", text, [*experiment_names(), "all"])
    path = _PAPER / f"{text.replace('-', '_')}.toml"
    return _parsed(text.replace("_", "-"), _read(path), path.name)


def own_experiment(name: str, content: dict[str, Any], where: str) -> Experiment:
    """An experiment from the content of a file of the user's, which it keeps."""
    if name.startswith(".") or not name or name.lower() == "readme":
        raise FormatError(f"{where}: the name of the file becomes the name of the table; it can't be {name!r}")
    try:
        dumps(content, allow_nan=False)
    except (TypeError, ValueError):
        raise FormatError(f"{where}: dates, times, inf and nan have no meaning here") from None
    return replace(_parsed(name, content, where), source=content)


def _read(path: Path) -> dict[str, Any]:
    """The content of a file, on top of that of the file that it extends; published numbers are about its data."""
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
    if "data" in content:
        below.pop("published", None)
    return {**below, **content}


_TOP = {
    "title": Field(str),
    "about": Field(str, ""),
    "published": Field(dict, {}),
    "data": Field(dict),
    "tests": Field(list),
    "learners": Field(list),
    "notes": Field(list, []),
    "fitted": Field(bool, False),
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
    top = taken(content, _TOP, where, more=("extends",))
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
        published=(source["table"], source["experiment"]) if source else ("", ""),
        data=data,
        tests=tests,
        entries=entries,
        notes=tuple(map(str, top["notes"])),
        fitted=top["fitted"],
        quick=(quick["train"], quick["test"]),
        comparable=source is None or source["comparable"],
    )


def _entry(content: Any, where: str) -> Entry:
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
