"""graphfsa data: the data sets of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import (
    check_output,
    find_dataset,
    generators,
    guarded,
    parse_sizes,
    print_json,
    print_rows,
)
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.datasets import UserData
    from graphfsa.datasets._hygiene import Contradiction

_SPLITS = ("train", "validation", "test", "learn")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    data = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    data.command("list")(list_command)
    data.command("describe")(describe_command)
    data.command("export")(export_command)
    app.add_typer(data, name="data", help="The data sets of the paper: list, describe and export them.")


@guarded
def list_command(as_json: bool = typer.Option(False, "--json", help="Print one JSON object.")) -> None:
    """List all data sets."""
    from graphfsa.datasets import dataset_class, dataset_names

    lines = {name: (dataset_class(name).__doc__ or "").split("\n")[0] for name in dataset_names()}
    print_json(lines) if as_json else print_rows(lines)


@guarded
def describe_command(
    name: str = typer.Argument(help="Name of a data set, or a .jsonl file of yours."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    steps: int = typer.Option(None, min=0, help="For a file: its labels are states after so many steps."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Describe a data set: its task, options and splits. Or check a file of yours: sizes, classes, contradictions."""
    if name.endswith(".jsonl"):
        facts = _file_facts(name, steps)
        print_json(facts) if as_json else _print_file(facts)
        return
    dataset = find_dataset(name, option)
    task = dataset.task
    facts: dict[str, Any] = {
        "name": dataset.name,
        "kind": task.kind,
        "inputs": list(task.inputs),
        "classes": list(task.classes),
        "options": dataset.options(),
        "splits": {split: [list(part) for part in dataset.splits[split].parts] for split in dataset.splits},
    }
    if as_json:
        print_json(facts)
        return
    typer.echo((type(dataset).__doc__ or "").strip() + "\n")
    rows = {name: ", ".join(value) if isinstance(value, list) else value for name, value in facts.items()}
    rows["options"] = ", ".join(f"{key}={value}" for key, value in dataset.options().items()) or "none"
    del rows["splits"]
    for split, parts in facts["splits"].items():
        rows[split] = ", ".join(f"{count} x n={size}" for size, count in parts)
    print_rows(rows)


@guarded
def export_command(
    name: str = typer.Argument(help="Name of a data set."),
    split: str = typer.Option(
        "train", help="train, validation, test or learn: the graphs of train and learn are kept apart from the others."
    ),
    size: str = typer.Option(None, help="Number of nodes: N, A..B or N,N,N [default: as in the paper]."),
    count: int = typer.Option(
        None, min=1, help="Number of graphs in all, the sizes in turn [default: as in the paper]."
    ),
    steps: int = typer.Option(None, min=0, help="Steps after which the labels hold [default: the data set's own]."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    seed: int = typer.Option(0, min=0, help="Seed."),
    out: str = typer.Option(..., help="The .jsonl file to write, one graph per line."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write labelled graphs as JSON lines."""
    from dataclasses import replace

    from graphfsa.datasets._user import write_jsonl
    from graphfsa.datasets._zones import divided, draw_split

    check_output(out, (".jsonl",))
    dataset = find_dataset(name, option)
    if split not in dataset.splits:
        raise GraphFSAError(f"--split must be one of {', '.join(dataset.splits)}; got {split!r}")
    wanted = dataset.splits[split].resized(None if size is None else parse_sizes(size), count)
    if size is not None or steps is not None:
        wanted = replace(wanted, steps=steps)
    rng = generators(seed, len(_SPLITS))[_SPLITS.index(split)]
    examples = draw_split(dataset, wanted, rng, "train" if split in ("train", "learn") else "test")
    write_jsonl(out, examples)
    shared = [n for n, _ in wanted.parts if not divided(dataset, n)]
    if shared:
        sizes = ", ".join(map(str, shared))
        typer.echo(
            f"note: there are too few graphs of {sizes} nodes to keep train and test apart; they share them", err=True
        )
    facts = {
        "graphs": len(examples),
        "nodes": examples.graphs.graph.num_nodes,
        "digest": examples.digest,
        "out": out,
        "shared_sizes": shared,
    }
    print_json(facts) if as_json else print_rows({key: facts[key] for key in ("graphs", "nodes", "digest", "out")})


def _file_facts(path: str, steps: int | None) -> dict[str, Any]:
    import numpy as np

    from graphfsa.datasets._hygiene import contradictions, deduplicate
    from graphfsa.datasets._user import read_jsonl

    data = read_jsonl(path, steps=steps)
    examples, task = data.examples, data.examples.task
    clashes = contradictions(examples, limit=20)
    labels = np.bincount(examples.labels[examples.mask], minlength=len(task.classes)).tolist()
    return {
        "file": path,
        "kind": task.kind,
        **({"traces": len(np.unique(data.lines))} if data.traced else {}),
        "graphs": len(examples),
        "distinct_graphs": len(deduplicate(examples)),
        "smallest": int(examples.sizes.min()),
        "largest": int(examples.sizes.max()),
        "inputs": list(task.inputs),
        "classes": dict(zip(task.classes, labels, strict=True)),
        "masked_nodes": int((~examples.mask).sum()),
        "digest": examples.digest,
        "contradicting_nodes": clashes.total,
        "contradictions": [_clash(data, clash) for clash in clashes],
    }


def _clash(data: UserData, clash: Contradiction) -> dict[str, Any]:
    """A contradiction as JSON values; ``steps`` are the rows of the traces at which the nodes look the same."""
    places = list(clash.graphs)
    return {
        "lines": data.lines[places].tolist(),
        **({"steps": data.rows[places].tolist()} if data.traced else {}),
        "nodes": list(clash.nodes),
        "labels": [data.examples.task.classes[label] for label in clash.labels],
    }


def _print_file(facts: dict[str, Any]) -> None:
    rows = {key: value for key, value in facts.items() if key != "contradictions"}
    rows["inputs"] = ", ".join(facts["inputs"])
    rows["classes"] = ", ".join(f"{name} ({count} nodes)" for name, count in facts["classes"].items())
    print_rows(rows)
    for clash in facts["contradictions"]:
        lines = [f"line {line}" for line in clash["lines"]]
        if "steps" in clash:
            lines = [f"{line}, step {step}" for line, step in zip(lines, clash["steps"], strict=True)]
        (line, other), (node, twin), (label, second) = lines, clash["nodes"], clash["labels"]
        typer.echo(
            f"  no automaton can tell node {node} of {line} (label {label}) "
            f"from node {twin} of {other} (label {second})"
        )
