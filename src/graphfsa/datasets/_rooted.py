"""The statement of tasks in which one root knows something, and every node answers by what it hears from its side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphfsa.datasets._specification import TreeSpecification

_NOBODY = "no root"


class RootedSpecification(TreeSpecification):
    """One node is the root. A node hears the class of the neighbour on the side of the root, and has its own from it.

    Args:
        name: What it is called.
        inputs: Name of each input.
        classes: Name of each class.
        root: The class of the root, for each input that is one.
        follow: ``follow(input, class)`` is the class of a node that is not the root, from that of its neighbour on the
            side of the root.
        path: Whether the graphs are paths with the root at one end, or all trees.
    """

    def __init__(
        self,
        name: str,
        inputs: Sequence[str],
        classes: Sequence[str],
        root: Mapping[str, str],
        follow: Callable[[str, str], str],
        *,
        path: bool,
    ) -> None:
        self.name, self._root, self._follow, self._path = name, root, follow, path
        self.inputs, self.classes = tuple(inputs), tuple(classes)
        self.messages = (_NOBODY, *self.classes)
        # That the root of a path is at its end is a fact about all its neighbours, so they are counted too.
        self.bounds = dict.fromkeys(self.classes, 2) | {_NOBODY: 2 if path else 0}
        self.max_degree = 2 if path else None

    def send(self, given: str, counts: Mapping[Any, int]) -> str | None:
        """The own class, or that there is no root on this side."""
        heard = [name for name in self.classes for _ in range(counts[name])]
        if len(heard) + (given in self._root) > 1 or (self._path and given in self._root and sum(counts.values()) > 1):
            return None
        if given in self._root:
            return self._root[given]
        return self._follow(given, heard[0]) if heard else _NOBODY

    def label(self, given: str, counts: Mapping[Any, int]) -> str | None:
        """The own class, if there is one root."""
        own = self.send(given, counts)
        return None if own == _NOBODY else own
