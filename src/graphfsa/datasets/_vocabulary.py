"""The scalars that users write as inputs and labels, and the classes that they become.

A scalar is a truth value, a whole number, a fraction or a string, and is what was written: ``true``, ``1`` and ``"1"``
are three things. ``1`` and ``1.0`` are one number written in two ways, which is refused within a field of a file: it
would never be clear whether one class is meant or two. The name of a class is ``str`` of its scalar, so two scalars
with one name (``1`` and ``"1"``) are refused too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from graphfsa.arrays import Array

Scalar = bool | int | float | str
Fail = Callable[[int, str], NoReturn]
MAX_CLASSES = 256
MAX_NAME = 1000
_KINDS: dict[type, str] = {bool: "true or false", int: "a number", float: "a number", str: "a string"}
_ORDER = ("true or false", "a number", "a string")
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")


class Vocabulary:
    """The distinct scalars of a field, numbered as they come.

    Args:
        what: What they are, for error messages: ``"inputs"`` or ``"labels"``.
        one_kind: Whether truth values, numbers and strings must not be mixed.
    """

    def __init__(self, what: str, *, one_kind: bool) -> None:
        self._what = what
        self._one_kind = one_kind
        self._numbers: dict[type, dict[Scalar, int]] = {kind: {} for kind in _KINDS}
        self._scalars: list[Scalar] = []
        self._names: dict[str, Scalar] = {}

    def numbers(self, values: list[Any], fail: Fail) -> Array:
        """The number of each scalar, uint8; scalars not seen before get the next ones.

        Args:
            values: What the user gave.
            fail: Raises the error for an entry of the list and its problem, which begins with ``"must"``.
        """
        kinds = set(map(type, values))
        if len(kinds) == 1 and kinds <= _KINDS.keys():
            # One look-up for each entry; only entries that are new are looked at.
            table = self._numbers[kinds.pop()]
            found: list[Any] = list(map(table.get, values))
            if None in found:
                for place, value in enumerate(values):
                    found[place] = self._number(place, value, fail)
        else:
            found = [self._number(place, value, fail) for place, value in enumerate(values)]
        return np.array(found, np.uint8)

    def __len__(self) -> int:
        return len(self._scalars)

    def sorted(self) -> tuple[tuple[str, ...], Array]:
        """The names in order (truth values, then numbers by size, then strings), and the rank of each number, uint8."""
        order = sorted(range(len(self)), key=lambda number: _sort_key(self._scalars[number]))
        ranks = np.empty(len(self), np.uint8)
        ranks[order] = np.arange(len(self))
        return tuple(str(self._scalars[number]) for number in order), ranks

    def _number(self, place: int, value: Any, fail: Fail) -> int:
        if type(value) not in _KINDS:
            fail(place, f"must be a string, a number, true or false; got {_type_name(value)}")
        table = self._numbers[type(value)]
        if value not in table:
            table[value] = self._add(place, value, fail)
        return table[value]

    def _add(self, place: int, value: Scalar, fail: Fail) -> int:
        value = value + 0.0 if isinstance(value, float) else value  # There is one zero, not two.
        name = self._name(place, value, fail)
        if self._one_kind and self._scalars and _kind(value) != _kind(self._scalars[0]):
            before = f"{_kind(self._scalars[0])} ({_short(self._scalars[0])})"
            fail(place, f"must be {before} as the {self._what} before it; got {_short(value)}")
        other = float if type(value) is int else int
        if type(value) in (int, float) and value in self._numbers[other]:
            fail(place, f"must be written as before, {_written(value, other)}; got {_short(value)}")
        if name in self._names:
            fail(
                place,
                f"must not have the name of another of the {self._what}; "
                f"{_short(value)} and {_short(self._names[name])} are both called {name}",
            )
        if len(self) == MAX_CLASSES:
            fail(place, f"must be one of at most {MAX_CLASSES} different {self._what}; {_short(value)} is one more")
        self._names[name] = value
        self._scalars.append(value)
        return len(self) - 1

    def _name(self, place: int, value: Scalar, fail: Fail) -> str:
        if isinstance(value, float) and not math.isfinite(value):
            fail(place, f"must be a finite number; got {value}")
        try:
            name = str(value)
            name.encode()
        except UnicodeEncodeError:
            fail(place, "must be text; it holds half of a surrogate pair")
        except ValueError:
            # Python refuses to print a number of several thousand digits.
            name = "?" * (MAX_NAME + 1)
        if len(name) > MAX_NAME:
            fail(place, f"must have at most {MAX_NAME} characters")
        return name


def scalars_of(names: tuple[str, ...], *, one_kind: bool) -> list[int | str]:
    """The scalars to write for the names of classes: whole numbers where the names look so, otherwise strings.

    Args:
        names: Names of the classes.
        one_kind: Whether all must be strings if one is.
    """
    whole = [len(name) <= MAX_NAME and _WHOLE.fullmatch(name) is not None for name in names]
    if one_kind and not all(whole):
        return list(names)
    return [int(name) if number else name for name, number in zip(names, whole, strict=True)]


def _sort_key(value: Scalar) -> tuple[int, Any]:
    return _ORDER.index(_kind(value)), value


def _kind(value: Scalar) -> str:
    return _KINDS[type(value)]


def _written(value: Any, kind: type) -> str:
    return str(kind(value))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _type_name(value: Any) -> str:
    names = {list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), type(value).__name__)
