"""Directories that we write: every file in one stays in it, whatever names and links somebody has put there.

A directory of results, a checkpoint or a data set may come from a stranger. Its manifest names files, and links in it
may lead anywhere; ``place`` is what every write into such a directory goes through.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphfsa.checks import shown
from graphfsa.errors import GraphFSAError
from graphfsa.files import DRAFTS, PathLike, draft_name, reason_of
from graphfsa.interrupts import deferred_signals


def place(folder: PathLike, name: str) -> Path:
    """The path of a file or directory in a directory of ours, to be written.

    Args:
        folder: The directory.
        name: A plain name: no directories, no drive.

    Raises:
        GraphFSAError: The name is not plain, or there is a link of this name, which may lead anywhere.

    Example:
        >>> place("out", "a.md").name
        'a.md'
        >>> place("out", "../a.md")
        Traceback (most recent call last):
        graphfsa.errors.GraphFSAError: the name of a file in 'out' must be plain, without directories; got '../a.md'
    """
    plain = name not in ("", ".", "..") and not any(letter in "/\\:\0" for letter in name)
    if not plain:
        raise GraphFSAError(
            f"the name of a file in {str(folder)!r} must be plain, without directories; got {shown(name)}"
        )
    path = Path(folder) / name
    if path.is_symlink():
        raise GraphFSAError(f"cannot write {str(path)!r}: it is a link, which may lead out of the directory")
    return path


def make_folder(path: PathLike) -> Path:
    """Make a directory, and those above it; one that is there is left as it is.

    Raises:
        GraphFSAError: It can't be made, or it is a file.
    """
    try:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    except (OSError, ValueError) as error:
        raise GraphFSAError(f"cannot make the directory {str(path)!r}: {reason_of(error)}") from error


@contextmanager
def whole_folder(path: PathLike) -> Generator[Path]:
    """A new directory that is there as a whole or not at all: write into the one that is given meanwhile.

    Raises:
        GraphFSAError: The directory can't be made, or is there already.
    """
    target = Path(path)
    try:
        possible = b"\0" not in os.fsencode(target)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise GraphFSAError(f"the name of a directory must be one that files can have; got {shown(str(target))}")
    draft = target.with_name(draft_name())
    try:
        if target.exists():
            raise GraphFSAError(f"{str(target)!r} exists already; choose another directory")
        draft.mkdir()
        yield draft
        draft.rename(target)
    except OSError as error:
        raise GraphFSAError(f"cannot write {str(target)!r}: {reason_of(error)}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def remove_drafts(folder: PathLike) -> None:
    """Remove what processes have left in a directory that were killed while they wrote."""
    for left in Path(folder).glob(DRAFTS):
        if left.is_file() or left.is_symlink():
            left.unlink(missing_ok=True)


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file, and force it to the disk; earlier lines stay, whatever happens.

    A line at the end that was cut off, by a crash, is dropped first.

    Raises:
        GraphFSAError: The file can't be written.
    """
    try:
        # Not buffered: what a full disk has not taken would be written again when the file is cut or closed.
        with path.open("r+b" if path.exists() else "x+b", buffering=0) as file, deferred_signals():
            if os.fstat(file.fileno()).st_nlink > 1:
                raise GraphFSAError(f"cannot add to {str(path)!r}: the file has a second name, elsewhere")
            end = _end_of_lines(file)
            file.truncate(end)
            file.seek(end)
            try:
                left = memoryview(line + b"\n")
                while left:
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)
                raise
    except OSError as error:
        raise GraphFSAError(f"cannot write {str(path)!r}: {reason_of(error)}") from error


def _end_of_lines(file: Any) -> int:
    """Where the last complete line ends."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        place = file.read(end - start).rfind(b"\n")
        if place >= 0:
            return start + place + 1
        end = start
    return 0
