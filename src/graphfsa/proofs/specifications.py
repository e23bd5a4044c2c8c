"""Specifications that users name, and the test that one says what its data set says."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from graphfsa.checks import shown
from graphfsa.datasets import Dataset, EvolutionSpecification, Specification, TreeSpecification, WaveSpecification
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, all_graphs
from graphfsa.plugins import load_file

_KINDS = (TreeSpecification, WaveSpecification)
_QUESTIONS = 3000
"""How many small instances a specification is tested on, about."""
_tested: WeakKeyDictionary[type[Dataset], set[tuple[str, str]]] = WeakKeyDictionary()
"""By data set: digests of the specifications that agree with it, and its options."""


def find_specification(given: Any) -> Specification:
    """A specification from itself, its class, or ``file.py:Class``.

    Raises:
        GraphFSAError: It is none of these; the message says what was got.
    """
    found: Any = given
    if isinstance(given, str):
        file, colon, name = given.rpartition(":")
        if not colon or not file.endswith(".py"):
            raise GraphFSAError(f"a specification must be given as file.py:Class; got {shown(given)}")
        found = getattr(load_file(file), name, None)
        if found is None:
            raise GraphFSAError(f"{file} has no specification {name!r}")
    if isinstance(found, type) and issubclass(found, _KINDS):
        if inspect.isabstract(found):
            raise GraphFSAError(f"{found.__name__} must define {', '.join(sorted(found.__abstractmethods__))}")
        try:
            found = found()
        except TypeError as error:
            raise GraphFSAError(f"{found.__name__} must be buildable without arguments: {error}") from None
    if not isinstance(found, (*_KINDS, EvolutionSpecification)):
        raise GraphFSAError(
            f"a specification must extend graphfsa.TreeSpecification or WaveSpecification; got {shown(given)}"
        )
    return found


def specification_of(dataset: Dataset, graph_class: str | None = None) -> Specification:
    """The specification that a data set offers, tested against it, once in a process.

    Args:
        dataset: The data set.
        graph_class: The class of graphs to prove something about; by default the first that it offers.

    Raises:
        GraphFSAError: It offers none, or one that disagrees with it; the message has the instance.
    """
    offered = dataset.specifications()
    chosen = [spec for spec in offered if graph_class in (None, spec.graph_class)]
    if not offered:
        raise GraphFSAError(
            f"{dataset.name} has no specification, so nothing can be proved about graphs of every size; give one, as "
            "docs/proofs.md shows, or use verify"
        )
    if not chosen:
        classes = ", ".join(spec.graph_class for spec in offered)
        raise GraphFSAError(f"{dataset.name} has specifications for the classes {classes}; got {graph_class!r}")
    tested = _tested.setdefault(type(dataset), set())
    key = chosen[0].digest, json.dumps(dataset.options(), sort_keys=True, default=str)
    if key not in tested:
        check_specification(chosen[0], dataset)
        tested.add(key)
    return chosen[0]


def check_specification(spec: Specification, dataset: Dataset | None = None) -> int:
    """Test a specification on all small instances: it admits what the data set admits, with the same labels.

    Without a data set it must only admit something.

    Returns:
        The number of instances that were looked at.

    Raises:
        GraphFSAError: It disagrees, or admits nothing; the message has the instance.
    """
    if isinstance(spec, EvolutionSpecification) or spec.graph_class == "directed":
        return 0  # A local rule is what the data set itself moves by; directed graphs are not listed.
    table = spec.table
    if dataset is not None and (table.inputs != dataset.task.inputs or table.classes != dataset.task.classes):
        raise GraphFSAError(
            f"{table.name} must have the inputs and classes of {dataset.name}, {', '.join(dataset.task.inputs)} and "
            f"{', '.join(dataset.task.classes)}; got {', '.join(table.inputs)} and {', '.join(table.classes)}"
        )
    looked_at = admitted = 0
    for graph in _small_graphs(spec, len(table.inputs)):
        wanted = {} if dataset is None else _labelled(dataset, graph)
        for numbers in product(range(len(table.inputs)), repeat=graph.num_nodes):
            looked_at += 1
            inputs = [table.inputs[number] for number in numbers]
            said = spec.labels(graph, inputs)
            admitted += said is not None
            if dataset is not None and said != wanted.get(numbers):
                raise GraphFSAError(
                    f"{table.name} must say what {dataset.name} says; on {_shown(graph, inputs)} it says "
                    f"{_words(said)}, and {dataset.name} {_words(wanted.get(numbers))}"
                )
    if not admitted:
        raise GraphFSAError(f"{table.name} must admit some instance; it admits none of {looked_at:,} small ones")
    return looked_at


def _small_graphs(spec: TreeSpecification | WaveSpecification, num_inputs: int) -> Iterator[Graph]:
    """All small graphs of the class, as long as there are not too many instances; at least those of three nodes."""
    asked, size = 0, 0
    while size < 3 or asked * num_inputs < _QUESTIONS:
        size += 1
        if size > 12:
            return
        most = spec.max_degree if isinstance(spec, TreeSpecification) else None
        for graph in all_graphs(spec.graph_class, size).graphs():
            if most is None or int(graph.degrees.max(initial=0)) <= most:
                asked += num_inputs**size
                yield graph


def _labelled(dataset: Dataset, graph: Graph) -> dict[tuple[int, ...], list[str]]:
    """Every input that the data set admits on a graph, with the labels."""
    rows = dataset.instances(graph)
    if not len(rows):
        return {}
    examples = dataset.examples(GraphBatch.of([graph] * len(rows)), rows.reshape(-1))
    if not examples.mask.all():
        raise GraphFSAError(f"{dataset.name} has nodes that do not count; a specification is about all nodes")
    names = np.array(dataset.task.classes, dtype=object)[examples.labels].reshape(len(rows), -1)
    return {tuple(row): list(labels) for row, labels in zip(rows.tolist(), names.tolist(), strict=True)}


def _shown(graph: Graph, inputs: list[str]) -> str:
    edges = [f"{u}-{v}" for u, v in zip(graph.indices.tolist(), graph.targets().tolist(), strict=True) if u < v]
    given = ", ".join(f"{node}: {name}" for node, name in enumerate(inputs))
    return f"the graph with edges {' '.join(edges) or 'none'} and inputs {given}"


def _words(labels: Sequence[str | None] | None) -> str:
    return "that it is no instance" if labels is None else ", ".join(map(str, labels))
