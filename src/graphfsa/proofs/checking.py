"""Proofs as files, and the question whether a certificate of any kind holds."""

from __future__ import annotations

from typing import Any

from graphfsa.analysis.certificates import Check, certificate_text, read_certificate
from graphfsa.analysis.impossibility import KIND as IMPOSSIBILITY
from graphfsa.analysis.impossibility import check_impossibility, load_impossibility
from graphfsa.analysis.instances import Progress
from graphfsa.analysis.verification import KIND as VERIFICATION
from graphfsa.analysis.verification import load_certificate, recheck
from graphfsa.checks import shown
from graphfsa.datasets import Dataset, Specification, as_dataset
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.fields import Field, read_fields
from graphfsa.files import PathLike, atomic_write
from graphfsa.learners import as_model
from graphfsa.plugins import known_plugin
from graphfsa.proofs._claims import claim_of
from graphfsa.proofs._facts import METHODS, check_facts
from graphfsa.proofs.prove import Proof
from graphfsa.proofs.specifications import check_specification, find_specification

PROOF = "proof"
_FIELDS = {
    "claim": Field(str, most=2000),
    "automaton": Field(str),
    "specification": Field(str),
    "digest": Field(str),
    "graph_class": Field(str),
    "source": Field(dict),
    "method": Field(str, choices=METHODS),
    "facts": Field(dict),
    "version": Field(str),
}


_SOURCE = {
    "task": Field(str, None),
    "options": Field(dict, {}),
    "spec": Field(str, None),
    "compared": Field(bool, False),
}


def save_proof(proof: Proof, path: PathLike) -> None:
    """Write what proves an automaton right to a JSON file, atomically.

    Raises:
        GraphFSAError: It is not proved.
    """
    atomic_write(path, proof_text(proof))


def proof_text(proof: Proof) -> str:
    """What proves an automaton right, as JSON.

    Raises:
        GraphFSAError: It is not proved.
    """
    if proof.certificate is None:
        raise GraphFSAError(f"only what is proved can be certified; the verdict is {proof.verdict}")
    content: dict[str, Any] = {
        "claim": proof.claim,
        "automaton": proof.automaton,
        "specification": proof.statement.name,
        "digest": proof.statement.digest,
        "graph_class": proof.graph_class,
        "source": proof.source,
        "method": proof.method,
        "facts": proof.certificate,
    }
    return certificate_text(PROOF, content)


def check_proof(proof: Proof, model: Any) -> Check:
    """Check the certificate of a proof, with none of the code that found it.

    Raises:
        GraphFSAError: It is not proved.
    """
    if proof.certificate is None:
        raise GraphFSAError(f"only what is proved can be checked; the verdict is {proof.verdict}")
    fsa = as_model(model).automaton
    if fsa.digest != proof.automaton:
        return Check(False, "the proof is about another automaton: its digest is not that of the model")
    return check_facts(proof.method, proof.certificate, fsa, proof.statement)


def certificate_kind(path: PathLike) -> str:
    """What a certificate is about: ``impossibility``, ``verification`` or ``proof``."""
    return read_certificate(path, IMPOSSIBILITY, VERIFICATION, PROOF)["kind"]


def check_certificate(
    path: PathLike, model: Any = None, *, spec: Any = None, progress: Progress | None = None
) -> Check:
    """Check a certificate from nothing but the file, and the model if it is about one.

    A proof and a proof of impossibility are checked without any code of whoever found them. A verification is done
    again.

    Args:
        path: A .json file that ``prove``, ``learn`` or ``verify`` wrote.
        model: The automaton that a proof or a verification is about.
        spec: The specification that a proof is about, if no task offers it: itself, its class, or ``"file.py:Class"``.
        progress: Called with the number of instances looked at so far, and of all.
    """
    kind = certificate_kind(path)
    if spec is not None and kind != PROOF:
        raise GraphFSAError(f"spec goes with a proof; {path} is about a {kind}")
    if kind == IMPOSSIBILITY:
        if model is not None:
            raise GraphFSAError(f"model goes with a proof or a verification; {path} proves an impossibility")
        found = check_impossibility(load_impossibility(path))
        note = "; that the labels are those of the task was not checked" if found.holds else ""
        return Check(found.holds, found.reason + note)
    if model is None:
        raise GraphFSAError(f"model must be given: {path} is about an automaton")
    if kind == PROOF:
        return _check_proof(path, model, spec)
    said = load_certificate(path)
    again = recheck(said, model, progress=progress)
    if not again.agrees:
        return Check(False, "; ".join(again.differences))
    seen = again.verification
    where = f"{seen.graphs:,} graphs of the class {seen.graph_class} up to {seen.max_nodes} nodes"
    return Check(True, f"the automaton is right on all {seen.instances:,} instances of {said.dataset.name} on {where}")


def _check_proof(path: PathLike, model: Any, given: Any) -> Check:
    said = read_fields(read_certificate(path, PROOF), _FIELDS, str(path), also=("schema", "kind"))
    fsa = as_model(model).automaton
    if fsa.digest != said["automaton"]:
        return Check(False, "the certificate is about another automaton: its digest is not that of the model")
    spec = _specification(path, said, given)
    if spec.digest != said["digest"]:
        return Check(False, f"the certificate is about another specification than {spec.name}: the digests differ")
    known = {"specification": spec.name, "graph_class": spec.graph_class, "claim": claim_of(spec)}
    for name, value in known.items():
        if said[name] != value:
            return Check(False, f"{name} must be {shown(value)}, as the specification says; got {shown(said[name])}")
    return check_facts(said["method"], said["facts"], fsa, spec)


def _specification(path: PathLike, said: dict[str, Any], given: Any) -> Specification:
    """The specification that a proof is about: the given one, or that of its task, tested against the task."""
    if given is not None:
        found = find_specification(given)
        check_specification(found)
        return found
    source = read_fields(said["source"], _SOURCE, f"{path}: source")
    if source["task"] is None:
        where = f" (it was {source['spec']})" if source["spec"] else ""
        raise GraphFSAError(f"spec must be given: no task offers the specification of {path}{where}")
    try:
        dataset = as_dataset(known_plugin(Dataset, source["task"]), source["options"])
    except GraphFSAError as error:
        raise FormatError(f"{path}: {error}") from None
    for found in dataset.specifications():
        if found.digest == said["digest"]:
            check_specification(found, dataset)
            return found
    raise GraphFSAError(f"{path}: {dataset.name} has no specification with the digest of the certificate")
