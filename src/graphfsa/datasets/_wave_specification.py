"""Statements about all connected graphs: what a node answers follows from its nearest sources.

Some nodes are sources and have a colour. The colour of any other node is joined from the colours of its neighbours that
are one step nearer to a source, and its class follows from its colour and its distance modulo a period. Distance, the
nearest of several sources and the value of a root are of this kind. Nothing is said about automata: this is the
theorem, and a data set that offers a specification is tested against it on all small graphs.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from typing import Any

from graphfsa.asking import asked, attributes
from graphfsa.checks import check_choice, check_integer, check_type, shown
from graphfsa.datasets._task import Task
from graphfsa.datasets._wave_labels import wave_labels
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph

Colour = str | int
WAVE_CLASSES = ("connected", "tree", "path", "directed")
MAX_QUESTIONS = 2**14
"""How many questions the functions of a specification are asked, each."""


class WaveSpecification(ABC):
    """A statement about all graphs of a class.

    Extend it, say what the attributes are, and write ``join`` and ``label``.

    On directed graphs a node sees those that have an arc to it, and distances are along arcs. A node that no source
    reaches never knows that none will, so the statement says of it that it never answers.

    Attributes:
        inputs: Name of each input class, as the task has them.
        classes: Name of each class, as the task has them.
        sources: The colour, a string or an integer, of each input that makes a node a source.
        leaf: If it is not None, the sources are the nodes with at most one neighbour, whatever their input, and this is
            their colour. Then ``sources`` is empty.
        period: The class of a node depends on its distance modulo this number.
        one_source: Whether a graph has one source, or at least one.
        graph_class: ``connected``, ``tree`` or ``path``: simple undirected graphs, all of them connected; or
            ``directed``: any graph, also with loops and repeated arcs, connected or not, with sources or none.
        name: What it is called in messages and certificates; by default as its class.

    Example:
        >>> class Parity(WaveSpecification):
        ...     inputs, classes, sources, period = ("node", "root"), ("even", "odd"), {"root": 0}, 2
        ...
        ...     def join(self, given, colours):
        ...         return 0
        ...
        ...     def label(self, distance, colour):
        ...         return self.classes[distance]
        >>> from graphfsa.graphs.families import cycle
        >>> Parity().labels(cycle(5), ["root", "node", "node", "node", "node"])
        ['even', 'odd', 'even', 'even', 'odd']
    """

    inputs: tuple[str, ...]
    classes: tuple[str, ...]
    sources: Mapping[str, Colour] = {}
    leaf: Colour | None = None
    period: int = 1
    one_source: bool = False
    graph_class: str = "connected"
    name: str = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.name = vars(cls).get("name", cls.__name__)

    @abstractmethod
    def join(self, given: str, colours: frozenset[Any]) -> Colour | None:
        """The colour of a node that is no source.

        Args:
            given: Its input.
            colours: The colours of all its neighbours that are nearer to a source; at least one.

        Returns:
            The colour; None if no instance of the task looks like this.
        """

    @abstractmethod
    def label(self, distance: int, colour: Any) -> str:
        """The class of a node.

        Args:
            distance: Its distance to the nearest source, modulo ``period``.
            colour: Its colour.
        """

    @cached_property
    def table(self) -> WaveTable:
        """Everything that ``join`` and ``label`` say, checked; there are finitely many questions."""
        return WaveTable.of(self)

    @property
    def digest(self) -> str:
        """SHA-256 of what the statement says, whatever program says it."""
        return self.table.digest

    def labels(self, graph: Graph, inputs: Sequence[str]) -> list[str | None] | None:
        """The class of each node, None for one that no source reaches; None if this is no instance of the task.

        Raises:
            GraphFSAError: The graph is not of the class that the statement is about.
        """
        return wave_labels(self.table, graph, inputs)


@dataclass(frozen=True, eq=False)
class WaveTable:
    """What a :class:`WaveSpecification` says, as finite tables. Colours are numbered.

    Attributes:
        name: Its name.
        graph_class: The class of graphs.
        inputs: Name of each input.
        classes: Name of each class.
        num_colours: How many colours there are.
        sources: For each input, the colour of a source with it, or None if it makes no source.
        leaf: The colour of nodes with at most one neighbour, if those are the sources.
        period: The modulus of distances.
        one_source: Whether there is one source, or at least one.
        join: By input and set of colours: the colour, or None if no instance looks like this.
        label: By distance modulo the period and colour: the number of the class.
    """

    name: str
    graph_class: str
    inputs: tuple[str, ...]
    classes: tuple[str, ...]
    num_colours: int
    sources: tuple[int | None, ...]
    leaf: int | None
    period: int
    one_source: bool
    join: Mapping[tuple[int, frozenset[int]], int | None]
    label: Mapping[tuple[int, int], int]

    @classmethod
    def of(cls, spec: WaveSpecification) -> WaveTable:
        """Ask a specification everything.

        Raises:
            GraphFSAError: Its attributes do not fit together, or an answer is no colour or class.
            LimitError: There is too much to ask.
        """
        _check_attributes(spec)
        colours: list[Colour] = []
        sources = tuple(_number(spec, name, colours) for name in spec.inputs)
        leaf = None if spec.leaf is None else _place(colours, spec.leaf)
        plain = [place for place, colour in enumerate(sources) if colour is None]
        join = _joined(spec, plain, colours)
        period = int(spec.period)
        if period * len(colours) > MAX_QUESTIONS:
            raise LimitError(f"{spec.name}: period times {len(colours)} colours must be <= {MAX_QUESTIONS:,}")
        label = {
            (rest, place): _class(spec, rest, colour) for rest in range(period) for place, colour in enumerate(colours)
        }
        names = tuple(spec.inputs), tuple(spec.classes)
        return cls(
            spec.name, spec.graph_class, *names, len(colours), sources, leaf, period, spec.one_source, join, label
        )

    @property
    def task(self) -> Task:
        """The inputs and classes as a task of automata."""
        return Task(self.name, "classes", self.inputs, self.classes)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the tables and the names in them; names of colours do not matter."""
        join = [[given, sorted(colours), found] for (given, colours), found in self.join.items()]
        label = [[*key, found] for key, found in self.label.items()]
        facts = [self.graph_class, self.inputs, self.classes, self.sources, self.leaf, self.period, self.one_source]
        return sha256(json.dumps(["graphfsa.wave-specification/1", *facts, join, label]).encode()).hexdigest()


