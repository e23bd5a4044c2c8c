"""Patterns of cells for lattices, and the run-length files of Golly and LifeWiki that hold them.

A file ends in ``.rle``: lines that begin with ``#`` are comments, ``x = WIDTH, y = HEIGHT`` says how large the pattern
is (a rule may follow), and the rest are runs: a count (1 if left out) and a state, or ``$`` for the end of a row. ``b``
and ``.`` are state 0, ``o`` and ``A`` state 1, ``B`` state 2 and so on, ``pA`` state 25; ``!`` ends the pattern. Cells
that a row leaves out are in state 0.
"""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import FormatError, LimitError, StateError
from graphfsa.files import PathLike, read_bytes
from graphfsa.graphs import GraphLike, as_graph

MAX_CELLS = 2**26
MAX_RLE_BYTES = 2**26
_MAX_STATE = 255

_HEADER = re.compile(r"\s*x\s*=\s*([0-9]{1,9})\s*,\s*y\s*=\s*([0-9]{1,9})\s*(?:,.*)?", re.IGNORECASE)
_RUN = re.compile(r"\s*(?:([0-9]{0,9})\s*([bo$!.A-X]|[p-y][A-X])|(\S))")


def read_rle(path: PathLike) -> Array:
    """The pattern in a run-length file, uint8 [height, width], by number of the state.

    Raises:
        FormatError: The file is damaged; the message names the line.
        LimitError: The pattern is too large.
        GraphFSAError: The file can't be read.
    """
    data = read_bytes(path, limit=MAX_RLE_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: must be UTF-8 text; byte {error.start} is not") from None
    return parse_rle(text, str(path))


def parse_rle(text: str, source: str = "pattern") -> Array:
    r"""The pattern in the text of a run-length file, uint8 [height, width].

    Args:
        text: The text.
        source: Where it came from, for error messages.

    Example:
        >>> parse_rle("x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!").tolist()
        [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    """
    cells = None
    row = column = 0
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{source}: line {number}"
        if cells is None:
            if line.strip() and not line.startswith("#"):
                cells = _empty(line, where)
            continue
        if line.startswith("#"):
            continue
        for run in _RUN.finditer(line):
            count, tag, wrong = run.groups()
            if wrong is not None:
                raise FormatError(f"{where}: a run must be a count and one of b, o, ., A to X, $ or !; got {wrong!r}")
            if tag == "!":
                return cells
            length = int(count or 1)
            if tag == "$":
                row, column = row + length, 0
                continue
            if length and (row >= cells.shape[0] or column + length > cells.shape[1]):
                _outside(where, cells, row, column + length)
            cells[row : row + 1, column : column + length] = _state(tag, where)
            column += length
    raise FormatError(f"{source}: the pattern must end with '!'" if cells is not None else f"{source}: {_NO_HEADER}")


def place_pattern(pattern: Array, graph: GraphLike, at: tuple[int, int] | None = None) -> Array:
    r"""States of a lattice's nodes, uint8 [num_nodes]: the pattern, and state 0 everywhere else.

    Args:
        pattern: Numbers of states, integers [height, width].
        graph: A lattice.
        at: Row and column of the pattern's first cell; by default the pattern is in the centre. On a torus a pattern
            may go over the edge.

    Example:
        >>> from graphfsa import families
        >>> place_pattern(parse_rle("x = 2, y = 1\n2o!"), families.moore(2, 4), at=(1, 2)).reshape(2, 4).tolist()
        [[0, 0, 0, 0], [0, 0, 1, 1]]
    """
    lattice = as_graph(graph).lattice
    if lattice is None:
        raise StateError(
            "a pattern must be placed on a lattice, such as moore or moore-torus; this graph is not a lattice"
        )
    (height, width), (rows, columns) = pattern.shape, (lattice.height, lattice.width)
    if height > rows or width > columns:
        raise StateError(f"the pattern must fit into {rows} x {columns} cells; it has {height} x {width}")
    top, left = ((rows - height) // 2, (columns - width) // 2) if at is None else at
    if not (0 <= top < rows and 0 <= left < columns):
        raise StateError(f"row and column of a pattern must be below {rows} and {columns}; got {top}x{left}")
    if not lattice.torus and (top + height > rows or left + width > columns):
        raise StateError(
            f"a pattern of {height} x {width} cells must end inside {rows} x {columns} cells; it begins at {top}x{left}"
        )
    states = np.zeros((rows, columns), np.uint8)
    states[np.ix_((top + np.arange(height)) % rows, (left + np.arange(width)) % columns)] = pattern
    return states.reshape(-1)


_NO_HEADER = "the first line that is no comment must say 'x = WIDTH, y = HEIGHT'"


def _empty(line: str, where: str) -> Array:
    header = _HEADER.fullmatch(line)
    if header is None:
        raise FormatError(f"{where}: {_NO_HEADER}; got {shown(line)}")
    width, height = int(header[1]), int(header[2])
    if width * height > MAX_CELLS:
        raise LimitError(f"{where}: a pattern must have at most {MAX_CELLS:,} cells; got {width:,} x {height:,}")
    return np.zeros((height, width), np.uint8)


def _state(tag: str, where: str) -> int:
    if tag in "bo.":
        return int(tag == "o")
    state = ord(tag[-1]) - ord("A") + 1
    state += 24 * (ord(tag[0]) - ord("p") + 1) if len(tag) == 2 else 0
    if state > _MAX_STATE:
        raise FormatError(f"{where}: a state must be at most {_MAX_STATE}, written yO; got {tag}, state {state}")
    return state


def _outside(where: str, cells: Array, row: int, end: int) -> NoReturn:
    height, width = cells.shape
    got = f"row {row + 1}" if row >= height else f"{end} cells in row {row + 1}"
    raise FormatError(f"{where}: there must be {height} rows of {width} cells, as the header says; got {got}")
