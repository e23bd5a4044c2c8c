"""Schedulers and faults by words: ``distributed:p=0.3`` is ``Distributed(p=0.3)``, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from graphfsa.checks import check_integer, shown
from graphfsa.engine.coins import MAX_STEPS
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.graphs.graph import Graph
from graphfsa.plugins import Plugin, find_plugin

_P = TypeVar("_P", bound=Plugin)


def built(contract: type[_P], given: Any) -> _P:
    """The plug-in that is meant: an object, a class with defaults, or ``NAME`` or ``NAME:KEY=VALUE,KEY=VALUE``.

    Values are numbers or words; ``0+5+7`` is a list, ``0+1/2+3`` a list of lists.

    Raises:
        UnknownNameError: There is no such plug-in, or it has no such option; the message lists the valid ones.
        GraphFSAError: Something else is wrong with it.
    """
    if isinstance(given, contract):
        return given
    if isinstance(given, type) and issubclass(given, contract):
        return _made(given, {})
    if not isinstance(given, str):
        raise GraphFSAError(f"{contract.kind} must be a name, or an object of its class; got {shown(given)}")
    head, _, tail = given.rpartition(":")
    name, arguments = (head, tail) if head and "=" in tail else (given, "")
    first, colon, _ = name.partition(":")
    if colon and ".py:" not in name:
        raise GraphFSAError(f"{contract.kind} options must look like {first}:KEY=VALUE; got {given!r}")
    options: dict[str, Any] = {}
    for part in arguments.split(",") if arguments else ():
        key, equals, value = part.partition("=")
        if not (key and equals and value):
            raise GraphFSAError(f"{contract.kind} options must look like {name}:KEY=VALUE,KEY=VALUE; got {given!r}")
        if key in options:
            raise GraphFSAError(f"{contract.kind} {name}: {key} is given more than once")
        options[key] = _value(value)
    return _made(find_plugin(contract, name), options)


def described(plugin: Plugin) -> str:
    """The words for it: its name, and the options that are not as usual."""
    parts: list[str] = []
    for field in fields(plugin) if is_dataclass(plugin) else ():
        value = getattr(plugin, field.name)
        if value != field.default and value is not None:
            parts.append(f"{field.name}={_text(value)}")
    return plugin.name + (":" + ",".join(parts) if parts else "")


def as_nodes(name: str, graph: Graph, given: Sequence[Any]) -> list[int]:
    """The numbers of nodes that are given by name, or by number if they have no names; none of them twice."""
    numbers = [graph.node_index(node) for node in given]
    if len(set(numbers)) != len(numbers):
        twice = next(node for node, number in zip(given, numbers, strict=True) if numbers.count(number) > 1)
        raise GraphFSAError(f"{name} must not list a node twice; got {shown(twice)} more than once")
    return numbers


def tuples(name: str, given: Any) -> tuple[Any, ...]:
    """A list as a tuple; a single value as a tuple of one."""
    if isinstance(given, str | int | float | np.generic):
        return (given,)
    try:
        return tuple(given)
    except TypeError:
        raise GraphFSAError(f"{name} must be a list; got {shown(given)}") from None


def check_window(start: Any, stop: Any) -> None:
    """Raise unless something can last from step ``start`` until before step ``stop``; None for ever."""
    check_integer("start", start, 0, MAX_STEPS)
    if stop is not None:
        check_integer("stop", stop, start + 1, MAX_STEPS + 1, or_else=" or None")


def _made(kind: type[_P], options: dict[str, Any]) -> _P:
    known = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    for option in options:
        if option not in known:
            raise UnknownNameError(f"option of {kind.kind} {kind.name}", option, known)
    try:
        return kind(**options)
    except TypeError as error:
        raise GraphFSAError(f"{kind.kind} {kind.name}: {error}") from None


def _value(text: str) -> Any:
    for mark in "/+":
        if mark in text:
            return tuple(_value(part) for part in text.split(mark))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        nested = any(isinstance(part, tuple) for part in value)  # pyright: ignore[reportUnknownVariableType]
        return ("/" if nested else "+").join(map(_text, value))  # pyright: ignore[reportUnknownArgumentType]
    return str(value)
