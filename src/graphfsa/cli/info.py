"""graphfsa info: what an automaton, a network or a graph is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from graphfsa.cli._common import check_picture, generators, print_json, print_rows, say, shown_name
from graphfsa.cli._guard import guarded
from graphfsa.cli._instances import amount
from graphfsa.cli._learned import print_undecided, soft_facts
from graphfsa.errors import GraphFSAError
from graphfsa.files import is_file
from graphfsa.interrupts import interruptible

if TYPE_CHECKING:
    from graphfsa.aggregations import Aggregation
    from graphfsa.automaton import GraphFSA
    from graphfsa.graphs import Graph
    from graphfsa.learners import Model

_MAX_ENTRIES = 512


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("info")(info_command)


@guarded
def info_command(
    subject: str = typer.Argument(
        help="A library automaton, FAMILY:ARGS, or a file: an automaton, a graph, a network, a certificate, a soft "
        "table, a history.jsonl."
    ),
    seed: int = typer.Option(0, min=0, help="Seed of random graphs."),
    draw: str = typer.Option(
        None, help="Draw a soft table or the history of a training to this .png, .svg or .pdf file."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Describe an automaton (with its table, if it is small), a graph, a network, or a soft table and its doubts.

    Or how a training goes: the file history.jsonl in the directory of its checkpoint, also while it is running.
    """
    check_picture(draw)
    if subject.lower().endswith(".safetensors"):
        from graphfsa.files import tensors_schema
        from graphfsa.learners import SoftTable

        describe = _soft if tensors_schema(subject) == SoftTable.schema else _network
        describe(subject, draw, as_json=as_json)
        return
    if subject.lower().endswith(".jsonl"):
        _history(subject, draw, as_json=as_json)
        return
    if draw is not None:
        raise GraphFSAError("--draw goes with a soft table (.safetensors) or the history of a training (.jsonl)")
    if _is_certificate(subject):
        facts = _certificate_facts(subject)
        print_json(facts) if as_json else print_rows({name: _word(value) for name, value in facts.items()})
        return
    found = _find(subject, seed)
    from graphfsa.graphs import Graph

    if isinstance(found, Graph):
        facts = interruptible(lambda: _graph_facts(found))
        print_json(facts) if as_json else print_rows(facts)
        return
    facts = {**_automaton_facts(found.automaton), **_origin(found)}
    if as_json:
        print_json(facts)
    else:
        fsa = found.automaton
        facts["aggregation"] = _seen(fsa.aggregation, fsa.state_names)
        if facts.get("counterexamples"):
            facts["counterexamples"] = _sizes_word(facts["counterexamples"])
        print_rows({name: _word(value) for name, value in facts.items() if value is not None})
        print_table(fsa)


def _is_certificate(subject: str) -> bool:
    """Whether this is a file with a certificate, good or bad."""
    from graphfsa.analysis.certificates import SCHEMA
    from graphfsa.files import read_json

    if not (subject.lower().endswith(".json") and is_file(subject)):
        return False
    data = read_json(subject)
    return isinstance(data, dict) and data.get("schema") == SCHEMA


def _certificate_facts(path: str) -> dict[str, Any]:
    """What a certificate claims, how, and how large it is; nothing is checked."""
    from graphfsa.analysis.certificates import read_certificate
    from graphfsa.proofs import certificate_kind

    kind = certificate_kind(path)
    data = read_certificate(path, kind)
    names = (
        *("claim", "method", "specification", "graph_class", "source", "task", "num_states", "aggregation"),
        *("max_nodes", "instances", "verified", "automaton", "digest", "version"),
    )
    facts: dict[str, Any] = {"certificate": kind}
    facts |= {name: data[name] for name in names if data.get(name) is not None}
    parts = data.get("facts")
    if isinstance(parts, dict):
        facts["facts"] = {name: _size(part) for name, part in cast(dict[str, Any], parts).items()}
    if isinstance(data.get("graphs"), list):
        facts["graphs"] = len(data["graphs"])
    facts["bytes"] = Path(path).stat().st_size
    return facts | {"to check it": f"graphfsa check {path}{'' if kind == 'impossibility' else ' MODEL'}"}


def _size(part: Any) -> Any:
    """A number as it is; of a list, how many parts it has, and they themselves if they are lists."""
    if not isinstance(part, list):
        return part if isinstance(part, int | float | str | bool | None) else len(part)
    parts = cast(list[Any], part)
    return [len(inner) for inner in parts] if all(isinstance(inner, list) for inner in parts) else len(parts)


def _sizes_word(graphs: list[Any]) -> str:
    """How many graphs there are, of which sizes."""
    sizes = sorted({graph["num_nodes"] for graph in graphs})
    span = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return f"{amount(len(graphs), 'graph')} of {span} node{'s' * (sizes != [1])}"


def _history(path: str, draw: str | None, *, as_json: bool) -> None:
    from graphfsa.learners import read_history

    history = read_history(path)
    if draw is not None:
        from graphfsa.views import draw_history

        draw_history(history, draw, title=f"Training in {Path(path).resolve().parent.name}")
    facts = {"looks": len(history), **history[-1]}
    print_json(facts) if as_json else print_rows({name: _word(value) for name, value in facts.items()})


