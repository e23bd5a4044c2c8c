"""A task of one's own from little: names, a class of graphs, and how one graph is labelled."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from traceback import walk_tb
from typing import Any, ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import check_integer, check_name, is_integer, shorten, shown, type_name
from graphfsa.datasets._base import Dataset, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._instances import Fixed, all_rows, group_of, num_rows, random_graphs, random_rows
from graphfsa.datasets._structure import check_rooted, check_trees, checked_inputs, marked_nodes, shortest_paths
from graphfsa.datasets._task import Task
from graphfsa.datasets._task_graph import TaskGraph
from graphfsa.errors import DrawError, GraphFSAError, LimitError
from graphfsa.graphs import GRAPH_CLASSES, Graph, GraphBatch, all_graphs, from_networkx
from graphfsa.graphs.enumeration import MAX_INPUTS

_CACHED = 16
"""Up to this size labels are kept, for graphs that come again."""
_PATIENCE = 1000
"""Graphs to draw, at most, for each graph that ``admits`` lets through."""
_HOPELESS = 20_000
"""Graphs to draw, at most, until ``admits`` lets the first one through."""
_RENUMBERED = 4
"""Graphs to check, each time some are labelled, for labels that depend on the numbering."""
_NOTHING = -1
_PACKAGE = Path(__file__).parents[1]
_TEST_SIZES = (10, 20, 50, 100)


class _DefaultSplits:
    """The splits of a task that does not say its own: many small graphs to learn from, larger ones to test with."""

    def __get__(self, task: CustomTask | None, owner: type[CustomTask]) -> Mapping[str, Split]:
        given = owner if task is None else task
        small = [size for size in range(1, 11) if _num_inputs(given, size) and size >= _least(given)]
        small = small or [size for size in range(11, 257) if _num_inputs(given, size)][:1]
        if not small:
            raise GraphFSAError(f"{owner.name} has no inputs on any graph of at most 256 nodes")
        large = [size for size in _TEST_SIZES if _num_inputs(given, size)] or small[-1:]
        return {
            "train": Split(tuple((size, 100) for size in small[:8])),
            "validation": Split(tuple((size, 20) for size in small[:8])),
            "test": Split(tuple((size, 100) for size in large)),
            "learn": Split(tuple((size, 150) for size in small)),
        }


@dataclass(frozen=True, eq=False)
class CustomTask(Dataset):
    """A task of one's own: extend this, name inputs, classes and graphs, and say how one graph is labelled.

    Where labels are the states after one step of an evolution, give ``states`` in place of ``inputs`` and ``classes``.
    What else may be given: :meth:`admits`, :meth:`steps`, :meth:`draw_graph`, :meth:`draw_inputs`, and ``splits``.
    Fields of a frozen dataclass become options.

    Example:
        >>> class NearMark(CustomTask):
        ...     inputs = ("plain", "marked")
        ...     classes = ("no", "yes")
        ...     graphs = "tree"
        ...     exactly = {"marked": 1}
        ...
        ...     def label(self, graph, inputs):
        ...         away = graph.distances(inputs.index("marked"))
        ...         return ["yes" if distance <= 1 else "no" for distance in away]
        >>> example = next(iter(NearMark().generate(5, 1, np.random.default_rng(0))))
        >>> example.input_names, example.label_names
        (['plain', 'plain', 'plain', 'plain', 'marked'], ['yes', 'no', 'yes', 'yes', 'yes'])
    """

    inputs: ClassVar[Sequence[str]]
    """Name of each input."""
    classes: ClassVar[Sequence[str]]
    """Name of each class."""
    states: ClassVar[Sequence[str]] = ()
    """For an evolution: name of each state; then ``inputs`` and ``classes`` are these."""
    graphs: ClassVar[str] = "connected"
    """The class of graphs: ``path``, ``cycle``, ``tree``, ``rooted-tree``, ``connected``, ``row`` or ``ring``."""
    exactly: ClassVar[Fixed] = {}
    """How many nodes of each graph have an input, for the inputs for which that is fixed.

    ``{("root0", "root1"): 1}`` fixes how many nodes have one of several inputs.
    """
    splits = _DefaultSplits()  # pyright: ignore[reportAssignmentType]

    @abstractmethod
    def label(self, graph: TaskGraph, inputs: list[str]) -> Sequence[str | None]:
        """The class of each node of one graph; in an evolution its state after one step.

        Labels must not depend on how the nodes are numbered: an automaton does not see that.

        Args:
            graph: The graph: ``graph.nodes``, ``graph.edges``, ``graph.neighbours(node)``, ``graph.distances(node)``;
                of a rooted tree ``graph.neighbours(node, "child")``.
            inputs: The input of each node, by name.

        Returns:
            The class of each node, by name; None for a node that does not count.
        """

    def admits(self, graph: TaskGraph, inputs: list[str]) -> bool:
        """Whether the task means anything for these inputs on this graph; by default it always does."""
        del graph, inputs
        return True

    def steps(self, graph: TaskGraph) -> int:
        """Steps after which the labels hold; by default twice the number of nodes plus 2, for an evolution 1.

        With 0 steps nobody moves: an input whose nodes do not all have one label is then impossible.
        """
        return 1 if self.states else 2 * graph.num_nodes + 2

    def draw_graph(self, size: int, rng: np.random.Generator) -> Any:
        """A random graph of a size: a ``graphfsa.Graph`` or one of NetworkX; by default one of the class ``graphs``."""
        return random_graphs(self.graphs, size, 1, rng).graph

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> Sequence[str]:
        """A random input of each node, by name; by default all are equally likely, in the numbers of ``exactly``.

        What ``admits`` refuses is drawn again, with another graph.
        """
        row = random_rows(self.task.inputs, self.exactly, GraphBatch.of([graph]), rng)[0]
        return [self.task.inputs[number] for number in row.tolist()]

    # What follows from it.

    def __post_init__(self) -> None:
        for what in ("states",) if self.states else ("inputs", "classes"):
            names: Any = getattr(self, what, None)
            if isinstance(names, str) or not isinstance(names, Sequence):
                raise GraphFSAError(f"{self.name}: {what} must be a list of names; got {shown(names)}")
        check_name("class of graphs", self.graphs, GRAPH_CLASSES)
        exactly: Any = self.exactly
        if not isinstance(exactly, Mapping) or () in exactly:
            raise GraphFSAError(
                f"{self.name}: exactly must be {{input: number of nodes that have it}}; got {shown(exactly)}"
            )
        fixed = [name for key in self.exactly for name in group_of(key)]
        for name in fixed:
            check_name(f"input of {self.name} in exactly", name, self.task.inputs)
            if fixed.count(name) > 1:
                raise GraphFSAError(f"{self.name}: exactly must say each input once; {name} is there twice")
        for key, count in self.exactly.items():
            check_integer(f"{self.name}: the number of nodes with the input {' or '.join(group_of(key))}", count)
        _check_splits(self.name, self.splits)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))

    @property
    def task(self) -> Task:
        """The task."""
        names = tuple(self.states or self.inputs), tuple(self.states or self.classes)
        return Task(self.name, "evolution" if self.states else "classes", *names)

    @property
    def graph_class(self) -> str:
        """The class of graphs."""
        return self.graphs

    def num_instances(self, size: int) -> int:
        """How many inputs there are on a graph of this size; those that ``admits`` refuses count too."""
        return _num_inputs(self, size)

    def instances(self, graph: Graph) -> Array:
        """Every input that the task admits on a graph, uint8 [number of inputs, num_nodes]."""
        number = self.num_instances(graph.num_nodes)
        if number > MAX_INPUTS:
            raise LimitError(
                f"{self.name} has {number:,} inputs on a graph of {graph.num_nodes} nodes; at most {MAX_INPUTS:,} are "
                "listed. Choose smaller graphs"
            )
        rows = all_rows(self.task.inputs, self.exactly, graph.num_nodes)
        if type(self).admits is CustomTask.admits:
            return rows
        shown_graph, names = TaskGraph.of(graph), self.task.inputs
        admitted = [self._admits(shown_graph, [names[k] for k in row]) for row in rows.tolist()]
        return rows[np.array(admitted, bool)] if len(rows) else rows

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """Label many graphs, one after the other."""
        task = self.task
        given = checked_inputs(task, graphs, inputs)
        self._check_graphs(graphs)
        for key, count in self.exactly.items():
            marked_nodes(task, graphs, given, [task.inputs.index(name) for name in group_of(key)], count)
        if type(self).draw_graph is CustomTask.draw_graph and _small_sizes(self):
            _check_numbering(self)
        else:
            _check_numbering_of(self, graphs, given)
        numbers = self._steps_of(graphs, steps)
        labels = np.full(len(given), _NOTHING, np.int16)
        for place, key in enumerate(_keys(graphs)):
            nodes = slice(*graphs.offsets[place : place + 2].tolist())
            labels[nodes] = self._labels_after(key, given[nodes], int(numbers[place]))
        return Examples(task, graphs, given, np.maximum(labels, 0), mask=labels >= 0, steps=numbers)

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:
        """Draw graphs and inputs that the task admits, and label them."""
        check_size(f"a graph of {self.name}", size, _least(self), count)
        if not self.num_instances(size):
            raise GraphFSAError(f"{self.name} has no inputs on {size} nodes: {_fixed(self)}; choose another size")
        parts: list[tuple[GraphBatch, Array]] = []
        have = drawn = 0
        while have < count or not parts:
            batch = max(1, count - have)
            graphs = self._draw_graphs(size, batch, rng)
            rows = self._draw_rows(graphs, rng)
            kept = np.arange(batch)[: count - have] if count else np.arange(0)
            kept = kept[self._admitted(graphs, rows)[kept]]
            parts.append((graphs.select(kept), rows[kept]))
            have, drawn = have + len(kept), drawn + batch
            if have < count and (drawn > _PATIENCE * count or (not have and drawn > _HOPELESS)):
                raise DrawError(
                    f"{self.name}: of {drawn:,} graphs of {size} nodes, admits lets {have} through; {count} are wanted"
                )
        batches, drawn_rows = zip(*parts, strict=True)
        return self.examples(
            GraphBatch.concatenate(batches), np.concatenate([rows.reshape(-1) for rows in drawn_rows]), steps=steps
        )

    def _draw_graphs(self, size: int, count: int, rng: np.random.Generator) -> GraphBatch:
        if type(self).draw_graph is CustomTask.draw_graph:
            return random_graphs(self.graphs, size, count, rng)
        found = [self._call("draw_graph", size, rng) for _ in range(count)]
        graphs = [graph if isinstance(graph, Graph) else from_networkx(graph) for graph in found]
        for graph in graphs:
            if graph.num_nodes != size:
                raise GraphFSAError(f"{self.name}: draw_graph must return a graph of {size} nodes; got {graph}")
        return GraphBatch.of(graphs)

    def _draw_rows(self, graphs: GraphBatch, rng: np.random.Generator) -> Array:
        """Random inputs of graphs of one size, uint8 [number of graphs, size]."""
        names = self.task.inputs
        if type(self).draw_inputs is CustomTask.draw_inputs:
            return random_rows(names, self.exactly, graphs, rng)
        rows: list[list[int]] = []
        for graph in map(TaskGraph.of, graphs.graphs()):
            found: Any = self._call("draw_inputs", graph, rng)
            known = isinstance(found, Sequence | np.ndarray) and all(name in names for name in found)
            if not known or len(found) != graph.num_nodes:
                raise GraphFSAError(
                    f"{self.name}: draw_inputs must return one of {shorten(', '.join(names), 200)} for each of "
                    f"{graph.num_nodes} nodes; got {shown(found)}"
                )
            rows.append([names.index(name) for name in found])
        return np.array(rows, np.uint8).reshape(len(graphs), -1)

    def _admitted(self, graphs: GraphBatch, rows: Array) -> Array:
        if type(self).admits is CustomTask.admits:
            return np.ones(len(rows), bool)
        names = self.task.inputs
        found = [
            self._admits(_graph(*key), [names[k] for k in row])
            for key, row in zip(_keys(graphs), rows.tolist(), strict=True)
        ]
        return np.array(found, bool)

    def _admits(self, graph: TaskGraph, inputs: list[str]) -> bool:
        found = self._call("admits", graph, inputs)
        try:
            return bool(found)
        except Exception:
            raise GraphFSAError(
                f"{self.name}: admits must return True or False; got {type_name(type(found))}"
            ) from None

    def _check_graphs(self, graphs: GraphBatch) -> None:
        """Raise if a graph is not of the class; a task that draws its own graphs may be defined on others too."""
        if type(self).draw_graph is not CustomTask.draw_graph or not len(graphs) or not np.diff(graphs.offsets).all():
            return
        slotted = self.graphs in ("row", "ring", "rooted-tree")
        if graphs.graph.num_arcs and slotted != (graphs.graph.slots is not None):
            raise GraphFSAError(f"{self.name} is defined on graphs {'with' if slotted else 'without'} neighbour slots")
        shortest_paths(self.name, graphs, graphs.offsets[:-1])
        if self.graphs in ("path", "tree", "rooted-tree"):
            check_trees(self.name, graphs)
        if self.graphs == "rooted-tree":
            check_rooted(self.name, graphs)
        if self.graphs in ("path", "cycle") and graphs.graph.degrees.max(initial=0) > 2:
            raise GraphFSAError(f"{self.name} is defined on {self.graphs}s; a node has more than 2 neighbours")

    def _steps_of(self, graphs: GraphBatch, steps: int | None) -> Array:
        """After how many steps the labels of each graph hold, int64."""
        if steps is not None or self.states:
            return np.full(len(graphs), check_steps(steps, 1))
        if type(self).steps is CustomTask.steps:
            return 2 * np.diff(graphs.offsets) + 2
        return np.array([_own_steps(self, key) for key in _keys(graphs)], np.int64)

    def _labels_after(self, key: _Key, inputs: Array, steps: int) -> Array:
        """The labels of one graph, int16; in an evolution after some steps."""
        if not self.states:
            return self._labels(key, inputs)
        now = inputs.astype(np.int16)
        for _ in range(steps):
            now = self._labels(key, now.astype(np.uint8))
        return now

    def _labels(self, key: _Key, inputs: Array) -> Array:
        small = len(inputs) <= _CACHED
        return np.frombuffer((_cached_labels if small else _labels)(self, key, inputs.tobytes()), np.int16)

    def _call(self, method: str, *given: Any) -> Any:
        """What a method of the user's returns; what goes wrong in it is said with its place."""
        try:
            return getattr(self, method)(*given)
        except GraphFSAError:
            raise
        except (Exception, SystemExit) as error:
            line = _own_line(error)
            message = " ".join(str(error).split())
            raise GraphFSAError(f"{self.name}: {method} failed: {type(error).__name__}: {message}{line}") from error


