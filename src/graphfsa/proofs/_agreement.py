"""Does a specification say what a data set says? Compared on small instances, all of them or as many as make sense."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from graphfsa.datasets import Dataset, EvolutionSpecification, TreeSpecification, WaveSpecification
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import Graph, GraphBatch, all_graphs
from graphfsa.proofs._evolutions import placed
from graphfsa.proofs._wave_refuter import MAX_DIRECTED, directed_graphs

_QUESTIONS = 3000
"""How many small instances a specification is tested on, about."""
_CELLS = 16
"""Boards up to this size are compared."""
_MOVES = 2000
"""How many moves of a local rule are compared on each of them, at most."""


def compare_graphs(spec: TreeSpecification | WaveSpecification, dataset: Dataset | None) -> int:
    """Compare a specification with a data set on all small instances; without one it must only admit something.

    Returns:
        The number of instances that were looked at.

    Raises:
        GraphFSAError: They differ, or it admits nothing; the message has the instance.
    """
    table = spec.table
    looked_at = admitted = 0
    for graph in _small_graphs(spec, len(table.inputs)):
        wanted = {} if dataset is None else _labelled(dataset, graph, partial=spec.graph_class == "directed")
        for numbers in product(range(len(table.inputs)), repeat=graph.num_nodes):
            looked_at += 1
            inputs = [table.inputs[number] for number in numbers]
            said = spec.labels(graph, inputs)
            admitted += said is not None
            if dataset is not None and said != wanted.get(numbers):
                raise _difference(table.name, dataset, graph, inputs, said, wanted.get(numbers))
    if not admitted:
        raise GraphFSAError(f"{table.name} must admit some instance; it admits none of {looked_at:,} small ones")
    return looked_at


def compare_boards(spec: EvolutionSpecification, dataset: Dataset) -> int:
    """Compare one step of a local rule and of a data set on small boards, such that all moves of the rule occur.

    Raises:
        GraphFSAError: They differ, or the data set has no such boards; the message has the board.
    """
    moves = list(spec.table.moves)
    moves = moves[:: max(1, len(moves) // _MOVES)]
    looked_at = 0
    for size in range(1, _CELLS + 1):
        for graph in dataset.every_graph(size).graphs():
            rows = sorted({tuple(row) for row in _boards(spec, graph, moves)})
            if not rows:
                continue
            labelled = dataset.examples(GraphBatch.repeat(graph, len(rows)), np.array(rows, np.uint8).ravel(), steps=1)
            wanted = np.array(dataset.task.classes, dtype=object)[labelled.labels].reshape(len(rows), -1).tolist()
            for row, labels in zip(rows, wanted, strict=True):
                inputs = [spec.states[number] for number in row]
                said = spec.labels(graph, inputs)
                looked_at += 1
                if said != labels:
                    raise _difference(spec.name, dataset, graph, inputs, said, labels)
    if not looked_at:
        raise GraphFSAError(f"{spec.name} is about every {spec.graph_class}, and {dataset.name} has no small one")
    return looked_at


def _boards(
    spec: EvolutionSpecification, graph: Graph, moves: Sequence[tuple[int, tuple[int, ...]]]
) -> Iterator[list[int]]:
    """States of all cells of a board such that some cell makes a move, for each move; none for other boards."""
    try:
        spec.labels(graph, [spec.states[0]] * graph.num_nodes)
    except GraphFSAError:  # Not a board that it is about.
        return
    for given, seen in moves:
        found = (placed(graph, node, given, seen, spec.table.slotted) for node in range(graph.num_nodes))
        row = next((row for row in found if row is not None), None)
        if row is not None:
            yield row


def _small_graphs(spec: TreeSpecification | WaveSpecification, num_inputs: int) -> Iterator[Graph]:
    """All small graphs of the class, as long as there are not too many instances; at least those of three nodes."""
    if spec.graph_class == "directed":
        # All of them are listed if there are two inputs; with more, those of up to two nodes.
        for size in range(1, MAX_DIRECTED + 1 if num_inputs <= 2 else MAX_DIRECTED):
            yield from directed_graphs(size)
        return
    asked, size = 0, 0
    while size < 3 or asked * num_inputs < _QUESTIONS:
        size += 1
        if size > 12:
            return
        most = spec.max_degree if isinstance(spec, TreeSpecification) else None
        for graph in all_graphs(spec.graph_class, size).graphs():
            if most is None or int(graph.degrees.max(initial=0)) <= most:
                asked += num_inputs**size
                yield graph


def _labelled(dataset: Dataset, graph: Graph, *, partial: bool) -> dict[tuple[int, ...], list[str | None]]:
    """Every input that the data set admits on a graph, with the labels; ``partial``: some nodes may have none."""
    rows = dataset.instances(graph)
    if not len(rows):
        return {}
    examples = dataset.examples(GraphBatch.of([graph] * len(rows)), rows.reshape(-1))
    if not partial and not examples.mask.all():
        raise GraphFSAError(f"{dataset.name} has nodes that do not count; a specification is about all nodes")
    names = np.array(dataset.task.classes, dtype=object)[examples.labels]
    names[~examples.mask] = None
    names = names.reshape(len(rows), -1)
    return {tuple(row): list(labels) for row, labels in zip(rows.tolist(), names.tolist(), strict=True)}


def _difference(
    name: str,
    dataset: Dataset,
    graph: Graph,
    inputs: Sequence[str],
    said: Sequence[str | None] | None,
    wanted: Sequence[str | None] | None,
) -> GraphFSAError:
    return GraphFSAError(
        f"{name} must say what {dataset.name} says; on {_shown(graph, inputs)} it says {_words(said)}, and "
        f"{dataset.name} {_words(wanted)}"
    )


def _shown(graph: Graph, inputs: Sequence[str]) -> str:
    given = ", ".join(f"{node}: {name}" for node, name in enumerate(inputs))
    if graph.lattice is not None:
        return f"the board {graph.lattice.height} x {graph.lattice.width} with cells {given}"
    arcs = zip(graph.indices.tolist(), graph.targets().tolist(), strict=True)
    if graph.symmetric and all(u != v for u, v in zip(graph.indices.tolist(), graph.targets().tolist(), strict=True)):
        edges = [f"{u}-{v}" for u, v in arcs if u < v]
    else:
        edges = [f"{u}->{v}" for u, v in arcs]
    return f"the graph with edges {' '.join(edges) or 'none'} and inputs {given}"


def _words(labels: Sequence[str | None] | None) -> str:
    return "that it is no instance" if labels is None else ", ".join(name or "nothing" for name in labels)
