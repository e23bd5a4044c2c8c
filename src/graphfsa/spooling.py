"""Large files that are written piece by piece, by one writer at a time, and are there as a whole or not at all.

What is being written lies in a directory ``NAME.part`` beside the file: a plan that says what is to be written, notes
on how far it is, and pieces. Somebody with the same plan goes on from the last note.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from graphfsa.errors import GraphFSAError
from graphfsa.files import PathLike, atomic_write, read_json, reason_of
from graphfsa.folders import make_folder, place

_PLAN, _NOTES, _LOCK = "plan.json", "notes.json", "lock"
_COPIED = 2**24


class Spool:
    """A large file in the making; use it in a ``with`` block.

    Args:
        target: The file.
        plan: What is to be written, as JSON values: pieces of another plan are thrown away.

    Attributes:
        notes: What was noted last, ``{}`` at the beginning.

    Raises:
        GraphFSAError: Somebody else is writing this file, or nobody can.
    """

    def __init__(self, target: PathLike, plan: Mapping[str, Any]) -> None:
        self.notes: dict[str, Any] = {}
        self._plan = dict(plan)
        self._written: set[str] = set()
        try:
            self._target = Path(target).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise GraphFSAError(f"cannot write {str(target)!r}: {reason_of(error)}") from error
        if self._target.exists() and not self._target.is_file():
            raise GraphFSAError(f"cannot write {str(target)!r}: it is not a regular file")
        if not self._target.parent.is_dir():
            raise GraphFSAError(f"cannot write {str(target)!r}: there is no directory {str(self._target.parent)!r}")
        self._folder = place(self._target.parent, f"{self._target.name}.part")
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> Self:
        make_folder(self._folder)
        self._lock = self._locked()
        known = self._read(_PLAN)
        if known == self._plan:
            self.notes = self._read(_NOTES) or {}
            return self
        for left in self._folder.iterdir():
            if left.name != _LOCK:
                self.remove(left.name)
        try:
            atomic_write(place(self._folder, _PLAN), _json(self._plan))
        except GraphFSAError as error:
            raise self._failed(error.__cause__ or error) from error.__cause__
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    def path(self, name: str) -> Path:
        """Where a piece lies."""
        return place(self._folder, name)

    def size(self, name: str) -> int:
        """Bytes of a piece; 0 if there is none."""
        path = self.path(name)
        return path.stat().st_size if path.exists() else 0

    def write(self, name: str, data: Any, at: int, *, last: bool = True) -> None:
        """Write into a piece. It is forced to the disk before the next note.

        Args:
            name: The piece.
            data: Bytes, or a contiguous array.
            at: Where.
            last: Whether the piece ends there; what was written behind, and not noted, is dropped.
        """
        path = self.path(name)
        try:
            with path.open("r+b" if path.exists() else "x+b", buffering=0) as file:
                if last:
                    file.truncate(at)
                file.seek(at)
                left = memoryview(data).cast("B")
                while left:
                    left = left[file.write(left) :]
            self._written.add(name)
        except OSError as error:
            raise self._failed(error) from error

    def append(self, name: str, other: str, at: int) -> int:
        """Copy a piece to a place in another, which ends there; returns where it ends."""
        try:
            with self.path(other).open("rb") as file:
                while content := file.read(_COPIED):
                    self.write(name, content, at)
                    at += len(content)
        except OSError as error:
            raise self._failed(error) from error
        return at

    def note(self, **facts: Any) -> None:
        """Note how far it is: what was written before is what somebody else can rely on."""
        self.notes |= facts
        self._force()
        try:
            atomic_write(place(self._folder, _NOTES), _json(self.notes))
        except GraphFSAError as error:
            raise self._failed(error.__cause__ or error) from error.__cause__

    def remove(self, name: str) -> None:
        """Remove a piece."""
        try:
            self.path(name).unlink(missing_ok=True)
        except OSError as error:
            raise self._failed(error) from error

    def finish(self, name: str) -> None:
        """Make a piece the file, in one step, and remove everything else."""
        self._force()
        try:
            self.path(name).replace(self._target)
        except OSError as error:
            raise self._failed(error) from error
        shutil.rmtree(self._folder, ignore_errors=True)

    def _force(self) -> None:
        """Have on the disk what was written."""
        try:
            for name in sorted(self._written):
                with self.path(name).open("r+b") as file:
                    os.fsync(file.fileno())
        except OSError as error:
            raise self._failed(error) from error
        self._written.clear()

    def _read(self, name: str) -> Any:
        try:
            return read_json(self._folder / name, limit=2**20) if (self._folder / name).exists() else None
        except GraphFSAError:
            return None

    def _locked(self) -> IO[bytes]:
        """The lock, which the system opens again when this process ends, however it ends."""
        try:
            file = self.path(_LOCK).open("a+b")
        except OSError as error:
            raise self._failed(error) from error
        try:
            _lock(file)
        except OSError as error:
            file.close()
            raise GraphFSAError(
                f"cannot write {str(self._target)!r}: another process is writing it; wait, or choose another file"
            ) from error
        return file

    def _failed(self, error: BaseException) -> GraphFSAError:
        return GraphFSAError(
            f"cannot write {str(self._target)!r}: {reason_of(error)}; what is done is kept in "
            f"{str(self._folder)!r}, and the same command goes on from there"
        )


def _lock(file: IO[bytes]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows has locks of its own.
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # pyright: ignore
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _json(value: Mapping[str, Any]) -> str:
    import json

    return json.dumps(dict(value))
