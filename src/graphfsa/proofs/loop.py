"""Learn until proved: what is refuted is learned again, with the graph that refutes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, Examples, lines_of
from graphfsa.errors import GraphFSAError
from graphfsa.graphs import GraphBatch
from graphfsa.learners import Model, roll_out
from graphfsa.plugins import plugin_reference
from graphfsa.proofs.prove import Proof, attempt_proof
from graphfsa.proofs.specifications import specification_of

Refit = Callable[[Examples], Model]
Watch = Callable[[dict[str, Any]], None]
_ROUNDS = 30
_MAX_NODES = 11
_CANDIDATES = 6
"""How many automata that fit equally well are tried in each round."""


@dataclass(frozen=True)
class _Judged:
    automaton: GraphFSA
    proof: Proof


def until_proved(
    model: Model, train: Examples, dataset: Dataset, refit: Refit, watch: Watch, *, effort: int = 1
) -> Model:
    """Prove what was learned; as long as it is refuted, learn again with the refuting graph.

    Automata that fit equally well are told apart by proof. Entries that no training graph uses are left as the learner
    has filled them or, if that can't be proved, such that a node stays.

    Args:
        model: What was learned from ``train``.
        train: The training graphs.
        dataset: The data set, which offers a specification.
        refit: Learns from more graphs.
        watch: Called with a record of what is being done.
        effort: As for ``prove``.

    Returns:
        The model with its ``proof``; the verdict is ``proved`` if it is. Its provenance keeps the added graphs.
    """
    spec = specification_of(dataset)
    source = {"task": plugin_reference(type(dataset)), "options": dataset.options()}
    added: list[Examples] = []

    def tell(doing: str) -> None:
        watch({"doing": f"proving: {doing}"})

    for _ in range(_ROUNDS):
        if not model.is_automaton or model.verdict != "exact" or model.interrupted:
            return _with_added(model, added)
        fresh: list[Examples] = []
        undecided: Proof | None = None
        for fsa in _candidates(model, train):
            if any(part.wrong(part.predict(fsa)).any() for part in fresh):
                continue
            watch({"doing": f"proving what was learned, with {len(added)} graphs added"})
            try:
                proof = attempt_proof(fsa, spec, source, _MAX_NODES, effort, tell)
            except GraphFSAError as error:  # Nothing can be proved of such an aggregation, or the table is too large.
                proof = _gave_up(fsa, spec, source, str(error))
            if proof.proved:
                return _with_added(_proved(model, fsa, proof, train), added)
            if proof.counterexample is None:
                undecided = undecided or proof
            else:
                inputs = np.array([dataset.task.inputs.index(name) for name in proof.counterexample.inputs])
                steps = 1 if dataset.task.kind == "evolution" else None
                fresh.append(dataset.examples(GraphBatch.of([proof.counterexample.graph]), inputs, steps=steps))
        if undecided is not None or not fresh:
            return _with_added(replace(model, proof=undecided), added)
        added += fresh
        train = Examples.concatenate([train, *fresh])
        watch({"doing": f"learning again, with {len(added)} graphs added"})
        model = refit(train)
    return _with_added(model, added)


def _candidates(model: Model, train: Examples) -> list[GraphFSA]:
    """Automata that fit the training graphs, the preferred one first; then the same with unused entries that stay."""
    several = list(model.candidates[:_CANDIDATES]) or [model.automaton]
    first = several[0]
    _, used = roll_out(first, train)
    stay = np.where(used, first.transition_table, np.arange(first.num_states)[:, None])
    other = GraphFSA(
        first.state_names,
        first.aggregation,
        stay,
        starting_states=first.starting_states,
        final_states=first.final_states,
    )
    known = {fsa.digest for fsa in several}
    return several if other.digest in known else [*several, other]


def _proved(model: Model, fsa: GraphFSA, proof: Proof, train: Examples) -> Model:
    if fsa.digest == model.automaton.digest:
        return replace(model, verdict="proved", proof=proof)
    _, used = roll_out(fsa, train)
    return replace(model, body=fsa, used=used, verdict="proved", proof=proof)


def _gave_up(fsa: GraphFSA, spec: Any, source: dict[str, Any], reason: str) -> Proof:
    return Proof("undecided", spec, fsa.digest, source, reason=reason)


def _with_added(model: Model, added: list[Examples]) -> Model:
    """The model with the graphs that were added in its provenance."""
    if not added or model.provenance is None:
        return model
    lines = [json.loads(line) for part in added for line in lines_of(part)]
    details = {**model.provenance.details, "counterexamples": lines}
    return replace(model, provenance=replace(model.provenance, details=details))
