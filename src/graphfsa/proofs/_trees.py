"""Proofs about trees: cheap methods first, between a search for a small wrong tree and one for a larger one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphfsa.analysis.verification import Counterexample
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import SpecificationTable, TreeSpecification
from graphfsa.engine import run
from graphfsa.errors import LimitError
from graphfsa.graphs import Graph
from graphfsa.proofs._claims import steps_of
from graphfsa.proofs._contracts import ContractProver, OpenCase, TreeProof, tree_certificate
from graphfsa.proofs._local import LocalAutomaton
from graphfsa.proofs._outcomes import proved, refuted
from graphfsa.proofs._refuter import NotRefuted, Refuted, Refuter, tree_edges
from graphfsa.proofs._views import StuckCase, ViewProof, ViewProver, view_certificate

Watch = Callable[[str], None]
_FIRST = 7
"""Up to this size trees are looked at before a proof is tried: most wrong automata are wrong on a small one."""
_FEW_STEPS = 150_000
_STEPS = {2: 1_500_000, 3: 4_000_000, 1: 4_000_000}
"""For each length of histories how many steps may be looked at. Most proofs need a history of one letter and few steps;
where they do not, longer histories leave less to look at."""
_VIEWS = 2_000_000
_VIEW_HISTORIES = (1, 2)
_MACHINES = 150_000
"""States of machines that the refuter may make for each node that trees have."""


def settle_on_trees(
    fsa: GraphFSA, spec: TreeSpecification, max_nodes: int, effort: int, watch: Watch
) -> dict[str, Any]:
    """Prove or refute a specification of trees or paths: the verdict and what belongs to it, as fields of a proof."""
    statement = spec.table
    automaton = LocalAutomaton(fsa, statement)
    refuter = Refuter(automaton, statement)
    watch(f"all {spec.graph_class}s of up to {min(_FIRST, max_nodes)} nodes")
    small = refuter.search(min(_FIRST, max_nodes), effort * _MACHINES)
    if isinstance(small, Refuted):
        return refuted(_concrete(fsa, spec, small))
    found = _attempts(automaton, statement, effort, watch)
    if isinstance(found, TreeProof):
        facts = tree_certificate(found, automaton)
        return proved("contracts", facts, steps_of(found.changes), small.num_nodes)
    if isinstance(found, ViewProof):
        return proved("views", view_certificate(found), steps_of(found.changes), small.num_nodes)
    watch(f"all {spec.graph_class}s of up to {max_nodes} nodes")
    last = refuter.search(max_nodes, effort * _MACHINES * max_nodes)
    if isinstance(last, Refuted):
        return refuted(_concrete(fsa, spec, last))
    reason = _open_words(found, last, fsa, statement)
    return {"verdict": "undecided", "reason": reason, "checked_nodes": last.num_nodes}


def _attempts(
    automaton: LocalAutomaton, statement: SpecificationTable, effort: int, watch: Watch
) -> TreeProof | ViewProof | OpenCase | LimitError:
    """The first proof that succeeds, cheap ones first; what the last attempt with contracts left open, if none does."""
    watch("contracts over 1 letter, the small ones")
    try:
        found = ContractProver(automaton, statement, 1, _FEW_STEPS).prove()
        if isinstance(found, TreeProof):
            return found
    except LimitError:
        pass
    seen = _by_views(automaton, statement, effort, watch)
    return seen if isinstance(seen, ViewProof) else _by_contracts(automaton, statement, effort, watch)


def _by_views(
    automaton: LocalAutomaton, statement: SpecificationTable, effort: int, watch: Watch
) -> ViewProof | StuckCase | None:
    """Proofs by what edges show, with longer and longer histories; None if there is too much to look at."""
    found: ViewProof | StuckCase | None = None
    for history in _VIEW_HISTORIES:
        watch(f"views of {history} state{'s' * (history > 1)}")
        try:
            found = ViewProver(automaton, statement, history, effort * _VIEWS).prove()
        except LimitError:
            return None
        if isinstance(found, ViewProof):
            break
    return found


def _by_contracts(
    automaton: LocalAutomaton, statement: SpecificationTable, effort: int, watch: Watch
) -> TreeProof | OpenCase | LimitError:
    """Proofs with histories of several lengths; if none succeeds, what one of them left open, or else why it ended."""
    left: OpenCase | LimitError | None = None
    for history, steps in _STEPS.items():
        watch(f"contracts over {history} letter{'s' * (history > 1)}")
        try:
            found = ContractProver(automaton, statement, history, effort * steps).prove()
        except LimitError as error:
            left = left or error
            continue
        if isinstance(found, TreeProof):
            return found
        left = found
    assert left is not None
    return left


def _concrete(fsa: GraphFSA, spec: TreeSpecification, found: Refuted) -> Counterexample:
    """The wrong tree as a graph, run by the engine until some node is wrong that will be wrong again and again."""
    numbers, edges = tree_edges(found.tree)
    graph = Graph.from_edges(len(numbers), edges)
    return counterexample(fsa, spec, graph, [spec.table.inputs[number] for number in numbers])


def counterexample(fsa: GraphFSA, spec: TreeSpecification, graph: Graph, inputs: list[str]) -> Counterexample:
    """What an automaton does on a graph on which it must be wrong."""
    table, labels = spec.table, spec.labels(graph, inputs)
    assert labels is not None, "the refuter only builds instances that are admitted"
    task = table.task
    states = task.starting_states(fsa, np.array([table.inputs.index(name) for name in inputs]))
    wanted = np.array([table.classes.index(name) for name in labels])
    settled = run(fsa, graph, states, "stable", max_steps=2**20)
    step = settled.steps if settled.stable_at is None else settled.stable_at
    states = settled.last if settled.stable_at is None else run(fsa, graph, states, step).last
    for later in range(step, step + 2**16):
        answers = task.predictions(fsa, states)
        if (answers != wanted).any():
            named = tuple(table.classes[k] if k >= 0 else None for k in answers.tolist())
            return Counterexample(graph, tuple(inputs), tuple(labels), named, later)
        states = run(fsa, graph, states, 1).last
    raise AssertionError("the engine finds right what the refuter found wrong")


def _open_words(found: OpenCase | LimitError, last: NotRefuted, fsa: GraphFSA, statement: SpecificationTable) -> str:
    if isinstance(found, OpenCase):
        given, label = statement.inputs[found.around.given], statement.classes[found.around.label]
        why = (
            f"a node with the input {given} and the class {label} may be in state {fsa.state_names[found.end[0]]} for "
            "ever, as far as contracts and views tell"
        )
    else:
        why = str(found)
    return f"{why}; {last.reason}"
