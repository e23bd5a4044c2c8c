"""graphfsa prove: is an automaton right on graphs of every size?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, find_data, is_same_file, print_json, print_rows, say, shown_name
from graphfsa.cli._guard import guarded
from graphfsa.cli._instances import counterexample_facts, graph_word, print_counterexample
from graphfsa.cli._progress import learning_progress
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.proofs import Proof


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("prove")(prove_command)


@guarded
def prove_command(
    model: str = typer.Argument(help="A library name (path-finding, prefix-sum, ...) or a file."),
    task: str = typer.Option(None, help="Name of a data set, or file.py:Class [default: the model's own]."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    spec: str = typer.Option(None, help="The specification to prove, file.py:Class [default: that of the task]."),
    graph_class: str = typer.Option(None, "--family", help="Which specification of the task: connected, tree or path."),
    max_nodes: int = typer.Option(11, min=1, help="If there is no proof: look for a wrong tree up to this size."),
    effort: int = typer.Option(1, min=1, help="How many times the usual amount of work may be done."),
    out: str = typer.Option(None, help="Write the certificate to this .json file if it is proved."),
    player: str = typer.Option(None, help="Write the run on the wrong graph to this .html file if it is refuted."),
    explain: bool = typer.Option(False, help="Say why it is right, or where it is wrong, in sentences."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Prove that an automaton is right on graphs of every size, or find the smallest graph on which it is wrong.

    Verdicts: proved (with a certificate that 'graphfsa check' checks by itself), refuted (with a graph), undecided
    (with the reason). Exit code 0 if it is proved, 1 if not. How it works, and how to write a specification of your
    own: docs/proofs.md.
    """
    from graphfsa.learners import as_model
    from graphfsa.proofs import prove, save_proof
    from graphfsa.views import wrong_rollout

    check_output(out, (".json",))
    check_output(player, (".html",))
    if out is not None and is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    known, source = as_model(model), find_data(task, option, None)
    with learning_progress() as watch:
        found = prove(
            known,
            source,
            spec=spec,
            graph_class=graph_class,
            max_nodes=max_nodes,
            effort=effort,
            watch=lambda doing: watch({"doing": doing}),
        )
    if out is not None and found.proved:
        save_proof(found, out)
    wrong = found.counterexample
    if player is not None and wrong is not None:
        title = f"{shown_name(model)} is wrong on this {graph_word(found.graph_class)}"
        wrong_rollout(known.automaton, found.starting_states(known), wrong, out=player, title=title)
    facts = proof_facts(found, out, player)
    words = found.words(known) if explain else None
    if as_json:
        print_json(facts | ({} if words is None else {"words": words.splitlines()}))
    else:
        print_proof(facts)
        if player is not None and wrong is None:
            say("\nno player: nothing is wrong" if found.proved else "\nno player: no wrong graph was found")
        if words is not None:
            say("\n" + words)
    if not found.proved:
        raise typer.Exit(1)


def proof_facts(found: Proof, out: str | None = None, player: str | None = None) -> dict[str, Any]:
    """What became of a proof, as JSON values."""
    wrong = found.counterexample
    return {
        "verdict": found.verdict,
        "claim": found.claim,
        "statement": _source(found),
        "graph_class": found.graph_class,
        "steps": found.steps,
        "reason": found.reason or None,
        "advice": _advice(found) if found.verdict == "undecided" else None,
        "checked_nodes": found.checked_nodes,
        "seconds": round(found.seconds, 3),
        "certificate": out if found.proved else None,
        "player": player if wrong is not None else None,
        "counterexample": None if wrong is None else counterexample_facts(wrong),
    }


def _advice(found: Proof) -> str:
    """What to do about an undecided proof."""
    steps = ["--effort 10 (ten times the work)"]
    if found.graph_class == "connected":
        steps.insert(0, "--family tree, if the task offers it (trees have a method of their own)")
    return f"{'; '.join(steps)}; more in docs/tutorials/prove-your-automaton.md"


def _source(found: Proof) -> str:
    """Whose statement it is, and whether it was compared with the labels of a task."""
    task, name = found.source.get("task"), found.statement.name
    if task is not None:
        return f"{name}, compared with the labels of {task} on small instances"
    if found.source.get("compared"):
        return f"{name}, compared with the labels of the task on small instances"
    return f"{name}, not compared with any task"


def print_proof(facts: dict[str, Any]) -> None:
    """The same for a person."""
    wrong = facts["counterexample"]
    rows = {name.replace("_", " "): value for name, value in facts.items() if value is not None and value is not wrong}
    rows.pop("advice", None)
    del rows["checked nodes"]
    if facts["checked_nodes"]:
        rows["checked nodes"] = f"all graphs of the class up to {facts['checked_nodes']} nodes are right"
    if facts["verdict"] == "undecided":
        rows["what to try"] = facts["advice"]
    print_rows(rows)
    if wrong is not None:
        say()
        print_counterexample(wrong)
