"""graphfsa rollout: draw a run as a picture, an animation or a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import (
    check_output,
    find_automaton,
    find_dataset,
    find_graph,
    find_states,
    generators,
    guarded,
    is_file,
    is_same_file,
    parse_steps,
    print_json,
    print_rows,
)
from graphfsa.errors import GraphFSAError, LimitError

if TYPE_CHECKING:
    import numpy as np

    from graphfsa.automaton import GraphFSA
    from graphfsa.graphs import Graph


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rollout")(rollout_command)


@guarded
def rollout_command(
    model: str = typer.Argument(help="A library name (life, path-finding, ...), a .json or a .rules file."),
    graph: str = typer.Option(
        None, help="FAMILY:ARGS (tree:60, moore-torus:64x64, row:100, ...) or a .json, .edges or .txt file."
    ),
    states: str = typer.Option(
        None,
        help="A .txt or .safetensors file, 'random', or a description: STATE, or STATE:NODE,NODE joined by '+' "
        "[default: random].",
    ),
    steps: str = typer.Option(
        None, help="A number of steps, or 'stable': until the states repeat [default: stable; with --task its own]."
    ),
    task: str = typer.Option(None, help="Name of a data set: draw one of its graphs, with its inputs."),
    size: int = typer.Option(None, min=1, help="With --task: number of nodes [default: 30]."),
    option: list[str] = typer.Option([], help="With --task: an option of the data set, as key=value; may be repeated."),
    every: int = typer.Option(
        None, min=1, help="Show every k-th step and the last [default: each; a .png or .svg has at most 12 panels]."
    ),
    fps: float = typer.Option(10, min=1, max=50, help="Steps shown per second."),
    title: str = typer.Option(None, help="A line above the picture [default: the model and the graph]."),
    seed: int = typer.Option(0, min=0, help="Seed of random graphs and states."),
    out: str = typer.Option(..., help="The .png, .svg, .gif or .html file to write."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Draw how an automaton runs on a graph, step by step.

    Lattices become grids of squares or hexagons, rows of cells space-time diagrams, other graphs nodes and arcs in
    places that stay. An .html file is a page that plays the run and explains each node when it is clicked; it needs no
    network.
    Random graphs and states are those of 'graphfsa run' with the same seed.
    """
    from graphfsa.engine import run
    from graphfsa.views.rollout import SUFFIXES, check_rollout, default_stride, draw_rollout

    check_output(out, SUFFIXES)
    if any(is_same_file(out, text) for text in (model, graph, states) if text is not None):
        raise GraphFSAError(f"--out {out!r} would overwrite an input; choose another file")
    _check_source(task, graph, states, size, option)
    limit = None if steps is None else parse_steps(steps)
    fsa = find_automaton(model)
    if task is None:
        for_graph, for_states = generators(seed, 2)
        where = find_graph(graph, for_graph)
        check_rollout(where, 1, out)
        start = find_states(states or "random", fsa, where.num_nodes, for_states)
        name, own = _shown(graph), "stable"
    else:
        where, start, own = _instance(fsa, task, option, 30 if size is None else size, seed)
        check_rollout(where, 1, out)
        own = _until_rest(fsa, where, start, own) if limit is None else own
        name = f"{task}, {where.num_nodes} nodes"
    last = _last_step(fsa, where, start, own if limit is None else limit)
    stride = every or default_stride(where, last, out)
    check_rollout(where, _frames(last, stride), out)
    trajectory = run(fsa, where, start, last, record=stride)
    draw_rollout(fsa, where, trajectory, out, title=f"{_shown(model)} on {name}" if title is None else title, fps=fps)
    facts: dict[str, Any] = {
        "out": out,
        "bytes": Path(out).stat().st_size,
        "nodes": where.num_nodes,
        "steps": trajectory.steps,
        "frames": _frames(last, stride),
        "stable_at": trajectory.stable_at,
        "period": trajectory.period,
        "digest": trajectory.digest,
    }
    print_json(facts) if as_json else print_rows(
        {key: facts[key] for key in ("out", "bytes", "nodes", "steps", "frames")}
    )


def _check_source(task: str | None, graph: str | None, states: str | None, size: int | None, option: list[str]) -> None:
    if (task is None) == (graph is None):
        raise GraphFSAError("give either --graph GRAPH or --task NAME")
    if task is not None and states is not None:
        raise GraphFSAError("--states goes with --graph; a data set has inputs of its own")
    if task is None and (size is not None or option):
        raise GraphFSAError("--size and --option go with --task")


def _instance(
    fsa: GraphFSA, task: str, option: list[str], size: int, seed: int
) -> tuple[Graph, np.ndarray[Any, Any], int]:
    """A graph of a data set, the states in which its nodes start, and the number of steps."""
    from graphfsa.datasets._names import matched

    (rng,) = generators(seed, 1)
    examples = matched(find_dataset(task, option).generate(size, 1, rng), fsa)
    example = next(iter(examples))
    return example.graph, examples.task.starting_states(fsa, example.inputs), int(example.steps)


def _shown(text: str) -> str:
    """A name for the title: that of a file without its directory."""
    return Path(text).name if is_file(text) else text


def _frames(steps: int, stride: int) -> int:
    return -(-steps // stride) + 1


def _last_step(fsa: GraphFSA, graph: Graph, start: np.ndarray[Any, Any], steps: int | str) -> int:
    """The number of steps; what 'stable' is takes a run without any recording, which costs little."""
    from graphfsa.engine import run

    if not isinstance(steps, str):
        return steps
    found = run(fsa, graph, start, "stable")
    if found.stable_at is None:
        raise LimitError(f"the states had not repeated after {found.steps:,} steps; give a number of --steps")
    return found.stable_at + (found.period or 1) if found.period != 1 else found.stable_at


def _until_rest(fsa: GraphFSA, graph: Graph, start: np.ndarray[Any, Any], steps: int) -> int:
    """The number of steps of a data set, or fewer if all nodes come to rest before."""
    from graphfsa.engine import run

    found = run(fsa, graph, start, steps)
    return found.stable_at if found.period == 1 and found.stable_at is not None else steps
