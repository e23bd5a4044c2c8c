"""graphfsa run: run an automaton on a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._cluster import CLUSTER_HELP, cluster_at, cluster_progress, cluster_words
from graphfsa.cli._common import (
    check_output,
    generators,
    parse_steps,
    print_json,
    print_rows,
    say,
)
from graphfsa.cli._ensembles import FAULTS_HELP, SCHEDULER_HELP, print_ensemble
from graphfsa.cli._guard import guarded
from graphfsa.cli._progress import count_progress, step_progress
from graphfsa.errors import GraphFSAError
from graphfsa.files import is_file

if TYPE_CHECKING:
    from graphfsa.automaton import GraphFSA, StochasticFSA
    from graphfsa.engine import Ensemble, Trajectory
    from graphfsa.graphs import Graph


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run_command)


@guarded
def run_command(
    automaton: str = typer.Argument(
        help="A library name (life, rule110, distance, B36/S23, sir, ...), a .json or a .rules file."
    ),
    graph: str = typer.Option(
        ..., help="FAMILY:ARGS (path:1000, moore-torus:64x64, ...) or a .json, .edges, .txt or .gfsa file."
    ),
    states: str = typer.Option(
        "random",
        help="'random'; 'random:0.3' for a share of the second state (0.3,0.2: of the second and third); a .txt, "
        ".safetensors or .rle file (on a lattice; FILE.rle@ROWxCOLUMN says where it begins); or a description: STATE, "
        "or STATE:NODE,NODE joined by '+'. A cell of a lattice is a NODE too: ROWxCOLUMN.",
    ),
    steps: str = typer.Option(..., help="A number of steps, or 'stable': until the states repeat."),
    max_steps: int = typer.Option(
        None, min=0, help="With 'stable': give up after this number of steps [default: 2 x nodes, at least 10,000]."
    ),
    seed: int = typer.Option(0, min=0, help="Seed of random graphs and states, and of coins."),
    scheduler: str = typer.Option(None, help=SCHEDULER_HELP, metavar="NAME"),
    faults: list[str] = typer.Option([], help=FAULTS_HELP, metavar="NAME:ARGS"),
    replicates: int = typer.Option(
        None, min=1, help="Make this number of runs, and print what they have in common; simulate also writes them."
    ),
    out: str = typer.Option(None, help="Write the last states to this .txt or .safetensors file."),
    threads: int = typer.Option(None, min=1, help="Number of threads [default: all cores]."),
    kernel: str = typer.Option("auto", help="auto, event, dense, lattice, bits or numpy. The result is the same."),
    cluster: str = typer.Option(None, help=CLUSTER_HELP, metavar="ADDRESS"),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Run an automaton on a graph, all nodes at once in every step unless a scheduler says otherwise.

    Random graphs and states are drawn from two children of numpy.random.default_rng(SEED): spawn(2)[0] for the graph,
    spawn(2)[1] for the states. '--steps 0 --out FILE' writes the starting states.
    """
    from graphfsa.automaton.states import SUFFIXES, parse_states, write_states
    from graphfsa.engine import run
    from graphfsa.graphs import find_graph

    check_output(out, SUFFIXES)
    inputs = [Path(text) for text in (automaton, graph) if is_file(text)]
    if out is not None and is_file(out) and any(file.samefile(out) for file in inputs):
        raise GraphFSAError(f"--out {out!r} would overwrite an input; choose another file")
    limit = parse_steps(steps)
    if max_steps is not None and limit != "stable":
        raise GraphFSAError("--max-steps goes with --steps stable")
    fsa = _find(automaton)
    if limit == "stable":
        _warn_of_endless(faults)
    if replicates is not None:
        if out is not None or kernel != "auto" or cluster is not None:
            raise GraphFSAError(
                "--replicates goes without --out, --kernel and --cluster; graphfsa simulate writes many runs"
            )
        chosen = {"scheduler": scheduler, "faults": faults, "seed": seed, "threads": threads}
        print_ensemble(_many(fsa, graph, states, limit, max_steps, replicates, chosen), as_json=as_json)
        return
    for_graph, for_states = generators(seed, 2)
    where = find_graph(graph, for_graph)
    start = parse_states(states, fsa, where, for_states)
    most = limit if isinstance(limit, int) else max_steps
    with cluster_at(cluster) as crew, cluster_progress(crew, most) if crew else step_progress(most) as progress:
        options: Any = {
            "max_steps": max_steps,
            "seed": seed,
            "kernel": kernel,
            "threads": threads,
            "progress": progress,
            "scheduler": scheduler,
            "faults": faults,
            "cluster": crew,
        }
        trajectory = run(fsa, where, start, limit, **options)  # pyright: ignore[reportArgumentType]
    if out is not None:
        write_states(out, fsa, trajectory.last)
    if limit == "stable" and trajectory.stable_at is None:
        say(f"warning: the states had not repeated after {trajectory.steps} steps; see --max-steps", err=True)
    facts = _facts(fsa, where, trajectory)
    if crew is not None and crew.facts is not None:
        facts["cluster"] = crew.facts
    if as_json:
        print_json(facts)
    else:
        print_rows(_words(facts))


