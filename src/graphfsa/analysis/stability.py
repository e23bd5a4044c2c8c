"""Iteration stability (section 5 of the paper): what becomes of the answers if an automaton runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_integer
from graphfsa.datasets import Dataset, Examples
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError

BEYOND = (0, 1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Stability:
    """How an automaton does after some more steps than the labels take.

    Attributes:
        beyond: Number of further steps.
        accuracy: Share of the nodes that count that have their label then, strictly.
        settled: Share of the graphs none of whose nodes will ever change its state again.
    """

    beyond: int
    accuracy: float
    settled: float


def iteration_stability(
    fsa: GraphFSA, examples: Examples, beyond: Sequence[int] = BEYOND, *, dataset: Dataset | None = None
) -> list[Stability]:
    """Accuracy as a function of steps beyond those of the labels, and whether the outcome is a fixed point.

    Args:
        fsa: The automaton.
        examples: Labelled graphs.
        beyond: Numbers of further steps.
        dataset: Where labels are states at a given step, the data set that knows them at later steps.

    Example:
        >>> from graphfsa import datasets, library
        >>> graphs = datasets.Distance().generate(8, 10, np.random.default_rng(0))
        >>> [(s.beyond, s.accuracy, s.settled) for s in iteration_stability(library.distance(), graphs, [0, 50])]
        [(0, 1.0, 1.0), (50, 1.0, 1.0)]
    """
    numbers = [check_integer("beyond", number) for number in beyond]
    return [_after(fsa, later(examples, number, dataset), number) for number in numbers]


def settled(fsa: GraphFSA, examples: Examples) -> Array:
    """Which graphs have reached a fixed point after the steps of their labels, bool [number of graphs]."""
    start = examples.task.starting_states(fsa, examples.inputs)
    moving = np.zeros(len(examples), bool)
    for steps, part, nodes in examples.by_steps():
        last = run(fsa, part.graphs.graph, start[nodes], steps).last
        changes = run(fsa, part.graphs.graph, last, 1).last != last
        moving[examples.graphs.owners[nodes][changes]] = True
    return ~moving


def later(examples: Examples, beyond: int, dataset: Dataset | None = None) -> Examples:
    """The same graphs with their labels after further steps; where labels change, the data set must say how."""
    if examples.task.kind == "evolution" and beyond:
        if dataset is None:
            raise GraphFSAError(
                "where labels are states at a given step, only their data set knows later ones; give it"
            )
        parts = [
            dataset.examples(part.graphs, part.inputs, steps=steps + beyond) for steps, part, _ in examples.by_steps()
        ]
        return Examples.concatenate(parts)
    columns = {"mask": examples.mask, "counts": examples.counts, "steps": examples.steps + beyond}
    return Examples(examples.task, examples.graphs, examples.inputs, examples.labels, **columns)


def _after(fsa: GraphFSA, examples: Examples, beyond: int) -> Stability:
    share = float(settled(fsa, examples).mean()) if len(examples) else 1.0
    return Stability(beyond, examples.accuracy(fsa), share)
