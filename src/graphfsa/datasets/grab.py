"""GRAB, the graph automaton benchmark: a random automaton labels random graphs.

As in the paper: draw a truth, draw graphs and starting states, roll out, keep a graph by its share of nodes that ended
in a final state; other nodes are masked. Drawing is capped: a truth that can't fill a split is an error that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from graphfsa.aggregations import Aggregation
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets._base import CHECK_SIZES, Dataset, Split, check_size, check_steps
from graphfsa.datasets._examples import Examples
from graphfsa.datasets._grab_graphs import GraphFamily, sample_inputs
from graphfsa.datasets._grab_truth import check_numbers, make_aggregation, random_truth
from graphfsa.datasets._structure import checked_inputs
from graphfsa.datasets._task import Task
from graphfsa.errors import DrawError, GraphFSAError
from graphfsa.graphs import GRAPH_CLASSES, Graph, GraphBatch, all_inputs

Choose = Callable[[Examples], Any]
_TREES = ("recursive-tree", "deep-tree", "star", "binary-tree", "caterpillar")
_CAP = 800
"""Graphs to draw, at most, for each graph that is wanted."""


@dataclass(frozen=True)
class Grab(Dataset):
    """Graphs of one family labelled by one random truth.

    Attributes:
        family: Family of the graphs, with its parameters if they are not the usual ones: ``tree``,
            ``regular:degree=4``, ``erdos-renyi:p=0.2``, ``grid:torus=true``.
        num_states: Number of states of the truth.
        num_starting: Number of its starting states.
        num_final: Number of its final states: the classes.
        aggregation: ``counting``, ``average-threshold``, ``positional`` or ``letters``.
        bound: Up to which number ``counting`` and ``letters`` count.
        truth: ``dense`` or ``sparse`` random table.
        truth_seed: Seed of the truth.
        keep: Percentage of the nodes of a graph that must end in a final state; the others are masked.
        slots: Number of neighbour slots of ``positional``; 0 for the family's own: the directions of boards and rows,
            the degree of regular graphs, 2 for paths and cycles, 3 for binary trees, 4 for the others.
        thresholds: Those of ``average-threshold``, for every state.
        letters: Number of letters of ``letters``: state m shows the letter m modulo this number.
    """

    name: ClassVar[str] = "grab"

    family: str = "tree"
    num_states: int = 4
    num_starting: int = 2
    num_final: int = 2
    aggregation: str = "counting"
    bound: int = 1
    truth: str = "dense"
    truth_seed: int = 0
    keep: int = 100
    slots: int = 0
    thresholds: tuple[float, ...] = (0.5,)
    letters: int = 2

    splits: ClassVar[Mapping[str, Split]] = {
        "train": Split(((6, 1000),), 10),
        "validation": Split(((6, 100),), 10),
        "test": Split(((10, 100),), 15),
    }

    def __post_init__(self) -> None:
        if not 0 <= self.keep <= 100:
            raise GraphFSAError(f"keep must be a percentage in 0 .. 100; got {self.keep}")
        if self.slots and self.aggregation != "positional":
            raise GraphFSAError(f"slots go with the aggregation positional; got {self.aggregation}")
        self.automaton()

    @property
    def task(self) -> Task:  # noqa: D102
        inputs = tuple(f"s{k}" for k in range(self.num_starting))
        return Task(self.name, "classes", inputs, tuple(f"f{k}" for k in range(self.num_final)))

    def automaton(self) -> GraphFSA:
        """The truth."""
        check_numbers(self.num_states, self.num_starting, self.num_final)
        aggregation = make_aggregation(
            self.aggregation,
            self.num_states,
            bound=self.bound,
            slots=self.graphs.slots,
            thresholds=self.thresholds,
            letters=self.letters,
        )
        return _truth(self.num_states, self.num_starting, self.num_final, aggregation, self.truth, self.truth_seed)

    @property
    def graphs(self) -> GraphFamily:
        """The family, with neighbour slots if the truth needs them; calling it draws graphs."""
        family = GraphFamily.parse(self.family)
        return family.with_slots(self.slots) if self.aggregation == "positional" else family

    def generate(self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None) -> Examples:  # noqa: D102
        return self.draw(size, count, rng, steps=steps)[0]

    def draw(
        self, size: int, count: int, rng: np.random.Generator, *, steps: int | None = None, choose: Choose | None = None
    ) -> tuple[Examples, float]:
        """Draw ``count`` graphs that are kept, and the share of the drawn graphs with enough nodes in final states.

        Args:
            size: Number of nodes of each graph.
            count: Number of graphs.
            rng: Source of randomness.
            steps: Steps of the truth.
            choose: Tells which of those graphs to keep, bool [number of graphs]; all if not given.

        Raises:
            DrawError: If too few of very many graphs are kept.
        """
        check_size("a graph of GRAB", size, 1, count)
        number = check_steps(steps, usual_steps(size))
        kept: list[Examples] = []
        have = drawn = accepted = 0
        while have < count or not kept:
            rate = max(have / drawn if drawn else 0.5, 0.01)
            batch = int(min(max(1.2 * (count - have) / rate, 32), max(64, 2**22 // size), _CAP * max(count, 1)))
            found = self.roll_out(self.graphs(size, batch, rng), number, rng, keep=self.keep)
            drawn += batch
            accepted += len(found)
            kept.append(found if choose is None else found.select(np.flatnonzero(choose(found))))
            have += len(kept[-1])
            if have < count and drawn >= _CAP * count:
                raise DrawError(self._too_few(size, count, number, (drawn, accepted, have)))
        return Examples.concatenate(kept).select(np.arange(count)), accepted / drawn

    def check_sizes(self) -> tuple[int, ...]:
        """Sizes up to 1,000, where the family has graphs of every size."""
        return CHECK_SIZES if self.graph_class == "tree" else super().check_sizes()

    def draw_for_check(self, size: int, count: int, rng: np.random.Generator) -> Examples:
        """Draw graphs whatever the number of nodes that end in a final state; the others are masked."""
        return replace(self, keep=0).generate(size, count, rng)

    def roll_out(self, graphs: GraphBatch, steps: int, rng: np.random.Generator, *, keep: int) -> Examples:
        """Draw starting states, run the truth, and keep graphs with ``keep`` percent of their nodes in final states."""
        everything = self.examples(graphs, sample_inputs(graphs, self.num_starting, rng), steps=steps)
        sizes, final = everything.sizes, np.r_[everything.mask, False].astype(np.int64)
        ends = np.add.reduceat(final, graphs.offsets[:-1]) if len(sizes) else sizes
        return everything.select(np.flatnonzero(100 * ends >= keep * sizes))

    @property
    def graph_class(self) -> str | None:
        """The family's own class, or the smallest one that holds it (a random graph of it may be disconnected).

        None for graphs with slots that no class has: those of all positional truths but on rows and rings.
        """
        name = self.graphs.name
        if self.aggregation == "positional" and name not in ("row", "ring"):
            return None
        if name in _TREES:
            return "tree"
        return name if name in GRAPH_CLASSES else "connected"

    def every_graph(self, size: int) -> GraphBatch:
        """Every graph of the class or, if the graphs have slots, the one graph of the family."""
        if self.graph_class is not None:
            return super().every_graph(size)
        if not self.graphs.fixed:
            raise GraphFSAError(f"graphs of the family {self.graphs} are not listed: their neighbours are numbered")
        try:
            return self.graphs(size, 1, np.random.default_rng(0))
        except GraphFSAError:
            return GraphBatch.of([])  # The family has no graph of this size.

    def num_instances(self, size: int) -> int:  # noqa: D102
        return self.num_starting**size

    def instances(self, graph: Graph) -> Array:
        """Every choice of starting states, also those that leave nodes without an answer."""
        return all_inputs(graph.num_nodes, self.num_starting)

    def examples(self, graphs: GraphBatch, inputs: Array, *, steps: int | None = None) -> Examples:
        """What the truth answers; nodes that it leaves in a state that is not final are masked."""
        inputs = checked_inputs(self.task, graphs, inputs)
        number = check_steps(steps, _own_steps(np.diff(graphs.offsets)))
        nothing = np.zeros(len(inputs), np.uint8)
        answers = Examples(self.task, graphs, inputs, nothing, steps=number).predict(self.automaton())
        return Examples(self.task, graphs, inputs, np.maximum(answers, 0), mask=answers >= 0, steps=number)

    def _too_few(self, size: int, count: int, steps: int, found: tuple[int, int, int]) -> str:
        drawn, accepted, have = found
        return (
            f"the random truth {self.truth_seed} can't fill a split of {count} graphs of {size} nodes: of {drawn} "
            f"drawn, {accepted} ended after {steps} steps with at least {self.keep}% of their nodes in a final state, "
            f"and {have} of those may be in this split. Another truth-seed, truth=sparse, a smaller keep or more "
            "steps would help"
        )


def usual_steps(size: int) -> int:
    """Steps after which labels of graphs of a size hold, if it is not said."""
    return int(_own_steps(size))


def _own_steps(sizes: Array | int) -> Array:
    return np.maximum(10, 5 * sizes // 4)


@lru_cache(maxsize=64)
def _truth(
    num_states: int, num_starting: int, num_final: int, aggregation: Aggregation, kind: str, seed: int
) -> GraphFSA:
    return random_truth(num_states, num_starting, num_final, aggregation, kind, np.random.default_rng(seed))
