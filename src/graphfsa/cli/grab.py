"""graphfsa grab: the benchmark generator."""

from __future__ import annotations

import sys

import typer

from graphfsa.cli._cluster import CLUSTER_HELP
from graphfsa.cli._common import parse_sizes, print_json, print_rows, say
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
    family: str = typer.Option(None, help="Family of the graphs: tree, regular:degree=4, erdos-renyi:p=0.2, ..."),
    states: int = typer.Option(None, help="Number of states of the truth [default: 4]."),
    starting: int = typer.Option(None, help="Number of its starting states [default: 2]."),
    final: int = typer.Option(None, help="Number of its final states, the classes [default: 2]."),
    aggregation: str = typer.Option(None, help="counting, positional, average-threshold or letters."),
    bound: int = typer.Option(None, help="counting, letters: they count to this number [default: 1]."),
    slots: int = typer.Option(None, help="positional: number of neighbour slots [default: the family's own]."),
    thresholds: str = typer.Option(None, help="average-threshold: numbers in (0, 1], as 0.25,0.5 [default: 0.5]."),
    letters: int = typer.Option(None, help="letters: how many letters the states show [default: 2]."),
    truth: str = typer.Option(None, help="dense, or sparse: only two other successors for each state."),
    truth_seed: int = typer.Option(None, help="Seed of the truth [default: 0]."),
    sizes: str = typer.Option(None, help="Nodes of the graphs for training, validation and ood: 6, 9,16 or 4..8."),
    count: int = typer.Option(None, help="Number of training graphs, of all sizes together [default: 1000]."),
    steps: int = typer.Option(None, help="Steps of the truth on these graphs [default: 10; 5n/4 if larger]."),
    keep: int = typer.Option(None, help="Percentage of their nodes that must end in a final state [default: 100]."),
    validation_count: int = typer.Option(None, help="Number of graphs for validation [default: 100]."),
    ood_count: int = typer.Option(None, help="Number of graphs of another family [default: 100]."),
    ood_family: str = typer.Option(None, help="This other family, or none."),
    test_sizes: str = typer.Option(None, help="Nodes of the larger graphs to test on: 10,20,50, or none."),
    test_count: str = typer.Option(None, help="Number of graphs of each of these sizes; or one number for each."),
    test_steps: str = typer.Option(None, help="Steps on these graphs; or one number for each [default: 5n/4]."),
    test_keep: int = typer.Option(None, help="Percentage of their nodes that must end in a final state [default: 70]."),
    covering: bool = typer.Option(
        False, help="Add small graphs to train until all entries that can be found are visited."
    ),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs and starting states."),
    cluster: str = typer.Option(None, help=CLUSTER_HELP, metavar="ADDRESS"),
    out: str = typer.Option(..., help="The directory to make."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Draw a truth and all splits, and write them to a directory, with a data card (README.md).

    What is not given is as in the configuration; for a family as in the authors' scripts.
    """
    from graphfsa.datasets import grab

    if (config is None) == (family is None):
        raise GraphFSAError("give either the name of a configuration or --family")
    lists = {"sizes": sizes, "test_sizes": test_sizes, "test_count": test_count, "test_steps": test_steps}
    choices = {
        "num_states": states,
        "num_starting": starting,
        "num_final": final,
        "aggregation": aggregation,
        "bound": bound,
        "slots": slots,
        "thresholds": thresholds,
        "letters": letters,
        "truth": truth,
        "truth_seed": truth_seed,
        "count": count,
        "steps": steps,
        "keep": keep,
        "validation_count": validation_count,
        "ood_count": ood_count,
        "ood_family": ood_family,
        "test_keep": test_keep,
        **{name: None if text is None else _numbers(name, text) for name, text in lists.items()},
    }
    given = {name: value for name, value in choices.items() if value is not None}
    data = grab(config, family=family, seed=seed, covering=covering, out=out, progress=_say, cluster=cluster, **given)
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
    """Describe a benchmark: sizes, acceptance, class balance, masked nodes, overlaps, coverage of the truth table."""
    from graphfsa.datasets import describe_grab, grab_facts

    print_json(grab_facts(directory)) if as_json else say(describe_grab(directory))


def _say(split: str) -> None:
    if sys.stderr.isatty():
        say(f"drawing {split}", err=True)


def _numbers(name: str, text: str) -> list[int]:
    """The numbers of an option; none if it says so."""
    return [] if text == "none" else parse_sizes(text, "--" + name.replace("_", "-"))
