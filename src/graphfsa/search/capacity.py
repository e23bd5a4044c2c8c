"""The automata that a learner tries: how large they may be, and what they see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.aggregations import (
    Aggregation,
    CountingAggregation,
    PositionalAggregation,
    RelationsAggregation,
    aggregation_class,
    aggregation_from_config,
    aggregation_names,
)
from graphfsa.checks import check_integer, check_name, shown
from graphfsa.datasets import Examples, Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph

_EXTRA_STATES = 2
_BOUND = 3
_MOST = {"states": 256, "bound": 4096}
Range = int | tuple[int, int] | None


@dataclass(frozen=True)
class Capacity:
    """The automata to try.

    Attributes:
        states: At most this number of states, or (fewest, most); there is one for each class and each input. By default
            two more than that. In an evolution the states are given by the data.
        bound: Count at most to this number, or (least, most). By default 3; in an evolution as far as any node has
            neighbours.
        aggregation: How nodes see their neighbours: an aggregation, the name of one (``average-threshold`` is at one
            half), or ``auto``: relations if the graphs have kinds of arcs, positional if they have slots, else
            counting.
    """

    states: Range = None
    bound: Range = None
    aggregation: str | Aggregation = "auto"

    def __post_init__(self) -> None:
        for what, given in (("states", self.states), ("bound", self.bound)):
            if given is not None:
                object.__setattr__(self, what, _checked_range(what, given))
        if isinstance(self.aggregation, Mapping):
            object.__setattr__(self, "aggregation", aggregation_from_config(self.aggregation))
        elif isinstance(self.aggregation, type) and issubclass(self.aggregation, Aggregation):
            object.__setattr__(self, "aggregation", self.aggregation())
        elif not isinstance(self.aggregation, Aggregation):
            check_name("aggregation", self.aggregation, ["auto", *aggregation_names()])

    def extras(self, task: Task) -> range:
        """How many states to try beyond those of the classes and the inputs."""
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
            what = f"{len(task.classes)} classes and {len(task.inputs)} inputs need at least {named} states"
            raise GraphFSAError(f"{what}; got states={high}")
        return range(max(0, low - named), high - named + 1)

    @property
    def most_counted(self) -> int | None:
        """The largest bound, if one was given."""
        return self.bound[1] if isinstance(self.bound, tuple) else self.bound

    def aggregations(self, examples: Examples) -> list[Aggregation]:
        """The aggregations to try, simplest first."""
        graph = examples.graphs.graph
        kind = self.aggregation
        if isinstance(kind, Aggregation):
            kind.fitting(graph)
            return [kind]
        if kind == "auto":
            kind = "counting" if graph.slots is None else "positional" if graph.kinds is None else "relations"
        if kind == "positional":
            if graph.slots is None and graph.num_arcs:
                raise GraphFSAError("positional aggregation needs graphs with neighbour slots; these have none")
            return [PositionalAggregation(max(1, graph.num_slots))]
        if kind not in ("counting", "relations"):
            found = aggregation_class(kind)()
            found.check_graph(graph)
            return [found]
        most = int(np.diff(graph.indptr).max(initial=1)) or 1
        usual = (1, most) if examples.task.kind == "evolution" else (1, min(most, _BOUND))
        low, high = _limits(self.bound, usual)
        if kind == "relations":
            kinds = graph.kinds or tuple(map(str, range(max(1, graph.num_slots))))
            return list(dict.fromkeys(_relations(kinds, bound, graph) for bound in range(low, high + 1)))
        return [CountingAggregation(bound) for bound in range(low, high + 1)]


def _relations(kinds: tuple[str, ...], bound: int, graph: Graph) -> RelationsAggregation:
    """Each kind counted up to a bound, or less far if no node has as many arcs of it."""
    found = RelationsAggregation(kinds, bound)
    found.check_graph(graph)
    if graph.slots is None:
        return found
    arcs = np.bincount(graph.targets().astype(np.int64) * len(kinds) + graph.slots, minlength=len(kinds))
    most = [int(arcs[kind :: len(kinds)].max(initial=0)) for kind in range(len(kinds))]
    return RelationsAggregation(kinds, tuple(max(1, min(bound, number)) for number in most))


def _checked_range(what: str, given: Any) -> Range:
    numbers = given if isinstance(given, tuple) else (given,)
    other = ", or a range (4, 6), on the command line 4..6"
    for number in numbers:
        check_integer(what, number, 1, _MOST[what], or_else=other)
    if len(numbers) != 1 + isinstance(given, tuple) or numbers[0] > numbers[-1]:
        raise GraphFSAError(f"{what} must be an integer from 1 to {_MOST[what]}{other}; got {shown(given)}")
    return (int(numbers[0]), int(numbers[-1])) if isinstance(given, tuple) else int(given)


def _limits(given: Range, usual: tuple[int, int]) -> tuple[int, int]:
    if given is None:
        return usual
    return given if isinstance(given, tuple) else (min(given, usual[0]), given)
