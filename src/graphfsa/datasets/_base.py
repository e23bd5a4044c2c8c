"""What a data set is: a task and a generator of labelled graphs over (size, count, steps, rng)."""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_integer, check_type, is_integer, shown, type_name
from graphfsa.datasets._evolution_specification import EvolutionSpecification
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._specification import TreeSpecification
from graphfsa.datasets._task import Task
from graphfsa.datasets._wave_specification import WaveSpecification
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph, GraphBatch, all_graphs
from graphfsa.plugins import Plugin, find_plugin, plugin_names, plugin_reference

MAX_NODES = 2**27
CHECK_SIZES = (10, 12, 15, 20, 30, 50, 100, 300, 1000)
"""Sizes of random graphs to check an automaton on, for data sets that have graphs of every size."""
Specification = TreeSpecification | WaveSpecification | EvolutionSpecification
"""A statement that can be proved of an automaton, for graphs of every size."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Split:
    """Which graphs a split has: pairs (size, count), and after how many steps their labels hold.

    Attributes:
        parts: Number of nodes and number of graphs, for each size.
        steps: Steps after which the labels hold; None for the data set's own number for each size.
    """

    parts: tuple[tuple[int, int], ...]
    steps: int | None = None

    def resized(self, sizes: int | Sequence[int] | None, count: int | None) -> Split:
        """The same with other sizes or another number of graphs in all, which all sizes share equally.

        Args:
            sizes: The sizes, or one size; by default those of the split. The first ones get what can't be shared
                equally.
            count: Number of graphs of all sizes together; by default that of the split. Sizes without any graph are
                left out.

        Raises:
            GraphFSAError: There are no sizes.
        """
        if sizes is None and count is None:
            return self
        chosen: Any = [size for size, _ in self.parts] if sizes is None else [sizes] if is_integer(sizes) else sizes
        if isinstance(chosen, str) or not isinstance(chosen, Collection):
            raise GraphFSAError(f"sizes must be a list of integers; got {shown(chosen)}")
        if not len(chosen):
            raise GraphFSAError("sizes must name at least one size; got none")
        total = sum(number for _, number in self.parts) if count is None else count
        each, rest = divmod(total, len(chosen))
        parts = [(size, each + (place < rest)) for place, size in enumerate(chosen)]
        return replace(self, parts=tuple(part for part in parts if part[1]))


class Dataset(Plugin, ABC):
    """The contract. A new data set is one frozen dataclass that extends this, in this room or in a file of your own.

    Its fields are the options of the data set, and it must be constructible without arguments. Labels are computed
    from the definition of the task, never by an automaton (GRAB excepted, whose definition is an automaton).
    :class:`~graphfsa.datasets.CustomTask` needs much less: how one graph is labelled.
    """

    kind = "data set"
    room = "graphfsa.datasets"

    splits: ClassVar[Mapping[str, Split]]
    """The default ``train``, ``validation`` and ``test``; those of the paper are as in its authors' scripts.

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
        """How many inputs the task admits on a graph of this size, at most; nothing is listed."""

    @abstractmethod
    def instances(self, graph: Graph) -> Array:
        """Every input that the task admits on a graph, uint8 [num_instances, num_nodes], always in the same order.

        Raises:
            LimitError: There are more than 2^22.
        """

    @abstractmethod
    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """The definition of the task, applied to any graphs and inputs that it admits.

        Args:
            graphs: The graphs; how their nodes are numbered does not matter.
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

    def automaton(self) -> GraphFSA:
        """An automaton that solves the task exactly.

        Raises:
            GraphFSAError: None is known, as for most tasks of one's own.
        """
        raise GraphFSAError(f"no automaton for {self.name} is known; learn one")

    def specifications(self) -> tuple[Specification, ...]:
        """The definition of the task as statements that can be proved of an automaton, for graphs of every size.

        The first is about all graphs of ``graph_class``, others about fewer. By default there are none: then an
        automaton can be verified on small graphs only.
        """
        return ()

    def check_sizes(self) -> tuple[int, ...]:
        """Sizes of random graphs to check an automaton on: those of the splits, up to 1,000."""
        sizes = {size for split in self.splits.values() for size, _ in split.parts}
        return tuple(sorted(size for size in sizes if size <= CHECK_SIZES[-1]))

    def draw_for_check(self, size: int, count: int, rng: np.random.Generator) -> Examples:
        """Draw labelled graphs to check an automaton on; by default as for training."""
        return self.generate(size, count, rng, steps=1 if self.task.kind == "evolution" else None)

    def every_graph(self, size: int) -> GraphBatch:
        """Every graph of this size that the task is defined on, up to isomorphism; there may be none."""
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

    @property
    def reference(self) -> str:
        """How a file names it: by its name, or as ``file.py:Class``."""
        return plugin_reference(type(self))

    def options(self) -> dict[str, Any]:
        """The options of this data set with their values."""
        return asdict(self)  # pyright: ignore[reportArgumentType]

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Build it from options by name: values, or strings as on the command line.

        Raises:
            GraphFSAError: There is no such option, and the message lists those that there are, or a value is not valid;
                or the class can't be built without arguments, and the message says what is missing.
        """
        _check_class(cls)
        defaults = asdict(cls())  # pyright: ignore[reportArgumentType]
        known = {field.name.replace("_", "-"): field.name for field in fields(cls)}  # pyright: ignore[reportArgumentType]
        given: dict[str, Any] = {}
        for key, value in options.items():
            if key.replace("_", "-") not in known:
                valid = ", ".join(known) or "none"
                raise GraphFSAError(f"unknown option {key!r} of {cls.name}; valid options: {valid}")
            name = known[key.replace("_", "-")]
            given[name] = _value(key, value, defaults[name])
        return cls(**given)

    @classmethod
    def from_function(cls, function: Callable[..., Any]) -> type[Dataset]:
        """The data set that a function labels: see :func:`~graphfsa.datasets.oracle_task`."""
        from graphfsa.datasets._oracle import oracle_task

        return oracle_task(function)


