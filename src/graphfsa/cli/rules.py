"""graphfsa rules: an automaton's table as rules in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, find_automaton, guarded, is_same_file, print_json
from graphfsa.errors import GraphFSAError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np

    from graphfsa.automaton import GraphFSA
    from graphfsa.automaton.rules import Rules

_SUFFIXES = {
    "text": (".rules", ".txt"),
    "markdown": (".md",),
    "latex": (".tex",),
    "python": (".py",),
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rules")(rules_command)


@guarded
def rules_command(
    model: str = typer.Argument(help="A library name (life, path-finding, ...), a .json or a .rules file."),
    form: str = typer.Option(
        None, "--format", help="text, markdown, latex or python [default: that of the suffix of --out, or text]."
    ),
    task: str = typer.Option(None, help="Name of a data set: entries that its training graphs never use may differ."),
    data: str = typer.Option(None, help="A .jsonl file of labelled graphs: entries that they never use may differ."),
    steps: int = typer.Option(None, min=0, help="With --data: its labels are states after so many steps."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    seed: int = typer.Option(0, min=0, help="Seed of the training graphs."),
    out: str = typer.Option(None, help="Write to this .rules, .txt, .md, .tex or .py file."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Print the rules of an automaton: for each state when it moves, and where, as a person would write it.

    The rules agree with the table everywhere, which is checked. With --task or --data they agree wherever a graph
    of these data comes, and are shorter. A .rules file is an automaton for every other command.
    """
    kind = _format(form, out)
    every = tuple(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes)
    check_output(out, _SUFFIXES[kind] if form else every)
    if out is not None and is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    if data is not None and task is not None:
        raise GraphFSAError("give --data FILE.jsonl or --task NAME, not both")
    if option and task is None:
        raise GraphFSAError("--option goes with --task")
    if steps is not None and data is None:
        raise GraphFSAError("--steps goes with --data")
    fsa = find_automaton(model)
    rules = fsa.rules(_used(fsa, task, option, seed, data, steps))
    _write(rules, fsa, kind, out, as_json)


def _format(form: str | None, out: str | None) -> str:
    if form is not None:
        if form not in _SUFFIXES:
            raise UnknownNameError("format", form, _SUFFIXES)
        return form
    suffixed = [kind for kind, suffixes in _SUFFIXES.items() if (out or "").lower().endswith(suffixes)]
    return suffixed[0] if suffixed else "text"


def _used(
    fsa: GraphFSA, task: str | None, option: list[str], seed: int, data: str | None, steps: int | None
) -> np.ndarray[Any, Any] | None:
    """The entries that some data use."""
    if task is None and data is None:
        return None
    from graphfsa.cli._source import Source
    from graphfsa.datasets._covering import entry_counts
    from graphfsa.datasets._names import matched

    examples, _ = Source(task, option, data=data, steps=steps, seed=seed).training()
    return entry_counts(fsa, matched(examples, fsa)) > 0


def _write(rules: Rules, fsa: GraphFSA, kind: str, out: str | None, as_json: bool) -> None:
    from graphfsa.automaton.rules import FORMATS
    from graphfsa.files import atomic_write

    text = FORMATS[kind](rules)
    if out is not None:
        atomic_write(out, text)
    if as_json:
        facts: dict[str, Any] = {
            "states": list(fsa.state_names),
            "aggregation": fsa.aggregation.config(),
            "digest": fsa.digest,
            "entries": fsa.transition_table.size,
            "free_entries": rules.free,
            "rules": rules.as_dicts(),
            "format": kind,
            "text": text,
            "file": out,
        }
        print_json(facts)
    elif out is None:
        typer.echo(text, nl=False)
