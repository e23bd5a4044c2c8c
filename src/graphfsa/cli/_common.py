"""What the commands share: errors as messages, arguments that name automata, graphs and states, progress."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from graphfsa.errors import FormatError, GraphFSAError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np

    from graphfsa.automaton import GraphFSA
    from graphfsa.datasets import Dataset
    from graphfsa.graphs import Graph
    from graphfsa.learners import Network

_MAX_MESSAGE = 1500
_FAILURES = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)
"""Faults of the machine, not of the input."""
_Command = TypeVar("_Command", bound=Callable[..., None])


def guarded(command: _Command) -> _Command:
    """Turn what goes wrong into a message and an exit code, never a traceback."""

    @wraps(command)
    def safe(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except GraphFSAError as error:
            failed = isinstance(error.__cause__, OSError) and error.__cause__.errno in _FAILURES
            _fail(str(error), 1 if failed else 2)
        except KeyboardInterrupt:
            _fail("interrupted", 130)
        except MemoryError:
            _fail("not enough memory; choose a smaller graph, fewer states or a shorter recording", 1)
        except BrokenPipeError:
            # The reader of our output went away; say nothing more, not even when the interpreter flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except OSError as error:
            _fail(f"{error.filename or 'input or output'}: {error.strerror or error}", 1)

    return safe  # pyright: ignore[reportReturnType]


def _fail(message: str, code: int) -> None:
    line = " ".join(message.split())
    typer.echo(f"error: {line if len(line) <= _MAX_MESSAGE else line[:_MAX_MESSAGE] + ' ...'}", err=True)
    raise typer.Exit(code) from None


def find_automaton(text: str) -> GraphFSA:
    """An automaton from a library name or a file."""
    from graphfsa.automaton import GraphFSA, library

    if text.lower().endswith((".json", ".rules")):
        return GraphFSA.load(text)
    if text.lower().endswith(".safetensors"):
        from graphfsa.files import tensors_schema

        kind = tensors_schema(text).removeprefix("graphfsa.").partition("/")[0]
        what = "a soft table" if kind == "soft" else f"a network ({kind})" if kind else "not an automaton"
        raise GraphFSAError(f"{text}: this command needs an automaton (a .json or .rules file); the file is {what}")
    try:
        return library.library_automaton(text)
    except UnknownNameError as error:
        if is_file(text):
            return GraphFSA.load(text)
        raise GraphFSAError(f"{error}; or the path of a .json or .rules file") from None


def find_model(text: str) -> GraphFSA | Network:
    """A network from a .safetensors file, or an automaton."""
    if not text.lower().endswith(".safetensors"):
        return find_automaton(text)
    from graphfsa.learners import load_model

    return load_model(text)


def is_file(text: str) -> bool:
    """Whether there is such a file; False for what can't be a file name."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def is_same_file(first: str, second: str) -> bool:
    """Whether two texts name one file that is there."""
    return is_file(first) and is_file(second) and Path(first).samefile(second)


def find_graph(text: str, rng: np.random.Generator) -> Graph:
    """A graph from ``FAMILY:ARGS`` or a file."""
    from graphfsa.graphs import families, read_graph

    name = text.partition(":")[0]
    if name in families.family_names():
        return families.parse_family(text, rng)
    if Path(text).suffix.lower() in (".json", ".edges", ".txt") or is_file(text):
        return read_graph(text)
    try:
        return families.parse_family(text, rng)
    except UnknownNameError as error:
        raise GraphFSAError(f"{error}; or the path of a .json, .edges or .txt file") from None


def find_states(text: str, fsa: GraphFSA, num_nodes: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """States from a file, the word ``random`` or a description such as ``root:0``."""
    from graphfsa.automaton import states

    if text == "random":
        return states.random_states(fsa, num_nodes, rng)
    if Path(text).suffix.lower() in states.SUFFIXES:
        return states.read_states(text, fsa, num_nodes)
    return states.described_states(text, fsa, num_nodes)


def find_dataset(name: str, options: list[str]) -> Dataset:
    """A data set by name, with its options as key=value."""
    from graphfsa.datasets import dataset_class

    return dataset_class(name).from_options(parse_options(options))


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


def parse_choices(options: list[str]) -> dict[str, Any]:
    """Options of a learner given as key=value; a value is a number, true, false, numbers with a comma, or a word."""
    return {key: _value(text) for key, text in parse_options(options, "--choose").items()}


def _value(text: str) -> Any:
    if "," in text:
        return tuple(_value(part) for part in text.split(","))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def parse_sizes(text: str, name: str = "--size") -> list[int]:
    """Whole numbers given as N, A..B or N,N,N."""
    first, dots, last = text.partition("..")
    words = [first, last] if dots else text.split(",")
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise GraphFSAError(f"{name} must look like 10, 2..10 or 10,20,50, with numbers below 10^9; got {text!r}")
    numbers = [int(word) for word in words]
    if dots and not numbers[0] <= numbers[1] < numbers[0] + 10_000:
        raise GraphFSAError(f"{name} A..B must rise, by less than 10,000; got {text!r}")
    return list(range(numbers[0], numbers[1] + 1)) if dots else numbers


def parse_steps(text: str) -> int | str:
    """A number of steps, or ``stable``."""
    if text == "stable":
        return text
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise GraphFSAError(f"--steps must be a whole number of at least 0, or 'stable'; got {text!r}")
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
    from graphfsa.views._figure import SUFFIXES

    check_output(path, SUFFIXES)


def shown_name(text: str) -> str:
    """What a picture calls a file or a library name: without the directories."""
    return Path(text).name if is_file(text) else text


def _check_target(path: str, target: Path, suffixes: tuple[str, ...]) -> None:
    if target.suffix.lower() not in suffixes:
        raise FormatError(f"{path}: the file must end in {' or '.join(suffixes)}")
    if target.is_dir():
        raise GraphFSAError(f"cannot write {path!r}: it is a directory")
    if not target.parent.is_dir():
        raise GraphFSAError(f"cannot write {path!r}: there is no directory {str(target.parent)!r}")
    if target.exists() and not target.is_file():
        raise GraphFSAError(f"cannot write {path!r}: it is not a regular file")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise GraphFSAError(f"cannot write {path!r}: permission denied")


def print_json(data: Any) -> None:
    """Print one JSON object on one line."""
    typer.echo(json.dumps(data, ensure_ascii=False))


def print_rows(rows: dict[str, Any]) -> None:
    """Print names and values in two columns."""
    width = max(map(len, rows), default=0)
    for name, value in rows.items():
        typer.echo(f"{name:<{width}}  {value}")


@contextmanager
def step_progress(total: int | None) -> Generator[Callable[[int], None]]:
    """A bar on standard error that follows the current step, if somebody is watching."""
    with count_progress("step") as update:
        yield lambda step: update(step, total)


@contextmanager
def training_progress() -> Generator[Callable[[str, int, int], None]]:
    """A line and a bar on standard error that follow a training: how it goes, what is done and of how much."""
    if not sys.stderr.isatty():
        yield lambda _text, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("looking at the data", total=None)
        yield lambda text, done, total: bar.update(task, description=text, completed=done, total=total)


@contextmanager
def count_progress(what: str) -> Generator[Callable[[int, int | None], None]]:
    """A bar on standard error that follows how much of a total is done, if somebody is watching."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn(what + " {task.completed:,.0f}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
