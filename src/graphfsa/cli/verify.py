"""graphfsa verify: is an automaton right on every small graph?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, find_data, is_same_file, print_json, print_rows, say
from graphfsa.cli._guard import guarded
from graphfsa.cli._instances import counterexample_facts, print_counterexample
from graphfsa.cli._progress import count_progress
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.analysis.verification import Verification


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify_command)


@guarded
def verify_command(
    model: str = typer.Argument(help="A library name (path-finding, rule110, ...) or a file."),
    task: str = typer.Option(None, help="Name of a data set, or file.py:Class [default: the model's own]."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    data: str = typer.Option(
        None, help="Instead of a task: a .jsonl file of labelled graphs, all of which are checked."
    ),
    steps: int = typer.Option(None, min=0, help="With --data: its labels are states after this number of steps."),
    max_nodes: int = typer.Option(6, min=1, help="The largest number of nodes."),
    graph_class: str = typer.Option(
        None, help="Class of graphs: path, cycle, tree, connected, row or ring [default: that of the task]."
    ),
    out: str = typer.Option(None, help="Write a certificate to this .json file if all is right."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Check an automaton on every small graph of a class and every input of a task.

    Check all of them up to a size, and print a counterexample if there is one: none has fewer nodes, and the exit code
    is 1. Evolutions are compared after one step on all inputs, which proves every number of steps.
    """
    from graphfsa.analysis import save_certificate, verify
    from graphfsa.learners import as_model

    check_output(out, (".json",))
    if out is not None and is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    if out is not None and data is not None:
        raise GraphFSAError("--out goes with a task: a certificate is about all graphs of a class")
    known, source = as_model(model), find_data(task, option, data)
    with count_progress("instance") as progress:
        found = verify(known, source, max_nodes, graph_class=graph_class, steps=steps, progress=progress)
    if out is not None and found.verified:
        save_certificate(found, known, out, source)
    facts = _facts(found, out if found.verified else None)
    name = data or (known.load_dataset() if source is None else source).name
    print_json(facts) if as_json else _print(facts, name, asked=out is not None)
    if not found.verified:
        raise typer.Exit(1)


def _facts(found: Verification, certificate: str | None) -> dict[str, Any]:
    return {
        "verified": found.verified,
        "graph_class": found.graph_class,
        "max_nodes": found.max_nodes,
        "graphs": found.graphs,
        "instances": found.instances,
        "digest": found.digest,
        "seconds": round(found.seconds, 6),
        "certificate": certificate,
        "counterexample": None if found.counterexample is None else counterexample_facts(found.counterexample),
    }


def _print(facts: dict[str, Any], task: str, *, asked: bool) -> None:
    example = facts["counterexample"]
    rows = {name.replace("_", " "): value for name, value in facts.items() if name != "counterexample"}
    rows["verified"] = "yes" if facts["verified"] else "no, there is a counterexample"
    for name in ("graphs", "instances"):
        rows[name] = f"{facts[name]:,}"
    if asked:
        rows["certificate"] = facts["certificate"] or "none"
    else:
        del rows["certificate"]
    print_rows(rows)
    if example is None:
        return
    say()
    print_counterexample(example, f" of {task}")
