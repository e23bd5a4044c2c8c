"""Certificates that no automaton of a size fits some graphs, and a checker that shares no code with the learner.

If the number of states does not matter, two nodes with different labels are found that look the same for too long: by
colour refinement in plain Python. Otherwise all roll-outs of all tables are written as clauses, one by one and without
any shortcut, and a solver that the learner does not use must find no solution.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from graphfsa.aggregations import Aggregation, CountingAggregation, aggregation_from_config
from graphfsa.analysis.certificates import Check, read_certificate, write_certificate
from graphfsa.datasets import Examples, Task, examples_from, lines_of
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError, LimitError
from graphfsa.files import PathLike
from graphfsa.search.proof import Impossibility

KIND = "impossibility"
_MAX_CLAUSES = 4_000_000
_MAX_LOOKS = 10_000_000


class Node(NamedTuple):
    """One node: its neighbours with their slots, its input class, and its label or None."""

    neighbours: tuple[tuple[int, int], ...]
    given: int
    label: int | None


def check_impossibility(claim: Impossibility) -> Check:
    """Check from scratch that no automaton of the claimed size fits the graphs of a certificate.

    Raises:
        LimitError: The graphs have too many neighbourhoods to be written out.
    """
    examples = claim.examples
    if claim.aggregation is not None and claim.aggregation.uses_slots:
        try:
            examples = examples.seen_by(claim.aggregation)
        except GraphFSAError as error:
            return Check(False, f"the aggregation can't see these graphs: {error}")
    graphs = [(_nodes(examples, place), int(steps)) for place, steps in enumerate(examples.steps)]
    if claim.num_states is None:
        return _check_colours(graphs, claim.aggregation, claim.examples.task)
    if claim.aggregation is None:
        return Check(False, "a certificate for a number of states must say how nodes see their neighbours")
    try:
        claim.aggregation.num_values(claim.num_states)
    except AutomatonError as error:
        return Check(False, f"there are no such automata: {error}")
    return _check_clauses(graphs, claim.examples.task, claim.aggregation, claim.num_states)


def save_impossibility(claim: Impossibility, path: PathLike) -> None:
    """Write a certificate to a JSON file, atomically."""
    task = claim.examples.task
    content: dict[str, Any] = {
        "task": task.config(),
        "num_states": claim.num_states,
        "aggregation": None if claim.aggregation is None else claim.aggregation.config(),
        "minimal": claim.minimal,
        "graphs": [json.loads(line) for line in lines_of(claim.examples)],
    }
    write_certificate(path, KIND, content)


def load_impossibility(path: PathLike) -> Impossibility:
    """Read a certificate.

    Raises:
        FormatError: The file is no certificate of an impossibility; the message names the field.
    """
    data = read_certificate(path, KIND)
    number, aggregation = data.get("num_states"), data.get("aggregation")
    if number is not None and (type(number) is not int or not 1 <= number <= 256):
        raise FormatError(f"{path}: field 'num_states' must be an integer from 1 to 256, or null; got {number!r}")
    for field, kinds in (("task", (dict,)), ("aggregation", (dict, type(None)))):
        if field not in data or type(data[field]) not in kinds:
            raise FormatError(f"{path}: field {field!r} must be an object{' or null' * (len(kinds) > 1)}")
    graphs = data.get("graphs")
    if type(graphs) is not list or not graphs:
        raise FormatError(f"{path}: field 'graphs' must be a list of at least one graph")
    try:
        task = Task.from_config(data["task"])
        seen = None if aggregation is None else aggregation_from_config(aggregation)
        examples = examples_from(graphs, task, f"{path}: graphs")
    except GraphFSAError as error:
        where = "" if str(error).startswith(str(path)) else f"{path}: "
        raise FormatError(f"{where}{error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"{path}: field 'task' or 'aggregation' is malformed: {error}") from None
    return Impossibility(examples, seen, number, data.get("minimal") is True)


def _nodes(examples: Examples, place: int) -> list[Node]:
    example = next(iter(examples.select([place])))
    graph = example.graph
    nodes: list[Node] = []
    for node in range(graph.num_nodes):
        arcs = range(int(graph.indptr[node]), int(graph.indptr[node + 1]))
        seen = tuple((int(graph.indices[arc]), 0 if graph.slots is None else int(graph.slots[arc])) for arc in arcs)
        label = int(example.labels[node]) if example.mask[node] else None
        nodes.append(Node(seen, int(example.inputs[node]), label))
    return nodes


def _check_colours(graphs: list[tuple[list[Node], int]], aggregation: Aggregation | None, task: Task) -> Check:
    """Look for a node that still looks like one with another label when its own is due."""
    colours = [[node.given for node in nodes] for nodes, _ in graphs]
    kinds, stable = -1, False
    looks = sum(1 + len(node.neighbours) for nodes, _ in graphs for node in nodes)
    for step in range(max((steps for _, steps in graphs), default=0) + 1):
        if step * looks > _MAX_LOOKS:
            raise LimitError(
                f"to check this takes more than {_MAX_LOOKS:,} looks at a node or neighbour; after {step} steps with "
                f"{looks:,} of them, some nodes can still not be told apart"
            )
        labels = _labels(graphs, colours, task)
        for place, (nodes, steps) in enumerate(graphs):
            for number, node in enumerate(nodes):
                if node.label is None or (steps < step if stable else steps != step):
                    continue
                alike = labels[colours[place][number], steps if task.kind == "evolution" else None]
                twin = next((where for label, where in alike.items() if label != node.label), None)
                if twin is not None:
                    first, second = _called(number, place, graphs), _called(twin[1], twin[0], graphs)
                    what = f"{first} must be {task.classes[node.label]} after {steps} steps"
                    other = f"{second}, which has another label, looks the same until then"
                    return Check(True, f"{what}, but {other}")
        if stable:
            break  # What looks the same now does so for ever, however many steps are left.
        names: dict[Any, int] = {}
        colours = [
            [names.setdefault(_colour(nodes, node, before, aggregation), len(names)) for node in range(len(nodes))]
            for (nodes, _), before in zip(graphs, colours, strict=True)
        ]
        kinds, stable = len(names), len(names) == kinds
    return Check(False, "every node can be told apart from nodes with other labels before its label is due")


def _called(node: int, place: int, graphs: list[tuple[list[Node], int]]) -> str:
    """A node by its number, and that of its graph if there are several."""
    return f"node {node}" if len(graphs) == 1 else f"node {node} of graph {place}"


def _colour(nodes: list[Node], node: int, before: list[int], aggregation: Aggregation | None) -> Any:
    # Who extends counting and changes what is seen may see beyond the bound.
    bound = None
    if isinstance(aggregation, CountingAggregation) and type(aggregation).encode is CountingAggregation.encode:
        bound = aggregation.bound
    slots = aggregation is None or aggregation.uses_slots
    seen = Counter((before[source], slot if slots else 0) for source, slot in nodes[node].neighbours)
    amounts = {key: count if bound is None else min(bound, count) for key, count in seen.items()}
    return before[node], tuple(sorted(amounts.items()))


def _labels(
    graphs: list[tuple[list[Node], int]], colours: list[list[int]], task: Task
) -> dict[tuple[int, int | None], dict[int, tuple[int, int]]]:
    """For each colour, the first node of each label; by steps where a label holds only after these."""
    found: dict[tuple[int, int | None], dict[int, tuple[int, int]]] = {}
    for place, (nodes, steps) in enumerate(graphs):
        for number, node in enumerate(nodes):
            if node.label is not None:
                key = colours[place][number], steps if task.kind == "evolution" else None
                found.setdefault(key, {}).setdefault(node.label, (place, number))
    return found


def _check_clauses(
    graphs: list[tuple[list[Node], int]], task: Task, aggregation: Aggregation, num_states: int
) -> Check:
    from pysat.solvers import Solver

    num_final = len(task.classes) if task.kind == "classes" else 0
    if num_states < num_final + len(task.inputs):
        return Check(False, f"{num_states} states are too few for the classes and inputs: that proves nothing")
    # The power of a hub is cut where it is too large anyway: it may have more digits than can be written.
    cost = sum(
        steps * num_states ** min(len(node.neighbours) + 2, _MAX_CLAUSES.bit_length())
        for nodes, steps in graphs
        for node in nodes
    )
    if cost > _MAX_CLAUSES:
        raise LimitError(
            f"to check this takes more than {_MAX_CLAUSES:,} clauses; their number grows with the steps, and as "
            f"{num_states}^d with the degrees d"
        )
    with Solver(name="cadical195") as solver:
        for clause in _clauses(graphs, aggregation, num_states, num_final):
            solver.add_clause(clause)
        if _solved(solver):
            return Check(False, f"some automaton with {num_states} states fits all of these graphs")
    return Check(True, f"a solver finds no table with {num_states} states that fits all {len(graphs)} graphs")


def _solved(solver: Any) -> bool:
    """Whether there is a solution; the solver has an error of its own for an interruption from the keyboard."""
    try:
        return solver.solve()
    except Exception as error:
        if "keyboard interrupt" in str(error):
            raise KeyboardInterrupt from None
        raise


def _clauses(
    graphs: list[tuple[list[Node], int]], aggregation: Aggregation, num_states: int, num_final: int
) -> Iterator[list[int]]:
    """All that must hold; variables are numbered as they are met."""
    numbers: dict[Any, int] = {}
    entries: set[tuple[int, int]] = set()

    def of(*what: Any) -> int:
        return numbers.setdefault(what, len(numbers) + 1)

    for place, (nodes, steps) in enumerate(graphs):
        for number, node in enumerate(nodes):
            yield [of(place, 0, number, num_final + node.given)]
            if node.label is not None:
                yield [of(place, steps, number, node.label)]
            for step in range(steps + 1):
                yield from _one_of([of(place, step, number, state) for state in range(num_states)])
                if step == steps:
                    continue
                for states in product(range(num_states), repeat=len(node.neighbours)):
                    value = aggregation.encode(states, [slot for _, slot in node.neighbours], num_states)
                    if any(
                        states[a] != states[b] and node.neighbours[a] == node.neighbours[b]
                        for a in range(len(states))
                        for b in range(a)
                    ):
                        continue  # The same neighbour twice can't be in two states.
                    unless = [
                        -of(place, step, source, state)
                        for (source, _), state in zip(node.neighbours, states, strict=True)
                    ]
                    for state in range(num_states):
                        case = [-of(place, step, number, state), *unless]
                        if state < num_final:
                            yield [*case, of(place, step + 1, number, state)]
                            continue
                        entries.add((state, value))
                        for successor in range(num_states):
                            leads = of("table", state, value, successor)
                            yield [*case, -leads, of(place, step + 1, number, successor)]
    for state, value in sorted(entries):
        yield from _one_of([of("table", state, value, successor) for successor in range(num_states)])


def _one_of(literals: list[int]) -> Iterator[list[int]]:
    yield literals
    for place, literal in enumerate(literals):
        for other in literals[:place]:
            yield [-literal, -other]
