"""Graphs from one line of text, as on the command line: ``moore-torus:8x8,slots=true``.

``NAME:SIZE,EXTRAS``: the size is a number of nodes, or ``HEIGHTxWIDTH`` for lattices; extras are ``key=value``, and
where a family has one form only, also plain values in the order of its usage. All families are rows of one table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from graphfsa.errors import GraphError, UnknownNameError
from graphfsa.graphs.families import _attachment, _basic, _kronecker, _random, _regular
from graphfsa.graphs.graph import Graph


def _integer(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError(f"{text!r} is not an integer")
    return int(text)


def _sides(text: str) -> tuple[int, ...]:
    sides = tuple(_integer(side) for side in text.split("x"))
    if len(sides) != 2:
        raise ValueError(f"{text!r} is not HEIGHTxWIDTH")
    return sides


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is not true or false")
    return text == "true"


_EXTRAS: dict[str, Callable[[str], Any]] = {
    "degree": _integer,
    "k": _integer,
    "m": _integer,
    "mean-degree": float,
    "p": float,
    "slots": _flag,
}


@dataclass(frozen=True)
class _Family:
    """A row of the table.

    Attributes:
        build: Makes the graph.
        usage: What follows the colon, for a person.
        forms: The sets of extras that may be given together.
        size: Reads the size.
        random: Whether ``build`` takes an ``rng``.
    """

    build: Callable[..., Graph]
    usage: str = "N"
    forms: tuple[tuple[str, ...], ...] = ((),)
    size: Callable[[str], tuple[int, ...]] = lambda text: (_integer(text),)
    random: bool = False

    @property
    def order(self) -> tuple[str, ...]:
        """The extras that may be given by position; with several forms a plain value would be ambiguous."""
        return self.forms[0] if len(self.forms) == 1 else ()


_random_family = partial(_Family, random=True)
_lattice_family = partial(_Family, usage="HxW or HxW,slots=true", forms=((), ("slots",)), size=_sides)

_FAMILIES: dict[str, _Family] = {
    "path": _Family(_basic.path),
    "cycle": _Family(_basic.cycle),
    "star": _Family(_basic.star),
    "complete": _Family(_basic.complete),
    "binary-tree": _Family(_basic.binary_tree),
    "tree": _random_family(_random.random_tree),
    "rooted-tree": _random_family(_random.rooted_tree),
    "recursive-tree": _random_family(_random.recursive_tree),
    "caterpillar": _random_family(_random.caterpillar),
    "regular": _random_family(_regular.random_regular, "N,DEGREE", (("degree",),)),
    "erdos-renyi": _random_family(_random.erdos_renyi, "N,p=P or N,mean-degree=D", (("p",), ("mean-degree",))),
    "barabasi-albert": _random_family(_attachment.barabasi_albert, "N,M", (("m",),)),
    "watts-strogatz": _random_family(_random.watts_strogatz, "N,K,P", (("k", "p"),)),
    "delaunay": _random_family(_random.delaunay),
    "kronecker": _random_family(_kronecker.kronecker, "SCALE,mean-degree=D", (("mean-degree",),)),
    "von-neumann": _lattice_family(_basic.von_neumann),
    "von-neumann-torus": _lattice_family(partial(_basic.von_neumann, torus=True)),
    "moore": _lattice_family(_basic.moore),
    "moore-torus": _lattice_family(partial(_basic.moore, torus=True)),
    "hex": _lattice_family(_basic.hexagonal),
    "hex-torus": _lattice_family(partial(_basic.hexagonal, torus=True)),
    "row": _Family(_basic.row),
    "ring": _Family(_basic.ring),
}


def family_names() -> list[str]:
    """The names that :func:`parse_family` knows."""
    return list(_FAMILIES)


def family_usage(name: str) -> str:
    """What follows the colon after a family's name, for example ``"N,p=P or N,mean-degree=D"``."""
    return _family(name).usage


def parse_family(spec: str, rng: np.random.Generator) -> Graph:
    """Build the graph that a line of text describes.

    Args:
        spec: ``NAME:SIZE,EXTRAS``, for example ``"regular:1000,3"`` or ``"erdos-renyi:1000,mean-degree=4"``.
        rng: Source of randomness; families without a choice leave it alone.

    Raises:
        UnknownNameError: There is no such family.
        GraphError: The arguments do not fit the family's usage, or it has no graph of that size.
    """
    name, _, text = spec.partition(":")
    family = _family(name)
    try:
        size, extras = _arguments(family, [part.strip() for part in text.split(",")])
    except ValueError as error:
        raise GraphError(f"{name} takes {family.usage}; got {text[:100]!r}: {error}") from None
    return family.build(*size, **extras, **({"rng": rng} if family.random else {}))


def _family(name: str) -> _Family:
    if name not in _FAMILIES:
        raise UnknownNameError("graph family", name, _FAMILIES)
    return _FAMILIES[name]


def _arguments(family: _Family, parts: list[str]) -> tuple[tuple[int, ...], dict[str, Any]]:
    """The size and the keyword arguments of ``family.build``; ValueError says what is wrong."""
    size = family.size(parts[0])
    given: dict[str, str] = {}
    for place, part in enumerate(parts[1:]):
        key, equals, value = part.partition("=")
        if not equals:
            if place >= len(family.order):
                raise ValueError(f"{part!r} is one value too many, or lacks its key")
            key, value = family.order[place], part
        if key in given:
            raise ValueError(f"{key} is given twice")
        given[key] = value
    if not any(given.keys() == set(form) for form in family.forms):
        raise ValueError(f"the extras are {', '.join(given) or 'missing'}")
    return size, {key.replace("-", "_"): _EXTRAS[key](value) for key, value in given.items()}
