"""How the value of a neighbourhood comes about, neighbour by neighbour, as arrays for the soft roll-outs.

The distribution of the value of a node whose neighbours are in random, independent states is found by dynamic
programming: layer ``j`` holds what can be known after ``j`` neighbours (for counting, the bounded counts so far), and
each further neighbour leads from one layer to the next. Only what can be reached is kept, so a node with two neighbours
costs little however large the table is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph

_MAX_LAYER = 2**16
_MAX_CELLS = 2**22
Levels = tuple[tuple[int, tuple[int, ...]], ...]


class Plan(NamedTuple):
    """The layers of all kinds of neighbourhoods; kinds share them where they can.

    Attributes:
        kind: Kind of the neighbourhood of each node, int64 [number of nodes].
        degree: Number of neighbours, per kind.
        layer: First layer, per kind; the others follow it.
        rows_at: Where the rows of a kind begin in ``rows``.
        rows: For each place in the last layer of a kind, the row of the table that it leads to.
        size: Number of places, per layer.
        begin: Where the places of a layer begin in a buffer that holds all layers of one kind.
        steps_at: Where the steps of a layer to the next one begin in ``steps``.
        steps: For each place and each state of the next neighbour, the place in the next layer: [place, state], flat.
    """

    kind: Any
    degree: Any
    layer: Any
    rows_at: Any
    rows: Any
    size: Any
    begin: Any
    steps_at: Any
    steps: Any


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The plan for the nodes of some graphs.

    Attributes:
        plan: The arrays.
        values: The value that each row of the table is about, int64, sorted.
        num_cells: Places that the buffer for one node must have.
    """

    plan: Plan
    values: Array
    num_cells: int

    @classmethod
    def of(cls, aggregation: Aggregation, num_states: int, graph: Graph) -> Neighbourhoods:
        """Plan for all nodes of a graph.

        Raises:
            LimitError: A node has too many neighbours for all that it may see to be kept apart.
        """
        keys, kind = _kinds(graph, slotted=aggregation.uses_slots)
        chains: dict[Any, _Chain] = {}
        chain_of: list[_Chain] = []
        for key in keys:
            name, grow, value = _growth(aggregation, num_states, key)
            chain = chains.setdefault(name, _Chain(num_states, grow, value, alike=not isinstance(key, tuple)))
            chain.reach(len(key) if isinstance(key, tuple) else key)
            chain_of.append(chain)
        return cls._packed(list(chains.values()), chain_of, keys, kind)

    @classmethod
    def _packed(cls, chains: list[_Chain], chain_of: list[_Chain], keys: list[Any], kind: Array) -> Neighbourhoods:
        size: list[int] = []
        begin: list[int] = []
        steps_at: list[int] = []
        steps: list[Array] = []
        first: dict[int, int] = {}
        num_cells = 1
        num_steps = 0
        for chain in chains:
            first[id(chain)] = len(size)
            place = 0
            for codes, following in zip(chain.layers, [*chain.steps, np.empty(0, np.int64)], strict=True):
                size.append(len(codes))
                begin.append(place)
                steps_at.append(num_steps)
                steps.append(following.reshape(-1))
                num_steps += following.size
                place += len(codes)
            num_cells = max(num_cells, place)
        degrees = [len(key) if isinstance(key, tuple) else key for key in keys]
        ends = [chain.value(chain.layers[d], d) for chain, d in zip(chain_of, degrees, strict=True)]
        values = np.unique(np.concatenate([np.empty(0, np.int64), *ends]))
        plan = Plan(
            kind=kind,
            degree=np.array(degrees, np.int64),
            layer=np.array([first[id(chain)] for chain in chain_of], np.int64),
            rows_at=np.cumsum([0, *map(len, ends)])[:-1].astype(np.int64),
            rows=np.searchsorted(values, np.concatenate([np.empty(0, np.int64), *ends])),
            size=np.array(size, np.int64),
            begin=np.array(begin, np.int64),
            steps_at=np.array(steps_at, np.int64),
            steps=np.concatenate([np.empty(0, np.int64), *steps]),
        )
        return cls(plan, values, num_cells)


class _Chain:
    """Layers that grow as long as they are needed; what is known after some neighbours is an integer, its code.

    Args:
        num_states: Number of states.
        grow: What is known after one more neighbour in a state, from the codes and its place.
        value: The values that codes are in the end, for a number of neighbours.
        alike: Whether all neighbours are alike; otherwise each is in a slot of its own, or of a kind.
    """

    def __init__(
        self,
        num_states: int,
        grow: Callable[[Array, int, int], Array],
        value: Callable[[Array, int], Array],
        *,
        alike: bool,
    ) -> None:
        self._alike = alike
        self.layers = [np.zeros(1, np.int64)]
        self.steps: list[Array] = []
        self.value = value
        self._num_states, self._grow = num_states, grow
        self._cells = 1

    def reach(self, degree: int) -> None:
        """Grow up to a number of neighbours."""
        while len(self.layers) <= degree:
            codes, place = self.layers[-1], len(self.steps)
            after = np.stack([self._grow(codes, state, place) for state in range(self._num_states)], axis=1)
            found, inverse = np.unique(after, return_inverse=True)
            # Where nothing new comes up, it never does if neighbours are alike: then all further layers are, too.
            alike = degree + 1 - len(self.layers) if self._alike and np.array_equal(found, codes) else 1
            self._cells += alike * len(found)
            if len(found) > _MAX_LAYER or self._cells > _MAX_CELLS:
                raise LimitError(
                    f"a node with {degree} neighbours can see {len(found)} things or more with {self._num_states} "
                    f"states; at most {_MAX_LAYER} are kept apart, and {_MAX_CELLS} summed over all neighbours. Choose "
                    "a smaller bound, fewer states or graphs whose nodes have fewer neighbours"
                )
            self.layers += [found] * alike
            self.steps += [inverse.reshape(after.shape).astype(np.int64)] * alike


