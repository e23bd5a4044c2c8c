"""Inputs, labels, masks and steps of users' graphs, collected graph by graph and checked as they come."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.datasets._vocabulary import Vocabulary
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch

Fail = Callable[[str, "int | None", str], NoReturn]
TASK = "user"
MAX_STEPS = 2**62


class Columns:
    """What users said about the nodes of their graphs.

    Args:
        names: What users call the fields ``inputs``, ``labels``, ``mask`` and ``steps``, for error messages.
        steps: If given, the task is an evolution: labels are states, after so many steps unless a graph says its own.
    """

    def __init__(self, names: tuple[str, str, str, str], steps: int | None) -> None:
        if steps is not None and not _is_steps(steps):
            raise GraphFSAError(f"steps must be a whole number of at least 0 and below 2^62; got {steps!r:.60}")
        self._names = names
        self._default = steps
        # The states of an evolution are one set, whether they come first or last.
        self._label_words = Vocabulary("states" if self._evolution else "labels", one_kind=True)
        self._input_words = self._label_words if self._evolution else Vocabulary("inputs", one_kind=False)
        self._inputs: list[Array] = []
        self._labels: list[Array] = []
        self._masks: list[Array] = []
        self._steps: list[int] = []

    @property
    def _evolution(self) -> bool:
        return self._default is not None

    def add(self, num_nodes: int, fields: tuple[list[Any], list[Any], list[Any] | None, Any], fail: Fail) -> None:
        """Check and keep what is said about one graph.

        Args:
            num_nodes: Its number of nodes.
            fields: Inputs, labels, mask or None, steps or None.
            fail: Raises the error for a field, an entry of it (None for the whole) and its problem.
        """
        for name, values in zip(self._names, fields[:3], strict=False):
            if values is not None and len(values) != num_nodes:
                fail(name, None, f"must have one entry per node, {num_nodes}; got {len(values)}")
        inputs, labels, mask, steps = fields
        inputs_name, labels_name, mask_name, steps_name = self._names
        self._inputs.append(self._input_words.numbers(inputs, lambda place, problem: fail(inputs_name, place, problem)))
        self._labels.append(self._label_words.numbers(labels, lambda place, problem: fail(labels_name, place, problem)))
        self._masks.append(_mask(num_nodes, mask_name, mask, fail))
        if steps is not None and not _is_steps(steps):
            got = repr(steps)[:60] if isinstance(steps, float | bool) else type(steps).__name__
            fail(steps_name, None, f"must be a whole number of at least 0 and below 2^62; got {got}")
        # Time for a message to cross any graph and come back, if nobody says better.
        default = 2 * num_nodes + 2 if self._default is None else self._default
        self._steps.append(default if steps is None else steps)

    def add_trace(self, num_nodes: int, name: str, fields: tuple[list[Any], list[Any] | None], fail: Fail) -> int:
        """Check and keep the states of one graph over time, an example for each step; return the number of steps.

        Args:
            num_nodes: Its number of nodes.
            name: What users call the trace, for error messages.
            fields: The trace, which is a list of rows, and the mask or None.
            fail: As for :meth:`add`.
        """
        trace, mask = fields
        _check_rows(num_nodes, name, trace, fail)
        if mask is not None and len(mask) != num_nodes:
            fail(self._names[2], None, f"must have one entry per node, {num_nodes}; got {len(mask)}")
        found = self._label_words.numbers(
            list(chain.from_iterable(trace)),
            lambda place, problem: fail(f"{name}[{place // num_nodes}]", place % num_nodes, problem),
        )
        rows, steps = found.reshape(len(trace), num_nodes), len(trace) - 1
        self._inputs.append(rows[:-1].reshape(-1))
        self._labels.append(rows[1:].reshape(-1))
        self._masks.append(np.tile(_mask(num_nodes, self._names[2], mask, fail), steps))
        self._steps.extend([1] * steps)
        return steps

    def examples(self, graphs: GraphBatch) -> Examples:
        """All that was added, with the graphs it belongs to."""
        if not len(self._label_words):
            raise GraphFSAError("at least one graph must have nodes")
        (inputs, input_ranks), (classes, class_ranks) = self._input_words.sorted(), self._label_words.sorted()
        return Examples(
            Task(TASK, "evolution" if self._evolution else "classes", inputs, classes),
            graphs,
            input_ranks[np.concatenate(self._inputs)],
            class_ranks[np.concatenate(self._labels)],
            mask=np.concatenate(self._masks),
            steps=np.array(self._steps, np.int64),
        )


def _check_rows(num_nodes: int, name: str, trace: list[Any], fail: Fail) -> None:
    if len(trace) < 2:
        fail(name, None, f"must have at least 2 rows; got {len(trace)}")
    # Whole lists are checked at once; only a list with a fault is walked, to name its place.
    if set(map(type, trace)) - {list} or set(map(len, trace)) - {num_nodes}:
        for place, row in enumerate(trace):
            if type(row) is not list:
                fail(name, place, f"must be a list; got {type(row).__name__}")
            if len(row) != num_nodes:
                fail(name, place, f"must have one entry per node, {num_nodes}; got {len(row)}")


def _mask(num_nodes: int, name: str, mask: list[Any] | None, fail: Fail) -> Array:
    if mask is not None and set(map(type, mask)) - {bool}:
        place = next(place for place, value in enumerate(mask) if type(value) is not bool)
        fail(name, place, f"must be true or false; got {type(mask[place]).__name__}")
    return np.ones(num_nodes, bool) if mask is None else np.array(mask, bool)


def _is_steps(value: Any) -> bool:
    return type(value) is int and 0 <= value < MAX_STEPS
