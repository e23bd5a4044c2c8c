"""graphfsa rules: an automaton's table as rules in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.checks import check_name
from graphfsa.cli._common import check_data_options, check_output, find_data, is_same_file, print_json, say
from graphfsa.cli._guard import guarded
from graphfsa.errors import GraphFSAError

if TYPE_CHECKING:
    from graphfsa.automaton import GraphFSA, StochasticFSA
    from graphfsa.automaton.rules import Rules
    from graphfsa.datasets import Discretiser

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
    task: str = typer.Option(
        None,
        help="A data set, or file.py:Class: entries that its training graphs never use are left free "
        "[default: the model's own].",
    ),
    data: str = typer.Option(None, help="The same for the labelled graphs of a .jsonl file."),
    steps: int = typer.Option(None, min=0, help="With --data: its labels are states after this number of steps."),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    seed: int = typer.Option(0, min=0, help="Seed of the training graphs."),
    complete: bool = typer.Option(False, "--complete", help="Leave no entry free, whatever graphs use."),
    out: str = typer.Option(None, help="Write to this .rules, .txt, .md, .tex or .py file."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Print the rules of an automaton: for each state when it moves, and where, as a person would write it.

    The rules agree with the table everywhere, or wherever the graphs come that the model learned from, or those of
    --task or --data; that is checked. A .rules file is an automaton for every other command.
    """
    from graphfsa.analysis import used_entries
    from graphfsa.automaton import StochasticFSA
    from graphfsa.learners import as_model, find_any_automaton

    kind = _format(form, out)
    every = tuple(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes)
    check_output(out, _SUFFIXES[kind] if form else every)
    if out is not None and is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    check_data_options(task, data, steps, complete)
    fsa = find_any_automaton(model)
    if isinstance(fsa, StochasticFSA):
        if task or data:
            raise GraphFSAError("--task and --data go with automata without probabilities")
        _write(fsa.rules(), fsa, kind, out, as_json)
        return
    known = as_model(model)
    given = find_data(task, option, data)
    matters = None if complete else used_entries(known, given, steps=steps, seed=seed)
    _write(known.automaton.rules(matters), known.automaton, kind, out, as_json, known.discretiser)


def _format(form: str | None, out: str | None) -> str:
    if form is not None:
        return check_name("format", form, list(_SUFFIXES))
    suffixed = [kind for kind, suffixes in _SUFFIXES.items() if (out or "").lower().endswith(suffixes)]
    return suffixed[0] if suffixed else "text"


def _write(
    rules: Rules,
    fsa: GraphFSA | StochasticFSA,
    kind: str,
    out: str | None,
    as_json: bool,
    discretiser: Discretiser | None = None,
) -> None:
    from graphfsa.automaton.rules import FORMATS
    from graphfsa.files import atomic_write

    text = FORMATS[kind](rules)
    if discretiser is not None:
        text = f"{_comment(discretiser, kind)}\n{text}"
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
        if discretiser is not None:
            facts["inputs"] = discretiser.words()
        print_json(facts)
    elif out is None:
        say(text, nl=False)


def _comment(discretiser: Discretiser, kind: str) -> str:
    """How features become inputs, as comments; whatever names hold, each line begins with the mark."""
    from graphfsa.automaton.rules import code_span

    mark = {"text": "#", "python": "#", "latex": "%", "markdown": "-"}[kind]
    lines = [code_span(line) if kind == "markdown" else line for line in str(discretiser).splitlines()]
    return "".join(f"{mark} {line}\n" for line in lines)
