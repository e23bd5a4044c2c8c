"""Every reader on damaged files: each is read, or refused with an error of ours, soon, and nothing else is written.

Files that make a reader do something new, which is seen from the lines it runs, are damaged further.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from types import CodeType, FrameType
from typing import Any

import numpy as np

import graphfsa
from graphfsa.errors import GraphFSAError
from stress._corpus import Reader, corpus
from stress._mutations import mutate

BLOCK = 2000
_LIMIT = 5.0
"""Seconds of processor time that a reader may take."""
_HOME = str(Path(graphfsa.__file__).parent)
_KEPT = 300
_LOOKED_AT = 0.05
"""Share of the files for which the lines that run are noted, which takes longer than to read them."""


def cases(rng: np.random.Generator, folder: Path) -> Iterator[str]:
    """Damaged files."""
    readers = _readers()
    names = sorted(readers)
    weights = np.array([readers[name].weight for name in names])
    found: dict[str, list[bytes]] = {name: list(reader.seeds) for name, reader in readers.items()}
    lines = _Lines()
    while True:
        name = names[rng.choice(len(names), p=weights / weights.sum())]
        reader = readers[name]
        kept = found[name]
        # What did something new is mostly what was refused for a new reason: whole files are as good to begin with.
        begin = reader.seeds if rng.random() < 0.5 else kept
        content = mutate(begin[rng.integers(len(begin))], Path(reader.name).suffix, rng)
        place = folder / "case"
        lines.look = rng.random() < _LOOKED_AT
        outcome = _read(reader, content, place, lines)
        if lines.new and len(kept) < _KEPT and len(content) < 10**6:
            kept.append(content)
        outside = [path.name for path in folder.iterdir() if path != place]
        assert not outside, f"{name}: wrote {outside} outside its directory"
        shutil.rmtree(place)
        yield f"{name}, {outcome}"


def _read(reader: Reader, content: bytes, place: Path, lines: _Lines) -> str:
    """Read one file in a directory of its own."""
    place.mkdir()
    for name, other in reader.folder.items():
        (place / name).write_bytes(other)
    if "records.jsonl" in reader.folder:
        (place / "models").mkdir()
    path = place / reader.name
    path.write_bytes(content)
    began = time.process_time()
    try:
        with lines:
            reader.read(path)
        outcome = "read"
    except GraphFSAError as error:
        assert str(error), "an error says what is wrong"
        outcome = "refused"
    except BaseException:
        kept = Path(mkdtemp(prefix="graphfsa-stress-")) / reader.name
        kept.write_bytes(content)
        print(f"the file is kept: {kept}", file=sys.stderr)
        raise
    seconds = time.process_time() - began
    assert seconds < _LIMIT, f"reading took {seconds:.1f} s: {content[:500]!r}"
    return outcome


@lru_cache(maxsize=1)
def _readers() -> dict[str, Reader]:
    """The corpus, made once in each process."""
    folder = Path(mkdtemp(prefix="graphfsa-stress-"))
    try:
        return corpus(folder)
    finally:
        shutil.rmtree(folder)


class _Lines:
    """Notes which lines of the package run, and whether any is new."""

    def __init__(self) -> None:
        self._seen: set[tuple[CodeType, int]] = set()
        self.new = False
        self.look = True

    def __enter__(self) -> None:
        self.new = False
        if self.look:
            sys.settrace(self._call)

    def __exit__(self, *_error: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(_HOME) else None

    def _line(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line" and (frame.f_code, frame.f_lineno) not in self._seen:
            self._seen.add((frame.f_code, frame.f_lineno))
            self.new = True
        return self._line
