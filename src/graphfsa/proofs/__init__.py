"""Proofs that an automaton is right on graphs of every size, and their checkers."""

from __future__ import annotations

from graphfsa.proofs._parts import Part
from graphfsa.proofs.checking import certificate_kind, check_certificate, check_proof, proof_text, save_proof
from graphfsa.proofs.explaining import explain
from graphfsa.proofs.judges import Judge, Judgement, Oracle, Prover
from graphfsa.proofs.loop import until_settled
from graphfsa.proofs.prove import Proof, prove
from graphfsa.proofs.specifications import check_specification, find_specification, specification_of

__all__ = [
    "Judge",
    "Judgement",
    "Oracle",
    "Part",
    "Proof",
    "Prover",
    "certificate_kind",
    "check_certificate",
    "check_proof",
    "check_specification",
    "explain",
    "find_specification",
    "proof_text",
    "prove",
    "save_proof",
    "specification_of",
    "until_settled",
]
