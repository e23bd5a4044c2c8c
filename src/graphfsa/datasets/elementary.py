"""Elementary one-dimensional rules: 0 to 255, on rows with a boundary of zeros and on rings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA, library
from graphfsa.checks import check_choice
from graphfsa.datasets._base import Dataset, Specification, Split, check_size, check_steps
from graphfsa.datasets._evolution_specification import EvolutionSpecification
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._structure import checked_inputs
from graphfsa.datasets._task import Task
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, all_inputs, families


@dataclass(frozen=True)
class Elementary(Dataset):
    """Rows of cells under one of Wolfram's 256 elementary rules.

    Attributes:
        rule: The rule's number; the authors' scripts use 42 unless told otherwise.
        ring: Whether the ends of the row are joined; otherwise the cells beyond the ends count as 0.
    """

    name: ClassVar[str] = "elementary"

    rule: int = 42
    ring: bool = False

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(((4, 1_000),)),
        "validation": Split(((4, 100),)),
        "test": Split(((10, 100),)),
        "learn": Split(tuple((size, min(2**size, 512)) for size in range(3, 11))),
    }

    def __post_init__(self) -> None:
        check_choice("rule", self.rule, tuple(range(256)))

    @property
    def task(self) -> Task:  # noqa: D102
        return Task(f"elementary rule {self.rule}", "evolution", ("0", "1"), ("0", "1"))

    def automaton(self) -> GraphFSA:  # noqa: D102
        return library.elementary(self.rule)

    def specifications(self) -> tuple[Specification, ...]:  # noqa: D102
        def move(state: str, sides: tuple[str | None, ...]) -> str:
            left, right = (int(side or 0) for side in sides)
            return str(self.rule >> (4 * left + 2 * int(state) + right) & 1)

        # Only a row of one cell has a cell without any neighbour.
        kind = self.task.name, ("0", "1"), "line", self.ring, move
        return tuple(EvolutionSpecification(*kind, least_side=side) for side in ((1,) if self.ring else (1, 2)))

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        check_size("a row", size, 1, count)
        rows = rng.integers(0, 2, (count, size), dtype=np.uint8)
        graph = families.ring(size) if self.ring else families.row(size)
        return self.examples(GraphBatch.repeat(graph, count), rows.reshape(-1), steps=steps)

    @property
    def graph_class(self) -> str:  # noqa: D102
        return "ring" if self.ring else "row"

    def num_instances(self, size: int) -> int:  # noqa: D102
        return 2**size

    def instances(self, graph: Graph) -> Array:
        """Every row of zeros and ones."""
        return all_inputs(graph.num_nodes, 2)

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """The rule on cells that see a left and a right cell, or none, which counts as 0."""
        number = check_steps(steps, 1)
        after = checked_inputs(self.task, graphs, inputs)
        left, right = _sides(graphs.graph)
        outcome = np.array([self.rule >> place & 1 for place in range(8)], np.uint8)
        for _ in range(number):
            wide = np.r_[after, np.uint8(0)]
            after = outcome[4 * wide[left] + 2 * after + wide[right]]
        return Examples(self.task, graphs, inputs, after, steps=number)


def _sides(graph: Graph) -> tuple[Array, Array]:
    """The left and the right cell of each cell; one past the last where there is none."""
    if graph.num_slots > 2 or (graph.num_arcs and graph.slots is None):
        raise GraphFSAError(f"an elementary rule needs graphs with a left and a right slot, rows or rings; got {graph}")
    sides = np.full((2, graph.num_nodes), graph.num_nodes)
    if graph.slots is not None:
        sides[graph.slots, graph.targets()] = graph.indices
    return sides[0], sides[1]
