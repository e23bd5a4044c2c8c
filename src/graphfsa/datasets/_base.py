"""What a data set is: a task and a generator of labelled graphs over (size, count, steps, rng)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphBatch, all_graphs
from graphfsa.plugins import Plugin

MAX_NODES = 2**27
_T = TypeVar("_T")


@dataclass(frozen=True)
class Split:
    """Which graphs a split has: pairs (size, count), and after how many steps their labels hold.

    Attributes:
        parts: Number of nodes and number of graphs, for each size.
        steps: The steps of the labels; None: the data set's own number for each size.
    """

    parts: tuple[tuple[int, int], ...]
    steps: int | None = None

    def resized(self, sizes: Sequence[int] | None, count: int | None) -> Split:
        """The same with other sizes or another number of graphs in all, which all sizes share equally.

        Args:
            sizes: Number of nodes, for each size; as they are if not given. The first ones get what can't be shared.
            count: Number of graphs of all sizes together; as it is if not given. Sizes without any graph are left out.
        """
        if sizes is None and count is None:
            return self
        chosen = [size for size, _ in self.parts] if sizes is None else sizes
        total = sum(number for _, number in self.parts) if count is None else count
        each, rest = divmod(total, len(chosen))
        parts = [(size, each + (place < rest)) for place, size in enumerate(chosen)]
        return replace(self, parts=tuple(part for part in parts if part[1]))


class Dataset(Plugin, ABC):
    """The contract. A new data set is one frozen dataclass that extends this, in this room or in a file of your own.

    Its fields are the options of the data set, and it must be constructible without arguments. Labels are computed
    from the definition of the task, never by an automaton (GRAB excepted, whose definition is an automaton).
    """

    kind = "data set"
    room = "graphfsa.datasets"

    splits: ClassVar[Mapping[str, Split]]
    """The default ``train``, ``validation`` and ``test``, as in the paper and its authors' scripts.

    Algorithms on graphs also have ``learn``: many small graphs of every size up to 10.
    """

    @property
    @abstractmethod
    def task(self) -> Task:
        """The task."""

    @property
    @abstractmethod
    def graph_class(self) -> str | None:
        """The class of graphs that the task is defined on, one of ``GRAPH_CLASSES``; None for boards."""

    @abstractmethod
    def num_instances(self, size: int) -> int:
        """How many inputs the task admits on a graph of so many nodes; nothing is listed."""

    @abstractmethod
    def instances(self, graph: Graph) -> Array:
        """Every input that the task admits on a graph, uint8 [num_instances, num_nodes], always in the same order.

        Raises:
            LimitError: There are more than 2^22.
        """

    @abstractmethod
    def label(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """The definition of the task, applied to any graphs and inputs that it admits.

        Args:
            graphs: The graphs, numbered in whichever way.
            inputs: Input class of each node of their union.
            steps: Steps after which the labels hold; None for the data set's own number for each size.

        Raises:
            GraphFSAError: The task is not defined on one of the graphs, or not for its inputs.
        """

    @abstractmethod
    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:
        """Draw ``count`` labelled graphs of ``size`` nodes.

        Args:
            size: Number of nodes of each graph.
            count: Number of graphs.
            rng: Source of randomness.
            steps: Steps after which the labels hold; None for the data set's own number.
        """

    @abstractmethod
    def automaton(self) -> GraphFSA:
        """An automaton that solves the task exactly."""

    def every_graph(self, size: int) -> GraphBatch:
        """Every graph of so many nodes that the task is defined on, up to isomorphism; maybe none."""
        assert self.graph_class is not None
        return all_graphs(self.graph_class, size)

    def generate_split(self, split: Split, rng: np.random.Generator) -> Examples:
        """Draw all graphs of a split; each size has a source of randomness of its own."""
        children = rng.spawn(len(split.parts))
        parts = [
            self.generate(size, count, child, steps=split.steps)
            for (size, count), child in zip(split.parts, children, strict=True)
        ]
        return Examples.concatenate(parts)

    def options(self) -> dict[str, Any]:
        """The options of this data set with their values."""
        return asdict(self)  # pyright: ignore[reportArgumentType]

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Self:
        """Build from options as text, as on the command line; an unknown one lists the valid ones."""
        defaults = asdict(cls())  # pyright: ignore[reportArgumentType]
        known = {field.name.replace("_", "-"): field.name for field in fields(cls)}  # pyright: ignore[reportArgumentType]
        given: dict[str, Any] = {}
        for key, text in options.items():
            if key.replace("_", "-") not in known:
                valid = ", ".join(known) or "none"
                raise GraphFSAError(f"unknown option {key!r} of this data set; valid options: {valid}")
            name = known[key.replace("_", "-")]
            given[name] = _value(key, text, defaults[name])
        return cls(**given)


def _value(key: str, text: str, default: Any) -> Any:
    """Text as a value of the kind of the default."""
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise GraphFSAError(f"option {key} must be true or false; got {text!r}")
        return text == "true"
    if isinstance(default, int):
        if not (text.isascii() and text.isdigit() and len(text) < 12):
            raise GraphFSAError(f"option {key} must be a whole number of at least 0; got {text!r}")
        return int(text)
    return text


def check_choice(what: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise unless a value is one of a few."""
    if value not in choices:
        raise GraphFSAError(f"{what} must be one of {', '.join(map(str, choices))}; got {value!r}")


def check_size(what: str, size: Any, minimum: int, count: Any) -> None:
    """Raise unless so many graphs of a size can be drawn; nothing is allocated."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < minimum:
        raise GraphFSAError(f"{what} must have at least {minimum} node{'s' * (minimum > 1)}; got {size!r}")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise GraphFSAError(f"the number of graphs must be a whole number of at least 0; got {count!r}")
    if int(size) * int(count) > MAX_NODES:
        raise LimitError(
            f"{count} graphs of {size} nodes are {int(size) * int(count)} nodes; at most {MAX_NODES} are drawn at once"
        )


def check_steps(steps: int | None, default: _T) -> int | _T:
    """The number of steps, or the default."""
    if steps is None:
        return default
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or not 0 <= steps < 2**31:
        raise GraphFSAError(f"steps must be a whole number in 0 .. {2**31 - 1}; got {steps!r}")
    return int(steps)