def _find(automaton: str) -> GraphFSA | StochasticFSA:
    """The automaton of a name or file; what reads networks, which are none, takes long to import."""
    if automaton.lower().endswith(".safetensors"):
        from graphfsa.learners import find_any_automaton
    else:
        from graphfsa.automaton.library import find_any_automaton
    return find_any_automaton(automaton)


def _warn_of_endless(faults: list[str]) -> None:
    """Say before a long run that it can't come to rest."""
    from graphfsa.engine.faults import find_faults

    for fault in find_faults(faults):
        if fault.end() is None:
            say(
                f"warning: the fault {fault} never ends, so the run can't come to rest; give it an end (stop=), or a "
                "number of --steps",
                err=True,
            )


def _many(
    fsa: Any,
    graph: str,
    states: str,
    limit: int | str,
    max_steps: int | None,
    replicates: int,
    chosen: dict[str, Any],
) -> Ensemble:
    """Several runs, of which only the start and the end are counted."""
    from graphfsa.engine import simulate
    from graphfsa.engine.run import most_steps
    from graphfsa.graphs import find_graph

    where = find_graph(graph, generators(chosen["seed"], 2)[0])
    steps = most_steps(limit, max_steps, fsa, where, chosen["scheduler"], chosen["faults"])
    every = max(1, steps)
    with count_progress("step of a run") as update:
        return simulate(
            fsa,
            where,
            states,
            steps,
            replicates=replicates,
            every=every,
            progress=lambda done: update(done, replicates * steps),
            **chosen,
        )


def _facts(fsa: GraphFSA | StochasticFSA, graph: Graph, trajectory: Trajectory) -> dict[str, Any]:
    import numpy as np

    # In parts: what is counted is made eight times as wide first.
    parts = (trajectory.last[place : place + 2**20] for place in range(0, graph.num_nodes, 2**20))
    counts = sum(
        (np.bincount(part, minlength=fsa.num_states) for part in parts), np.zeros(fsa.num_states, int)
    ).tolist()
    return {
        "automaton": fsa.digest,
        "nodes": graph.num_nodes,
        "arcs": graph.num_arcs,
        "steps": trajectory.steps,
        "stable_at": trajectory.stable_at,
        "period": trajectory.period,
        "digest": trajectory.digest,
        "kernel": trajectory.kernel,
        "seconds": round(trajectory.seconds, 6),
        **_more(trajectory),
        "counts": dict(zip(fsa.state_names, counts, strict=True)),
    }


def _more(trajectory: Trajectory) -> dict[str, Any]:
    """What runs with a scheduler or faults count."""
    if trajectory.scheduler is None:
        return {}
    about = {"scheduler": str(trajectory.scheduler), "faults": [str(fault) for fault in trajectory.faults]}
    clock = {} if trajectory.clock is None else {"clock": trajectory.clock}
    return {**about, "moves": trajectory.moves, "rounds": trajectory.rounds, **clock}


def _words(facts: dict[str, Any]) -> dict[str, Any]:
    rows = dict(facts)
    if facts["stable_at"] is None:
        rows["stable_at"], rows["period"] = "not seen to repeat", "-"
    if "faults" in facts:
        rows["faults"] = ", ".join(facts["faults"]) or "none"
    if "cluster" in facts:
        rows["cluster"] = cluster_words(facts["cluster"])
    shown = [f"{name} {count:,}" for name, count in facts["counts"].items() if count]
    rows["counts"] = ", ".join(shown[:16]) + (f", and {len(shown) - 16} more states" if len(shown) > 16 else "")
    return rows
