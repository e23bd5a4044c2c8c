"""graphfsa verify: is an automaton right on every small graph, and does something hold in every run?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, find_data, is_same_file, print_json, print_rows, say, shown_name
from graphfsa.cli._guard import guarded
from graphfsa.cli._instances import counterexample_facts, print_counterexample
from graphfsa.cli._progress import count_progress
from graphfsa.cli._questions import answer_facts, print_answer
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.analysis.questions import Answer
    from graphfsa.analysis.verification import Verification

_QUESTION = "Questions about every run"
_DEFAULTS: dict[str, Any] = {
    "start": None, "scheduler": None, "fair": False, "player": None, "samples": None, "confidence": 0.99, "seed": 0
}  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify_command)


@guarded
def verify_command(
    model: str = typer.Argument(help="A library name (path-finding, rule110, ...) or a file."),
    task: str = typer.Option(None, help="Name of a data set, or file.py:Class [default: the model's own]."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    data: str = typer.Option(
        None, help="Instead of a task: a .jsonl file of labelled graphs, all of which are checked."
    ),
    steps: int = typer.Option(
        None,
        min=0,
        help="With --data: its labels are states after this number of steps. With --samples: steps of a run.",
    ),
    max_nodes: int = typer.Option(6, min=1, help="The largest number of nodes."),
    graph_class: str = typer.Option(
        None,
        "--family",
        help="Class of graphs: path, cycle, tree, rooted-tree, connected, row or ring [default: that of the task].",
    ),
    always: str = typer.Option(
        None, metavar="PREDICATE", help="Does it hold in every configuration?", rich_help_panel=_QUESTION
    ),
    eventually: str = typer.Option(
        None, metavar="PREDICATE", help="Does every run come to it?", rich_help_panel=_QUESTION
    ),
    eventually_always: str = typer.Option(
        None, metavar="PREDICATE", help="Does every run come to it and keep it?", rich_help_panel=_QUESTION
    ),
    start: str = typer.Option(
        None,
        "--from",
        metavar="starting|every|PREDICATE",
        help="Where runs start: in starting states, in every configuration, or where a predicate holds "
        "[default: starting].",
        rich_help_panel=_QUESTION,
    ),
    scheduler: str = typer.Option(
        None,
        help="Who may move in a step: synchronous, central, distributed or locally-central [default: synchronous].",
        rich_help_panel=_QUESTION,
    ),
    fair: bool = typer.Option(
        False, "--fair", help="Only runs in which no node waits for ever while it can move.", rich_help_panel=_QUESTION
    ),
    player: str = typer.Option(
        None,
        metavar="FILE",
        help="Write the counterexample, or the run that takes longest, to an .html file that plays it, or to a .png, "
        ".svg, .pdf or .gif picture.",
        rich_help_panel=_QUESTION,
    ),
    samples: int = typer.Option(
        None, min=1, help="Do not explore: draw this number of runs and estimate.", rich_help_panel=_QUESTION
    ),
    confidence: float = typer.Option(0.99, help="With --samples: of the estimate.", rich_help_panel=_QUESTION),
    seed: int = typer.Option(0, min=0, help="With --samples: seed of the runs.", rich_help_panel=_QUESTION),
    out: str = typer.Option(None, help="Write a certificate to this .json file if all is right."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Check an automaton on every small graph of a class and every input of a task, or ask about every run.

    Check all of them up to a size, and print a counterexample if there is one: none has fewer nodes, and the exit code
    is 1. Evolutions are compared after one step on all inputs, which proves every number of steps.

    With --always, --eventually or --eventually-always a predicate such as "exactly one leader" is decided for every run
    that a scheduler may choose; a counterexample is the shortest such run.
    """
    asked = {"always": always, "eventually": eventually, "eventually_always": eventually_always}
    given = {
        "start": start, "scheduler": scheduler, "fair": fair, "player": player, "samples": samples,
        "confidence": confidence, "seed": seed,
    }  # fmt: skip
    if any(wanted is not None for wanted in asked.values()):
        if data is not None or out is not None:
            raise GraphFSAError("--data and --out go without --always, --eventually and --eventually-always")
        if steps is not None and samples is None:
            raise GraphFSAError("--steps goes with --samples or --data; questions are about runs of any length")
        source = find_data(task, option, None)
        about = {"graphs": graph_class, "max_nodes": max_nodes, "task": source, **asked}
        _ask(model, about | ({} if steps is None else {"steps": steps}), given, as_json=as_json)
        return
    for name, value in given.items():
        if value != _DEFAULTS[name]:
            flag = "from" if name == "start" else name
            raise GraphFSAError(f"--{flag} goes with --always, --eventually or --eventually-always")
    _verify(model, find_data(task, option, data), data, steps, max_nodes, graph_class, out, as_json=as_json)


