"""What the soundness campaign draws: automata, graphs, labelled graphs and tasks; and what it says when it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphfsa import Aggregation, CountingAggregation, Graph, GraphBatch, GraphFSA
from graphfsa.datasets import CustomTask, Examples, Task
from stress._brute_force import Arcs, Machine, neighbourhoods, plain
from stress._soundness_aggregations import WrappedCounts, draw_aggregation, enough, seen_as


def draw_table(rng: np.random.Generator, aggregation: Aggregation, num_states: int, final: Sequence[int]) -> Any:
    """A table; often most entries keep their state, and those of final states always do."""
    table = rng.integers(0, num_states, (num_states, aggregation.num_values(num_states)))
    own = np.arange(num_states)[:, None]
    table = np.where(rng.random(table.shape) < rng.choice([0.0, 0.2, 0.5]), own, table)
    table[list(final)] = own[list(final)]
    return table


def draw_automaton(rng: np.random.Generator, family: str, most: int = 4) -> GraphFSA:
    """Any automaton: with one state, with no final states or only such, with starting states that are final."""
    num_states = int(rng.choice([1, 2, 2, 3, 3, 3, 4, 4][: 2 * most]))
    aggregation = draw_aggregation(rng, family, num_states)
    final = np.flatnonzero(rng.random(num_states) < rng.choice([0.0, 0.3, 0.3, 0.3, 1.0])).tolist()
    starting = rng.choice(num_states, rng.integers(1, num_states + 1), replace=False).tolist()
    names = [f"s{state}" for state in range(num_states)]
    table = draw_table(rng, aggregation, num_states, final)
    everywhere = not final and rng.random() < 0.8  # Without final states all must be able to start, to be compared.
    return GraphFSA(names, aggregation, table, starting_states=None if everywhere else starting, final_states=final)


def draw_solver(rng: np.random.Generator, family: str, task: Task, extra: int, ordered: bool = False) -> GraphFSA:
    """An automaton with the inputs and classes of a task, its states in any order, or as a learner numbers them."""
    if task.kind == "evolution":
        names, final, starting = list(task.classes), [], None
    else:
        names = [*task.classes, *task.inputs, *(f"s{k}" for k in range(extra))]
        final, starting = list(task.classes), list(task.inputs)
    if not ordered:
        names = [names[k] for k in rng.permutation(len(names))]
    aggregation = draw_aggregation(rng, family, len(names))
    table = draw_table(rng, aggregation, len(names), [names.index(name) for name in final])
    return GraphFSA(names, aggregation, table, starting_states=starting, final_states=final)


def slowed(rng: np.random.Generator, fsa: GraphFSA) -> GraphFSA:
    """The automaton with no answer in the first step, so that it needs its other states to know what it saw."""
    table = fsa.transition_table.copy()
    waiting = [state for state in range(fsa.num_states) if state not in fsa.final_states]
    rows = [state for state in fsa.starting_states if state in waiting]
    # All to the last one: another will not do where an aggregation sees them differently.
    table[rows] = rng.choice(waiting[-1:] if rng.random() < 0.5 else waiting, (len(rows), fsa.num_values))
    return with_table(fsa, table)


def draw_task(rng: np.random.Generator) -> Task:
    """A few inputs and classes, or the states of an evolution."""
    inputs, classes = rng.choice([1, 2, 3], 2, p=[0.4, 0.4, 0.2]).tolist()
    names = tuple(f"c{k}" for k in range(classes))
    if rng.random() < 0.25:
        return Task("drawn", "evolution", names, names)
    return Task("drawn", "classes", tuple(f"i{k}" for k in range(inputs)), names)


def mutated(rng: np.random.Generator, fsa: GraphFSA, number: int) -> GraphFSA:
    """The automaton with some entries drawn again that small graphs use: most are of states in which nodes start."""
    table, machine = fsa.transition_table.copy(), Machine.of(fsa)
    states = [state for state in range(fsa.num_states) if state not in fsa.final_states]
    for _ in range(number if states else 0):
        free = [state for state in states if state in fsa.starting_states and rng.random() < 0.8] or states
        seen = tuple(rng.integers(0, fsa.num_states, rng.integers(0, 3)).tolist())
        slots = tuple(range(len(seen))) if fsa.aggregation.uses_slots else ()
        table[rng.choice(free), machine.value(seen, slots)] = rng.integers(fsa.num_states)
    return with_table(fsa, table)


def with_table(fsa: GraphFSA, table: Any) -> GraphFSA:
    """The automaton with another table."""
    states = {"starting_states": fsa.starting_states, "final_states": fsa.final_states}
    return GraphFSA(fsa.state_names, fsa.aggregation, table, **states)


def with_twins(rng: np.random.Generator, fsa: GraphFSA) -> GraphFSA:
    """The automaton with states that nobody can tell apart, or almost: such are seldom drawn by chance."""
    free = [state for state in range(fsa.num_states) if state not in fsa.final_states]
    if rng.random() < 0.2:  # Nobody looks at others: what counts is when and where each state ends.
        return with_table(fsa, np.tile(fsa.transition_table[:, :1], fsa.num_values))
    if rng.random() < 0.3 and len(free) > 1:  # They do the same, and may look different to others.
        table, pair = fsa.transition_table.copy(), rng.choice(free, 2, replace=False)
        table[pair[0]] = table[pair[1]]
        return with_table(fsa, table)
    if fsa.num_states > 3 or not free:
        return fsa
    twins = rng.choice(free, int(rng.integers(1, 3))).tolist()
    down = [*range(fsa.num_states), *twins]
    twinned = lifted(rng, fsa, seen_as(fsa.aggregation, down), down) or fsa
    return mutated(rng, twinned, int(rng.choice([0, 0, 1])))  # They look the same, and may do something else.


def lifted(rng: np.random.Generator, fsa: GraphFSA, aggregation: Aggregation, down: Sequence[int]) -> GraphFSA | None:
    """An automaton with other states that does the same: ``down`` says for which state of the first each stands.

    Names of starting and final states stay, wherever they are. None if what is seen of the new states does not say
    what would be seen of the old ones.
    """
    old, number = Machine.of(fsa), len(down)
    new = Machine(aggregation, number, {}, (), ())
    if isinstance(aggregation, WrappedCounts) and rng.random() < 0.5:
        # It does the same by what was inherited, and not by what is so: nobody may believe it.
        old.aggregation, new.aggregation = (CountingAggregation(one.bound) for one in (fsa.aggregation, aggregation))
    up = [rng.permutation([k for k in range(number) if down[k] == state]) for state in range(old.num_states)]
    if any(len(places) > 1 for places in (up[state] for state in fsa.final_states)):
        return None
    table = np.tile(np.arange(number)[:, None], aggregation.num_values(number))
    known: dict[tuple[int, int], int] = {}
    for seen, slots in neighbourhoods(tuple(range(number)), *enough(aggregation, number)):
        value, before = new.value(seen, slots), old.value(tuple(down[s] for s in seen), slots)
        for state in range(number):
            after = old.table[down[state], before]
            if known.setdefault((state, value), after) != after:
                return None
            table[state, value] = rng.choice(up[after])
    named = {*fsa.starting_states, *fsa.final_states}
    place = {state: int(up[state][0]) for state in named}
    names = [f"n{k}" for k in range(number)]
    for state in named:
        names[place[state]] = fsa.state_names[state]
    starting, final = ([place[state] for state in states] for states in (fsa.starting_states, fsa.final_states))
    return GraphFSA(names, aggregation, table, starting_states=starting, final_states=final)


def draw_graph(rng: np.random.Generator, slotted: bool, most: int = 4) -> Graph:
    """Any graph: empty, with isolated nodes, self-loops and repeated edges, directed or not."""
    size = int(rng.integers(0, most + 1))
    if slotted:
        chosen = rng.integers(-2, size, (size, 2)) if size else np.empty((0, 2), int)
        arcs = [(int(chosen[v, k]), v, k) for v in range(size) for k in (0, 1) if chosen[v, k] >= 0]
        return Graph.from_edges(size, [arc[:2] for arc in arcs], directed=True, slots=[arc[2] for arc in arcs])
    edges = rng.integers(0, size, (int(rng.integers(0, 2 * size + 1)), 2)) if size else []
    return Graph.from_edges(size, edges, directed=bool(rng.random() < 0.5))


def graph_of(arcs: Arcs) -> Graph:
    """The same graph for the library."""
    flat = [(source, node, slot) for node, seen in enumerate(arcs) for source, slot in seen]
    slots = [slot for *_, slot in flat] if flat and flat[0][2] >= 0 else None
    return Graph.from_edges(len(arcs), [arc[:2] for arc in flat], directed=True, slots=slots)


class Named:
    """An automaton whose inputs and answers are names."""

    def __init__(self, fsa: GraphFSA) -> None:
        self.machine, self.names = Machine.of(fsa), fsa.state_names

    def answers(self, arcs: Arcs, inputs: Sequence[str], steps: int) -> tuple[str | None, ...]:
        """What each node answers after some steps; None for nothing. Without final states the states are answers."""
        last = self.machine.run(arcs, tuple(self.names.index(name) for name in inputs), steps)
        final = self.machine.final
        return tuple(self.names[state] if state in final or not final else None for state in last)


_HIDDEN: dict[str, Named] = {}
"""The automata that label the graphs of tasks, by their digests."""


@dataclass(frozen=True, eq=False)
class HiddenRule(CustomTask):
    """A task whose labels are what a hidden automaton answers; nodes without an answer do not count.

    Attributes:
        rule: Digest of the hidden automaton.
        graphs: The class of graphs.
        inputs: Names of the inputs.
        classes: Names of the classes.
        states: Names of the states of an evolution.
        more: How many more steps than nodes there are.
        least: How many nodes must have the first input.
    """

    rule: str = ""
    graphs: str = "connected"  # pyright: ignore[reportIncompatibleVariableOverride]
    inputs: tuple[str, ...] = ("i0",)  # pyright: ignore[reportIncompatibleVariableOverride]
    classes: tuple[str, ...] = ("c0",)  # pyright: ignore[reportIncompatibleVariableOverride]
    states: tuple[str, ...] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    more: int = 2
    least: int = 0

    @classmethod
    def of(cls, fsa: GraphFSA, task: Task, graphs: str, more: int, least: int) -> HiddenRule:
        """The task of an automaton; those before it are forgotten."""
        _HIDDEN.clear()
        _HIDDEN[fsa.digest] = Named(fsa)
        states = task.classes if task.kind == "evolution" else ()
        names = {"inputs": task.inputs, "classes": task.classes, "states": states}
        return cls(rule=fsa.digest, graphs=graphs, more=more, least=least, **names)

    def label(self, graph: Any, inputs: list[str]) -> list[str | None]:
        """What the hidden automaton answers, by brute force."""
        return list(_HIDDEN[self.rule].answers(plain(graph), inputs, self.steps(graph)))

    def admits(self, graph: Any, inputs: list[str]) -> bool:
        return inputs.count(self.task.inputs[0]) >= self.least

    def steps(self, graph: Any) -> int:
        return 1 if self.states else graph.num_nodes + self.more


ANY, FEW = -1, -2
"""Numbers of steps, see ``draw_labelled``."""


@dataclass(frozen=True)
class Labelled:
    """A graph with names for inputs and labels; None for a node that does not count."""

    arcs: Arcs
    inputs: tuple[str, ...]
    labels: tuple[str | None, ...]
    steps: int


def draw_labelled(
    rng: np.random.Generator, fsa: GraphFSA, task: Task, graphs: Sequence[Arcs], steps: int, noise: float
) -> list[Labelled]:
    """Graphs with random inputs and the answers of an automaton, some of which are replaced or left out.

    After ``steps`` steps; ``ANY`` number of them, often a small one; or as ``FEW`` as the answers take.
    """
    named, found = Named(fsa), list[Labelled]()
    for arcs in graphs:
        inputs = tuple(task.inputs[k] for k in rng.integers(0, len(task.inputs), len(arcs)))
        number = _few_steps(rng, named, arcs, inputs, steps) if steps < 0 else steps
        labels = list(named.answers(arcs, inputs, number))
        for node in np.flatnonzero(rng.random(len(arcs)) < noise).tolist():
            labels[node] = [*task.classes, None][rng.integers(len(task.classes) + 1)]
        found.append(Labelled(arcs, inputs, tuple(labels), number))
    return found


def _few_steps(rng: np.random.Generator, named: Named, arcs: Arcs, inputs: Sequence[str], steps: int) -> int:
    """No more steps than the answers take are what few automata can do with."""
    most = int(rng.integers(0, 5)) if steps == ANY else 5
    if steps == ANY and rng.random() < 0.5:
        return most
    rows = [named.answers(arcs, inputs, number) for number in range(most + 1)]
    return rows.index(rows[-1])


def examples_of(task: Task, graphs: Sequence[Labelled]) -> Examples:
    """The same for the library."""
    inputs = [task.inputs.index(name) for graph in graphs for name in graph.inputs]
    labels = [name for graph in graphs for name in graph.labels]
    return Examples(
        task,
        GraphBatch.of([graph_of(graph.arcs) for graph in graphs]),
        np.array(inputs, int),
        np.array([task.classes.index(name) if name is not None else 0 for name in labels], int),
        mask=np.array([name is not None for name in labels], bool),
        steps=np.array([graph.steps for graph in graphs], int),
    )


def claim(holds: bool, what: str, **facts: Any) -> None:
    """Raise unless something holds, with all that is needed to see it again."""
    if not holds:
        raise AssertionError("\n".join([what, *(f"  {name}: {_words(fact)}" for name, fact in facts.items())]))


def _words(fact: Any) -> str:
    if isinstance(fact, GraphFSA):
        table, states = fact.transition_table.tolist(), (fact.starting_states, fact.final_states)
        return f"{list(fact.state_names)} {fact.aggregation!r} {table}, starting and final {states}"
    if isinstance(fact, Graph):
        return f"arcs (source, slot) of each node {plain(fact)}"
    if isinstance(fact, Examples):
        parts = [(plain(e.graph), e.input_names, e.label_names, e.steps) for e in fact]
        return f"{fact.task} {parts}"
    return repr(fact)
