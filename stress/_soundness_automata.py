"""Claims about automata: that two do the same, or where they differ; and that a smaller one does the same."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa import CountingAggregation, GraphFSA, LettersAggregation, PositionalAggregation
from graphfsa.analysis import compare, minimise
from stress._brute_force import (
    Arcs,
    Machine,
    States,
    coarsest,
    every_directed,
    every_graph,
    instances,
    occurring,
    plain,
)
from stress._soundness_aggregations import Parities, draw_class, enough, seen_as
from stress._soundness_draws import claim, draw_automaton, draw_graph, lifted, mutated, with_twins

# Comparison.


def check_compare(rng: np.random.Generator, family: str, folder: Path) -> None:
    """The same answers, or a smallest difference; what is called a renaming holds on graphs of every kind."""
    a = draw_automaton(rng, family)
    b = _relative(rng, a)
    kind, max_nodes = draw_class(rng, a.aggregation), int(rng.integers(2, 5))
    whole = bool(a.final_states) or len(a.starting_states) == a.num_states
    steps = int(rng.integers(0, 5)) if not whole or rng.random() < 0.2 else None
    answered = bool(rng.random() < 0.2)
    found = compare(a, b, graph_class=kind, max_nodes=max_nodes, steps=steps, where_answered=answered)
    facts: dict[str, Any] = {"a": a, "b": b, "found": found, "class": kind, "max_nodes": max_nodes, "steps": steps}
    pair = _Pair(a, b, steps, answered)
    differing = [
        arcs for arcs, inputs in instances(kind, max_nodes, len(a.starting_states)) if pair.differ(arcs, inputs)
    ]
    claim(found.equivalent == (not differing), "equivalent", differing=differing[:1], **facts)
    if found.by == "renaming":
        slotted = a.aggregation.uses_slots
        strange = [*every_directed(1, 2 * slotted), *every_directed(2, 2 * slotted)]
        for arcs in (*strange, *(plain(draw_graph(rng, slotted, 5)) for _ in range(5))):
            for inputs in product(range(len(a.starting_states)), repeat=len(arcs)):
                claim(pair.same_for_ever(arcs, inputs), "a renaming", arcs=arcs, inputs=inputs, **facts)
    elif found.equivalent:
        number = sum(1 for _ in instances(kind, max_nodes, len(a.starting_states)))
        claim(found.checked == number, "all graphs with all inputs are compared", number=number, **facts)
    else:
        shown = found.distinguishing
        facts["graph"] = shown.graph
        claim(shown.graph.num_nodes == len(differing[0]), "the smallest difference", **facts)
        claim(pair.differ(plain(shown.graph), shown.inputs), "the difference is one", **facts)
        claim(pair.after(plain(shown.graph), shown.inputs, shown.steps) == shown.answers, "the answers", **facts)


def _relative(rng: np.random.Generator, a: GraphFSA) -> GraphFSA:
    """An automaton to compare with: changed a little, or made so that it does the same, or both."""
    b, number = a, a.num_states
    if rng.random() < 0.6:
        aggregation: Any = a.aggregation
        if isinstance(aggregation, CountingAggregation) and number < 4 and rng.random() < 0.4:
            aggregation = type(aggregation)(aggregation.bound + 1)
        twins = rng.integers(0, number, int(a.final_states != () and number < 4)).tolist()
        order = (
            rng.permutation(number).tolist() if a.final_states or len(a.starting_states) == number else range(number)
        )
        down = [*order, *twins]
        b = lifted(rng, a, seen_as(aggregation, down), down) or a
    return mutated(rng, b, int(rng.choice([0, 1, 2, 4])))


class _Pair:
    """Two automata whose starting and final states are matched by their names, or by their places if those differ."""

    def __init__(self, a: GraphFSA, b: GraphFSA, steps: int | None, answered: bool) -> None:
        self.machines = Machine.of(a), Machine.of(b)
        self.starting = a.starting_states, _matched(a, b, a.starting_states, b.starting_states)
        shown = (range(a.num_states), range(b.num_states)) if not a.final_states else (a.final_states, b.final_states)
        self.shown = tuple(shown[0]), _matched(a, b, *shown)
        self.steps, self.answered, self.states = steps, answered, not a.final_states

    def start(self, inputs: States) -> list[States]:
        return [tuple(starting[k] for k in inputs) for starting in self.starting]

    def after(self, arcs: Arcs, inputs: States, steps: int) -> tuple[tuple[int, ...], ...]:
        """The answers of both after some steps, -1 for none."""
        rows = zip(self.machines, self.start(inputs), self.shown, strict=True)
        return tuple(_numbers(one.answers(one.run(arcs, start, steps), shown)) for one, start, shown in rows)

    def differ(self, arcs: Arcs, inputs: States) -> bool:
        """Whether the answers differ: after the given steps; else in the end, and of states after one step."""
        steps = 1 if self.states and self.steps is None else self.steps
        if steps is None:
            rows = zip(self.machines, self.start(inputs), strict=True)
            steps = max(len(one.history(arcs, start)) for one, start in rows)
        left, right = self.after(arcs, inputs, steps)
        return any(p != q and (p >= 0 or not self.answered) for p, q in zip(left, right, strict=True))

    def same_for_ever(self, arcs: Arcs, inputs: States) -> bool:
        """Whether the answers are equal at every step."""
        rows = zip(self.machines, self.start(inputs), strict=True)
        steps = max(len(one.history(arcs, start)) for one, start in rows)
        pairs = (self.after(arcs, inputs, number) for number in range(min(steps, 12) + 1))
        return all(left == right for left, right in pairs)


def _matched(a: GraphFSA, b: GraphFSA, ours: Any, theirs: Any) -> tuple[int, ...]:
    names = {b.state_names[state]: state for state in theirs}
    wanted = [a.state_names[state] for state in ours]
    return tuple(names[name] for name in wanted) if set(wanted) == set(names) else tuple(theirs)


def _numbers(answers: Any) -> tuple[int, ...]:
    return tuple(-1 if answer is None else answer for answer in answers)


# Minimisation.


def check_minimise(rng: np.random.Generator, family: str, folder: Path) -> None:
    """No answer changes at any step on any graph; nothing is left that should go, where that is promised."""
    fsa = draw_automaton(rng, family)
    while len(fsa.final_states) in (0, fsa.num_states) and rng.random() < 0.8:
        fsa = draw_automaton(rng, family)  # There is more to merge with some answers.
    if rng.random() < 0.7:
        fsa = with_twins(rng, fsa)
    found = minimise(fsa)
    small = found.automaton
    facts: dict[str, Any] = {"fsa": fsa, "small": small, "found": found}
    for states in ("starting_states", "final_states"):
        kept = [[one.state_names[state] for state in getattr(one, states)] for one in (fsa, small)]
        claim(kept[0] == kept[1], "starting and final states are kept", **facts)
    pair = _Pair(fsa, small, None, False)
    if not fsa.final_states:  # Then the states show, and some may have gone.
        pair.shown = tuple(map(fsa.state_names.index, small.state_names)), tuple(range(small.num_states))
    slotted = fsa.aggregation.uses_slots
    graphs = [arcs for size in (1, 2, 3) for arcs in every_graph("row" if slotted else "connected", size)]
    graphs += [*every_directed(1, 2 * slotted), *(plain(draw_graph(rng, slotted)) for _ in range(6))]
    for arcs in graphs:
        for inputs in product(range(len(fsa.starting_states)), repeat=len(arcs)):
            claim(pair.same_for_ever(arcs, inputs), "the same answers at every step", arcs=arcs, inputs=inputs, **facts)
            _check_mapping(found, pair, arcs, inputs, facts)
    exact = PositionalAggregation | LettersAggregation | Parities
    if isinstance(fsa.aggregation, exact) or type(fsa.aggregation) is CountingAggregation:
        _check_smallest(fsa, found, facts)


def _check_mapping(found: Any, pair: _Pair, arcs: Arcs, inputs: States, facts: dict[str, Any]) -> None:
    """Who is in a state is in one of the same class in the smaller automaton; what occurs has a class."""
    large, small = facts["fsa"], facts["small"]
    left, right = pair.start(inputs)
    for _ in range(4):
        before = [large.state_names.index(small.state_names[state]) for state in right]
        same = all(found.classes[p] == found.classes[q] >= 0 for p, q in zip(left, before, strict=True))
        same = same and all(found.mapping[state] >= 0 for state in left)
        claim(same, "classes and mapping", arcs=arcs, inputs=inputs, states=(left, right), **facts)
        left, right = pair.machines[0].step(arcs, left), pair.machines[1].step(arcs, right)


def _check_smallest(fsa: GraphFSA, found: Any, facts: dict[str, Any]) -> None:
    """States that can't occur are gone, and those are merged that every other way to merge would merge too."""
    machine, most = Machine.of(fsa), enough(fsa.aggregation, fsa.num_states)
    states = occurring(machine, *most)
    parts = coarsest(machine, states, *most) if fsa.final_states else [[state] for state in states]
    classes = [[s for s in range(fsa.num_states) if found.classes[s] == k] for k in sorted({*found.classes} - {-1})]
    claim(sorted(classes) == sorted(map(sorted, parts)), "the classes", parts=parts, **facts)
    kept = {*fsa.starting_states, *fsa.final_states}
    number = len(kept) + sum(not kept & set(part) for part in parts)
    claim(found.automaton.num_states == number, "the number of states", parts=parts, **facts)
