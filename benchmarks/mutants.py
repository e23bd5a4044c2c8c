"""Automata that are right, with one or two entries changed: is a wrong one ever proved, and how many stay undecided?

At least one of the changed entries is in use. What is proved is checked by the checker, and compared with the labels of
the data set on all small graphs and on random ones of a hundred nodes, which share no code with the prover.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks._committed_models import learned_files
from benchmarks._kept import Record, all_kept
from benchmarks._report import one_thread, provenance, row, say
from graphfsa.analysis.instances import SizeCount, portions
from graphfsa.arrays import Array
from graphfsa.automaton import GraphFSA
from graphfsa.datasets import Dataset, dataset_class, draw, draw_training
from graphfsa.graphs.enumeration import num_graphs
from graphfsa.learners import load, roll_out
from graphfsa.proofs import check_proof, prove

SCHEMA = "graphfsa.benchmarks.mutants/2"
_TASKS = {
    "root-value on paths": ("root-value", {}, "path", 8, 34_000),
    "prefix-sum on paths": ("prefix-sum", {}, "path", 8, 34_000),
    "distance on connected graphs": ("distance", {}, "connected", 5, 16_000),
    "distance on trees": ("distance", {"graphs": "tree"}, "tree", 7, 14_000),
    "path-finding on trees": ("path-finding", {}, "tree", 7, 2_000),
}
"""Data set, its options, class of graphs, the size up to which what is proved is tried everywhere, how many mutants."""
_KINDS = ("proved", "refuted", "undecided", "wrong")


def measure(*, quick: bool, seed: int, out: str | Path | None = None) -> dict[str, Any]:
    """Prove 100,000 mutants of the library's and of 80 learned automata of four algorithms, on one core.

    Args:
        quick: Only 20 of the library automaton of each algorithm.
        seed: Seed of the mutants.
        out: The file; by default ``mutants.jsonl`` in the current directory.
    """
    about = provenance(seed, quick, ())
    wanted: list[Record] = []
    for what, (name, *_, number) in _TASKS.items():
        bases = ["library", *([] if quick else [file.stem for file in learned_files(name)])]
        wanted += [
            {
                "schema": SCHEMA,
                "what": what,
                "base": base,
                "seed": [seed, place],
                "mutants": 20 if quick else -(-number // len(bases)),
                "versions": about["versions"],
            }
            for place, base in enumerate(bases)
        ]
    with one_thread():
        records = all_kept("mutants.jsonl" if out is None else out, wanted, _run)
    rows: list[dict[str, Any]] = []
    for what in [*_TASKS, "all mutants"]:
        mine = [record for record in records if what in ("all mutants", record["what"])]
        number = sum(record["mutants"] for record in mine)
        total = {kind: sum(record[kind] for record in mine) for kind in _KINDS}
        rows += [
            row(f"{what}: proved although they are wrong", total["wrong"], f"of {number}", "0"),
            row("  undecided", 100 * total["undecided"] / number, "%", "<= 5"),
            row("  proved, and right wherever they were tried", total["proved"] - total["wrong"], f"of {number}"),
            row("  refuted", total["refuted"], f"of {number}"),
            row("  CPU seconds each", sum(record["cpu_seconds"] for record in mine) / number, "s"),
        ]
    return {"title": "python -m benchmarks mutants", "rows": rows, "provenance": about}


def mutants(fsa: GraphFSA, used: Array, count: int, rng: np.random.Generator) -> Iterator[GraphFSA]:
    """Automata with one used entry changed, and in every other one any second entry; final states stay final.

    Args:
        fsa: The automaton.
        used: bool [states, values].
        count: How many.
        rng: Draws the entries.
    """
    free = np.ones(used.shape, bool)
    free[list(fsa.final_states)] = False
    in_use, places = np.argwhere(free & used), np.argwhere(free)
    for number in range(count):
        mutant = fsa
        for state, value in [rng.choice(in_use), *(rng.choice(places, 1) if number % 2 else ())]:
            moved = (fsa.transition_table[state, value] + rng.integers(1, fsa.num_states)) % fsa.num_states
            mutant = mutant.with_entry(int(state), int(value), int(moved))
        yield mutant


def _run(record: Record) -> Record:
    """Prove the mutants of one automaton."""
    say(f"{record['what']}, {record['mutants']} mutants of {record['base']}")
    name, options, graph_class, max_nodes, _ = _TASKS[record["what"]]
    dataset = dataset_class(name)(**options)
    if record["base"] == "library":
        fsa = dataset.automaton()
    else:
        [file] = [file for file in learned_files(name) if file.stem == record["base"]]
        fsa = load(file).automaton
    assert fsa is not None
    _, used = roll_out(fsa, draw_training(dataset, np.random.default_rng(0)))
    found = dict.fromkeys(_KINDS, 0)
    open_cases: dict[str, int] = {}
    seconds = 0.0
    for mutant in mutants(fsa, used, record["mutants"], np.random.default_rng(record["seed"])):
        began = process_time()
        proof = prove(mutant, dataset, graph_class=graph_class)
        seconds += process_time() - began
        found[proof.verdict] += 1
        if proof.proved:
            found["wrong"] += not (
                check_proof(proof, mutant).holds and _is_right(mutant, dataset, graph_class, max_nodes)
            )
        elif proof.verdict == "undecided":
            reason = proof.reason.split(";")[0]
            open_cases[reason] = open_cases.get(reason, 0) + 1
    return {**found, "open": open_cases, "cpu_seconds": round(seconds, 3)}


def _is_right(fsa: GraphFSA, dataset: Dataset, graph_class: str, max_nodes: int) -> bool:
    """Whether it gives the labels of the data set in the end on all small graphs and on some larger ones."""
    counts = [SizeCount(size, num_graphs(graph_class, size), 0) for size in range(1, max_nodes + 1)]
    for portion in portions(dataset, graph_class, counts):
        steps = _steps(portion.size)
        examples = dataset.examples(portion.graphs, portion.inputs, steps=steps)
        if examples.wrong(examples.predict(fsa)).any():
            return False
    large = draw(dataset, 100, 3, np.random.default_rng(0), "test", steps=_steps(100))
    return not large.wrong(large.predict(fsa)).any()


def _steps(size: int) -> int:
    """A number of steps after which an automaton that ever comes to rest is at rest: proofs are about the end."""
    return 50 * size + 50
