"""graphfsa graph: graphs on disk, for runs that do not fit in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, generators, is_same_file, print_json, print_rows
from graphfsa.cli._guard import guarded
from graphfsa.cli._progress import count_progress
from graphfsa.errors import FormatError, GraphFSAError

if TYPE_CHECKING:
    from graphfsa.graphs import Graph, TiledGraph


def register(app: typer.Typer) -> None:
    """Add the commands."""
    graph = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    graph.command("pack")(pack_command)
    graph.command("check")(check_command)
    app.add_typer(graph, name="graph", help="Graphs on disk (.gfsa), which run without being in memory.")


@guarded
def pack_command(
    source: str = typer.Argument(
        help="An edge list (.txt, .edges, .tsv, also with .gz or .zst; .graphml; .parquet), or FAMILY:ARGS."
    ),
    out: str = typer.Option(..., help="The .gfsa file to write."),
    directed: bool = typer.Option(False, help="Each line 'u v' of an edge list is one arc: v sees u."),
    seed: int = typer.Option(0, min=0, help="Seed of random graphs, used as by 'graphfsa run'."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write a graph to a file from which 'graphfsa run --graph FILE.gfsa' streams its arcs.

    The memory that this takes does not grow with the number of arcs of an edge list. If it is stopped, or the disk is
    full, the same command goes on where it stopped.
    """
    from graphfsa.graphs import pack
    from graphfsa.graphs.edge_sources import is_edge_list
    from graphfsa.graphs.naming import find_graph
    from graphfsa.graphs.stored import SUFFIX

    check_output(out, (SUFFIX,))
    if is_same_file(source, out):
        raise GraphFSAError(f"--out {out!r} would overwrite an input; choose another file")
    edges = is_edge_list(source)
    if directed and not edges:
        raise GraphFSAError("--directed goes with an edge list; a graph knows itself which way its arcs go")
    given = source if edges else find_graph(source, generators(seed, 2)[0])
    with count_progress("arc") as update:
        graph = pack(given, out, directed=directed, progress=lambda _what, done, of: update(done, of))
    _print(graph, out, as_json)


@guarded
def check_command(
    file: str = typer.Argument(help="A .gfsa file."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Read a graph on disk completely, and compare all checksums and its digest."""
    from graphfsa.graphs import open as open_graph
    from graphfsa.interrupts import interruptible

    graph = open_graph(file)
    found = interruptible(graph.tiles.digest)
    if found != graph.digest:
        raise FormatError(f"{file}: the digest must be {graph.digest}; that of its arcs is {found}")
    interruptible(graph.tiles.check_symmetry)
    _print(graph, file, as_json)


def _print(graph: Graph | TiledGraph, file: str, as_json: bool) -> None:
    facts: dict[str, Any] = {
        "file": file,
        "nodes": graph.num_nodes,
        "arcs": graph.num_arcs,
        "bytes": Path(file).stat().st_size,
        "digest": graph.digest,
    }
    print_json(facts) if as_json else print_rows(facts)
