"""The user's own labelled graphs: JSON lines, NetworkX and PyTorch Geometric.

One graph per line::

    {"num_nodes": 3, "edges": [[0, 1], [1, 2]], "inputs": ["root", "other", "other"], "labels": [0, 1, 0]}

Inputs and labels are strings, numbers, true or false; ``true``, ``1`` and ``"1"`` are three different ones.
The labels of a file are all strings, all numbers or all booleans. A line may also have

- ``directed``: true means that ``[u, v]`` is one arc, and that ``v`` sees ``u``;
- ``slots``: with ``directed``, for each arc the slot in which ``v`` sees ``u``;
- ``kinds``: a list of names; ``slots`` then has the number of the kind of each edge, directed or not. Lines may list
  different kinds: they are matched by name;
- ``mask``: for each node, whether it counts;
- ``steps``: the number of steps after which the labels hold;
- ``features``: numbers of the nodes by name, ``{"signal": [0.9, 0.2, 0.1]}``. With them ``inputs`` may be left out.

In place of ``inputs``, ``labels`` and ``steps``, all lines of a file may have a ``trace``: a list of at least two rows,
each with a state for each node. Row t holds the states after t steps, and each two consecutive rows are one example::

    {"num_nodes": 3, "edges": [[0, 1], [1, 2]], "trace": [["ill", "well", "well"], ["ill", "ill", "well"]]}

Blank lines are skipped. Whatever a file holds, reading it returns data or raises a ``GraphFSAError`` that names the
file, the line and the field.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._features import FeatureExamples
from graphfsa.datasets._lines import Lines, lines_of, parse_line
from graphfsa.datasets._node_values import YOUR_DATA
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.files import MAX_BYTES, PathLike, atomic_write, file_kind, reason_of

MAX_LINE = 2**26


@dataclass(frozen=True, eq=False)
class UserData:
    """Labelled graphs of a file.

    Attributes:
        examples: The graphs, in the order of their lines; a trace is one example for each of its steps.
        lines: Line number of each example, from 1, int64.
        source: The file.
        rows: Row of the trace at which each example begins, from 0, int64; 0 for lines without a trace.
        traced: Whether the lines have traces.
        measured: The graphs with the features of their nodes; None if the lines have none.
    """

    examples: Examples
    lines: Array
    source: str
    rows: Array
    traced: bool
    measured: FeatureExamples | None = None

    def where(self, example: int) -> str:
        """The place of an example in the file: ``"line 7"``, or ``"line 7, step 3"`` if it begins after 3 steps."""
        line = f"line {self.lines[example]}"
        return f"{line}, step {self.rows[example]}" if self.traced else line


def read_jsonl(path: PathLike, *, steps: int | None = None, name: str = YOUR_DATA) -> UserData:
    """Read labelled graphs from a JSON lines file of at most 1 GiB, with lines of at most 64 MiB.

    Args:
        path: The file.
        steps: If given, the task is an evolution: inputs and labels are states, and the labels hold after this number
            of steps (or after those that a line gives). Otherwise labels are classes, and a graph that does not say
            its steps has ``2 * num_nodes + 2``. With traces the task is always an evolution, and only 1 may be given.
        name: Name of the task, for messages and reports.

    Raises:
        FormatError: The content is malformed; the message names file, line and field.
        LimitError: The file is too large, or its traces are.
        GraphFSAError: The file cannot be read.
    """
    lines = Lines(steps, name)
    numbers: list[int] = []
    try:
        for number, line in _numbered_lines(path):
            where = f"{path}: line {number}"
            lines.add(parse_line(line, where), where)
            numbers.append(number)
        if not numbers:
            raise FormatError(f"{path}: must hold at least one graph; it is empty")
        try:
            examples = lines.examples()
            measured = lines.measured(examples)
        except GraphFSAError as error:
            raise FormatError(f"{path}: {error}") from None
    except MemoryError:
        raise LimitError(f"{path}: the graphs do not fit in memory") from None
    times = lines.times
    rows = np.arange(len(examples)) - np.repeat(np.cumsum(times) - times, times)
    return UserData(examples, np.repeat(np.array(numbers, np.int64), times), str(path), rows, lines.traced, measured)


def write_jsonl(path: PathLike, examples: Examples | FeatureExamples) -> None:
    """Write labelled graphs to a JSON lines file, atomically.

    A graph that occurs several times gets as many lines. Names of inputs and classes that look like integers are
    written as numbers (those of the classes only if all look so, since the labels of a file must be of one kind).
    Reading the file gives back equal data if the names are in the order in which :func:`read_jsonl` puts them, each
    name occurs, and the task has the name that it gives.

    Args:
        path: File to create or replace.
        examples: The graphs to write, with or without features.

    Raises:
        LimitError: The file would be larger than :func:`read_jsonl` accepts.
        GraphFSAError: The file cannot be written.
    """
    parts: list[bytes] = []
    size = 0
    whole = examples.examples if isinstance(examples, FeatureExamples) else examples
    for place, (line, count) in enumerate(zip(lines_of(examples), whole.counts.tolist(), strict=True)):
        if len(line) >= MAX_LINE:
            raise LimitError(f"{path}: a line must have at most {MAX_LINE} bytes; graph {place} needs {len(line)}")
        size += (len(line) + 1) * count
        if size > MAX_BYTES:
            raise LimitError(f"{path}: a file must have at most {MAX_BYTES} bytes; graphs 0 .. {place} need {size}")
        parts.extend([line] * count)
    atomic_write(path, b"\n".join([*parts, b""]))


def _numbered_lines(path: PathLike) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers; never more than one of them in memory."""
    try:
        status = Path(path).stat()
        # Asked before opening: a named pipe would block until somebody writes to it.
        if not stat.S_ISREG(status.st_mode):
            raise GraphFSAError(f"cannot read {str(path)!r}: it is {file_kind(status.st_mode)}")
        if status.st_size > MAX_BYTES:
            raise LimitError(f"{str(path)!r} must have at most {MAX_BYTES} bytes; it has {status.st_size}")
        with Path(path).open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
                if len(line) > MAX_LINE:
                    raise FormatError(f"{path}: line {number}: a line must have at most {MAX_LINE} bytes")
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if not text.isspace() and text:
                    yield number, text
    except (OSError, ValueError) as error:
        if isinstance(error, GraphFSAError):
            raise
        raise GraphFSAError(f"cannot read {str(path)!r}: {reason_of(error)}") from error
