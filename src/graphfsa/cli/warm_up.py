"""graphfsa warm-up: compile ahead of time what most work needs."""

from __future__ import annotations

import typer

from graphfsa.cli._common import print_json, say
from graphfsa.cli._guard import guarded


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("warm-up")(warm_up_command)


@guarded
def warm_up_command(as_json: bool = typer.Option(False, "--json", help="Print one JSON object.")) -> None:
    """Compile the kernels that most work needs, and say which and how long it took.

    For images of containers and new machines: what is compiled is kept on disk, so the first run and the first 'learn'
    need not wait. Kernels fit the kind of processor on which they were compiled.
    """
    from graphfsa.evaluation import warm_up

    found: list[dict[str, object]] = []
    for part in warm_up():
        found.append({"work": part.work, "kernels": list(part.kernels), "seconds": round(part.seconds, 2)})
        if not as_json:
            what = f"{len(part.kernels)} compiled" if part.kernels else "nothing to compile"
            say(f"{part.seconds:6.1f} s  {part.work}: {what}")
    if as_json:
        print_json({"work": found})
