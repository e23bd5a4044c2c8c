"""The scalars that users write as inputs and labels, and the classes that they become.

A scalar is a boolean, an integer, a fraction or a string, and is what was written: ``true``, ``1`` and ``"1"``
are three things. ``1`` and ``1.0`` are one number written in two ways, which is refused within a field of a file: it
would never be clear whether one class is meant or two. The name of a class is ``str`` of its scalar, so two scalars
with one name (``1`` and ``"1"``) are refused too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch

Scalar = bool | int | float | str
FailAt = Callable[[int, str], NoReturn]
MAX_CLASSES = 256
MAX_NAME = 1000
_KINDS: dict[type, str] = {bool: "true or false", int: "a number", float: "a number", str: "a string"}
_PYTHON = {"true or false": "True or False", "null": "None", "an object": "a dict"}
_MANY = 20
"""Labels that are fractions, at most: with more, somebody wants to predict numbers."""
_ORDER = ("true or false", "a number", "a string")
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


class Vocabulary:
    """The distinct scalars of a field, numbered as they come.

    Args:
        what: What they are, for error messages: ``"inputs"`` or ``"labels"``.
        one_kind: Whether booleans, numbers and strings must not be mixed.
        python: Whether they were given in Python, and not in a file of JSON; for error messages.
    """

    def __init__(self, what: str, *, one_kind: bool, python: bool = False) -> None:
        self._what = what
        self._python = python
        self._one_kind = one_kind
        self._numbers: dict[type, dict[Scalar, int]] = {kind: {} for kind in _KINDS}
        self._scalars: list[Scalar] = []
        self._names: dict[str, Scalar] = {}

    def numbers(self, values: list[Any], fail: FailAt) -> Array:
        """The number of each scalar, uint8; scalars not seen before get the next ones.

        Args:
            values: What the user gave.
            fail: Raises the error for an entry of the list and its problem, which begins with ``"must"``.
        """
        kinds = set(map(type, values))
        if len(kinds) == 1 and kinds <= _KINDS.keys():
            # One look-up for each entry; only entries that are new are looked at.
            table = self._numbers[kinds.pop()]
            found: list[Any] = list(map(table.get, values))
            if None in found:
                for place, value in enumerate(values):
                    found[place] = self._number(place, value, fail)
        else:
            found = [self._number(place, value, fail) for place, value in enumerate(values)]
        return np.array(found, np.uint8)

    def __len__(self) -> int:
        return len(self._scalars)

    def sorted(self) -> tuple[tuple[str, ...], Array]:
        """The names in order (booleans, then numbers by size, then strings), and the rank of each number, uint8."""
        order = sorted(range(len(self)), key=lambda number: _sort_key(self._scalars[number]))
        ranks = np.empty(len(self), np.uint8)
        ranks[order] = np.arange(len(self))
        return tuple(str(self._scalars[number]) for number in order), ranks

    def fractions(self) -> str:
        """What is wrong with labels that are numbers to predict; empty if they are names of classes."""
        found = [value for value in self._scalars if isinstance(value, float) and not value.is_integer()]
        if self._what != "labels" or len(found) <= _MANY:
            return ""
        return f"({found[0]}, {found[1]}, ...): labels are names of classes, not numbers to predict"

    def _word(self, word: str) -> str:
        return _PYTHON.get(word, word) if self._python else word

    def _way_out(self, value: Any) -> str:
        if value is not None or self._what != "labels":
            return ""
        return f"; {SOME_LABELLED_PYTHON if self._python else SOME_LABELLED}"

    def _number(self, place: int, value: Any, fail: FailAt) -> int:
        if type(value) not in _KINDS:
            kinds = "a string, a number, True or False" if self._python else "a string, a number, true or false"
            fail(place, f"must be {kinds}; got {self._word(_type_name(value))}{self._way_out(value)}")
        table = self._numbers[type(value)]
        if value not in table:
            table[value] = self._add(place, value, fail)
        return table[value]

    def _add(self, place: int, value: Scalar, fail: FailAt) -> int:
        value = value + 0.0 if isinstance(value, float) else value  # There is one zero, not two.
        name = self._name(place, value, fail)
        if self._one_kind and self._scalars and _kind(value) != _kind(self._scalars[0]):
            before = f"{self._word(_kind(self._scalars[0]))} ({shown(self._scalars[0])})"
            fail(place, f"must be {before} as the {self._what} before it; got {shown(value)}")
        other = float if type(value) is int else int
        if type(value) in (int, float) and value in self._numbers[other]:
            fail(place, f"must be written as before, {_written(value, other)}; got {shown(value)}")
        if name in self._names:
            fail(
                place,
                f"must not have the name of another of the {self._what}; "
                f"{shown(value)} and {shown(self._names[name])} are both called {name}",
            )
        if len(self) == MAX_CLASSES and self.fractions():
            fail(place, f"is one of more than {MAX_CLASSES} different values {self.fractions()}")
        if len(self) == MAX_CLASSES:
            fail(place, f"must be one of at most {MAX_CLASSES} different {self._what}; {shown(value)} is one more")
        self._names[name] = value
        self._scalars.append(value)
        return len(self) - 1

    def _name(self, place: int, value: Scalar, fail: FailAt) -> str:
        if isinstance(value, float) and not math.isfinite(value):
            fail(place, f"must be a finite number; got {value}")
        try:
            name = str(value)
            name.encode()
        except UnicodeEncodeError:
            fail(place, "must be text; it holds half of a surrogate pair")
        except ValueError:
            # Python refuses to print a number of several thousand digits.
            name = "?" * (MAX_NAME + 1)
        if len(name) > MAX_NAME:
            fail(place, f"must have at most {MAX_NAME} characters")
        return name


def scalars_of(names: tuple[str, ...], *, one_kind: bool) -> list[int | str]:
    """The scalars to write for the names of classes: integers where the names look so, otherwise strings.

    Args:
        names: Names of the classes.
        one_kind: Whether all must be strings if one is.
    """
    integers = [len(name) <= MAX_NAME and _INTEGER.fullmatch(name) is not None for name in names]
    if one_kind and not all(integers):
        return list(names)
    return [int(name) if number else name for name, number in zip(names, integers, strict=True)]


def _sort_key(value: Scalar) -> tuple[int, Any]:
    return _ORDER.index(_kind(value)), value


def _kind(value: Scalar) -> str:
    return _KINDS[type(value)]


def _written(value: Any, kind: type) -> str:
    return str(kind(value))


def _type_name(value: Any) -> str:
    names = {list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), type(value).__name__)


Fail = Callable[[str, "int | None", str], NoReturn]
SOME_LABELLED = "if only some nodes are labelled, give 'mask', and the others any label"
SOME_LABELLED_PYTHON = "if only some nodes are labelled, give mask="
YOUR_DATA = "your data"
"""What the task of a user's own graphs is called, unless the user says better."""
MAX_STEPS = 2**62


