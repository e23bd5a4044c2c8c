"""graphfsa rollout: draw a run as a picture, an animation or a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from graphfsa.cli._common import check_output, find_data, is_same_file, parse_steps, print_json, print_rows
from graphfsa.cli._ensembles import FAULTS_HELP, SCHEDULER_HELP
from graphfsa.cli._guard import guarded
from graphfsa.errors import GraphFSAError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rollout")(rollout_command)


@guarded
def rollout_command(
    model: str = typer.Argument(help="A library name (life, path-finding, ...), a .json or a .rules file."),
    graph: str = typer.Option(
        None, help="FAMILY:ARGS (tree:60, moore-torus:64x64, row:100, ...) or a .json, .edges, .txt or .gfsa file."
    ),
    states: str = typer.Option(
        None,
        help="The states at step 0, as for 'graphfsa run': 'random', 'random:0.3', a .txt, .safetensors or .rle "
        "file, or a description: STATE, or STATE:NODE,NODE joined by '+' [default: random].",
    ),
    steps: str = typer.Option(
        None, help="A number of steps, or 'stable': until the states repeat [default: stable; with --task its own]."
    ),
    task: str = typer.Option(
        None,
        help="Instead of a graph: a data set by name, or file.py:Class; one of its graphs is drawn, with its inputs.",
    ),
    size: int = typer.Option(None, min=1, help="With --task: number of nodes [default: 30]."),
    option: list[str] = typer.Option([], help="With --task: an option of the data set, as key=value; may be repeated."),
    every: int = typer.Option(
        None, min=1, help="Show every k-th step and the last [default: each; a picture has at most 12 panels]."
    ),
    speed: float = typer.Option(
        10, min=0.1, max=50, help="Frames per second of a .gif, and of an .html page to start with."
    ),
    colours: str = typer.Option(
        None, help="Colours of states, as ill=#d00,well=green; the other states keep their own.", metavar="STATE=COLOUR"
    ),
    title: str = typer.Option(None, help="A line above the picture [default: the model and the graph]."),
    scheduler: str = typer.Option(None, help=SCHEDULER_HELP, metavar="NAME"),
    faults: list[str] = typer.Option([], help=FAULTS_HELP, metavar="NAME:ARGS"),
    seed: int = typer.Option(0, min=0, help="Seed of random graphs and states, coins, schedulers and faults."),
    out: str = typer.Option(..., help="The .png, .svg, .pdf, .gif or .html file to write."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Draw how an automaton runs on a graph, step by step.

    Lattices become grids of squares or hexagons, rows of cells space-time diagrams, other graphs nodes and arcs in
    places that stay. An .html file is a page that plays the run and explains each node when it is clicked; it needs no
    network.
    Random graphs and states are those of 'graphfsa run' with the same seed.
    """
    from graphfsa.views.colours import parse_colours
    from graphfsa.views.rollouts import SUFFIXES, rollout

    check_output(out, SUFFIXES)
    if any(is_same_file(out, text) for text in (model, graph, states) if text is not None):
        raise GraphFSAError(f"--out {out!r} would overwrite an input; choose another file")
    found = rollout(
        model,
        graph,
        states,
        None if steps is None else parse_steps(steps),  # pyright: ignore[reportArgumentType]
        task=find_data(task, option, None),
        size=size,
        every=every,
        speed=speed,
        colours=None if colours is None else parse_colours(colours),
        title=title,
        seed=seed,
        out=out,
        scheduler=scheduler,
        faults=faults,
    )
    facts: dict[str, Any] = {
        "out": out,
        "bytes": Path(out).stat().st_size,
        "nodes": found.graph.num_nodes,
        "steps": found.trajectory.steps,
        "frames": len(found.times),
        "stable_at": found.trajectory.stable_at,
        "period": found.trajectory.period,
        "digest": found.trajectory.digest,
    }
    print_json(facts) if as_json else print_rows(
        {key: facts[key] for key in ("out", "bytes", "nodes", "steps", "frames")}
    )
