"""Runs that are kept: each is written to a file as soon as it has ended, as one line of JSON, and not made again.

A run is the same if all that decides it is: its configuration, the versions, and the source code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import graphfsa
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.files import parse_json, read_bytes
from graphfsa.folders import append_line

Record = dict[str, Any]
_ELSEWHERE = ("evaluation", "views", "cli")
"""Rooms of the package that decide no run."""


def all_kept(
    file: str | Path,
    wanted: Sequence[Record],
    run: Callable[[Record], Record],
    warm_up: Callable[[], None] | None = None,
) -> list[Record]:
    """The runs that are wanted: those in the file, and those that are made now.

    Args:
        file: Where runs are kept; it need not exist.
        wanted: All that decides each run; the code is added.
        run: Makes one; returns what came out.
        warm_up: Called before the first one that is made.
    """
    file = Path(file)
    wanted = [{**record, "code": source_digest()} for record in wanted]
    names = list(wanted[0])
    done = {_key(record, names): record for record in _read(file, wanted[0]["schema"])}
    if warm_up is not None and any(_key(record, names) not in done for record in wanted):
        warm_up()
    for record in wanted:
        key = _key(record, names)
        if key not in done:
            done[key] = {**record, **run(record)}
            append_line(file, json.dumps(done[key]).encode())
    return [done[_key(record, names)] for record in wanted]


@lru_cache
def source_digest() -> str:
    """SHA-256 of the benchmarks, and of the rooms of the package that decide a run."""
    hasher = sha256()
    for folder in (Path(graphfsa.__file__).parent, Path(__file__).parent):
        for file in sorted(folder.rglob("*.py")):
            place = file.relative_to(folder)
            if place.parts[0] not in _ELSEWHERE:
                hasher.update(f"{place.as_posix()}\n".encode() + file.read_bytes())
    return hasher.hexdigest()


def _read(file: Path, schema: str) -> list[Record]:
    """The runs in a file, if there is one."""
    if not file.parent.is_dir():
        raise GraphFSAError(f"cannot write {str(file)!r}: there is no directory {str(file.parent)!r}")
    if not file.exists():
        return []
    lines = read_bytes(file).decode("utf-8", errors="replace").split("\n")
    found: list[Record] = []
    for number, line in enumerate(lines[:-1], start=1):  # What follows the last line end was cut off.
        try:
            record = parse_json(line)
        except ValueError:
            record = None
        if not isinstance(record, dict) or record.get("schema") != schema:
            raise FormatError(f"{file}: line {number}: no run of this benchmark; choose another file")
        found.append(record)
    return found


def _key(record: Mapping[str, Any], names: Sequence[str]) -> str:
    return json.dumps([record.get(name) for name in names], sort_keys=True)