def _soft(path: str, draw: str | None, *, as_json: bool) -> None:
    from graphfsa.learners import SoftTable

    soft = SoftTable.load(path)
    if draw is not None:
        from graphfsa.views import draw_soft

        draw_soft(soft, draw, title=f"Probabilities of the successors in {shown_name(path)}")
    facts = {
        "states": list(soft.state_names),
        "aggregation": soft.aggregation.config(),
        "entries": int(soft.trained.sum()) * len(soft.state_names),
        **soft_facts(soft),
    }
    if as_json:
        print_json(facts)
        return
    facts["aggregation"] = _seen(soft.aggregation, soft.state_names)
    print_rows({name: _word(value) for name, value in facts.items() if name != "undecided"})
    print_undecided(facts, limit=50)


def _network(path: str, draw: str | None, *, as_json: bool) -> None:
    from graphfsa.learners import load

    if draw is not None:
        raise GraphFSAError("--draw goes with a soft table or the history of a training (.jsonl), not with a network")
    found = load(path)
    facts = {"weights": found.network.num_weights, "digest": found.digest, **_origin(found)}
    print_json(facts) if as_json else print_rows({name: _word(value) for name, value in facts.items()})


def _origin(found: Model) -> dict[str, Any]:
    """The task of a model, and where the model comes from if it was learned."""
    task, known = found.task, found.provenance
    facts: dict[str, Any] = {"task": task.name, "kind": task.kind}
    facts |= {"inputs": list(task.inputs), "classes": list(task.classes)}
    if found.discretiser is not None:
        facts["features"] = list(found.discretiser.features)
        facts["input_of"] = [f"{name} if {when}" for name, when in found.discretiser.words().items()]
        facts["thresholds"] = found.discretiser.gaps()
    if known is None:
        return facts
    names = ("learner", "options", "seed", "graphs", "train_accuracy", "validation_accuracy", "interrupted", "seconds")
    return facts | {"verdict": found.verdict, **{name: getattr(known, name) for name in names}, **known.details}


def _find(subject: str, seed: int) -> Model | Graph:
    from graphfsa.automaton import library
    from graphfsa.graphs import families, find_graph
    from graphfsa.learners import as_model

    (rng,) = generators(seed, 1)
    if (
        Path(subject).suffix.lower() in (".edges", ".txt", ".gfsa")
        or subject.partition(":")[0] in families.family_names()
    ):
        return find_graph(subject, rng)
    if subject.lower().endswith(".rules"):
        return as_model(subject)
    named = subject.lower().endswith(".json")
    if named or (is_file(subject) and not _is_library(subject)):
        from graphfsa.files import read_json

        data = read_json(subject)
        is_graph = isinstance(data, dict) and str(data.get("schema")).startswith("graphfsa.graph/")
        return find_graph(subject, rng) if is_graph else as_model(subject)
    if _is_library(subject):
        return as_model(subject)
    names = [*library.library_names(), *(f"{name}:{families.family_usage(name)}" for name in families.family_names())]
    raise GraphFSAError(f"unknown automaton or graph {subject!r}; a file, or one of: {', '.join(names)}")


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


def _seen(aggregation: Aggregation, names: tuple[str, ...]) -> str:
    """An aggregation as rules name it."""
    from graphfsa.automaton.rules import StateNames, aggregation_words, plain_name

    return aggregation_words(aggregation, StateNames(tuple(names), plain_name))


def _graph_facts(graph: Graph) -> dict[str, Any]:
    facts: dict[str, Any] = {"nodes": graph.num_nodes, "arcs": graph.num_arcs}
    if graph.lattice is not None:
        lattice = graph.lattice
        facts |= {"lattice": lattice.kind, "height": lattice.height, "width": lattice.width, "torus": lattice.torus}
    if graph.num_arcs <= 1 << 27:
        degrees = graph.degrees
        facts["smallest_degree"] = int(degrees.min()) if len(degrees) else 0
        facts["largest_degree"] = int(degrees.max()) if len(degrees) else 0
        facts |= {"symmetric": graph.symmetric, "slots": graph.num_slots}
        facts |= {} if graph.kinds is None else {"kinds": list(graph.kinds)}
        facts["digest"] = graph.digest
    return facts


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items() if part is not None)
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def print_table(fsa: GraphFSA) -> None:
    """Print the table of an automaton, one line for each value, unless it is large."""
    if fsa.transition_table.size > _MAX_ENTRIES:
        say(f"\nThe table has {fsa.transition_table.size:,} entries; not shown.")
        return
    values = [fsa.aggregation.decode(value, fsa.state_names) for value in range(fsa.num_values)]
    columns = [["value", *map(str, range(fsa.num_values))], ["neighbours", *values]]
    columns += [
        [f"{name} ->", *(fsa.state_names[s] for s in row)]
        for name, row in zip(fsa.state_names, fsa.transition_table, strict=True)
    ]
    widths = [max(map(len, column)) for column in columns]
    say("")
    for line in zip(*columns, strict=True):
        say("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())
