"""Is an automaton right on graphs of every size? Proved with a certificate, refuted with a graph, or undecided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

import numpy as np

from graphfsa.analysis.verification import Counterexample
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_integer
from graphfsa.datasets import (
    EvolutionSpecification,
    Specification,
    SpecificationTable,
    TreeSpecification,
    WaveSpecification,
    as_dataset,
)
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.graphs import Graph
from graphfsa.learners import as_model
from graphfsa.plugins import plugin_reference
from graphfsa.proofs._contracts import ContractProver, Contracts, OpenCase, TreeProof
from graphfsa.proofs._evolutions import prove_evolution
from graphfsa.proofs._local import LocalAutomaton
from graphfsa.proofs._refuter import NotRefuted, Refuted, Refuter, tree_edges
from graphfsa.proofs._runs import Position
from graphfsa.proofs._views import StuckCase, ViewProof, ViewProver, view_certificate
from graphfsa.proofs._wave_refuter import WaveRefuter
from graphfsa.proofs._waves import prove_waves
from graphfsa.proofs.explaining import explain
from graphfsa.proofs.specifications import check_specification, find_specification, specification_of

Watch = Callable[[str], None]
_FIRST = 7
"""Up to this size trees are looked at before a proof is tried: most wrong automata are wrong on a small one."""
_FIRST_CONNECTED = 4
_CONNECTED = 6
_FEW_STEPS = 150_000
_STEPS = {2: 1_500_000, 3: 4_000_000, 1: 4_000_000}
"""For each length of histories how many steps may be looked at. Most proofs need a history of one letter and few steps;
where they do not, longer histories leave less to look at."""
_VIEWS = 2_000_000
_VIEW_HISTORIES = (1, 2)
_MACHINES = 150_000
"""States of machines that the refuter may make for each node that trees have."""


@dataclass(frozen=True)
class Proof:
    """What became of an attempt to prove an automaton right.

    Attributes:
        verdict: ``proved``, ``refuted`` or ``undecided``.
        statement: The specification.
        automaton: Digest of the automaton.
        source: Where the specification comes from: ``task`` and ``options``, or ``spec``.
        steps: If it is proved: from which step on nodes are right, in words.
        method: If it is proved: ``contracts`` or ``views`` (trees), ``waves`` (connected graphs) or ``evolution``
            (boards).
        certificate: If it is proved: the facts, as JSON values; ``save_proof`` writes them.
        counterexample: If it is refuted: a smallest graph on which some node is not right for ever.
        reason: Why it is undecided, or what else to know.
        checked_nodes: All graphs of the class up to this size are right.
        seconds: How long it took.
    """

    verdict: Literal["proved", "refuted", "undecided"]
    statement: Specification
    automaton: str
    source: dict[str, Any]
    steps: str | None = None
    method: str | None = None
    certificate: dict[str, Any] | None = None
    counterexample: Counterexample | None = None
    reason: str = ""
    checked_nodes: int = 0
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Whether it is proved."""
        return self.verdict == "proved"

    @property
    def claim(self) -> str:
        """What is claimed, or what was tried to be proved, as a sentence."""
        return claim_of(self.statement)

    @property
    def graph_class(self) -> str:
        """The class of graphs that it is about."""
        return self.statement.graph_class

    def words(self, model: Any) -> str:
        """Why the model is right, or where it is wrong, in sentences; :func:`explain` has them one by one."""
        return "\n".join(map(str, explain(self, model)))

    def starting_states(self, model: Any) -> Array:
        """The states in which the nodes of the counterexample start."""
        assert self.counterexample is not None
        task = self.statement.table.task
        places = [task.inputs.index(name) for name in self.counterexample.inputs]
        return task.starting_states(as_model(model).automaton, np.array(places))


def prove(
    model: Any,
    data: Any = None,
    *,
    spec: Any = None,
    graph_class: str | None = None,
    max_nodes: int = 11,
    effort: int = 1,
    watch: Watch | None = None,
) -> Proof:
    """Prove that an automaton is right on graphs of every size, or find the smallest graph on which it is wrong.

    Args:
        model: A model, an automaton, the name of a library automaton, or a file.
        data: A task that offers a specification; by default the model's own.
        spec: A specification instead, its class, or ``"file.py:Class"``; with a task it is tested against that.
        graph_class: Which of several specifications of the task.
        max_nodes: If no proof is found: look for a wrong tree up to this size.
        effort: How many times the usual amount of work may be done. Work is counted, never seconds.
        watch: Called with what is being tried.

    Example:
        >>> found = prove("path-finding")
        >>> found.verdict, found.steps
        ('proved', 'after at most as many steps as nodes')
    """
    known = as_model(model)
    check_integer("effort", effort, 1)
    check_integer("max_nodes", max_nodes, 1)
    chosen, source = choose_specification(known, data, spec, graph_class)
    return attempt_proof(known.automaton, chosen, source, max_nodes, effort, watch or (lambda _doing: None))


def choose_specification(
    model: Any, data: Any, spec: Any, graph_class: str | None
) -> tuple[Specification, dict[str, Any]]:
    """The specification that is meant, tested against the data set if there is one, and where it comes from."""
    if spec is None:
        dataset = as_model(model).load_dataset() if data is None else as_dataset(data)
        source = {"task": plugin_reference(type(dataset)), "options": dataset.options()}
        return specification_of(dataset, graph_class), source
    if graph_class is not None:
        raise GraphFSAError("graph_class chooses among the specifications of a task; one was given already")
    found = find_specification(spec)
    check_specification(found, None if data is None else as_dataset(data))
    return found, {"spec": spec if isinstance(spec, str) else found.name}


