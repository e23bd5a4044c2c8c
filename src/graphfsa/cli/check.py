"""graphfsa check: does a certificate hold?"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import typer

from graphfsa.cli._common import print_json, print_rows
from graphfsa.cli._guard import guarded
from graphfsa.cli._progress import count_progress


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check_command)


@guarded
def check_command(
    certificate: str = typer.Argument(help="A .json file that 'prove', 'learn' or 'verify' wrote."),
    model: str = typer.Argument(None, help="The automaton that a proof or a verification is about."),
    spec: str = typer.Option(None, help="The specification that a proof is about, file.py:Class, if no task has it."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Check a certificate from nothing but the file, and the automaton if it is about one.

    A proof, and a proof of impossibility, is checked without any code of what found it. A verification is done again.
    Exit code 0 if the certificate holds, 1 if not.
    """
    from graphfsa.proofs import certificate_kind, check_certificate

    began = perf_counter()
    kind = certificate_kind(certificate)
    with count_progress("instance") as progress:
        found = check_certificate(certificate, model, spec=spec, progress=progress)
    facts: dict[str, Any] = {
        "kind": kind,
        "holds": found.holds,
        "reason": found.reason,
        "seconds": round(perf_counter() - began, 3),
    }
    print_json(facts) if as_json else print_rows(facts | {"holds": "yes" if found.holds else "no"})
    if not found.holds:
        raise typer.Exit(1)
