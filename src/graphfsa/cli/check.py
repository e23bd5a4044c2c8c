"""graphfsa check: does a certificate hold?"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import typer

from graphfsa.cli._common import count_progress, find_automaton, guarded, print_json, print_rows
from graphfsa.errors import GraphFSAError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check_command)


@guarded
def check_command(
    certificate: str = typer.Argument(help="A .json file that 'learn' or 'verify' wrote."),
    model: str = typer.Option(None, help="The automaton that a certificate of 'verify' is about."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Check a certificate from nothing but the file, and the automaton if it is about one.

    A proof of impossibility is checked without any code of the learner. A verification is done again. Exit code 0 if
    the certificate holds, 1 if not.
    """
    began = perf_counter()
    kind = _kind(certificate)
    if kind == "impossibility":
        if model is not None:
            raise GraphFSAError(f"--model goes with a certificate of a verification; {certificate} is of another kind")
        holds, reason = _impossibility(certificate)
    else:
        if model is None:
            raise GraphFSAError(f"{certificate} is about an automaton; give it as --model MODEL")
        holds, reason = _verification(certificate, model)
    facts: dict[str, Any] = {
        "kind": kind,
        "holds": holds,
        "reason": reason,
        "seconds": round(perf_counter() - began, 3),
    }
    print_json(facts) if as_json else print_rows(facts | {"holds": "yes" if holds else "no"})
    if not holds:
        raise typer.Exit(1)


def _kind(path: str) -> str:
    from graphfsa.analysis import impossibility, verification
    from graphfsa.analysis._certificates import read_certificate

    return read_certificate(path, impossibility.KIND, verification.KIND)["kind"]


def _impossibility(path: str) -> tuple[bool, str]:
    from graphfsa.analysis.impossibility import check_impossibility, load_impossibility

    check = check_impossibility(load_impossibility(path))
    note = "; that the labels are those of the task was not checked" if check.holds else ""
    return check.holds, check.reason + note


def _verification(path: str, model: str) -> tuple[bool, str]:
    from graphfsa.analysis.verification import load_certificate, recheck

    said, fsa = load_certificate(path), find_automaton(model)
    with count_progress("instance") as progress:
        found = recheck(said, fsa, progress=progress)
    if not found.agrees:
        return False, "; ".join(found.differences)
    seen = found.verification
    where = f"{seen.graphs:,} graphs of the class {seen.graph_class} up to {seen.max_nodes} nodes"
    return True, f"the automaton is right on all {seen.instances:,} instances of {said.dataset.name} on {where}"
