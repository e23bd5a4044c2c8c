"""Small algorithms on directed graphs that are dictionaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

_N = TypeVar("_N", bound=Hashable)


def backwards(graph: Mapping[_N, Iterable[_N]], targets: Iterable[_N]) -> set[_N]:
    """Everything from which a target can be reached."""
    before: dict[_N, list[_N]] = defaultdict(list)
    for node, following in graph.items():
        for other in following:
            before[other].append(node)
    found = set(targets)
    waiting = list(found)
    while waiting:
        fresh = [node for node in before[waiting.pop()] if node not in found]
        found.update(fresh)
        waiting += fresh
    return found


def components(graph: Mapping[_N, Iterable[_N]]) -> dict[_N, int]:
    """The strongly connected part of each node, by number (Tarjan's algorithm, without recursion)."""
    number: dict[_N, int] = {}
    low: dict[_N, int] = {}
    part: dict[_N, int] = {}
    path: list[_N] = []

    def enter(node: _N) -> tuple[_N, Iterator[_N]]:
        number[node] = low[node] = len(number)
        path.append(node)
        return node, iter(graph.get(node, ()))

    for root in graph:
        work = [] if root in number else [enter(root)]
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in number:
                    work.append(enter(other))
                    break
                if other not in part:  # It is on the path still.
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                while low[node] == number[node] and node not in part:
                    part[path.pop()] = number[node]
    return part


def longest_path(pairs: Iterable[tuple[_N, _N]]) -> int | None:
    """How many of these arrows can follow one another; None if they go round in circles."""
    following: dict[_N, set[_N]] = {}
    for node, other in pairs:
        following.setdefault(node, set()).add(other)
    layer, length = set(following), 0
    while layer:
        layer = {other for node in layer for other in following.get(node, ())}
        length += bool(layer)
        if length > len(following):
            return None
    return length
