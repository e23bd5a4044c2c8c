"""Statements about boards and rows of every size: what a cell is one step later follows from what it sees.

What holds for one step from all states holds for any number of steps. A cell sees finitely many things, so such a
statement is a finite table; a data set that offers one is tested against it on all small boards.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

from graphfsa.asking import asked
from graphfsa.checks import check_integer, shown
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, Lattice
from graphfsa.graphs.lattice import LatticeKind

Seen = tuple[int, ...]
"""States of the neighbours: sorted, or for a line the left and the right one, -1 where there is none."""
MAX_ROWS = 2**17
_SIDE = 4
"""Boards up to this side have cells with all the numbers of neighbours that larger ones have."""


@dataclass(frozen=True, eq=False)
class EvolutionSpecification:
    """A local rule on all boards of a kind, or on all rows or rings.

    Attributes:
        name: What it is called in messages and certificates.
        states: Name of each state.
        lattice: ``moore``, ``von-neumann`` or ``hex`` without slots, or ``line``, whose cells know left from right.
        torus: Whether the sides are glued together.
        move: ``move(state, seen)`` is the state of a cell one step later. ``seen`` has the number of neighbours in each
            state, by name; for a line it is the pair of the states on the left and on the right, None at an end.
        least_side: The smallest height and width of the boards; of a line, the smallest number of cells.

    Example:
        >>> fill = EvolutionSpecification("fill", ("0", "1"), "moore", True, lambda state, seen: "01"[seen["1"] > 0])
        >>> len(fill.table.moves), fill.graph_class
        (18, 'moore torus with sides of 3 or more')
    """

    name: str
    states: tuple[str, ...]
    lattice: LatticeKind
    torus: bool
    move: Callable[[str, Any], str]
    least_side: int = 3

    def __post_init__(self) -> None:
        check_integer(f"{self.name}: least_side", self.least_side, 1, 3)

    @property
    def graph_class(self) -> str:
        """The boards that the statement is about, in words."""
        if self.lattice == "line":
            return f"{'ring' if self.torus else 'row'} of {self.least_side} or more cells"
        return f"{self.lattice} {'torus' if self.torus else 'board'} with sides of {self.least_side} or more"

    @cached_property
    def table(self) -> EvolutionTable:
        """Everything that ``move`` says, checked; there are finitely many questions."""
        return EvolutionTable.of(self)

    @property
    def digest(self) -> str:
        """SHA-256 of what the statement says, whatever program says it."""
        return self.table.digest

    def boards(self) -> Iterator[Lattice]:
        """The small boards, smallest first; together they have every neighbourhood that there is."""
        line = self.lattice == "line"
        least, even = self.least_side, self.lattice == "hex" and self.torus
        heights = [1] if line else [side for side in range(least, _SIDE + 1) if not (even and side % 2)]
        sides = sorted(product(heights, range(least, _SIDE + 1)), key=lambda pair: (pair[0] * pair[1], pair))
        return (Lattice(self.lattice, *pair, torus=self.torus, slotted=line) for pair in sides)

    def labels(self, graph: Graph, inputs: Sequence[str]) -> list[str]:
        """The state of each cell one step later.

        Raises:
            GraphFSAError: A cell sees what no cell of such a board sees.
        """
        numbers, slotted = [self.states.index(name) for name in inputs], self.lattice == "line"
        if slotted and (graph.num_slots > 2 or (graph.num_arcs and graph.slots is None)):
            raise GraphFSAError(f"{self.name} is about a {self.graph_class}; got {graph}")
        found: list[str] = []
        for node in range(graph.num_nodes):
            seen = _seen_by(graph, node, numbers, slotted)
            if (numbers[node], seen) not in self.table.moves:
                raise GraphFSAError(f"{self.name} is about a {self.graph_class}; got {graph}")
            found.append(self.states[self.table.moves[numbers[node], seen]])
        return found


@dataclass(frozen=True, eq=False)
class EvolutionTable:
    """What an :class:`EvolutionSpecification` says, as a finite table.

    Attributes:
        name: Its name.
        graph_class: The boards that it is about, in words.
        states: Name of each state.
        slotted: Whether cells know left from right.
        sights: For each kind of cell, which of its places have a neighbour: for boards as many True as there are
            neighbours.
        moves: By state and states seen: the state one step later.
    """

    name: str
    graph_class: str
    states: tuple[str, ...]
    slotted: bool
    sights: tuple[tuple[bool, ...], ...]
    moves: Mapping[tuple[int, Seen], int]

    @classmethod
    def of(cls, spec: EvolutionSpecification) -> EvolutionTable:
        """Ask a specification everything.

        Raises:
            GraphFSAError: An answer is no state.
            LimitError: There is too much to ask.
        """
        slotted, size = spec.lattice == "line", len(spec.states)
        sights = tuple(sorted({sight for board in spec.boards() for sight in _sights(board)}))
        number = size * sum(comb(len(sight) + size - 1, size - 1) for sight in sights)
        if number > MAX_ROWS:
            raise LimitError(f"{spec.name} has up to {number:,} moves, above {MAX_ROWS:,}; use fewer states")
        seen = [row for sight in sights for row in _seen(sight, size, slotted)]
        moves = {(given, row): _asked(spec, given, row) for row in seen for given in range(size)}
        return cls(spec.name, spec.graph_class, tuple(spec.states), slotted, sights, moves)

    @property
    def task(self) -> Task:
        """The inputs and classes as a task of automata."""
        return Task(self.name, "evolution", self.states, self.states)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the table and the names in it."""
        rows = [[given, list(seen), after] for (given, seen), after in sorted(self.moves.items())]
        content = ["graphfsa.evolution-specification/1", self.graph_class, self.states, self.slotted, rows]
        return sha256(json.dumps(content).encode()).hexdigest()


def _seen_by(graph: Graph, node: int, states: Sequence[int], slotted: bool) -> Seen:
    """What a node sees if all nodes are in these states."""
    around = [states[other] for other in graph.neighbours(node).tolist()]
    if not slotted:
        return tuple(sorted(around))
    row = [-1, -1]
    # A row of one cell has no slots, as it has no arcs.
    slots = [] if graph.slots is None else graph.slots[graph.indptr[node] : graph.indptr[node + 1]].tolist()
    for slot, state in zip(slots, around, strict=True):
        row[slot] = state
    return tuple(row)


def _sights(board: Lattice) -> set[tuple[bool, ...]]:
    graph = Graph.from_lattice(board)
    alike = [0] * graph.num_nodes
    seen = (_seen_by(graph, node, alike, board.slotted) for node in range(graph.num_nodes))
    return {tuple(state >= 0 for state in row) for row in seen}


def _seen(sight: Sequence[bool], size: int, slotted: bool) -> Iterator[Seen]:
    if slotted:
        return product(*(range(size) if there else (-1,) for there in sight))
    return combinations_with_replacement(range(size), len(sight))


def _asked(spec: EvolutionSpecification, given: int, seen: Seen) -> int:
    state = spec.states[given]
    if spec.lattice == "line":
        told: Any = tuple(spec.states[other] if other >= 0 else None for other in seen)
    else:
        told = {name: seen.count(number) for number, name in enumerate(spec.states)}
    found = asked(f"{spec.name}: move({state!r}, {told})", spec.move, state, told)
    if not isinstance(found, str) or found not in spec.states:
        valid = ", ".join(map(repr, spec.states))
        raise GraphFSAError(f"{spec.name}: move({state!r}, {told}) must be one of {valid}; got {shown(found)}")
    return spec.states.index(found)
