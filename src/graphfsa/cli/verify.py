"""graphfsa verify: is an automaton right on every small graph?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import (
    check_output,
    count_progress,
    find_automaton,
    find_dataset,
    guarded,
    is_same_file,
    print_json,
    print_rows,
)
from graphfsa.cli._instances import edges_text, graph_facts
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.analysis.verification import Counterexample, Verification


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify_command)


@guarded
def verify_command(
    model: str = typer.Argument(help="A library name (path-finding, rule110, ...) or a .json file."),
    task: str = typer.Option(..., help="Name of a data set: see 'graphfsa data list'."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    max_nodes: int = typer.Option(..., min=1, help="The largest number of nodes."),
    family: str = typer.Option(
        None, help="Class of graphs: path, cycle, tree, connected, row or ring [default: that of the task]."
    ),
    out: str = typer.Option(None, help="Write a certificate to this .json file if all is right."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Check an automaton on every graph of a class up to a size and every input of a task, and print a counterexample.

    Evolutions are compared after one step on all inputs, which proves every number of steps. Exit code 1 means that a
    counterexample was found; none has fewer nodes.
    """
    from graphfsa.analysis.verification import save_certificate, verify
    from graphfsa.datasets._names import check_names

    check_output(out, (".json",))
    if out is not None and is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    dataset = find_dataset(task, option)
    fsa = find_automaton(model)
    dataset.task.check_automaton(fsa)
    check_names(dataset.task, fsa)
    with count_progress("instance") as progress:
        found = verify(fsa, dataset, max_nodes, graph_class=family, progress=progress)
    if out is not None and found.verified:
        save_certificate(found, fsa, dataset, out)
    facts = _facts(found, out if found.verified else None)
    print_json(facts) if as_json else _print(facts, dataset.name)
    if not found.verified:
        raise typer.Exit(1)


def _facts(found: Verification, certificate: str | None) -> dict[str, Any]:
    return {
        "verified": found.verified,
        "family": found.graph_class,
        "max_nodes": found.max_nodes,
        "graphs": found.graphs,
        "instances": found.instances,
        "digest": found.digest,
        "seconds": round(found.seconds, 6),
        "certificate": certificate,
        "counterexample": None if found.counterexample is None else _example(found.counterexample),
    }


def _example(example: Counterexample) -> dict[str, Any]:
    rows = {name: list(getattr(example, name)) for name in ("inputs", "labels", "predictions")}
    return {**graph_facts(example.graph), **rows, "steps": example.steps}


def _print(facts: dict[str, Any], task: str) -> None:
    example = facts["counterexample"]
    rows = {name: value for name, value in facts.items() if name != "counterexample"}
    rows["verified"] = "yes" if facts["verified"] else "no, there is a counterexample"
    for name in ("graphs", "instances"):
        rows[name] = f"{facts[name]:,}"
    rows["certificate"] = facts["certificate"] or "none"
    print_rows(rows)
    if example is None:
        return
    nodes, steps = (
        f"{n} {word}{'s' * (n != 1)}" for n, word in ((example["num_nodes"], "node"), (example["steps"], "step"))
    )
    typer.echo(f"\nwrong on this graph of {nodes} after {steps} of {task}; edges: {edges_text(example)}")
    table = [("node", "input", "label", "answer")]
    columns = zip(example["inputs"], example["labels"], example["predictions"], strict=True)
    table += [
        (str(node), given, wanted or "(any)", got or "(none)") for node, (given, wanted, got) in enumerate(columns)
    ]
    widths = [max(len(row[place]) for row in table) for place in range(4)]
    for place, row in enumerate(table):
        wrong = place > 0 and row[2] not in (row[3], "(any)")
        cells = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        typer.echo(f"  {cells}  {'<- wrong' if wrong else ''}".rstrip())
