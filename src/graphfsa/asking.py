"""Questions to classes of the user's: whatever goes wrong in them is one message that names what was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphfsa.errors import GraphFSAError


def asked(what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of the user's returns.

    Args:
        what: What is asked, for the message.
        function: The function.
        arguments: Its arguments.

    Raises:
        GraphFSAError: It fails, or wants to end the program.
    """
    try:
        return function(*arguments)
    except GraphFSAError:
        raise
    except (Exception, SystemExit) as error:
        raise GraphFSAError(f"{what} failed: {type(error).__name__}: {error}") from error


def attribute(thing: Any, name: str) -> Any:
    """An attribute of an object of the user's, which may be a property that fails; None if there is none."""
    return asked(f"{type(thing).__name__}: {name}", getattr, thing, name, None)


def attributes(thing: Any, *names: str) -> str:
    """Ask for several attributes, which then do not fail; returns the name of the object.

    Raises:
        GraphFSAError: One fails, or the name is no string.
    """
    name = attribute(thing, "name")
    if not isinstance(name, str):
        raise GraphFSAError(f"{type(thing).__name__}: name must be a string; got {name!r:.100}")
    for each in names:
        attribute(thing, each)
    return name
