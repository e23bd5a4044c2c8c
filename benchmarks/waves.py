"""How long proofs about all connected graphs and all boards take, and what becomes of wrong automata."""

from __future__ import annotations

import json
from collections import Counter
from time import process_time
from typing import Any

import numpy as np

from benchmarks._report import in_turns, provenance, row, say
from graphfsa import GraphFSA, run
from graphfsa.datasets import Life, WaveSpecification, WireWorld
from graphfsa.proofs._evolution_checker import check_evolution
from graphfsa.proofs._evolutions import prove_evolution
from graphfsa.proofs._wave_checker import check_waves
from graphfsa.proofs._wave_refuter import WaveRefuter
from graphfsa.proofs._waves import prove_waves
from stress._wave_tasks import TRUE

_MUTANTS = ("distance", "modulo 3", "modulo 5", "nearest, ties", "nearest, first", "root bit")


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """Measure everything."""
    rows: list[dict[str, Any]] = []
    turns = 1 if quick else 9
    say("provers and checkers")
    for name, (fsa, spec) in TRUE.items():
        certificate = prove_waves(fsa, spec).certificate
        calls = {"prover": lambda f=fsa, s=spec: prove_waves(f, s)}
        calls |= {"checker": lambda f=fsa, s=spec, c=certificate: check_waves(c, f, s)}
        seconds = in_turns(calls, turns, clock=process_time)
        rows.append(row(f"{name}: prover", seconds["prover"], "s", "<= 0.05"))
        rows.append(row("  checker", seconds["checker"], "s", "<= 0.05"))
        rows.append(row("  certificate", len(json.dumps(certificate)), "bytes"))
    for dataset in (Life(), WireWorld()):
        fsa, spec = dataset.automaton(), dataset.specifications()[0]
        certificate = prove_evolution(fsa, spec).certificate  # type: ignore[arg-type]
        calls = {"prover": lambda f=fsa, s=spec: prove_evolution(f, s)}
        calls |= {"checker": lambda f=fsa, s=spec, c=certificate: check_evolution(c, f, s)}
        seconds = in_turns(calls, turns, clock=process_time)
        rows.append(row(f"{dataset.name} on all boards: prover", seconds["prover"], "s", "<= 0.05"))
        rows.append(row("  checker", seconds["checker"], "s", "<= 0.05"))
    counts = Counter[str]()
    for name in _MUTANTS[:1] if quick else _MUTANTS:
        say(f"every change of a used entry: {name}")
        counts += _mutants(*TRUE[name])
    rows.append(row("changes of a used entry", counts.total(), "automata"))
    rows += [row(f"  {kind}", counts[kind], "automata") for kind in ("proved", "refuted", "undecided")]
    rows.append(row("  proved and refuted", counts["wrong"], "automata", "0"))
    return {"title": "python -m benchmarks waves", "rows": rows, "provenance": provenance(seed, quick, ())}


def _mutants(fsa: GraphFSA, spec: WaveSpecification) -> Counter[str]:
    """What becomes of every automaton with one used entry changed."""
    refuter = WaveRefuter(spec, 6 if len(spec.inputs) < 3 or spec.one_source else 5)
    counts = Counter[str]()
    for state, value in np.argwhere(_used(fsa, refuter)).tolist():
        for after in range(fsa.num_states):
            if state in fsa.final_states or after == fsa.transition_table[state, value]:
                continue
            mutant = fsa.with_entry(state, value, after)
            proved, refuted = prove_waves(mutant, spec).proved, refuter.refute(mutant) is not None
            kind = "wrong" if proved and refuted else "proved" if proved else "refuted" if refuted else "undecided"
            counts[kind] += 1
    return counts


def _used(fsa: GraphFSA, refuter: WaveRefuter) -> np.ndarray:
    """Which entries are used on the graphs that a refuter looks at."""
    used = np.zeros(fsa.transition_table.shape, bool)
    for graphs, inputs in refuter.instances():
        start = np.array([fsa.index(name) for name in refuter.input_names])[inputs]
        used |= run(fsa, graphs.graph, start.reshape(-1), 20, entries=True).entries > 0
    return used