def _own_line(error: BaseException) -> str:
    """Where a user's method went wrong: the last line in its own file, not in a library that it calls."""
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    file = next((name for name, _ in places if not Path(name).is_relative_to(_PACKAGE)), None)
    name, line = [place for place in places if file in (None, place[0])][-1]
    return f" in line {line} of {name}"


_Definition = CustomTask | type[CustomTask]
_Key = tuple[bytes, bytes, bytes | None, tuple[str, ...] | None]
"""The arrays of a graph."""


def _keys(graphs: GraphBatch) -> Iterable[_Key]:
    """What tells the graphs of a union apart, one after the other."""
    union = graphs.graph
    bounds = union.indptr[graphs.offsets].tolist()
    offsets = graphs.offsets.tolist()
    for place in range(len(graphs)):
        start, stop = offsets[place : place + 2]
        arcs = slice(*bounds[place : place + 2])
        slots = None if union.slots is None else union.slots[arcs].tobytes()
        yield (
            (union.indptr[start : stop + 1] - bounds[place]).tobytes(),
            (union.indices[arcs] - start).astype(np.int64).tobytes(),
            slots,
            union.kinds,
        )


@lru_cache(maxsize=256)
def _graph(indptr: bytes, indices: bytes, slots: bytes | None, kinds: tuple[str, ...] | None) -> TaskGraph:
    return TaskGraph(
        np.frombuffer(indptr, np.int64),
        np.frombuffer(indices, np.int64),
        None if slots is None else np.frombuffer(slots, np.uint8),
        kinds,
    )


