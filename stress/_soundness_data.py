"""Claims about data: which entries they use and settle, and whether they determine the automaton."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa import Aggregation, AverageThresholdAggregation, GraphFSA
from graphfsa.analysis import coverage, suggest
from graphfsa.analysis.coverage import KINDS
from graphfsa.datasets import Task
from stress._brute_force import (
    Machine,
    TooManyError,
    Wanted,
    canonical,
    every_directed,
    every_graph,
    instances,
    plain,
    smallest_difference,
)
from stress._soundness_aggregations import draw_class, seen_as
from stress._soundness_draws import (
    ANY,
    FEW,
    HiddenRule,
    Labelled,
    Named,
    claim,
    draw_graph,
    draw_labelled,
    draw_solver,
    draw_task,
    examples_of,
    slowed,
    with_table,
)
from stress._soundness_tables import MOST, RedrawError, blank, is_fitted, searches, wanted

# Identification.


def check_suggestions(rng: np.random.Generator, family: str, folder: Path) -> None:
    """Determined, or another automaton fits and the smallest graph shows it."""
    while True:
        try:
            _check_identification(rng, family)
        except (TooManyError, RedrawError):
            continue
        return


def _check_identification(rng: np.random.Generator, family: str) -> None:
    task = draw_task(rng)
    extra = int(rng.choice([0, 1, 2, 2])) if task.kind == "classes" else 0
    fsa = draw_solver(rng, family, task, extra, ordered=bool(family.startswith("own") or rng.random() < 0.5))
    if rng.random() < 0.3:
        fsa = slowed(rng, fsa)
    kind = draw_class(rng, fsa.aggregation)
    max_nodes = int(rng.integers(3 if kind == "cycle" else 1, 5))
    hidden = HiddenRule.of(fsa, task, kind, int(rng.integers(0, 4)), int(rng.integers(0, 2)))
    alone = bool(rng.random() < 0.3)  # Then graphs are like those of the data, and there is no task.
    shapes = [arcs for size in (1, 2, 3) for arcs in every_graph(kind, size)]
    data: list[Labelled] = []
    for arcs in [shapes[k] for k in rng.integers(0, len(shapes), rng.integers(1, 8))]:
        usual = 1 if task.kind == "evolution" else 2 * len(arcs) + 2 if alone else len(arcs) + hidden.more
        steps = usual if alone or rng.random() < 0.6 else int(rng.choice([ANY, FEW]))
        (one,) = draw_labelled(rng, fsa, task, [arcs], steps, 0.0)
        hide = rng.random(len(arcs)) < rng.choice([0.0, 0.3])
        data.append(replace(one, labels=tuple(None if h else k for h, k in zip(hide, one.labels, strict=True))))
    examples, count = examples_of(task, data), int(rng.integers(1, 4))
    asked = _asked(fsa, task, hidden, data, max_nodes, alone)
    machine = blank(task, _renumbered(fsa, task), fsa.num_states)
    smallest = smallest_difference(machine, [wanted(task, one) for one in data], asked, 3 * MOST)
    if smallest == 1 and rng.random() < 0.9:
        raise RedrawError  # Most data say nothing about a node that is alone.
    dataset = None if alone else hidden
    with searches(rng):
        found = suggest(fsa, examples, max_nodes=max_nodes, dataset=dataset, graph_class=kind, count=count)
    facts: dict[str, Any] = {"fsa": fsa, "data": examples, "found": found, "dataset": dataset, "smallest": smallest}
    facts |= {"class": kind, "max_nodes": max_nodes}
    claim(found.determined is not None, "small problems are decided", **facts)
    if alone:
        claim(found.determined is False or smallest is None, "determined", **facts)
        size = len(found.suggestions[0].inputs) if found.suggestions else max_nodes + 1
        claim(smallest is None or size <= smallest, "the smallest graph", **facts)
    else:
        claim(found.determined == (smallest is None), "determined", **facts)
        claim(found.max_nodes == (max_nodes if smallest is None else smallest - 1), "up to which size", **facts)
        claim(all(len(shown.inputs) == smallest for shown in found.suggestions), "the smallest graphs", **facts)
    if not found.determined:
        _check_alternative(fsa, task, data, found, count, facts)


def _asked(
    fsa: GraphFSA, task: Task, hidden: HiddenRule, data: Sequence[Labelled], max_nodes: int, alone: bool
) -> list[tuple[Wanted, tuple[int | None, ...]]]:
    """What may be asked about, with the answers of the automaton; without a task only what is surely like the data."""
    named, found = Named(fsa), list[tuple[Wanted, tuple[int | None, ...]]]()
    for arcs, row in instances(hidden.graphs, max_nodes, len(task.inputs)):
        inputs = tuple(task.inputs[k] for k in row)
        if alone and not any(_alike(one, inputs, arcs) for one in data):
            continue
        if not alone and inputs.count(task.inputs[0]) < hidden.least:
            continue
        steps = 1 if task.kind == "evolution" else 2 * len(arcs) + 2 if alone else len(arcs) + hidden.more
        answers = named.answers(arcs, inputs, steps)
        numbers = tuple(None if name is None else task.classes.index(name) for name in answers)
        found.append((wanted(task, Labelled(arcs, inputs, answers, steps)), numbers))
    return found


def _alike(one: Labelled, inputs: tuple[str, ...], arcs: Any) -> bool:
    """Whether each node has an input and a number of neighbours as one node of a graph, each input as often."""
    return sorted(zip(inputs, map(len, arcs), strict=True)) == sorted(zip(one.inputs, map(len, one.arcs), strict=True))


def _renumbered(fsa: GraphFSA, task: Task) -> Aggregation:
    """The aggregation where states are numbered as in ``blank``; only average thresholds and letters notice."""
    named = [*task.classes, *(task.inputs if task.kind == "classes" else ())]
    order = [*map(fsa.state_names.index, named)]
    order += [state for state in range(fsa.num_states) if state not in order]
    thresholds: Any = getattr(fsa.aggregation, "thresholds", None)
    if thresholds is None or not isinstance(thresholds[0], tuple):
        return seen_as(fsa.aggregation, order)
    return AverageThresholdAggregation({order.index(state): levels for state, levels in thresholds})


def _check_alternative(
    fsa: GraphFSA, task: Task, data: Sequence[Labelled], found: Any, count: int, facts: dict[str, Any]
) -> None:
    """The other automaton is as large, fits the data and answers as is said, which is otherwise; graphs differ."""
    other = found.alternative
    claim(len(found.suggestions) > 0, "a graph is suggested", **facts)
    facts = {**facts, "other": other, "graph": found.suggestions[0].graph}
    alike = sorted(other.state_names) == sorted(fsa.state_names) and type(other.aggregation) is type(fsa.aggregation)
    claim(alike, "the other automaton is of the same size", **facts)
    claim(is_fitted(other, data), "the other automaton fits", **facts)
    claim(1 <= len(found.suggestions) <= count, "how many graphs are suggested", **facts)
    for shown in found.suggestions:
        inputs = [found.task.inputs[k] for k in shown.inputs]
        for one, said in zip((fsa, other), shown.answers, strict=True):
            answers = Named(one).answers(plain(shown.graph), inputs, shown.steps)
            names = tuple(None if number < 0 else found.task.classes[number] for number in said)
            claim(answers == names, "the answers to the question", one=one, answers=answers, **facts)
        claim(shown.answers[0] != shown.answers[1], "the two disagree", **facts)
    forms = [canonical(plain(shown.graph), shown.inputs) for shown in found.suggestions]
    claim(len(set(forms)) == len(forms), "no graph is suggested twice", **facts)


# Coverage.


def check_coverage(rng: np.random.Generator, family: str, folder: Path) -> None:
    """Which entries are used, can be used, and are settled by the labels."""
    task = draw_task(rng)
    fsa = draw_solver(rng, family, task, int(rng.integers(0, 2)))
    slotted = fsa.aggregation.uses_slots
    graphs = [plain(draw_graph(rng, slotted)) for _ in range(rng.integers(1, 4))]
    data = draw_labelled(rng, fsa, task, graphs, ANY, float(rng.choice([0.0, 0.05])))
    found = coverage(fsa, examples_of(task, data))
    facts: dict[str, Any] = {"fsa": fsa, "data": found.examples, "found": found.as_dict()}
    machine, names, used = Machine.of(fsa), fsa.state_names, Counter[tuple[int, int]]()
    for one in data:
        states = tuple(names.index(name) for name in one.inputs)
        for _ in range(one.steps):
            used.update(machine.entries(one.arcs, states))
            states = machine.step(one.arcs, states)
    seen = {entry: int(found.seen[entry]) for entry in machine.table if found.seen[entry]}
    claim(seen == dict(used), "the entries that are used", used=used, seen=seen, **facts)
    claim(found.wrong == _wrong(fsa, data), "the nodes that are wrong", **facts)
    for arcs in [*every_directed(1, 2 * slotted), *every_directed(2, 2 * slotted), *graphs]:
        for start in product(fsa.starting_states if fsa.final_states else range(fsa.num_states), repeat=len(arcs)):
            entries = [entry for states in machine.history(arcs, start)[:8] for entry in machine.entries(arcs, states)]
            claim(all(found.possible[entry] for entry in entries), "what is used is possible", arcs=arcs, **facts)
    kinds = found.kinds()
    claim((kinds is None) == (found.wrong > 0), "kinds are known unless a label is wrong", **facts)
    if kinds is not None:
        for entry in machine.table:
            kind = _kind(fsa, entry, found, data)
            claim(KINDS[kinds[entry]] == kind, "the kind of an entry", entry=entry, kind=kind, kinds=kinds, **facts)


def _wrong(fsa: GraphFSA, data: Any) -> int:
    named, total = Named(fsa), 0
    for one in data:
        answers = named.answers(one.arcs, one.inputs, one.steps)
        total += sum(label not in (None, answer) for label, answer in zip(one.labels, answers, strict=True))
    return total


def _kind(fsa: GraphFSA, entry: tuple[int, int], found: Any, data: Any) -> str:
    """What the documentation says about an entry, tried out with every other successor."""
    if entry[0] in fsa.final_states:
        return "final"
    if not found.seen[entry]:
        return "unseen" if found.possible[entry] else "impossible"
    for successor in set(range(fsa.num_states)) - {int(fsa.transition_table[entry])}:
        table = fsa.transition_table.copy()
        table[entry] = successor
        if not _wrong(with_table(fsa, table), data):
            return "open"
    return "pinned"
