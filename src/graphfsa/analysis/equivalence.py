"""Whether two automata give the same answers: by renaming their states, or by trying every small graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa.analysis._answers import Difference, Question
from graphfsa.analysis.minimisation import minimise
from graphfsa.analysis.renaming import same_up_to_renaming
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.errors import AutomatonError, LimitError
from graphfsa.graphs import GraphBatch, all_graphs, all_inputs
from graphfsa.graphs.enumeration import MAX_INPUTS, check_class, num_graphs

__all__ = ["Comparison", "Difference", "compare", "same_up_to_renaming"]

MAX_NODE_RUNS = 2**30
_BATCH_NODES = 2**19
_TYPICAL = 3
"""Graphs of up to so many nodes show which slots the graphs of a class have."""


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        equivalent: Whether no difference was found.
        by: ``renaming``: the automata do the same on every graph whatsoever. ``exhaustive check``: on every graph of
            the class up to the size, from all inputs.
        checked: Number of pairs (graph, inputs) that were run.
        distinguishing: The difference, if there is one.
    """

    equivalent: bool
    by: str
    checked: int
    distinguishing: Difference | None


def compare(
    a: GraphFSA,
    b: GraphFSA,
    *,
    graph_class: str = "tree",
    max_nodes: int = 8,
    steps: int | None = None,
    where_answered: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Compare the answers of two automata on all small graphs of a class, from all inputs, smallest graphs first.

    The k-th starting states of both are the same input, the k-th final states the same answer. Compared are the answers
    in the end: each roll-out is run until it repeats, after which no node gets an answer any more. Automata without
    final states are compared by all their states after one step from any states; if that agrees, all steps do.

    If the automata, or what :func:`~graphfsa.analysis.minimisation.minimise` leaves of them, are the same up to the
    names of their states, no graph is run: they agree on all graphs of any size.

    Args:
        a: An automaton.
        b: An automaton with as many starting and as many final states.
        graph_class: One of ``graphfsa.graphs.GRAPH_CLASSES``.
        max_nodes: The largest number of nodes.
        steps: Compare what holds after exactly so many steps instead.
        where_answered: Whether nodes for which ``a`` has no answer do not count.
        progress: Called with the number of graphs with inputs that were compared.

    Raises:
        AutomatonError: The automata can't be compared.
        LimitError: There are too many graphs and inputs, or a roll-out does not repeat for very long.

    Example:
        >>> from graphfsa import library
        >>> found = compare(library.life_like("B3/S23"), library.life_like("B3/S2"), max_nodes=5)
        >>> found.equivalent, found.distinguishing.graph.num_nodes
        (False, 4)
    """
    _check_pair(a, b, steps)
    _check_graphs(graph_class, max_nodes)
    # Without final states the states show, and one step from all of them tells everything.
    question = Question((a, b), 1 if steps is None and not a.final_states else steps, where_answered)
    if _renamed(a, b):
        return Comparison(True, "renaming", 0, None)
    _check_work(question, graph_class, max_nodes)
    checked = 0
    for size in range(1, max_nodes + 1):
        for batch, inputs in _instances(all_graphs(graph_class, size), size, question.num_inputs):
            differing = np.flatnonzero(question.differ(batch, inputs))
            if len(differing):
                place = int(differing[0])
                graph = batch.select([place]).graphs()[0]
                found = question.difference(graph, inputs[place])
                return Comparison(False, "exhaustive check", checked + place + 1, found)
            checked += len(batch)
            if progress is not None:
                progress(checked)
    return Comparison(True, "exhaustive check", checked, None)


def _renamed(a: GraphFSA, b: GraphFSA) -> bool:
    renaming = same_up_to_renaming(a, b)
    if not a.final_states:
        return renaming == tuple(range(a.num_states))
    return renaming is not None or same_up_to_renaming(minimise(a).automaton, minimise(b).automaton) is not None


def _instances(graphs: GraphBatch, size: int, num_inputs: int) -> Iterator[tuple[GraphBatch, Array]]:
    """Every graph with every choice of inputs, many at a time."""
    inputs = all_inputs(size, num_inputs)
    total = len(graphs) * len(inputs)
    length = max(1, _BATCH_NODES // size)
    for begin in range(0, total, length):
        graph, row = np.divmod(np.arange(begin, min(begin + length, total)), len(inputs))
        yield graphs.select(graph), inputs[row]


def _check_pair(a: GraphFSA, b: GraphFSA, steps: int | None) -> None:
    for fsa in (a, b):
        if not isinstance(fsa, GraphFSA):
            raise AutomatonError(f"compare needs two GraphFSA; got {type(fsa).__name__}")
    for what in ("starting", "final"):
        left, right = (len(getattr(fsa, f"{what}_states")) for fsa in (a, b))
        if left != right:
            raise AutomatonError(f"automata to compare must have as many {what} states; got {left} and {right}")
    if not a.starting_states:
        raise AutomatonError("automata to compare must have a starting state; got none")
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0):
        raise AutomatonError(f"steps must be a whole number of at least 0; got {steps!r}")
    if a.final_states:
        return
    if a.num_states != b.num_states or a.starting_states != b.starting_states:
        raise AutomatonError(
            "automata without final states are compared by their states and must have the same; "
            f"got {a.num_states} and {b.num_states} states, starting in {a.starting_states} and {b.starting_states}"
        )
    if steps is None and len(a.starting_states) < a.num_states:
        raise AutomatonError(
            "automata without final states must be able to start in each state, or be compared after a given number "
            f"of steps; got {len(a.starting_states)} starting states of {a.num_states}"
        )


def _check_graphs(graph_class: str, max_nodes: Any) -> None:
    check_class(graph_class)
    if isinstance(max_nodes, bool) or not isinstance(max_nodes, int | np.integer) or max_nodes < 1:
        raise AutomatonError(f"max_nodes must be a whole number of at least 1; got {max_nodes!r}")


def _check_work(question: Question, graph_class: str, max_nodes: int) -> None:
    """Raise if the graphs do not suit the automata or are too many; nothing is run."""
    for size in range(1, min(max_nodes, _TYPICAL) + 1):
        for fsa in question.fsas:
            fsa.aggregation.check_graph(all_graphs(graph_class, size).graph)
    total = 0
    for size in range(1, max_nodes + 1):
        rows = question.num_inputs**size
        total += num_graphs(graph_class, size) * size * rows
        if rows > MAX_INPUTS or total > MAX_NODE_RUNS:
            raise LimitError(
                f"graphs of the class {graph_class} with up to {size} nodes of {question.num_inputs} inputs are too "
                f"many: at most {MAX_NODE_RUNS:,} nodes are run, and a graph has at most {MAX_INPUTS:,} choices of "
                f"inputs; choose at most {size - 1} nodes"
            )
