"""What can be said about a learned automaton for graphs of every size: found and checked now, from its file."""

from __future__ import annotations

from pathlib import Path

from graphfsa.analysis.verification import verify
from graphfsa.datasets import Dataset
from graphfsa.errors import GraphFSAError
from graphfsa.evaluation._references import build
from graphfsa.evaluation.files import read_job
from graphfsa.evaluation.results import Record
from graphfsa.folders import place
from graphfsa.learners import Model, load
from graphfsa.proofs import check_proof, prove

_PROVER_NODES = 7
_VERIFIED = {"tree": 9, "connected": 5}
"""For tasks without a specification: all graphs of the class up to this size are looked at."""


def judged(record: Record, models: Path) -> str:
    """Whether the automaton of a job is right on graphs of every size of its task, in a few words.

    Args:
        record: The record of a job that was done.
        models: The directory of the models.
    """
    facts = record["model"]
    if facts is None or not facts.get("automaton"):
        return "no automaton"
    path = place(models, facts["file"])
    if not path.is_file():
        return "no file"
    model = load(path)
    if model.automaton.digest != facts["automaton"]:
        return "another file"
    job = read_job(record["config"], record["id"])
    dataset = build(Dataset, job.data.dataset, job.data.options, {})
    try:
        return _proved(model, dataset) if dataset.specifications() else _verified(model, dataset)
    except GraphFSAError as error:
        return f"not tried: {error}"


def _proved(model: Model, dataset: Dataset) -> str:
    proof = prove(model, dataset, max_nodes=_PROVER_NODES)
    if proof.counterexample is not None:
        return f"refuted by {_graph(proof.graph_class, proof.counterexample.graph.num_nodes)}"
    return "proved" if proof.proved and check_proof(proof, model).holds else "undecided"


def _verified(model: Model, dataset: Dataset) -> str:
    graphs = dataset.graph_class or "board"
    found = verify(model, dataset, _VERIFIED[graphs])
    if found.counterexample is not None:
        return f"refuted by {_graph(graphs, found.counterexample.graph.num_nodes)}"
    kind = "connected graphs" if graphs == "connected" else f"{graphs}s"
    return f"right on all {kind} of up to {found.max_nodes} nodes"


def _graph(graph_class: str, nodes: int) -> str:
    kind = "connected graph" if graph_class == "connected" else graph_class
    return f"a {kind} of {nodes} nodes"
