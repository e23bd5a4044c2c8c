"""Proofs by waves against brute force: closed sets, verdicts, certificates, damaged certificates.

What is said about the sets of a proof is checked on its own: at every step of a run, on any graph, every node is in the
set of its class at its clock, whether the automaton is right or not.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa import Graph, GraphFSA
from graphfsa.datasets import WaveSpecification
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.proofs import _wave_model as model
from graphfsa.proofs._wave_checker import check_waves
from graphfsa.proofs._wave_refuter import WaveRefuter
from graphfsa.proofs._waves import closed_sets, prove_waves
from stress._brute_force import Machine, plain
from stress._soundness_draws import claim
from stress._wave_draws import Drawn, colours, distances, draw_automaton, draw_instance, mutated, sources_of
from stress._wave_tasks import TRUE

BLOCK = 60
_REFUTERS: dict[str, WaveRefuter] = {}


def cases(rng: np.random.Generator, folder: Path) -> Iterator[str]:
    """Check one thing after the other for ever; yields what it was."""
    del folder
    checks: tuple[Callable[[np.random.Generator], str], ...] = (check_mutant, check_sets, check_random, check_mutant)
    while True:
        for check in checks:
            yield check(rng)


def check_mutant(rng: np.random.Generator) -> str:
    """An automaton that is nearly right: no verdict contradicts another, or what it does on larger graphs."""
    name = str(rng.choice(list(TRUE)))
    right, spec = TRUE[name]
    fsa = mutated(rng, right, int(rng.integers(1, 4)))
    if name not in _REFUTERS:
        _REFUTERS[name] = WaveRefuter(spec, 5 if len(spec.inputs) < 3 or spec.one_source else 4)
    proof, wrong = prove_waves(fsa, spec), _REFUTERS[name].refute(fsa)
    facts: dict[str, Any] = {"fsa": fsa, "spec": name, "proof": proof, "wrong": wrong}
    claim(not (proof.proved and wrong), "what is proved is not refuted", **facts)
    if wrong:
        answers = spec.labels(wrong.graph, wrong.inputs)
        claim(tuple(answers or ()) == wrong.labels != wrong.predictions, "the counterexample is one", **facts)
        stolen = prove_waves(right, spec).certificate | {"automaton": fsa.digest}  # type: ignore[operator]
        claim(not check_waves(stolen, fsa, spec).holds, "what is wrong has no certificate", **facts)
        return "mutant refuted"
    if not proof.proved:
        return "mutant undecided"
    claim(check_waves(proof.certificate, fsa, spec).holds, "the certificate holds", **facts)
    check_runs(rng, fsa, spec, proof.lag or 0)
    check_damage(rng, fsa, spec, proof.certificate)
    return "mutant proved"


def check_random(rng: np.random.Generator) -> str:
    """Any statement and any automaton."""
    spec = _statement(rng)
    fsa = draw_automaton(rng, spec)
    try:
        proof = prove_waves(fsa, spec, windows=(model.Window(1, 1, 2), model.Window(2, 2, 5)))
    except LimitError:
        return "random too large"
    if not proof.proved:
        return "random undecided"
    claim(check_waves(proof.certificate, fsa, spec).holds, "the certificate holds", fsa=fsa, spec=spec.table)
    check_runs(rng, fsa, spec, proof.lag or 0)
    check_damage(rng, fsa, spec, proof.certificate)
    return "random proved"


def check_runs(rng: np.random.Generator, fsa: GraphFSA, spec: WaveSpecification, lag: int) -> None:
    """What is proved is so on random graphs, step by step."""
    for _ in range(6):
        graph, inputs = draw_instance(rng, spec, 14)
        labels = spec.labels(graph, inputs)
        if labels is None:
            continue
        away = distances(graph, sources_of(spec, graph, inputs))
        for step, states in enumerate(_run(fsa, graph, inputs, graph.num_nodes + lag + 6)):
            for node, (label, distance) in enumerate(zip(labels, away, strict=True)):
                said = fsa.state_names[states[node]]
                right = said not in spec.classes if distance is None else step < distance + lag or said == label
                facts: dict[str, Any] = {"graph": graph, "inputs": inputs, "step": step, "node": node, "states": states}
                claim(right, "a node has its class in time", fsa=fsa, spec=spec.table, lag=lag, **facts)


def check_sets(rng: np.random.Generator) -> str:
    """At every step of a run, every node is in the set of its class at its clock."""
    spec = _statement(rng) if rng.random() < 0.7 else TRUE[str(rng.choice(list(TRUE)))][1]
    fsa = draw_automaton(rng, spec)
    least, most = [1, 1, 0, 0, 1], [3, 4, 5, 3, 4]
    window = model.Window(*rng.integers(least, most).tolist())
    try:
        sets = closed_sets(fsa, spec, window)
    except LimitError:
        return "sets too large"
    for _ in range(8):
        graph, inputs = draw_instance(rng, spec, 12)
        away = distances(graph, sources_of(spec, graph, inputs))
        found = colours(spec, graph, inputs, away)
        if found is None or spec.labels(graph, inputs) is None:
            continue
        numbers = _colour_numbers(spec)
        source = None if not spec.one_source else next((inputs[v] for v, d in enumerate(away) if d == 0), None)
        part = sets[None if source is None else spec.inputs.index(source)] if source or not spec.one_source else None
        for step, states in enumerate(_run(fsa, graph, inputs, 18) if part is not None else ()):
            for node in range(graph.num_nodes):
                key = _class(spec, window, graph, inputs, away, found, node, numbers)
                clock = max(-window.before, min(window.after, 0 if away[node] is None else step - away[node]))
                moment = step if step < window.early else window.early + (step - window.early) % window.cycle
                place = moment * (window.before + window.after + 1) + clock + window.before
                facts: dict[str, Any] = {"graph": graph, "inputs": inputs, "step": step, "node": node, "key": key}
                inside = part is not None and key in part and states[node] in part[key][place]
                claim(inside, "a node is in its set", fsa=fsa, spec=spec.table, window=window, **facts)
    return "sets"


def check_damage(rng: np.random.Generator, fsa: GraphFSA, spec: WaveSpecification, certificate: Any) -> None:
    """A certificate without one of its facts is refused."""
    for _ in range(4):
        damaged = copy.deepcopy(certificate)
        row = damaged["sets"][rng.integers(len(damaged["sets"]))]
        full = [place for place, states in enumerate(row[-1]) if states]
        match int(rng.integers(4)) if full else 1:
            case 0:
                states = row[-1][rng.choice(full)]
                states.pop(int(rng.integers(len(states))))
            case 1:
                damaged["sets"].remove(row)
            case 2 if any(row[1] > 0 for row in damaged["sets"]):  # Otherwise there is nothing that near tells apart.
                damaged["near"] += 1
            case _:
                row[int(rng.integers(6))] += 1
        facts: dict[str, Any] = {"fsa": fsa, "spec": spec.table, "certificate": certificate, "damaged": damaged}
        claim(_refused(damaged, fsa, spec), "a damaged certificate is refused", **facts)


def _refused(certificate: Any, fsa: GraphFSA, spec: WaveSpecification) -> bool:
    try:
        return not check_waves(certificate, fsa, spec).holds
    except FormatError:
        return True


def _statement(rng: np.random.Generator) -> WaveSpecification:
    while True:
        spec = Drawn(rng)
        try:
            assert spec.table
        except GraphFSAError:
            continue
        return spec


def _run(fsa: GraphFSA, graph: Graph, inputs: list[str], steps: int) -> Iterator[tuple[int, ...]]:
    machine, arcs = Machine.of(fsa), plain(graph)
    states = tuple(fsa.state_names.index(name) for name in inputs)
    for _ in range(steps + 1):
        yield states
        states = machine.step(arcs, states)


def _colour_numbers(spec: WaveSpecification) -> dict[Any, int]:
    """The number of each colour in the tables: as they come up, asking about sets in the order of their sizes."""
    found: dict[Any, int] = {}
    for name in spec.inputs:
        if name in spec.sources:
            found.setdefault(spec.sources[name], len(found))
    if spec.leaf is not None:
        found.setdefault(spec.leaf, len(found))
    table = spec.table
    while True:
        size = len(found)
        names = {number: colour for colour, number in found.items()}
        for (given, chosen), result in table.join.items():
            if result is not None and all(number in names for number in chosen):
                colour = spec.join(spec.inputs[given], frozenset(names[number] for number in chosen))
                found.setdefault(colour, result)
        if len(found) == size:
            return found


def _class(
    spec: WaveSpecification,
    window: model.Window,
    graph: Graph,
    inputs: list[str],
    away: list[int | None],
    found: list[Any],
    node: int,
    numbers: dict[Any, int],
) -> tuple[int, int, int, bool, bool]:
    """The class of a node, as certificates write it."""
    given, distance = spec.inputs.index(inputs[node]), away[node]
    if distance is None:
        return -1, given, -1, False, False
    near = window.near
    level = distance if distance < near else near + (distance - near) % spec.period
    around = [away[other] for other in graph.neighbours(node).tolist()]
    directed = spec.graph_class == "directed"
    flags = (False, False) if directed else (distance in around, distance + 1 in around)
    return level, given, numbers[found[node]], *flags
