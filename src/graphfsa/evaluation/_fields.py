"""Reading tables of settings: every key is known, and its value is of the right kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphfsa.errors import FormatError


class _Needed:
    pass


@dataclass(frozen=True)
class Field:
    """What a key holds: its kind, and what it is if it is left out."""

    kind: type
    default: Any = _Needed


def taken(content: Any, fields: Mapping[str, Field], where: str, more: Sequence[str] = ()) -> dict[str, Any]:
    """The value of every field.

    Args:
        content: What was read.
        fields: The fields.
        where: Where it was read, for errors.
        more: Keys that are valid too and have been dealt with, for errors.

    Raises:
        FormatError: The content is no table, a key is missing or unknown, or a value is of another kind.
    """
    if not isinstance(content, dict):
        raise FormatError(f"{where}: must be a table of keys and values; got {type(content).__name__}")
    for key in content:
        if key not in fields:
            raise FormatError(f"{where}: unknown key {key!r}; valid keys: {', '.join([*fields, *more])}")
    found: dict[str, Any] = {}
    for key, field in fields.items():
        value = content.get(key, field.default)
        if value is _Needed:
            raise FormatError(f"{where}: {key} is missing")
        if not isinstance(value, field.kind) or (field.kind is int and isinstance(value, bool)):
            raise FormatError(f"{where}: {key} must be {_NAMES[field.kind]}; got {value!r}")
        if field.kind is int and value < 0:
            raise FormatError(f"{where}: {key} must be at least 0; got {value}")
        found[key] = value
    return found


_NAMES = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}
