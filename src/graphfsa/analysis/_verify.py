"""The check of every instance of a task; :mod:`graphfsa.analysis.verification` says what it means."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from time import perf_counter
from typing import Any

import numpy as np

from graphfsa.analysis._exhaustive import Progress, SizeCount, class_of, plan, portions
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, Examples
from graphfsa.graphs import Graph


@dataclass(frozen=True)
class Counterexample:
    """An instance on which an automaton is wrong.

    Attributes:
        graph: The graph.
        inputs: Name of the input of each node.
        labels: Name of the right class of each node; None where a node does not count.
        predictions: Name of the class that each node ended with; None for a state that is no answer.
        steps: After how many steps.
    """

    graph: Graph
    inputs: tuple[str, ...]
    labels: tuple[str | None, ...]
    predictions: tuple[str | None, ...]
    steps: int


@dataclass(frozen=True)
class Verification:
    """What was checked and what came of it.

    Attributes:
        verified: Whether all instances are right.
        graph_class: The class of the graphs.
        max_nodes: The largest size of them.
        graphs: Number of graphs, up to isomorphism; up to the counterexample, if there is one.
        instances: Number of instances, counted in the same way.
        sizes: The same for each size.
        digest: SHA-256 of everything that was looked at.
        counterexample: The first instance that is wrong; none has fewer nodes.
        seconds: How long it took.
    """

    verified: bool
    graph_class: str
    max_nodes: int
    graphs: int
    instances: int
    sizes: tuple[SizeCount, ...]
    digest: str
    counterexample: Counterexample | None
    seconds: float


def verify(
    fsa: GraphFSA,
    dataset: Dataset,
    max_nodes: int,
    *,
    graph_class: str | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check an automaton on every graph of a class with at most ``max_nodes`` nodes and every input of the task.

    Smaller sizes come first, and the first wrong instance ends it. GRAB counts the nodes where its truth ends in a
    final state.

    Args:
        fsa: The automaton.
        dataset: The task.
        max_nodes: The largest size.
        graph_class: Another class of graphs than that of the data set, one of ``GRAPH_CLASSES``.
        progress: Called with the number of instances looked at so far, and of all.

    Raises:
        LimitError: There are too many instances; the message names the largest size that is feasible.

    Example:
        >>> from graphfsa import library
        >>> from graphfsa.datasets import dataset_class
        >>> found = verify(library.distance(), dataset_class("distance")(), 5)
        >>> found.verified, found.graphs, found.instances
        (True, 31, 138)
    """
    began = perf_counter()
    dataset.task.check_automaton(fsa)
    kind = class_of(dataset, graph_class)
    counts = plan(dataset, kind, max_nodes)
    total = sum(count.instances for count in counts)
    steps = 1 if dataset.task.kind == "evolution" else None
    hasher = sha256(f"graphfsa.verification/1 {kind}".encode())
    found, checked = None, 0
    for portion in portions(dataset, kind, counts):
        examples = dataset.label(portion.graphs, portion.inputs, steps=steps)
        hasher.update(f" {portion.size} {examples.digest}".encode())
        wrong, found = _first_wrong(examples, fsa)
        checked += wrong
        if found is not None:
            smaller = [count for count in counts if count.size < portion.size]
            of_size = checked - sum(count.instances for count in smaller)
            counts = [*smaller, SizeCount(portion.size, int(portion.places[wrong - 1]) + 1, of_size)]
            break
        if progress is not None:
            progress(checked, total)
    return Verification(
        verified=found is None,
        graph_class=kind,
        max_nodes=int(max_nodes),
        graphs=sum(count.graphs for count in counts),
        instances=sum(count.instances for count in counts),
        sizes=tuple(counts),
        digest=hasher.hexdigest(),
        counterexample=found,
        seconds=perf_counter() - began,
    )


def _first_wrong(examples: Examples, fsa: GraphFSA) -> tuple[int, Counterexample | None]:
    """How many graphs were looked at until one was wrong, that one included, and what is wrong with it."""
    answers = examples.predict(fsa)
    wrong = np.flatnonzero(examples.wrong(answers))
    if not len(wrong):
        return len(examples), None
    place = int(examples.graphs.owners[wrong[0]])
    return place + 1, _counterexample(examples.select([place]), examples.graphs.split(answers)[place])


def _counterexample(example: Examples, answers: Any) -> Counterexample:
    task = example.task
    labels = zip(example.labels.tolist(), example.mask.tolist(), strict=True)
    return Counterexample(
        example.graphs.graph,
        tuple(task.inputs[number] for number in example.inputs.tolist()),
        tuple(task.classes[number] if counts else None for number, counts in labels),
        tuple(task.classes[number] if number >= 0 else None for number in answers.tolist()),
        int(example.steps[0]),
    )
