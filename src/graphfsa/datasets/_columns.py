"""Inputs, labels, masks and steps of users' graphs, collected graph by graph and checked as they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.datasets._vocabulary import Vocabulary
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch

Array = np.ndarray[Any, Any]
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
        if mask is not None and set(map(type, mask)) - {bool}:
            place = next(place for place, value in enumerate(mask) if type(value) is not bool)
            fail(mask_name, place, f"must be true or false; got {type(mask[place]).__name__}")
        self._masks.append(np.ones(num_nodes, bool) if mask is None else np.array(mask, bool))
        if steps is not None and not _is_steps(steps):
            got = repr(steps)[:60] if isinstance(steps, float | bool) else type(steps).__name__
            fail(steps_name, None, f"must be a whole number of at least 0 and below 2^62; got {got}")
        # Time for a message to cross any graph and come back, if nobody says better.
        default = 2 * num_nodes + 2 if self._default is None else self._default
        self._steps.append(default if steps is None else steps)

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


def _is_steps(value: Any) -> bool:
    return type(value) is int and 0 <= value < MAX_STEPS
