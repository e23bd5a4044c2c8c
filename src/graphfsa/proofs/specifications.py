"""Specifications that users name, and the test that one says what its data set says."""

from __future__ import annotations

import inspect
import json
from typing import Any
from weakref import WeakKeyDictionary

from graphfsa.asking import asked
from graphfsa.checks import shown
from graphfsa.datasets import Dataset, EvolutionSpecification, Specification, TreeSpecification, WaveSpecification
from graphfsa.errors import GraphFSAError
from graphfsa.plugins import load_file
from graphfsa.proofs._agreement import compare_boards, compare_graphs

_KINDS = (TreeSpecification, WaveSpecification)
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
        found = asked(f"{found.__name__} must be buildable without arguments; {found.__name__}()", found)
    if not isinstance(found, (*_KINDS, EvolutionSpecification)):
        raise GraphFSAError(
            "a specification must extend graphfsa.TreeSpecification or graphfsa.WaveSpecification, or be a "
            f"graphfsa.EvolutionSpecification; got {shown(given)}"
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
    task = spec.table.task
    if dataset is not None and (task.inputs != dataset.task.inputs or task.classes != dataset.task.classes):
        raise GraphFSAError(
            f"{spec.name} must have the inputs and classes of {dataset.name}, {', '.join(dataset.task.inputs)} and "
            f"{', '.join(dataset.task.classes)}; got {', '.join(task.inputs)} and {', '.join(task.classes)}"
        )
    if isinstance(spec, EvolutionSpecification):
        return 0 if dataset is None else compare_boards(spec, dataset)
    return compare_graphs(spec, dataset)