def _kinds(graph: Graph, *, slotted: bool) -> tuple[list[Any], Array]:
    """The kinds of neighbourhoods, each a degree or the slots in order, and the kind of each node."""
    degrees = np.diff(graph.indptr)
    if not slotted or graph.slots is None:
        found, kind = np.unique(degrees, return_inverse=True)
        numbers = found.tolist()
        return [() for _ in numbers] if slotted else numbers, kind.reshape(-1).astype(np.int64)
    # The slots of a node as one row of equal length, so that equal rows can be found at once.
    width = int(degrees.max(initial=0))
    padded = np.full((graph.num_nodes, width), -1, np.int64)
    padded[np.repeat(np.arange(graph.num_nodes), degrees), _ranks(graph.indptr)] = graph.slots
    rows, kind = np.unique(padded, axis=0, return_inverse=True)
    return [tuple(slot for slot in row if slot >= 0) for row in rows.tolist()], kind.reshape(-1).astype(np.int64)


def _ranks(indptr: Array) -> Array:
    """The place of each arc among the arcs of its node."""
    return np.arange(indptr[-1]) - np.repeat(indptr[:-1], np.diff(indptr))


def _growth(aggregation: Aggregation, num_states: int, key: Any) -> tuple[Any, Any, Any]:
    """How codes grow with a neighbour and which values they are in the end; kinds with the same name share layers."""
    if isinstance(key, tuple):
        return key, _by_slots(aggregation, num_states, key), lambda codes, _degree: codes
    levels = aggregation.levels(key, num_states)
    if levels is None and _follows(aggregation, num_states, key):
        return "values", _by_slots(aggregation, num_states, None), lambda codes, _degree: codes
    if levels is None:
        watched, tops = list(range(num_states)), [key] * num_states
        name: Any = ("counts", key)
    else:
        watched, tops = [state for state, _ in levels], [max(at, default=0) for _, at in levels]
        name = levels
    weights = np.cumprod([1, *(top + 1 for top in tops)]).astype(np.int64)
    if float(np.prod([top + 1.0 for top in tops])) >= 2.0**62:
        raise LimitError(
            f"counts of {num_states} states must have fewer than 2^62 combinations to train on; choose fewer states or "
            "a smaller bound"
        )

    def grow(codes: Array, state: int, _place: int) -> Array:
        after = codes.copy()
        for place, (seen, top) in enumerate(zip(watched, tops, strict=True)):
            if seen == state:
                after += np.where(codes // weights[place] % (top + 1) < top, weights[place], 0)
        return after

    def value(codes: Array, degree: int) -> Array:
        counts = codes[:, None] // weights[:-1] % (np.array(tops, np.int64) + 1)
        if levels is None:
            return np.array([_encoded(aggregation, row, num_states) for row in counts.tolist()], np.int64)
        total, weight = np.zeros(len(codes), np.int64), 1
        for place, (_, at) in enumerate(aggregation.levels(degree, num_states) or ()):
            total += weight * (counts[:, place, None] >= np.array(at, np.int64)).sum(axis=1)
            weight *= len(at) + 1
        return total

    return name, grow, value


def _encoded(aggregation: Aggregation, counts: list[int], num_states: int) -> int:
    return aggregation.encode([state for state in range(num_states) for _ in range(counts[state])], [], num_states)


@lru_cache(maxsize=256)
def _follows(aggregation: Aggregation, num_states: int, degree: int) -> bool:
    """Whether all that a node with some neighbours sees follows from its value after all but one of them."""
    if aggregation.uses_slots or aggregation.encode([], [], num_states):
        return False
    known, new = {0}, {0}
    for _ in range(degree):
        pairs = product(new, range(num_states))
        after = {aggregation.with_neighbour(value, state, 0, num_states) for value, state in pairs}
        if None in after or len(known) > _MAX_LAYER:
            return False
        new = {value for value in after if value is not None} - known
        known |= new
        if not new:
            break
    return True


def _by_slots(
    aggregation: Aggregation, num_states: int, slots: tuple[int, ...] | None
) -> Callable[[Array, int, int], Array]:
    """Codes that are values; without slots all neighbours are the same."""

    def grow(codes: Array, state: int, place: int) -> Array:
        slot = 0 if slots is None else slots[place]
        after = [aggregation.with_neighbour(code, state, slot, num_states) for code in codes.tolist()]
        if None in after or aggregation.encode([], [], num_states):
            raise GraphFSAError(
                f"to train with the {aggregation.name} aggregation, with_neighbour must say what one more neighbour "
                "does, and a node without neighbours must have the value 0"
            )
        return np.array(after, np.int64)

    return grow
