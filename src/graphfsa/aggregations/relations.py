"""Relations: neighbours are counted apart by the kind of the arc: parents and children, single and double bonds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from graphfsa.aggregations._base import Aggregation, Counts, check_some, check_value, combined, membership, mixed_radix
from graphfsa.aggregations._features import Census, Features, digit_columns
from graphfsa.arrays import Array
from graphfsa.checks import check_integer, shown
from graphfsa.errors import AutomatonError, GraphError
from graphfsa.graphs.convert import GraphLike, as_graph
from graphfsa.graphs.kinds import check_kinds


def _compiled_encode(states: Any, sources: Any, slots: Any, begin: int, end: int, parameters: Any, scratch: Any) -> int:
    """Parameters: the number of kinds, the largest bound; the bound and the weight of each bit; where counters begin.

    A bit stands for a kind and a state. No step of the walk over the arcs depends on what was seen before in a way that
    the processor would have to guess. Up to bound 3 words hold the bits seen once, twice and three times; beyond, an
    entry of ``scratch`` has a counter for each kind that is seen, with as many bits as its bound: a table that fits in
    memory leaves room for all of them.
    """
    kinds, most = parameters[0], parameters[1]
    num_states = len(scratch)
    count = kinds * num_states
    bounds, weights, shifts = 2, 2 + count, 2 + 2 * count
    value = 0
    if most <= 3 and count <= 62:
        once, twice, thrice = 0, 0, 0
        if most == 1:
            for arc in range(begin, end):
                once |= 1 << (np.int64(slots[arc]) * num_states + np.int64(states[sources[arc]]))
        else:
            for arc in range(begin, end):
                bit = 1 << (np.int64(slots[arc]) * num_states + np.int64(states[sources[arc]]))
                thrice |= twice & bit
                twice |= once & bit
                once |= bit
        for place in range(count):
            seen = (once >> place & 1) + (twice >> place & 1) + (thrice >> place & 1)
            value += min(seen, parameters[bounds + place]) * parameters[weights + place]
        return value
    for state in range(num_states):
        scratch[state] = 0
    for arc in range(begin, end):
        state = np.int64(states[sources[arc]])
        kind = np.int64(slots[arc])
        place, shift = kind * num_states + state, parameters[shifts + kind]
        mask = (1 << (parameters[shifts + kind + 1] - shift)) - 1
        more = np.int64((scratch[state] >> shift) & mask < parameters[bounds + place])
        scratch[state] += more << shift
        value += more * parameters[weights + place]
    return value


@dataclass(frozen=True)
class RelationsAggregation(Aggregation):
    """Counting, apart for each kind of arc: the value is ``min(bound, count)`` for each kind and state.

    There are as many values as the product of ``(bound + 1) ** num_states`` over the kinds. With bound 1 for parents,
    of whom a node has at most one, and 2 for children, it sees which state the parent is in, and whether no, one or
    more children are in each. Graphs must have kinds of arcs; see ``Graph`` and ``graphs.both_ways``. A graph whose
    slots have no names will do as well: slot 0 is then the first kind.

    Attributes:
        kinds: Names of the kinds.
        bound: Up to what number neighbours of one kind in one state are counted exactly: one number for all kinds, or
            one for each. With 0, the kind is not seen; at least one must be seen.

    Example:
        >>> family = RelationsAggregation(kinds=("parent", "child"), bound=(1, 2))
        >>> value = family.encode([0, 1, 1, 1], [0, 1, 1, 1], num_states=2)
        >>> family.decode(value, ["off", "on"])
        'parent: 1+ off, 0 on; child: 0 off, 2+ on'
    """

    name: ClassVar[str] = "relations"

    kinds: tuple[str, ...] = ("in", "out")
    bound: int | tuple[int, ...] = 1

    uses_slots = True
    uses_kinds = True
    compiled_encode = staticmethod(_compiled_encode)

    def __post_init__(self) -> None:
        try:
            kinds = check_kinds(self.kinds)
        except GraphError as error:
            raise AutomatonError(str(error)) from None
        given: Any = self.bound
        bounds = tuple(given) if isinstance(given, tuple | list) else (given,) * len(kinds)
        bounds = tuple(check_integer("bound", bound, 0, 4096, error=AutomatonError) for bound in bounds)
        if len(bounds) != len(kinds):
            raise AutomatonError(f"bound must be one number, or one for each of {len(kinds)} kinds; got {shown(given)}")
        if not any(bounds):
            raise AutomatonError(f"bound must be at least 1 for some kind; got {shown(given)}")
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "bound", bounds[0] if len(set(bounds)) == 1 else bounds)

    @property
    def bounds(self) -> tuple[int, ...]:
        """The bound of each kind."""
        return self.bound if isinstance(self.bound, tuple) else (self.bound,) * len(self.kinds)

    @property
    def num_slots(self) -> int:
        """How many kinds there are."""
        return len(self.kinds)

    @property
    def seen_kinds(self) -> tuple[str, ...]:  # noqa: D102
        return self.kinds

    def num_values(self, num_states: int) -> int:  # noqa: D102
        return prod(self._bases(num_states))

    def encode(self, states: Sequence[int], slots: Sequence[int], num_states: int) -> int:  # noqa: D102
        counts = [[0] * num_states for _ in self.kinds]
        for state, kind in zip(states, slots, strict=True):
            counts[kind][state] = min(self.bounds[kind], counts[kind][state] + 1)
        digits = [count for kind in self._seen for count in counts[kind]]
        value = 0
        for digit, base in zip(reversed(digits), reversed(self._bases(num_states)), strict=True):
            value = value * base + digit
        return value

    def digits(self, value: int, num_states: int) -> tuple[int, ...]:
        """The bounded count of each state, for each kind that is seen."""
        check_value(value, self.num_values(num_states))
        return mixed_radix(value, self._bases(num_states))

    def digit_labels(self, state_names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:  # noqa: D102
        return tuple(
            (f"{self.kinds[kind]}: {name}", (*map(str, range(self.bounds[kind])), f"{self.bounds[kind]}+"))
            for kind in self._seen
            for name in state_names
        )

    def with_neighbour(self, value: int, state: int, slot: int, num_states: int) -> int | None:  # noqa: D102
        check_value(value, self.num_values(num_states))
        if not 0 <= slot < len(self.kinds):
            return None
        weight, bound = self._weights(num_states)[slot][state], self.bounds[slot]
        return value + weight if bound and value // weight % (bound + 1) < bound else value

    def possible_values(self, states: Sequence[int], num_states: int) -> Array:  # noqa: D102
        known = membership(states, num_states)
        columns = [(np.arange(self.bounds[kind] + 1) == 0) | there for kind in self._seen for there in known]
        return combined(np.logical_and, columns)

    def restricted(self, states: Sequence[int], num_states: int) -> tuple[Aggregation, Array]:  # noqa: D102
        check_some(states, num_states)
        weights = self._weights(num_states)
        columns = [
            np.arange(self.bounds[kind] + 1, dtype=np.int64) * weights[kind][state]
            for kind in self._seen
            for state in states
        ]
        return self, combined(np.add, columns)

    def observation(self, value: int, state_names: Sequence[str]) -> dict[str, Counts]:
        """The bounded counts of each kind that is seen, by state name or index: ``seen["parent"]["on"]``."""
        digits, count = self.digits(value, len(state_names)), len(state_names)
        return {
            self.kinds[kind]: Counts(state_names, digits[place * count : (place + 1) * count])
            for place, kind in enumerate(self._seen)
        }

    def features(self, state_names: Sequence[str]) -> Features:
        """Counts of any set of states, for each kind that is seen."""
        count = len(state_names)
        digits = digit_columns(self.num_values(count), self._bases(count))
        return Features(
            censuses=tuple(
                Census(
                    digits[place * count : (place + 1) * count],
                    self.bounds[kind],
                    self.kinds[kind],
                    source=f"seen[{self.kinds[kind]!r}]",
                )
                for place, kind in enumerate(self._seen)
            )
        )

    def decode(self, value: int, state_names: Sequence[str]) -> str:  # noqa: D102
        words: list[str] = []
        for kind, counts in self.observation(value, state_names).items():
            bound = self.bounds[self.kinds.index(kind)]
            counted = ", ".join(f"{number}{'+' if number == bound else ''} {name}" for name, number in counts.items())
            words.append(f"{kind}: {counted}")
        return "; ".join(words)

    def parameters(self, num_states: int) -> Array:  # noqa: D102
        shifts = accumulate((bound.bit_length() for bound in self.bounds), initial=0)
        bounds = [bound for bound in self.bounds for _ in range(num_states)]
        weights = [weight for row in self._weights(num_states) for weight in row]
        return np.array([len(self.kinds), max(self.bounds), *bounds, *weights, *shifts], np.int64)

    def check_graph(self, graph: GraphLike) -> None:  # noqa: D102
        graph = as_graph(graph)
        super().check_graph(graph)
        if not graph.num_arcs:
            return
        if graph.kinds is None and graph.num_slots > len(self.kinds):
            raise AutomatonError(
                f"relations aggregation knows {len(self.kinds)} kinds; the graph uses slot {graph.num_slots - 1}"
            )
        if graph.kinds not in (None, self.kinds):
            raise AutomatonError(
                f"relations aggregation sees the kinds {', '.join(map(shown, self.kinds))}; the graph has "
                f"{', '.join(map(shown, graph.kinds or ()))} (with_kinds gives a graph others, or another order)"
            )

    def config(self) -> dict[str, Any]:  # noqa: D102
        bound = list(self.bound) if isinstance(self.bound, tuple) else self.bound
        return {"name": self.name, "kinds": list(self.kinds), "bound": bound}

    @classmethod
    def from_config(cls, fields: Mapping[str, Any]) -> Self:  # noqa: D102
        return super().from_config({key: tuple(got) if isinstance(got, list) else got for key, got in fields.items()})

    @property
    def _seen(self) -> list[int]:
        """The kinds that are seen, by number."""
        return [kind for kind, bound in enumerate(self.bounds) if bound]

    def _bases(self, num_states: int) -> list[int]:
        return [self.bounds[kind] + 1 for kind in self._seen for _ in range(num_states)]

    def _weights(self, num_states: int) -> list[list[int]]:
        """What one more neighbour of each kind in each state adds to the value; 0 for kinds that are not seen."""
        weights: list[list[int]] = []
        weight = 1
        for bound in self.bounds:
            weights.append([weight * (bound + 1) ** state if bound else 0 for state in range(num_states)])
            weight *= (bound + 1) ** num_states
        return weights
