"""A plain function that labels any graph, as a data set: nothing to extend, and an oracle to ask while learning."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.checks import shown
from graphfsa.datasets._base import CHECK_SIZES
from graphfsa.datasets._custom import CustomTask
from graphfsa.datasets._instances import group_of
from graphfsa.datasets._structure import tree_edges
from graphfsa.datasets._task_graph import TaskGraph
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch
from graphfsa.plugins import load_file

_TREES = {"uniform": 0.5, "recursive": 0.25, "deep": 0.25}
"""The kinds of random trees, with their shares."""
_RARE = 0.3
"""The smaller, the more often some inputs are rare (a parameter of Dirichlet's distribution)."""


@dataclass(frozen=True, eq=False)
class OracleTask(CustomTask):
    """A task that a plain function labels; :func:`oracle_task` makes one.

    Random graphs are of various shapes, and in half of them some inputs are rare: what is learned from is meant to
    show as much as it can.

    Attributes:
        family: The class of graphs: ``path``, ``cycle``, ``tree``, ``connected``, ``row`` or ``ring``.
    """

    family: str = "connected"

    @property
    def graphs(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The class of graphs."""
        return self.family

    def check_sizes(self) -> tuple[int, ...]:
        """Sizes up to 1,000."""
        return CHECK_SIZES

    def draw_inputs(self, graph: TaskGraph, rng: np.random.Generator) -> list[str]:
        """A random input of each node, by name, in the numbers of ``exactly``."""
        names = list(super().draw_inputs(graph, rng))
        fixed = {name for key in self.exactly for name in group_of(key)}
        free = [name for name in self.task.inputs if name not in fixed]
        if len(free) < 2 or rng.random() < 0.5:
            return names
        drawn = rng.choice(len(free), len(names), p=rng.dirichlet(np.full(len(free), _RARE)))
        return [name if name in fixed else free[k] for name, k in zip(names, drawn.tolist(), strict=True)]

    def _draw_graphs(self, size: int, count: int, rng: np.random.Generator) -> GraphBatch:
        if self.family != "tree":
            return super()._draw_graphs(size, count, rng)
        shares: Array = rng.multinomial(count, list(_TREES.values()))
        drawn = [
            GraphBatch.from_edges(np.full(number, size), tree_edges(kind, size, number, rng))
            for kind, number in zip(_TREES, shares.tolist(), strict=True)
        ]
        return GraphBatch.concatenate(drawn).select(rng.permutation(count))


@lru_cache(maxsize=256)
def oracle_task(function: Callable[..., Any]) -> type[OracleTask]:
    """The data set that a function labels.

    Beside the function, its file (or the notebook) says what there is: ``INPUTS`` and ``CLASSES``, the names, and if
    need be ``EXACTLY``, ``admits(graph, inputs)`` and ``steps(graph)``, which mean the same as in a ``CustomTask``.

    Args:
        function: ``label(graph, inputs)``: the class of each node of one graph, by name.

    Raises:
        GraphFSAError: The names are missing; the message says where.
    """
    beside: dict[str, Any] = function.__globals__
    file = Path(function.__code__.co_filename)
    parts: dict[str, Any] = {}
    for name in ("INPUTS", "CLASSES"):
        if name not in beside:
            raise GraphFSAError(
                f"{file.name} must define {name}, the names of the {name.lower()}, beside the function "
                f"{function.__name__}; it does not"
            )
        parts[name.lower()] = beside[name]
    if "EXACTLY" in beside:
        parts["exactly"] = beside["EXACTLY"]
    for name in ("admits", "steps"):
        if inspect.isfunction(beside.get(name)):
            parts[name] = staticmethod(beside[name])
    own = {
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
        "__doc__": function.__doc__ or f"What {function.__name__} of {file.name} says.",
        "name": f"{file.stem}-{function.__name__}".replace("_", "-"),
        "label": staticmethod(function),
    }
    return type(function.__name__, (OracleTask,), parts | own)


def find_oracle(reference: str) -> type[OracleTask]:
    """The data set of the function that ``file.py:function`` names; the file is run.

    Raises:
        GraphFSAError: There is no such file or function, or what to know about it is missing.
    """
    file, colon, name = reference.rpartition(":")
    if not colon or not file.endswith(".py") or not name:
        raise GraphFSAError(f"an oracle must be given as file.py:function; got {shown(reference)}")
    module = load_file(file)
    found = vars(module).get(name)
    if not inspect.isfunction(found) or found.__module__ != module.__name__:
        what = " (a class is a task: --task)" if isinstance(found, type) else ""
        raise GraphFSAError(f"no function {name} in {file}{what}")
    return oracle_task(found)
