"""Checks of the options of a learner: each error names the option, what must hold, and what was got."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphfsa.datasets import Examples
from graphfsa.errors import GraphFSAError

_MOST = 10**9


def check_whole(name: str, given: Any, least: int, most: int = _MOST) -> None:
    """Raise unless an option is a whole number in a range."""
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not whole or not least <= given <= most:
        raise GraphFSAError(f"{name} must be a whole number in {least} .. {most}; got {given!r}")


def check_number(name: str, given: Any, most: float, *, above: bool = False) -> None:
    """Raise unless an option is a number of at least 0 (or above 0) and below a limit."""
    number = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    if not number or not math.isfinite(given) or not 0 <= given < most or (above and given == 0):
        least = "above 0" if above else "of at least 0"
        raise GraphFSAError(f"{name} must be a number {least} and below {most:g}; got {given!r}")


def check_seed(seed: Any) -> int:
    """The seed, if it is one."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise GraphFSAError(f"seed must be a whole number of at least 0; got {seed!r}")
    return int(seed)


def check_examples(train: Any, validation: Any) -> None:
    """Raise unless these are labelled graphs of one task, and some training node counts."""
    for what, given in (("train", train), ("validation", validation)):
        if given is None and what == "validation":
            continue
        if not isinstance(given, Examples):
            raise GraphFSAError(f"{what} must be Examples, labelled graphs; got {type(given).__name__}")
        if given.task != train.task:
            raise GraphFSAError(f"{what} must be of the task {train.task.name}; got {given.task.name}")
        if not (given.mask & (np.repeat(given.counts, given.sizes) > 0)).any():
            to_do = "learn from" if what == "train" else "choose by"
            raise GraphFSAError(f"there is nothing to {to_do}: no node of the {what} graphs counts")
