"""Checks of what users hand over: each error names the thing, what must hold, and what was got."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

from graphfsa.errors import GraphFSAError, UnknownNameError

_T = TypeVar("_T")
_SHOWN = 60


def check_integer(
    name: str,
    given: Any,
    least: int = 0,
    most: int | None = None,
    *,
    error: type[GraphFSAError] = GraphFSAError,
    or_else: str = "",
) -> int:
    """The integer that was given; True and 1.0 are none.

    Args:
        name: What it is, for the message.
        given: What was given.
        least: The smallest that will do.
        most: The largest that will do.
        error: The kind of error to raise.
        or_else: What else the caller takes, for the message: ``" or 'stable'"``.
    """
    if is_integer(given) and given >= least and (most is None or given <= most):
        return int(given)
    limits = f">= {least}" if most is None else f"from {least} to {most}"
    raise error(f"{name} must be an integer {limits}{or_else}; got {shown(given)}")


def check_number(name: str, given: Any, least: float = 0.0, below: float = math.inf, *, above: bool = False) -> float:
    """The finite number that was given.

    Args:
        name: What it is, for the message.
        given: What was given.
        least: The smallest that will do, or with ``above`` the largest that will not.
        below: The smallest that is too large.
        above: Whether it must be above ``least``.
    """
    number: Any = given if isinstance(given, Real) and not isinstance(given, bool) else math.nan
    # Compared and not asked whether it is finite: a very large integer is no floating-point number.
    if -math.inf < number < below and (number > least if above else number >= least):
        return float(number)
    limits = f"{'>' if above else '>='} {least:g}" + ("" if math.isinf(below) else f" and < {below:g}")
    raise GraphFSAError(f"{name} must be a number {limits}; got {shown(given)}")


def check_share(name: str, given: Any) -> float:
    """The probability, or share, that was given."""
    number = check_number(name, given)
    if number > 1:
        raise GraphFSAError(f"{name} must be a probability, from 0 to 1; got {shown(given)}")
    return number


def check_seed(seed: Any) -> int:
    """The seed that was given."""
    return check_integer("seed", seed)


def check_choice(name: str, given: Any, choices: Sequence[Any]) -> None:
    """Raise unless something is one of a few."""
    if given not in choices:
        raise GraphFSAError(f"{name} must be one of {', '.join(map(str, choices))}; got {shown(given)}")


def check_name(kind: str, given: Any, valid: Sequence[str]) -> str:
    """The given name, which must be one of the valid ones."""
    if not isinstance(given, str) or given not in valid:
        raise UnknownNameError(kind, str(given), valid)
    return given


def check_type(name: str, given: Any, kind: type[_T], hint: str = "") -> _T:
    """What was given, if it is of the right type.

    Args:
        name: What it is, for the message.
        given: What was given.
        kind: The type it must have.
        hint: What to do about it, for the message.
    """
    if isinstance(given, kind):
        return given
    wanted = type_name(kind)
    raise GraphFSAError(
        f"{name} must be {article(wanted)} {wanted}; got {type_name(type(given))}{f' ({hint})' if hint else ''}"
    )


def is_integer(given: Any) -> bool:
    """Whether something is an integer, of Python or NumPy; a boolean is not."""
    return isinstance(given, Integral) and not isinstance(given, bool)


def type_name(kind: type) -> str:
    """A type by the name that users import it by: ``networkx.Graph``, ``graphfsa.Graph``, ``int``."""
    home = kind.__module__.partition(".")[0]
    return kind.__name__ if home in ("builtins", "__main__") else f"{home}.{kind.__name__}"


def article(noun: str) -> str:
    """``a`` or ``an``."""
    return "an" if noun[:1].lower() in "aeiou" else "a"


def any_of(words: Sequence[str]) -> str:
    """Words in a row: ``.png, .svg or .pdf``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def shown(given: Any) -> str:
    """What a user gave, as a short string for a message."""
    try:
        text = repr(given)
    except ValueError:  # Python refuses to print a number of several thousand digits.
        text = f"a very large {type(given).__name__}"
    return shorten(text, _SHOWN)


def shorten(text: str, longest: int) -> str:
    """A string of at most this number of characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