def _check_attributes(spec: WaveSpecification) -> None:
    attributes(spec, "inputs", "classes", "sources", "leaf", "period", "one_source", "graph_class")
    for what in ("inputs", "classes"):
        names: Any = getattr(spec, what, None)
        right = isinstance(names, tuple | list) and len(names) and all(isinstance(name, str) for name in names)
        if not right or len(set(names)) != len(names):
            raise GraphFSAError(f"{spec.name}: {what} must be distinct names, at least one; got {shown(names)}")
    sources: Any = spec.sources
    if not isinstance(sources, Mapping) or any(name not in spec.inputs for name in sources):
        raise GraphFSAError(f"{spec.name}: sources must be colours of inputs; got {shown(sources)}")
    if bool(sources) == (spec.leaf is not None):
        raise GraphFSAError(f"{spec.name}: either sources or leaf must be given; got {shown(sources)}, {spec.leaf!r}")
    check_integer(f"{spec.name}: period", spec.period, 1)
    check_type(f"{spec.name}: one_source", spec.one_source, bool)
    check_choice(f"{spec.name}: graph_class", spec.graph_class, WAVE_CLASSES)
    if spec.leaf is not None and (spec.one_source or spec.graph_class == "directed"):
        raise GraphFSAError(f"{spec.name}: leaf must go with undirected graphs and with one_source = False")
    for colour in (*sources.values(), *(() if spec.leaf is None else (spec.leaf,))):
        if type(colour) not in (str, int):
            raise GraphFSAError(f"{spec.name}: a colour must be a string or an integer; got {shown(colour)}")


def _number(spec: WaveSpecification, name: str, colours: list[Colour]) -> int | None:
    return _place(colours, spec.sources[name]) if name in spec.sources else None


def _place(colours: list[Colour], colour: Colour) -> int:
    """The number of a colour; a new one is added."""
    if colour not in colours:
        colours.append(colour)
    return colours.index(colour)


def _joined(
    spec: WaveSpecification, plain: Sequence[int], colours: list[Colour]
) -> dict[tuple[int, frozenset[int]], int | None]:
    """Ask ``join`` about all sets of the colours that there are, and of those that come of it."""
    join: dict[tuple[int, frozenset[int]], int | None] = {}
    known = 0
    while known < len(colours):
        known = len(colours)
        if len(plain) * 2**known > MAX_QUESTIONS:
            raise LimitError(
                f"{spec.name} joins at least {known} colours, so there are more than {MAX_QUESTIONS:,} sets of colours "
                "to ask about; use fewer colours"
            )
        for number in range(1, known + 1):
            for chosen in map(frozenset, combinations(range(known), number)):
                for given in plain:
                    if (given, chosen) not in join:
                        found = _colour(spec, spec.inputs[given], frozenset(colours[place] for place in chosen))
                        join[given, chosen] = None if found is None else _place(colours, found)
    return join


def _colour(spec: WaveSpecification, given: str, colours: frozenset[Colour]) -> Colour | None:
    found = _asked(spec, "join", spec.join, given, colours)
    if found is not None and type(found) not in (str, int):
        what = f"join({given!r}, {set(colours)})"
        raise GraphFSAError(f"{spec.name}: {what} must be a string, an integer or None; got {shown(found)}")
    return found


def _class(spec: WaveSpecification, distance: int, colour: Colour) -> int:
    found = _asked(spec, "label", spec.label, distance, colour)
    if not isinstance(found, str) or found not in spec.classes:
        what, valid = f"label({distance}, {colour!r})", ", ".join(map(repr, spec.classes))
        raise GraphFSAError(f"{spec.name}: {what} must be one of {valid}; got {shown(found)}")
    return list(spec.classes).index(found)


def _asked(spec: WaveSpecification, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    return asked(f"{spec.name}: {what}({', '.join(map(repr, arguments))})", function, *arguments)
