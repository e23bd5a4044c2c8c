"""Families of graphs for GRAB, with their parameters and, for positional truths, with neighbour slots.

A family is written ``NAME`` or ``NAME:KEY=VALUE,KEY=VALUE``: ``regular:degree=4``, ``erdos-renyi:p=0.2``. Slots say
which neighbour is which:

- boards (``grid``, ``moore``, ``hex``) and rows have directions: those of :class:`~graphfsa.graphs.Lattice`;
- in all other families the neighbours of a node are numbered in the order of their own numbers, which are random where
  the graph is. Graphs with a node that has more neighbours than there are slots are not drawn.

A slot without a neighbour stays empty, which positional aggregation tells from every state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.datasets._cellular import board_sides
from graphfsa.datasets._structure import tree_edges
from graphfsa.errors import DrawError, GraphFSAError, UnknownNameError
from graphfsa.graphs import Graph, GraphBatch, families
from graphfsa.graphs.graph import MAX_SLOTS

Generator = np.random.Generator
_USUAL_SLOTS = 4
_ENOUGH = 1000
"""Graphs to draw before a family is given up of which fewer than one in a hundred has few enough neighbours."""


@dataclass(frozen=True)
class _Kind:
    """A row of the table of families.

    Attributes:
        draw: ``(size, count, rng, **parameters) -> graphs``.
        parameters: Its parameters with their defaults; None is a number that may be left out.
        slots: How many slots a node has, if it is not said; a name is the parameter that says it.
        directions: Whether slots are directions, which the graphs bring with them if ``slots=True`` is passed.
        fixed: Whether there is one graph of each size.
    """

    draw: Callable[..., GraphBatch]
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    slots: int | str = _USUAL_SLOTS
    directions: bool = False
    fixed: bool = False


def _tree(kind: str) -> _Kind:
    def draw(size: int, count: int, rng: Generator) -> GraphBatch:
        return GraphBatch.from_edges(np.full(count, size), tree_edges(kind, size, count, rng))

    return _Kind(draw)


def _fixed(build: Callable[[int], Graph], slots: int = _USUAL_SLOTS, *, directions: bool = False) -> _Kind:
    def draw(size: int, count: int, rng: Generator, **_slots: bool) -> GraphBatch:
        return GraphBatch.repeat(build(size), count)

    return _Kind(draw, slots=slots, directions=directions, fixed=True)


def _board(build: Callable[..., Graph], slots: int, *, even_height: bool = False) -> _Kind:
    def draw(size: int, count: int, rng: Generator, **options: bool) -> GraphBatch:
        sides = board_sides(size, even_height=even_height and options["torus"])
        return GraphBatch.repeat(build(*sides, **options), count)

    return _Kind(draw, {"torus": False}, slots, directions=True, fixed=True)


def _drawn(build: Callable[..., Graph], slots: int | str = _USUAL_SLOTS, **parameters: Any) -> _Kind:
    def draw(size: int, count: int, rng: Generator, **given: Any) -> GraphBatch:
        return GraphBatch.of([build(size, **given, rng=rng) for _ in range(count)])

    return _Kind(draw, parameters, slots)


def _erdos_renyi(size: int, *, p: float | None, mean_degree: float | None, rng: Generator) -> Graph:
    return families.erdos_renyi(size, p=0.5 if p is mean_degree is None else p, mean_degree=mean_degree, rng=rng)


_KINDS: dict[str, _Kind] = {
    "tree": _tree("uniform"),
    "recursive-tree": _tree("recursive"),
    "deep-tree": _tree("deep"),
    "path": _fixed(families.path, 2),
    "cycle": _fixed(families.cycle, 2),
    "star": _fixed(families.star),
    "complete": _fixed(families.complete),
    "binary-tree": _fixed(families.binary_tree, 3),
    "row": _fixed(families.row, 2, directions=True),
    "ring": _fixed(families.ring, 2, directions=True),
    "grid": _board(families.von_neumann, 4),
    "moore": _board(families.moore, 8),
    "hex": _board(families.hexagonal, 6, even_height=True),
    "regular": _drawn(families.random_regular, "degree", degree=3),
    "erdos-renyi": _drawn(_erdos_renyi, p=None, mean_degree=None),
    "barabasi-albert": _drawn(families.barabasi_albert, m=2),
    "watts-strogatz": _drawn(families.watts_strogatz, k=4, p=0.2),
    "caterpillar": _drawn(families.caterpillar),
    "delaunay": _drawn(families.delaunay),
}
BOARDS = ("grid", "moore", "hex")


@dataclass(frozen=True)
class GraphFamily:
    """A family with its parameters; calling it draws graphs.

    Attributes:
        name: Its name.
        parameters: Its parameters, all of them.
        slots: Number of neighbour slots; 0 for none but those that the graphs have anyway.
    """

    name: str
    parameters: tuple[tuple[str, Any], ...] = ()
    slots: int = 0

    @classmethod
    def parse(cls, text: str) -> GraphFamily:
        """The family that a string names, ``NAME`` or ``NAME:KEY=VALUE,...``; ``slots=N`` may be given to all.

        Raises:
            UnknownNameError: There is no such family.
            GraphFSAError: It has no such parameter, or a value is not valid.
        """
        name, _, rest = text.partition(":")
        if name not in _KINDS:
            raise UnknownNameError("graph family of GRAB", name, _KINDS)
        known = {**_KINDS[name].parameters, "slots": 0}
        found = dict(known)
        for part in rest.split(",") if rest else ():
            key, _, value = part.partition("=")
            plain = key.strip().replace("-", "_")
            if plain not in known:
                valid = ", ".join(known).replace("_", "-")
                raise GraphFSAError(f"family {name} takes {valid}, as KEY=VALUE; got {shown(part)}")
            found[plain] = _value(name, key.strip(), value.strip(), known[plain])
        slots = found.pop("slots")
        if slots > MAX_SLOTS:
            raise GraphFSAError(f"family {name}: slots must be 0 .. {MAX_SLOTS}; got {slots}")
        return cls(name, tuple(found.items()), slots)

    def __str__(self) -> str:
        given = {key: value for key, value in self.parameters if value != _KINDS[self.name].parameters[key]}
        given |= {"slots": self.slots} if self.slots else {}
        words = ",".join(f"{key.replace('_', '-')}={_text(value)}" for key, value in given.items())
        return f"{self.name}:{words}" if words else self.name

    def with_slots(self, slots: int = 0) -> GraphFamily:
        """The same with neighbour slots; with 0 as many as the family usually has.

        Raises:
            GraphFSAError: Slots are directions, and there is another number of these.
        """
        usual = _KINDS[self.name].slots
        own = dict(self.parameters)[usual] if isinstance(usual, str) else usual
        number = slots or self.slots or own
        if self.directions and number != own:
            raise GraphFSAError(f"graphs of the family {self.name} have {own} slots, their directions; got {number}")
        return replace(self, slots=number)

    @property
    def directions(self) -> bool:
        """Whether slots are directions."""
        return _KINDS[self.name].directions

    @property
    def fixed(self) -> bool:
        """Whether there is one graph of each size."""
        return _KINDS[self.name].fixed

    def __call__(self, size: int, count: int, rng: Generator) -> GraphBatch:
        """Draw ``count`` graphs of ``size`` nodes.

        Raises:
            GraphFSAError: There is no graph of this size.
            DrawError: Hardly any has few enough neighbours at each node.
        """
        kind = _KINDS[self.name]
        draw = partial(kind.draw, size, count, rng, **dict(self.parameters))
        if not self.slots:
            return draw()
        if kind.directions:
            return draw(slots=True)
        kept: list[GraphBatch] = []
        have = drawn = 0
        while have < count or not kept:
            kept.append(_numbered(draw(), self.slots))
            have, drawn = have + len(kept[-1]), drawn + count
            if have < count and (kind.fixed or (drawn >= _ENOUGH and 100 * have < drawn)):
                raise DrawError(
                    f"of {drawn} graphs drawn of the family {self.name} with {size} nodes, {have} have at most "
                    f"{self.slots} neighbours at each node, one for each slot. More slots or smaller graphs would help"
                )
        return GraphBatch.concatenate(kept).select(np.arange(count))


class _Families(Mapping[str, GraphFamily]):
    """Families by what is written for them; lists the names."""

    def __getitem__(self, text: str) -> GraphFamily:
        return GraphFamily.parse(text)

    def __iter__(self) -> Iterator[str]:
        return iter(_KINDS)

    def __len__(self) -> int:
        return len(_KINDS)


FAMILIES = _Families()


def sample_inputs(graphs: GraphBatch, num_starting: int, rng: Generator) -> Array:
    """A uniform input class for each node, except that one random node of each graph gets the last class."""
    inputs = rng.integers(0, num_starting, graphs.graph.num_nodes, dtype=np.uint8)
    sizes = np.diff(graphs.offsets)
    chosen = graphs.offsets[:-1] + rng.integers(0, np.maximum(sizes, 1))
    inputs[chosen[sizes > 0]] = num_starting - 1
    return inputs


def _numbered(graphs: GraphBatch, slots: int) -> GraphBatch:
    """The graphs whose nodes have at most this number of neighbours, which get slots in the order of their numbers."""
    crowded = graphs.owners[graphs.graph.degrees > slots]
    found = graphs.select(np.setdiff1d(np.arange(len(graphs)), crowded))
    union = found.graph
    ranks = np.arange(union.num_arcs) - np.repeat(union.indptr[:-1], union.degrees)
    return GraphBatch(Graph(union.indptr, union.indices, ranks), found.offsets)


def _value(family: str, key: str, text: str, default: Any) -> Any:
    """A parameter as a value of the kind of its default."""
    if isinstance(default, bool) and text in ("true", "false"):
        return text == "true"
    if isinstance(default, int) and not isinstance(default, bool) and text.isascii() and text.isdigit():
        return int(text[:12])
    if default is None or isinstance(default, float):
        try:
            return float(text)
        except ValueError:
            pass
    kind = "true or false" if isinstance(default, bool) else "an integer" if isinstance(default, int) else "a number"
    raise GraphFSAError(f"family {family}: {key} must be {kind}; got {shown(text)}")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
