"""What the commands share: arguments that name graphs, states and data, output files, and printing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.checks import any_of
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.escaping import terminal_json, terminal_text
from graphfsa.files import is_file

if TYPE_CHECKING:
    import numpy as np


def is_same_file(first: str, second: str) -> bool:
    """Whether two paths name one file."""
    return is_file(first) and is_file(second) and Path(first).samefile(second)


def find_data(task: str | None, option: list[str], data: str | None) -> Any:
    """What ``--task``, ``--option`` and ``--data`` say: a data set, a .jsonl file, or None for the model's own task."""
    from graphfsa.datasets import dataset_class

    if task is not None and data is not None:
        raise GraphFSAError("give --task NAME or --data FILE.jsonl, not both")
    if option and task is None:
        raise GraphFSAError("--option goes with --task")
    if data is not None:
        return Path(data)
    if task is not None and task.lower().endswith(".py"):
        names = [f"{task}:{name}" for name in _classes_in(task)]
        raise GraphFSAError(f"--task must name a class of the file, {any_of(names or [f'{task}:Class'])}; got {task!r}")
    return None if task is None else dataset_class(task).from_options(parse_options(option))


def _classes_in(file: str) -> list[str]:
    """The classes that a Python file defines, found without running it; none if it can't be read."""
    import ast

    try:
        body = ast.parse(Path(file).read_bytes()).body
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return [part.name for part in body if isinstance(part, ast.ClassDef)]


def check_data_options(task: str | None, data: str | None, steps: int | None, complete: bool) -> None:
    """Raise unless the options that say which entries matter go together."""
    if complete and (task is not None or data is not None):
        raise GraphFSAError("--complete goes without --task and --data")
    if steps is not None and data is None:
        raise GraphFSAError("--steps goes with --data")


def parse_options(options: list[str], name: str = "--option") -> dict[str, str]:
    """Options given as key=value."""
    pairs = [text.partition("=") for text in options]
    for text, (key, equals, value) in zip(options, pairs, strict=True):
        if not (key and equals and value):
            raise GraphFSAError(f"{name} must look like key=value; got {text!r}")
    keys = [key for key, _, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise GraphFSAError(f"{name} gives {key} more than once")
    return {key: value for key, _, value in pairs}


def parse_value(text: str) -> Any:
    """A value of an option: a number, true, false, A..B, values with commas, groups (a=b,c=d), or a word."""
    first, dots, last = text.partition("..")
    if dots and first.isascii() and first.isdigit() and last.isascii() and last.isdigit():
        return parse_value(first), parse_value(last)
    if "," in text or "=" in text:
        return tuple(tuple(part.split("=")) if "=" in part else parse_value(part) for part in text.split(","))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def parse_sizes(text: str, name: str = "--size") -> list[int]:
    """Integers given as N, A..B or N,N,N."""
    first, dots, last = text.partition("..")
    words = [first, last] if dots else text.split(",")
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise GraphFSAError(f"{name} must look like 10, 2..10 or 10,20,50, with numbers below 10^9; got {text!r}")
    numbers = [int(word) for word in words]
    if dots and not numbers[0] <= numbers[1] < numbers[0] + 10_000:
        raise GraphFSAError(f"{name} A..B must go up, by less than 10,000; got {text!r}")
    return list(range(numbers[0], numbers[1] + 1)) if dots else numbers


def parse_steps(text: str) -> int | str:
    """A number of steps, or ``stable``."""
    if text == "stable":
        return text
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise GraphFSAError(f"--steps must be an integer >= 0, or 'stable'; got {text!r}")
    return int(text)


def generators(seed: int, count: int) -> list[np.random.Generator]:
    """Independent sources of randomness from one seed: ``numpy.random.default_rng(seed).spawn(count)``."""
    import numpy as np

    return np.random.default_rng(seed).spawn(count)


def check_output(path: str | None, suffixes: tuple[str, ...]) -> None:
    """Raise before any work is done if a file can't be written or has an unknown suffix."""
    if path is None:
        return
    try:
        _check_target(path, Path(path), suffixes)
    except GraphFSAError:
        raise
    except (OSError, ValueError) as error:
        raise GraphFSAError(f"cannot write {path[:200]!r}: {getattr(error, 'strerror', None) or error}") from None


def check_picture(path: str | None) -> None:
    """The same for a picture."""
    from graphfsa.views.figures import SUFFIXES

    check_output(path, SUFFIXES)


def shown_name(text: str) -> str:
    """What a picture calls a file or a library name: without the directories."""
    return Path(text).name if is_file(text) else text


def _check_target(path: str, target: Path, suffixes: tuple[str, ...]) -> None:
    if target.suffix.lower() not in suffixes:
        raise FormatError(f"{path}: the file must end in {any_of(suffixes)}")
    if target.is_dir():
        raise GraphFSAError(f"cannot write {path!r}: it is a directory")
    if not target.parent.is_dir():
        raise GraphFSAError(f"cannot write {path!r}: there is no directory {str(target.parent)!r}")
    if target.exists() and not target.is_file():
        raise GraphFSAError(f"cannot write {path!r}: it is not a regular file")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise GraphFSAError(f"cannot write {path!r}: permission denied")


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print for a person; control characters in names can't reach the terminal."""
    typer.echo(terminal_text(text), err=err, nl=nl)


def print_json(data: Any) -> None:
    """Print one JSON object on one line."""
    typer.echo(terminal_json(json.dumps(data, ensure_ascii=False)))


def print_rows(rows: dict[str, Any]) -> None:
    """Print names and values in two columns."""
    width = max(map(len, rows), default=0)
    for name, value in rows.items():
        say(f"{name:<{width}}  {value}")
