"""What a report says about a proof: found now and checked now, whatever the file of a model says."""

from __future__ import annotations

from dataclasses import dataclass

from graphfsa.analysis.certificates import Check
from graphfsa.datasets import Dataset
from graphfsa.engine import Trajectory, run
from graphfsa.errors import GraphFSAError
from graphfsa.learners import Model
from graphfsa.proofs import Part, Proof, check_proof, explain, proof_text, prove

_MAX_NODES = 7
"""A report looks for wrong trees up to this size; ``prove`` looks further."""
_PLAYED_AFTER = 5


@dataclass(frozen=True, eq=False)
class ProofReport:
    """A proof or refutation, and what there is to show of it.

    Attributes:
        proof: What became of the attempt.
        parts: The same in words.
        check: If it is proved: what the independent checker says of the certificate.
        certificate: If it is proved: the certificate, as JSON.
        trajectory: If it is refuted: the run on the wrong graph.
    """

    proof: Proof
    parts: tuple[Part, ...]
    check: Check | None = None
    certificate: str | None = None
    trajectory: Trajectory | None = None

    @property
    def verdict(self) -> str:
        """The verdict; a proof whose certificate does not pass proves nothing."""
        return "undecided" if self.check is not None and not self.check.holds else self.proof.verdict


def report_proof(model: Model, dataset: Dataset) -> ProofReport | str | None:
    """Prove a model and check the proof; why that can't be tried, or None if the task has no specification."""
    if not dataset.specifications():
        return None
    try:
        proof = prove(model, dataset, max_nodes=_MAX_NODES)
    except GraphFSAError as error:
        return str(error)
    parts, wrong = tuple(explain(proof, model)), proof.counterexample
    if wrong is not None:
        start, steps = proof.starting_states(model), wrong.steps + _PLAYED_AFTER
        return ProofReport(proof, parts, trajectory=run(model.automaton, wrong.graph, start, steps, record="all"))
    if not proof.proved:
        return ProofReport(proof, parts)
    return ProofReport(proof, parts, check_proof(proof, model), proof_text(proof))
