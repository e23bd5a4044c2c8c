"""graphfsa grab: the benchmark generator."""

from __future__ import annotations

import sys

import typer

from graphfsa.cli._common import parse_options, print_json, print_rows, say
from graphfsa.cli._guard import guarded
from graphfsa.errors import GraphFSAError


def register(app: typer.Typer) -> None:
    """Add the commands."""
    grab = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    grab.command("generate")(generate_command)
    grab.command("describe")(describe_command)
    app.add_typer(grab, name="grab", help="GRAB, the benchmark generator: a random automaton labels random graphs.")


@guarded
def generate_command(
    config: str = typer.Argument(None, help="paper-1 to paper-5, or the name of a family; or give --family."),
    family: str = typer.Option(None, help="Family of the graphs."),
    option: list[str] = typer.Option(
        [],
        help="An option of the truth, as key=value: num-states, num-starting, num-final, bound, truth, truth-seed, ...",
    ),
    covering: bool = typer.Option(
        False, help="Add small graphs to train until all entries that can be found are visited."
    ),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs and starting states."),
    out: str = typer.Option(..., help="The directory to make."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Draw a truth and all splits, and write them to a directory."""
    from graphfsa.datasets import grab

    if (config is None) == (family is None):
        raise GraphFSAError("give either the name of a configuration or --family")
    options = parse_options(option)
    if "family" in options:
        raise GraphFSAError("--option family can't be set here: give --family")
    data = grab(config, family=family, seed=seed, covering=covering, out=out, progress=_say, **options)
    facts = {
        "out": out,
        "digest": data.digest,
        "truth": data.truth.digest,
        "graphs": {name: len(examples) for name, examples in data.splits.items()},
        "acceptance": data.acceptance,
        "notes": data.notes,
    }
    if as_json:
        print_json(facts)
        return
    print_rows({name: facts[name] for name in ("digest", "truth", "out")})
    for name, examples in data.splits.items():
        say(f"  {name:<12} {len(examples):>6} graphs, {data.acceptance[name]:.1%} of those drawn")
    for note in data.notes:
        say(f"note: {note}", err=True)


@guarded
def describe_command(
    directory: str = typer.Argument(help="A directory made by 'grab generate'."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Describe a benchmark: coverage of the truth table, acceptance, class balance, sizes, overlaps of the splits."""
    from graphfsa.datasets import describe_grab, grab_facts

    print_json(grab_facts(directory)) if as_json else say(describe_grab(directory))


def _say(split: str) -> None:
    if sys.stderr.isatty():
        say(f"drawing {split}", err=True)
