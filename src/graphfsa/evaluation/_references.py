"""How experiments name learners and data sets, one's own included, so that other processes and later runs find them.

A built-in class, or one of an installed package, is referred to by its name. A class of one's own is referred to as
``file.py:Class@digest``: the digest of the file is part of every job, so a result is never taken from older code. Where
the file is differs between machines, so that is kept beside the reference and never written.

Experiments and results may come from a stranger, so the code that they name is never run by naming it: the user loads
the file first, with ``--plugin FILE`` or by importing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from hashlib import sha256
from inspect import Parameter, signature
from json import dumps, loads
from pathlib import Path
from typing import Any, TypeVar

from graphfsa.checks import shown
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.learners import Learner
from graphfsa.plugins import Plugin, find_plugin, known_plugin, plugin_file, plugin_reference

_P = TypeVar("_P", bound=Plugin)
Files = Mapping[str, str]
"""The file of each class of one's own, by its reference; empty if only this process knows the class."""


def locate(contract: type[Plugin], reference: str) -> tuple[str, dict[str, str]]:
    """Find a class as a file of an experiment names it.

    Args:
        contract: What the class must extend.
        reference: A name, or ``file.py:Class``, where the file has been loaded.

    Returns:
        The reference that jobs hold, and where its file is if the class is the user's own.
    """
    _, is_file, _ = _parts(reference)
    own = refer(_known(contract, reference))
    return own if is_file or own[1] else (reference, {})


def refer(found: type[Plugin]) -> tuple[str, dict[str, str]]:
    """The reference of a class, and where its file is if the class is the user's own."""
    _, is_file, name = _parts(plugin_reference(found))
    file = plugin_file(found)
    if file is None or not is_file or "." in name:
        # Built in, or announced by a package; or defined in a shell or a function, where only this process finds it.
        own = not found.__module__.startswith("graphfsa.") and (found.__module__ == "__main__" or "." in name)
        return found.name, {found.name: ""} if own else {}
    reference = f"{file.name}:{name}@{_digest(str(file))}"
    return reference, {reference: str(file)}


def build(contract: type[_P], reference: str, options: Mapping[str, Any], files: Files) -> _P:
    """A learner or data set with options that come from a file: lists become tuples.

    Args:
        contract: What the class must extend.
        reference: The reference of the class.
        options: The options.
        files: Where the files of the user's own classes are, as this user's processes know; nothing that was read.

    Raises:
        GraphFSAError: There is no such class or option, a value is not valid, or the code has changed.
    """
    path = files.get(reference)
    found = find(contract, f"{path}:{_parts(reference)[2]}") if path else _known(contract, reference)
    given, home = reference.partition("@")[2], plugin_file(found)
    if given and home is not None and given != _digest(str(home)):
        raise GraphFSAError(f"{home} has changed: these results are of code whose SHA-256 begins with {given}")
    return construct(found, options)


def construct(found: type[_P], options: Mapping[str, Any]) -> _P:
    """A learner or data set of a class, with options that come from a file."""
    valid = signature(found).parameters
    if not any(parameter.kind is Parameter.VAR_KEYWORD for parameter in valid.values()):
        for key in options.keys() - valid.keys():
            if not valid:
                raise GraphFSAError(f"the {found.kind} {found.name} has no options; got {key!r}")
            raise UnknownNameError(f"option of {found.name}", key, list(valid))
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    try:
        return found(**values)
    except TypeError as error:
        raise GraphFSAError(f"{found.name}: {error}") from None


def options_of(plugin: Plugin) -> dict[str, Any]:
    """The options of a learner or data set that are not the defaults, as JSON values.

    Raises:
        GraphFSAError: An option is no JSON value, so no other process and no file could have it.
    """
    options: dict[str, Any] = {}
    for field in fields(plugin) if is_dataclass(plugin) else ():
        value = getattr(plugin, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if not field.init or (default is not MISSING and value == default):
            continue
        try:
            options[field.name] = loads(dumps(value, allow_nan=False))
        except (TypeError, ValueError):
            what = f"the option {field.name} of the {plugin.kind} {plugin.name}"
            raise GraphFSAError(f"{what} must be a JSON value; got {shown(value)}") from None
    return options


def without_digest(reference: str) -> str:
    """The reference without the digest of its file: what a person reads."""
    return reference.partition("@")[0]


def _parts(reference: str) -> tuple[str, bool, str]:
    """The file and the class of a reference, and whether it names a file at all."""
    file, _, name = without_digest(reference).rpartition(":")
    return file, file.endswith(".py"), name


def find(contract: type[_P], reference: str) -> type[_P]:
    """The class that the user names: a file is run for it."""
    return find_plugin(contract, reference, prefix=issubclass(contract, Learner))


def _known(contract: type[_P], reference: str) -> type[_P]:
    """The class that a file names: no file is run for it."""
    _, is_file, _ = _parts(reference)
    return known_plugin(contract, without_digest(reference)) if is_file else find(contract, reference)


def _digest(file: str) -> str:
    try:
        return sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise GraphFSAError(f"cannot read {file!r}: {error.strerror}") from error
