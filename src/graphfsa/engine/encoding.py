"""``encode`` of any aggregation in the form that kernels call, whether the aggregation has a compiled one or not.

Kernels call a function of ``(states, sources, slots, begin, end, parameters, scratch)``; see
``Aggregation.compiled_encode``. An aggregation that has none gets one of three functions that look its values up:

- With ``with_neighbour``: the value after one more neighbour, for each value and state. Good for every graph.
- Otherwise: the value of every neighbourhood that a node of the graph can have, for each of its degrees, or with slots
  for each way to fill them. Good for graphs whose degrees and states are few.

The tables are filled by asking ``encode``, so what runs is what the aggregation's author wrote. A product calls the
functions of its parts one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from types import FunctionType
from typing import Any

import numpy as np

from graphfsa.aggregations import Aggregation, ProductAggregation
from graphfsa.arrays import Array
from graphfsa.checks import is_integer, shown
from graphfsa.errors import AutomatonError, LimitError
from graphfsa.graphs.graph import Graph

MAX_NEIGHBOURHOODS = 2**20
"""Neighbourhoods that ``encode`` is asked for, if it is all that an aggregation has."""


@dataclass(frozen=True, eq=False)
class Encoder:
    """An aggregation for kernels.

    Attributes:
        function: What ``compile_kernel`` binds to the name ``encode_node`` in a kernel.
        parameters: Its ``parameters`` argument.
    """

    function: Callable[..., int]
    parameters: Array


def encoder_of(aggregation: Aggregation, num_states: int, graph: Graph, *, hidden: bool = False) -> Encoder:
    """The encoder of an aggregation for automata with this number of states on a graph.

    Args:
        aggregation: The aggregation.
        num_states: Number of states.
        graph: The graph.
        hidden: Whether a node may see only some of its neighbours.

    Raises:
        LimitError: The aggregation has neither ``compiled_encode`` nor ``with_neighbour``, and nodes of this graph can
            have too many different neighbourhoods.
    """
    kind = type(aggregation)
    if isinstance(aggregation, ProductAggregation) and kind is ProductAggregation:
        return _product(aggregation, num_states, graph)
    if kind.compiled_encode is not None and _is_up_to_date(kind, "compiled_encode"):
        return _own(aggregation, kind.compiled_encode, num_states)
    if aggregation.uses_kinds:
        steps = _kind_table(aggregation, num_states, max(1, graph.num_slots))
        if steps is None:
            raise AutomatonError(
                f"an aggregation that uses kinds of arcs must have with_neighbour or compiled_encode; {kind.__name__} "
                "has neither"
            )
        return Encoder(_by_kinds, steps)
    if aggregation.uses_slots:
        return Encoder(_by_slots, _slot_table(aggregation, num_states, graph.num_slots))
    steps = _step_table(aggregation, num_states) if _is_up_to_date(kind, "with_neighbour") else None
    if steps is not None:
        return Encoder(_by_steps, steps)
    degrees = graph.cached("distinct_degrees", lambda: tuple(np.unique(graph.degrees).tolist()))
    if hidden:
        degrees = tuple(range(max(degrees, default=0) + 1))
    return Encoder(_by_counts, _count_table(aggregation, num_states, degrees))


@lru_cache(maxsize=64)
def _own(aggregation: Aggregation, function: Callable[..., int], num_states: int) -> Encoder:
    return Encoder(function, aggregation.parameters(num_states))


_NO_SLOTS = np.empty(0, np.uint8)
_NO_SLOTS.setflags(write=False)  # Read-only as real slots are: kernels are compiled for either kind of array.


def arcs_of(graph: Graph) -> tuple[Array, Array, Array]:
    """What kernels get of a graph: ``indptr``, ``indices``, and ``slots``, which are empty if there are none."""
    slots = graph.slots
    return graph.indptr, graph.indices, _NO_SLOTS if slots is None else slots


@lru_cache(maxsize=256)
def _is_up_to_date(kind: type[Aggregation], method: str) -> bool:
    """Whether a method was defined together with ``encode`` or after it; a new ``encode`` makes inherited ones void."""

    def home(name: str) -> int:
        return next(place for place, ancestor in enumerate(kind.__mro__) if name in vars(ancestor))

    return home(method) <= home("encode")


def _by_steps(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the value of no neighbours; then the value after one more, [num_values, num_states]."""
    value = parameters[0]
    for arc in range(begin, end):
        value = parameters[1 + value * len(scratch) + states[sources[arc]]]
    return value


