"""graphfsa data: the data sets of the paper, and checks of your own files."""

from __future__ import annotations

from typing import Any

import typer

from graphfsa.cli._common import check_output, parse_options, parse_sizes, print_json, print_rows, say
from graphfsa.cli._guard import guarded


def register(app: typer.Typer) -> None:
    """Add the commands."""
    data = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    data.command("list")(list_command)
    data.command("describe")(describe_command)
    data.command("export")(export_command)
    app.add_typer(data, name="data", help="Data sets: list, describe and export them. Check files of your own.")


@guarded
def list_command(as_json: bool = typer.Option(False, "--json", help="Print one JSON object.")) -> None:
    """List all data sets."""
    from graphfsa.datasets import dataset_class, dataset_names

    lines = {name: (dataset_class(name).__doc__ or "").split("\n")[0] for name in dataset_names()}
    print_json(lines) if as_json else print_rows(lines)


@guarded
def describe_command(
    name: str = typer.Argument(help="Name of a data set, file.py:Class, or a .jsonl file of yours."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    steps: int = typer.Option(None, min=0, help="For a file: its labels are states after this number of steps."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Describe a data set: its task, options and splits. Or check a file of yours: sizes, classes, contradictions."""
    from graphfsa.datasets import as_dataset, describe_data

    if name.endswith(".jsonl"):
        facts = describe_data(name, steps=steps)
        print_json(facts) if as_json else _print_file(facts)
        return
    dataset = as_dataset(name, parse_options(option))
    facts = describe_data(dataset)
    if as_json:
        print_json(facts)
        return
    say((type(dataset).__doc__ or "").strip() + "\n")
    rows = {name: _listed(facts[name]) for name in ("name", "kind", "inputs", "classes")}
    rows["options"] = ", ".join(f"{key}={value}" for key, value in facts["options"].items()) or "none"
    for split, parts in facts["splits"].items():
        rows[split] = ", ".join(f"{count} x n={size}" for size, count in parts)
    print_rows(rows)


@guarded
def export_command(
    name: str = typer.Argument(help="Name of a data set, or file.py:Class."),
    split: str = typer.Option(
        "train",
        help="train, validation, test or learn; validation and test are apart from each other and the others.",
    ),
    size: str = typer.Option(None, help="Number of nodes: N, A..B or N,N,N [default: those of the split]."),
    count: int = typer.Option(
        None, min=1, help="Number of graphs in all, shared by the sizes [default: that of the split]."
    ),
    steps: int = typer.Option(None, min=0, help="Steps after which the labels hold [default: the data set's own]."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    inputs: str = typer.Option(
        "classes", help="classes, or continuous: the features of the nodes, for data sets that measure some."
    ),
    seed: int = typer.Option(0, min=0, help="Seed."),
    out: str = typer.Option(..., help="The .jsonl file to write, one graph per line."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write labelled graphs as JSON lines."""
    from graphfsa.datasets import export_data

    check_output(out, (".jsonl",))
    sizes = None if size is None else parse_sizes(size)
    amounts: dict[str, Any] = {"sizes": sizes, "count": count, "steps": steps}
    facts = export_data(name, out, parse_options(option), split=split, seed=seed, inputs=inputs, **amounts)
    if facts["shared_sizes"]:
        shared = ", ".join(map(str, facts["shared_sizes"]))
        say(f"note: there are too few graphs of {shared} nodes to keep train and test apart; they share them", err=True)
    print_json(facts) if as_json else print_rows({key: facts[key] for key in ("graphs", "nodes", "digest", "out")})


def _print_file(facts: dict[str, Any]) -> None:
    rows = {key: value for key, value in facts.items() if key != "contradictions"}
    rows |= {key: _listed(facts[key]) for key in ("inputs", "features") if key in facts}
    rows["classes"] = _listed([f"{name} ({count} nodes)" for name, count in facts["classes"].items()])
    print_rows(rows)
    for clash in facts["contradictions"]:
        lines = [f"line {line}" for line in clash["lines"]]
        if "steps" in clash:
            lines = [f"{line}, step {step}" for line, step in zip(lines, clash["steps"], strict=True)]
        (line, other), (node, twin) = lines, clash["nodes"]
        label, second = clash["labels"]
        say(
            f"  no automaton can tell node {node} of {line} (label {label}) "
            f"from node {twin} of {other} (label {second})"
        )


def _listed(names: Any) -> str:
    return ", ".join(names) if isinstance(names, list) else names
