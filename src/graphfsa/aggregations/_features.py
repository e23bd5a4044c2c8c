"""What can be said about the values of an aggregation: the material of which rules are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphfsa.aggregations._sums import Tally
from graphfsa.arrays import Array


@dataclass(frozen=True, eq=False)
class Census:
    """How many neighbours are in each state: ``at least 2 neighbours are on``, ``no neighbour by parent is on``.

    Attributes:
        counts: The number for each state, integers [num_states, num_values] in ``0 .. bound``.
        bound: A count of this number means this number or more.
        kind: The kind of arcs whose neighbours are counted; None for all neighbours. No two censuses have the same.
        slotted: Whether ``observation`` returns the neighbours' states one by one, and not a number for each state.
        source: A Python expression that gives the numbers by state from ``seen``, which is what ``observation``
            returned.
    """

    counts: Array
    bound: int
    kind: str | None = None
    slotted: bool = False
    source: str = "seen"


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a value that is one of a few named things: ``left is alive``, ``left is missing``.

    Attributes:
        name: Lower-case words and numbers, for example ``left`` or ``slot 3``; no two parts have the same.
        labels: What it can be; None means that nobody is there.
        digits: Which label each value has, integers [num_values].
        source: A Python expression that gives the label from ``seen``, which is what ``observation`` returned; None
            if there is none: rules as a Python function are then told the number of the value.
    """

    name: str
    labels: tuple[str | None, ...]
    digits: Array
    source: str | None = None

    @cached_property
    def places(self) -> dict[str | None, int]:
        """The index of each label."""
        return {label: place for place, label in enumerate(self.labels)}


@dataclass(frozen=True, eq=False)
class Share:
    """How many thresholds the fraction of neighbours in a state reaches: ``at least half of the neighbours are on``.

    Attributes:
        state: The state.
        levels: Its thresholds, sorted.
        digits: How many of them each value reaches, integers [num_values].
        source: A Python expression that gives this number by state from ``seen``.
    """

    state: int
    levels: tuple[float, ...]
    digits: Array
    source: str = "seen"


@dataclass(frozen=True, eq=False)
class Grade:
    """How many thresholds a number reaches: ``the weighted sum is at least 2 but less than 5``.

    Attributes:
        name: What the number is called, in lower-case words; no two grades have the same.
        levels: Its thresholds, sorted integers.
        digits: How many of them each value reaches, integers [num_values].
        source: A Python expression that gives how many are reached from ``seen``.
    """

    name: str
    levels: tuple[int, ...]
    digits: Array
    source: str = "seen"


@dataclass(frozen=True, eq=False)
class Features:
    """Everything that can be said about each value; together it must tell apart any two values that can occur.

    Attributes:
        censuses: Numbers of neighbours in each state.
        parts: What has a name of its own.
        shares: Fractions of neighbours.
        sums: Sums of letters.
        grades: Numbers that are compared with thresholds.
    """

    censuses: tuple[Census, ...] = ()
    parts: tuple[Part, ...] = ()
    shares: tuple[Share, ...] = ()
    sums: tuple[Tally, ...] = ()
    grades: tuple[Grade, ...] = ()

    @property
    def plain(self) -> Census | None:
        """The census of all neighbours, if values tell."""
        return next((census for census in self.censuses if census.kind is None), None)


def digit_columns(num_values: int, bases: list[int]) -> Array:
    """Each digit of each value in mixed radix, least significant first, integers [digits, num_values]."""
    values = np.arange(num_values)
    columns = np.empty((len(bases), num_values), np.min_scalar_type(max(bases, default=0)))
    for place, base in enumerate(bases):
        columns[place] = values % base
        values //= base
    return columns
