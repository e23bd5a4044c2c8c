"""What is to be proved: statements about all graphs of a class, small enough to be read and checked by a person.

On trees a statement is an algebra of messages. Over every edge, in both directions, goes one of finitely many messages:
what a node tells one neighbour follows from its input and from what its OTHER neighbours tell it; the class of a node
follows from its input and from what ALL its neighbours tell it. On a tree the messages exist and are unique, because
leaves have nobody else to listen to. Nothing is said about automata: this is the theorem, and a data set that
offers a specification is tested against it on all small graphs.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import product
from math import comb, prod
from typing import Any

from graphfsa.asking import asked, attributes
from graphfsa.checks import check_integer, shown
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph

Message = str | int
MAX_BOUND = 255
"""How far a message can be counted."""
MAX_SURROUNDINGS = 2**16
"""How many pairs of an input and of numbers of messages a specification may tell apart."""


class TreeSpecification(ABC):
    """A statement about all trees, or with ``max_degree = 2`` about all paths.

    Extend it, say what the attributes are, and write ``send`` and ``label``.

    Attributes:
        inputs: Name of each input class, as the task has them.
        classes: Name of each class, as the task has them.
        messages: What one node can tell another: strings or integers.
        bounds: How far each message is counted: 2 means that 2 and more are the same; 0 that it does not matter whether
            there is any. By default 1: there is none, or there is some.
        max_degree: The largest number of neighbours; None if there is no limit.
        name: What it is called in messages and certificates; by default as its class.

    Example:
        >>> class Leaf(TreeSpecification):
        ...     inputs, classes, messages, bounds = ("node",), ("inner", "leaf"), ("hello",), {"hello": 2}
        ...
        ...     def send(self, given, counts):
        ...         return "hello"
        ...
        ...     def label(self, given, counts):
        ...         return "leaf" if counts["hello"] < 2 else "inner"
        >>> from graphfsa.graphs.families import path
        >>> Leaf().labels(path(3), ["node"] * 3)
        ['leaf', 'inner', 'leaf']
    """

    inputs: tuple[str, ...]
    classes: tuple[str, ...]
    messages: tuple[Message, ...]
    bounds: Mapping[Any, int] = {}
    max_degree: int | None = None
    name: str = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.name = vars(cls).get("name", cls.__name__)

    @abstractmethod
    def send(self, given: str, counts: Mapping[Any, int]) -> Message | None:
        """What a node tells one of its neighbours.

        Args:
            given: Its input.
            counts: How many of its OTHER neighbours tell it each message, each counted up to its bound.

        Returns:
            The message; None if no instance of the task looks like this.
        """

    @abstractmethod
    def label(self, given: str, counts: Mapping[Any, int]) -> str | None:
        """The class of a node.

        Args:
            given: Its input.
            counts: How many of ALL its neighbours tell it each message, each counted up to its bound.

        Returns:
            The class; None if no instance of the task looks like this.
        """

    @property
    def graph_class(self) -> str:
        """The class of graphs that the statement is about."""
        return "path" if self.max_degree == 2 else "tree"

    @cached_property
    def table(self) -> SpecificationTable:
        """Everything that ``send`` and ``label`` say, checked; there are finitely many questions."""
        return SpecificationTable.of(self)

    @property
    def digest(self) -> str:
        """SHA-256 of what the statement says, whatever program says it."""
        return self.table.digest

    def labels(self, graph: Graph, inputs: Sequence[str]) -> list[str] | None:
        """The class of each node of one tree; None if the tree with these inputs is no instance of the task.

        Raises:
            GraphFSAError: The graph is no tree, or has nodes with more than ``max_degree`` neighbours.
        """
        return _labels(self.table, graph, inputs)


@dataclass(frozen=True, eq=False)
class SpecificationTable:
    """What a :class:`TreeSpecification` says, as finite tables.

    Attributes:
        name: Its name.
        inputs: Name of each input.
        classes: Name of each class.
        messages: The messages.
        bounds: How far each of them is counted.
        max_degree: The largest number of neighbours, if there is one.
        send: By input and numbers of the others' messages, each up to its bound: the number of the message, or None.
        label: By input and numbers of all messages, each up to its bound: the number of the class, or None.
    """

    name: str
    inputs: tuple[str, ...]
    classes: tuple[str, ...]
    messages: tuple[Message, ...]
    bounds: tuple[int, ...]
    max_degree: int | None
    send: Mapping[tuple[int, tuple[int, ...]], int | None]
    label: Mapping[tuple[int, tuple[int, ...]], int | None]

    @classmethod
    def of(cls, spec: TreeSpecification) -> SpecificationTable:
        """Ask a specification everything.

        Raises:
            GraphFSAError: Its attributes do not fit together, or an answer is no message or class.
            LimitError: There is too much to ask.
        """
        name = attributes(spec, "inputs", "classes", "messages", "bounds", "max_degree", "graph_class")
        inputs, classes, messages = (_names(spec, what) for what in ("inputs", "classes", "messages"))
        bounds = _bounds(name, messages, spec.bounds)
        _check_size(name, len(inputs), bounds, spec.max_degree)
        wanted = "path" if spec.max_degree == 2 else "tree"
        if spec.graph_class != wanted:
            raise GraphFSAError(
                f"{name}: graph_class must be {wanted!r}, as max_degree is {spec.max_degree}: such a specification is "
                f"about trees, or with max_degree = 2 about paths; got {shown(spec.graph_class)}"
            )
        send, label = {}, {}
        for place, given in enumerate(inputs):
            for counts in product(*(range(bound + 1) for bound in bounds)):
                told = dict(zip(messages, counts, strict=True))
                send[place, counts] = _answer(name, "send", spec.send, given, told, messages)
                label[place, counts] = _answer(name, "label", spec.label, given, told, classes)
        return cls(name, inputs, classes, messages, bounds, spec.max_degree, send, label)

    @property
    def task(self) -> Task:
        """The inputs and classes as a task of automata."""
        return Task(self.name, "classes", self.inputs, self.classes)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the tables and the names in them."""
        rows = [[*key, self.send[key], self.label[key]] for key in self.send]
        content = [self.inputs, self.classes, self.messages, self.bounds, self.max_degree, rows]
        return sha256(json.dumps(["graphfsa.specification/1", content]).encode()).hexdigest()

    def clip(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Numbers of messages, each up to its bound."""
        return tuple(min(count, bound) for count, bound in zip(counts, self.bounds, strict=True))


def _check_size(name: str, num_inputs: int, bounds: Sequence[int], max_degree: int | None) -> None:
    """Raise if there is too much to ask, or if nodes have too many surroundings for any proof."""
    advice, size = "use fewer messages, or smaller bounds", num_inputs * prod(bound + 1 for bound in bounds)
    if max_degree is None:
        # Above its bound a number of messages is one more, or any larger number.
        size = max(size, num_inputs * prod(bound + 2 for bound in bounds))
    elif size <= MAX_SURROUNDINGS:
        check_integer(f"{name}: max_degree", max_degree, 1, MAX_SURROUNDINGS)
        size = max(size, num_inputs * comb(len(bounds) + max_degree, max_degree))
        advice = "use a smaller max_degree, or none: then neighbours are counted up to the bounds only"
    if size > MAX_SURROUNDINGS:
        raise LimitError(f"{name} tells {size:,} surroundings of a node apart, above {MAX_SURROUNDINGS:,}; {advice}")


def _names(spec: TreeSpecification, what: str) -> tuple[Any, ...]:
    given: Any = getattr(spec, what, None)
    kinds = str if what != "messages" else (str, int)
    right = isinstance(given, tuple | list) and len(given) and all(isinstance(name, kinds) for name in given)
    if not right or len({json.dumps(name) for name in given}) != len(given):
        plain = "strings or integers" if what == "messages" else "names"
        raise GraphFSAError(f"{spec.name}: {what} must be distinct {plain}, at least one; got {shown(given)}")
    return tuple(given)


def _bounds(name: str, messages: Sequence[Message], given: Any) -> tuple[int, ...]:
    if not isinstance(given, Mapping):
        raise GraphFSAError(f"{name}: bounds must be a number for each message; got {shown(given)}")
    for message in given:
        if message not in messages:
            raise GraphFSAError(f"{name}: bounds must be about messages; {shown(message)} is none of {list(messages)}")
    return tuple(
        check_integer(f"{name}: the bound of {message!r}", given.get(message, 1), 0, MAX_BOUND) for message in messages
    )


def _answer(
    name: str,
    what: str,
    function: Callable[..., Any],
    given: str,
    counts: dict[Message, int],
    valid: Sequence[Any],
) -> int | None:
    # A copy: a function that writes into its argument must not change what the next one is asked.
    found = asked(f"{name}: {what}({given!r}, {counts})", function, given, dict(counts))
    if found is None:
        return None
    if type(found) is bool or not isinstance(found, str | int) or found not in valid:
        raise GraphFSAError(
            f"{name}: {what}({given!r}, {counts}) must be one of {', '.join(map(repr, valid))} or None; "
            f"got {shown(found)}"
        )
    return valid.index(found)


def _labels(table: SpecificationTable, graph: Graph, inputs: Sequence[str]) -> list[str] | None:
    neighbours = [graph.neighbours(node).tolist() for node in range(graph.num_nodes)]
    if not graph.symmetric or graph.num_arcs != 2 * (graph.num_nodes - 1) or not _is_connected(neighbours):
        raise GraphFSAError(f"{table.name} is about trees; got {graph}")
    if table.max_degree is not None and any(len(near) > table.max_degree for near in neighbours):
        raise GraphFSAError(f"{table.name} is about trees with at most {table.max_degree} neighbours; got {graph}")
    numbers = [table.inputs.index(name) for name in inputs]
    sent: dict[tuple[int, int], int] = {}
    for node, to in _from_the_leaves(neighbours):
        counts = _counts(table, [sent[other, node] for other in neighbours[node] if other != to])
        message = table.send[numbers[node], counts]
        if message is None:
            return None
        sent[node, to] = message
    labels: list[str] = []
    for node, near in enumerate(neighbours):
        found = table.label[numbers[node], _counts(table, [sent[other, node] for other in near])]
        if found is None:
            return None
        labels.append(table.classes[found])
    return labels


def _counts(table: SpecificationTable, messages: Sequence[int]) -> tuple[int, ...]:
    return table.clip([messages.count(message) for message in range(len(table.messages))])


def _is_connected(neighbours: Sequence[Sequence[int]]) -> bool:
    seen, waiting = {0}, [0]
    while waiting:
        fresh = [node for node in neighbours[waiting.pop()] if node not in seen]
        seen.update(fresh)
        waiting += fresh
    return len(seen) == len(neighbours)


def _from_the_leaves(neighbours: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Every arc of a tree, after all those that its message follows from: up to the first node, then down again."""
    order, parent = [0], {0: -1}
    for node in order:
        for other in neighbours[node]:
            if other != parent[node]:
                parent[other] = node
                order.append(other)
    yield from ((node, parent[node]) for node in reversed(order[1:]))
    yield from ((parent[node], node) for node in order[1:])