def dataset_names() -> list[str]:
    """Names of all data sets, sorted."""
    return plugin_names(Dataset)


def dataset_class(name: str) -> type[Dataset]:
    """The class of the data set with a name, or that ``file.py:Class`` or ``file.py:function`` names."""
    return find_plugin(Dataset, name)


def as_dataset(given: Any, options: Mapping[str, Any] | None = None) -> Dataset:
    """A data set from its name, ``file.py:Class`` or ``file.py:function``, a class, a function, or from itself.

    Args:
        given: The data set.
        options: Its options, as values or as strings.

    Raises:
        UnknownNameError: There is no data set with this name; the message lists those that there are.
        GraphFSAError: An option is not valid, or what was given can't be a data set.

    Example:
        >>> as_dataset("path-finding", {"colours": "2"})
        PathFinding(colours=2, trees='uniform')
    """
    if isinstance(given, Dataset):
        if options:
            raise GraphFSAError(f"options must be given when {given.name} is built; got {', '.join(options)}")
        return given
    if isinstance(given, type) and issubclass(given, Dataset):
        return given.from_options(options or {})
    if inspect.isfunction(given):
        return Dataset.from_function(given).from_options(options or {})
    if not isinstance(given, str):
        raise GraphFSAError(
            f"a data set must be a name, a class, a function or a Dataset; got {type_name(type(given))}"
        )
    return dataset_class(given).from_options(options or {})


def _check_class(cls: type[Dataset]) -> None:
    """Raise unless a data set of this class can be built without arguments."""
    missing = sorted(cls.__abstractmethods__)
    if missing:
        raise GraphFSAError(f"{cls.__name__} must define {', '.join(missing)} to be a data set")
    if not is_dataclass(cls):
        raise GraphFSAError(f"{cls.__name__} must be a frozen dataclass to be a data set")
    required = [
        parameter.name
        for parameter in inspect.signature(cls).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if required:
        raise GraphFSAError(f"{cls.__name__}: every option must have a default; {', '.join(required)} has none")


def _value(key: str, text: Any, default: Any) -> Any:
    """A string, or a value of JSON, as a value of the kind of the default; other values must be of that kind."""
    if isinstance(default, float):
        return _number(key, text)
    if isinstance(default, tuple):
        return _tuple(key, text, default)  # pyright: ignore[reportUnknownArgumentType]
    if not isinstance(text, str):
        return check_type(f"option {key}", text, type(default)) if isinstance(default, bool | int | str) else text
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise GraphFSAError(f"option {key} must be true or false; got {text!r}")
        return text == "true"
    if isinstance(default, int):
        if not (text.isascii() and text.isdigit() and len(text) < 12):
            raise GraphFSAError(f"option {key} must be an integer >= 0; got {shown(text)}")
        return int(text)
    return text


def _number(key: str, given: Any) -> float:
    try:
        number = math.nan if isinstance(given, bool) else float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise GraphFSAError(f"option {key} must be a number; got {shown(given)}")
    return number


def _tuple(key: str, given: Any, default: tuple[Any, ...]) -> tuple[Any, ...]:
    """A list, or values with commas between them, as a tuple; each value is of the kind of that in its place."""
    if isinstance(given, str):
        given = [part.strip() for part in given.split(",")] if given.strip() else []
    if not isinstance(given, list | tuple):
        raise GraphFSAError(f"option {key} must be a list of values; got {shown(given)}")
    values: Sequence[Any] = given  # pyright: ignore[reportUnknownVariableType]
    kinds = [*default[: len(values)], *default[-1:] * (len(values) - len(default))] or [None] * len(values)
    return tuple(_value(key, value, kind) for value, kind in zip(values, kinds, strict=True))


def check_size(what: str, size: Any, minimum: int, count: Any) -> None:
    """Raise unless this number of graphs of a size can be drawn; nothing is allocated.

    Args:
        what: What has this size, for the message: ``"a path with a root"``.
        size: Number of nodes.
        minimum: The smallest size.
        count: Number of graphs.
    """
    if not minimum:
        check_integer("size", size)
    if not is_integer(size) or size < minimum:
        raise GraphFSAError(f"{what} must have at least {minimum} node{'s' * (minimum > 1)}; got {shown(size)}")
    number = int(size) * check_integer("the number of graphs", count)
    if number > MAX_NODES:
        raise LimitError(f"{count} graphs of {size} nodes are {number} nodes; at most {MAX_NODES} are drawn at once")


def check_steps(steps: int | None, default: _T) -> int | _T:
    """The number of steps, or the default if none was given."""
    return default if steps is None else check_integer("steps", steps, most=2**31 - 1)
