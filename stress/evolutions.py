"""Proofs about cellular automata against the definitions of their data sets, on all small boards and rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa import GraphFSA
from graphfsa.aggregations import AverageThresholdAggregation, CountingAggregation
from graphfsa.datasets import BriansBrain, Dataset, Elementary, HexLife, Life, WireWorld
from graphfsa.graphs import GraphBatch
from graphfsa.proofs._evolution_checker import check_evolution
from graphfsa.proofs._evolutions import prove_evolution
from stress._soundness_draws import claim
from stress._wave_draws import mutated

BLOCK = 200


def cases(rng: np.random.Generator, folder: Path) -> Iterator[str]:
    """Check one automaton after the other for ever; yields what came of it."""
    del folder
    while True:
        dataset = draw_dataset(rng)
        fsa = dataset.automaton()
        if rng.random() < 0.3 and fsa.num_states == 2:
            fsa = _other_sight(rng, dataset, fsa)
        yield f"{dataset.name} {check(rng, dataset, mutated(rng, fsa, int(rng.integers(0, 3))))}"


def check(rng: np.random.Generator, dataset: Dataset, fsa: GraphFSA) -> str:
    """Verdict, counterexample and certificate of one automaton, for each statement of a data set."""
    verdict = ""
    for spec in dataset.specifications():
        facts: dict[str, Any] = {"fsa": fsa, "dataset": dataset, "statement": spec.graph_class}  # type: ignore[union-attr]
        proof = prove_evolution(fsa, spec)  # type: ignore[arg-type]
        if proof.proved:
            claim(check_evolution(proof.certificate, fsa, spec).holds, "the certificate holds", **facts)  # type: ignore[arg-type]
        else:
            found = proof.counterexample
            assert found is not None
            claim(found.labels != found.predictions, "the counterexample is one", found=found, **facts)
            stolen = prove_evolution(dataset.automaton(), spec).certificate | {"automaton": fsa.digest}  # type: ignore[arg-type,operator]
            claim(not check_evolution(stolen, fsa, spec).holds, "what is wrong has no certificate", **facts)  # type: ignore[arg-type]
        wrong = _smallest_wrong(rng, dataset, fsa, spec.least_side)  # type: ignore[union-attr]
        claim(not (proof.proved and wrong), "what is proved is right", wrong=wrong, **facts)
        verdict = verdict or proof.verdict
    return verdict


def draw_dataset(rng: np.random.Generator) -> Dataset:
    """Any cellular automaton."""
    torus, digits = bool(rng.integers(2)), "012345678"
    born, survive = ("".join(digit for digit in digits if rng.random() < 0.4) for _ in range(2))
    kinds = (
        Life(torus=torus, rule=f"B{born}/S{survive}"),
        HexLife(torus=torus),
        WireWorld(torus=torus),
        BriansBrain(torus=torus),
        Elementary(rule=int(rng.integers(256)), ring=torus),
    )
    return kinds[rng.integers(len(kinds))]


def _other_sight(rng: np.random.Generator, dataset: Dataset, fsa: GraphFSA) -> GraphFSA:
    """A random table that sees differently."""
    del dataset
    aggregation = AverageThresholdAggregation((0.3, 0.7)) if rng.random() < 0.5 else CountingAggregation(bound=8)
    table = rng.integers(0, 2, (2, aggregation.num_values(2)))
    return GraphFSA(fsa.state_names, aggregation, table)


def _smallest_wrong(rng: np.random.Generator, dataset: Dataset, fsa: GraphFSA, least: int) -> Any:
    """A board of the data set on which one step is wrong: small ones with all patterns, larger ones at random."""
    for size in (1, 2, 3, 4, 6, 8, 9, 12, 16, 20):
        graphs = dataset.every_graph(size)
        if not len(graphs):
            continue
        graph = graphs.graphs()[0]
        lattice = graph.lattice
        sides = (size,) if lattice is None or lattice.height == 1 else (lattice.height, lattice.width)
        if min(sides) < least:
            continue
        states = len(dataset.task.inputs)
        if states**size <= 4096:
            rows = dataset.instances(graph)
        else:
            rows = rng.integers(0, states, (200, size)).astype(np.uint8)
        examples = dataset.examples(GraphBatch.repeat(graph, len(rows)), rows.reshape(-1), steps=1)
        if examples.wrong(examples.predict(fsa)).any():
            return graph
    return None
