"""Finds plug-ins by file name: every module of a room whose name does not start with ``_`` is one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from graphfsa.errors import GraphFSAError, UnknownNameError

_T = TypeVar("_T")


def plugin_names(room: str) -> list[str]:
    """Names of the plug-ins of a room, as written on a command line (``average-threshold``).

    Args:
        room: Dotted name of the package that holds them, for example ``"graphfsa.aggregations"``.
    """
    package = importlib.import_module(room)
    modules = (module.name for module in pkgutil.iter_modules(package.__path__))
    return sorted(name.replace("_", "-") for name in modules if not name.startswith("_"))


def plugin_places(room: str) -> list[str]:
    """The directories in which the plug-ins of a room are looked for: its own, and those that were added."""
    return [str(Path(place).absolute()) for place in importlib.import_module(room).__path__]


def add_places(room: str, places: Sequence[str]) -> None:
    """Look for the plug-ins of a room in these directories too."""
    known = plugin_places(room)
    importlib.import_module(room).__path__.extend(place for place in places if place not in known)


def load_plugin(room: str, name: str, kind: str) -> ModuleType:
    """Import one plug-in module of a room.

    Args:
        room: Dotted name of the package.
        name: Name of the plug-in; dashes and underscores are the same.
        kind: What to call it in an error message.
    """
    names = plugin_names(room)
    if name.replace("_", "-") not in names:
        raise UnknownNameError(kind, name, names)
    return importlib.import_module(f"{room}.{name.replace('-', '_')}")


def plugin_class(room: str, name: str, kind: str, base: type[_T]) -> type[_T]:
    """The one class that a plug-in module defines.

    Args:
        room: Dotted name of the package.
        name: Name of the plug-in.
        kind: What to call it in an error message.
        base: What the class must extend.
    """
    module = load_plugin(room, name, kind)
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise GraphFSAError(f"module {module.__name__} must define exactly one {kind}; it defines {len(found)}")
    return found[0]
