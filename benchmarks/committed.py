"""Are the committed automata of exact and strong decided on graphs of every size, and how long does that take?

Those that learned from few graphs may be wrong on larger ones. They must be refuted: by a graph on which the run of the
automaton, against the labels of the data set, is wrong.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks._committed_models import ALGORITHMS, learned_files
from benchmarks._report import one_thread, provenance, row, say
from graphfsa.datasets import Dataset, dataset_class
from graphfsa.graphs import GraphBatch
from graphfsa.learners import Model, load
from graphfsa.proofs import Proof, check_proof, prove


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Prove or refute every model of the four algorithms under ``results/``, and check why, on one core.

    Args:
        quick: Only a tenth of the models.
        seed: Nothing is random here.
    """
    rows: list[dict[str, Any]] = []
    with one_thread():
        for name in ALGORITHMS:
            say(f"the committed models of {name}")
            files = learned_files(name)[:: 10 if quick else 1]
            prove(load(files[0]), name)  # Compiles what is needed.
            runs = [_run(file, name) for file in files]
            proofs, sure = [run for run in runs if run["verdict"] == "proved"], sum(map(_sure, runs))
            number = f"of {len(runs)}"
            rows += [
                row(f"{name}: proved or refuted, and confirmed", sure, number, f"{len(runs)}"),
                row("  proved, and the checker agrees", sum(map(_sure, proofs)), number),
                row("  slowest proof", max((run["seconds"] for run in proofs), default=0), "s", "<= 1"),
                row("  slowest check", max((run["check"] for run in proofs), default=0), "s", "<= 0.3"),
                row("  slowest of all", max(run["seconds"] for run in runs), "s", runs=runs),
            ]
    return {"title": "python -m benchmarks committed", "rows": rows, "provenance": provenance(seed, quick, ())}


def _sure(run: dict[str, Any]) -> bool:
    return run["verdict"] != "undecided" and run["confirmed"]


def _run(file: Path, name: str) -> dict[str, Any]:
    """One model: what became of it, whether that is confirmed, and the CPU seconds of the prover and of the checker."""
    model = load(file)
    began = process_time()
    proof = prove(model, name)
    decided = process_time()
    confirmed = check_proof(proof, model).holds if proof.proved else _is_wrong(proof, model, dataset_class(name)())
    checked = process_time()
    return {
        "model": file.stem,
        "verdict": proof.verdict,
        "confirmed": confirmed,
        "method": proof.method,
        "seconds": round(decided - began, 4),
        "check": round(checked - decided, 4),
    }


def _is_wrong(proof: Proof, model: Model, dataset: Dataset) -> bool:
    """Whether the automaton, run on the graph that refutes it, does not give the labels of the data set."""
    found = proof.counterexample
    if found is None or model.automaton is None:
        return False
    inputs = np.array([dataset.task.inputs.index(name) for name in found.inputs])
    examples = dataset.examples(GraphBatch.of([found.graph]), inputs, steps=found.steps)
    return bool(examples.wrong(examples.predict(model.automaton)).any())
