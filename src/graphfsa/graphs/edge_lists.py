"""Edge lists: text with an edge on each line, as SNAP and others offer graphs; read a block of lines at a time.

What follows ``#`` is a comment. Before the first edge there may be lines ``nodes N`` (otherwise there are as many nodes
as the largest number needs), ``directed``, and ``kinds`` with a JSON list of names. Then one edge per line: ``u v``, or
``u v slot`` in a directed graph or one with kinds, where a slot is the number of a kind.

Blocks of plain lines are read as a whole; any other block is read word by word, which also finds what to complain of.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from typing import Any, NoReturn, Protocol

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.errors import FormatError

MAX_LINE = 2**16
_BLOCK = 2**23
_DIGITS = 9
"""Nine digits hold every node that a file may have, and keep int() away from absurd numbers."""
_HEADERS = ("nodes", "directed", "kinds")
_COMMENT = re.compile(rb"#[^\n]*")


class Readable(Protocol):
    """What bytes come from."""

    def read(self, size: int = -1, /) -> bytes:
        """At most this number of bytes; none at the end."""
        ...


class EdgeList:
    """An edge list that is being read.

    Args:
        source: What it is called, for messages.

    Attributes:
        header: What was said before the first edge: ``{"nodes": N, "directed": 1}``.
        kinds: The names of the kinds, as they were given.
        width: Words of a line: 2, or 3 with slots; 0 before the first edge.
        line: Number of lines read.
        done: Number of bytes read as whole lines.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self.header: dict[str, int] = {}
        self.kinds: list[Any] | None = None
        self.width = 0
        self.line = 0
        self.done = 0

    @property
    def directed(self) -> bool:
        """Whether each edge is one arc."""
        return "directed" in self.header

    def tables(self, stream: Readable) -> Iterator[Array]:
        """The edges of a stream, int32 [number of edges, width], a block of lines at a time."""
        rest = b""
        while True:
            content = stream.read(_BLOCK)
            if not self.done and not rest:
                whole = len(content)
                content = content.removeprefix(b"\xef\xbb\xbf")
                self.done += whole - len(content)
            block = rest + content
            end = block.rfind(b"\n") + 1 if content else len(block)
            # A file without line ends must not become one line of a billion words.
            if len(block) - end >= MAX_LINE:
                line = self.line + block.count(b"\n") + 1
                raise FormatError(f"{self._source}: line {line}: a line must have fewer than {MAX_LINE} bytes")
            rest = block[end:]
            if end:
                self.done += end
                yield self._table(block[:end])
            if not content:
                return

    def _table(self, block: bytes) -> Array:
        parts: list[Array] = []
        begin = 0
        while not self.width and begin < len(block):  # The header, and the first edge.
            end = block.find(b"\n", begin) + 1 or len(block)
            parts.append(self._by_words(block[begin:end]))
            begin = end
        rest = block[begin:] if begin else block
        if rest:
            table = _at_once(rest, self.width)
            if table is None:
                table = self._by_words(rest)
            else:
                self._check_nodes(table, rest)
                self.line += rest.count(b"\n")
            parts.append(table)
        return np.concatenate([part.reshape(-1, max(2, self.width)) for part in parts])

    def _by_words(self, block: bytes) -> Array:
        numbers = array("i")
        for line in block.split(b"\n"):
            self.line += 1
            if len(line) >= MAX_LINE:
                self._fail(f"a line must have fewer than {MAX_LINE} bytes")
            words = line.partition(b"#")[0].split()
            if words:
                self._read_line(words, numbers)
        self.line -= block.endswith(b"\n")
        return np.array(numbers, np.int32).reshape(-1, max(2, self.width))

    def _read_line(self, words: list[bytes], numbers: array[int]) -> None:
        if len(words) != self.width:
            if not self.width and not words[0][:1].isdigit():
                self._header_line(words)
                return
            self._check_width(words)
        for word in words:
            if not word.isdigit() or len(word) > _DIGITS:
                self._refuse(words, f"a node or a slot must be an integer below 10^9; got {_word(word)}")
            numbers.append(int(word))
        nodes = self.header.get("nodes")
        if nodes is not None and max(numbers[-self.width], numbers[1 - self.width]) >= nodes:
            wrong = max(numbers[-self.width], numbers[1 - self.width])
            self._fail(f"a node must be below {nodes}; got {wrong}")
        if self.width == 3 and numbers[-1] >= 256:
            self._fail(f"a slot must be below 256; got {numbers[-1]}")

    def _check_nodes(self, table: Array, block: bytes) -> None:
        """Raise if a block that was read as a whole names a node or a slot that is too large."""
        nodes = self.header.get("nodes", 10**_DIGITS)
        if len(table) and (table[:, :2].max() >= nodes or (self.width == 3 and table[:, 2].max() >= 256)):
            self._by_words(block)

    def _header_line(self, words: list[bytes]) -> None:
        name = words[0].decode("ascii", "replace")
        if name not in _HEADERS or (name != "kinds" and len(words) != 1 + (name == "nodes")):
            expected = "a line must be 'nodes N', 'directed', 'kinds [...]', 'u v' or 'u v slot'"
            self._fail(f"{expected}; got {_word(b' '.join(words))}")
        if name in self.header:
            self._fail(f"{name!r} must be given once")
        if name == "nodes" and not (words[1].isdigit() and len(words[1]) <= 18):
            self._fail(f"'nodes' must be followed by an integer; got {_word(words[1])}")
        if name == "kinds":
            self.kinds = self._read_kinds(b" ".join(words[1:]))
        self.header[name] = int(words[1]) if name == "nodes" else 1

    def _read_kinds(self, text: bytes) -> list[Any]:
        try:
            kinds = json.loads(text)
        except (ValueError, RecursionError):
            kinds = None
        if not isinstance(kinds, list):
            self._fail(f"'kinds' must be followed by a JSON list of names; got {_word(text)}")
        return kinds

    def _check_width(self, words: list[bytes]) -> None:
        if self.width:
            shape = ("u v", "u v slot")[self.width - 2]
            self._refuse(words, f"an edge must be {shape!r} as the first is; got {_word(b' '.join(words))}")
        if len(words) not in (2, 3):
            self._fail(f"an edge must be 'u v' or 'u v slot'; got {_word(b' '.join(words))}")
        if len(words) == 3 and not self.header.keys() & {"directed", "kinds"}:
            self._fail(
                "an edge must be 'u v'; a third number is a slot, which needs a line 'directed' or 'kinds [...]' "
                f"before the first edge (edges have no weights); got {_word(b' '.join(words))}",
            )
        self.width = len(words)

    def _refuse(self, words: list[bytes], problem: str) -> NoReturn:
        late = words[0].decode("ascii", "replace")
        self._fail(f"{late!r} must come before the first edge" if late in _HEADERS else problem)

    def _fail(self, problem: str) -> NoReturn:
        raise FormatError(f"{self._source}: line {self.line}: {problem}")


def _at_once(block: bytes, width: int) -> Array | None:
    """The numbers of a block of lines, int32 [lines, width]; None if some line is not so many short numbers."""
    if b"#" in block:
        block = _COMMENT.sub(b"", block)
    if block.translate(None, b"0123456789 \t\r\n"):
        return None
    # A blank at either end, so that every number has two ends.
    letters = np.frombuffer(b"\n%b\n" % block, np.uint8)
    digit = letters >= ord("0")
    ends = np.flatnonzero(digit[1:] != digit[:-1]) + 1
    starts = ends[::2]
    if len(starts) % width or (len(starts) and (ends[1::2] - starts).max() > _DIGITS):
        return None
    lines = np.cumsum(letters == ord("\n"), dtype=np.int32)[starts].reshape(-1, width)
    if (lines[:, 0] != lines[:, -1]).any() or (lines[1:, 0] == lines[:-1, 0]).any():
        return None
    numbers = np.fromstring(block.decode("ascii"), np.int64, sep=" ") if len(starts) else np.empty(0, np.int64)
    return numbers.reshape(-1, width).astype(np.int32)


def _word(word: bytes) -> str:
    return shown(word[:100].decode("utf-8", "replace"))
