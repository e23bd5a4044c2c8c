"""Claims about all tables: that none fits, and a proof shows it; or that one is the smallest that fits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from graphfsa import Aggregation, AverageThresholdAggregation, CountingAggregation, ExactLearner, GraphFSA
from graphfsa.analysis import (
    check_impossibility,
    identifiability,
    load_impossibility,
    save_impossibility,
)
from graphfsa.datasets import Task
from graphfsa.errors import AutomatonError, GraphFSAError
from graphfsa.learners.exact import _climb
from graphfsa.proofs import check_certificate
from graphfsa.search import proof as proofs
from graphfsa.search.proof import Impossibility
from stress._brute_force import Machine, TooManyError, Wanted, plain, some_table_fits
from stress._soundness_aggregations import SomebodyLast, known_states
from stress._soundness_draws import (
    ANY,
    FEW,
    Labelled,
    Named,
    claim,
    draw_graph,
    draw_labelled,
    draw_solver,
    draw_task,
    examples_of,
    slowed,
)

MOST = 30_000
"""Steps of plain roll-outs up to which all tables are tried; problems that take more are drawn again."""


class RedrawError(Exception):
    """What was drawn is too simple to be worth much."""


def blank(task: Task, aggregation: Aggregation, num_states: int) -> Machine:
    """All automata of a size: the states of the classes, those of the inputs, and others."""
    if task.kind == "evolution":
        return Machine(aggregation, num_states, {}, range(num_states), ())
    first = len(task.classes)
    return Machine(aggregation, num_states, {}, range(first, first + len(task.inputs)), range(first))


def wanted(task: Task, one: Labelled) -> Wanted:
    """A labelled graph, in the numbers of the states of ``blank``."""
    first = 0 if task.kind == "evolution" else len(task.classes)
    start = tuple(first + task.inputs.index(name) for name in one.inputs)
    return Wanted(one.arcs, start, tuple(None if k is None else task.classes.index(k) for k in one.labels), one.steps)


def fewest_states(task: Task) -> int:
    """One for each class and each input."""
    return len(task.classes) + (len(task.inputs) if task.kind == "classes" else 0)


def fits(task: Task, data: Sequence[Labelled], aggregation: Aggregation, num_states: int) -> bool:
    """Whether some automaton of exactly this size gives all nodes their labels; every table is tried."""
    try:
        aggregation.num_values(num_states)
    except AutomatonError:  # It watches a state that there is not: there are no such automata.
        return False
    return some_table_fits(blank(task, aggregation, num_states), [wanted(task, one) for one in data], MOST)


def up_to(task: Task, data: Sequence[Labelled], aggregation: Aggregation, num_states: int) -> bool:
    """Whether some automaton of at most this size fits; of this size if fewer states are another matter."""
    least = num_states if isinstance(aggregation, SomebodyLast) else fewest_states(task)
    return any(fits(task, data, aggregation, number) for number in range(least, num_states + 1))


def searches(rng: np.random.Generator) -> ExitStack:
    """Half of the time nothing is left to the search that decides all small problems, and clauses have to."""
    without = ExitStack()
    if rng.random() < 0.5:
        for module, limit in ((identifiability, "_WORK"), (_climb, "_SLICE"), (proofs, "_EASY")):
            without.enter_context(patch.object(module, limit, -1))
    return without


# Learning.


def check_learning(rng: np.random.Generator, family: str, folder: Path) -> None:
    """The learner finds the smallest size that fits and a table of it; or nothing fits, and a proof shows it."""
    hard = bool(rng.random() < 0.5)
    while True:
        try:
            _check_problem(rng, *_draw_problem(rng, family, hard), folder)
        except (TooManyError, RedrawError):
            continue
        return


def _draw_problem(rng: np.random.Generator, family: str, hard: bool) -> tuple[Task, GraphFSA, list[Labelled]]:
    """A task, an automaton and labelled graphs; if it is to be hard, classes and inputs alone do not explain them."""
    task = draw_task(rng)
    extra = int(rng.choice([0, 1, 2, 2])) if task.kind == "classes" else 0
    hidden = draw_solver(rng, family, task, extra, ordered=True)
    if hard and extra:
        hidden = slowed(rng, hidden)
    graphs = [plain(draw_graph(rng, hidden.aggregation.uses_slots, 3)) for _ in range(rng.integers(1, 8))]
    graphs = [arcs for arcs in graphs if all(len(seen) <= 3 for seen in arcs)]
    noise = 0.0 if hard else float(rng.choice([0.0, 0.15, 0.4]))
    data = draw_labelled(rng, hidden, task, graphs, FEW if hard else ANY, noise)
    if not any(label is not None for one in data for label in one.labels):
        raise RedrawError  # There is nothing to learn.
    if hard and (not extra or fits(task, data, hidden.aggregation, fewest_states(task))):
        raise RedrawError
    return task, hidden, data


def _check_problem(
    rng: np.random.Generator, task: Task, hidden: GraphFSA, data: Sequence[Labelled], folder: Path
) -> None:
    named, most = fewest_states(task), hidden.num_states
    least = most if rng.random() < 0.3 or isinstance(hidden.aggregation, AverageThresholdAggregation) else named
    aggregations: list[Any] = [hidden.aggregation]
    if type(hidden.aggregation) is CountingAggregation:
        aggregations = [CountingAggregation(bound) for bound in range(1, hidden.aggregation.bound + 1)]
    sizes = sorted(
        ((number * kind.num_values(number), number, place), kind)
        for number in range(least, most + 1)
        for place, kind in enumerate(aggregations)
        if number >= known_states(kind)
    )
    fitting = [(size, kind) for size, kind in sizes if fits(task, data, kind, size[1])]
    if fitting and fitting[0] == sizes[0] and least == named and rng.random() < 0.8:
        raise RedrawError  # What the simplest automata explain is most of what is drawn.
    learner = ExactLearner(
        states=(least, most),
        bound=(1, len(aggregations)),
        aggregation="counting" if len(aggregations) > 1 else hidden.aggregation,
        merge="auto" if rng.random() < 0.7 else "none",
    )
    facts: dict[str, Any] = {"learner": learner, "data": examples_of(task, data), "hidden": hidden, "fitting": fitting}
    with searches(rng):
        model = learner.fit(facts["data"], seed=int(rng.integers(100)))
    facts |= {"verdict": model.verdict, "attempts": model.attempts, "automaton": model.body}
    claim(model.verdict == ("exact" if fitting else "impossible"), "the verdict", **facts)
    if fitting:
        found: Any = model.body
        entries = found.transition_table.size, found.num_states
        claim(entries == fitting[0][0][:2], "the smallest automaton that fits", **facts)
        claim(is_fitted(found, data), "the automaton fits", **facts)
    else:
        _check_proof(rng, task, data, model.impossibility, aggregations[-1], folder / "proof.json", facts)
    least = max(least, known_states(aggregations[-1]))
    _check_checker(task, data, aggregations[-1], int(rng.integers(least, most + 1)), facts)


def is_fitted(fsa: GraphFSA, data: Sequence[Labelled]) -> bool:
    """Whether an automaton gives all nodes their labels."""
    named = Named(fsa)
    return all(
        label in (None, answer)
        for one in data
        for label, answer in zip(one.labels, named.answers(one.arcs, one.inputs, one.steps), strict=True)
    )


def _check_checker(
    task: Task, data: Sequence[Labelled], aggregation: Aggregation, num_states: int, facts: dict[str, Any]
) -> None:
    """The checker agrees with brute force, whoever claims what."""
    claimed = Impossibility(examples_of(task, data), aggregation, num_states, minimal=False)
    possible = up_to(task, data, aggregation, num_states)
    check = check_impossibility(claimed)
    claim(check.holds == (not possible), "the checker", check=check, num_states=num_states, **facts)
    for seen in (aggregation, None):
        look = check_impossibility(replace(claimed, num_states=None, aggregation=seen))
        claim(not (look.holds and possible), "what looks the same can't be fitted", look=look, seen=seen, **facts)


def _check_proof(
    rng: np.random.Generator,
    task: Task,
    data: Sequence[Labelled],
    proof: Impossibility,
    aggregation: Aggregation,
    path: Path,
    facts: dict[str, Any],
) -> None:
    """The graphs are of the data, no table fits them, the checker agrees, and each of them is needed."""
    few = _labelled(proof)
    facts = {**facts, "proof": proof, "graphs": proof.examples}
    claim(all(one in data for one in few), "the graphs of the proof are of the data", **facts)
    kind = aggregation if proof.aggregation is None else proof.aggregation
    most = fewest_states(task) + 1 if proof.num_states is None else proof.num_states
    claim(not up_to(task, few, kind, most), "nothing fits the graphs of the proof", **facts)
    claim(check_impossibility(proof).holds, "the checker agrees", **facts)
    save_impossibility(proof, path)
    claim(check_certificate(path).holds, "the file holds", **facts)
    for place in range(len(few)) if proof.minimal else ():
        others = np.delete(np.arange(len(few)), place)
        if len(others):
            less = check_impossibility(replace(proof, examples=proof.examples.select(others)))
            claim(not less.holds, "each graph of a minimal proof is needed", place=place, **facts)
    _check_damage(rng, task, kind, path, facts)


def _labelled(proof: Impossibility) -> list[Labelled]:
    return [
        Labelled(plain(one.graph), tuple(one.input_names), tuple(one.label_names), one.steps) for one in proof.examples
    ]


def _check_damage(
    rng: np.random.Generator, task: Task, aggregation: Aggregation, path: Path, facts: dict[str, Any]
) -> None:
    """A certificate that was changed is refused, or what it says now is so by chance."""
    whole = json.loads(path.read_text())
    damage = int(rng.integers(4))
    one = whole["graphs"][rng.integers(len(whole["graphs"]))]
    if damage == 0 and len(whole["graphs"]) > 1:
        whole["graphs"].remove(one)
    elif damage == 1 and whole["num_states"] is not None:
        whole["num_states"] += 1
    elif damage == 2:
        one["steps"] = int(rng.integers(0, 6))
    else:
        node = int(rng.integers(len(one["labels"])))
        one["labels"][node] = task.classes[rng.integers(len(task.classes))]
    path.write_text(json.dumps(whole))
    try:
        claimed = load_impossibility(path)
    except GraphFSAError:
        return
    most = fewest_states(task) + 1 if claimed.num_states is None else claimed.num_states
    possible = up_to(task, _labelled(claimed), aggregation, most)
    check = check_certificate(path)
    facts = {**facts, "damaged": whole, "check": check}
    claim(not (check.holds and possible), "a damaged proof that does not hold is refused", **facts)
    claim(
        claimed.num_states is None or check.holds == (not possible), "a changed proof that holds is accepted", **facts
    )
