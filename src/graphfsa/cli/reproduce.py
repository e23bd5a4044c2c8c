"""graphfsa reproduce: the paper's tables and figures, measured again, beside what was published."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import guarded, print_json
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.evaluation import Experiment, Results, Table

_SEEDS = 10
_SAMPLE = 10
_SELDOM = 30.0
"""Seconds between two lines of a log."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reproduce")(reproduce_command)


@guarded
def reproduce_command(
    what: str = typer.Argument(
        help="A table or figure (prefix-sum, grab, life, ...; an unknown name lists them), 'all', a .toml file that "
        "defines one; 'report' to make the pages of a directory again; 'check' to run some of its trainings again."
    ),
    directory: str = typer.Argument(None, help="With report and check: the directory of the results."),
    seeds: int = typer.Option(None, min=1, help="Number of seeds [default: 10; with --quick: 1]."),
    quick: bool = typer.Option(False, "--quick", help="Few graphs and short trainings: to see that it works."),
    out: str = typer.Option(None, help="Directory of the results [default: results-NAME]."),
    jobs: int = typer.Option(None, min=1, help="Trainings that run at once [default: the number of cores]."),
    sample: int = typer.Option(None, min=1, help="With check: number of trainings [default: 10]."),
    seed: int = typer.Option(None, min=0, help="With check: seed of the choice of trainings [default: 0]."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Measure the paper's tables and figures again, and write them beside the published numbers.

    Writes Markdown, CSV, LaTeX and pictures of each table, report.html with all of them, the record of every training
    (records.jsonl) and the models. What has been done is never done again: interrupted, the same command goes on, and
    with more --seeds it adds to what is there. A training that fails is recorded, and the rest goes on.

    Exit code 0 if all trainings were done, 1 if some failed or did not give the same again, 130 if interrupted (the
    pages show what there is).
    """
    from graphfsa.evaluation import Results, experiment_names, find_experiment, run_experiments

    given = {"--seeds": seeds, "--quick": quick or None, "--out": out, "--jobs": jobs}
    given |= {"--sample": sample, "--seed": seed}
    if what == "report":
        _only(given, "report", directory)
        results = Results(directory)
        _finish(results, results.experiments(), as_json)
        return
    if what == "check":
        _only(given, "check", directory, "--sample", "--seed", "--jobs")
        _check(Results(directory), sample or _SAMPLE, seed or 0, jobs, as_json)
        return
    if directory is not None:
        raise GraphFSAError(f"the directory of the results is given by --out; got {directory!r}")
    if sample is not None or seed is not None:
        raise GraphFSAError("--sample and --seed go with check; the number of seeds of a table is --seeds")
    names = experiment_names() if what == "all" else [what]
    experiments = {found.name: found for found in map(find_experiment, names)}
    if out == "":
        raise GraphFSAError("--out must name a directory; got nothing")
    target = out or f"results-{Path(what).stem}"
    with _progress(quiet=as_json) as watch:
        number = seeds or (1 if quick else _SEEDS)
        try:
            results = run_experiments(experiments, target, seeds=number, quick=quick, processes=jobs, watch=watch)
        except KeyboardInterrupt:
            results = Results(target)
            typer.echo("interrupted; the same command goes on where it stopped", err=True)
            _finish(results, experiments, as_json, number)
            raise typer.Exit(130) from None
    failed = _finish(results, experiments, as_json, number)
    if failed:
        raise typer.Exit(1)


def _only(given: dict[str, Any], what: str, directory: str | None, *valid: str) -> None:
    """Raise unless there is a directory, and no option but these."""
    if directory is None:
        raise GraphFSAError(f"{what} takes the directory of the results: graphfsa reproduce {what} DIR")
    for name, value in given.items():
        if value is not None and name not in valid:
            rest = f"but {', '.join(valid)}" if valid else "else"
            raise GraphFSAError(f"{what} takes the directory of the results and nothing {rest}; got {name}")


def _check(results: Results, sample: int, seed: int, jobs: int | None, as_json: bool) -> None:
    """Run some jobs again, and say what came out."""
    from dataclasses import asdict

    from graphfsa.evaluation import check_results

    with _progress(quiet=as_json) as watch:
        checked = check_results(results, sample=sample, seed=seed, processes=jobs, watch=watch)
    same = sum(not job.differs for job in checked)
    if as_json:
        print_json({"directory": str(results.path), "same": same, "jobs": [asdict(job) for job in checked]})
    else:
        for job in checked:
            data, words = job.config["data"], "; ".join(job.differs)
            name = f"{job.config['learner']} on {data['dataset'] or data['grab']}, seed {job.config['seed']}"
            typer.echo(f"{job.id}  {name}: {words or 'the same'}")
        others = {f"{name} was {then}, and is {now}" for job in checked for name, (then, now) in job.versions.items()}
        for words in sorted(others):
            typer.echo(f"other versions: {words}")
        typer.echo(f"{same} of {len(checked)} trainings gave the same again: graphs, accuracies and model")
    if same < len(checked):
        raise typer.Exit(1)


def _finish(results: Results, experiments: dict[str, Experiment], as_json: bool, seeds: int = 0) -> int:
    """Write all pages of what there is; returns the number of failed jobs."""
    from graphfsa.evaluation import make_table
    from graphfsa.evaluation.rendering import write_tables
    from graphfsa.views._figure import save_figure
    from graphfsa.views.results import draw_table
    from graphfsa.views.results_page import write_results

    records = results.records()
    tables = [make_table(experiment, records, quick=results.quick, seeds=seeds) for experiment in experiments.values()]
    write_tables(results, tables)
    for table in tables:
        if table.cells:
            figure = draw_table(table, results.path / f"{table.experiment.name}.svg")
            save_figure(figure, results.path / f"{table.experiment.name}.png")
    write_results(results.path / "report.html", tables, records, quick=results.quick)
    failed = {f"{table.experiment.name}: {name}": error for table in tables for name, error in table.failed.items()}
    if as_json:
        print_json(_facts(results, tables, failed))
    else:
        _print(results, tables, failed)
    return len(failed)


def _facts(results: Results, tables: list[Table], failed: dict[str, str]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "directory": str(results.path),
        "quick": results.quick,
        "tables": {
            table.experiment.name: [
                {"group": row.group, "test": row.test, "column": name, **asdict(cell.strict)}
                for (row, name), cell in table.cells.items()
            ]
            for table in tables
        },
        "missing": len({job for table in tables for job in table.missing}),
        "failed": failed,
    }


def _print(results: Results, tables: list[Table], failed: dict[str, str]) -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    from graphfsa.evaluation.words import shown

    console = Console(width=None if sys.stdout.isatty() else 200, markup=False, highlight=False)
    for table in tables:
        title = table.experiment.title + (" (quick run)" if table.quick else "")
        grid = Grid("", *(column.name for column in table.columns), title=title, title_justify="left")
        for row in table.rows:
            cells = [shown(table, row, column) for column in table.columns]
            grid.add_row(f"{row.group} {row.test}".strip(), *cells)
        console.print(grid)
    missing = {job for table in tables for job in table.missing}
    if missing:
        typer.echo(f"trainings that have not been run: {len(missing)}")
    for name, error in failed.items():
        typer.echo(f"failed: {name}: {' '.join(error.split())}", err=True)
    typer.echo(f"written to {results.path / 'report.html'}")


@contextmanager
def _progress(*, quiet: bool) -> Generator[Callable[[dict[str, Any]], None]]:
    """Follow the jobs on standard error: a bar with the time left for a person, a line now and then for a log."""
    if quiet:
        yield lambda _state: None
        return
    if not sys.stderr.isatty():
        yield _line_by_line()
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.MofNCompleteColumn(),
        progress.BarColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("{task.description}"),
    )
    console = Console(stderr=True)
    with progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")

        def follow(state: dict[str, Any]) -> None:
            names = ", ".join(sorted(job.config["learner"] for job in state["running"]))
            words = [_failed(state), _time_left(state), names]
            said = "; ".join(word for word in words if word)
            bar.update(task, total=state["total"], completed=state["done"] + state["failed"], description=said)

        yield follow


def _line_by_line() -> Callable[[dict[str, Any]], None]:
    from time import monotonic

    said = monotonic() - _SELDOM

    def follow(state: dict[str, Any]) -> None:
        nonlocal said
        ended = state["done"] + state["failed"]
        if monotonic() - said < _SELDOM and ended < state["total"]:
            return
        said = monotonic()
        words = [f"{ended} of {state['total']} jobs", _failed(state), _time_left(state)]
        print(", ".join(word for word in words if word), file=sys.stderr, flush=True)

    return follow


def _failed(state: dict[str, Any]) -> str:
    return f"{state['failed']} failed" if state["failed"] else ""


def _time_left(state: dict[str, Any]) -> str:
    if state["left"] is None or state["done"] + state["failed"] == state["total"]:
        return ""
    minutes = state["left"] / 60
    return f"about {minutes:.0f} min left" if minutes >= 1 else "less than a minute left"
