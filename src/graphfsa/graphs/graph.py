"""The graph that every automaton runs on: frozen, validated in-neighbour lists."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from graphfsa.arrays import Array
from graphfsa.checks import check_integer, check_name, is_integer, shown
from graphfsa.errors import GraphError
from graphfsa.graphs.counting_sort import LARGE, directed_lists, undirected_lists
from graphfsa.graphs.kinds import check_kinds, numbers_of, renumbered
from graphfsa.graphs.lattice import Lattice
from graphfsa.html import facts_html
from graphfsa.memory import ON_DISK, check_memory

_T = TypeVar("_T")
NodeNames = tuple[Hashable, ...] | None
MAX_SLOTS = 256

_MAX_SHOWN = 10**6
"""Arcs up to which a notebook says more than how many there are."""


class Graph:
    """A frozen directed multigraph in compressed sparse row form.

    Row ``v`` lists what node ``v`` sees: ``indices[indptr[v]:indptr[v + 1]]`` are the sources of its in-arcs, sorted.
    One meaning holds everywhere:

    - An arc ``u -> v`` means that ``v`` sees ``u``.
    - An undirected edge between two nodes is two arcs; an undirected self-loop is one arc (the node sees itself once).
    - Repeated arcs count as often as they are given.
    - A slot says *where* ``v`` sees ``u`` (left, right, ...). A node has at most one arc per slot; a graph
      without arcs has no slots.
    - Slots with names are kinds of arcs (parent, child; single, double). A node may have many arcs of one kind.

    Nodes are numbered; a graph that came from NetworkX also knows what its nodes were called there. Two graphs are
    equal when they have the same nodes, arcs, slots and kinds, whatever the nodes are called. Lattice graphs build
    their arrays only when somebody asks for them; the engine runs them from their description.

    Args:
        indptr: Integers [num_nodes + 1], sorted, from 0 to the number of arcs.
        indices: Integers [num_arcs] in ``0 .. num_nodes - 1``.
        slots: Integers [num_arcs] in ``0 .. 255``, or None.
        kinds: Names of the slots, if they are kinds of arcs.

    Example:
        >>> triangle = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)])
        >>> triangle.neighbours(0).tolist()
        [1, 2]
    """

    __slots__ = ("__weakref__", "_arrays", "_cache", "_kinds", "_lattice", "_node_names", "_num_arcs", "_num_nodes")

    def __init__(
        self,
        indptr: ArrayLike,
        indices: ArrayLike,
        slots: ArrayLike | None = None,
        kinds: Iterable[str] | None = None,
    ) -> None:
        offsets = _integers("indptr", indptr, np.int64)
        sources = _integers("indices", indices, np.int64)
        if len(offsets) == 0 or offsets[0] != 0:
            raise GraphError("indptr must start with 0 and have one entry more than there are nodes")
        if (offsets[1:] < offsets[:-1]).any():
            node = int(np.flatnonzero(offsets[1:] < offsets[:-1])[0])
            raise GraphError(
                f"indptr must not fall; it falls from {offsets[node]} to {offsets[node + 1]} at node {node}"
            )
        if offsets[-1] != len(sources):
            raise GraphError(f"indptr must end with the number of arcs, {len(sources)}; got {offsets[-1]}")
        num_nodes = len(offsets) - 1
        if num_nodes >= 2**31:
            raise GraphError(f"a graph must have fewer than 2^31 nodes; got {num_nodes}")
        _check_range("indices", sources, num_nodes)
        places, names = _places(slots, kinds, len(sources))
        self._fill(num_nodes, _canonical(offsets, sources, places, shared=names is not None), names)

    def _fill(
        self, num_nodes: int, arrays: tuple[Array, Array, Array | None], kinds: tuple[str, ...] | None = None
    ) -> None:
        indptr, indices, slots = arrays
        self._num_nodes = num_nodes
        self._num_arcs = len(indices)
        self._arrays: tuple[Array, Array, Array | None] | None = _frozen(indptr, indices, slots)
        self._kinds = kinds if self._num_arcs else None
        self._lattice: Lattice | None = None
        self._node_names: NodeNames = None
        self._cache: dict[str, Any] = {}

    @classmethod
    def from_edges(
        cls,
        num_nodes: int,
        edges: ArrayLike | Iterable[tuple[int, int]],
        *,
        directed: bool = False,
        slots: ArrayLike | Sequence[str] | None = None,
        kinds: Iterable[str] | None = None,
        node_names: Iterable[Hashable] | None = None,
    ) -> Graph:
        """Build a graph from a list of node pairs.

        Args:
            num_nodes: Number of nodes; nodes without edges are isolated.
            edges: Integer pairs [num_edges, 2]. Directed: ``(u, v)`` means that ``v`` sees ``u``.
            directed: Whether each pair is one arc; otherwise it is two (one for a self-loop).
            slots: With ``directed``: the slot in which ``v`` sees ``u``, one per arc. Or the kind of each edge, by
                its name, or by its number in ``kinds``; then an undirected edge is two arcs of its kind.
            kinds: Names of the kinds, if slots are kinds; by default all names in ``slots``, sorted.
            node_names: What the nodes are called, if not 0, 1, 2, ...

        Example:
            >>> water = Graph.from_edges(3, [(0, 1), (0, 2)], slots=["single", "single"])
            >>> water.kinds, water.num_arcs
            (('single',), 4)
        """
        num_nodes = check_integer("num_nodes", num_nodes, error=GraphError)
        if num_nodes >= 2**31:
            raise GraphError(f"a graph must have fewer than 2^31 nodes; got {num_nodes}")
        if not isinstance(edges, np.ndarray | Sequence):
            edges = list(edges)  # pyright: ignore[reportArgumentType]
        pairs = _array("edges", edges)
        if pairs.size == 0:
            pairs = np.empty((0, 2), np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise GraphError(f"edges must be pairs, shape [num_edges, 2]; got shape {pairs.shape}")
        large = slots is None and len(pairs) >= LARGE
        sources, targets = _integers("edges", pairs.T, None if large else np.int64, ndim=2)
        _check_range("edges", sources, num_nodes)
        _check_range("edges", targets, num_nodes)
        places, names = _places(slots, kinds, len(sources))
        if places is not None and names is None and not directed:
            raise GraphError("slots belong to arcs: give directed=True and one slot per arc")
        graph = cls.__new__(cls)
        if large:
            lists = directed_lists if directed else undirected_lists
            check_memory(f"a graph of {len(pairs)} edges", (12 + 12 * (not directed)) * len(pairs), ON_DISK)
            graph._fill(num_nodes, (*lists(num_nodes, sources, targets), None))
        elif not directed:
            proper = sources != targets
            sources, targets = np.r_[sources, targets[proper]], np.r_[targets, sources[proper]]
            places = None if places is None else np.r_[places, places[proper]]
        if not large:
            graph._fill(num_nodes, _from_arcs(num_nodes, sources, targets, places, shared=names is not None), names)
        if not directed:
            graph._cache["symmetric"] = True
        graph._node_names = _check_names(node_names, num_nodes)
        return graph

    @classmethod
    def from_lists(cls, indptr: Array, indices: Array) -> Graph:
        """The undirected graph of lists that are known to be sorted and symmetric; nothing is checked or copied.

        Args:
            indptr: int64 [num_nodes + 1].
            indices: int32 [num_arcs].
        """
        graph = cls.__new__(cls)
        graph._fill(len(indptr) - 1, (indptr, indices, None))
        graph._cache["symmetric"] = True
        return graph

    @classmethod
    def from_lattice(cls, lattice: Lattice) -> Graph:
        """The graph of a regular lattice; its arrays are built only on demand."""
        graph = cls.__new__(cls)
        graph._num_nodes = lattice.num_cells
        graph._num_arcs = lattice.num_arcs()
        graph._arrays = None
        graph._kinds = None
        graph._lattice = lattice
        graph._node_names = None
        graph._cache = {"symmetric": True}
        return graph

    def with_names(self, node_names: Iterable[Hashable] | None) -> Graph:
        """The same graph with other names of its nodes, one each; None for 0, 1, 2, ... Nothing is copied.

        Example:
            >>> Graph.from_edges(2, [(0, 1)]).with_names(["ann", "bob"]).node_index("bob")
            1
        """
        graph = copy(self)
        graph._node_names = _check_names(node_names, self._num_nodes)
        graph._cache = {key: value for key, value in self._cache.items() if key != "numbers"}
        return graph

    def with_kinds(self, kinds: Iterable[str]) -> Graph:
        """The same graph with these kinds of arcs, in this order: more than it uses, or names for its slots.

        Args:
            kinds: Names, among them all that the graph uses; in a graph whose slots have no names, one for each slot.

        Example:
            >>> water = Graph.from_edges(3, [(0, 1), (0, 2)], slots=["single", "single"])
            >>> water.with_kinds(["double", "single"]).slots.tolist()
            [1, 1, 1, 1]
        """
        names = check_kinds(kinds)
        if names == self.kinds or not self._num_arcs:
            return self
        slots = self.slots
        if slots is None:
            raise GraphError("a graph must have slots or kinds to get other kinds; this one has neither")
        return Graph(self.indptr, self.indices, renumbered(slots, self.kinds, names), names).with_names(
            self._node_names
        )

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self._num_nodes

    @property
    def num_arcs(self) -> int:
        """Number of arcs; an undirected edge between two nodes counts as two."""
        return self._num_arcs

    @property
    def lattice(self) -> Lattice | None:
        """The lattice this graph was made from, if any."""
        return self._lattice

    @property
    def node_names(self) -> tuple[Hashable, ...] | None:
        """What the nodes are called, in order; None if they are called 0, 1, 2, ..."""
        return self._node_names

    def node_index(self, name: Hashable) -> int:
        """The number of the node with a name; in a graph without names, a node is called by its number.

        Raises:
            GraphError: There is no such node.
        """
        if self._node_names is None:
            if is_integer(name) and 0 <= name < self._num_nodes:  # pyright: ignore[reportOperatorIssue]
                return int(name)  # pyright: ignore[reportArgumentType]
            raise GraphError(f"{_there_are(self._num_nodes)}; got {shown(name)}")
        names = self._node_names
        numbers = self.cached("numbers", lambda: {known: number for number, known in enumerate(names)})
        if not isinstance(name, Hashable) or name not in numbers:
            known = ", ".join(shown(known) for known in names[:5]) + (", ..." if len(names) > 5 else "")
            raise GraphError(f"node must be one of {known}; got {shown(name)}")
        return numbers[name]

    @property
    def indptr(self) -> Array:
        """Start of each node's arcs, int64 [num_nodes + 1], read-only."""
        return self._csr()[0]

    @property
    def indices(self) -> Array:
        """Sources of the arcs, int32 [num_arcs], read-only, sorted within each node."""
        return self._csr()[1]

    @property
    def slots(self) -> Array | None:
        """Slot or kind of each arc, uint8 [num_arcs], read-only; None for a graph without slots and kinds."""
        if self._num_arcs == 0 or (self._lattice is not None and not self._lattice.slotted):
            return None
        return self._csr()[2]

    @property
    def kinds(self) -> tuple[str, ...] | None:
        """Names of the kinds of arcs, which ``slots`` are then; None if slots are places, or if there are none."""
        return self._kinds

    @property
    def num_slots(self) -> int:
        """One more than the largest slot in use, or the number of kinds; 0 for a graph without slots."""
        if self._lattice is not None:
            return self._lattice.num_slots
        if self._kinds is not None:
            return len(self._kinds)
        slots = self.slots
        return 0 if slots is None else self.cached("num_slots", lambda: int(slots.max()) + 1)

    @property
    def symmetric(self) -> bool:
        """Whether every arc ``u -> v`` has its ``v -> u``, as often: the graph is undirected."""
        return self.cached("symmetric", self._symmetric)

    @property
    def degrees(self) -> Array:
        """Number of arcs into each node, int64 [num_nodes]."""
        return np.diff(self.indptr)

    def neighbours(self, node: int, kind: str | None = None) -> Array:
        """What a node sees: the sources of its arcs, or of those of one kind, int32, with repetitions."""
        if not 0 <= node < self._num_nodes:
            raise GraphError(f"{_there_are(self._num_nodes)}; got {node}")
        arcs = slice(*self.indptr[node : node + 2])
        if kind is None or not self._num_arcs:
            return self.indices[arcs]
        slots, kinds = self.slots, self._kinds
        if slots is None or kinds is None:
            raise GraphError(f"the graph must have kinds of arcs; it has none called {shown(kind)}")
        check_name("kind of arcs", kind, kinds)
        return self.indices[arcs][slots[arcs] == kinds.index(kind)]

    def out_arcs(self) -> tuple[Array, Array]:
        """The transposed lists: ``indptr`` and, for each node ``u``, the nodes that see ``u``."""
        if self.symmetric:
            return self.indptr, self.indices
        return self.cached("out_arcs", self._transposed)

    def targets(self) -> Array:
        """The node that sees each arc's source, int32 [num_arcs]; pairs with ``indices``."""
        return np.repeat(np.arange(self._num_nodes, dtype=np.int32), self.degrees)

    def cached(self, key: str, build: Callable[[], _T]) -> _T:
        """Something derived from this graph, built once and kept with it (the graph never changes)."""
        if key not in self._cache:
            self._cache[key] = build()
        return self._cache[key]

    @property
    def digest(self) -> str:
        """SHA-256 of the nodes, arcs, slots and kinds: equal graphs have equal digests on every machine."""
        return self.cached("digest", self._digest)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        if self is other or (self._lattice is not None and self._lattice == other._lattice):
            return True
        if (self._num_nodes, self._num_arcs) != (other._num_nodes, other._num_arcs):
            return False
        if (self.slots is None) != (other.slots is None) or self._kinds != other._kinds:
            return False
        return all(a is b or np.array_equal(a, b) for a, b in zip(self._csr(), other._csr(), strict=True))  # pyright: ignore[reportArgumentType]

    def __reduce__(self) -> tuple[Any, ...]:
        # Built anew, so that a copy in another process is validated and read-only too.
        return _rebuilt, (self._csr() if self._lattice is None else self._lattice, self._node_names, self._kinds)

    def __copy__(self) -> Graph:
        graph = Graph.__new__(Graph)
        for slot in ("_arrays", "_cache", "_kinds", "_lattice", "_node_names", "_num_arcs", "_num_nodes"):
            setattr(graph, slot, getattr(self, slot))
        return graph

    def __hash__(self) -> int:
        return hash((self._num_nodes, self._num_arcs))

    def __repr__(self) -> str:
        if self._lattice is not None:
            sides = f"{self._lattice.height} x {self._lattice.width}"
            torus = " torus" if self._lattice.torus else ""
            return f"Graph({self._lattice.kind}{torus} {sides}, {self._num_arcs} arcs)"
        slots = f", {self.num_slots} slots" if self.slots is not None else ""
        if self._kinds is not None:
            slots = f", kinds {', '.join(map(repr, self._kinds[:5]))}{', ...' if len(self._kinds) > 5 else ''}"
        return f"Graph({self._num_nodes} nodes, {self._num_arcs} arcs{slots})"

    def _repr_html_(self) -> str:
        """A few facts, for notebooks; nothing that takes time on a large graph."""
        facts: dict[str, Any] = {"nodes": self._num_nodes, "arcs": self._num_arcs, "slots": self.num_slots or None}
        if self._kinds is not None:
            facts |= {"slots": None, "kinds": shown(list(self._kinds))}
        if self._lattice is None and self._num_nodes and self._num_arcs <= _MAX_SHOWN:
            low, high = int(self.degrees.min()), int(self.degrees.max())
            facts["neighbours"] = f"{low:,} to {high:,} each" if low < high else f"{low:,} each"
            facts["directed"] = not self.symmetric
        if self._lattice is not None:
            facts = {"lattice": repr(self).removeprefix("Graph(").partition(",")[0], **facts}
        return facts_html("Graph", facts)

    def _csr(self) -> tuple[Array, Array, Array | None]:
        if self._arrays is None:
            assert self._lattice is not None
            check_memory(f"{self!r} as lists", 24 * self._num_arcs, "runs with counting aggregation need no lists")
            indptr, indices, slots = self._lattice.csr()
            self._arrays = _frozen(indptr, indices, slots)
        return self._arrays

    def _transposed(self) -> tuple[Array, Array]:
        indptr, indices, _ = _frozen(*_from_arcs(self._num_nodes, self.targets(), self.indices, None))
        return indptr, indices

    def _symmetric(self) -> bool:
        indptr, indices = self._transposed()
        return np.array_equal(indptr, self.indptr) and np.array_equal(indices, self.indices)

    def _digest(self) -> str:
        hasher = sha256(b"graphfsa.graph/1")
        for array, kind in zip(self._csr(), ("<i8", "<i4", "<u1"), strict=True):
            hasher.update(b"-" if array is None else np.ascontiguousarray(array.astype(kind, copy=False)).data)
        if self._kinds is not None:
            hasher.update(json.dumps(self._kinds).encode())
        return hasher.hexdigest()


