"""Are the committed automata of exact and strong proved on graphs of every size, and how long does that take?"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

from benchmarks._committed_models import ALGORITHMS, learned_files
from benchmarks._report import one_thread, provenance, row, say
from graphfsa.learners import load
from graphfsa.proofs import check_proof, prove


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Prove every model of the four algorithms under ``results/``, and check the certificates, on one core.

    Args:
        quick: Only two models of each algorithm and learner.
        seed: Nothing is random here.
    """
    rows: list[dict[str, Any]] = []
    with one_thread():
        for name in ALGORITHMS:
            say(f"the committed models of {name}")
            files = learned_files(name)[:: 10 if quick else 1]
            prove(load(files[0]), name)  # Compiles what is needed.
            runs = [_run(file, name) for file in files]
            number = f"of {len(runs)}"
            rows += [
                row(
                    f"{name}: proved, and the checker agrees",
                    sum(run["proved"] for run in runs),
                    number,
                    str(len(runs)),
                ),
                row("  slowest proof", max(run["seconds"] for run in runs), "s", "<= 1", runs=runs),
                row("  slowest check", max(run["check"] for run in runs), "s", "<= 0.3"),
            ]
    return {"title": "python -m benchmarks committed", "rows": rows, "provenance": provenance(seed, quick, ())}


def _run(file: Path, name: str) -> dict[str, Any]:
    """One model: whether it is proved, and the CPU seconds of the prover and of the checker."""
    model = load(file)
    began = process_time()
    proof = prove(model, name)
    proved = process_time()
    valid = proof.proved and check_proof(proof, model).holds
    checked = process_time()
    return {
        "model": file.stem,
        "proved": valid,
        "method": proof.method,
        "seconds": round(proved - began, 4),
        "check": round(checked - proved, 4),
    }
