"""graphfsa simulate: many runs of an automaton on one graph."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._cluster import CLUSTER_HELP
from graphfsa.cli._common import check_output, parse_steps
from graphfsa.cli._ensembles import FAULTS_HELP, SCHEDULER_HELP, print_ensemble
from graphfsa.cli._guard import guarded
from graphfsa.cli._progress import count_progress

if TYPE_CHECKING:
    from graphfsa.engine import Ensemble

_PICTURES = (".png", ".svg", ".pdf")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("simulate")(simulate_command)


@guarded
def simulate_command(
    automaton: str = typer.Argument(help="A library name (sir, sis, colouring, life, ...), a .json or a .rules file."),
    graph: str = typer.Option(
        ..., help="FAMILY:ARGS (erdos-renyi:10000,mean-degree=10, ...) or a .json, .edges, .txt or .gfsa file."
    ),
    states: str = typer.Option(
        "random", help="As for run: 'random', a file, or a description such as ill:0,1,2. Drawn anew for each run."
    ),
    steps: str = typer.Option("stable", help="Number of steps, or 'stable': until all runs are at rest."),
    replicates: int = typer.Option(100, min=1, help="Number of runs."),
    every: int = typer.Option(1, min=1, help="Count the states at every step that is a multiple of this."),
    seed: int = typer.Option(0, min=0, help="Seed of the coins, and of random graphs and states."),
    noise: float = typer.Option(
        0.0, min=0.0, max=1.0, help="With this probability a node moves to any state instead of as the automaton says."
    ),
    scheduler: str = typer.Option(None, help=SCHEDULER_HELP, metavar="NAME"),
    faults: list[str] = typer.Option([], help=FAULTS_HELP, metavar="NAME:ARGS"),
    out: str = typer.Option(
        None, help="Write the counts of each run to this .csv file; NAME without a suffix: NAME.csv and NAME.png."
    ),
    draw: str = typer.Option(None, help="Write a picture of all runs to this .png, .svg or .pdf file."),
    threads: int = typer.Option(None, min=1, help="Number of threads [default: all cores]."),
    cluster: str = typer.Option(None, help=CLUSTER_HELP, metavar="ADDRESS"),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Run an automaton many times on one graph, and count the nodes in each state.

    Run K of a seed is the same however many runs there are, and however many threads. Run 0 is what 'graphfsa run'
    makes. With a scheduler, a step is one move of those whose turn it is: one node, for random-sequential, round-robin,
    central and clocks.
    """
    from graphfsa.automaton.stochastic import StochasticFSA
    from graphfsa.engine import simulate
    from graphfsa.files import atomic_write
    from graphfsa.learners import find_any_automaton

    limit = parse_steps(steps)
    if out is not None and not Path(out).suffix:
        draw = draw or f"{out}.png"
        out = f"{out}.csv"
    check_output(out, (".csv",))
    check_output(draw, _PICTURES)
    fsa: Any = find_any_automaton(automaton)
    if noise:
        fsa = StochasticFSA.of(fsa, noise=noise)
    with count_progress("step of a run") as update:
        found = simulate(
            fsa,
            graph,
            states,
            limit,  # pyright: ignore[reportArgumentType]
            replicates=replicates,
            every=every,
            seed=seed,
            threads=threads,
            progress=lambda done: update(done, replicates * limit if isinstance(limit, int) else None),
            scheduler=scheduler,
            faults=faults,
            cluster=cluster,
        )
    if out is not None:
        atomic_write(out, _table(found))
    if draw is not None:
        from graphfsa.views import draw_ensemble

        draw_ensemble(found, draw, title=f"{automaton} on {graph}, {replicates:,} runs")
    print_ensemble(found, as_json=as_json)


def _table(found: Ensemble) -> str:
    """A line for each run and counted step."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = {"moves": found.moves, "rounds": found.rounds, "clock": found.clock}
    kept = {name: numbers.tolist() for name, numbers in columns.items() if numbers is not None}
    writer.writerow(["run", "step", *kept, *found.fsa.state_names])
    times = found.times.tolist()
    for run, counts in enumerate(found.counts.tolist()):
        beside = zip(*(numbers[run] for numbers in kept.values()), strict=True) if kept else [()] * len(times)
        writer.writerows([run, step, *more, *row] for step, more, row in zip(times, beside, counts, strict=True))
    return text.getvalue()