def _labels(task: CustomTask, key: _Key, inputs: bytes) -> bytes:
    """What ``label`` says about one graph, checked, as the bytes of an int16 array; -1 for no label."""
    graph, names = _graph(*key), task.task
    given = [names.inputs[k] for k in inputs]
    found: Any = task._call("label", graph, given)  # pyright: ignore[reportPrivateUsage]
    if isinstance(found, str) or not isinstance(found, Sequence | np.ndarray):
        raise GraphFSAError(f"{task.name}: label must return a list of classes, one per node; got {shown(found)}")
    if len(found) != graph.num_nodes:
        raise GraphFSAError(
            f"{task.name}: label must return one class per node, {graph.num_nodes}; got {len(found)} for the inputs "
            f"{shorten(', '.join(given), 200)}"
        )
    numbers = {name: number for number, name in enumerate(names.classes)}
    labels = [numbers.get(name, _NOTHING) if isinstance(name, str) else _NOTHING for name in found]
    for node, (name, number) in enumerate(zip(found, labels, strict=True)):
        if number < 0 and (name is not None or task.states):
            raise GraphFSAError(
                f"{task.name}: the label of node {node} must be one of {shorten(', '.join(names.classes), 200)}"
                f"{'' if task.states else ', or None if it does not count'}; got {shown(name)}"
            )
    return np.array(labels, np.int16).tobytes()