def _rebuilt(
    content: Lattice | tuple[Array, Array, Array | None], names: NodeNames, kinds: tuple[str, ...] | None
) -> Graph:
    graph = Graph.from_lattice(content) if isinstance(content, Lattice) else Graph(*content, kinds)
    graph._node_names = names  # pyright: ignore[reportPrivateUsage]
    return graph


def _check_names(names: Iterable[Hashable] | None, num_nodes: int) -> NodeNames:
    if names is None:
        return None
    given = tuple(names)
    if len(given) != num_nodes:
        raise GraphError(f"node_names must have one entry per node, {num_nodes}; got {len(given)}")
    try:
        distinct = len(set(given)) == num_nodes
    except TypeError as error:
        raise GraphError(f"node_names must be hashable; {error}") from None
    if not distinct:
        twice = next(name for name, count in Counter(given).items() if count > 1)
        raise GraphError(f"node_names must be distinct; {shown(twice)} occurs more than once")
    return None if given == tuple(range(num_nodes)) else given


def _there_are(num_nodes: int) -> str:
    return f"node must be in 0 .. {num_nodes - 1}" if num_nodes else "the graph has no nodes"


def _array(name: str, values: Any) -> Array:
    try:
        return np.asarray(values)
    except ValueError:
        raise GraphError(f"{name} must be an array; got lists of different lengths") from None


