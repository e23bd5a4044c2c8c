"""Labelled graphs for people and for machines: as a few lines, and as in a .jsonl file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphfsa.cli._common import say

if TYPE_CHECKING:
    from graphfsa.analysis.verification import Counterexample
    from graphfsa.datasets import Example, Task
    from graphfsa.graphs import Graph

_MAX_EDGES = 60


def graph_facts(graph: Graph) -> dict[str, Any]:
    """A graph as in a .jsonl file: num_nodes, edges, and directed and slots where they matter."""
    arcs = [[int(u), int(v)] for u, v in zip(graph.indices, graph.targets(), strict=True)]
    facts: dict[str, Any] = {"num_nodes": graph.num_nodes, "edges": arcs}
    if graph.symmetric and graph.slots is None:
        facts["edges"] = [pair for pair in arcs if pair[0] <= pair[1]]
        return facts
    facts["directed"] = True
    if graph.slots is not None:
        facts["slots"] = graph.slots.tolist()
    if graph.kinds is not None:
        facts["kinds"] = list(graph.kinds)
    return facts


def instance_facts(example: Example, task: Task) -> dict[str, Any]:
    """A labelled graph as in a .jsonl file; the label of a node that does not count is null."""
    labels = zip(example.labels.tolist(), example.mask.tolist(), strict=True)
    return {
        **graph_facts(example.graph),
        "inputs": [task.inputs[number] for number in example.inputs.tolist()],
        "labels": [task.classes[number] if counts else None for number, counts in labels],
        "steps": example.steps,
    }


def edges_text(facts: dict[str, Any]) -> str:
    """The edges of a graph on one line."""
    joint = ">" if "directed" in facts else "-"
    pairs = [f"{u}{joint}{v}" for u, v in facts["edges"]]
    if "slots" in facts:
        kinds = facts.get("kinds")
        marks = facts["slots"] if kinds is None else [kinds[slot] for slot in facts["slots"]]
        pairs = [f"{pair}:{mark}" for pair, mark in zip(pairs, marks, strict=True)]
    text = " ".join(pairs[:_MAX_EDGES]) or "none"
    return text + (f" and {len(pairs) - _MAX_EDGES} more" if len(pairs) > _MAX_EDGES else "")


def print_instance(facts: dict[str, Any]) -> None:
    """A labelled graph on two or three lines."""
    nodes, steps = (amount(facts[key], word) for key, word in (("num_nodes", "node"), ("steps", "step")))
    say(f"  {nodes}, {steps}, edges {edges_text(facts)}")
    say(f"    inputs  {_row(facts['inputs'])}")
    say(f"    labels  {_row(facts['labels'])}")


def counterexample_facts(example: Counterexample) -> dict[str, Any]:
    """A graph on which an automaton is wrong, as JSON values."""
    rows = {name: list(getattr(example, name)) for name in ("inputs", "labels", "predictions")}
    return {**graph_facts(example.graph), **rows, "steps": example.steps}


def print_counterexample(example: dict[str, Any], whose: str = "") -> None:
    """The same as a table with a row for each node."""
    nodes, steps = amount(example["num_nodes"], "node"), amount(example["steps"], "step")
    say(f"wrong on this graph of {nodes} after {steps}{whose}; edges: {edges_text(example)}")
    table = [("node", "input", "label", "answer")]
    columns = zip(example["inputs"], example["labels"], example["predictions"], strict=True)
    table += [
        (str(node), given, wanted or "(any)", got or "(none)") for node, (given, wanted, got) in enumerate(columns)
    ]
    widths = [max(len(row[place]) for row in table) for place in range(4)]
    for place, row in enumerate(table):
        wrong = place > 0 and row[2] not in (row[3], "(any)")
        cells = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        say(f"  {cells}  {'<- wrong' if wrong else ''}".rstrip())


def graph_word(graph_class: str) -> str:
    """What to call one graph of a class."""
    if graph_class in ("path", "cycle", "tree", "row", "ring"):
        return graph_class
    return {"rooted-tree": "rooted tree", "connected": "graph", "directed": "directed graph"}.get(graph_class, "board")


def _row(names: Sequence[str | None]) -> str:
    return " ".join(f"{node}:{name if name is not None else '(any)'}" for node, name in enumerate(names))


def amount(number: int, word: str) -> str:
    """A number and a noun: 1 node, 2 nodes."""
    return f"{number} {word}{'s' * (number != 1)}"
