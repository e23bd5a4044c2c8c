"""The smallest tree on which an automaton is wrong: all trees up to a size, with subtrees that behave alike as one.

A subtree that hangs on a parent is a machine: it reads the parent's state at each step and shows that of its top node.
Machines are made minimal, so two subtrees that no parent can tell apart are the same machine. So are the children of a
node taken together: they read its state and show a value. There are far fewer machines than trees, and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphfsa.datasets import SpecificationTable
from graphfsa.proofs._local import LocalAutomaton

Tree = tuple[int, tuple[Any, ...]]
"""The input of a node, and the trees below it."""


@dataclass(frozen=True)
class Machine:
    """A minimal machine that begins in state 0.

    Attributes:
        shows: What it shows in each state.
        rows: The state after it has read each letter.
    """

    shows: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _Kind:
    """What a specification knows of a subtree: what it sends up, and what it may be sent."""

    sends: int
    admits: frozenset[int]


@dataclass(frozen=True)
class Refuted:
    """A smallest tree on which some node is not right for ever.

    Attributes:
        num_nodes: Its size.
        tree: The tree; its top node is wrong.
    """

    num_nodes: int
    tree: Tree


@dataclass(frozen=True)
class NotRefuted:
    """Up to which size all trees are right, and why it ends there."""

    num_nodes: int
    reason: str


_Kinds = tuple[tuple[_Kind, int], ...]
_Bundles = dict[tuple[_Kinds, int], tuple[int, tuple[Tree, ...]]]
"""Children taken together: how many of each kind and their machine; with the place of the last one, and an example."""


class _TooMuch(Exception):
    pass


class Refuter:
    """A search through all trees, small ones first; it can go on from where it was.

    Args:
        automaton: The automaton.
        statement: The specification.
    """

    def __init__(self, automaton: LocalAutomaton, statement: SpecificationTable) -> None:
        self._automaton, self._statement = automaton, statement
        self._letters = {state: place for place, state in enumerate(automaton.states)}
        self._machines: dict[Machine, int] = {}
        self._by_number: list[Machine] = []
        self._products: dict[tuple[int, int], int] = {}
        nobody = self._number(Machine((automaton.empty,), ((0,) * len(self._letters),)))
        self._bundles: list[_Bundles] = [{((), nobody): (0, ())}]
        self._known: dict[tuple[_Kind, int], int] = {}
        self._subtrees: list[list[tuple[_Kind, int, Tree]]] = [[]]
        self._work, self._limit = 0, 0

    def search(self, max_nodes: int, work: int) -> Refuted | NotRefuted:
        """Look at all trees up to a size.

        Args:
            max_nodes: The size.
            work: How many states of machines may be made in all; each takes some microseconds.
        """
        self._limit = work
        for size in range(len(self._subtrees), max_nodes + 1):
            try:
                wrong = self._size(size)
            except _TooMuch:
                del self._subtrees[size:], self._bundles[size:]
                return NotRefuted(size - 1, f"trees of {size} nodes behave in too many ways")
            if wrong is not None:
                return Refuted(size, wrong)
        return NotRefuted(max_nodes, f"all trees up to {max_nodes} nodes are right")

    def _size(self, size: int) -> Tree | None:
        """Every tree of this size with each of its nodes on top; the first that is wrong there."""
        if size > 1:
            self._bundles.append(self._bundled(size - 1))
        fresh: list[tuple[_Kind, int, Tree]] = []
        self._subtrees.append(fresh)
        for (kinds, bundle), (_, below) in self._bundles[size - 1].items():
            for given in range(len(self._statement.inputs)):
                label = self._admitted(given, kinds)
                if label is not None and not self._ends_right(given, bundle, label):
                    return given, below
                kind = self._kind(given, kinds)
                if kind is None:
                    continue
                machine = self._on_top(given, bundle)
                if (kind, machine) not in self._known:
                    self._known[kind, machine] = len(self._known)
                    fresh.append((kind, machine, (given, below)))
        return None

    def _bundled(self, size: int) -> _Bundles:
        """Children of this size in all: a smaller bundle, and one subtree that comes after all those in it."""
        found: _Bundles = {}
        for last in range(1, size + 1):
            for kind, machine, tree in self._subtrees[last]:
                place = self._known[kind, machine]
                for (kinds, bundle), (before, below) in self._bundles[size - last].items():
                    more = self._with(kinds, kind) if before <= place else None
                    if more is not None:
                        # The first to be found ends with the earliest subtree, so nothing that could follow is lost.
                        found.setdefault((more, self._joined(bundle, machine)), (place, (*below, tree)))
        return found

    # ---- what the specification says

    def _with(self, kinds: _Kinds, kind: _Kind) -> _Kinds | None:
        """One subtree more; numbers are kept as far as they matter. None if there are too many children."""
        numbers = dict(kinds)
        most = self._statement.max_degree
        if most is None:
            numbers[kind] = min(numbers.get(kind, 0) + 1, self._statement.bounds[kind.sends] + 1)
        else:
            numbers[kind] = numbers.get(kind, 0) + 1
            if sum(numbers.values()) > most:
                return None
        return tuple(sorted(numbers.items(), key=lambda item: (item[0].sends, sorted(item[0].admits))))

    def _counts(self, kinds: _Kinds, parent: int | None) -> list[int]:
        counts = [0] * len(self._statement.messages)
        for kind, number in kinds:
            counts[kind.sends] += number
        if parent is not None:
            counts[parent] += 1
        return counts

    def _admitted(self, given: int, kinds: _Kinds, parent: int | None = None) -> int | None:
        """The class of a node with these children and this message from a parent; None if that is not admitted."""
        statement, counts = self._statement, self._counts(kinds, parent)
        label = statement.label[given, statement.clip(counts)]
        if label is None or (statement.max_degree is not None and sum(counts) > statement.max_degree):
            return None
        for kind, _ in kinds:
            others = [number - (message == kind.sends) for message, number in enumerate(counts)]
            if statement.send[given, statement.clip(others)] not in kind.admits:
                return None
        return label

    def _kind(self, given: int, kinds: _Kinds) -> _Kind | None:
        sends = self._statement.send[given, self._statement.clip(self._counts(kinds, None))]
        if sends is None:
            return None
        messages = range(len(self._statement.messages))
        admits = frozenset(m for m in messages if self._admitted(given, kinds, m) is not None)
        return _Kind(sends, admits) if admits else None

    # ---- machines

    def _number(self, machine: Machine) -> int:
        if machine not in self._machines:
            self._machines[machine] = len(self._by_number)
            self._by_number.append(machine)
        return self._machines[machine]

    def _joined(self, bundle: int, machine: int) -> int:
        """A bundle with one child more."""
        key = bundle, machine
        if key not in self._products:
            one, two = self._by_number[bundle], self._by_number[machine]
            add, letters = self._automaton.add, range(len(self._letters))
            self._products[key] = self._minimal(
                (0, 0),
                lambda now: add(one.shows[now[0]], two.shows[now[1]]),
                lambda now: [(one.rows[now[0]][k], two.rows[now[1]][k]) for k in letters],
            )
        return self._products[key]

    def _on_top(self, given: int, bundle: int) -> int:
        """A node with these children, as its parent sees it."""
        children, automaton, letters = self._by_number[bundle], self._automaton, self._letters
        table, add = automaton.table, automaton.add

        def following(now: tuple[int, int]) -> list[tuple[int, int]]:
            own, below = now
            seen, after = children.shows[below], children.rows[below][letters[own]]
            return [(table[own][add(seen, parent)], after) for parent in letters]

        return self._minimal((automaton.start[given], 0), lambda now: now[0], following)

    def _ends_right(self, given: int, bundle: int, label: int) -> bool:
        """Whether a node without a parent is in the right state for ever, from some step on."""
        children, automaton = self._by_number[bundle], self._automaton
        own, below = automaton.start[given], 0
        steps: dict[tuple[int, int], int] = {}
        while (own, below) not in steps:
            steps[own, below] = len(steps)
            later = automaton.table[own][children.shows[below]]
            below, own = children.rows[below][self._letters[own]], later
        first = steps[own, below]
        return all(state == automaton.final[label] for (state, _), step in steps.items() if step >= first)

    def _minimal(self, first: Any, shows: Callable[[Any], int], following: Callable[[Any], list[Any]]) -> int:
        """The number of the minimal machine that does the same, with its states in the order of their first visit."""
        numbers: dict[Any, int] = {first: 0}
        order, rows = [first], list[list[int]]()
        for now in order:
            row: list[int] = []
            for later in following(now):
                if later not in numbers:
                    numbers[later] = len(order)
                    order.append(later)
                row.append(numbers[later])
            rows.append(row)
            self._work += 1
            if self._work > self._limit:
                raise _TooMuch
        shown = [shows(now) for now in order]
        part, count = shown, len(set(shown))
        while True:
            names: dict[tuple[int, ...], int] = {}
            part = [names.setdefault((part[k], *[part[j] for j in row]), len(names)) for k, row in enumerate(rows)]
            if len(names) == count:
                return self._number(_in_order(part, rows, shown))
            count = len(names)


def _in_order(part: list[int], rows: list[list[int]], shown: list[int]) -> Machine:
    """One state for each part, numbered in the order in which they are reached."""
    example: dict[int, int] = {}
    for state, place in enumerate(part):
        example.setdefault(place, state)
    numbers, order = {part[0]: 0}, [part[0]]
    found: list[tuple[int, ...]] = []
    for place in order:
        row: list[int] = []
        for state in rows[example[place]]:
            if part[state] not in numbers:
                numbers[part[state]] = len(order)
                order.append(part[state])
            row.append(numbers[part[state]])
        found.append(tuple(row))
    return Machine(tuple(shown[example[place]] for place in order), tuple(found))


def tree_edges(tree: Tree) -> tuple[list[int], list[tuple[int, int]]]:
    """The input of each node and the edges of a tree, its top node first."""
    inputs: list[int] = []
    edges: list[tuple[int, int]] = []
    waiting: list[tuple[Tree, int]] = [(tree, -1)]
    for (given, below), parent in waiting:
        node = len(inputs)
        inputs.append(given)
        if parent >= 0:
            edges.append((parent, node))
        waiting.extend((part, node) for part in below)
    return inputs, edges
