"""graphfsa playground: a page on which automata are painted, changed, run and shared."""

from __future__ import annotations

from pathlib import Path

import typer

from graphfsa.cli._common import check_output, is_same_file, print_json, print_rows
from graphfsa.cli._guard import guarded
from graphfsa.errors import GraphFSAError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("playground")(playground_command)


@guarded
def playground_command(
    model: str = typer.Argument(
        None, help="What to begin with: a library name (life, ...), a .json or .rules file [default: examples]."
    ),
    export: str = typer.Option(..., help="The .html file to write; it needs nothing else, and any host can serve it."),
    graph: str = typer.Option(
        None, help="With a model: FAMILY:ARGS (tree:60, moore-torus:64x64, ...) or a .json, .edges, .txt or .gfsa file."
    ),
    states: str = typer.Option(
        None, help="With a model: the states at step 0, as for 'graphfsa run' [default: random]."
    ),
    title: str = typer.Option(None, help="What it shows."),
    seed: int = typer.Option(0, min=0, help="Seed of random graphs and states, and of coins."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write the playground: a page on which you paint states, change rules while they run, go back, and share.

    The page works offline and loads nothing. Its address keeps the whole world, so a link is all that others need.
    """
    from graphfsa.playground import play

    check_output(export, (".html", ".htm"))
    if any(is_same_file(export, text) for text in (model, graph, states) if text is not None):
        raise GraphFSAError(f"--export {export!r} would overwrite an input; choose another file")
    if model is not None and graph is None:
        raise GraphFSAError("a model needs a world to run in: give --graph, such as --graph moore-torus:64x64")
    if model is None and (graph is not None or states is not None or title is not None):
        raise GraphFSAError("--graph, --states and --title go with a model")
    found = play(model, graph, states, seed=seed, title=title, out=export)
    facts = {"out": export, "bytes": Path(export).stat().st_size, "fragment": len(found.fragment or "")}
    print_json(facts) if as_json else print_rows({key: facts[key] for key in ("out", "bytes")})