_cached_labels = lru_cache(maxsize=2**16)(_labels)


@lru_cache(maxsize=2**12)
def _own_steps(task: CustomTask, key: _Key) -> int:
    graph = _graph(*key)
    steps = task._call("steps", graph)  # pyright: ignore[reportPrivateUsage]
    return check_integer(f"{task.name}: the steps of a graph of {graph.num_nodes} nodes", steps, most=2**31 - 1)


@lru_cache(maxsize=64)
def _check_numbering(task: CustomTask) -> None:
    """Raise if labels of small graphs depend on how their nodes are numbered; an automaton can't see that."""
    rng = np.random.default_rng(0)
    for size in _small_sizes(task):
        for graph in all_graphs(task.graphs, size).graphs()[-3:]:
            rows = task.instances(graph)
            for row in rows[rng.permutation(len(rows))[:8]]:
                _check_renumbered(task, graph, row, rng)


def _check_numbering_of(task: CustomTask, graphs: GraphBatch, inputs: Array) -> None:
    """The same for the first few of the given graphs, where the task may not be defined on all small ones."""
    rng = np.random.default_rng(0)
    sizes = np.diff(graphs.offsets)
    for place in np.flatnonzero((sizes > 1) & (sizes <= _CACHED))[:_RENUMBERED].tolist():
        nodes = slice(*graphs.offsets[place : place + 2].tolist())
        _check_renumbered(task, graphs.select([place]).graph, inputs[nodes], rng)