class Columns:
    """What users said about the nodes of their graphs.

    Args:
        names: What users call the fields ``inputs``, ``labels``, ``mask`` and ``steps``, for error messages.
        steps: If given, the task is an evolution: labels are states, after this number of steps unless a graph says
            its own.
        name: Name of the task.
        python: Whether these were given in Python, and not in a file of JSON; for error messages.
    """

    def __init__(self, names: tuple[str, str, str, str], steps: int | None, name: str, *, python: bool = False) -> None:
        if steps is not None and not _is_steps(steps):
            raise GraphFSAError(f"steps must be an integer from 0 to 2^62 - 1; got {shown(steps)}")
        self._names = names
        self._task = name
        self._default = steps
        # The states of an evolution are one set, whether they come first or last.
        self._label_words = Vocabulary("states" if self._evolution else "labels", one_kind=True, python=python)
        self._input_words = (
            self._label_words if self._evolution else Vocabulary("inputs", one_kind=False, python=python)
        )
        self._booleans = "True or False" if python else "true or false"
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
        self._masks.append(_mask(num_nodes, mask_name, mask, fail, self._booleans))
        if steps is not None and not _is_steps(steps):
            fail(steps_name, None, f"must be an integer from 0 to 2^62 - 1; got {shown(steps)}")
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
        self._masks.append(np.tile(_mask(num_nodes, self._names[2], mask, fail, self._booleans), steps))
        self._steps.extend([1] * steps)
        return steps

    def examples(self, graphs: GraphBatch) -> Examples:
        """All that was added, with the graphs it belongs to."""
        if not len(self._label_words):
            raise GraphFSAError("at least one graph must have nodes")
        if self._label_words.fractions():
            what = f"{self._names[1]!r} has {len(self._label_words)} different values"
            raise GraphFSAError(f"{what} {self._label_words.fractions()}")
        (inputs, input_ranks), (classes, class_ranks) = self._input_words.sorted(), self._label_words.sorted()
        return Examples(
            Task(self._task, "evolution" if self._evolution else "classes", inputs, classes),
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


def _mask(num_nodes: int, name: str, mask: list[Any] | None, fail: Fail, booleans: str) -> Array:
    if mask is not None and set(map(type, mask)) - {bool}:
        place = next(place for place, value in enumerate(mask) if type(value) is not bool)
        fail(name, place, f"must be {booleans}; got {type(mask[place]).__name__}")
    return np.ones(num_nodes, bool) if mask is None else np.array(mask, bool)


def _is_steps(value: Any) -> bool:
    return type(value) is int and 0 <= value < MAX_STEPS
