"""Satisfiability with counterexamples: clauses for a few graphs at a time, until a table fits all.

The state of a node after t steps follows from its colour after t rounds of refinement, as far as the aggregation sees,
so nodes with the same colour share their variables, across all graphs. A colour with two labels can't be final.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.search.budget import Budget
from graphfsa.search.clauses import Clauses
from graphfsa.search.colours import only_targets, refine_once
from graphfsa.search.problem import NO_TARGET, Problem
from graphfsa.search.searches import evaluate

Literals = dict[int, int]
"""For each thing that may be the case, the literal that says so; exactly one is true."""
_MIXED = -2
_MAX_CASES = 2048
_PER_ROUND = 2


class TooManyCasesError(Exception):
    """A neighbourhood can look in too many ways for clauses."""


class SatSearch:
    """Looks for a table with a satisfiability solver; it can be paused and resumed.

    Args:
        problem: What to fit.

    Attributes:
        outcome: ``"paused"``, ``"found"``, ``"exhausted"`` (nothing fits) or ``"too large"``.
        table: The table that was found, -1 where no clause speaks of an entry.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.outcome = "paused"
        self.table: Array | None = None
        self._clauses = Clauses()
        self._entries: dict[int, Literals] = {}
        self._states: dict[tuple[int, int], Literals] = {}
        self._seen: dict[tuple[int, Any], Literals] = {}
        self._colours = [problem.start.astype(np.uint64)]
        self._labels: list[dict[int, int]] = []
        self._pending = list(range(min(3, len(problem.examples))))
        self._active: set[int] = set()
        self._assumed: list[int] = []

    def advance(self, conflicts: int, budget: Budget | None = None) -> str:
        """Go on until one call of the solver has this number of conflicts, or until the budget is spent."""
        while self.outcome == "paused" and (budget is None or not budget.over):
            try:
                for graph in self._pending:
                    self._add_graph(graph)
            except TooManyCasesError:
                self.outcome = "too large"
                break
            self._pending = []
            answer = self._clauses.solve(conflicts, self._assumed)
            if budget is not None:
                budget.spend(self._clauses.new_work() + self.problem.pass_work)
            if answer is None:
                break
            if not answer:
                self.outcome = "exhausted"
                break
            self._look_for_counterexamples()
        return self.outcome

    def ask_for_difference(self, graphs: Sequence[int], answers: Array) -> None:
        """From now on look for a table that also gives one of these graphs other answers than the given ones.

        Asking again replaces the question; ``exhausted`` then means that no table that fits does so.

        Args:
            graphs: Graphs of the problem, whose nodes have no targets.
            answers: For every node of the problem the state it is known to end in, or -1 for none that is final.
        """
        clauses = self._clauses
        self.outcome, self.table = "paused", None
        try:
            differences = self._differences(graphs, answers)
        except TooManyCasesError:
            self.outcome = "too large"
            return
        asked = clauses.new()
        clauses.add([-asked, *(literal for literal in differences if literal != -clauses.true)])
        self._assumed = [asked]

    def _differences(self, graphs: Sequence[int], answers: Array) -> list[int]:
        clauses, offsets = self._clauses, self.problem.examples.graphs.offsets.tolist()
        differences: list[int] = []
        for graph in graphs:
            steps = int(self.problem.examples.steps[graph])
            self._add_graph(graph)
            for node in range(offsets[graph], offsets[graph + 1]):
                literals, answer = self._state(node, steps), int(answers[node])
                if answer >= 0:
                    differences.append(-literals.get(answer, -clauses.true))
                else:
                    differences += [
                        literals[state] for state in range(self.problem.shape.num_final) if state in literals
                    ]
        return differences

    def _look_for_counterexamples(self) -> None:
        positive = {literal for literal in self._clauses.solver.get_model() if literal > 0}
        table = self.problem.shape.empty_table()
        flat = table.reshape(-1)
        for entry, literals in self._entries.items():
            flat[entry] = next(state for state, literal in literals.items() if literal in positive)
        filled = np.where(table < 0, np.arange(len(table))[:, None], table)
        wrong, seen, _ = evaluate(self.problem, filled)
        bad = [int(graph) for graph in np.flatnonzero(wrong) if int(graph) not in self._active]
        if not bad:
            # Entries that clauses do not speak of but graphs used stayed as they were: they are part of the fit.
            self.table = np.where(seen > 0, filled, table).astype(np.int16)
            self.outcome = "found"
        self._pending = bad[:_PER_ROUND]

    def _add_graph(self, graph: int) -> None:
        problem = self.problem
        self._active.add(graph)
        begin, end = problem.examples.graphs.offsets[[graph, graph + 1]].tolist()
        steps = int(problem.examples.steps[graph])
        for step in range(steps + 1):
            for node in range(begin, end):
                self._state(node, step)
        for node in range(begin, end):
            target = int(problem.target[node])
            if target != NO_TARGET:
                self._clauses.add([self._state(node, steps).get(target, -self._clauses.true)])

    def _state(self, node: int, step: int) -> Literals:
        """In which state a node is after this number of steps."""
        self._refine(step)
        key = (step, int(self._colours[step][node]))
        if key in self._states:
            return self._states[key]
        if step == 0:
            literals = {int(self.problem.start[node]): self._clauses.true}
        else:
            literals = self._successor(node, step, self._possible(key))
        self._states[key] = literals
        return literals

    def _possible(self, key: tuple[int, int]) -> list[int]:
        """The states that a colour can have: final ones only with its own label."""
        shape = self.problem.shape
        label = self._labels[key[0]].get(key[1], NO_TARGET)
        finals = range(shape.num_final) if label == NO_TARGET or not shape.num_final else [label]
        return [*([] if label == _MIXED and shape.num_final else finals), *range(shape.num_final, shape.num_states)]

    def _successor(self, node: int, step: int, possible: list[int]) -> Literals:
        clauses, shape = self._clauses, self.problem.shape
        before = self._state(node, step - 1)
        if len(before) == 1 and next(iter(before)) < shape.num_final:
            return before
        values = self._values(node, step - 1)
        literals = {state: clauses.new() for state in possible}
        clauses.exactly_one(list(literals.values()))
        for state, is_state in before.items():
            if state < shape.num_final:
                clauses.add([-is_state, literals[state]] if state in literals else [-is_state])
                continue
            for value, is_value in values.items():
                entry = self._entry(state, value)
                for successor, leads in entry.items():
                    if successor in literals:
                        clauses.add([-is_state, -is_value, -leads, literals[successor]])
                        clauses.add([-is_state, -is_value, leads, -literals[successor]])
                    else:
                        clauses.add([-is_state, -is_value, -leads])
        return literals

    def _entry(self, state: int, value: int) -> Literals:
        shape = self.problem.shape
        entry = state * shape.num_values + value
        if entry not in self._entries:
            literals = self._entries[entry] = {other: self._clauses.new() for other in range(shape.num_states)}
            self._clauses.exactly_one(list(literals.values()))
            # Try to stay first: automata that change less are simpler.
            self._clauses.solver.set_phases([v if other == state else -v for other, v in literals.items()])
        return self._entries[entry]

    def _values(self, node: int, step: int) -> Literals:
        """Which value a node sees after this number of steps."""
        graph, shape = self.problem.examples.graphs.graph, self.problem.shape
        begin, end = int(graph.indptr[node]), int(graph.indptr[node + 1])
        sources = graph.indices[begin:end].tolist()
        colours = [int(self._colours[step][source]) for source in sources]
        slots = [0] * len(sources) if graph.slots is None else graph.slots[begin:end].tolist()
        key = (step, tuple(sorted(zip(colours, slots, strict=True))))
        if key not in self._seen:
            states = [self._state(source, step) for source in sources]
            levels = shape.aggregation.levels(len(sources), shape.num_states)
            if levels is None:
                self._seen[key] = self._by_cases(states, slots)
            else:
                self._seen[key] = self._by_counts(states, levels)
        return self._seen[key]

    def _by_cases(self, states: Sequence[Literals], slots: list[int]) -> Literals:
        """Every combination of the neighbours' states, for any aggregation."""
        if np.prod([float(len(literals)) for literals in states]) > _MAX_CASES:
            raise TooManyCasesError
        shape, clauses = self.problem.shape, self._clauses
        found: dict[int, list[int]] = {}
        given = slots if self.problem.examples.graphs.graph.slots is not None else []
        for case in product(*(literals.items() for literals in states)):
            value = shape.aggregation.encode([state for state, _ in case], given, shape.num_states)
            found.setdefault(value, []).append(clauses.both(*(literal for _, literal in case)))
        return {value: self._any(literals) for value, literals in found.items()}

    def _any(self, literals: list[int]) -> int:
        return -self._clauses.both(*(-literal for literal in literals))

    def _by_counts(self, states: Sequence[Literals], levels: Sequence[tuple[int, tuple[int, ...]]]) -> Literals:
        """Counters per state, as far as the levels of the digits go; then the digits that can occur together."""
        clauses = self._clauses
        tops: dict[int, int] = {}
        for state, counts in levels:
            tops[state] = max(tops.get(state, 0), *counts, 0)
        reached = {state: clauses.at_least([given.get(state) for given in states], top) for state, top in tops.items()}
        values: Literals = {}
        for counts in _count_vectors(states, tops):
            value, weight, literals = 0, 1, []
            for state, steps in levels:
                count = counts.get(state, 0)
                digit = sum(count >= step for step in steps)
                value += weight * digit
                weight *= len(steps) + 1
                literals += [reached[state][steps[digit - 1]]] if digit else []
                literals += [-reached[state][steps[digit]]] if digit < len(steps) else []
            values[value] = clauses.both(*literals)
        clauses.add(list(values.values()))
        return values

    def _refine(self, step: int) -> None:
        """Colours up to a step, and the label of each."""
        while len(self._labels) <= step:
            if len(self._colours) <= len(self._labels):
                aggregation = self.problem.shape.aggregation
                self._colours.append(refine_once(self.problem.examples.graphs, self._colours[-1], aggregation))
            self._labels.append(only_targets(self._colours[len(self._labels)], self.problem.target, _MIXED))


def _count_vectors(states: Sequence[Literals], tops: Mapping[int, int]) -> list[dict[int, int]]:
    """The counts, up to the tops, that can occur together."""
    found: set[tuple[tuple[int, int], ...]] = {()}
    for literals in states:
        grown: set[tuple[tuple[int, int], ...]] = set()
        for counts in found:
            for state in literals:
                more = dict(counts)
                if state in tops:
                    more[state] = min(tops[state], more.get(state, 0) + 1)
                grown.add(tuple(sorted(more.items())))
        found = grown
        if len(found) > _MAX_CASES:
            raise TooManyCasesError
    return [dict(counts) for counts in sorted(found)]
