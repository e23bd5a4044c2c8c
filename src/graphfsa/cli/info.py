"""graphfsa info: what an automaton, a network or a graph is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import (
    check_picture,
    find_automaton,
    find_graph,
    generators,
    guarded,
    is_file,
    print_json,
    print_rows,
    shown_name,
)
from graphfsa.errors import GraphFSAError, UnknownNameError

if TYPE_CHECKING:
    from graphfsa.automaton import GraphFSA
    from graphfsa.graphs import Graph

_MAX_ENTRIES = 512


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("info")(info_command)


@guarded
def info_command(
    subject: str = typer.Argument(
        help="A library automaton, FAMILY:ARGS, or a file: an automaton, a graph, a network, a soft table, a "
        "history.jsonl."
    ),
    seed: int = typer.Option(0, min=0, help="Seed of random graphs."),
    draw: str = typer.Option(None, help="Draw a soft table or the history of a training to this .png or .svg file."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Describe an automaton (with its table, if it is small), a graph, a network, or a soft table and its doubts.

    Or how a training goes: the file history.jsonl in the directory of its checkpoint, also while it is running.
    """
    check_picture(draw)
    if subject.lower().endswith(".safetensors"):
        from graphfsa.files import tensors_schema
        from graphfsa.learners.diff_fsa._soft import SCHEMA

        describe = _soft if tensors_schema(subject) == SCHEMA else _network
        describe(subject, draw, as_json=as_json)
        return
    if subject.lower().endswith(".jsonl"):
        _history(subject, draw, as_json=as_json)
        return
    if draw is not None:
        raise GraphFSAError("--draw goes with a soft table (.safetensors) or the history of a training (.jsonl)")
    found = _find(subject, seed)
    from graphfsa.graphs import Graph

    if isinstance(found, Graph):
        facts = _graph_facts(found)
        print_json(facts) if as_json else print_rows(facts)
    elif as_json:
        print_json(_automaton_facts(found))
    else:
        print_rows({name: _word(value) for name, value in _automaton_facts(found).items()})
        print_table(found)


def _history(path: str, draw: str | None, *, as_json: bool) -> None:
    from graphfsa.learners.diff_fsa._checkpoint import read_history

    history = read_history(path)
    if draw is not None:
        from graphfsa.views.learning import draw_history

        draw_history(history, draw, title=f"Training in {Path(path).resolve().parent.name}")
    facts = {"looks": len(history), **history[-1]}
    print_json(facts) if as_json else print_rows({name: _word(value) for name, value in facts.items()})


def _soft(path: str, draw: str | None, *, as_json: bool) -> None:
    from graphfsa.cli._learn_diff import undecided_facts, undecided_rows
    from graphfsa.learners.diff_fsa import SoftModel

    soft = SoftModel.load(path)
    if draw is not None:
        from graphfsa.views.entries import draw_soft

        draw_soft(soft, draw, title=f"Probabilities of the successors in {shown_name(path)}")
    facts = {
        "states": list(soft.state_names),
        "aggregation": soft.aggregation.config(),
        "entries": int(soft.trained.sum()) * len(soft.state_names),
        **undecided_facts(soft),
    }
    if as_json:
        print_json(facts)
        return
    print_rows({name: _word(value) for name, value in facts.items() if name != "undecided"})
    undecided_rows(facts, limit=50)


def _network(path: str, draw: str | None, *, as_json: bool) -> None:
    from graphfsa.learners import load_model

    if draw is not None:
        raise GraphFSAError("--draw goes with a soft table or the history of a training (.jsonl), not with a network")
    found = load_model(path)
    task = found.task
    facts: dict[str, Any] = {
        "learner": found.learner.name,
        "options": found.learner.options(),
        "task": task.name,
        "kind": task.kind,
        "inputs": list(task.inputs),
        "classes": list(task.classes),
        "weights": found.num_weights,
        "epochs": found.epochs,
        "updates": found.updates,
        "train_accuracy": found.train_accuracy,
        "validation_accuracy": found.validation_accuracy,
        "interrupted": found.interrupted,
        "seconds": round(found.seconds, 3),
        "digest": found.digest,
    }
    print_json(facts) if as_json else print_rows({name: _word(value) for name, value in facts.items()})


def _find(subject: str, seed: int) -> GraphFSA | Graph:
    from graphfsa.automaton import library
    from graphfsa.graphs import families

    (rng,) = generators(seed, 1)
    if Path(subject).suffix.lower() in (".edges", ".txt") or subject.partition(":")[0] in families.family_names():
        return find_graph(subject, rng)
    if subject.lower().endswith(".rules"):
        return find_automaton(subject)
    named = subject.lower().endswith(".json")
    if named or (is_file(subject) and not _is_library(subject)):
        from graphfsa.files import read_json

        data = read_json(subject)
        is_graph = isinstance(data, dict) and str(data.get("schema")).startswith("graphfsa.graph/")
        return find_graph(subject, rng) if is_graph else find_automaton(subject)
    try:
        return library.library_automaton(subject)
    except UnknownNameError:
        names = [
            *library.library_names(),
            *(f"{name}:{families.family_usage(name)}" for name in families.family_names()),
        ]
        raise GraphFSAError(f"unknown automaton or graph {subject!r}; a file, or one of: {', '.join(names)}") from None


def _is_library(name: str) -> bool:
    from graphfsa.automaton import library

    try:
        library.library_automaton(name)
    except GraphFSAError:
        return False
    return True


def _automaton_facts(fsa: GraphFSA) -> dict[str, Any]:
    names = fsa.state_names
    return {
        "states": list(names),
        "starting_states": [names[state] for state in fsa.starting_states],
        "final_states": [names[state] for state in fsa.final_states],
        "aggregation": fsa.aggregation.config(),
        "values": fsa.num_values,
        "entries": fsa.transition_table.size,
        "digest": fsa.digest,
    }


def _graph_facts(graph: Graph) -> dict[str, Any]:
    facts: dict[str, Any] = {"nodes": graph.num_nodes, "arcs": graph.num_arcs}
    if graph.lattice is not None:
        lattice = graph.lattice
        facts |= {"lattice": lattice.kind, "height": lattice.height, "width": lattice.width, "torus": lattice.torus}
    if graph.num_arcs <= 1 << 27:
        degrees = graph.degrees
        facts["smallest_degree"] = int(degrees.min()) if len(degrees) else 0
        facts["largest_degree"] = int(degrees.max()) if len(degrees) else 0
        facts |= {"symmetric": graph.symmetric, "slots": graph.num_slots, "digest": graph.digest}
    return facts


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return ", ".join(value) or "none" if isinstance(value, list) else str(value)


def print_table(fsa: GraphFSA) -> None:
    """Print the table of an automaton, one line for each value, unless it is large."""
    if fsa.transition_table.size > _MAX_ENTRIES:
        typer.echo(f"\nThe table has {fsa.transition_table.size:,} entries; not shown.")
        return
    values = [fsa.aggregation.decode(value, fsa.state_names) for value in range(fsa.num_values)]
    columns = [["neighbours", *values]]
    columns += [
        [f"{name} ->", *(fsa.state_names[s] for s in row)]
        for name, row in zip(fsa.state_names, fsa.transition_table, strict=True)
    ]
    widths = [max(map(len, column)) for column in columns]
    typer.echo("")
    for line in zip(*columns, strict=True):
        typer.echo("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())
