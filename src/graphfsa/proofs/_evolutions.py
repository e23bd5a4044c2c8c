"""Does an automaton follow a local rule on boards and rows of every size? That can always be decided.

A cell can see finitely many things, each of which occurs on some board. If the table of the automaton and the rule
agree on all of them, one step agrees on every board from all states, and so does every number of steps. If they
disagree on one, a small board shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

from graphfsa.analysis.verification import Counterexample
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import EvolutionSpecification
from graphfsa.engine import run
from graphfsa.graphs import Graph

KIND = "evolution"


@dataclass(frozen=True)
class EvolutionProof:
    """What was found.

    Attributes:
        verdict: ``proved`` or ``refuted``.
        reason: Why, in words.
        counterexample: If it was refuted: a board, as small as possible, on which one step differs.
        certificate: If it was proved: what was compared, as JSON values.
        seconds: How long it took.
    """

    verdict: Literal["proved", "refuted"]
    reason: str
    counterexample: Counterexample | None
    certificate: dict[str, Any] | None
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether there is a proof."""
        return self.verdict == "proved"


def prove_evolution(fsa: GraphFSA, spec: EvolutionSpecification) -> EvolutionProof:
    """Decide whether an automaton follows a local rule on every board of a kind, for any number of steps.

    Args:
        fsa: The automaton; it has states with the names of the specification's states.
        spec: The statement.

    Raises:
        GraphFSAError: The automaton lacks a state, or its aggregation can't look at such boards.

    Example:
        >>> from graphfsa import library
        >>> from graphfsa.datasets import Life
        >>> prove_evolution(library.life_like(), Life().specifications()[0]).verdict
        'proved'
    """
    began = perf_counter()
    table = spec.table
    states = table.task.reading(fsa).starting
    for board in spec.boards():
        fsa.aggregation.check_graph(Graph.from_lattice(board))
    wrong = [key for key, after in table.moves.items() if _after(fsa, states, *key) != states[after]]
    if wrong:
        example = _smallest(fsa, spec, states, wrong)
        reason = f"one step on a board of {example.graph.num_nodes} cells differs"
        return EvolutionProof("refuted", reason, example, None, perf_counter() - began)
    reason = f"on every {table.graph_class} the automaton follows {table.name}, for any number of steps"
    certificate = {
        "task": table.name,
        "graph_class": table.graph_class,
        "specification": table.digest,
        "automaton": fsa.digest,
        "moves": len(table.moves),
    }
    return EvolutionProof("proved", reason, None, certificate, perf_counter() - began)


def _after(fsa: GraphFSA, states: Sequence[int], given: int, seen: Sequence[int]) -> int:
    """Where a cell goes, by the table of the automaton."""
    around = [(states[state], slot) for slot, state in enumerate(seen) if state >= 0]
    value = fsa.aggregation.encode([state for state, _ in around], [slot for _, slot in around], fsa.num_states)
    return int(fsa.transition_table[states[given], value])


def _smallest(
    fsa: GraphFSA, spec: EvolutionSpecification, states: Sequence[int], wrong: Sequence[tuple[int, tuple[int, ...]]]
) -> Counterexample:
    """The smallest board with a cell that has one of the given states and sees what is given with it, run."""
    for board in spec.boards():
        graph = Graph.from_lattice(board)
        for given, seen in wrong:
            for node in range(graph.num_nodes):
                cells = placed(graph, node, given, seen, spec.table.slotted)
                if cells is not None:
                    names = tuple(spec.states[state] for state in cells)
                    last = run(fsa, graph, [states[state] for state in cells], 1).last.tolist()
                    answers = tuple(spec.states[states.index(state)] if state in states else None for state in last)
                    labels = tuple(spec.labels(graph, names))
                    assert answers[node] != labels[node]
                    return Counterexample(graph, names, labels, answers, 1)
    raise AssertionError("every neighbourhood of a specification occurs on one of its boards")


def placed(graph: Graph, node: int, given: int, seen: Sequence[int], slotted: bool) -> list[int] | None:
    """States of all cells such that a node has a state and sees what is given; None if that can't be."""
    around = graph.neighbours(node).tolist()
    there = [state for state in seen if state >= 0]
    if len(around) != len(there):
        return None
    if slotted and around:
        assert graph.slots is not None
        slots = graph.slots[graph.indptr[node] : graph.indptr[node + 1]].tolist()
        if {slot for slot, state in enumerate(seen) if state >= 0} != set(slots):
            return None
        there = [seen[slot] for slot in slots]
    cells = {node: given}
    for other, state in zip(around, there, strict=True):
        # On a small ring left and right may be one cell, or the cell itself.
        if cells.setdefault(other, state) != state:
            return None
    return [cells.get(other, 0) for other in range(graph.num_nodes)]
