"""graphfsa bench: measure the package, side by side with its peers."""

from __future__ import annotations

from importlib import import_module

import typer

from graphfsa.cli._common import guarded, print_json
from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.plugins import module_names


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench_command)


@guarded
def bench_command(
    what: str = typer.Argument(help=f"What to measure: {', '.join(module_names('graphfsa.benchmarks'))}."),
    quick: bool = typer.Option(
        False, help="Smaller sizes and fewer repetitions: to see that it works, not to publish."
    ),
    learner: str = typer.Option(None, help="With learn: which learner [default: exact]."),
    seed: int = typer.Option(0, min=0, help="Seed of the random inputs."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Measure the package, in one run with the libraries one would use instead (those that are installed)."""
    from graphfsa.benchmarks import print_report

    if what not in module_names("graphfsa.benchmarks"):
        raise UnknownNameError("benchmark", what, module_names("graphfsa.benchmarks"))
    if learner is not None and what != "learn":
        raise GraphFSAError("--learner goes with learn")
    chosen = {} if learner is None else {"learner": learner}
    report = import_module(f"graphfsa.benchmarks.{what}").measure(quick=quick, seed=seed, **chosen)
    print_json(report) if as_json else print_report(report)