def _check_renumbered(task: CustomTask, graph: Graph, inputs: Array, rng: np.random.Generator) -> None:
    order = rng.permutation(graph.num_nodes)
    arcs = np.stack((order[graph.indices], order[graph.targets()]), axis=1)
    other = Graph.from_edges(graph.num_nodes, arcs, directed=True, slots=graph.slots, kinds=graph.kinds)
    moved = np.empty_like(inputs)
    moved[order] = inputs
    labels = [
        task._labels(next(iter(_keys(GraphBatch.of([one])))), row)  # pyright: ignore[reportPrivateUsage]
        for one, row in ((graph, inputs), (other, moved))
    ]
    if (labels[0] != labels[1][order]).any():
        names = [task.task.inputs[k] for k in inputs.tolist()]
        raise GraphFSAError(
            f"{task.name}: labels must not depend on how the nodes are numbered, which no automaton sees; on a graph "
            f"of {graph.num_nodes} nodes with the inputs {', '.join(names)} they do. Mark what is special about a node "
            "with an input of its own"
        )


def _small_sizes(task: CustomTask) -> list[int]:
    """Sizes of the splits at which all graphs are quickly listed, with their inputs."""
    sizes = {size for split in task.splits.values() for size, _ in split.parts}
    small = (size for size in range(max(2, _least(task)), 6) if size in sizes)
    return [size for size in small if 0 < task.num_instances(size) <= 2**12]


def _check_splits(name: str, splits: Any) -> None:
    """Raise unless something says which graphs each split has."""
    if not isinstance(splits, Mapping):
        raise GraphFSAError(f"{name}: splits must be {{name: Split}}; got {shown(splits)}")
    given: Mapping[Any, Any] = splits  # pyright: ignore[reportUnknownVariableType]
    for split, value in given.items():
        if not isinstance(value, Split):
            raise GraphFSAError(f"{name}: the split {split} must be a Split; got {shown(value)}")
        if not _are_pairs(value.parts):
            raise GraphFSAError(
                f"{name}: the parts of the split {split} must be pairs (size, count); got {shown(value.parts)}"
            )
    missing = [split for split in ("train", "validation", "test") if split not in given]
    if missing:
        raise GraphFSAError(f"{name}: splits must have train, validation and test; {missing[0]} is missing")


def _are_pairs(parts: Any) -> bool:
    return isinstance(parts, Sequence) and all(
        isinstance(part, Sequence) and len(part) == 2 and all(map(is_integer, part))  # pyright: ignore[reportUnknownArgumentType]
        for part in parts  # pyright: ignore[reportUnknownVariableType]
    )


def _least(task: _Definition) -> int:
    """The size of the smallest graphs of the class that have enough nodes for the inputs that are fixed."""
    return max(3 if task.graphs == "cycle" else 1, sum(task.exactly.values()))


def _num_inputs(task: _Definition, size: int) -> int:
    return num_rows(task.states or task.inputs, task.exactly, size)


def _fixed(task: CustomTask) -> str:
    return "exactly says " + ", ".join(f"{count} {' or '.join(group_of(key))}" for key, count in task.exactly.items())
