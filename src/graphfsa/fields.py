"""Checks of what was read from JSON or TOML: errors name the file, the field, what must hold and what was got."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from graphfsa.checks import shown
from graphfsa.errors import FormatError

_REQUIRED: Any = object()
_KINDS: dict[Any, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    None: "null",
}


@dataclass(frozen=True)
class Field:
    """What a field must hold.

    Attributes:
        kind: ``str``, ``int``, ``float`` (any finite number), ``bool``, ``list``, ``dict``, ``None`` (null), a tuple of
            these, or ``object`` (anything).
        default: What it is if the field is left out; without a default the field must be there.
        least: The smallest number, or the fewest characters, items or fields.
        most: The largest number, or the most characters, items or fields.
        choices: The values that it may have, if it may not have all.
        pattern: What a string must look like: a pair of a regular expression and words for it.
        items: What each item of a list, or each value of an object, must hold.
    """

    kind: Any
    default: Any = _REQUIRED
    least: float | None = None
    most: float | None = None
    choices: Collection[Any] | None = None
    pattern: tuple[str, str] | None = None
    items: Field | None = None

    @property
    def required(self) -> bool:
        """Whether the field must be there."""
        return self.default is _REQUIRED


def read_fields(
    data: Any,
    fields: Mapping[str, Field],
    where: str,
    *,
    schema: str | None = None,
    also: Collection[str] = (),
    unknown: bool = False,
) -> dict[str, Any]:
    """The value of every field of an object, with defaults for those that are left out.

    Args:
        data: What the parser returned.
        fields: What the object must hold, by the names of the fields.
        where: Where it was read, for errors: ``"m.json"``, ``"m.json: task"``.
        schema: What the field ``schema`` must say; None if there is no such field.
        also: Names of fields that may be there too and are read elsewhere.
        unknown: Whether any other fields may be there too.

    Returns:
        The values by name, in the order of ``fields``; without the schema.

    Raises:
        FormatError: The data is no object, a field is missing or unknown, or a value is not what it must be.

    Example:
        >>> read_fields({"size": 3}, {"size": Field(int, least=1), "notes": Field(list, [])}, "m.json")
        {'size': 3, 'notes': []}
        >>> read_fields({"size": "3"}, {"size": Field(int, least=1)}, "m.json")
        Traceback (most recent call last):
        graphfsa.errors.FormatError: m.json: field 'size' must be an integer >= 1; got '3'
    """
    if not isinstance(data, dict):
        wanted = "an object" if schema is None else f"an object with the schema {schema!r}"
        raise FormatError(f"{where}: must be {wanted}; got {_kind_of(data)}")
    if schema is not None and data.get("schema") != schema:
        raise FormatError(f"{where}: field 'schema' must be {schema!r}; got {shown(data.get('schema'))}")
    known = [*fields, *also, *(() if schema is None else ("schema",))]
    surplus = [name for name in data if name not in known]
    if surplus and not unknown:
        raise FormatError(f"{where}: unknown field {shown(surplus[0])}; valid fields: {', '.join(sorted(known))}")
    for name, field in fields.items():
        if field.required and name not in data:
            raise FormatError(f"{where}: field {name!r} is missing; it must be {_wanted(field)}")
    for name, field in fields.items():
        if name in data:
            _check(name, data[name], field, where)
    return {name: data[name] if name in data else copy(field.default) for name, field in fields.items()}


def _check(path: str, value: Any, field: Field, where: str) -> None:
    """Raise unless a value is what a field must hold."""
    if not (_fits(value, field.kind) and _within(value, field) and _chosen(value, field) and _matches(value, field)):
        raise FormatError(f"{where}: field {shown(path)} must be {_wanted(field)}; got {shown(value)}")
    if field.items is not None and isinstance(value, list | dict):
        for place, item in value.items() if isinstance(value, dict) else enumerate(value):
            _check(f"{path}.{place}" if isinstance(value, dict) else f"{path}[{place}]", item, field.items, where)


def _fits(value: Any, kind: Any) -> bool:
    if isinstance(kind, tuple):
        return any(_fits(value, part) for part in kind)
    if kind is None:
        return value is None
    if kind is float:
        return _fits(value, int) or (isinstance(value, float) and math.isfinite(value))
    return isinstance(value, kind) and (kind is not int or not isinstance(value, bool))


def _within(value: Any, field: Field) -> bool:
    """Whether a number, or the length of anything else, is within the limits of a field."""
    if value is None:
        return True
    size = len(value) if isinstance(value, str | list | dict) else value
    return (field.least is None or size >= field.least) and (field.most is None or size <= field.most)


def _chosen(value: Any, field: Field) -> bool:
    """Whether a value is one of the choices of a field; 1 is not true."""
    return field.choices is None or any(type(value) is type(choice) and value == choice for choice in field.choices)


def _matches(value: Any, field: Field) -> bool:
    """Whether a string looks as it must."""
    return field.pattern is None or not isinstance(value, str) or re.fullmatch(field.pattern[0], value) is not None


def _wanted(field: Field) -> str:
    """What a field must hold, in words."""
    if field.choices is not None:
        return f"one of {', '.join(map(repr, field.choices))}"
    if field.pattern is not None:
        return field.pattern[1]
    kinds = field.kind if isinstance(field.kind, tuple) else (field.kind,)
    words = " or ".join(_KINDS.get(kind, "a value") for kind in kinds)
    counted = {str: "characters", list: "items", dict: "fields"}
    unit = next((counted[kind] for kind in kinds if kind in counted), "")
    least, most = field.least, field.most
    if least is None and most is None:
        return words
    if least is None:
        return f"{words} of at most {most:g} {unit}" if unit else f"{words} <= {most:g}"
    if most is None:
        return f"{words} of at least {least:g} {unit}" if unit else f"{words} >= {least:g}"
    return f"{words} of {least:g} to {most:g} {unit}" if unit else f"{words} from {least:g} to {most:g}"


def _kind_of(value: Any) -> str:
    """The kind of a JSON value, in words."""
    kind = None if value is None else type(value)
    return _KINDS.get(kind, getattr(kind, "__name__", "null"))
