"""The command line: every public module of this room is one command.

Results go to standard output (or ``--out``), progress and errors to standard error. Exit codes: 0 done, 1 failed,
2 bad input, 130 interrupted (143 and 129 by SIGTERM and SIGHUP).
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import typer

from graphfsa.plugins import module_names


def build_app(only: str | None = None) -> typer.Typer:
    """The application; cheap, because commands import what they need when they run.

    Args:
        only: The command that is about to run, to leave out the others.
    """
    app = typer.Typer(
        name="graphfsa",
        help="Finite state automata that live on graphs: learn, run, check and draw them. Exit codes: 0 done, 1 "
        "failed, 2 bad input, 130, 143 or 129 interrupted by Ctrl-C, SIGTERM or SIGHUP.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_main)
    names = module_names(__name__)
    for name in [only] if only in names else names:
        import_module(f"{__name__}.{name.replace('-', '_')}").register(app)
    return app


def main() -> None:
    """Entry point of the ``graphfsa`` command."""
    from graphfsa.cli._guard import ending_once

    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # Closed by the caller: there is nobody to tell.
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):  # A character that the terminal lacks must not end the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        with ending_once():
            build_app(sys.argv[1] if len(sys.argv) > 1 else None)(prog_name="graphfsa")
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        sys.exit(f"error: standard output: {error.strerror or error}")


def _version(wanted: bool) -> None:
    if wanted:
        from graphfsa import __version__

        typer.echo(f"graphfsa {__version__}")
        raise typer.Exit


def _main(
    plugin: list[str] = typer.Option(
        [],
        metavar="FILE.py",
        help="Run this Python file first: it defines an aggregation, task or learner of yours. May be repeated.",
    ),
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    if plugin:
        from graphfsa.cli._guard import guarded
        from graphfsa.plugins import load_file

        @guarded
        def load() -> None:
            for file in plugin:
                load_file(file)

        load()
