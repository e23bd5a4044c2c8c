"""Which nodes there are around a source, and whom each of them can see: what the prover of waves knows about graphs.

Distances are told apart exactly below ``near``, and modulo the period of the specification from there on. A class of
nodes is a distance in this sense, an input, a colour, and in undirected graphs whether there are neighbours that are
equally near to a source and neighbours that are farther away. Finitely many classes stand for all nodes of all graphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

from graphfsa.datasets import WaveTable

UNREACHED = -1
"""The level of nodes that no source reaches."""


class Window(NamedTuple):
    """What is told apart.

    The clock of a node at distance d is t - d at step t: a wave that runs one edge a step arrives at clock 0.

    Attributes:
        near: Distances below this number.
        before: Clocks from minus this number on,
        after: up to this number.
        early: Steps below this number.
        cycle: Later steps modulo this number: many automata blink until the wave arrives.
    """

    near: int
    before: int
    after: int
    early: int = 0
    cycle: int = 1

    @property
    def clocks(self) -> int:
        """How many clocks are told apart."""
        return self.before + self.after + 1

    @property
    def moments(self) -> int:
        """How many steps are told apart."""
        return self.early + self.cycle

    def following(self, moment: int) -> int:
        """The moment one step later."""
        return moment + 1 if moment + 1 < self.moments else self.early

    def place(self, clock: int, moment: int) -> int:
        """The place of a clock in the row of a class; earlier and later clocks are those at the ends."""
        return moment * self.clocks + max(-self.before, min(self.after, clock)) + self.before


class NodeClass(NamedTuple):
    """A class of nodes.

    Attributes:
        level: The distance to the nearest source, as far as it is told apart; ``UNREACHED`` if there is none.
        given: The input.
        colour: The colour; -1 for nodes that no source reaches.
        same: Whether there are neighbours at the same distance; False in directed graphs, where it is not known.
        far: Whether there are neighbours farther away; likewise.
    """

    level: int
    given: int
    colour: int
    same: bool
    far: bool


@dataclass(frozen=True)
class Group:
    """Neighbours of one kind.

    Attributes:
        members: The classes that they may be of, each with their clock minus that of the node.
        least: How many there are at least: 0 or 1.
        single: Whether there is at most one.
        joined: Whether these are the nearer neighbours, whose colours are joined.
    """

    members: tuple[tuple[NodeClass, int], ...]
    least: int
    single: bool = False
    joined: bool = False


@dataclass(frozen=True)
class Situation:
    """Where a node of a class can be.

    Attributes:
        node: Its class.
        groups: Its neighbours.
        fewest: The smallest number of neighbours.
        most: The largest, or None.
        first: The first clock that there is.
        last: The last one; later ones are alike.
    """

    node: NodeClass
    groups: tuple[Group, ...]
    fewest: int
    most: int | None
    first: int
    last: int


class WaveModel:
    """Classes and situations of a specification, for one window.

    Args:
        table: What the specification says.
        window: What is told apart.
        source: The input of the source, if there is one source; then all nodes of a graph are reached by that one.
    """

    def __init__(self, table: WaveTable, window: Window, source: int | None = None) -> None:
        self.table, self.window, self.source = table, window, source
        self.directed = table.graph_class == "directed"
        # In a tree with one source there is one way to it.
        self._one_way = table.one_source and table.graph_class in ("tree", "path")
        self._plain = [given for given, colour in enumerate(table.sources) if colour is None]

    def level(self, distance: int) -> int:
        """A distance, or level, as far as it is told apart."""
        near = self.window.near
        return distance if distance < near else near + (distance - near) % self.table.period

    @cached_property
    def kinds(self) -> dict[int, set[tuple[int, int]]]:
        """Inputs and colours of nodes at each level."""
        table = self.table
        if table.leaf is not None:
            sources = {(given, table.leaf) for given in self._plain}
        else:
            all_of_them = {(given, colour) for given, colour in enumerate(table.sources) if colour is not None}
            sources = {kind for kind in all_of_them if self.source in (None, kind[0])}
        kinds = {0: sources}
        waiting = [0]
        while waiting:
            level = waiting.pop()
            after = self.level(level + 1)
            found = {(given, colour) for _, given, colour in self._joins(kinds, level)}
            if not found <= kinds.setdefault(after, set()):
                kinds[after] |= found
                waiting.append(after)
        return kinds

    @cached_property
    def classes(self) -> tuple[NodeClass, ...]:
        """Every class, by level."""
        found: list[NodeClass] = []
        for level, kinds in sorted(self.kinds.items()):
            never_same = self.directed or self._one_way or (level == 0 and self.table.one_source)
            flags = list(
                product((False,) if never_same else (False, True), (False,) if self.directed else (False, True))
            )
            found += [NodeClass(level, *kind, same, far) for kind in sorted(kinds) for same, far in flags]
        if self.directed:
            found += [NodeClass(UNREACHED, given, -1, False, False) for given in self._plain]
        return tuple(found)

    def situations(self) -> Iterator[Situation]:
        """Every situation of every class."""
        before, last = self.window.before, self.window.after + 1
        for node in self.classes:
            if node.level == UNREACHED:
                yield Situation(node, (Group(self._at(UNREACHED, 0), 0),), 0, None, 0, 0)
                continue
            around = self._others(node) if self.directed else self._around(node)
            fewest, most = self._degrees(node)
            if node.level == 0:
                yield Situation(node, around, fewest, most, 0, last)
                continue
            for level in self.kinds:
                if self.level(level + 1) != node.level:
                    continue
                single = self._one_way or (self.table.one_source and level == 0 and not self.directed)
                nearer = [(other, 1) for other in self._level(level) if other.far or self.directed]
                group = Group(tuple(nearer), 1, single, joined=True)
                # Where the distance is known, no clock is earlier than the beginning.
                exact = level + 1 if level < self.window.near else before + 1
                yield Situation(node, (group, *around), fewest, most, max(-before - 1, -exact), last)

    def _degrees(self, node: NodeClass) -> tuple[int, int | None]:
        most = 2 if self.table.graph_class == "path" else None
        if self.table.leaf is None:
            return 0, most
        return (0, 1) if node.level == 0 else (2, most)

    def _around(self, node: NodeClass) -> tuple[Group, ...]:
        """The neighbours of a node of an undirected graph that are not nearer."""
        groups: list[Group] = []
        if node.same:
            groups.append(Group(tuple((other, 0) for other in self._level(node.level) if other.same), 1))
        if node.far:
            joins = self._joins(self.kinds, node.level)
            after = {(given, colour) for chosen, given, colour in joins if node.colour in chosen}
            farther = self._level(self.level(node.level + 1))
            groups.append(Group(tuple((other, -1) for other in farther if (other.given, other.colour) in after), 1))
        return tuple(groups)

    def _others(self, node: NodeClass) -> tuple[Group, ...]:
        """The nodes that a node of a directed graph sees and that are not nearer: anything as far, or farther."""
        window = self.window
        # From there on all clocks are the earliest, and every level has come.
        farthest = window.before + window.after + window.near + self.table.period + 1
        members = [pair for ahead in range(farthest + 1) for pair in self._at(self.level(node.level + ahead), -ahead)]
        return (Group((*members, *self._at(UNREACHED, 0)), 0),)

    def _at(self, level: int, shift: int) -> tuple[tuple[NodeClass, int], ...]:
        return tuple((other, shift) for other in self._level(level))

    def _level(self, level: int) -> list[NodeClass]:
        return [node for node in self.classes if node.level == level]

    def _joins(self, kinds: dict[int, set[tuple[int, int]]], level: int) -> Iterator[tuple[frozenset[int], int, int]]:
        """Sets of colours at a level that a farther node can see, its input, and its colour."""
        colours = sorted({colour for _, colour in kinds.get(level, ())})
        single = self._one_way or (self.table.one_source and level == 0)
        for number in range(1, 2 if single else len(colours) + 1):
            for chosen in map(frozenset, combinations(colours, number)):
                for given in self._plain:
                    found = self.table.join[given, chosen]
                    if found is not None:
                        yield chosen, given, found
