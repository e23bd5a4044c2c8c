"""graphfsa reproduce: the paper's tables and figures, measured again, beside what was published."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._cluster import CLUSTER_HELP
from graphfsa.cli._common import print_json, say
from graphfsa.cli._guard import exit_code, guarded
from graphfsa.errors import GraphFSAError
from graphfsa.escaping import terminal_text

if TYPE_CHECKING:
    from rich.table import Table as Grid

    from graphfsa.evaluation import CheckedJob, Results, Table

_LOG_EVERY = 30.0
"""Seconds between two lines of a log."""
_WIDE = 1000
"""Columns of what is no terminal."""
_BORDER = 3
"""Width of the border and the padding of a column."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reproduce")(reproduce_command)


@guarded
def reproduce_command(
    what: str = typer.Argument(
        help="A table or figure (prefix-sum, grab, life, ...; an unknown name lists them), 'all', or a .toml file that "
        "defines one; 'outside' for what others have published; 'figures' to draw the paper's figures; 'report' to "
        "write the pages of a directory again; 'check' to run some of its trainings again."
    ),
    directory: str = typer.Argument(None, help="With report and check: the directory of the results."),
    seeds: int = typer.Option(None, min=1, help="Number of seeds [default: 10, outside: 3; with --quick: 1]."),
    quick: bool = typer.Option(False, "--quick", help="Few graphs and short trainings: to see that it works."),
    out: str = typer.Option(None, help="Directory of the results [default: results-NAME]."),
    jobs: int = typer.Option(None, min=1, help="Trainings that run at once [default: the number of cores]."),
    sample: int = typer.Option(None, min=1, help="With check: number of trainings [default: 10]."),
    seed: int = typer.Option(
        None,
        min=0,
        help="With check: seed of the choice of trainings; with figures: of the learning [default: 0].",
    ),
    cluster: str = typer.Option(None, help=CLUSTER_HELP, metavar="ADDRESS"),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Measure the paper's tables and figures again, and write them beside the published numbers.

    Writes Markdown, CSV, LaTeX and pictures of each table, report.html with all of them, the record of every training
    (records.jsonl) and the models. What has been done is never done again: interrupted, the same command goes on, and
    with more --seeds it adds to what is there. A training that fails is recorded, and the rest goes on.

    Exit code 0 if all trainings were done, 1 if some failed or came out differently; 130, 143 or 129 if interrupted
    (the pages show what was done until then).

    'figures' learns automata with Diff-FSA, and draws the paper's diagrams and runs from them as SVG and PNG, with
    their models and a manifest: about two minutes.
    """
    from graphfsa.evaluation import Interrupted, check_results, reproduce, write_results

    given = {"--seeds": seeds, "--quick": quick or None, "--out": out, "--jobs": jobs}
    given |= {"--sample": sample, "--seed": seed, "--cluster": cluster}
    if what == "figures":
        _draw_figures(directory, given, as_json)
        return
    if what == "report":
        _print_results(write_results(_directory("report", directory, given)), as_json)
        return
    if what == "check":
        folder = _directory("check", directory, given, "--sample", "--seed", "--jobs")
        chosen = {name: value for name, value in {"sample": sample, "seed": seed}.items() if value is not None}
        with _progress(quiet=as_json) as watch:
            checked = check_results(folder, processes=jobs, watch=watch, **chosen)
        _print_checked(folder, checked, as_json)
        return
    if directory is not None:
        raise GraphFSAError(f"the directory of the results is given by --out; got {directory!r}")
    if sample is not None or seed is not None:
        raise GraphFSAError("--sample and --seed go with check; the number of seeds of a table is --seeds")
    try:
        with _progress(quiet=as_json) as watch:
            results = reproduce(what, out=out, seeds=seeds, quick=quick, processes=jobs, watch=watch, cluster=cluster)
    except Interrupted as stopped:
        say("interrupted; the same command goes on where it stopped", err=True)
        _print_results(stopped.results, as_json)
        raise typer.Exit(exit_code()) from None
    if _print_results(results, as_json):
        raise typer.Exit(1)


def _draw_figures(directory: str | None, given: dict[str, Any], as_json: bool) -> None:
    """Learn and draw the paper's figures."""
    from graphfsa.views import reproduce_figures

    wrong = [name for name, value in given.items() if value is not None and name not in ("--out", "--seed")]
    if directory is not None or wrong:
        raise GraphFSAError(f"figures takes the options --out and --seed; got {wrong[0] if wrong else repr(directory)}")
    out, seed = given["--out"] or "figures", given["--seed"] or 0
    manifest = reproduce_figures(out, seed=seed, watch=None if as_json else lambda line: say(line, err=True))
    if as_json:
        print_json({"directory": out, **manifest})
        return
    for name, model in manifest["models"].items():
        say(f"{name:<20} {model['verdict']}, seed {model['seed']}, digest {model['digest'][:12]}")
    for name, picture in manifest["figures"].items():
        say(f"{name:<20} {picture['caption']}")
    say(f"written to {out}")


def _directory(what: str, directory: str | None, given: dict[str, Any], *valid: str) -> str:
    """The directory of the results, if one was given and no options but these."""
    if directory is None:
        raise GraphFSAError(f"{what} needs the directory of the results: graphfsa reproduce {what} DIR")
    for name, value in given.items():
        if value is not None and name not in valid:
            options = f"the options {', '.join(valid)}" if valid else "no option"
            raise GraphFSAError(f"{what} takes the directory of the results and {options}; got {name}")
    return directory


def _print_checked(folder: str, checked: list[CheckedJob], as_json: bool) -> None:
    """Say which trainings came out the same."""
    from dataclasses import asdict

    same = sum(not job.differs for job in checked)
    if as_json:
        print_json({"directory": folder, "same": same, "jobs": [asdict(job) for job in checked]})
    else:
        for job in checked:
            say(f"{job.id}  {job.name}: {'; '.join(job.differs) or 'the same'}")
        others = {f"{name} was {then}, and is {now}" for job in checked for name, (then, now) in job.versions.items()}
        for words in sorted(others):
            say(f"other versions: {words}")
        say(f"{same} of {len(checked)} trainings gave the same graphs, accuracies and model again")
    if same < len(checked):
        raise typer.Exit(1)


def _print_results(results: Results, as_json: bool) -> int:
    """Print all tables; returns the number of failed trainings."""
    tables = results.tables()
    failed = {
        f"{table.experiment.name}{f', {table.block.name}' if len(table.experiment.blocks) > 1 else ''}: {name}": error
        for table in tables
        for name, error in table.failed.items()
    }
    if as_json:
        print_json(_facts(results, tables, failed))
    else:
        _print_tables(results, tables, failed)
    return len(failed)


def _facts(results: Results, tables: list[Table], failed: dict[str, str]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "directory": str(results.path),
        "quick": results.quick,
        "tables": {
            name: [
                {
                    "block": table.block.name,
                    "group": row.group,
                    "test": row.test,
                    "column": column,
                    **asdict(cell.strict),
                }
                for table in tables
                if table.experiment.name == name
                for (row, column), cell in table.cells.items()
            ]
            for name in dict.fromkeys(table.experiment.name for table in tables)
        },
        "missing": len({job for table in tables for job in table.missing}),
        "failed": failed,
    }


def _print_tables(results: Results, tables: list[Table], failed: dict[str, str]) -> None:
    from rich.console import Console

    from graphfsa.evaluation.outside import is_outside
    from graphfsa.evaluation.rendering import footnotes

    console = Console(width=None if sys.stdout.isatty() else _WIDE, markup=False, highlight=False)
    for grid in _sheets(results) if is_outside(results) else ():
        console.print(grid)
    for table in () if is_outside(results) else tables:
        for grid in _grids(table, console.width):
            console.print(grid)
        for words in footnotes(table):
            say(words)
    missing = {job for table in tables for job in table.missing}
    if missing:
        say(f"trainings that have not been run: {len(missing)}")
    for name, error in failed.items():
        say(f"failed: {name}: {' '.join(error.split())}", err=True)
    say(f"written to {results.path / 'report.html'}")


def _sheets(results: Results) -> Iterator[Grid]:
    """The tables of the scoreboard that are measured; what differs from the published protocols is on the page."""
    from rich.table import Table as Grid

    from graphfsa.evaluation.outside import make_sheets

    for sheet in make_sheets(results):
        if not sheet.table.lines:
            continue
        columns = [place for place, name in enumerate(sheet.head) if name != "what differs"]
        title = terminal_text(sheet.table.title + (" (quick run)" if results.quick else ""))
        grid = Grid(*(terminal_text(sheet.head[place]) for place in columns), title=title, title_justify="left")
        for row in sheet.rows:
            grid.add_row(*(terminal_text(row[place]) for place in columns))
        yield grid


def _grids(table: Table, width: int) -> Iterator[Grid]:
    """A table in as many pieces as it takes to show every number in full."""
    from rich.table import Table as Grid

    from graphfsa.evaluation.rendering import block_title, row_name, text_at

    title = f"{table.experiment.title}: {block_title(table).lower()}" + (" (quick run)" if table.quick else "")
    title = terminal_text(title)
    names = [terminal_text(f"{row.group} {row_name(table, row)}".strip()) for row in table.rows]
    columns = [
        (terminal_text(column.head), [text_at(table, row, column) for row in table.rows]) for column in table.columns
    ]
    wide = [max(map(len, (*cells, *name.split()))) + _BORDER for name, cells in columns]
    while columns:
        room, number = width - max(map(len, names)) - 2 * _BORDER, 1
        while number < len(columns) and sum(wide[: number + 1]) <= room:
            number += 1
        grid = Grid("", title=title, title_justify="left")
        for (name, _), space in zip(columns[:number], wide, strict=False):
            grid.add_column(name, min_width=space - _BORDER)
        for place, name in enumerate(names):
            grid.add_row(name, *(cells[place] for _, cells in columns[:number]))
        yield grid
        columns, wide, title = columns[number:], wide[number:], ""


@contextmanager
def _progress(*, quiet: bool) -> Generator[Callable[[dict[str, Any]], None]]:
    """Report progress on standard error: a bar on a terminal, a line now and then in a log."""
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
        progress.TextColumn("{task.description}", markup=False),
    )
    console = Console(stderr=True)
    with progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")

        def follow(state: dict[str, Any]) -> None:
            names = ", ".join(sorted(job.learner_name for job in state["running"]))
            words = [_failed(state), _time_left(state), names]
            said = terminal_text("; ".join(word for word in words if word))
            bar.update(task, total=state["total"], completed=state["done"] + state["failed"], description=said)

        yield follow


def _line_by_line() -> Callable[[dict[str, Any]], None]:
    from time import monotonic

    said = monotonic() - _LOG_EVERY

    def follow(state: dict[str, Any]) -> None:
        nonlocal said
        ended = state["done"] + state["failed"]
        if monotonic() - said < _LOG_EVERY and ended < state["total"]:
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
