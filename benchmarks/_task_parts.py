"""What the tasks of the benchmarks share: splits, random trees and marks, rooted trees, and specifications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graphfsa.datasets import CustomTask, RootedSpecification, Split, TaskGraph, TreeSpecification
from graphfsa.graphs import Graph, families

_LEARN = ((1, 20), (2, 60), (3, 120), (4, 200), (5, 300), (6, 400), (7, 475), (8, 475), (9, 475), (10, 475))
_TEST = ((20, 100), (100, 50), (1000, 10))
_FEW = (0.0, 1.0, 3.0)
"""Expected number of marks, in graphs that have few."""
_ABOVE = "above"


# Splits, and what is drawn.


def small_and_large(
    least: int = 1,
    *,
    learn: Sequence[tuple[int, int]] = _LEARN,
    test: Sequence[tuple[int, int]] = _TEST,
) -> dict[str, Split]:
    """About 3,000 graphs of at most 10 nodes to learn from, and larger ones to test with.

    Args:
        least: The smallest size of all.
        learn: Sizes and numbers of the graphs to learn from.
        test: The same of those to test with.
    """
    small = tuple(part for part in learn if part[0] >= least)
    few = tuple((size, max(10, number // 10)) for size, number in small)
    return {"learn": Split(small), "train": Split(small), "validation": Split(few), "test": Split(tuple(test))}


def any_tree(size: int, rng: np.random.Generator) -> Graph:
    """A random tree: uniform, flat, or long and thin; tasks about long ways need all of them."""
    kind = rng.integers(3)
    if kind < 2:
        return (families.random_tree, families.recursive_tree)[kind](size, rng)
    parents = [int(rng.integers(max(0, node - 3), node)) for node in range(1, size)]
    return Graph.from_edges(size, list(enumerate(parents, start=1)))


def any_connected(size: int, rng: np.random.Generator) -> Graph:
    """A random tree of any kind, with no, few or many further edges."""
    tree = any_tree(size, rng)
    more = rng.integers(size, size=(rng.integers(size // 2 + 1) * rng.integers(2), 2))
    pairs = np.sort(np.concatenate((np.stack((tree.indices, tree.targets()), axis=1), more)), axis=1)
    edges = np.unique(pairs[:, 0] * size + pairs[:, 1])
    first, second = np.divmod(edges, size)
    return Graph.from_edges(size, np.stack((first, second), axis=1)[first != second])


def few_or_many(size: int, rng: np.random.Generator) -> list[bool]:
    """Which nodes are marked: none, about one, about three, or about half of all."""
    shares = [number / size for number in _FEW]
    return (rng.random(size) < rng.choice([*shares, 0.5])).tolist()


def some_share(size: int, rng: np.random.Generator) -> list[bool]:
    """A fifth, half or four fifths of the nodes, about."""
    return (rng.random(size) < rng.choice((0.2, 0.5, 0.8))).tolist()


# Rooted trees.


class RootedTask(CustomTask):
    """A tree with one root, in which any node may be marked; who extends it says the label."""

    inputs = ("root0", "root1", "node0", "node1")
    classes = ("no", "yes")
    graphs = "tree"
    exactly = {("root0", "root1"): 1}  # noqa: RUF012
    splits = small_and_large()

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        root, marks = rng.integers(graph.num_nodes), few_or_many(graph.num_nodes, rng)
        return [f"{'root' if node == root else 'node'}{int(marks[node])}" for node in graph.nodes]


class RootTask(CustomTask):
    """A tree with one root, and nothing else to know about a node."""

    inputs = ("node", "root")
    graphs = "tree"
    exactly = {"root": 1}  # noqa: RUF012
    splits = small_and_large()


def is_root(name: str) -> bool:
    """Whether an input is that of a root."""
    return name.startswith("root")


def parents(graph: TaskGraph, inputs: Sequence[str]) -> dict[int, int]:
    """The parent of each node of a rooted tree, from the root to the leaves; -1 for the root."""
    root = next(node for node in graph.nodes if is_root(inputs[node]))
    found, order = {root: -1}, [root]
    for node in order:
        for other in graph.neighbours(node).tolist():
            if other not in found:
                found[other] = node
                order.append(other)
    return found


def upwards(graph: TaskGraph, inputs: Sequence[str], value: Callable[[str, list[Any]], Any]) -> list[Any]:
    """A value for each node of a rooted tree, from its input and the values of its children."""
    above = parents(graph, inputs)
    below: list[list[Any]] = [[] for _ in graph.nodes]
    values: list[Any] = [None] * graph.num_nodes
    for node in reversed(above):
        values[node] = value(inputs[node], below[node])
        if above[node] >= 0:
            below[above[node]].append(values[node])
    return values


def downwards(graph: TaskGraph, inputs: Sequence[str], value: Callable[[str, Any], Any]) -> list[Any]:
    """A value for each node of a rooted tree, from its input and the value of its parent; None for the root."""
    values: list[Any] = [None] * graph.num_nodes
    for node, parent in parents(graph, inputs).items():
        values[node] = value(inputs[node], None if parent < 0 else values[parent])
    return values


def yes_or_no(found: bool) -> str:
    """The class of a node for which something holds, or does not."""
    return "yes" if found else "no"


# Specifications.


def modulo_specification(task: CustomTask) -> TreeSpecification:
    """On trees: the class of a node is one more than that of its parent, modulo the number of classes."""
    number = len(task.classes)
    follow = lambda _, above: str((int(above) + 1) % number)  # noqa: E731
    return RootedSpecification(task.name, task.inputs, task.classes, {"root": "0"}, follow, path=False)


class SubtreeSpecification(TreeSpecification):
    """A rooted tree, from the leaves to the root: a node tells its parent its class, and its children nothing.

    Args:
        task: The task; inputs that begin with ``root`` are roots.
        value: ``value(input, counts)`` is the class of a node whose children have these classes; None if there is no
            such node.
        bounds: How far each class is counted; 1 if not said.
    """

    def __init__(
        self,
        task: CustomTask,
        value: Callable[[str, Mapping[Any, int]], str | None],
        bounds: Mapping[str, int] | None = None,
    ) -> None:
        self.name, self.inputs, self.classes = task.name, task.task.inputs, task.task.classes
        self.messages = (_ABOVE, *self.classes)
        self.bounds = {_ABOVE: 2, **(bounds or {})}
        self._value = value

    def send(self, given: str, counts: Mapping[Any, int]) -> str | None:
        roots = counts[_ABOVE] + is_root(given)
        return None if roots > 1 else _ABOVE if roots else self._value(given, counts)

    def label(self, given: str, counts: Mapping[Any, int]) -> str | None:
        return self._value(given, counts) if counts[_ABOVE] + is_root(given) == 1 else None


class MarksSpecification(TreeSpecification):
    """A node tells each neighbour how many marks there are behind it, and, in rooted trees, whether the root is there.

    Messages are ``"1"``, or ``"1 and root"``. Inputs that begin with ``root`` are roots, and those of ``marked`` marks.

    Args:
        task: The task.
        marked: The inputs that are marks.
        most: Count marks to this number.
        answer: ``answer(marks in all, counts)`` is the class of a node; None if there is no such tree.
        more: Whether there may be more marks than ``most``.
    """

    def __init__(
        self,
        task: CustomTask,
        marked: Sequence[str],
        most: int,
        answer: Callable[[int, Mapping[Any, int]], str | None],
        *,
        more: bool,
    ) -> None:
        self.name, self.inputs, self.classes = task.name, task.task.inputs, task.task.classes
        self._marked, self._most, self._answer, self._more = marked, most, answer, more
        self._rooted = any(map(is_root, self.inputs))
        plain, rooted = ([f"{n}{end}" for n in range(most + 1)] for end in ("", " and root"))
        self.messages = (*plain, *rooted) if self._rooted else tuple(plain)
        bounds = [(name, (0 if name == "0" else most + (not more))) for name in plain]
        self.bounds = {**dict(bounds), **(dict.fromkeys(rooted, 2) if self._rooted else {})}

    def _total(self, given: str, counts: Mapping[Any, int]) -> tuple[int, int]:
        """How many marks and roots there are, at a node and behind its neighbours."""
        marks = (given in self._marked) + sum(int(name.split()[0]) * counts[name] for name in self.messages)
        roots = is_root(given) + sum(counts[name] for name in self.messages if name.endswith("root"))
        return (min(marks, self._most) if self._more else marks), roots

    def send(self, given: str, counts: Mapping[Any, int]) -> str | None:
        marks, roots = self._total(given, counts)
        return None if marks > self._most or roots > 1 else f"{marks}{' and root' * roots}"

    def label(self, given: str, counts: Mapping[Any, int]) -> str | None:
        marks, roots = self._total(given, counts)
        return self._answer(marks, counts) if roots == self._rooted else None
