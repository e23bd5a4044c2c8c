"""The ladder of automata to try, simplest first, and how a small automaton is written as a larger one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from graphfsa.aggregations import Aggregation, CountingAggregation
from graphfsa.arrays import Array
from graphfsa.errors import AutomatonError, GraphFSAError, LimitError
from graphfsa.search.problem import Shape


@dataclass(frozen=True, eq=False)
class Rung:
    """Automata of one shape, with some starting states taken together.

    Attributes:
        shape: How many states, and the aggregation.
        merged: For each input class the number of its starting state; classes with the same number start alike.
    """

    shape: Shape
    merged: tuple[int, ...]

    @property
    def bound(self) -> int | None:
        """How far the automata count; None if they do not."""
        aggregation = self.shape.aggregation
        return aggregation.bound if isinstance(aggregation, CountingAggregation) else None

    @property
    def size(self) -> tuple[int, int]:
        """Entries and states of the automaton that is written in the end, with one starting state per input class."""
        states = self.shape.num_final + len(self.merged) + self.shape.num_extra
        return states * self.shape.aggregation.num_values(states), states

    def describe(self, inputs: Sequence[str]) -> str:
        """The rung in words."""
        shape = self.shape
        text = f"{shape.num_states} states"
        if self.bound is not None:
            text += f", bound {self.bound}"
        groups = [
            [name for name, place in zip(inputs, self.merged, strict=True) if place == k] for k in set(self.merged)
        ]
        alike = [" = ".join(group) for group in groups if len(group) > 1]
        return f"{text}, {', '.join(alike)} alike" if alike else text

    def covers(self, other: Rung) -> bool:
        """Whether every automaton of another rung can be written as one of this one."""
        mine, its = self.shape, other.shape
        if self.bound is None or other.bound is None:
            narrower = mine.aggregation == its.aggregation
        else:
            narrower = other.bound <= self.bound
        coarser = all(
            other.merged[a] == other.merged[b]
            for a in range(len(self.merged))
            for b in range(a)
            if self.merged[a] == self.merged[b]
        )
        return narrower and coarser and its.num_extra <= mine.num_extra


def ladder(
    num_final: int, mergings: Sequence[tuple[int, ...]], extras: Sequence[int], aggregations: Sequence[Aggregation]
) -> list[Rung]:
    """All rungs, those of small automata first.

    Shapes whose tables are too large to allocate are left out, and those that an aggregation can't have since it is
    about further states.

    Raises:
        LimitError: Not even the smallest table can be allocated.
        AutomatonError: The aggregation can't have any of the shapes.
    """
    rungs: list[Rung] = []
    refused: GraphFSAError | None = None
    for merged in mergings:
        for extra in extras:
            for aggregation in aggregations:
                shape = Shape(num_final, len(set(merged)), extra, aggregation)
                try:
                    _ = shape.num_values
                except LimitError as error:
                    refused = error
                    break  # Larger bounds have larger tables.
                except AutomatonError as error:
                    refused = error
                    continue
                rungs.append(Rung(shape, merged))
    if not rungs and refused is not None:
        raise refused
    return sorted(rungs, key=lambda rung: (rung.size, rung.shape.num_states))


def partitions(count: int, apart: Sequence[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """Every way to put classes into groups so that certain pairs stay apart: the group of each class, from 0 on."""
    forbidden = {frozenset(pair) for pair in apart}

    def extend(groups: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        new = len(groups)
        if new == count:
            yield groups
            return
        for group in range(max(groups, default=-1) + 2):
            if not any(frozenset((new, old)) in forbidden for old in range(new) if groups[old] == group):
                yield from extend((*groups, group))

    return extend(())


def spread(table: Array, rung: Rung) -> tuple[Array, Shape] | None:
    """The same automaton with one starting state for each input class.

    Returns:
        The larger table and its shape; None if the aggregation does not say how values change when states are told
        apart.
    """
    small = rung.shape
    count = len(rung.merged)
    large = Shape(small.num_final, count, small.num_extra, small.aggregation)
    if large.num_states == small.num_states:
        return table, small
    down = np.array(
        [
            *range(small.num_final),
            *(small.num_final + group for group in rung.merged),
            *range(small.num_final + small.num_starting, small.num_states),
        ]
    )
    up = np.array([int(np.flatnonzero(down == state)[0]) for state in range(small.num_states)])
    values = _values(small.aggregation, down, small.num_states)
    if values is None:
        return None
    return up[table[down][:, values]].astype(table.dtype), large


def _values(aggregation: Aggregation, down: Array, num_states: int) -> Array | None:
    """For each value over the larger set of states, the value over the smaller one; found neighbour by neighbour."""
    found = np.full(aggregation.num_values(len(down)), -1, np.int64)
    slots = getattr(aggregation, "num_slots", 1)
    empty = aggregation.encode([], [], len(down))
    found[empty] = aggregation.encode([], [], num_states)
    waiting = [empty]
    while waiting:
        value = waiting.pop()
        for state, image in enumerate(down.tolist()):
            for slot in range(slots):
                more = aggregation.with_neighbour(value, state, slot, len(down))
                fewer = aggregation.with_neighbour(int(found[value]), image, slot, num_states)
                if more is None or fewer is None:
                    continue
                if found[more] < 0:
                    found[more] = fewer
                    waiting.append(more)
                elif found[more] != fewer:
                    return None
    if (aggregation.possible_values(range(len(down)), len(down)) & (found < 0)).any():
        return None
    return np.where(found < 0, found[empty], found)  # What no neighbourhood has may be anything.
