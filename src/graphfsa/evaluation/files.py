"""Experiments as TOML files: those of the paper, one for each table and figure, and the user's own.

Files, manifests and records are read into the classes of ``experiment.py`` by the types and defaults of their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass, replace
from json import dumps
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from graphfsa.datasets import Dataset
from graphfsa.errors import FormatError, GraphFSAError, UnknownNameError
from graphfsa.evaluation._references import build, locate
from graphfsa.evaluation.experiment import Experiment, grab_tests
from graphfsa.evaluation.jobs import Job
from graphfsa.fields import Field, read_fields
from graphfsa.files import read_toml
from graphfsa.learners import Learner

_PAPER = Path(__file__).parent / "paper"
_T = TypeVar("_T")


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
        return _own_experiment(Path(text))
    return paper_experiment(text)


def paper_experiment(name: str) -> Experiment:
    """An experiment of the paper by name."""
    known = name.replace("_", "-")
    if known not in experiment_names():
        raise UnknownNameError("table", name, [*experiment_names(), "all"])
    path = _PAPER / f"{known.replace('-', '_')}.toml"
    return read_experiment(known, _read_toml(path), path.name)


def read_experiment(name: str, content: Any, where: str) -> Experiment:
    """An experiment from what a file says; the code of learners and data sets is not run.

    Args:
        name: Its name.
        content: The fields, as TOML or JSON values.
        where: Where they were read, for errors.
    """
    return _read(Experiment, content, where, {"name": name, "files": {}}, also=("extends",))


def read_job(config: Mapping[str, Any], where: str) -> Job:
    """The job of a record."""
    return _read(Job, config, f"{where}: config", {"files": {}})


def experiment_content(experiment: Experiment) -> dict[str, Any]:
    """What ``read_experiment`` reads again, as JSON values."""
    content = {key: value for key, value in asdict(experiment).items() if value is not None}
    return {key: value for key, value in content.items() if key not in ("name", "files")}


def is_own(experiment: Experiment) -> bool:
    """Whether an experiment is the user's, not one of the paper's."""
    return experiment.name not in experiment_names() or paper_experiment(experiment.name) != experiment


def check_code(experiment: Experiment) -> None:
    """Build the data set and all learners of an experiment, as its jobs will.

    Raises:
        GraphFSAError: One can't be built; the message names it.
    """
    try:
        if experiment.data.grab:
            valid = grab_tests(experiment.data.grab)
            for test in experiment.tests:
                if test.name not in valid:
                    what = f"tests of GRAB must be named after its splits, {', '.join(valid)}"
                    raise GraphFSAError(f"{what}; got {test.name!r}")
            if any(each.data for each in (*experiment.groups, *experiment.learners)):
                raise GraphFSAError("groups and learners have options of their own for a dataset only, not for grab")
        else:
            build(Dataset, experiment.data.dataset, experiment.data.options, experiment.files)
    except GraphFSAError as error:
        raise GraphFSAError(f"data: {error}") from None
    numbers = {each.column: number for number, each in enumerate(experiment.learners, start=1)}
    for quick in (False, True):
        for place, job in experiment.jobs(0, quick=quick):
            try:
                build(Learner, job.learner, job.options, job.files)
                if job.data.dataset:
                    build(Dataset, job.data.dataset, job.data.options, job.files)
            except GraphFSAError as error:
                group = f", group {place.group.name!r}" if place.group.name else ""
                raise GraphFSAError(f"learner {numbers[place.learner.column]}{group}: {error}") from None


def _own_experiment(path: Path) -> Experiment:
    """An experiment from a file of the user's, with the classes that it names."""
    content = _read_toml(path)
    try:
        dumps(content, allow_nan=False)
    except (TypeError, ValueError):
        raise FormatError(f"{path}: dates, times, inf and nan have no meaning here") from None
    experiment = read_experiment(path.stem, content, str(path))
    try:
        located = _located(experiment)
        check_code(located)
    except GraphFSAError as error:
        raise FormatError(f"{path}: {error}") from None
    return located


def _located(experiment: Experiment) -> Experiment:
    """The same experiment with references that other processes can follow."""
    files: dict[str, str] = {}
    data = experiment.data
    if data.dataset:
        data = replace(data, dataset=_noted(Dataset, data.dataset, files, "data"))
    learners = tuple(
        replace(each, learner=_noted(Learner, each.learner, files, f"learner {number}"))
        for number, each in enumerate(experiment.learners, start=1)
    )
    return replace(experiment, data=data, learners=learners, files=files)


def _noted(contract: type[Learner] | type[Dataset], name: str, files: dict[str, str], what: str) -> str:
    try:
        reference, more = locate(contract, name)
    except GraphFSAError as error:
        raise GraphFSAError(f"{what}: {error}") from None
    files |= more
    return reference


def _read_toml(path: Path) -> dict[str, Any]:
    """The content of a file, on top of that of the file that it extends; published numbers are about its data."""
    content = read_toml(path)
    base = content.pop("extends", None)
    if base is None:
        return content
    if not isinstance(base, str) or base not in experiment_names():
        raise FormatError(f"{path}: extends must name one of {', '.join(experiment_names())}; got {base!r}")
    below = _read_toml(_PAPER / f"{base.replace('-', '_')}.toml")
    if "data" in content:
        below.pop("published", None)
    return {**below, **content}


def _read(kind: type[_T], content: Any, where: str, given: Mapping[str, Any], also: tuple[str, ...] = ()) -> _T:
    """Build a dataclass from a table, by the types and defaults of its fields.

    Args:
        kind: The dataclass.
        content: The table.
        where: Where it was read, for errors.
        given: Fields that are not read.
        also: More fields that a file may have, for errors.
    """
    hints = get_type_hints(kind)
    wanted: dict[str, Field] = {}
    for field in fields(kind):  # pyright: ignore[reportArgumentType]
        if field.name not in given:
            wanted[field.name] = _field(hints[field.name], field.default is field.default_factory is MISSING)
    found = read_fields(content, wanted, where, also=also)
    values = {name: _value(hints[name], found[name], name, where) for name in wanted if name in content}
    try:
        return kind(**given, **values)
    except GraphFSAError as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{where}: {error}") from None


def _field(hint: Any, required: bool) -> Field:
    """What a field must hold in a file, by its type."""
    kind, item = _kind(hint)
    plain: Any = dict if is_dataclass(kind) else list if kind is tuple else kind
    found = Field(
        plain,
        least=0 if plain is int else None,
        items=Field(item) if kind is tuple and item in (str, int) else None,
    )
    return found if required else replace(found, default=None)


def _kind(hint: Any) -> tuple[Any, Any]:
    """The kind of a type, and that of its items: ``tuple[Test, ...]`` as ``tuple, Test``."""
    if isinstance(hint, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    origin = get_origin(hint)
    return (hint, None) if origin is None else (origin, get_args(hint)[0])


def _value(hint: Any, value: Any, name: str, where: str) -> Any:
    """What a file holds, as a value of a type."""
    kind, item = _kind(hint)
    if is_dataclass(kind):
        return _read(kind, value, f"{where}: {name}", {})  # pyright: ignore[reportArgumentType]
    if kind is tuple and is_dataclass(item):
        singular = name.removesuffix("s")
        return tuple(
            _read(item, part, f"{where}: {singular} {number}", {})  # pyright: ignore[reportArgumentType]
            for number, part in enumerate(value, start=1)
        )
    return tuple(value) if kind is tuple else value
