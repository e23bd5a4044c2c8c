"""Colour refinement over many graphs at once, with work only where something still changes.

A round gives two nodes of one class different classes if they see different classes, or a class a different number of
times. Colours are 64-bit hashes of how a class came to be; the classes themselves are kept as numbers beside them.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from graphfsa.arrays import Array
from graphfsa.graphs.graph import Graph

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_SALT = np.uint64(0xD6E8FEB86659FD93)
_OUTWARDS = 2**32
_FEW = 16
"""Lists shorter than one in this number of nodes are sorted; for longer ones, marking nodes is faster."""


def mix(values: Array) -> Array:
    """Scramble 64-bit integers one to one (the finaliser of SplitMix64); the same on every machine."""
    mixed = values.astype(np.uint64) + _GOLDEN
    mixed ^= mixed >> _SHIFTS[0]
    mixed *= _MULTIPLIERS[0]
    mixed ^= mixed >> _SHIFTS[1]
    mixed *= _MULTIPLIERS[1]
    mixed ^= mixed >> _SHIFTS[2]
    return mixed


def combine(first: Array, second: Array) -> Array:
    """Hash pairs of 64-bit integers; the order counts."""
    # Without the salt, values that are themselves mixed could cancel out: a colour mix(0) and a key 0, for example.
    return mix(first * _MULTIPLIERS[1] + mix(second.astype(np.uint64) ^ _SALT))


def ragged(starts: Array, lengths: Array) -> Array:
    """The ranges ``starts[k] .. starts[k] + lengths[k] - 1``, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def segment_sums(values: Array, bounds: Array) -> Array:
    """Sums of the segments ``bounds[k] .. bounds[k + 1] - 1``; those of uint64 wrap around, which does no harm."""
    running = np.zeros(len(values) + 1, values.dtype)
    np.cumsum(values, out=running[1:])
    return running[bounds[1:]] - running[bounds[:-1]]


