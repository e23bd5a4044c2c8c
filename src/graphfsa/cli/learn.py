"""graphfsa learn: from labelled graphs to a model, or to the reason why there is none."""

from __future__ import annotations

from typing import Any

import typer

from graphfsa.cli._common import check_output, guarded, is_same_file, print_json
from graphfsa.cli._source import Source
from graphfsa.errors import GraphFSAError

_SPECIAL = ("exact", "diff-fsa")
"""Learners with options of their own."""
_OWNERS = {
    **dict.fromkeys(("merge", "tolerance", "budget", "certificate"), ("exact",)),
    **dict.fromkeys(
        ("preset", "restarts", "updates", "initial", "soft", "checkpoint", "resume", "device"), ("diff-fsa",)
    ),
    **dict.fromkeys(("states", "bound", "aggregation"), _SPECIAL),
}
"""Which learners an option goes with; one that is not here goes with all but the exact one."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn")(learn_command)


@guarded
def learn_command(
    task: str = typer.Option(None, help="Name of a data set: see 'graphfsa data list'."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    sizes: str = typer.Option(None, help="With --task: number of nodes, N, A..B or N,N,N [default: up to 10]."),
    count: int = typer.Option(None, min=1, help="With --task: number of graphs in all [default: the data set's own]."),
    data: str = typer.Option(None, help="Instead of --task: a .jsonl file of labelled graphs."),
    steps: int = typer.Option(None, min=0, help="Labels are states after so many steps."),
    learner: str = typer.Option(
        "exact",
        help="exact (search), diff (gradient descent; needs torch), or a baseline: recurrent-gnn, gnca (networks; need "
        "torch), majority, stay (floors).",
    ),
    states: str = typer.Option(None, help="States at most, K or A..B [default: two more than classes and inputs]."),
    bound: str = typer.Option(None, help="How far to count at most, B or A..B [default: 3; evolutions: the degree]."),
    aggregation: str = typer.Option("auto", help="counting, positional, average-threshold, or auto."),
    merge: str = typer.Option(None, help="exact: input classes that may start alike: auto, none, or a=b,c=d."),
    tolerance: float = typer.Option(None, help="exact: share of nodes whose labels may be wrong [default: 0]."),
    budget: float = typer.Option(None, help="exact: seconds to search [default: 60]."),
    preset: str = typer.Option(None, help="diff: strong, paper or reference [default: strong]."),
    restarts: int = typer.Option(None, min=1, help="diff: tables that are trained at once."),
    epochs: int = typer.Option(
        None, min=1, help="diff (paper, reference) and networks: passes over the training graphs."
    ),
    updates: int = typer.Option(None, min=1, help="diff, strong: updates of each size of automata at most."),
    choose: list[str] = typer.Option(
        [],
        help="An option of diff or a network, as key=value (rate=0.1, batch=32, hidden=64, ...); may be repeated.",
    ),
    validation: str = typer.Option(None, help="With --data: a .jsonl file of validation graphs (not for exact)."),
    initial: str = typer.Option(None, help="diff: an automaton to begin with, a .json file or a library name."),
    soft: str = typer.Option(None, help="diff: the .safetensors file to write the soft table to."),
    checkpoint: str = typer.Option(None, help="diff: a directory to keep the state and the history in."),
    resume: bool = typer.Option(False, "--resume", help="diff: go on from the checkpoint, if there is one."),
    device: str = typer.Option(None, help="diff: device of the tables, cpu or cuda [default: cpu]."),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs that are drawn, and of the search."),
    out: str = typer.Option(..., help="The file to write to: .json for an automaton, .safetensors for a network."),
    certificate: str = typer.Option(
        None, help="exact: where to write a proof of impossibility [default: NAME.impossible.json beside --out]."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Learn an automaton that gives every node its label, or a baseline to compare it with.

    The exact learner finds the simplest one, or proves that there is none. Diff-FSA trains soft tables by gradient
    descent and makes them exact, or trains as published (--preset paper). Networks and floors are what the paper and
    common sense compare with: see docs/baselines.md.

    Verdicts: exact (all labels are right), best-effort (as many as could be), impossible (nothing of this size fits,
    and a small set of graphs that shows it is written), undecided (the budget is spent). Exit code 0 for exact and
    best-effort, 1 for the others. Ctrl-C writes the best so far and exits with 130.
    """
    from graphfsa.cli._learn_any import learn_with
    from graphfsa.cli._learn_diff import learn_by_descent
    from graphfsa.cli._learn_exact import learn_exactly
    from graphfsa.learners import full_name, learner_class

    name = full_name(learner)
    sized = {"states": states, "bound": bound, "aggregation": None if aggregation == "auto" else aggregation}
    options = {
        "merge": merge, "tolerance": tolerance, "budget": budget, "certificate": certificate, "preset": preset,
        "restarts": restarts, "updates": updates, "initial": initial, "soft": soft, "checkpoint": checkpoint,
        "resume": resume or None, "device": device, "epochs": epochs, "choose": choose or None,
        "validation": validation,
    }  # fmt: skip
    given = _given(name, {**options, **sized})
    check_output(out, (learner_class(name).suffix,))
    if data is not None and is_same_file(out, data):
        raise GraphFSAError(f"{data!r} is the data and would be overwritten; choose another file")
    split = "train" if preset in ("paper", "reference") else "learn"
    source = Source(task, option, sizes, count, data, steps, seed, split)
    if name in _SPECIAL:
        size = {"states": _range("--states", states), "bound": _range("--bound", bound), "aggregation": aggregation}
        given = {key: value for key, value in given.items() if key not in size}
        facts = (learn_exactly if name == "exact" else learn_by_descent)(source, size, given, out, quiet=as_json)
    else:
        facts = learn_with(name, source, given, out, quiet=as_json)
    if as_json:
        print_json(facts)
    if facts["interrupted"]:
        raise typer.Exit(130)
    if facts["verdict"] in ("impossible", "undecided"):
        raise typer.Exit(1)


def _given(learner: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; raises for one that does not go with the learner."""
    from graphfsa.learners import learner_names

    others = tuple(name for name in learner_names() if name != "exact")
    for name, value in options.items():
        owners = _OWNERS.get(name, others)
        if value is not None and learner not in owners:
            raise GraphFSAError(f"--{name} goes with --learner {' or '.join(owners)}; the learner is {learner}")
    return {name: value for name, value in options.items() if value is not None}


def _range(name: str, text: str | None) -> Any:
    if text is None:
        return None
    words = text.split("..")
    if len(words) > 2 or not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise GraphFSAError(f"{name} must look like 4 or 4..6, with numbers below 10^9; got {text!r}")
    return int(words[0]) if len(words) == 1 else (int(words[0]), int(words[1]))
