"""graphfsa report: everything there is to say about a model, on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import (
    check_output,
    find_automaton,
    find_dataset,
    generators,
    guarded,
    is_same_file,
    parse_sizes,
    print_json,
    shown_name,
)
from graphfsa.errors import GraphFSAError, LimitError

if TYPE_CHECKING:
    from graphfsa.automaton import GraphFSA
    from graphfsa.datasets import Dataset, Examples
    from graphfsa.views.report import Section

_LARGE = 1000
_PLAYED = 30
_STEPS = 20
_TIMES = (1, 2, 5, 10, 20, 50, 100)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report_command)


@guarded
def report_command(
    model: str = typer.Argument(help="A library name, a .json or a .rules file."),
    task: str = typer.Option(..., help="Name of the data set that the model is for."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    sizes: str = typer.Option(None, help="Sizes to test on [default: those of the test split, and 1000]."),
    max_nodes: int = typer.Option(6, min=1, help="Verify on all graphs of up to so many nodes."),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs."),
    out: str = typer.Option(..., help="The .html file to write."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write one HTML page about a model: rules, diagram, coverage, accuracy, verification and a roll-out to play.

    The page needs no network.
    """
    check_output(out, (".html",))
    if is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    chosen = None if sizes is None else parse_sizes(sizes, "--sizes")
    if chosen is not None and min(chosen) < 1:
        raise GraphFSAError(f"--sizes must be at least 1; got {min(chosen)}")
    fsa, dataset = find_automaton(model), find_dataset(task, option)
    facts = make_report(fsa, dataset, shown_name(model), out, seed, chosen, max_nodes)
    if as_json:
        print_json(facts)
    else:
        typer.echo(f"written to {out}")


def make_report(
    fsa: GraphFSA, dataset: Dataset, name: str, out: str, seed: int, sizes: list[int] | None = None, max_nodes: int = 6
) -> dict[str, Any]:
    """Write the page; returns what is on it, for machines."""
    from graphfsa import __version__
    from graphfsa.views import report as views

    dataset.task.check_automaton(fsa)
    train = _training(dataset, seed)
    accuracy = _accuracy(fsa, dataset, sizes, seed)
    verified, verification = _verification(fsa, dataset, max_nodes)
    about = {
        "task": dataset.name,
        "automaton": fsa.digest,
        "states": ", ".join(fsa.state_names),
        "aggregation": str(fsa.aggregation),
        "training graphs": f"{len(train):,}, digest {train.digest}",
        "seed": seed,
        "version": f"graphfsa {__version__}",
    }
    sections = [
        _rules(fsa, train),
        _diagram(fsa),
        _numbers(accuracy, name, dataset),
        verification,
        _coverage(fsa, train),
        _played(fsa, dataset, seed),
        views.facts("Where this is from", about),
    ]
    subtitle = f"{fsa.num_states} states, {fsa.aggregation}; automaton {fsa.digest[:12]}"
    views.write_report(out, f"{name}: an automaton for {dataset.name}", subtitle, sections)
    return {"out": out, "accuracy": accuracy, "verified": verified, **about}


def _training(dataset: Dataset, seed: int) -> Examples:
    import numpy as np

    from graphfsa.datasets._zones import draw_training

    return draw_training(dataset, np.random.default_rng(seed))


def _rules(fsa: GraphFSA, train: Examples) -> Section:
    from graphfsa.datasets._covering import entry_counts
    from graphfsa.views import report as views

    try:
        words = str(fsa.rules(matters=entry_counts(fsa, train) > 0))
    except LimitError as error:
        words = str(error)
    return views.text("What it does, in words", words, note="Entries that the training graphs never use are left free.")


def _diagram(fsa: GraphFSA) -> Section:
    from graphfsa.views import report as views
    from graphfsa.views.diagram import diagram

    try:
        return views.picture("Diagram", diagram(fsa).svg())
    except LimitError as error:
        return views.text("Diagram", str(error))


def _accuracy(fsa: GraphFSA, dataset: Dataset, sizes: list[int] | None, seed: int) -> list[dict[str, Any]]:
    """On larger graphs; for a cellular automaton on larger boards after several numbers of steps."""
    from graphfsa.cli.evaluate import score, usual_count
    from graphfsa.datasets import draw

    evolves = dataset.task.kind == "evolution"
    chosen = sizes or [*(size for size, _ in dataset.splits["test"].parts), *([] if evolves else [_LARGE])]
    cases = [(size, steps) for size in chosen for steps in (_TIMES if evolves else (None,))]
    return [
        score(draw(dataset, size, usual_count(size), rng, "test", steps=steps), fsa)
        for (size, steps), rng in zip(cases, generators(seed + 1, len(cases)), strict=True)
    ]


def _numbers(results: list[dict[str, Any]], name: str, dataset: Dataset) -> Section:
    from graphfsa.views import report as views
    from graphfsa.views.learning import draw_accuracy

    columns = ("size", "steps", "graphs", "perfect", "accuracy")
    rows = [[f"{row[k]:.4f}" if isinstance(row[k], float) else f"{row[k]:,}" for k in columns] for row in results]
    note = "On graphs that no training graph is isomorphic to; strict: a node without an answer is wrong."
    figure = draw_accuracy({name: results}) if len(results) > 1 else None
    title = "Accuracy after more steps" if dataset.task.kind == "evolution" else "Accuracy on larger graphs"
    return views.numbers(title, columns, rows, figure, note=note)


def _verification(fsa: GraphFSA, dataset: Dataset, max_nodes: int) -> tuple[bool | None, Section]:
    from graphfsa.analysis.verification import verify
    from graphfsa.views import report as views

    title = "Verification"
    try:
        found = verify(fsa, dataset, max_nodes)
    except GraphFSAError as error:
        return None, views.text(title, f"not done: {error}")
    rows = {
        "verdict": "right on all of them" if found.verified else "WRONG on the smallest counterexample",
        "graphs": f"all {found.graphs:,} of the class {found.graph_class!r} with up to {found.max_nodes} nodes",
        "instances": f"{found.instances:,} graphs with inputs",
        "digest": found.digest,
    }
    return found.verified, views.facts(title, rows)


def _coverage(fsa: GraphFSA, train: Examples) -> Section:
    from graphfsa.analysis.coverage import coverage
    from graphfsa.views import report as views
    from graphfsa.views.entries import draw_coverage

    try:
        note = "Which entries of the table the training graphs have used."
        return views.picture("Coverage", draw_coverage(coverage(fsa, train)), note=note)
    except GraphFSAError as error:
        return views.text("Coverage", f"not drawn: {error}")


def _played(fsa: GraphFSA, dataset: Dataset, seed: int) -> Section:
    from graphfsa import run
    from graphfsa.views import report as views

    (rng,) = generators(seed + 2, 1)
    size = next(size for size, _ in dataset.splits["test"].parts) if dataset.task.kind == "evolution" else _PLAYED
    example = next(iter(dataset.generate(size, 1, rng)))
    start = dataset.task.starting_states(fsa, example.inputs)
    steps = max(example.steps, _STEPS) if dataset.task.kind == "evolution" else example.steps
    found = run(fsa, example.graph, start, steps)
    if found.period == 1 and found.stable_at is not None:  # One step more shows that it rests.
        steps = min(steps, found.stable_at + 1)
    trajectory = run(fsa, example.graph, start, steps, record="all")
    note = "Play it, step through it, and click a node to see why it changed."
    return views.rollout("A run", fsa, example.graph, trajectory, note=note)