def _verify(
    model: str,
    source: Any,
    data: str | None,
    steps: int | None,
    max_nodes: int,
    graph_class: str | None,
    out: str | None,
    *,
    as_json: bool,
) -> None:
    from graphfsa.analysis import save_certificate, verify
    from graphfsa.learners import as_model

    check_output(out, (".json",))
    if out is not None and is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    if out is not None and data is not None:
        raise GraphFSAError("--out goes with a task: a certificate is about all graphs of a class")
    known = as_model(model)
    with count_progress("instance") as progress:
        found = verify(known, source, max_nodes, graph_class=graph_class, steps=steps, progress=progress)
    if out is not None and found.verified:
        save_certificate(found, known, out, source)
    facts = _facts(found, out if found.verified else None)
    name = data or (known.load_dataset() if source is None else source).name
    print_json(facts) if as_json else _print(facts, name, asked=out is not None)
    if not found.verified:
        raise typer.Exit(1)


def _ask(model: str, about: dict[str, Any], given: dict[str, Any], *, as_json: bool) -> None:
    """Answer a question."""
    from graphfsa.analysis.questions import ask
    from graphfsa.views.rollouts import SUFFIXES

    player = given.pop("player")
    check_output(player, SUFFIXES)
    if player is not None and is_same_file(player, model):
        raise GraphFSAError(f"--player {player!r} would overwrite the model; choose another file")
    if player is not None and given["samples"] is not None:
        raise GraphFSAError("--player goes without --samples: runs that are drawn prove nothing")
    chosen = {name: value for name, value in given.items() if value is not None}
    with count_progress("graph") as progress:
        found = ask(model, **about, **chosen, progress=progress)
    written = _play(found, model, player)
    print_json(answer_facts(found, written)) if as_json else print_answer(found, written)
    if found.holds is False:
        raise typer.Exit(1)


def _play(found: Answer, model: str, player: str | None) -> str | None:
    """Write the run that says most, if a file was asked for and there is one."""
    from graphfsa.views import rollout

    run = found.counterexample or found.worst
    if player is None or run is None:
        return None
    what = "not " + found.question if found.holds is False else "the longest way to: " + found.question
    rollout(run.trajectory, title=f"{shown_name(model)}, {found.scheduler}: {what}", speed=2, out=player)
    return player


def _facts(found: Verification, certificate: str | None) -> dict[str, Any]:
    return {
        "verified": found.verified,
        "graph_class": found.graph_class,
        "max_nodes": found.max_nodes,
        "graphs": found.graphs,
        "instances": found.instances,
        "digest": found.digest,
        "seconds": round(found.seconds, 6),
        "certificate": certificate,
        "counterexample": None if found.counterexample is None else counterexample_facts(found.counterexample),
    }


def _print(facts: dict[str, Any], task: str, *, asked: bool) -> None:
    example = facts["counterexample"]
    rows = {name.replace("_", " "): value for name, value in facts.items() if name != "counterexample"}
    rows["verified"] = "yes" if facts["verified"] else "no, there is a counterexample"
    for name in ("graphs", "instances"):
        rows[name] = f"{facts[name]:,}"
    if asked:
        rows["certificate"] = facts["certificate"] or "none"
    else:
        del rows["certificate"]
    print_rows(rows)
    if example is None:
        return
    say()
    print_counterexample(example, f" of {task}")
