"""graphfsa evaluate: how well a model does a task, or fits labelled graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_picture, find_data, parse_sizes, print_json, print_rows, say, shown_name
from graphfsa.cli._guard import guarded
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.evaluation import Evaluation


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("evaluate")(evaluate_command)


@guarded
def evaluate_command(
    model: str = typer.Argument(
        help="A library name (path-finding, rule110, ...), or a file of an automaton or network."
    ),
    task: str = typer.Option(None, help="Name of a data set, or file.py:Class [default: the model's own]."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    data: str = typer.Option(None, help="Instead of a task: a .jsonl file of labelled graphs."),
    sizes: str = typer.Option(None, help="Number of nodes: N, A..B or N,N,N [default: those of the test split]."),
    count: int = typer.Option(
        None, min=1, help="Graphs of each size [default: 100, fewer above 100 nodes, at least 10]."
    ),
    steps: str = typer.Option(
        None,
        help="Steps after which labels hold: N, A..B or N,N,N [default: the data set's own]. "
        "With --data: one number, and the labels are states after this number of steps.",
    ),
    beyond: str = typer.Option(
        None,
        help="Iteration stability: also after these numbers of further steps, N, A..B or N,N,N, and for automata which "
        "graphs settle.",
    ),
    seed: int = typer.Option(0, min=0, help="Seed."),
    draw: str = typer.Option(
        None,
        help="Draw accuracy against size, or with --beyond against further steps, to this .png, .svg or .pdf file.",
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Score a model on test graphs of a task, or on a file of yours; strict: a node without an answer is wrong.

    Graphs of a task are those of its test zone, which no training graph is isomorphic to. Inputs and classes of a file
    are matched with those of the model by their names.
    """
    from graphfsa.evaluation import evaluate
    from graphfsa.learners import as_model

    check_picture(draw)
    known = as_model(model)
    if draw is not None and beyond is not None and not known.is_automaton:
        raise GraphFSAError("--draw with --beyond shows which graphs settle, which is for automata; leave out one")
    if data is not None and (sizes is not None or count is not None):
        raise GraphFSAError("--sizes and --count go with a task; a file holds the graphs that it holds")
    found = evaluate(
        known,
        find_data(task, option, data),
        sizes=None if sizes is None else parse_sizes(sizes, "--sizes"),
        count=count,
        steps=None if steps is None else parse_sizes(steps, "--steps"),
        beyond=None if beyond is None else parse_sizes(beyond, "--beyond"),
        seed=seed,
    )
    own = None if known.dataset is None or data is not None else known.dataset.name
    about = {"task": task or own, "data": data}
    facts = _facts(found, model, about, is_automaton=known.is_automaton)
    if draw is not None:
        from graphfsa.views import draw_accuracy, draw_stability

        picture = draw_accuracy if beyond is None else draw_stability
        picture(
            {shown_name(model): facts["results"]},
            draw,
            title=f"{shown_name(model)} on {shown_name(data or task or own or '')}",
        )
    print_json(facts) if as_json else _print(facts)


def _facts(found: Evaluation, model: str, about: dict[str, Any], *, is_automaton: bool) -> dict[str, Any]:
    return {
        "model": model,
        "automaton" if is_automaton else "network": found.model,
        **about,
        "scoring": "strict",
        "seed": found.seed,
        "digest": found.digest,
        "results": found.as_dicts(),
    }


def _print(facts: dict[str, Any]) -> None:
    print_rows(
        {
            name: facts[name]
            for name in ("model", "task", "data", "scoring", "seed", "digest")
            if facts[name] is not None
        }
    )
    shown = ["perfect", "accuracy", *(["settled"] if "settled" in facts["results"][0] else [])]
    say(f"\n{'nodes':>9}{'steps':>9}{'graphs':>9}" + "".join(f"{name:>10}" for name in shown))
    for row in facts["results"]:
        # Rounded down: only what has no wrong node is shown as 1.
        numbers = "".join(f"{int(row[name] * 10**4) / 10**4:>10.4f}" for name in shown)
        say(f"{row['size']:>9}{row['steps']:>9}{row['graphs']:>9}{numbers}")