def attempt_proof(
    fsa: GraphFSA, spec: Specification, source: dict[str, Any], max_nodes: int, effort: int, watch: Watch
) -> Proof:
    """Prove or refute a specification, which has been tested."""
    began = perf_counter()
    about: dict[str, Any] = {
        "statement": spec,
        "automaton": fsa.digest,
        "source": source,
    }
    facts: dict[str, Any]
    if isinstance(spec, TreeSpecification):
        facts = _on_trees(fsa, spec, max_nodes, effort, watch)
    elif isinstance(spec, WaveSpecification):
        facts = _on_connected_graphs(fsa, spec, max_nodes, watch)
    else:
        found = prove_evolution(fsa, spec)
        facts = {
            "verdict": found.verdict,
            "steps": "in every step" if found.proved else None,
            "method": "evolution" if found.proved else None,
            "certificate": found.certificate,
            "counterexample": found.counterexample,
        }
    return Proof(**about, **facts, seconds=perf_counter() - began)


def _on_trees(fsa: GraphFSA, spec: TreeSpecification, max_nodes: int, effort: int, watch: Watch) -> dict[str, Any]:
    statement = spec.table
    automaton = LocalAutomaton(fsa, statement)
    refuter = Refuter(automaton, statement)
    watch(f"all {spec.graph_class}s of up to {min(_FIRST, max_nodes)} nodes")
    small = refuter.search(min(_FIRST, max_nodes), effort * _MACHINES)
    if isinstance(small, Refuted):
        return _refuted(_concrete(fsa, spec, small))
    found = _attempts(automaton, statement, effort, watch)
    if isinstance(found, TreeProof):
        facts = tree_certificate(found, automaton)
        return _proved("contracts", facts, steps_of(found.changes), small.num_nodes)
    if isinstance(found, ViewProof):
        return _proved("views", view_certificate(found), steps_of(found.changes), small.num_nodes)
    watch(f"all {spec.graph_class}s of up to {max_nodes} nodes")
    last = refuter.search(max_nodes, effort * _MACHINES * max_nodes)
    if isinstance(last, Refuted):
        return _refuted(_concrete(fsa, spec, last))
    reason = _open_words(found, last, fsa, statement)
    return {"verdict": "undecided", "reason": reason, "checked_nodes": last.num_nodes}


def _on_connected_graphs(fsa: GraphFSA, spec: WaveSpecification, max_nodes: int, watch: Watch) -> dict[str, Any]:
    first = WaveRefuter(spec, min(_FIRST_CONNECTED, max_nodes), long=False)
    watch(f"all graphs of up to {first.max_nodes} nodes")
    wrong = first.refute(fsa)
    if wrong is not None:
        return _refuted(wrong)
    watch("waves")
    try:
        found = prove_waves(fsa, spec)
        reason = found.reason
    except LimitError as error:
        found, reason = None, str(error)
    if found is not None and found.proved:
        steps = f"a node at distance d from the nearest source from step d + {found.lag} on"
        return _proved("waves", found.certificate, steps, first.max_nodes)
    last = WaveRefuter(spec, min(_CONNECTED, max_nodes))
    watch(f"all graphs of up to {last.max_nodes} nodes")
    wrong = last.refute(fsa)
    if wrong is not None:
        return _refuted(wrong)
    return {"verdict": "undecided", "reason": reason, "checked_nodes": last.max_nodes}


def _proved(method: str, certificate: dict[str, Any] | None, steps: str, checked: int) -> dict[str, Any]:
    return {
        "verdict": "proved",
        "method": method,
        "certificate": certificate,
        "steps": steps,
        "checked_nodes": checked,
    }


def _refuted(wrong: Counterexample) -> dict[str, Any]:
    return {"verdict": "refuted", "counterexample": wrong, "checked_nodes": wrong.graph.num_nodes - 1}


def steps_of(changes: int | None) -> str:
    """From which step on all nodes of a tree are right, if none of them changes its state more often than that."""
    if changes is None:
        return "after some number of steps; no bound is known"
    return f"after at most {'' if changes == 1 else f'{changes} times '}as many steps as nodes"


def claim_of(spec: Specification) -> str:
    """What is claimed, as a sentence."""
    if isinstance(spec, EvolutionSpecification):
        return f"on every {spec.graph_class} it moves as {spec.name} does, for any number of steps"
    graphs = {"connected": "connected graph", "directed": "directed graph"}.get(spec.graph_class, spec.graph_class)
    return f"on every {graphs} that {spec.name} admits, every node reaches its class and stays there"


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


def tree_certificate(proof: TreeProof, automaton: LocalAutomaton) -> dict[str, Any]:
    """The facts of a proof about trees, as JSON values."""
    return {
        "history": proof.history,
        "cap": automaton.cap,
        "period": automaton.period,
        "changes": proof.changes,
        "rounds": [_round(contracts) for contracts in proof.rounds],
    }


def _round(contracts: Contracts) -> list[dict[str, Any]]:
    return [
        {
            "sends": sends,
            "is_sent": is_sent,
            "begins": _plain(contract.begins),
            "moves": [
                [_plain([place])[0], list(letter)]
                for place in sorted(contract.moves)
                for letter in sorted(contract.moves[place])
            ],
            "recurs": _plain(contract.recurs),
        }
        for (sends, is_sent), contract in sorted(contracts.items())
    ]


def _plain(places: Sequence[Position] | set[Position]) -> list[list[list[int]]]:
    return [[list(letter) for letter in place] for place in sorted(places)]


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
