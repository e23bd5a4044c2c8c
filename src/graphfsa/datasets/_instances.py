"""Inputs and graphs for tasks that only say which there are: counted, listed, and drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import comb

import numpy as np

from graphfsa.arrays import Array
from graphfsa.datasets._structure import paths, tree_edges, with_extra_edges
from graphfsa.graphs import GraphBatch, all_graphs, all_inputs
from graphfsa.graphs.rooted import rooted_batch

_LISTED = 6
"""Up to this size connected graphs are drawn from the list of all."""


Fixed = Mapping[str | tuple[str, ...], int]
"""How many nodes of each graph have an input, or one of several inputs."""


def group_of(name: str | tuple[str, ...]) -> tuple[str, ...]:
    """The inputs whose number is fixed together."""
    return name if isinstance(name, tuple) else (name,)


def _free(names: Sequence[str], exactly: Fixed) -> list[int]:
    """The inputs whose number is not fixed."""
    fixed = {name for key in exactly for name in group_of(key)}
    return [number for number, name in enumerate(names) if name not in fixed]


def num_rows(names: Sequence[str], exactly: Fixed, size: int) -> int:
    """How many choices of inputs there are for the nodes of a graph."""
    ways, left = 1, size
    for key, count in exactly.items():
        ways, left = ways * comb(max(left, 0), count) * len(group_of(key)) ** count, left - count
    return ways * len(_free(names, exactly)) ** left if left >= 0 else 0


def all_rows(names: Sequence[str], exactly: Fixed, size: int) -> Array:
    """Every choice of inputs for the nodes of a graph, uint8 [number of choices, size]."""
    free = np.array(_free(names, exactly), np.uint8)
    placed = [(np.zeros(size, np.uint8), np.arange(size))]
    for key, count in exactly.items():
        wider: list[tuple[Array, Array]] = []
        group = [names.index(name) for name in group_of(key)]
        for row, left in placed:
            for chosen, marks in product(combinations(left.tolist(), count), product(group, repeat=count)):
                marked = row.copy()
                marked[list(chosen)] = marks
                wider.append((marked, np.setdiff1d(left, chosen)))
        placed = wider
    rows: list[Array] = [np.empty((0, size), np.uint8)]
    for row, left in placed:
        if not len(left):
            rows.append(row[None])
        if not len(left) or not len(free):
            continue
        choices = free[all_inputs(len(left), len(free))]
        block = np.tile(row, (len(choices), 1))
        block[:, left] = choices
        rows.append(block)
    return np.concatenate(rows)


def random_rows(names: Sequence[str], exactly: Fixed, graphs: GraphBatch, rng: np.random.Generator) -> Array:
    """A random choice of inputs for each graph, uint8 [number of graphs, size]; all graphs have one size."""
    count = len(graphs)
    size = graphs.graph.num_nodes // max(1, count)
    free = np.array(_free(names, exactly) or [0], np.uint8)
    rows = free[rng.integers(0, len(free), (count, size))]
    order = rng.permuted(np.tile(np.arange(size), (count, 1)), axis=1)
    done = 0
    for key, number in exactly.items():
        group = np.array([names.index(name) for name in group_of(key)], np.uint8)
        marks = group[rng.integers(0, len(group), (count, number))]
        np.put_along_axis(rows, order[:, done : done + number], marks, axis=1)
        done += number
    return rows


def random_graphs(kind: str, size: int, count: int, rng: np.random.Generator) -> GraphBatch:
    """Random graphs of a class and size; there is one path, cycle, row and ring of each size."""
    if kind == "path":
        return paths(size, count)
    if kind in ("cycle", "row", "ring"):
        return GraphBatch.repeat(all_graphs(kind, size).graph, count)
    if kind == "rooted-tree":
        trees = random_graphs("tree", size, count, rng)
        return rooted_batch(trees, trees.offsets[:-1] + rng.integers(0, size, count))
    if kind == "tree":
        return GraphBatch.from_edges(np.full(count, size), tree_edges("uniform", size, count, rng))
    if size <= _LISTED:
        every = all_graphs(kind, size)
        return every.select(rng.integers(0, len(every), count))
    return with_extra_edges(tree_edges("uniform", size, count, rng), size, count, size // 2, rng)
