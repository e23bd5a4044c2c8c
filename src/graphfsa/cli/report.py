"""graphfsa report: everything there is to say about a model, on one page."""

from __future__ import annotations

import typer

from graphfsa.cli._common import check_output, find_data, is_same_file, parse_sizes, print_json, say, shown_name
from graphfsa.cli._guard import guarded
from graphfsa.errors import GraphFSAError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report_command)


@guarded
def report_command(
    model: str = typer.Argument(help="A library name, a .json or a .rules file."),
    task: str = typer.Option(None, help="Name of a data set, or file.py:Class [default: the model's own]."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    data: str = typer.Option(None, help="Instead of a task: a .jsonl file of labelled graphs."),
    sizes: str = typer.Option(None, help="Sizes to test on [default: those of the test split, and 1000]."),
    max_nodes: int = typer.Option(6, min=1, help="Verify on all graphs of up to this number of nodes."),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs."),
    out: str = typer.Option(..., help="The .html file to write."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write one HTML page about a model: rules, diagram, accuracy, verification, proof and a run to play.

    The page needs no network.
    """
    from graphfsa.evaluation import report

    check_output(out, (".html",))
    if is_same_file(out, model) or (data is not None and is_same_file(out, data)):
        raise GraphFSAError(f"--out {out!r} would overwrite an input; choose another file")
    chosen = None if sizes is None else parse_sizes(sizes, "--sizes")
    source = find_data(task, option, data)
    facts = report(model, out, source, sizes=chosen, max_nodes=max_nodes, seed=seed, name=shown_name(model))
    if as_json:
        print_json(facts)
    else:
        say(f"written to {out}")
