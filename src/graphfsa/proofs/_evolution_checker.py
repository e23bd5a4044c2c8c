"""Checks that an automaton follows a local rule: from the certificate, the table and the statement; no other code.

One step of the automaton is looked up for every state of a cell and everything that it can see. The aggregation is
asked about the neighbours in the other order, which must not matter.
"""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

from graphfsa.analysis.certificates import Check
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import EvolutionSpecification, EvolutionTable
from graphfsa.fields import Field, read_fields
from graphfsa.graphs import Graph

FIELDS = {
    "task": Field(str),
    "graph_class": Field(str),
    "specification": Field(str),
    "automaton": Field(str),
    "moves": Field(int, least=1),
}


def check_evolution(certificate: Any, fsa: GraphFSA, spec: EvolutionSpecification) -> Check:
    """Check that an automaton follows a local rule on every board, as a certificate says.

    Args:
        certificate: What ``prove_evolution`` found, as JSON values.
        fsa: The automaton.
        spec: The statement.

    Returns:
        Whether that is so, and the theorem or the fact that fails.

    Raises:
        FormatError: The certificate is malformed.
        AutomatonError: The aggregation of the automaton can't look at such boards.
    """
    said = read_fields(certificate, FIELDS, "the certificate", also=("schema", "kind", "version"))
    table = spec.table
    known = table.name, table.graph_class, table.digest, fsa.digest, _number(table)
    for field, value in zip(FIELDS, known, strict=True):
        if said[field] != value:
            return Check(False, f"the {field.replace('_', ' ')} of the certificate must be {value}; got {said[field]}")
    if len(table.moves) != known[-1]:
        return Check(False, f"the statement must say {known[-1]} moves; got {len(table.moves)}")
    for board in spec.boards():
        fsa.aggregation.check_graph(Graph.from_lattice(board))
    if not set(table.states) <= set(fsa.state_names):
        return Check(False, f"the automaton must have the states {', '.join(table.states)}")
    number = {place: fsa.state_names.index(name) for place, name in enumerate(table.states)}
    for (given, seen), after in table.moves.items():
        places = [slot for slot in reversed(range(len(seen))) if seen[slot] >= 0]
        value = fsa.aggregation.encode([number[seen[slot]] for slot in places], places, fsa.num_states)
        found = int(fsa.transition_table[number[given], value])
        if found != number[after]:
            words = f"a cell in state {table.states[given]} that sees {[table.states[seen[slot]] for slot in places]}"
            return Check(False, f"{words} must become {table.states[after]}; got {fsa.state_names[found]}")
    where = f"on every {table.graph_class}"
    return Check(True, f"{where} the automaton follows {table.name}, for any number of steps ({known[-1]:,} moves)")


def _number(table: EvolutionTable) -> int:
    """How many moves there are: states of a cell, times everything that it can see."""
    size = len(table.states)
    if table.slotted:
        pairs = product((False, True), repeat=2)
        return size * sum(size ** sum(pair) for pair in pairs if pair in table.sights)
    return size * sum(comb(degree + size - 1, degree) for degree in {len(sight) for sight in table.sights})
