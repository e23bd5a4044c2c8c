"""Reading and writing whole files: bounded, atomic, and with errors a person can act on.

Nothing else in the package opens a file for writing, but ``folders.py``, which looks after directories.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.interrupts import deferred_signals

PathLike = str | os.PathLike[str]
MAX_BYTES = 2**30
DRAFTS = ".graphfsa-*.tmp"
"""Names of files and directories that are being written; a process that was killed leaves one."""
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape in JSON that may be half of a character."""
_MAX_TOML = 2**18
_MAX_DOTS = 1000
"""Dots on a line of TOML: the time to read a dotted key, which is on one line, grows with the square of its length."""


def read_bytes(path: PathLike, *, limit: int = MAX_BYTES) -> bytes:
    """The content of a regular file of at most ``limit`` bytes.

    Raises:
        LimitError: The file is larger.
        GraphFSAError: There is no such file, it is a directory or a device, or it cannot be read.
    """
    try:
        file = Path(path)
        status = file.stat()
        # Asked before opening: a named pipe would block until somebody writes to it.
        if not stat.S_ISREG(status.st_mode):
            raise GraphFSAError(f"cannot read {str(path)!r}: it is {file_kind(status.st_mode)}")
        if status.st_size > limit:
            raise LimitError(f"{str(path)!r} must have at most {limit} bytes; it has {status.st_size}")
        return file.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, GraphFSAError):
            raise
        raise GraphFSAError(f"cannot read {str(path)!r}: {reason_of(error)}") from error


def read_json(path: PathLike, *, limit: int = MAX_BYTES) -> Any:
    """The JSON value in a file, as Python's dicts, lists, strings, numbers, booleans and None.

    Raises:
        FormatError: The content is not JSON (NaN and Infinity are not); the message names the place.
        GraphFSAError: The file cannot be read; see :func:`read_bytes`.
    """
    data = read_bytes(path, limit=limit)
    try:
        return parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: must be UTF-8 text; byte {error.start} is not") from None
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise FormatError(f"{path}: not a GraphFSA file: its lists or objects are nested too deeply") from None
    except ValueError as error:
        # Python refuses to read a number of several thousand digits.
        raise FormatError(f"{path}: not JSON that can be read: {error}") from None


def parse_json(text: str) -> Any:
    """The value of a JSON text; a ValueError for NaN, Infinity, half characters, and fields that are given twice."""
    value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_refuse_repetition)
    if _HALF_PAIR.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a string has half of a surrogate pair, which is no character") from None
    return value


def read_toml(path: PathLike) -> dict[str, Any]:
    """The content of a TOML file of at most 256 KB.

    Raises:
        FormatError: The content is not TOML, or TOML that nobody writes: nested too deeply, numbers of thousands of
            digits, keys of thousands of parts.
        GraphFSAError: The file cannot be read; see :func:`read_bytes`.
    """
    try:
        text = read_bytes(path, limit=_MAX_TOML).decode("utf-8")
        if any(line.count(".") > _MAX_DOTS for line in text.split("\n")):
            raise FormatError(f"{path}: a line must have at most {_MAX_DOTS} dots")
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: not TOML: {error}") from None
    except RecursionError:
        raise FormatError(f"{path}: its arrays or tables are nested too deeply") from None
    except ValueError as error:
        if isinstance(error, GraphFSAError):
            raise
        # Python refuses to read a number of several thousand digits.
        raise FormatError(f"{path}: not TOML that can be read: {error}") from None


def _refuse_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a field is given twice")
    return content


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):  # Python reads 1e999 so, and could not write it again.
        raise ValueError(f"{digits[:40]} is too large")
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def atomic_write(path: PathLike, data: bytes | str) -> None:
    """Replace a file in one step: readers see the old content or the new, never a part of it.

    The data goes to a temporary file in the same directory, is forced to the disk and then renamed. If anything fails,
    the old file is as it was and the temporary one is gone. A symbolic link is followed; an existing file keeps its
    permissions.

    Args:
        path: File to create or replace; its directory must exist.
        data: Content; text is written as UTF-8.

    Raises:
        GraphFSAError: The directory is missing or not writable, the path is not a regular file, the disk is full, ...
    """
    try:
        content = data.encode() if isinstance(data, str) else data
        target = Path(path).resolve()
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            raise GraphFSAError(f"cannot write {str(path)!r}: it is {file_kind(mode)}")
        if not target.parent.is_dir():
            raise GraphFSAError(f"cannot write {str(path)!r}: there is no directory {str(target.parent)!r}")
        with deferred_signals():  # Or one that comes at the wrong moment would leave the temporary file.
            _replace(target, content, mode)
    # Path.resolve raises RuntimeError for a loop of links, and ValueError for a null byte.
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, GraphFSAError):
            raise
        raise GraphFSAError(f"cannot write {str(path)!r}: {reason_of(error)}") from error


def write_tensors(path: PathLike, arrays: Mapping[str, Any], about: Mapping[str, str]) -> None:
    """Replace a safetensors file in one step; the same content gives the same bytes.

    Args:
        path: The file.
        arrays: NumPy arrays by name.
        about: Strings by name; ``"schema"`` says what the file is.
    """
    import numpy as np
    from safetensors.numpy import save

    content = save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, dict(about))
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    header["__metadata__"] = dict(sorted(about.items()))  # The library writes the strings in a random order.
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    atomic_write(path, len(text).to_bytes(8, "little") + text + content[end:])


def read_tensors(path: PathLike, schema: str, *, limit: int = MAX_BYTES) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays and the strings of a safetensors file.

    Raises:
        FormatError: The file is damaged, or its schema is another one.
        GraphFSAError: The file cannot be read; see :func:`read_bytes`.
    """
    arrays, about = _tensors(path, limit)
    if about.get("schema") != schema:
        raise FormatError(f"{path}: the schema must be {schema!r}; got {str(about.get('schema'))[:100]!r}")
    return arrays, about


def tensors_schema(path: PathLike, *, limit: int = MAX_BYTES) -> str:
    """What a safetensors file says that it is; an empty string if it says nothing.

    Raises:
        FormatError: The file is damaged.
        GraphFSAError: The file cannot be read; see :func:`read_bytes`.
    """
    return str(_tensors(path, limit)[1].get("schema", ""))


def _tensors(path: PathLike, limit: int) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays and the strings of a safetensors file."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    content = read_bytes(path, limit=limit)
    try:
        arrays = load(content)
        about = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")]).get("__metadata__") or {}
    except (SafetensorError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path}: not a safetensors file that can be read: {error}") from None
    return arrays, about


def _replace(target: Path, content: bytes, mode: int | None) -> None:
    temporary = target.with_name(draft_name())
    # Opened by hand and not by tempfile, whose files are private: a new file gets the permissions of the user's umask.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def draft_name() -> str:
    """A name for what is being written, that nobody else has."""
    return DRAFTS.replace("*", secrets.token_hex(8))


def is_file(path: PathLike) -> bool:
    """Whether there is such a file; False for what can't be a file name."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def file_kind(mode: int) -> str:
    """What a path is that is not a regular file, in words."""
    return "a directory" if stat.S_ISDIR(mode) else "not a regular file"


def reason_of(error: BaseException) -> str:
    """What went wrong, without the number and the path that the system adds."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
