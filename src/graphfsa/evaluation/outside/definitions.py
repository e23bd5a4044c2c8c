"""The tables as data: what was published elsewhere, which experiment stands beside it, and how the two differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from graphfsa.errors import FormatError
from graphfsa.evaluation.experiment import Experiment
from graphfsa.evaluation.files import read_experiment
from graphfsa.evaluation.published import published
from graphfsa.evaluation.results import Results
from graphfsa.fields import Field, read_fields
from graphfsa.files import read_toml

_FOLDER = Path(__file__).parent
_TABLES = ("prefix-sums", "mazes", "recurrent-gnn", "life", "elementary-pairs", "expressible", "open")
"""In the order of the pages."""
_STRING, _STRINGS, _OBJECT = Field(str), Field(list, [], items=Field(str)), Field(dict, {})
_FIELDS = {
    "title": _STRING,
    "about": _STRING,
    "sources": _STRINGS,
    "notes": _STRINGS,
    "layout": Field(str, "rows", choices=("rows", "pairs")),
    "each": Field(dict, {}, items=Field(list, least=1)),
    "learners": Field(list, [], items=Field(dict)),
    "tests": Field(list, [], items=Field(dict)),
    "quick": _OBJECT,
    "lines": Field(list, [], items=Field(dict)),
    "head": _STRINGS,
    "rows": Field(list, [], items=Field(list, items=Field(str))),
}
_LINE = {
    "label": _STRING,
    "differs": Field(str, ""),
    "published": Field(dict, {}, items=Field(str)),
    "cells": Field(dict, {}, items=Field(str)),
    "data": Field(dict),
    "train": _OBJECT,
    "tests": Field(list, [], items=Field(dict)),
    "learners": Field(list, [], items=Field(dict)),
}


@dataclass(frozen=True)
class Line:
    """One experiment beside what was published.

    Attributes:
        label: What it is called in the table.
        experiment: The experiment.
        published: What was published, in words, by test.
        differs: What is not as in the published protocol.
    """

    label: str
    experiment: Experiment
    published: Mapping[str, str]
    differs: str


@dataclass(frozen=True)
class OutsideTable:
    """One table of the scoreboard.

    Attributes:
        name: Its name.
        title: Its heading.
        about: What it is about.
        sources: Where the tasks and numbers come from.
        notes: What else to know.
        layout: ``rows``: a row for each test; ``pairs``: one cell for each experiment, rules against steps.
        lines: The experiments; none if the table is only words.
        head: Without lines: the head of the table.
        rows: Without lines: its rows.
    """

    name: str
    title: str
    about: str
    sources: tuple[str, ...]
    notes: tuple[str, ...]
    layout: str
    lines: tuple[Line, ...]
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@cache
def outside_tables() -> tuple[OutsideTable, ...]:
    """All tables of the scoreboard."""
    files = {name: _FOLDER / f"{name.replace('-', '_')}.toml" for name in _TABLES}
    return tuple(read_outside_table(name, read_toml(path), path.name) for name, path in files.items())


def outside_experiments() -> dict[str, Experiment]:
    """The experiments of all tables, by name."""
    lines = [line for table in outside_tables() for line in table.lines]
    return {line.experiment.name: line.experiment for line in lines}


def is_outside(results: Results) -> bool:
    """Whether a directory holds results of the scoreboard, and of nothing else."""
    return bool(results.manifest["tables"]) and results.manifest["tables"].keys() <= outside_experiments().keys()


def read_outside_table(name: str, content: Any, where: str) -> OutsideTable:
    """A table from what its file says.

    Args:
        name: Its name.
        content: The fields, as TOML values.
        where: Where they were read, for errors.
    """
    found = read_fields(content, _FIELDS, where)
    for number, row in enumerate(found["rows"], start=1):
        if len(row) != len(found["head"]):
            raise FormatError(f"{where}: row {number} must have {len(found['head'])} cells; got {len(row)}")
    return OutsideTable(
        name,
        found["title"],
        found["about"],
        tuple(found["sources"]),
        tuple(found["notes"]),
        found["layout"],
        tuple(_lines(name, found, where)),
        tuple(found["head"]),
        tuple(map(tuple, found["rows"])),
    )


def _lines(name: str, table: Mapping[str, Any], where: str) -> Iterator[Line]:
    """The lines; each is there once for every choice of the values of ``each``."""
    for number, given in enumerate(table["lines"], start=1):
        for values in product(*table["each"].values()):
            chosen = dict(zip(table["each"], values, strict=True))
            yield _line(name, table, _replaced(given, chosen), f"{where}: line {number}")


def _line(name: str, table: Mapping[str, Any], given: Any, where: str) -> Line:
    line = read_fields(given, _LINE, where)
    content = {
        "title": f"{table['title']}: {line['label']}",
        "about": table["about"],
        "data": line["data"],
        "tests": line["tests"] or table["tests"],
        "blocks": [line["train"]],
        "learners": line["learners"] or table["learners"],
        "quick": table["quick"],
    }
    experiment = read_experiment(f"{name}, {line['label']}", content, where)
    numbers: dict[str, str] = {}
    if line["cells"]:
        source = read_fields(line["cells"], {"table": _STRING, "model": _STRING}, f"{where}: cells")
        cells = published(source["table"])
        for test in experiment.tests:
            if (source["model"], test.name) in cells:
                cell = cells[source["model"], test.name]
                numbers[test.name] = f"{cell.mean:.2f} ± {cell.std:.2f} of the nodes"
    return Line(line["label"], experiment, {**numbers, **line["published"]}, line["differs"])


def _replaced(given: Any, values: Mapping[str, Any]) -> Any:
    """A value of TOML in which ``{name}`` is replaced; a string that is nothing else becomes the value itself."""
    if isinstance(given, dict):
        return {key: _replaced(value, values) for key, value in given.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(given, list):
        return [_replaced(value, values) for value in given]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(given, str):
        return given
    for name, value in values.items():
        if given == f"{{{name}}}":
            return value
        given = given.replace(f"{{{name}}}", str(value))
    return given
