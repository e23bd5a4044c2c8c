"""graphfsa suggest: do data determine an automaton, and if not, which graph should be labelled next?"""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, find_data, is_same_file, print_json, print_rows, say
from graphfsa.cli._guard import guarded
from graphfsa.cli._instances import amount, edges_text, graph_facts
from graphfsa.cli._learned import note_untouched
from graphfsa.cli._progress import count_progress
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.analysis.identifiability import Identification, Suggestion
    from graphfsa.automaton import GraphFSA
    from graphfsa.datasets import Task


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("suggest")(suggest_command)


@guarded
def suggest_command(
    model: str = typer.Argument(help="An automaton that fits the data: a library name or a file."),
    data: str = typer.Option(None, help="A .jsonl file of labelled graphs."),
    steps: int = typer.Option(None, min=0, help="With --data: its labels are states after this number of steps."),
    task: str = typer.Option(
        None, help="A data set, or file.py:Class, whose training graphs are drawn [default: the model's own]."
    ),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    seed: int = typer.Option(0, min=0, help="Seed of the training graphs."),
    max_nodes: int = typer.Option(6, min=1, help="The largest number of nodes."),
    graph_class: str = typer.Option(
        None,
        "--family",
        help="Class of graphs: path, cycle, tree, rooted-tree, connected, row or ring "
        "[default: that of the task or data].",
    ),
    count: int = typer.Option(1, min=1, help="The largest number of graphs to suggest."),
    budget: float = typer.Option(60.0, help="Work, in units that take about a second each."),
    seconds: float = typer.Option(None, help="Time limit in seconds [default: none]."),
    out: str = typer.Option(None, help="The .jsonl file to write the suggested graphs to, their labels left out."),
    alternative: str = typer.Option(None, help="The .json file to write the other automaton to."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Say whether labelled graphs determine an automaton, and if not, suggest the smallest graphs to label next.

    Looks for another automaton of the same size that fits all labels, but gives a small graph other answers. If there
    is none, the data determine the answers on all graphs up to that size. Exit code 0 whatever the answer is.
    """
    from graphfsa.analysis import suggest
    from graphfsa.datasets import read_jsonl
    from graphfsa.learners import as_model

    if data is None and steps is not None:
        raise GraphFSAError("--steps goes with --data")
    _check_files(out, alternative, model, data)
    began = perf_counter()
    known, source = as_model(model), find_data(task, option, data)
    fsa = known.automaton
    read = None if data is None else read_jsonl(data, steps=steps)
    if out is not None and known.discretiser is not None:
        raise GraphFSAError("--out writes graphs with inputs to be labelled, and the data of this model have features")
    with count_progress("graph") as progress:
        found = suggest(
            known,
            source if read is None else read.examples if known.discretiser is None else known.labelled(read),
            max_nodes=max_nodes,
            seed=seed,
            graph_class=graph_class,
            count=count,
            budget=budget,
            seconds=seconds,
            progress=lambda done: progress(done, None),
        )
    facts = _facts(found, found.task, perf_counter() - began)
    if alternative is not None and found.alternative is not None:
        found.alternative.save(alternative)
    if out is not None and found.suggestions:
        _write(out, facts["suggestions"], _scalars(found.task, data), read is not None and read.traced)
    note_untouched(out, bool(found.suggestions))
    note_untouched(alternative, found.alternative is not None)
    print_json(facts) if as_json else _print(facts, found, fsa, out, alternative)


def _check_files(out: str | None, alternative: str | None, model: str, data: str | None) -> None:
    check_output(out, (".jsonl",))
    check_output(alternative, (".json",))
    if out is not None and data is not None and is_same_file(out, data):
        raise GraphFSAError(f"--out {out!r} is the data and would be overwritten; choose another file")
    if alternative is not None and is_same_file(alternative, model):
        raise GraphFSAError(f"--alternative {alternative!r} is the model and would be overwritten; choose another file")


def _facts(found: Identification, task: Task, seconds: float) -> dict[str, Any]:
    return {
        "determined": found.determined,
        "checked": found.checked,
        "max_nodes": found.max_nodes,
        "suggestions": [suggestion_facts(suggestion, task) for suggestion in found.suggestions],
        "alternative": None if found.alternative is None else found.alternative.digest,
        "seconds": round(seconds, 3),
    }


def suggestion_facts(suggestion: Suggestion, task: Task) -> dict[str, Any]:
    """A graph to be labelled, for machines."""
    return {
        **graph_facts(suggestion.graph),
        "inputs": [task.inputs[number] for number in suggestion.inputs],
        "steps": suggestion.steps,
        "answers": [[None if k < 0 else task.classes[k] for k in side] for side in suggestion.answers],
    }


def _scalars(task: Task, data: str | None) -> dict[str, Any]:
    """How each input is written: as in the file, so that the suggested lines can be added to it."""
    from graphfsa.datasets import scalars_of

    written: dict[str, Any] = dict(
        zip(task.inputs, scalars_of(task.inputs, one_kind=task.kind == "evolution"), strict=True)
    )
    if data is not None:
        for line in Path(data).read_text("utf-8-sig").split("\n"):
            row: dict[str, Any] = json.loads(line) if line.strip() else {}
            written |= {str(value): value for value in chain(row.get("inputs", []), *row.get("trace", []))}
    return written


def _write(out: str, suggestions: list[dict[str, Any]], written: dict[str, Any], traced: bool) -> None:
    """Lines like those of the data, with an empty list where the labels belong: unfilled, they are refused."""
    from graphfsa.files import atomic_write

    lines: list[str] = []
    for suggestion in suggestions:
        given = [written[name] for name in suggestion["inputs"]]
        graph = {key: value for key, value in suggestion.items() if key not in ("inputs", "steps", "answers")}
        asked = {"trace": [given, []]} if traced else {"inputs": given, "steps": suggestion["steps"], "labels": []}
        lines.append(json.dumps({**graph, **asked}) + "\n")
    atomic_write(out, "".join(lines))


def _print(
    facts: dict[str, Any], found: Identification, fsa: GraphFSA, out: str | None, alternative: str | None
) -> None:
    size = f"{fsa.num_states} states and {fsa.aggregation.name} aggregation"
    words = {
        True: f"yes: whatever fits them with {size} gives the same answers up to {found.max_nodes} nodes",
        False: f"no: another automaton with {size} fits them too",
        None: "not found out within the budget",
    }
    rows: dict[str, Any] = {
        "determined by the data": words[found.determined],
        "checked": f"{found.checked:,} graphs with inputs that are not in the data; all up to {found.max_nodes} nodes",
    }
    if found.alternative is not None and alternative is not None:
        rows["the other one"] = f"written to {alternative}"
    if found.suggestions and out is not None:
        rows["suggestions"] = f"written to {out}; fill in their labels"
    print_rows(rows | {"seconds": facts["seconds"]})
    if found.suggestions:
        say("\nlabels of these graphs would tell the two apart:")
    for suggestion in facts["suggestions"]:
        print_suggestion(suggestion)


def print_suggestion(suggestion: dict[str, Any]) -> None:
    """A graph to be labelled, for people."""
    nodes, steps = amount(suggestion["num_nodes"], "node"), amount(suggestion["steps"], "step")
    say(f"  {nodes}, {steps}, edges {edges_text(suggestion)}")
    for what, names in zip(("inputs", "model", "other"), (suggestion["inputs"], *suggestion["answers"]), strict=True):
        say(f"    {what}  " + " ".join(f"{k}:{'(none)' if n is None else n}" for k, n in enumerate(names)))
