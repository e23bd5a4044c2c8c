"""Is an automaton right on graphs of every size? Proved with a certificate, refuted with a graph, or undecided."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np

from graphfsa.analysis.certificates import Check
from graphfsa.analysis.verification import Counterexample
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.checks import check_integer
from graphfsa.datasets import Dataset, Specification, TreeSpecification, WaveSpecification, as_dataset
from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.learners import Model, as_model
from graphfsa.proofs._claims import claim_of
from graphfsa.proofs._evolutions import prove_evolution
from graphfsa.proofs._facts import check_facts
from graphfsa.proofs._outcomes import proved, refuted
from graphfsa.proofs._trees import Watch, settle_on_trees
from graphfsa.proofs._wave_refuter import WaveRefuter
from graphfsa.proofs._waves import prove_waves
from graphfsa.proofs.explaining import explain
from graphfsa.proofs.specifications import check_specification, find_specification, specification_of

_FIRST_CONNECTED = 4
_CONNECTED = 6


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

    def __repr__(self) -> str:
        return f"Proof({str(self)!r})"

    def __str__(self) -> str:
        known = "" if self.steps is None or not self.proved else f", {self.steps}"
        return f"{self.verdict}: {self.claim}{known}"

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
        ('proved', 'after at most n steps, where n is the number of nodes')
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
        dataset = _own_dataset(as_model(model)) if data is None else as_dataset(data)
        source = {"task": dataset.reference, "options": dataset.options()}
        return specification_of(dataset, graph_class), source
    if graph_class is not None:
        raise GraphFSAError("graph_class chooses among the specifications of a task; one was given already")
    found = find_specification(spec)
    check_specification(found, None if data is None else as_dataset(data))
    return found, {"spec": spec if isinstance(spec, str) else found.name, "compared": data is not None}


def _own_dataset(model: Model) -> Dataset:
    if model.dataset is None:
        raise GraphFSAError(
            "the model does not say for which task it is, so there is no statement to prove: give --task NAME or "
            "--spec FILE.py:Class (in Python: a task, or spec=...)"
        )
    return model.load_dataset()


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
        facts = settle_on_trees(fsa, spec, max_nodes, effort, watch)
    elif isinstance(spec, WaveSpecification):
        facts = _on_connected_graphs(fsa, spec, max_nodes, watch)
    else:
        found = prove_evolution(fsa, spec)
        wrong = found.counterexample
        facts = proved("evolution", found.certificate) if wrong is None else refuted(wrong)
    return _believed(Proof(**about, **facts), fsa, perf_counter() - began)


def _believed(proof: Proof, fsa: GraphFSA, seconds: float) -> Proof:
    """The proof, if the checker accepts it: nothing is proved by the word of a prover."""
    proof = replace(proof, seconds=seconds)
    if proof.certificate is None:
        return proof
    try:
        check = check_facts(proof.method, proof.certificate, fsa, proof.statement)
    except GraphFSAError as error:
        check = Check(False, str(error))
    if check.holds:
        return proof
    reason = f"a proof by {proof.method} was found, and the checker refused it: {check.reason}"
    return replace(proof, verdict="undecided", reason=reason, method=None, certificate=None, steps=None)


def _on_connected_graphs(fsa: GraphFSA, spec: WaveSpecification, max_nodes: int, watch: Watch) -> dict[str, Any]:
    first = WaveRefuter(spec, min(_FIRST_CONNECTED, max_nodes), long=False)
    watch(f"all graphs of up to {first.max_nodes} nodes")
    wrong = first.refute(fsa)
    if wrong is not None:
        return refuted(wrong)
    watch("waves")
    try:
        found = prove_waves(fsa, spec)
        reason = found.reason
    except LimitError as error:
        found, reason = None, str(error)
    if found is not None and found.proved:
        steps = f"a node at distance d from the nearest source from step d + {found.lag} on"
        return proved("waves", found.certificate, steps, first.looked_at)
    last = WaveRefuter(spec, min(_CONNECTED, max_nodes))
    watch(f"all graphs of up to {last.max_nodes} nodes")
    wrong = last.refute(fsa)
    if wrong is not None:
        return refuted(wrong)
    return {"verdict": "undecided", "reason": reason, "checked_nodes": last.looked_at}
