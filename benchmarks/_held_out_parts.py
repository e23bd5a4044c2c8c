"""Specifications of the tasks that are held out. Who works on a learner must not read on, or the figures mean nothing.

In rooted trees only messages that begin with "above" come from the side of the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks._task_parts import is_root, yes_or_no
from graphfsa.datasets import CustomTask, TreeSpecification, WaveSpecification


class _TaskSpecification(TreeSpecification):
    def __init__(self, task: CustomTask) -> None:
        self.name, self.inputs, self.classes = task.name, task.task.inputs, task.task.classes


class MinesSpecification(_TaskSpecification):
    """A node tells whether it has a mine."""

    messages = ("free", "mine")
    bounds = {"free": 0, "mine": 2}  # noqa: RUF012

    def send(self, given: str, counts: Mapping[Any, int]) -> str:
        return given

    def label(self, given: str, counts: Mapping[Any, int]) -> str:
        return given if given == "mine" else str(counts["mine"])


class PairsSpecification(_TaskSpecification):
    """A parent tells whether there is a pair up to itself; if there is none, whether it is marked."""

    messages = ("below", "above plain", "above marked", "above pair")
    bounds = {"below": 0, "above plain": 2, "above marked": 2, "above pair": 2}  # noqa: RUF012

    def send(self, given: str, counts: Mapping[Any, int]) -> str | None:
        above = [name for name in self.messages[1:] for _ in range(counts[name])]
        if len(above) + is_root(given) > 1:
            return None
        if not above and not is_root(given):
            return "below"
        marked = given.endswith("1")
        if above == ["above pair"] or (marked and above == ["above marked"]):
            return "above pair"
        return "above marked" if marked else "above plain"

    def label(self, given: str, counts: Mapping[Any, int]) -> str | None:
        own = self.send(given, counts)
        return None if own in (None, "below") else yes_or_no(own == "above pair")


class TankSpecification(WaveSpecification):
    """Colours are what is left in the tank, -1 where nobody arrives."""

    one_source = True

    def __init__(self, task: CustomTask, full: int) -> None:
        self.name, self.inputs, self.classes = task.name, task.task.inputs, task.task.classes
        self.sources, self._full = {"root": full}, full

    def join(self, given: str, colours: frozenset[Any]) -> int:
        left = max(max(colours) - 1, -1)
        return self._full if left >= 0 and given == "station" else left

    def label(self, distance: int, colour: Any) -> str:
        return yes_or_no(colour >= 0)


class EndsSpecification(_TaskSpecification):
    """Paths: the letter at the end on this side."""

    messages = ("a", "b")
    bounds = {"a": 2, "b": 2}  # noqa: RUF012
    max_degree = 2

    def send(self, given: str, counts: Mapping[Any, int]) -> str:
        return "a" if counts["a"] else "b" if counts["b"] else given

    def label(self, given: str, counts: Mapping[Any, int]) -> str:
        ends = [name for name in self.messages for _ in range(counts[name])]
        ends += [given] * (2 - len(ends))
        return "same" if ends[0] == ends[1] else "different"


class BlocksSpecification(_TaskSpecification):
    """Paths: the next letter on this side, and whether the block that begins there goes on for an even number."""

    messages = ("a even", "a odd", "b even", "b odd")
    bounds = {"a even": 2, "a odd": 2, "b even": 2, "b odd": 2}  # noqa: RUF012
    max_degree = 2

    def send(self, given: str, counts: Mapping[Any, int]) -> str:
        return f"{given} {self.label(given, counts)}"

    def label(self, given: str, counts: Mapping[Any, int]) -> str:
        return "even" if counts[f"{given} odd"] % 2 else "odd"
