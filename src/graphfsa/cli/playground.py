"""graphfsa playground: a page on which automata are painted, changed and run; with Python behind it, or as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphfsa.cli._common import check_output, is_same_file, print_json, print_rows, say
from graphfsa.cli._guard import exit_code, guarded
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.playground import Playground


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("playground")(playground_command)


@guarded
def playground_command(
    model: str = typer.Argument(
        None, help="What to begin with: a library name (life, ...), a .json or .rules file [default: examples]."
    ),
    export: str = typer.Option(
        None, help="Write the page to this .html file instead; it needs nothing else, and any host can serve it."
    ),
    graph: str = typer.Option(
        None, help="With a model: FAMILY:ARGS (tree:60, moore-torus:64x64, ...) or a .json, .edges, .txt or .gfsa file."
    ),
    states: str = typer.Option(
        None, help="With a model: the states at step 0, as for 'graphfsa run' [default: random]."
    ),
    title: str = typer.Option(None, help="What it shows."),
    seed: int = typer.Option(0, min=0, help="Seed of random graphs and states, and of coins."),
    port: int = typer.Option(0, min=0, max=65535, help="Without --export: the port [default: one that is free]."),
    browser: bool = typer.Option(
        True, "--browser/--no-browser", help="Without --export: open the page in the browser, if there is a desktop."
    ),
    seconds: float = typer.Option(600.0, help="Without --export: how long the server may work on one thing."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Open the playground: a page on which you paint states, change rules while they run, go back, and share.

    A server of your own, on this machine alone, lets the page learn automata from examples, prove them, ask for labels,
    compare and report; Ctrl-C ends it. The address that it prints holds its key: don't pass it on.

    With --export the page is one file, which works offline and loads nothing. Its address keeps the whole world, so a
    link is all that others need.
    """
    from graphfsa.playground import play

    if model is not None and graph is None:
        raise GraphFSAError("a model needs a world to run in: give --graph, such as --graph moore-torus:64x64")
    if model is None and (graph is not None or states is not None or title is not None):
        raise GraphFSAError("--graph, --states and --title go with a model")
    if export is None:
        found = play(model, graph, states, seed=seed, title=title)
        _serve(found, port, browser=browser, seconds=seconds, as_json=as_json)
        return
    if port or not browser:
        raise GraphFSAError("--port and --no-browser go without --export: a file needs no server")
    check_output(export, (".html", ".htm"))
    if any(is_same_file(export, text) for text in (model, graph, states) if text is not None):
        raise GraphFSAError(f"--export {export!r} would overwrite an input; choose another file")
    found = play(model, graph, states, seed=seed, title=title, out=export)
    facts = {"out": export, "bytes": Path(export).stat().st_size, "fragment": len(found.fragment or "")}
    print_json(facts) if as_json else print_rows({key: facts[key] for key in ("out", "bytes")})


def _serve(found: Playground, port: int, *, browser: bool, seconds: float, as_json: bool) -> None:
    """Serve the page until a signal comes: that is how it ends, so it is no error."""

    def tell(address: str) -> None:
        print_json({"address": address}) if as_json else say(
            f"{address}\nthe playground, for you alone; Ctrl-C ends it"
        )
        sys.stdout.flush()

    try:
        found.serve(port=port, browser=browser, seconds=seconds, tell=tell)
    except KeyboardInterrupt:
        say("ended", err=True)
        raise typer.Exit(exit_code()) from None
