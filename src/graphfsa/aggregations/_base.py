"""What an aggregation is: a map from a multiset of neighbour states to one of finitely many values (equation 1)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, ClassVar, Self

import numpy as np

from graphfsa.aggregations._features import Features, Part
from graphfsa.arrays import Array
from graphfsa.errors import AutomatonError, FormatError, GraphError
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.graph import Graph
from graphfsa.plugins import Plugin


class Aggregation(Plugin, ABC):
    """The contract. A new aggregation is a class that extends this, in this room or in a file of your own.

    ``num_values`` and ``encode`` are all that it needs; everything else has a default, and can be given to say more or
    to be faster. Options are the fields of a frozen dataclass: they have defaults, and values that survive JSON.

    Example:
        >>> class AnyoneAggregation(Aggregation):
        ...     def num_values(self, num_states):
        ...         return 2
        ...
        ...     def encode(self, states, slots, num_states):
        ...         return int(num_states - 1 in states)
        >>> AnyoneAggregation().name, AnyoneAggregation().decode(1, ["well", "ill"])
        ('anyone', 'value 1')
    """

    kind = "aggregation"
    room = "graphfsa.aggregations"

    uses_slots: ClassVar[bool] = False
    """Whether neighbours are told apart by their slot; then graphs without slots are refused."""

    uses_kinds: ClassVar[bool] = False
    """Whether slots may be kinds of arcs, so that several neighbours are in one; otherwise such graphs are refused."""

    ordered: ClassVar[bool] = True
    """Whether the digits of a value are amounts, so that 1 lies between 0 and 2; otherwise they are names."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Who changes what is seen does not inherit what was said about it: proofs would rest on it.
        for name in ("digit_labels", "levels", "with_neighbour", "possible_values", "restricted"):
            if "encode" in vars(cls) and name not in vars(cls):
                setattr(cls, name, getattr(Aggregation, name))

    def __new__(cls, *_fields: Any, **_options: Any) -> Self:
        if cls.__hash__ is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise AutomatonError(f"{cls.__name__} must be a frozen dataclass: write @dataclass(frozen=True)")
        if cls.__init__ is object.__init__ and (_fields or _options):
            raise TypeError(f"{cls.__name__}() takes no arguments")
        return super().__new__(cls)

    @abstractmethod
    def num_values(self, num_states: int) -> int:
        """How many values there are, ``|Z|``, as an exact Python integer (it may be far too large to allocate)."""

    @abstractmethod
    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:
        """The value of a neighbourhood: the plain specification.

        Args:
            states: States of the neighbours, with repetitions, in any order.
            slots: Slot of each neighbour; empty unless the graph has slots, and to be ignored without ``uses_slots``.
            num_states: Number of states of the automaton, ``|M|``.
        """

    def digits(self, value: int, num_states: int) -> tuple[int, ...]:
        """The parts that a value is made of; their meaning is the aggregation's own. By default the value itself."""
        check_value(value, self.num_values(num_states))
        return (value,)

    def digit_labels(self, state_names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """For pictures: what each digit is about, and what each of its numbers means, as short as can be."""
        num_states = len(state_names)
        tops = self.digits(self.num_values(num_states) - 1, num_states)
        return tuple((f"digit {place}", tuple(map(str, range(top + 1)))) for place, top in enumerate(tops))

    def levels(self, degree: int, num_states: int) -> tuple[tuple[int, tuple[int, ...]], ...] | None:
        """How the digits follow from the counts of states among ``degree`` neighbours, for learners that reason.

        For each digit, the state that it is about and the counts of that state from which on the digit is at least
        1, 2, ...; the value is the digits in the mixed radix of (number of levels + 1). None if that is not so.
        """
        del degree, num_states
        return None

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int | None:
        """The value after one more neighbour has joined a neighbourhood that has ``value``.

        Proofs about tables use it, and without ``compiled_encode`` the engine does. By default None: that does not
        follow from the value alone. An aggregation with slots returns None only for a slot
        that is taken (no kind of arcs ever is) or that it does not have; one without slots ignores the slot.
        """
        del value, state, slot, num_states
        return None

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:
        """Which values a neighbourhood of any size can have whose nodes are all in ``states``, bool [num_values].

        It may say yes too often, never no too often. By default everything is possible.
        """
        membership(states, num_states)
        return np.ones(self.num_values(num_states), bool)

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array] | None:
        """This aggregation for automata that have only the given states, in this order.

        Returns:
            The aggregation over these states, and for each of its values the value of the same neighbourhood here,
            int64. None if there is no such aggregation, or if this method was not written.
        """
        del states, num_states
        return None

    def observation(self, value: int, state_names: Sequence[str]) -> Any:
        """What a rule ``f(state, observation) -> state`` is shown for a value. By default its digits, or its digit."""
        digits = self.digits(value, len(state_names))
        return digits[0] if len(digits) == 1 else digits

    def decode(self, value: int, state_names: Sequence[str]) -> str:
        """A value in words that a person reads, for example ``"0 f0, 1+ f1"``. By default what a rule is shown."""
        check_value(value, self.num_values(len(state_names)))
        seen = self.observation(value, state_names)
        return f"value {seen}" if isinstance(seen, int) else str(seen)

    def features(self, state_names: Sequence[str]) -> Features:
        """What rules can ask about a value. By default only which value it is, in the words of ``decode``."""
        num_values = self.num_values(len(state_names))
        words = tuple(self.decode(value, state_names) for value in range(num_values))
        return Features(parts=(Part("neighbourhood", words, np.arange(num_values)),))

    def parameters(self, num_states: int) -> Array:
        """Numbers that ``compiled_encode`` needs, int64 or float64 [any]. By default none."""
        del num_states
        return np.empty(0, np.int64)

    compiled_encode: ClassVar[Callable[..., int] | None] = None
    """``encode`` for the engine's compiler: a plain function in the subset of Python that numba compiles.

    Without it the engine looks values up in tables that it makes with ``with_neighbour`` or ``encode``; see
    ``graphfsa.engine.encoding``.

    Its arguments are ``(states, sources, slots, begin, end, parameters, scratch)``: uint8 states of all nodes, the
    sources and slots of all arcs, the half-open range of the arcs of one node, this aggregation's parameters, and an
    int64 scratch array with one entry per state, whose content is arbitrary. It returns the value.
    """

    def check_graph(self, graph: GraphLike) -> None:
        """Raise if this aggregation can't look at this graph."""
        graph = as_graph(graph)
        if self.uses_slots and graph.slots is None and graph.num_arcs:
            where = "lattice families take slots=true; row and ring have them"
            if self.uses_kinds:
                where = (
                    "rooted-tree has kinds of arcs; in Python see graphs.rooted, both_ways and from_networkx(graph, "
                    "relation=NAME)"
                )
            raise AutomatonError(
                f"{self.name} aggregation needs a graph with neighbour slots{' or kinds of arcs' * self.uses_kinds}; "
                f"this graph has none ({where})"
            )
        if self.uses_slots and not self.uses_kinds and graph.kinds is not None:
            raise AutomatonError(
                f"{self.name} aggregation needs a graph with one neighbour in each slot; slots of this graph are kinds "
                "of arcs (relations aggregation counts those)"
            )

    @property
    def seen_kinds(self) -> tuple[str, ...] | None:
        """The kinds of arcs that ``encode`` knows by number, if it knows any by name."""
        return None

    def fitting(self, graph: GraphLike) -> Graph:
        """The graph with its kinds of arcs numbered as this aggregation knows them; checked by ``check_graph``."""
        graph = as_graph(graph)
        if self.seen_kinds is not None and graph.kinds is not None:
            try:
                graph = graph.with_kinds(self.seen_kinds)
            except GraphError as error:
                raise AutomatonError(f"{self.name} aggregation does not fit: {error}") from None
        self.check_graph(graph)
        return graph

    def config(self) -> dict[str, Any]:
        """The name and the fields as JSON values; ``from_config`` reads the fields back."""
        if is_dataclass(self):
            return {"name": self.name, **asdict(self)}
        if vars(self):
            raise AutomatonError(f"{type(self).__name__} has options, so it must be a frozen dataclass with fields")
        return {"name": self.name}

    @classmethod
    def from_config(cls, fields: Mapping[str, Any]) -> Self:
        """Build from the fields of ``config``, without the name."""
        try:
            return cls(**fields)
        except TypeError as error:
            raise FormatError(f"aggregation fields do not fit {cls.__name__}: {error}") from None

    # Those of a class without fields; a dataclass brings its own.
    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Counts(Mapping[str, int]):
    """Numbers per state, by name or by index; what a rule sees of a neighbourhood.

    Args:
        names: Names of the states that have a number.
        numbers: The number of each.
        indices: Index of each state, if they are not 0, 1, 2, ...
    """

    __slots__ = ("_by_index", "_by_name")

    def __init__(self, names: Sequence[str], numbers: Sequence[int], indices: Sequence[int] | None = None) -> None:
        self._by_name = dict(zip(names, numbers, strict=True))
        self._by_index = dict(zip(range(len(names)) if indices is None else indices, numbers, strict=True))

    def __getitem__(self, state: str | int) -> int:
        return self._by_name[state] if isinstance(state, str) else self._by_index[int(state)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"Counts({self._by_name})"


def check_value(value: int, num_values: int) -> None:
    """Raise if a value is not one of ``0 .. num_values - 1``."""
    if not 0 <= value < num_values:
        raise AutomatonError(f"value must be in 0 .. {num_values - 1}; got {value}")


def membership(states: Sequence[int], num_states: int) -> Array:
    """Which states are among the given ones, bool [num_states]; raises if one of them is no state."""
    among = np.zeros(num_states, bool)
    for state in states:
        if not 0 <= state < num_states:
            raise AutomatonError(f"state must be in 0 .. {num_states - 1}; got {state}")
        among[state] = True
    return among


def check_some(states: Sequence[int], num_states: int) -> None:
    """Raise unless these are distinct states, at least one."""
    if not len(states) or membership(states, num_states).sum() != len(states):
        raise AutomatonError(f"states must be distinct and at least one; got {list(states)}")


def combined(combine: np.ufunc, columns: Sequence[Array]) -> Array:
    """One number for every value: those of its digits, one column for each digit, combined."""
    total = columns[0]
    for column in columns[1:]:
        total = combine.outer(column, total).reshape(-1)
    return total


def mixed_radix(value: int, bases: Sequence[int]) -> tuple[int, ...]:
    """Digits of a value, least significant first, where digit ``k`` counts up to ``bases[k] - 1``."""
    digits: list[int] = []
    for base in bases:
        value, digit = divmod(value, base)
        digits.append(digit)
    return tuple(digits)
