"""Verdicts, counterexamples and certificates of the library against brute force, with every aggregation.

What is claimed of each function is what its documentation promises; ``_brute_force`` finds it again without any code of
the library.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa import GraphFSA
from graphfsa.analysis import save_certificate, verify
from graphfsa.errors import GraphFSAError
from graphfsa.proofs import check_certificate
from stress._brute_force import every_graph, instances, plain
from stress._soundness_aggregations import FAMILIES, draw_class
from stress._soundness_automata import check_compare, check_minimise
from stress._soundness_data import check_coverage, check_suggestions
from stress._soundness_draws import (
    ANY,
    HiddenRule,
    Named,
    claim,
    draw_graph,
    draw_labelled,
    draw_solver,
    draw_task,
    examples_of,
    graph_of,
    mutated,
)
from stress._soundness_tables import check_learning

BLOCK = 350


def cases(rng: np.random.Generator, folder: Path) -> Iterator[str]:
    """Check one thing after the other for ever; yields what it was.

    Args:
        rng: Source of all randomness.
        folder: An empty directory.

    Raises:
        AssertionError: The library and brute force do not agree.
    """
    checks: dict[str, Callable[[np.random.Generator, str, Path], None]] = {
        "verify": check_verify,
        "verify data": check_verify_data,
        "compare": check_compare,
        "minimise": check_minimise,
        "coverage": check_coverage,
        "suggest": check_suggestions,
        "impossibility": check_learning,
    }
    while True:
        for (name, check), family in product(checks.items(), FAMILIES):
            check(rng, family, folder)
            yield f"{name} {family}"


# Verification.


def check_verify(rng: np.random.Generator, family: str, folder: Path) -> None:
    """Right or wrong, on how much, and where first; and the certificate, whole and damaged."""
    drawn = draw_task(rng)
    hidden = draw_solver(rng, family, drawn, int(rng.integers(0, 2)))
    kind = draw_class(rng, hidden.aggregation)
    task = HiddenRule.of(hidden, drawn, kind, int(rng.integers(0, 4)), int(rng.integers(0, 2)))
    fsa = mutated(rng, hidden, int(rng.integers(0, 5)))
    max_nodes = int(rng.integers(3, 6 if len(drawn.inputs) < 3 else 5))
    facts: dict[str, Any] = {"fsa": fsa, "hidden": hidden, "task": task, "max_nodes": max_nodes}
    sizes, wrong = _verified(fsa, task, kind, max_nodes)
    found = verify(fsa, task, max_nodes)
    claim(found.verified == (wrong is None), "verified", found=found, wrong=wrong, **facts)
    said = {count.size: (count.graphs, count.instances) for count in found.sizes}
    if found.verified:
        claim(said == sizes, "all graphs and inputs are looked at", said=said, sizes=sizes, **facts)
        _check_certificate(rng, fsa, task, folder / "verified.json", facts)
        return
    example = found.counterexample
    arcs, steps = plain(example.graph), task.steps(example.graph)
    facts |= {"graph": example.graph, "example": example, "wrong": wrong}
    claim(len(arcs) == wrong, "no smaller counterexample", **facts)
    complete = {size: counts for size, counts in sizes.items() if size < wrong}
    claim({size: said.get(size) for size in complete} == complete, "all smaller ones are looked at", **facts)
    claim(list(example.labels) == task.label(example.graph, list(example.inputs)), "the labels of the task", **facts)
    claim(Named(fsa).answers(arcs, example.inputs, steps) == example.predictions, "the answers", **facts)
    claim(
        example.steps == steps and task.admits(example.graph, list(example.inputs)),
        "the counterexample is one of the task",
        **facts,
    )
    claim(_is_wrong(example.labels, example.predictions), "the counterexample is wrong", **facts)
    claim(
        _refused(save_certificate, found, fsa, folder / "wrong.json", task), "what is wrong is not certified", **facts
    )


def _verified(
    fsa: GraphFSA, task: HiddenRule, kind: str, max_nodes: int
) -> tuple[dict[int, tuple[int, int]], int | None]:
    """Graphs and instances of each size, and the size of the smallest instance that is wrong."""
    named, numbers, smallest = Named(fsa), Counter[int](), None
    for arcs, row in instances(kind, max_nodes, len(task.task.inputs)):
        graph, inputs = graph_of(arcs), [task.task.inputs[k] for k in row]
        if not task.admits(graph, inputs):
            continue
        numbers[len(arcs)] += 1
        if smallest is None:
            answers = named.answers(arcs, inputs, task.steps(graph))
            smallest = len(arcs) if _is_wrong(task.label(graph, inputs), answers) else None
    return {size: (len(every_graph(kind, size)), number) for size, number in numbers.items()}, smallest


def _is_wrong(labels: Any, answers: Any) -> bool:
    return any(label is not None and label != answer for label, answer in zip(labels, answers, strict=True))


def _check_certificate(
    rng: np.random.Generator, fsa: GraphFSA, task: HiddenRule, path: Path, facts: dict[str, Any]
) -> None:
    save_certificate(verify(fsa, task, facts["max_nodes"]), fsa, path, task)
    claim(check_certificate(path, fsa).holds, "the certificate holds", **facts)
    other = mutated(rng, fsa, 1)
    if other != fsa:
        claim(not check_certificate(path, other).holds, "not of another automaton", other=other, **facts)
    whole = json.loads(path.read_text())
    size = int(rng.integers(len(whole["sizes"])))
    changed = [{**count, "instances": count["instances"] + (k == size)} for k, count in enumerate(whole["sizes"])]
    damages = [
        {"digest": "0" * 64},
        {"automaton": "0" * 64},
        {"max_nodes": whole["max_nodes"] - 1},
        {"max_nodes": whole["max_nodes"] + 1},
        {"sizes": changed, "instances": whole["instances"] + 1},
        {"instances": whole["instances"] + 1},
        {"options": {**whole["options"], "more": whole["options"]["more"] + 1}, "digest": "1" * 64},
    ]
    damage = damages[rng.integers(len(damages))]
    path.write_text(json.dumps(whole | damage))
    claim(_refused(check_certificate, path, fsa), "a damaged certificate is refused", damage=damage, **facts)


def _refused(function: Callable[..., Any], *arguments: Any) -> bool:
    """Whether something is an error, or is said not to hold."""
    try:
        found = function(*arguments)
    except GraphFSAError:
        return True
    return found is not None and not found.holds


def check_verify_data(rng: np.random.Generator, family: str, folder: Path) -> None:
    """Labelled graphs of any kind: empty, directed, with self-loops and isolated nodes."""
    task = draw_task(rng)
    fsa = draw_solver(rng, family, task, int(rng.integers(0, 2)))
    graphs = [plain(draw_graph(rng, fsa.aggregation.uses_slots)) for _ in range(rng.integers(1, 6))]
    data = draw_labelled(rng, fsa, task, graphs, ANY, float(rng.choice([0.0, 0.1, 0.4])))
    examples = examples_of(task, data)
    found = verify(fsa, examples)
    named = Named(fsa)
    answers = [named.answers(one.arcs, one.inputs, one.steps) for one in data]
    wrong = [len(one.arcs) for one, said in zip(data, answers, strict=True) if _is_wrong(one.labels, said)]
    facts: dict[str, Any] = {"fsa": fsa, "data": examples, "found": found, "wrong": wrong}
    claim(found.verified == (not wrong), "verified", **facts)
    if not wrong:
        claim(found.graphs == len(data), "all graphs are looked at", **facts)
        return
    example = found.counterexample
    claim(example.graph.num_nodes == min(wrong), "no smaller counterexample", **facts)
    shown = (plain(example.graph), example.inputs, example.labels, example.steps)
    known = [(one.arcs, one.inputs, one.labels, one.steps) for one in data]
    claim(shown in known and example.predictions == answers[known.index(shown)], "it is one of the graphs", **facts)
    claim(_is_wrong(example.labels, example.predictions), "it is wrong", **facts)
