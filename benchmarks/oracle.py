"""What is learned with an oracle: GRAB truths, asked about all small trees, compared with the truth on larger ones."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

import graphfsa
from benchmarks._kept import Record, all_kept
from benchmarks._learn_common import warm_up
from benchmarks._report import one_thread, provenance, row, say
from graphfsa.datasets import Grab
from graphfsa.learners import ExactLearner

SCHEMA = "graphfsa.benchmarks.oracle/1"
_TRUTHS = 5
_SEEDS = 10
_MAX_NODES = 9
_LARGE = 100


def measure(*, quick: bool, seed: int, out: str | Path | None = None) -> dict[str, Any]:
    """Learn the truths of paper-1 to paper-5 from the paper's training graphs and questions to the truth.

    Args:
        quick: One truth and one seed.
        seed: The seeds are this one times 1,000 and the next ones.
        out: The file; by default ``oracle.jsonl`` in the current directory.
    """
    about = provenance(seed, quick, ("scipy", "python-sat"))
    wanted = [
        {
            "schema": SCHEMA,
            "truth": f"paper-{truth + 1}",
            "config": Grab(truth_seed=truth).options(),
            "seed": seed * 1000 + k,
            "versions": about["versions"],
        }
        for k in range(1 if quick else _SEEDS)
        for truth in range(1 if quick else _TRUTHS)
    ]
    with one_thread():
        runs = all_kept("oracle.jsonl" if out is None else out, wanted, _run, lambda: warm_up(ExactLearner))
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(run["truth"] for run in runs):
        mine = [run for run in runs if run["truth"] == name]
        number, seconds = f"of {len(mine)}", [run["seconds"] for run in mine]
        same, right = sum(run["same"] for run in mine), sum(run["accuracy"] == 1 for run in mine)
        rows += [
            row(f"{name}: same answers on all trees up to {_MAX_NODES} nodes", same, number, str(len(mine)), runs=mine),
            row(f"  all nodes right at n = {_LARGE}", right, number, str(len(mine))),
            row("  CPU seconds, median", median(seconds), "s"),
            row("  CPU seconds, slowest run", max(seconds), "s", runs=seconds),
        ]
    return {"title": "python -m benchmarks oracle", "rows": rows, "provenance": about}


def _run(record: Record) -> Record:
    """One truth with one seed."""
    say(f"{record['truth']}, seed {record['seed']}")
    task, seed = Grab(**record["config"]), record["seed"]
    began = process_time()
    model = graphfsa.learn(task, "exact", seed=seed)
    seconds = process_time() - began
    assert model.provenance is not None
    large = task.draw_for_check(_LARGE, 100, np.random.default_rng([seed, 1]))
    return {
        "verdict": model.verdict,
        "same": model.is_automaton and graphfsa.verify(model, task, _MAX_NODES).verified,
        "accuracy": model.accuracy(large) if model.found else 0.0,
        "added": len(model.provenance.details.get("counterexamples", ())),
        "states": model.automaton.num_states if model.is_automaton else None,
        "seconds": round(seconds, 3),
    }
