"""graphfsa compare: whether two automata give the same answers."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import print_json, print_rows
from graphfsa.cli._guard import guarded
from graphfsa.cli._instances import edges_text, graph_facts

if TYPE_CHECKING:
    from graphfsa.analysis.equivalence import Comparison, Difference
    from graphfsa.automaton import GraphFSA


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare_command)


@guarded
def compare_command(
    a: str = typer.Argument(help="A library name or a file."),
    b: str = typer.Argument(help="Another, with the same numbers of starting and final states."),
    graph_class: str = typer.Option(
        None,
        "--family",
        help="Class of the graphs: path, cycle, tree, rooted-tree, connected, row or ring [default: that of the "
        "models' task, or tree].",
    ),
    max_nodes: int = typer.Option(8, min=1, help="The largest number of nodes."),
    steps: int = typer.Option(None, min=0, help="Compare after exactly this number of steps [default: in the end]."),
    where_answered: bool = typer.Option(False, help="Nodes for which A has no answer do not count."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Compare two automata on all small graphs of a class, from all inputs.

    If they are the same up to the names of their states, no graph is run. Otherwise the smallest graph on which they
    differ is shown. Exit code 0 if they agree, 1 if they differ.
    """
    from graphfsa.analysis import compare
    from graphfsa.learners import as_model

    began = perf_counter()
    first, second = as_model(a), as_model(b)
    found = compare(
        first, second, graph_class=graph_class, max_nodes=max_nodes, steps=steps, where_answered=where_answered
    )
    facts: dict[str, Any] = {
        "equivalent": found.equivalent,
        "by": found.by,
        "checked": found.checked,
        "graph_class": found.graph_class,
        "max_nodes": max_nodes,
        "distinguishing_graph": None if found.distinguishing is None else _graph_facts(found.distinguishing),
        "seconds": round(perf_counter() - began, 3),
    }
    if as_json:
        print_json(facts)
    else:
        _print_words(facts, found, first.automaton)
    if not found.equivalent:
        raise typer.Exit(1)


def _graph_facts(found: Difference) -> dict[str, Any]:
    """The graph as in a .jsonl file; inputs and answers are numbers of starting and final states, null for none."""
    answers = [[None if answer < 0 else answer for answer in side] for side in found.answers]
    return graph_facts(found.graph) | {"inputs": list(found.inputs), "answers": answers, "steps": found.steps}


def _print_words(facts: dict[str, Any], comparison: Comparison, fsa: GraphFSA) -> None:
    everywhere = comparison.by == "renaming"
    where = (
        "all graphs" if everywhere else f"graphs of the class {facts['graph_class']} up to {facts['max_nodes']} nodes"
    )
    rows: dict[str, Any] = {
        "equivalent": f"{'yes' if comparison.equivalent else 'no'}, on {where}",
        "by": comparison.by,
        "checked": f"{comparison.checked:,} graphs with inputs",
        "seconds": facts["seconds"],
    }
    found = comparison.distinguishing
    if found is not None:
        names = fsa.state_names
        shown = [names[state] for state in fsa.final_states or range(fsa.num_states)]
        rows["nodes"] = found.graph.num_nodes
        rows["edges"] = edges_text(facts["distinguishing_graph"])
        rows["inputs"] = ", ".join(names[fsa.starting_states[place]] for place in found.inputs)
        for side, answers in zip("AB", found.answers, strict=True):
            rows[f"answers of {side}"] = ", ".join("-" if answer < 0 else shown[answer] for answer in answers)
        rows["after steps"] = found.steps
    print_rows(rows)