def starts_of_runs(*keys: Array) -> Array:
    """First place of each run of equal entries in sorted arrays, compared together."""
    differs = np.ones(len(keys[0]), bool)
    if len(differs):
        differs[1:] = False
        for key in keys:
            differs[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(differs)


def sorted_by(classes: Array, keys: Array) -> Array:
    """An order by class and, within a class, by key; entries that are equal in both come in any order.

    Args:
        classes: Integers from 0 to fewer than 2^31.
        keys: uint64; the upper bits of those of one class nearly always differ if the keys do, as those of hashes do.
    """
    if not len(classes):
        return np.empty(0, np.int64)
    # One sort of numbers that begin with the class and go on with the key is many times as fast as two sorts.
    bits = np.uint64(int(classes.max()).bit_length())
    packed = keys >> bits
    packed |= classes.astype(np.uint64) << (np.uint64(64) - bits) if bits else np.uint64(0)
    order = np.argsort(packed)
    packed, lower = packed[order], keys[order]
    if ((packed[1:] == packed[:-1]) & (lower[1:] != lower[:-1])).any():
        return np.lexsort((keys, classes))
    return order


class Refinement:
    """Colours of the nodes of a graph while they are refined.

    Args:
        graph: The graph, often a union of many.
        colours: uint64 [num_nodes], the colours to begin with.
        scope: Integers [num_nodes]; nodes of different scopes never share a class. What happens in one scope depends on
            nothing outside it if no arc leads from one scope to another.
        both: Whether a node sees along its out-arcs too, and not only along its in-arcs as an automaton does.

    Attributes:
        colour: Colour of each node, uint64.
        cls: Class of each node, int64: equal where scope and colour are.
        sizes: Number of nodes of each class, int64; entries past the last class mean nothing.
    """

    def __init__(self, graph: Graph, colours: Array, scope: Array, *, both: bool) -> None:
        self._indptr, self._sees, self._tags, self._out_indptr, self._seen_by = _views(graph, both)
        num_nodes = graph.num_nodes
        self.colour = mix(colours)
        order = sorted_by(scope, self.colour)
        starts = starts_of_runs(scope[order], self.colour[order])
        lengths = np.diff(np.r_[starts, num_nodes])
        self._count = len(starts)
        self.cls = np.empty(num_nodes, np.int64)
        self.cls[order] = np.repeat(np.arange(self._count), lengths)
        self.sizes = np.zeros(num_nodes, np.int64)
        self.sizes[: self._count] = lengths

    def copy(self) -> Refinement:
        """The same state, to go on from separately."""
        other = copy(self)
        other.colour, other.cls, other.sizes = self.colour.copy(), self.cls.copy(), self.sizes.copy()
        return other

    def refine(self, rounds: int | None = None, changed: Array | None = None) -> None:
        """Make rounds until no class is divided any more, or ``rounds`` of them.

        Args:
            rounds: The number of rounds; None for as many as it takes.
            changed: The nodes whose class is new since the classes were stable; None if they never were.
        """
        active = np.arange(len(self.cls)) if changed is None else self._seeing(changed)
        while len(active) and rounds != 0:
            active = self._seeing(self.divide(active, self.signatures(active)))
            rounds = None if rounds is None else rounds - 1

    def signatures(self, nodes: Array) -> Array:
        """A hash of the colours that each of some nodes sees, uint64, whatever their order."""
        return self.sums(nodes, self.colour)

    def sums(self, nodes: Array, values: Array) -> Array:
        """Sum of what each of some nodes sees of the given uint64 values, mixed with the slots."""
        if len(nodes) == len(self.cls):  # All of them, in order: nobody is given twice.
            seen = values[self._sees]
            return segment_sums(mix(seen if self._tags is None else seen + self._tags), self._indptr)
        starts = self._indptr[nodes]
        lengths = self._indptr[nodes + 1] - starts
        arcs = ragged(starts, lengths)
        seen = values[self._sees[arcs]]
        if self._tags is not None:
            seen += self._tags[arcs]
        return segment_sums(mix(seen), np.r_[0, np.cumsum(lengths)])

    def divide(self, nodes: Array, keys: Array) -> Array:
        """Divide classes: of the given nodes, those of one class stay together if they have the same key.

        Nodes that are not given stay as they are, apart from those that are; the largest part of a class that is given
        as a whole keeps the class, so that only nodes of the smaller parts change.

        Returns:
            The nodes that got a new class.
        """
        order = sorted_by(self.cls[nodes], keys)
        nodes, keys = nodes[order], keys[order]
        classes = self.cls[nodes]
        starts = starts_of_runs(classes, keys)
        lengths = np.diff(np.r_[starts, len(nodes)])
        fresh = ~self._keeping(classes[starts], lengths)
        numbers = self._count + np.arange(np.count_nonzero(fresh))
        self._count += len(numbers)
        np.subtract.at(self.sizes, classes[starts][fresh], lengths[fresh])
        self.sizes[numbers] = lengths[fresh]
        moved = np.repeat(fresh, lengths)
        changed = nodes[moved]
        self.cls[changed] = np.repeat(numbers, lengths[fresh])
        self.colour[changed] = combine(self.colour[changed], keys[moved])
        return changed

    def _keeping(self, classes: Array, lengths: Array) -> Array:
        """Which parts keep their class: the first of the largest parts, where the parts are all of the class."""
        first = starts_of_runs(classes)
        keeps = np.zeros(len(classes), bool)
        if not len(first):
            return keeps
        parts = np.diff(np.r_[first, len(classes)])
        largest = np.flatnonzero(lengths == np.repeat(np.maximum.reduceat(lengths, first), parts))
        chosen = largest[starts_of_runs(classes[largest])]
        keeps[chosen] = np.add.reduceat(lengths, first) == self.sizes[classes[first]]
        return keeps

    def _seeing(self, nodes: Array) -> Array:
        """The nodes that see one of the given ones, each once."""
        starts = self._out_indptr[nodes]
        seeing = self._seen_by[ragged(starts, self._out_indptr[nodes + 1] - starts)]
        if len(seeing) * _FEW < len(self.cls):
            return np.unique(seeing)
        marked = np.zeros(len(self.cls), bool)
        marked[seeing] = True
        return np.flatnonzero(marked)


def _views(graph: Graph, both: bool) -> tuple[Array, Array, Array | None, Array, Array]:
    """What nodes see and a tag for how, and by whom they are seen, as lists with their starts."""
    slots = graph.slots
    if not both or (slots is None and graph.symmetric):
        tags = None if slots is None else _tags(slots)
        return graph.indptr, graph.indices, tags, *graph.out_arcs()
    sources, targets = graph.indices, graph.targets()
    how = np.zeros(graph.num_arcs, np.int64) if slots is None else slots.astype(np.int64)
    ends = np.r_[targets, sources]
    order = np.argsort(ends, kind="stable")
    indptr = np.zeros(graph.num_nodes + 1, np.int64)
    np.cumsum(np.bincount(ends, minlength=graph.num_nodes), out=indptr[1:])
    sees = np.r_[sources, targets][order]
    return indptr, sees, _tags(np.r_[how, how + _OUTWARDS])[order], indptr, sees


def _tags(slots: Array) -> Array:
    # Salted: colours are mixed small numbers too, and colour 0 in slot 1 must not look like colour 1 in slot 0.
    return mix(slots.astype(np.uint64) ^ _SALT)