def _integers(name: str, values: ArrayLike, dtype: type[np.signedinteger[Any]] | None, ndim: int = 1) -> Array:
    array = _array(name, values)
    if array.ndim != ndim:
        raise GraphError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}; got shape {array.shape}")
    if array.size == 0:
        return np.zeros(array.shape, dtype or np.int64)
    if array.dtype.kind not in "iu":
        raise GraphError(f"{name} must be integers; got {array.dtype}")
    return array if dtype is None else array.astype(dtype, copy=False)


def _places(slots: Any, kinds: Iterable[str] | None, num_arcs: int) -> tuple[Array | None, tuple[str, ...] | None]:
    """The slots as integers and, if they are kinds, their names."""
    if slots is None:
        if kinds is not None and num_arcs:
            raise GraphError("kinds are names of slots: give the slot of each arc, too")
        return None, None
    given, names = numbers_of(_array("slots", slots), kinds)
    places = _integers("slots", given, np.int64)
    if len(places) != num_arcs:
        raise GraphError(f"slots must have one entry per arc, {num_arcs}; got {len(places)}")
    _check_range("slots", places, MAX_SLOTS if names is None else len(names))
    return places, names


def _check_range(name: str, values: Array, size: int) -> None:
    if len(values) and (values.min() < 0 or values.max() >= size):
        place = int(np.flatnonzero((values < 0) | (values >= size))[0])
        valid = f"be in 0 .. {size - 1}" if size else "be empty in a graph without nodes"
        raise GraphError(f"{name} must {valid}; got {values[place]} at position {place}")


