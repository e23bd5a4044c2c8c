"""graphfsa draw: an automaton as a diagram of states and arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, find_automaton, guarded, is_same_file, print_json
from graphfsa.errors import GraphFSAError, UnknownNameError

if TYPE_CHECKING:
    from graphfsa.analysis import Transitions
    from graphfsa.automaton import GraphFSA

_SUFFIXES = (".svg", ".png", ".dot", ".tex", ".mmd")
_LAYOUTS = ("auto", "own", "dot")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("draw")(draw_command)


@guarded
def draw_command(
    model: str = typer.Argument(help="A library name (life, path-finding, ...), a .json or a .rules file."),
    out: str = typer.Option(help="The file: .svg, .png, .dot (Graphviz), .tex (TikZ) or .mmd (Mermaid)."),
    partial: str = typer.Option(None, help="A state: only what nodes do that start in it, on --task or --data."),
    task: str = typer.Option(None, help="With --partial: a data set, whose training graphs are run."),
    data: str = typer.Option(None, help="With --partial: a .jsonl file of labelled graphs, which are run."),
    steps: int = typer.Option(None, min=0, help="With --data: its labels are states after so many steps."),
    option: list[str] = typer.Option([], help="An option of the data set, as key=value; may be repeated."),
    seed: int = typer.Option(0, min=0, help="Seed of the training graphs."),
    title: str = typer.Option(None, help="What it shows, for people who can't see it."),
    layout: str = typer.Option("auto", help="own, dot (Graphviz) or auto: Graphviz where it is there and does well."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Draw an automaton: every state and transition, or those that nodes use which start in one state.

    All transitions from a state to another are one arrow, with its condition in words. Graphviz is used if it is
    installed and does better; it is not needed.
    """
    check_output(out, _SUFFIXES)
    if is_same_file(out, model):
        raise GraphFSAError(f"--out {out!r} would overwrite the model; choose another file")
    _check_options(partial, task, data, steps, option, layout)
    fsa = find_automaton(model)
    if partial is not None:
        fsa.index(partial)
    found = _transitions(fsa, partial, task, option, data, steps, seed)
    from graphfsa.views.diagram import diagram

    diagram(found, title=title, layout=layout).save(out)  # pyright: ignore[reportArgumentType]
    if found.num_wordless:
        many = f"{found.num_wordless} of {len(found.arrows)} arrows have"
        typer.echo(f"note: {many} no short condition; 'graphfsa rules' prints all that there is to say", err=True)
    if as_json:
        print_json(_facts(found, out))


def _check_options(
    partial: str | None, task: str | None, data: str | None, steps: int | None, option: list[str], layout: str
) -> None:
    if layout not in _LAYOUTS:
        raise UnknownNameError("layout", layout, _LAYOUTS)
    if partial is None and (task is not None or data is not None):
        raise GraphFSAError("--task and --data go with --partial STATE")
    if partial is not None and (task is None) == (data is None):
        raise GraphFSAError("--partial needs graphs to run on: give either --task NAME or --data FILE.jsonl")
    if option and task is None:
        raise GraphFSAError("--option goes with --task")
    if steps is not None and data is None:
        raise GraphFSAError("--steps goes with --data")


def _transitions(
    fsa: GraphFSA,
    partial: str | None,
    task: str | None,
    option: list[str],
    data: str | None,
    steps: int | None,
    seed: int,
) -> Transitions:
    from graphfsa.analysis import transitions, used_transitions

    if partial is None:
        from graphfsa.views.diagram import check_states

        check_states(fsa.num_states)
        return transitions(fsa)
    from graphfsa.cli._source import Source
    from graphfsa.datasets._names import matched

    examples, _ = Source(task, option, data=data, steps=steps, seed=seed).training()
    return used_transitions(fsa, matched(examples, fsa), partial)


def _facts(found: Transitions, out: str) -> dict[str, Any]:
    names = found.fsa.state_names
    return {
        "states": [names[state] for state in found.states],
        "start": None if found.start is None else names[found.start],
        "nodes": found.num_nodes,
        "graphs": found.num_graphs,
        "arrows": [
            {
                "state": names[arrow.state],
                "next": names[arrow.successor],
                "if": found.lines(arrow),
                "values": len(arrow.values),
                "of": arrow.of,
                "count": arrow.count,
            }
            for arrow in found.arrows
        ],
        "file": out,
    }
