"""How large automata may be that a learner tries, and what they may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.aggregations import Aggregation, AverageThresholdAggregation, CountingAggregation, PositionalAggregation
from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError, UnknownNameError

_EXTRA_STATES = 2
_BOUND = 3
_MOST = {"states": 256, "bound": 4096}
_KINDS = ("auto", "counting", "positional", "average-threshold")
Range = int | tuple[int, int] | None


@dataclass(frozen=True)
class Capacity:
    """The automata to try.

    Attributes:
        states: How many states at most, or (fewest, most), among them one for each class and each input class. By
            default two more than that. In an evolution the states are given by the data.
        bound: How far to count at most, or (least, most). By default 3; in an evolution as far as any node has
            neighbours.
        aggregation: ``counting``, ``positional``, ``average-threshold`` (at one half), or ``auto``: positional if the
            graphs have slots, else counting.
    """

    states: Range = None
    bound: Range = None
    aggregation: str = "auto"

    def __post_init__(self) -> None:
        for what, given in (("states", self.states), ("bound", self.bound)):
            if given is not None:
                object.__setattr__(self, what, _checked_range(what, given))
        if self.aggregation not in _KINDS:
            raise UnknownNameError("aggregation", str(self.aggregation), _KINDS)

    def extras(self, task: Task) -> range:
        """How many states to try beyond those of the classes and the input classes."""
        if task.kind == "evolution":
            named = len(task.classes)
            low, high = _limits(self.states, (named, named))
            if not low <= named <= high:
                raise GraphFSAError(
                    f"the states of an evolution are those of the data, {named}; got states={self.states}"
                )
            return range(1)
        named = len(task.classes) + len(task.inputs)
        low, high = _limits(self.states, (named, named + _EXTRA_STATES))
        if high < named:
            what = f"{len(task.classes)} classes and {len(task.inputs)} input classes need {named} states at least"
            raise GraphFSAError(f"{what}; got states={high}")
        return range(max(0, low - named), high - named + 1)

    def aggregations(self, examples: Examples) -> list[Aggregation]:
        """The aggregations to try, simplest first."""
        graph = examples.graphs.graph
        kind = self.aggregation
        if kind == "auto":
            kind = "counting" if graph.slots is None else "positional"
        if kind == "positional":
            if graph.slots is None and graph.num_arcs:
                raise GraphFSAError("positional aggregation needs graphs with neighbour slots; these have none")
            return [PositionalAggregation(max(1, graph.num_slots))]
        if kind == "average-threshold":
            return [AverageThresholdAggregation()]
        most = int(np.diff(graph.indptr).max(initial=1)) or 1
        usual = (1, most) if examples.task.kind == "evolution" else (1, min(most, _BOUND))
        low, high = _limits(self.bound, usual)
        return [CountingAggregation(bound) for bound in range(low, high + 1)]


def _checked_range(what: str, given: Any) -> Range:
    numbers = given if isinstance(given, tuple) else (given,)
    whole = all(isinstance(number, int | np.integer) and not isinstance(number, bool) for number in numbers)
    if not whole or len(numbers) != 1 + isinstance(given, tuple) or min(numbers) < 1 or numbers[0] > numbers[-1]:
        raise GraphFSAError(f"{what} must be a whole number above 0, or (least, most); got {given!r}")
    if numbers[-1] > _MOST[what]:
        raise GraphFSAError(f"{what} must be at most {_MOST[what]}; got {numbers[-1]}")
    return (int(numbers[0]), int(numbers[-1])) if isinstance(given, tuple) else int(given)


def _limits(given: Range, usual: tuple[int, int]) -> tuple[int, int]:
    if given is None:
        return usual
    return given if isinstance(given, tuple) else (min(given, usual[0]), given)