def _frozen(indptr: Array, indices: Array, slots: Array | None) -> tuple[Array, Array, Array | None]:
    slots = slots if len(indices) else None
    for array in (indptr, indices, slots):
        if array is not None:
            array.setflags(write=False)
    return indptr, indices, slots


def _from_arcs(
    num_nodes: int, sources: Array, targets: Array, slots: Array | None, *, shared: bool = False
) -> tuple[Array, Array, Array | None]:
    """Group arcs by target; within a target sort by source, then slot. Only kinds may be shared by arcs of a node."""
    indptr = np.zeros(num_nodes + 1, np.int64)
    np.cumsum(np.bincount(targets, minlength=num_nodes), out=indptr[1:])
    key = targets.astype(np.int64) * num_nodes + sources
    if slots is None:
        key.sort()
        key %= max(num_nodes, 1)
        return indptr, key.astype(np.int32), None
    order = np.lexsort((slots, key))
    if not shared:
        _check_slots(targets, slots)
    return indptr, sources[order].astype(np.int32), slots[order].astype(np.uint8)


def _canonical(
    indptr: Array, indices: Array, slots: Array | None, *, shared: bool
) -> tuple[Array, Array, Array | None]:
    """Sort each row by source, then slot, unless it is sorted already."""
    num_nodes = len(indptr) - 1
    key = indices if slots is None else indices * MAX_SLOTS + slots
    falls = np.flatnonzero(key[1:] < key[:-1]) + 1
    starts = np.zeros(len(indices) + 1, bool)
    starts[indptr[:-1]] = True
    targets = None
    if slots is not None and not shared:
        targets = np.repeat(np.arange(num_nodes), np.diff(indptr))
        _check_slots(targets, slots)
    if starts[falls].all():
        own = indptr.copy(), indices.astype(np.int32), None if slots is None else slots.astype(np.uint8)
        return own
    if targets is None:
        targets = np.repeat(np.arange(num_nodes), np.diff(indptr))
    return _from_arcs(num_nodes, indices, targets, slots, shared=shared)


def _check_slots(targets: Array, slots: Array) -> None:
    key = np.sort(targets.astype(np.int64) * MAX_SLOTS + slots)
    twice = np.flatnonzero(key[1:] == key[:-1])
    if len(twice):
        node, slot = divmod(int(key[twice[0]]), MAX_SLOTS)
        raise GraphError(f"a node must have at most one arc per slot; node {node} has several in slot {slot}")