@lru_cache(maxsize=16)
def _step_table(aggregation: Aggregation, num_states: int) -> Array | None:
    """Parameters of ``_by_steps``; None if some value does not tell what one more neighbour makes of it."""
    num_values = aggregation.num_values(num_states)
    first = _value(aggregation, [], [], num_states)
    table = np.zeros((num_values, num_states), np.int64)
    seen, waiting = {first}, [first]
    while waiting:
        value = waiting.pop()
        for state in range(num_states):
            following = aggregation.with_neighbour(value, state, 0, num_states)
            if following is None:
                return None
            table[value, state] = _checked(aggregation, "with_neighbour", following, num_values)
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return np.r_[first, table.reshape(-1)]


def _by_kinds(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the number of kinds; the value of no neighbours; then the value after one more.

    The latter are [num_values, kinds, num_states].
    """
    value = parameters[1]
    for arc in range(begin, end):
        place = value * parameters[0] + np.int64(slots[arc])
        value = parameters[2 + place * len(scratch) + states[sources[arc]]]
    return value


@lru_cache(maxsize=16)
def _kind_table(aggregation: Aggregation, num_states: int, num_kinds: int) -> Array | None:
    """Parameters of ``_by_kinds``; None if some value does not tell what one more neighbour makes of it."""
    num_values = aggregation.num_values(num_states)
    first = _value(aggregation, [], [], num_states)
    table = np.zeros((num_values, num_kinds, num_states), np.int64)
    seen, waiting = {first}, [first]
    while waiting:
        value = waiting.pop()
        for slot in range(num_kinds):
            for state in range(num_states):
                following = aggregation.with_neighbour(value, state, slot, num_states)
                if following is None:
                    return None
                table[value, slot, state] = _checked(aggregation, "with_neighbour", following, num_values)
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
    return np.r_[num_kinds, first, table.reshape(-1)]


def _product(aggregation: ProductAggregation, num_states: int, graph: Graph) -> Encoder:
    """The encoder of a product: that of the first two parts, then of both and the third, and so on."""
    parts = [_in_integers(encoder_of(part, num_states, graph)) for part in aggregation.parts]
    found, size = parts[0], aggregation.parts[0].num_values(num_states)
    for part, after in zip(aggregation.parts[1:], parts[1:], strict=True):
        header = np.array([len(found.parameters), size], np.int64)
        parameters = np.concatenate((header, found.parameters, after.parameters))
        found = Encoder(_calling(_of_both, encode_first=found.function, encode_second=after.function), parameters)
        size *= part.num_values(num_states)
    return found


def _in_integers(encoder: Encoder) -> Encoder:
    """An encoder whose parameters are integers: numbers with a point are read from their bits."""
    if encoder.parameters.dtype != np.float64:
        return encoder
    bits = encoder.parameters.view(np.int64)
    return Encoder(_calling(_of_bits, encode_first=encoder.function), bits)


encode_first: Any = None
encode_second: Any = None
"""Bound in the functions that are made of others: those others."""


def _of_bits(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the bits of those of another function."""
    return encode_first(states, sources, slots, begin, end, parameters.view(np.float64), scratch)


def _of_both(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: how many the first function has; its number of values; its parameters; those of the second."""
    middle = 2 + parameters[0]
    first = encode_first(states, sources, slots, begin, end, parameters[2:middle], scratch)
    second = encode_second(states, sources, slots, begin, end, parameters[middle:], scratch)
    return first + second * parameters[1]


@lru_cache(maxsize=256)
def _made(outer: FunctionType, inner: tuple[tuple[str, FunctionType], ...]) -> FunctionType:
    return FunctionType(outer.__code__, {**outer.__globals__, **dict(inner)}, outer.__name__)


def _calling(outer: Callable[..., int], **inner: Callable[..., int]) -> Callable[..., int]:
    """A function that calls others by the names that it has for them; the same for the same others."""
    assert isinstance(outer, FunctionType)
    return _made(outer, tuple((name, each) for name, each in inner.items() if isinstance(each, FunctionType)))


def _by_counts(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the largest degree; for each degree the place of its first value; binomials; the values.

    Neighbourhoods of one size are in the order of the number of neighbours that are not in the last state, then of
    those that are in neither of the last two, and so on: the rank of one is a sum of binomials.
    """
    for state in range(len(scratch)):
        scratch[state] = 0
    for arc in range(begin, end):
        scratch[states[sources[arc]]] += 1
    binomials = 2 + parameters[0]
    place = parameters[1 + end - begin]
    lower = 0
    for state in range(len(scratch) - 1):
        lower += scratch[state]
        place += parameters[binomials + lower * (len(scratch) - 1) + state]
    return parameters[place]


@lru_cache(maxsize=16)
def _count_table(aggregation: Aggregation, num_states: int, degrees: tuple[int, ...]) -> Array:
    """Parameters of ``_by_counts``."""
    sizes = [comb(degree + num_states - 1, num_states - 1) for degree in degrees]
    if sum(sizes) > MAX_NEIGHBOURHOODS:
        raise _too_many(aggregation, f"up to {max(degrees)} neighbours in {num_states} states", sum(sizes))
    largest = max(degrees, default=0)
    binomials = [comb(lower + state, state + 1) for lower in range(largest + 1) for state in range(num_states - 1)]
    begins = np.zeros(largest + 1, np.int64)
    begins[list(degrees)] = 2 + largest + len(binomials) + np.cumsum([0, *sizes])[:-1]
    values = [
        _value(aggregation, states, [], num_states)
        for degree in degrees
        for states in _neighbourhoods(degree, num_states)
    ]
    return np.array([largest, *begins.tolist(), *binomials, *values], np.int64)


def _neighbourhoods(degree: int, num_states: int) -> Iterator[list[int]]:
    """Every multiset of this number of states, in the order of its rank."""
    if num_states == 1:
        yield [0] * degree
        return
    for lower in range(degree + 1):
        for states in _neighbourhoods(lower, num_states - 1):
            yield states + [num_states - 1] * (degree - lower)


def _by_slots(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the number of slots; the weight of each slot; the value of each way to fill them."""
    place = 1 + parameters[0]
    for arc in range(begin, end):
        place += (np.int64(states[sources[arc]]) + 1) * parameters[1 + np.int64(slots[arc])]
    return parameters[place]


@lru_cache(maxsize=16)
def _slot_table(aggregation: Aggregation, num_states: int, num_slots: int) -> Array:
    """Parameters of ``_by_slots``: digit ``k`` of a way to fill the slots is one more than the state in slot ``k``."""
    base = num_states + 1
    if base**num_slots > MAX_NEIGHBOURHOODS:
        raise _too_many(aggregation, f"neighbours in {num_slots} slots and {num_states} states", base**num_slots)
    weights = [base**slot for slot in range(num_slots)]
    values: list[int] = []
    for way in range(base**num_slots):
        filled = [(slot, way // weight % base - 1) for slot, weight in enumerate(weights) if way // weight % base]
        values.append(_value(aggregation, [state for _, state in filled], [slot for slot, _ in filled], num_states))
    return np.array([num_slots, *weights, *values], np.int64)


def _value(aggregation: Aggregation, states: list[int], slots: list[int], num_states: int) -> int:
    return _checked(
        aggregation, "encode", aggregation.encode(states, slots, num_states), aggregation.num_values(num_states)
    )


def _checked(aggregation: Aggregation, method: str, value: Any, num_values: int) -> int:
    if not (is_integer(value) or isinstance(value, bool | np.bool_)) or not 0 <= value < num_values:
        raise AutomatonError(
            f"{method} of {type(aggregation).__name__} must return an integer from 0 to {num_values - 1}; "
            f"got {shown(value)}"
        )
    return int(value)


def _too_many(aggregation: Aggregation, what: str, count: int) -> LimitError:
    return LimitError(
        f"nodes with {what} can have {count:,} different neighbourhoods, and the {aggregation.name} aggregation must be"
        f" asked for each (at most {MAX_NEIGHBOURHOODS:,}); give {type(aggregation).__name__} a method with_neighbour "
        "or a compiled_encode"
    )
