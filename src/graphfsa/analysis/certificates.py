"""The files that all certificates are: JSON objects with a schema, a kind, and the version that wrote them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from graphfsa import __version__
from graphfsa.errors import FormatError
from graphfsa.files import PathLike, atomic_write, read_json

SCHEMA = "graphfsa.certificate/1"
_MAX_BYTES = 2**26


def certificate_text(kind: str, content: dict[str, Any]) -> str:
    """A certificate of a kind as JSON."""
    whole = {"schema": SCHEMA, "kind": kind, **content, "version": __version__}
    return json.dumps(whole, indent=1) + "\n"


def write_certificate(path: PathLike, kind: str, content: dict[str, Any]) -> None:
    """Write a certificate of a kind to a JSON file, atomically."""
    atomic_write(path, certificate_text(kind, content))


def read_certificate(path: PathLike, *kinds: str, limit: int = _MAX_BYTES) -> dict[str, Any]:
    """The fields of a certificate; only the schema and the kind are checked.

    Args:
        path: The file.
        *kinds: The kinds that it may be of.
        limit: How many bytes it may have.

    Raises:
        FormatError: The file is no certificate of one of the kinds.
    """
    data = read_json(path, limit=limit)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or data.get("kind") not in kinds:
        known = " or ".join(map(repr, kinds))
        raise FormatError(f"{path}: must be a certificate with schema {SCHEMA!r} and kind {known}")
    return data


@dataclass(frozen=True)
class Check:
    """Whether a certificate holds, and why or why not, for people."""

    holds: bool
    reason: str
